/* SPDX-License-Identifier: MIT
 *
 * cause_words.c - the cause as a pattern with names, and the sentence about what it rests on.
 *
 * A pattern is printed as short as people write it, file and line; where a passing run has something that fits the short form
 * too (a loop's first and second assignment in one line), with columns and all.  Nothing is printed that the matcher, which
 * knows only the text, finds in a passing run.
 */
#include <inttypes.h>
#include <string.h>

#include "explain/cause_private.h"
#include "trace/object.h"

/* ---- names ---------------------------------------------------------------------------------------------------------- */

/* The event of the told run that is this step; SIZE_MAX: it was not done there. */
static size_t told_event(const struct judged_run *told, const struct experiment *experiment,
                         const struct cause_candidate *candidate, unsigned step)
{
    const struct witness *witness = &candidate->witnesses[step];
    const struct experiment_run *base = &experiment->all.data[0];
    uint64_t pc = 0;
    struct event_range own = execution_task(&base->execution, witness->task);
    for (uint32_t i = 0; i < own.count && pc == 0; i++) {
        const struct event *event = execution_event(&base->execution, own.data[i]);
        if (event->operation == witness->operation && event->site == candidate->instance.site[step])
            pc = event->pc;
    }
    for (size_t i = 0; i < told->copy.events.count && pc != 0; i++)
        if (told->copy.events.data[i].task == witness->task &&
            told->copy.events.data[i].operation == witness->operation && told->copy.events.data[i].pc == pc)
            return i;
    return SIZE_MAX;
}

/* What the object of a step is called when the run is there. */
static void name_of(const struct experiment *experiment, const struct judged_run *told, size_t event, uint64_t address,
                    char name[OBJECT_NAME])
{
    const struct wire_event *events = told->copy.events.data;
    struct objects *objects =
        objects_open_typed(experiment->symbols->symbols, &told->copy.result, events, told->copy.events.count);
    size_t count = event < told->copy.events.count ? event + 1 : told->copy.events.count;
    for (size_t i = 0; i < count; i++)
        objects_event(objects, &events[i]);
    if (event < told->copy.events.count)
        objects_name(objects, events[event].address, events[event].size, name, NULL);
    else
        objects_name(objects, address, 0, name, NULL);
    objects_close(objects);
}

/* As the language of patterns wants it. */
static void clean_name(const char *name, const char *otherwise, char clean[PATTERN_NAME])
{
    size_t length = strlen(name);
    if (length == 0 || length >= PATTERN_NAME || strcmp(name, "-") == 0 || strcmp(name, "?") == 0) {
        strcpy(clean, otherwise);
        return;
    }
    memcpy(clean, name, length + 1);
    for (char *c = clean; *c != '\0'; c++)
        if (strchr(" \t\n()<|", *c) != NULL)
            *c = '_';
}

static void name_variables(const struct experiment *experiment, const struct cause_candidate *candidate,
                           const struct judged_run *told, struct pattern *pattern)
{
    static const char *const plain[] = {"x", "y"};
    for (uint8_t variable = 0; variable < 2; variable++) {
        unsigned best = PATTERN_STEPS;
        size_t event = SIZE_MAX;
        for (unsigned i = 0; i < pattern->count; i++) {
            if (pattern->steps[i].variable != variable || (best != PATTERN_STEPS && event != SIZE_MAX))
                continue;
            best = i;
            event = candidate->in_base ? told_event(told, experiment, candidate, i) : SIZE_MAX;
            /* a free is about the whole block; the name of what is used says more */
            if (event != SIZE_MAX && pattern->steps[i].kind == ACCESS_FREE)
                event = SIZE_MAX;
        }
        if (best == PATTERN_STEPS)
            continue;
        char name[OBJECT_NAME] = "";
        if (candidate->witnesses[best].address != 0)
            name_of(experiment, told, event, candidate->witnesses[best].address, name);
        clean_name(name, plain[variable], pattern->variables[variable]);
    }
    if (pattern->variables[1][0] != '\0' && strcmp(pattern->variables[0], pattern->variables[1]) == 0) {
        strcpy(pattern->variables[0], plain[0]);
        strcpy(pattern->variables[1], plain[1]);
    }
}

