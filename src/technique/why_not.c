/* SPDX-License-Identifier: MIT
 *
 * why_not.c - see why_not.h.
 */
#include "technique/why_not.h"

#include "pattern/family.h"

enum {
    PATTERNS_MOST = 256, /* with the sites that they may mean */
    WORK_MOST = 2000000  /* of the solver, for one of them in one execution */
};

struct asker {
    const struct traces *traces;
    const struct sites *sites;
    uint32_t window;
    VECTOR(struct pattern) patterns; /* every step has a site */
    struct cores cores;
    struct core_view view;
    struct prover prover;
    struct answer answer;
    struct core *core;
};

static bool is_asked(const struct asker *asker, uint32_t wanted, uint32_t site)
{
    return wanted == SITE_ANY || wanted == site || sites_matches(asker->sites, wanted, site);
}

/* Events at the site can be the step. */
static bool fits_step(const struct core_view *view, const struct pattern_step *step, uint32_t site)
{
    const uint64_t *last = table_get(&view->sites.last, site);
    return last != NULL && *last != 0 &&
           execution_find_access(view->execution, (uint32_t)*last - 1, (enum access_kind)step->kind) != NULL;
}

/* All ways to give the steps from this one on a site; false: there are too many. */
static bool list_patterns(struct asker *asker, struct pattern *pattern, unsigned step)
{
    if (step == pattern->count) {
        if (asker->patterns.count == PATTERNS_MOST)
            return false;
        vector_push(&asker->patterns, *pattern);
        return true;
    }
    uint32_t wanted = pattern->steps[step].site;
    bool all = true;
    for (uint32_t site = 1; site <= sites_count(asker->sites) && all; site++)
        if (is_asked(asker, wanted, site) && fits_step(&asker->view, &pattern->steps[step], site)) {
            pattern->steps[step].site = site;
            all = list_patterns(asker, pattern, step + 1);
        }
    pattern->steps[step].site = wanted;
    return all;
}

/* In the execution that is read. */
static bool is_impossible(struct asker *asker, const struct pattern *pattern)
{
    struct core core;
    goal_steps steps = {0};
    bool impossible = cores_exclude(&asker->cores, &asker->view, pattern, asker->window, &core);
    if (!impossible) {
        prover_pattern(&asker->prover, pattern, asker->window, &asker->answer, &steps);
        impossible = asker->answer.kind == ANSWER_IMPOSSIBLE && asker->answer.certain;
        core_from_reasons(&core, &asker->prover.rules, &asker->answer);
    }
    if (impossible && core.count > 0 && asker->core->count == 0)
        *asker->core = core;
    vector_free(&steps);
    return impossible;
}

static bool is_impossible_in(struct asker *asker, const struct execution *execution, const struct pattern *pattern)
{
    struct pattern own = *pattern;
    for (unsigned i = 0; i < own.count; i++) {
        own.steps[i].occurrence = 0;
        own.steps[i].context = 0;
    }
    core_view_make(&asker->view, execution);
    prover_read(&asker->prover, execution);
    vector_clear(&asker->patterns);
    bool impossible = list_patterns(asker, &own, 0);
    for (size_t i = 0; i < asker->patterns.count && impossible; i++)
        impossible = is_impossible(asker, &asker->patterns.data[i]);
    return impossible;
}

bool why_not(const struct traces *traces, const struct pattern *pattern, const struct sites *sites, uint32_t window,
             struct core *core)
{
    bool close = pattern->family != NULL && (pattern->family->flags & FAMILY_WINDOW);
    struct asker asker = {
        .traces = traces, .sites = sites, .cores.sites = sites, .window = close ? window : UINT32_MAX, .core = core};
    bool open = traces->lost;
    core->count = 0;
    for (size_t i = 0; i < traces->paths.count; i++)
        open |= traces->paths.data[i];
    if (open)
        return false;
    prover_open(&asker.prover, &(struct solver_limits){.work = WORK_MOST});
    asker.prover.work_most = WORK_MOST;
    bool impossible = true;
    for (size_t i = 0; i < traces->all.count && impossible; i++)
        impossible = is_impossible_in(&asker, &traces->all.data[i]->execution, pattern);
    prover_close(&asker.prover);
    core_view_free(&asker.view);
    cores_free(&asker.cores);
    answer_free(&asker.answer);
    vector_free(&asker.patterns);
    return impossible;
}
