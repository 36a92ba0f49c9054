/* SPDX-License-Identifier: MIT
 *
 * memo_show.c - see memo_show.h.
 *
 * The memo is read once to count, and once for each list.
 */
#include "cli/memo_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memo/json.h"
#include "pattern/family.h"
#include "util/memory.h"
#include "util/names.h"
#include "util/text.h"

struct family_counts {
    char *name;
    uint64_t in_state[MEMO_STATE_COUNT];
};

struct show {
    const struct memo_options *options;
    family_mask families;                /* selected */
    bool states[MEMO_STATE_COUNT];       /* that are listed */
    VECTOR(struct family_counts) counts; /* in the order of the table of families */
    uint64_t total[MEMO_STATE_COUNT];
    uint64_t builds, sites, runs, schedules, failures, cores;
    int64_t last; /* a run began */
    /* while listing */
    enum memo_state listed;
    char *core; /* the sentence before */
    uint64_t printed;
    json_t *list;
};

/* ---- selection --------------------------------------------------------------------------------------------------- */

static bool read_wishes(struct show *show, struct error *error)
{
    const struct memo_options *options = show->options;
    show->families = ~(family_mask)0;
    if (options->family != NULL && (show->families = family_by_name(options->family, error)) == 0)
        return false;
    bool all = strcmp(options->state, "all") == 0, any = all;
    for (int i = 0; i < MEMO_STATE_COUNT; i++) {
        show->states[i] = all || strcmp(options->state, memo_state_name((enum memo_state)i)) == 0;
        any = any || show->states[i];
    }
    return any || error_set(error, EXIT_USAGE,
                            "--state: '%s' is not one of covered, open, given-up, impossible and all", options->state);
}

/* The first row of that name; families of a newer raddle come after all others. */
static unsigned row_of(const char *family)
{
    unsigned row = 0;
    while (row < family_count && strcmp(families[row].name, family) != 0)
        row++;
    return row;
}

static bool is_wanted(const struct show *show, const char *family)
{
    unsigned row = row_of(family);
    return row < family_count ? (show->families >> row & 1) != 0 : show->options->family == NULL;
}

/* ---- counting ---------------------------------------------------------------------------------------------------------------- */

static struct family_counts *counts_of(struct show *show, const char *family)
{
    size_t i = 0, row = row_of(family);
    while (i < show->counts.count && row_of(show->counts.data[i].name) <= row) {
        if (strcmp(show->counts.data[i].name, family) == 0)
            return &show->counts.data[i];
        i++;
    }
    vector_push(&show->counts, (struct family_counts){0});
    struct family_counts *place = &show->counts.data[i];
    memmove(place + 1, place, (show->counts.count - 1 - i) * sizeof *place);
    *place = (struct family_counts){.name = memory_copy_string(family)};
    return place;
}

static bool count_instance(const struct memo_instance *instance, void *context)
{
    struct show *show = context;
    if (!is_wanted(show, instance->family))
        return true;
    enum memo_state state = memo_state_of(instance, show->options->give_up);
    counts_of(show, instance->family)->in_state[state]++;
    show->total[state]++;
    return true;
}

static bool count_build(const struct memo_build *build, void *context)
{
    (void)build;
    ((struct show *)context)->builds++;
    return true;
}

static bool count_site(const struct memo_site *site, void *context)
{
    (void)site;
    ((struct show *)context)->sites++;
    return true;
}

/* Another sentence than the one before: several patterns have the same reason. */
static bool is_new_core(struct show *show, const struct memo_core *core)
{
    char *text = memory_format("%s: %s", core->family, core->text);
    bool is_new = is_wanted(show, core->family) && (show->core == NULL || strcmp(show->core, text) != 0);
    free(show->core);
    show->core = text;
    return is_new;
}

static bool count_core(const struct memo_core *core, void *context)
{
    struct show *show = context;
    show->cores += is_new_core(show, core);
    return true;
}

static bool count_run(const struct memo_run *run, void *context)
{
    struct show *show = context;
    show->runs++;
    show->schedules += run->schedules;
    show->last = run->began > show->last ? run->began : show->last;
    return true;
}

static bool count_failure(const struct memo_failure *failure, void *context)
{
    (void)failure;
    ((struct show *)context)->failures++;
    return true;
}

static bool count_all(struct show *show, struct memo *memo, struct error *error)
{
    return memo_each_build(memo, count_build, show, error) && memo_each_site(memo, count_site, show, error) &&
           memo_each_run(memo, count_run, show, error) && memo_each_failure(memo, count_failure, show, error) &&
           memo_each_core(memo, count_core, show, error) && memo_each_instance(memo, count_instance, show, error);
}

/* ---- as text ---------------------------------------------------------------------------------------------------------- */