/* ---- patterns ------------------------------------------------------------------------------------------------------- */

static char *print_pattern(const struct experiment *experiment, const struct pattern *pattern, enum site_detail detail)
{
    struct buffer text = {0};
    pattern_print(pattern, experiment->sites, detail, &text);
    char *copy = memory_copy_string(buffer_text(&text));
    buffer_free(&text);
    return copy;
}

/* Some passing run shows what the text says (with a second text: both). */
static bool is_in_passing(const struct experiment *experiment, const char *text, const char *other)
{
    struct pattern pattern, second;
    struct error error;
    if (!pattern_parse(text, experiment->sites, &pattern, &error) ||
        (other != NULL && !pattern_parse(other, experiment->sites, &second, &error)))
        return true;
    for (size_t i = 0; i < experiment->all.count; i++)
        if (!experiment->all.data[i].failing && experiment_shows(experiment, &experiment->all.data[i], &pattern) &&
            (other == NULL || experiment_shows(experiment, &experiment->all.data[i], &second)))
            return true;
    return false;
}

static struct pattern named_pattern(const struct experiment *experiment, const struct cause_candidate *candidate,
                                    const struct judged_run *told)
{
    struct pattern pattern = experiment_pattern(&candidate->instance);
    pattern.family = NULL; /* its rules narrow it; without them it must be in no passing run all the more */
    name_variables(experiment, candidate, told, &pattern);
    return pattern;
}

/* Only the last component of the file, and the line. */
static uint32_t shortest_site(const struct experiment *experiment, uint32_t site)
{
    const struct site_key *full = sites_get(experiment->sites, site);
    if (full->by_offset || full->line == 0)
        return site;
    const char *slash = strrchr(full->file, '/');
    struct site_key key = {.file = slash != NULL ? slash + 1 : full->file, .line = full->line};
    return sites_add(experiment->sites, &key);
}

/* Fresh, or NULL. */
static char *text_of(const struct experiment *experiment, const struct cause_candidate *candidate,
                     const struct judged_run *told)
{
    struct pattern pattern = named_pattern(experiment, candidate, told), shortest = pattern;
    for (unsigned i = 0; i < pattern.count; i++)
        shortest.steps[i].site = shortest_site(experiment, pattern.steps[i].site);
    for (unsigned i = 0; i < 3; i++) {
        char *text = print_pattern(experiment, i == 0 ? &shortest : &pattern, i < 2 ? SITE_SHORT : SITE_FULL);
        if (!is_in_passing(experiment, text, NULL))
            return text;
        free(text);
    }
    return NULL;
}

/* The two texts of a choice; false if there are none that hold. */
static bool texts_of(const struct experiment *experiment, const struct judged_run *told,
                     const struct cause_choice *choice, char *texts[2])
{
    const struct cause_candidate *first = &experiment->candidates.data[choice->first];
    const struct cause_candidate *second = &experiment->candidates.data[choice->second];
    texts[0] = texts[1] = NULL;
    if (choice->how == CAUSE_BOTH) {
        struct pattern one = named_pattern(experiment, first, told), two = named_pattern(experiment, second, told);
        texts[0] = print_pattern(experiment, &one, SITE_FULL);
        texts[1] = print_pattern(experiment, &two, SITE_FULL);
        return !is_in_passing(experiment, texts[0], texts[1]);
    }
    texts[0] = text_of(experiment, first, told);
    if (choice->how == CAUSE_EITHER && texts[0] != NULL)
        texts[1] = text_of(experiment, second, told);
    return texts[0] != NULL && (choice->how == CAUSE_ONE || texts[1] != NULL);
}

bool experiment_accept(void *context, const struct cause_choice *choice)
{
    const struct experiment_teller *teller = context;
    char *texts[2];
    bool good = texts_of(teller->experiment, teller->told, choice, texts);
    free(texts[0]);
    free(texts[1]);
    return good;
}

/* ---- sentences ------------------------------------------------------------------------------------------------------ */

