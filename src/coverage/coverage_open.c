/* SPDX-License-Identifier: MIT
 *
 * coverage_open.c - instances that could occur and have not: where they were predicted from; see coverage.h.
 */
#include <assert.h>
#include <string.h>

#include "coverage/coverage_private.h"
#include "direct/witness.h"
#include "util/memory.h"
#include "util/stop.h"

enum {
    PREDICT_WORK = 200000, /* combinations that a prediction may look at: about a tenth of a second */
    /* What the predictor does, in units of observer_work(). */
    COMBINATION_WORK = 32,
};

/* ---- runs that are kept ------------------------------------------------------------------------------------------- */

static size_t source_size(const struct coverage_source *source)
{
    return sizeof *source + source->steps.count * sizeof *source->steps.data;
}

static void source_free(struct coverage_source *source)
{
    vector_free(&source->steps);
    free(source);
}

static void drop_alternatives_of(struct coverage *coverage, const struct coverage_source *source)
{
    if (source->users == 0)
        return;
    for (size_t i = 0; i < coverage->known.count; i++) {
        struct known_instance *known = &coverage->known.data[i];
        unsigned kept = 0;
        for (unsigned k = 0; k < known->alternative_count; k++)
            if (known->alternatives[k].source != source)
                known->alternatives[kept++] = known->alternatives[k];
        known->alternative_count = (uint8_t)kept;
    }
}

static void drop_source(struct coverage *coverage, size_t index)
{
    struct coverage_source *source = coverage->sources.data[index];
    assert(coverage->source_bytes >= source_size(source));
    drop_alternatives_of(coverage, source);
    coverage->source_bytes -= source_size(source);
    coverage->sources.count--;
    memmove(&coverage->sources.data[index], &coverage->sources.data[index + 1],
            (coverage->sources.count - index) * sizeof *coverage->sources.data);
    source_free(source);
}

/* The oldest that is not needed, else the oldest. */
static size_t least_wanted(const struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->sources.count; i++)
        if (coverage->sources.data[i]->users == 0)
            return i;
    return 0;
}

static struct coverage_source *keep_source(struct coverage *coverage, const struct execution *execution,
                                           uint64_t schedule)
{
    struct coverage_source *source = memory_allocate(1, sizeof *source);
    source->schedule = schedule;
    vector_append(&source->steps, execution->steps.data, execution->steps.count);
    size_t size = source_size(source);
    while (coverage->sources.count > 0 &&
           (coverage->sources.count >= COVERAGE_SOURCES || coverage->source_bytes + size > COVERAGE_BYTES))
        drop_source(coverage, least_wanted(coverage));
    coverage->source_bytes += size;
    vector_push(&coverage->sources, source);
    return source;
}

/* ---- predictions -------------------------------------------------------------------------------------------------- */

/* The run that is predicted from: its source is made when an alternative needs it. */
struct prediction_run {
    const struct execution *execution;
    uint64_t schedule;
    struct coverage_source *source;
    struct witness_index index;
};

static void add_alternative(struct coverage *coverage, struct known_instance *known, const struct instance *instance,
                            const struct witness *witnesses, struct prediction_run *run)
{
    if (known->alternative_count == COVERAGE_ALTERNATIVES)
        return;
    if (run->source == NULL) {
        run->source = keep_source(coverage, run->execution, run->schedule);
        witness_index_make(&run->index, run->execution);
    }
    if (known->alternatives == NULL)
        known->alternatives = memory_allocate(COVERAGE_ALTERNATIVES, sizeof *known->alternatives);
    struct coverage_alternative *alternative = &known->alternatives[known->alternative_count++];
    *alternative = (struct coverage_alternative){.source = run->source};
    memcpy(alternative->witnesses, witnesses, sizeof alternative->witnesses);
    witness_refine(&run->index, instance, alternative->witnesses);
    run->source->users++;
}

/* True: it is new and open. */
static bool add_prediction(struct coverage *coverage, const struct instance *instance, const struct witness *witnesses,
                           struct prediction_run *run)
{
    size_t number = instances_find(&coverage->all, instance);
    if (number == SIZE_MAX && (coverage->open >= COVERAGE_OPEN || coverage->known.count >= COVERAGE_MOST)) {
        coverage->cut = true;
        return false;
    }
    if (number == SIZE_MAX)
        number = coverage_number(coverage, instance);
    struct known_instance *known = &coverage->known.data[number];
    struct coverage_count *count = &coverage->rows[instance->row];
    bool first = !known->predicted;
    known->predicted = true;
    count->predicted += first;
    if (known->runs > 0)
        return false;
    count->open += first;
    coverage->open += first;
    add_alternative(coverage, known, instance, witnesses, run);
    return first;
}