static void print_date(int64_t seconds)
{
    struct tm date;
    char text[32];
    time_t when = seconds;
    if (gmtime_r(&when, &date) != NULL && strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &date) > 0)
        printf("%s", text);
}

/* What is covered, of all that is not known to be impossible. */
static double share_of(const uint64_t in_state[MEMO_STATE_COUNT])
{
    uint64_t known = in_state[MEMO_COVERED] + in_state[MEMO_OPEN] + in_state[MEMO_GIVEN_UP];
    return known > 0 ? (double)in_state[MEMO_COVERED] / (double)known : 1;
}

static void print_counts(const char *name, const uint64_t in_state[MEMO_STATE_COUNT])
{
    printf("%-10s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %9.1f%%\n", name, in_state[MEMO_COVERED],
           in_state[MEMO_OPEN], in_state[MEMO_GIVEN_UP], in_state[MEMO_IMPOSSIBLE], share_of(in_state) * 100);
}

static void print_head(const struct show *show, const char *program)
{
    printf("%s: %" PRIu64 " campaign%s, %" PRIu64 " schedule%s, %" PRIu64 " build%s, %" PRIu64 " site%s", program,
           show->runs, text_plural(show->runs), show->schedules, text_plural(show->schedules), show->builds,
           text_plural(show->builds), show->sites, text_plural(show->sites));
    if (show->last != 0) {
        printf(", last ");
        print_date(show->last);
    }
    printf("\n\n%-10s %10s %10s %10s %10s %10s\n", "family", "covered", "open", "given up", "impossible", "share");
    for (size_t i = 0; i < show->counts.count; i++)
        print_counts(show->counts.data[i].name, show->counts.data[i].in_state);
    print_counts("all", show->total);
}

static bool print_instance(const struct memo_instance *instance, void *context)
{
    struct show *show = context;
    const struct memo_options *options = show->options;
    if (!is_wanted(show, instance->family) || memo_state_of(instance, options->give_up) != show->listed)
        return true;
    if (options->limit != 0 && show->printed == options->limit)
        return false;
    show->printed++;
    printf("  %s\n", instance->text);
    if (show->listed == MEMO_COVERED)
        printf("      in %" PRIu64 " run%s", instance->covered, text_plural(instance->covered));
    else
        printf("      %s", instance->predicted ? "predicted" : "not predicted");
    if (instance->attempts > 0)
        printf(", %" PRIu64 " attempt%s, %" PRIu64 " failed", instance->attempts, text_plural(instance->attempts),
               instance->failed);
    if (instance->verdict != NULL)
        printf("; last: %s", instance->verdict);
    putchar('\n');
    return true;
}

static bool print_core(const struct memo_core *core, void *context)
{
    struct show *show = context;
    if (!is_new_core(show, core))
        return true;
    if (show->options->limit != 0 && show->printed == show->options->limit)
        return false;
    show->printed++;
    printf("  %s\n", show->core);
    return true;
}

/* Why: what critical sections exclude. */
static bool print_cores(struct show *show, struct memo *memo, struct error *error)
{
    printf("\nimpossible because\n");
    show->printed = 0;
    free(show->core);
    show->core = NULL;
    bool good = memo_each_core(memo, print_core, show, error);
    if (show->printed < show->cores)
        printf("  ... and %" PRIu64 " more (--limit 0 lists all)\n", show->cores - show->printed);
    return good;
}

static bool print_failure(const struct memo_failure *failure, void *context)
{
    (void)context;
    printf("  %s at %s, %" PRIu64 " time%s, last ", failure->kind, failure->site, failure->times,
           text_plural(failure->times));
    print_date(failure->last_seen);
    printf("%s%s\n", failure->path != NULL ? ": " : "", failure->path != NULL ? failure->path : "");
    return true;
}

static bool print_program(struct show *show, struct memo *memo, const char *program, struct error *error)
{
    bool good = true;
    print_head(show, program);
    for (int i = 0; i < MEMO_STATE_COUNT && good; i++) {
        if (!show->states[i] || show->total[i] == 0)
            continue;
        printf("\n%s\n", memo_state_name((enum memo_state)i));
        show->listed = (enum memo_state)i;
        show->printed = 0;
        good = memo_each_instance(memo, print_instance, show, error);
        if (show->printed < show->total[i])
            printf("  ... and %" PRIu64 " more (--limit 0 lists all)\n", show->total[i] - show->printed);
    }
    if (good && show->states[MEMO_IMPOSSIBLE] && show->cores > 0)
        good = print_cores(show, memo, error);
    if (good && show->failures > 0) {
        printf("\nfailures\n");
        good = memo_each_failure(memo, print_failure, show, error);
    }
    return good;
}