static void count_runs(const struct experiment *experiment, const struct cause_choice *choice, struct tale_cause *cause)
{
    struct cause_set with = experiment->candidates.data[choice->first].seen;
    const struct cause_set *other = &experiment->candidates.data[choice->second].seen;
    for (unsigned i = 0; i < CAUSE_WORDS; i++)
        with.words[i] = choice->how == CAUSE_EITHER ? with.words[i] | other->words[i] : with.words[i] & other->words[i];
    cause->failing_with = cause_set_common(&with, &experiment->verdicts.failing);
    cause->passing_with = cause_set_common(&with, &experiment->verdicts.passing);
}

static char *none_sentence(const struct experiment *experiment, const struct statement_facts *facts)
{
    if (facts->has_decisive && facts->after > 0)
        return memory_format(
            "no single pattern explains it (%u failing and %u passing schedules were compared); none of "
            "%u runs that went on otherwise after that step passed, %u of %u just before it did",
            experiment->failing, experiment->passing, facts->after, facts->before_passed, facts->before);
    if (experiment->passing == 0 && experiment->failing > 1)
        return memory_format(
            "every run fails (%u different schedules were tried): no interleaving makes the difference",
            experiment->failing);
    if (experiment->passed < EXPERIMENT_FEW && experiment->trial != NULL && experiment->trial->over)
        return memory_format(
            "there was time for %u run%s only, too few to say what makes the difference; raddle shrink takes more",
            experiment->failing + experiment->passed, experiment->failing + experiment->passed == 1 ? "" : "s");
    if (experiment->passed < EXPERIMENT_FEW)
        return memory_format("only %u run%s passed: too few to say what makes the difference", experiment->passed,
                             experiment->passed == 1 ? "" : "s");
    return memory_format("no single pattern explains it (%u failing and %u passing schedules were compared)",
                         experiment->failing, experiment->passing);
}

/* `ahead`: a step was not done before the run ended, but would have been. */
static char *sentence_of(const struct tale_cause *cause, enum cause_how how, bool ahead, unsigned forced)
{
    const char *what = how == CAUSE_ONE ? "it" : how == CAUSE_EITHER ? "one of the two" : "both";
    const char *more = ahead ? "; its last step was still to come when the run ended" : "";
    struct buffer text = {0};
    if (cause->failing_with == 1)
        buffer_printf(&text, "the only failing schedule shows %s", what);
    else
        buffer_printf(&text, "all %" PRIu64 " failing schedules show %s", cause->failing_with, what);
    if (forced > 0 && how != CAUSE_BOTH)
        buffer_printf(&text, " (in %u of them it was forced)", forced);
    buffer_printf(&text, ", none of the %" PRIu64 " passing ones does%s", cause->passing_without, more);
    return buffer_take(&text);
}

static void list_event(size_t event, struct tale_cause *cause)
{
    bool listed = event == SIZE_MAX;
    for (size_t k = 0; k < cause->events.count; k++)
        listed |= cause->events.data[k] == event;
    if (!listed)
        vector_push(&cause->events, (uint32_t)event);
}

/* Without a pattern: the steps that the sentence names. */
static void list_decisive(const struct statement_facts *facts, struct tale_cause *cause)
{
    if (!facts->has_decisive)
        return;
    list_event(facts->decisive.event, cause);
    if (facts->has_signal)
        list_event(facts->signal.event, cause);
    if (facts->has_other)
        list_event(facts->other.event, cause);
}

static void list_events(const struct experiment *experiment, const struct judged_run *told, size_t number,
                        struct tale_cause *cause)
{
    const struct cause_candidate *candidate = &experiment->candidates.data[number];
    for (unsigned i = 0; candidate->in_base && i < experiment_pattern(&candidate->instance).count; i++)
        list_event(told_event(told, experiment, candidate, i), cause);
}