uint32_t coverage_predict_run(struct coverage *coverage, const struct execution *execution, uint64_t schedule,
                              uint64_t work_most)
{
    struct instances found = {0};
    uint64_t half = work_most / 2 / COMBINATION_WORK; /* for reading, the other one for combinations */
    struct predictor_options options = {.wanted = coverage->options.families,
                                        .window = coverage->options.window,
                                        .work_most = work_most == 0 || half > PREDICT_WORK ? PREDICT_WORK : half + 1,
                                        .read_most = work_most == 0 ? 0 : half + 1,
                                        .turn = coverage->profiled};
    struct predictor_result result = coverage->predictor->predict(execution, &options, &found);
    coverage->cut |= result.cut;
    coverage->profiled++;
    coverage->predict_work += (result.work + result.read) * COMBINATION_WORK;

    uint32_t fresh = 0;
    struct prediction_run run = {.execution = execution, .schedule = schedule};
    for (size_t i = 0; i < found.all.count && !stop_requested(); i++)
        fresh += add_prediction(coverage, &found.all.data[i], instances_witnesses(&found, i), &run);
    witness_index_free(&run.index);
    instances_free(&found);
    return fresh;
}

bool coverage_mark_impossible(struct coverage *coverage, size_t number)
{
    assert(number < coverage->known.count);
    struct known_instance *known = &coverage->known.data[number];
    struct coverage_count *count = &coverage->rows[coverage->all.all.data[number].row];
    if (known->runs > 0 || known->impossible)
        return false;
    assert(known->predicted && count->open > 0);
    known->impossible = true;
    count->open--;
    count->impossible++;
    return true;
}

bool coverage_unmark_impossible(struct coverage *coverage, size_t number)
{
    assert(number < coverage->known.count);
    struct known_instance *known = &coverage->known.data[number];
    struct coverage_count *count = &coverage->rows[coverage->all.all.data[number].row];
    if (!known->impossible)
        return false;
    known->impossible = false;
    count->impossible--;
    count->open++;
    return true;
}

void coverage_explain(struct coverage *coverage, size_t number, const struct core *core)
{
    assert(number < coverage->known.count);
    struct known_instance *known = &coverage->known.data[number];
    if (known->core == NULL)
        known->core = memory_allocate(1, sizeof *known->core);
    *known->core = *core;
}

const struct core *coverage_core(const struct coverage *coverage, size_t number)
{
    return coverage_is_impossible(coverage, number) ? coverage->known.data[number].core : NULL;
}

void coverage_close_instance(struct coverage *coverage, size_t number)
{
    struct known_instance *known = &coverage->known.data[number];
    if (!known->predicted)
        return;
    coverage->rows[coverage->all.all.data[number].row].corrected += coverage_unmark_impossible(coverage, number);
    assert(coverage->open > 0 && coverage->rows[coverage->all.all.data[number].row].open > 0);
    coverage->rows[coverage->all.all.data[number].row].open--;
    coverage->open--;
    for (unsigned i = 0; i < known->alternative_count; i++) {
        assert(known->alternatives[i].source->users > 0);
        known->alternatives[i].source->users--;
    }
    known->alternative_count = 0;
    free(known->alternatives);
    known->alternatives = NULL;
}

void coverage_open_free(struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->known.count; i++) {
        free(coverage->known.data[i].alternatives);
        free(coverage->known.data[i].core);
    }
    for (size_t i = 0; i < coverage->sources.count; i++)
        source_free(coverage->sources.data[i]);
    vector_free(&coverage->sources);
}

/* ---- to make them happen ----------------------------------------------------------------------------------------- */

bool coverage_open_at(const struct coverage *coverage, size_t number, struct coverage_open *open)
{
    size_t cursor = number;
    return coverage_next_open(coverage, &cursor, open) && open->number == number;
}

struct director_source coverage_source_of(const struct coverage_open *open, uint32_t which)
{
    if (open->count == 0)
        return (struct director_source){0};
    const struct coverage_alternative *alternative = &open->alternatives[which % open->count];
    return (struct director_source){.witnesses = alternative->witnesses,
                                    .steps = alternative->source->steps.data,
                                    .step_count = alternative->source->steps.count};
}

bool coverage_next_open(const struct coverage *coverage, size_t *cursor, struct coverage_open *open)
{
    for (; *cursor < coverage->known.count; ++*cursor) {
        const struct known_instance *known = &coverage->known.data[*cursor];
        if (known->runs > 0 || known->impossible)
            continue;
        *open = (struct coverage_open){.number = *cursor,
                                       .instance = &coverage->all.all.data[*cursor],
                                       .alternatives = known->alternatives,
                                       .count = known->alternative_count};
        ++*cursor;
        return true;
    }
    return false;
}