/* ---- as JSON ---------------------------------------------------------------------------------------------------------- */

static json_t *json_counts(const uint64_t in_state[MEMO_STATE_COUNT])
{
    return json_pack("{sIsIsIsIsf}", "covered", (json_int_t)in_state[MEMO_COVERED], "open",
                     (json_int_t)in_state[MEMO_OPEN], "given_up", (json_int_t)in_state[MEMO_GIVEN_UP], "impossible",
                     (json_int_t)in_state[MEMO_IMPOSSIBLE], "share", share_of(in_state));
}

static bool add_instance(const struct memo_instance *instance, void *context)
{
    struct show *show = context;
    enum memo_state state = memo_state_of(instance, show->options->give_up);
    if (!is_wanted(show, instance->family) || !show->states[state])
        return true;
    if (show->options->limit != 0 && show->total[state] == 0)
        return true;
    json_t *record = memo_json_instance(instance);
    json_object_set_new(record, "state", json_string(memo_state_name(state)));
    json_array_append_new(show->list, record);
    show->total[state] -= show->options->limit != 0;
    return true;
}

static bool add_core(const struct memo_core *core, void *context)
{
    struct show *show = context;
    if (is_wanted(show, core->family) && show->states[MEMO_IMPOSSIBLE] &&
        (show->options->limit == 0 || json_array_size(show->list) < show->options->limit))
        json_array_append_new(show->list, memo_json_core(core));
    return true;
}

static bool add_failure(const struct memo_failure *failure, void *context)
{
    json_array_append_new(((struct show *)context)->list, memo_json_failure(failure));
    return true;
}

static bool add_program(struct show *show, struct memo *memo, const char *program, json_t *programs,
                        struct error *error)
{
    json_t *object = json_object(), *by_family = json_object(), *instances = json_array(), *failures = json_array(),
           *cores = json_array();
    json_object_set_new(object, "name", memo_json_text(program));
    json_object_set_new(object, "campaigns", json_integer((json_int_t)show->runs));
    json_object_set_new(object, "schedules", json_integer((json_int_t)show->schedules));
    json_object_set_new(object, "builds", json_integer((json_int_t)show->builds));
    json_object_set_new(object, "sites", json_integer((json_int_t)show->sites));
    json_object_set_new(object, "last", json_integer(show->last));
    for (size_t i = 0; i < show->counts.count; i++)
        json_object_set_new_nocheck(by_family, show->counts.data[i].name, json_counts(show->counts.data[i].in_state));
    json_object_set_new(object, "families", by_family);
    json_object_set_new(object, "all", json_counts(show->total));
    json_object_set_new(object, "instances", instances);
    json_object_set_new(object, "cores", cores);
    json_object_set_new(object, "failures", failures);
    json_array_append_new(programs, object);
    for (int i = 0; i < MEMO_STATE_COUNT; i++) /* from here on: the number that may still be listed */
        show->total[i] = show->options->limit;
    show->list = instances;
    bool good = memo_each_instance(memo, add_instance, show, error);
    show->list = cores;
    good = good && memo_each_core(memo, add_core, show, error);
    show->list = failures;
    return good && memo_each_failure(memo, add_failure, show, error);
}

/* ---- the whole -------------------------------------------------------------------------------------------------------- */

static bool add_name(const char *name, void *context)
{
    names_add(context, name);
    return true;
}

static bool show_program(const struct show *wishes, struct memo *memo, const char *program, json_t *programs,
                         struct error *error)
{
    struct show show = *wishes;
    bool good = memo_choose(memo, program, NULL, error) && count_all(&show, memo, error) &&
                (programs != NULL ? add_program(&show, memo, program, programs, error)
                                  : print_program(&show, memo, program, error));
    for (size_t i = 0; i < show.counts.count; i++)
        free(show.counts.data[i].name);
    vector_free(&show.counts);
    free(show.core);
    return good;
}

bool memo_show(struct memo *memo, const struct memo_options *options, struct error *error)
{
    struct show wishes = {.options = options};
    struct names names = {0};
    bool good = read_wishes(&wishes, error) && memo_each_program(memo, add_name, &names, error);
    json_t *programs = options->json ? json_array() : NULL;
    if (good && programs == NULL && names.list.count == 0)
        puts("nothing is remembered yet");
    for (size_t i = 0; i < names.list.count; i++) {
        if (good && programs == NULL && i > 0)
            putchar('\n');
        good = good && show_program(&wishes, memo, names.list.data[i], programs, error);
    }
    names_free(&names);
    if (good && programs != NULL) {
        json_t *all = json_pack("{sO}", "programs", programs);
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
        putchar('\n');
        json_decref(all);
    }
    json_decref(programs);
    return good;
}