/* An operation of the kind, for its name in a sentence. */
static uint32_t op_of(uint8_t kind)
{
    static const uint8_t ops[ACCESS_KIND_COUNT] = {
        [ACCESS_READ] = OP_READ,
        [ACCESS_WRITE] = OP_WRITE,
        [ACCESS_UPDATE] = OP_ATOMIC_RMW,
        [ACCESS_FREE] = OP_FREE,
        [ACCESS_LOCK] = OP_MUTEX_LOCK,
        [ACCESS_UNLOCK] = OP_MUTEX_UNLOCK,
        [ACCESS_RDLOCK] = OP_RWLOCK_RDLOCK,
        [ACCESS_RDUNLOCK] = OP_RWLOCK_UNLOCK,
        [ACCESS_ACQUIRE] = OP_SEM_WAIT,
        [ACCESS_RELEASE] = OP_SEM_POST,
        [ACCESS_TRY] = OP_MUTEX_TRYLOCK,
        [ACCESS_WAIT] = OP_COND_WAIT,
        [ACCESS_SIGNAL] = OP_COND_SIGNAL,
        [ACCESS_INIT] = OP_MUTEX_INIT,
        [ACCESS_DESTROY] = OP_MUTEX_DESTROY,
    };
    return kind < ACCESS_KIND_COUNT ? ops[kind] : (uint32_t)OP_NONE;
}

void experiment_describe(const struct experiment *experiment, const struct judged_run *told, const struct event *event,
                         struct statement_step *step)
{
    const struct site_key *key = sites_get(experiment->sites, event->site);
    const char *slash = strrchr(key->file, '/');
    size_t at = told->copy.events.count;
    char name[OBJECT_NAME] = "";
    for (size_t i = 0; i < told->copy.events.count; i++)
        if (told->copy.events.data[i].task == event->task && told->copy.events.data[i].operation == event->operation &&
            told->copy.events.data[i].pc == event->pc)
            at = i;
    name_of(experiment, told, at, event->address, name);
    *step = (struct statement_step){.thread = event->task, .op = event->op, .operation = event->operation};
    step->event = at < told->copy.events.count ? at : SIZE_MAX;
    if (strcmp(name, "?") != 0)
        snprintf(step->object, sizeof step->object, "%s", name);
    if (!key->by_offset && key->line > 0)
        snprintf(step->where, sizeof step->where, "%s:%" PRIu32, slash != NULL ? slash + 1 : key->file, key->line);
}

/* The number of the event in the run that is to be explained, and its operation; UINT32_MAX: it was not done. */
static uint32_t base_event(const struct experiment *experiment, const struct cause_candidate *candidate, unsigned step,
                           uint32_t *op)
{
    const struct execution *execution = &experiment->all.data[0].execution;
    struct event_range own = execution_task(execution, candidate->witnesses[step].task);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct event *event = execution_event(execution, own.data[i]);
        if (event->operation == candidate->witnesses[step].operation && event->site == candidate->instance.site[step]) {
            *op = event->op;
            return own.data[i];
        }
    }
    return UINT32_MAX;
}

static void describe_step(const struct experiment *experiment, const struct judged_run *told,
                          const struct cause_candidate *candidate, unsigned number, struct statement_step *step)
{
    struct pattern pattern = named_pattern(experiment, candidate, told);
    const struct site_key *key = sites_get(experiment->sites, pattern.steps[number].site);
    const char *slash = strrchr(key->file, '/'), *name = pattern.variables[pattern.steps[number].variable];
    *step = (struct statement_step){.thread = candidate->witnesses[number].task,
                                    .op = op_of(pattern.steps[number].kind),
                                    .operation = candidate->witnesses[number].operation,
                                    .event = told_event(told, experiment, candidate, number)};
    step->order = base_event(experiment, candidate, number, &step->op);
    step->coming = step->order == UINT32_MAX;
    if (strlen(name) > 1 || candidate->witnesses[number].address != 0)
        snprintf(step->object, sizeof step->object, "%s", name);
    if (!key->by_offset && key->line > 0)
        snprintf(step->where, sizeof step->where, "%s:%" PRIu32, slash != NULL ? slash + 1 : key->file, key->line);
}

/* The steps of the first pattern, in the order in which they happened. */
static void list_steps(const struct experiment *experiment, const struct judged_run *told, size_t number,
                       struct statement_facts *facts)
{
    const struct cause_candidate *candidate = &experiment->candidates.data[number];
    unsigned count = experiment_pattern(&candidate->instance).count;
    facts->count = 0;
    for (unsigned i = 0; candidate->in_base && i < count && facts->count < STATEMENT_STEPS; i++) {
        struct statement_step step;
        size_t at = facts->count++;
        describe_step(experiment, told, candidate, i, &step);
        for (; at > 0 && facts->steps[at - 1].order > step.order; at--)
            facts->steps[at] = facts->steps[at - 1];
        facts->steps[at] = step;
    }
}

/* An update of the program's own that is lost in the run: a read, a write of another thread, a write. */
static bool is_lost_update(const struct cause_candidate *candidate)
{
    const uint8_t *kind = candidate->instance.kind;
    return candidate->in_base && candidate->foreign == 0 && candidate->pending == 0 &&
           candidate->instance.row < family_count && candidate->instance.site[2] != 0 &&
           (PATTERN_STEPS < 4 || candidate->instance.site[3] == 0) && kind[0] == ACCESS_READ &&
           kind[1] == ACCESS_WRITE && kind[2] == ACCESS_WRITE && candidate->tier == TIER_TRIPLE;
}

/* All failing runs show it, and not nearly all of those that pass: without it no run fails. */
static bool is_needed(const struct experiment *experiment, const struct cause_candidate *candidate)
{
    const struct cause_verdicts *verdicts = &experiment->verdicts;
    unsigned passing = cause_set_count(&verdicts->passing);
    return cause_set_common(&candidate->seen, &verdicts->failing) == cause_set_count(&verdicts->failing) &&
           4 * cause_set_common(&candidate->seen, &verdicts->passing) < 3 * passing;
}

/* The last such update of another variable that was lost before the last step of the pattern. */
static void tell_lost(const struct experiment *experiment, const struct judged_run *told,
                      const struct cause_candidate *chosen, struct statement_facts *facts)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < experiment->candidates.count; i++) {
        const struct cause_candidate *candidate = &experiment->candidates.data[i];
        if (is_lost_update(candidate) && candidate->last < chosen->last &&
            candidate->witnesses[0].address != chosen->witnesses[0].address && is_needed(experiment, candidate) &&
            (best == SIZE_MAX || candidate->last > experiment->candidates.data[best].last))
            best = i;
    }
    if (best == SIZE_MAX)
        return;
    facts->has_lost = true;
    for (unsigned i = 0; i < 3; i++)
        describe_step(experiment, told, &experiment->candidates.data[best], i, &facts->lost[i]);
}

void experiment_tell(struct experiment *experiment, const struct judged_run *told, const struct cause_choice *choice,
                     struct tale_cause *cause, struct statement_facts *facts)
{
    char *texts[2] = {NULL, NULL};
    experiment_tell_decisive(experiment, told, facts);
    *cause = (struct tale_cause){.failing_without = experiment->failing, .passing_without = experiment->passing};
    if (choice->how == CAUSE_NONE || experiment->passed < EXPERIMENT_FEW ||
        !texts_of(experiment, told, choice, texts)) {
        cause->sentence = none_sentence(experiment, facts);
        list_decisive(facts, cause);
        free(texts[0]);
        free(texts[1]);
        return;
    }
    const struct cause_candidate *first = &experiment->candidates.data[choice->first];
    facts->pattern_is_weak = choice->how == CAUSE_BOTH || (choice->how == CAUSE_EITHER && first->tier >= TIER_QUAD);
    enum cause_how how = choice->how;
    if (how == CAUSE_EITHER && strcmp(texts[0], texts[1]) == 0) { /* two instructions of one line */
        free(texts[1]);
        texts[1] = NULL;
        how = CAUSE_ONE;
    }
    cause->pattern = texts[0];
    cause->second = texts[1];
    cause->either = how == CAUSE_EITHER;
    if (first->instance.row < family_count)
        cause->family = memory_copy_string(families[first->instance.row].name);
    count_runs(experiment, choice, cause);
    cause->failing_without = experiment->failing - cause->failing_with;
    cause->passing_without = experiment->passing - cause->passing_with;
    cause->sentence = sentence_of(cause, how, first->pending > 0 && first->tier != TIER_WAIT,
                                  experiment_count_forced(experiment, first));
    list_events(experiment, told, choice->first, cause);
    list_steps(experiment, told, choice->first, facts);
    if (choice->how == CAUSE_ONE && first->tier == TIER_PAIR)
        tell_lost(experiment, told, first, facts);
    if (facts->pattern_is_weak)
        list_decisive(facts, cause);
    if (choice->second != choice->first)
        list_events(experiment, told, choice->second, cause);
}
