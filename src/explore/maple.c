/* SPDX-License-Identifier: MIT
 *
 * maple.c - see maple.h.
 */
#include "explore/maple.h"

#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/hash.h"
#include "util/memory.h"

/* What is known about an instance, by number. */
struct target {
    uint32_t attempts, failed, exposed;
    uint32_t earlier; /* attempts of other campaigns that failed */
    uint32_t rank;    /* of its first listing: small ones first */
    bool known;       /* not worth an attempt: the memo says so */
    uint32_t again;   /* times that it was made to happen once more */
    bool running;
    uint8_t verdict; /* enum attempt_verdict, of the last attempt */
};

/* What a run is for: what it newly covers decides how often its kind has a turn. */
enum arm { ARM_ATTEMPT, ARM_SLICES, ARM_LOTS, ARMS };

enum { AGAIN = 4, AGAIN_FROM = 16 }; /* one turn in so many goes to what has been covered already, from this one on */

struct entry {
    uint64_t order; /* small ones first */
    size_t number;
};

struct maple {
    struct maple_options options;
    VECTOR(struct target) targets;
    VECTOR(struct entry) queue; /* what is to be tried, from `next` on */
    size_t next;
    VECTOR(struct entry) covered; /* what is to be made to happen once more, from `next_covered` on */
    size_t next_covered;
    size_t listed;      /* instances below this number have been looked at */
    uint8_t single_row; /* of idiom.1 */
    uint64_t turns;
    uint64_t next_profile; /* run number */
    double gain[ARMS];     /* newly covered per run, of late */
    struct maple_counts counts;
};

struct maple *maple_new(const struct maple_options *options)
{
    struct maple *maple = memory_allocate(1, sizeof *maple);
    maple->options = *options;
    maple->next_profile = 1;
    while (strcmp(families[maple->single_row].name, "idiom.1") != 0)
        maple->single_row++;
    return maple;
}

void maple_free(struct maple *maple)
{
    if (maple == NULL)
        return;
    vector_free(&maple->targets);
    vector_free(&maple->queue);
    vector_free(&maple->covered);
    free(maple);
}

struct maple_counts maple_counts(const struct maple *maple)
{
    return maple->counts;
}

static struct target *target_of(struct maple *maple, size_t number)
{
    while (maple->targets.count <= number)
        vector_push(&maple->targets, ((struct target){0}));
    return &maple->targets.data[number];
}

static uint32_t tried(const struct target *target)
{
    return target->earlier + target->attempts;
}

void maple_know(struct maple *maple, size_t number, bool covered, uint64_t failed)
{
    struct target *target = target_of(maple, number);
    bool known = covered || failed >= maple->options.give_up;
    target->earlier = failed < maple->options.give_up ? (uint32_t)failed : maple->options.give_up;
    maple->counts.known += known && !target->known;
    target->known |= known;
}

/* ---- ranking ------------------------------------------------------------------------------------------------------ */

/* Kinds of targets, the most suspicious first; and how much of the beginning each gets: the n-th of a kind comes at place n × stride. */
enum suspicion { NEVER_IN_THIS_ORDER, TORN_APART, SECTIONS_TORN, CROSSED, ORDER_OF_LOCKS, OTHER, SUSPICIONS };
static const uint32_t strides[SUSPICIONS] = {1, 2, 2, 4, 5, 7};

static bool is_data(uint8_t kind)
{
    return access_is_data((enum access_kind)kind);
}

/* The accesses of a and b follow each other in the other order in some run. */
static bool other_order_seen(const struct maple *maple, const struct instance *instance)
{
    struct instance other = *instance;
    other.site[0] = instance->site[1];
    other.site[1] = instance->site[0];
    other.kind[0] = instance->kind[1];
    other.kind[1] = instance->kind[0];
    size_t number = coverage_find(maple->options.coverage, &other);
    return number != SIZE_MAX && coverage_seen(maple->options.coverage, number) > 0;
}

/* Three accesses a b a of one variable that no order of whole threads explains. */
static bool is_unserializable(uint8_t first, uint8_t between, uint8_t second)
{
    bool w1 = access_is_strong((enum access_kind)first), w2 = access_is_strong((enum access_kind)between),
         w3 = access_is_strong((enum access_kind)second);
    return w2 ? true : w1 && w3;
}

static enum suspicion suspicion_of(const struct maple *maple, const struct instance *instance)
{
    const struct pattern *shape = family_shape(instance->row);
    bool data = true;
    for (unsigned i = 0; i < shape->count; i++)
        data &= is_data(instance->kind[i]);
    if (shape->count == 2)
        return !data ? ORDER_OF_LOCKS : other_order_seen(maple, instance) ? NEVER_IN_THIS_ORDER : OTHER;
    bool one_variable = true;
    for (unsigned i = 0; i < shape->count; i++)
        one_variable &= shape->steps[i].variable == 0;
    if (one_variable && !data)
        return instance->kind[0] == ACCESS_UNLOCK && instance->kind[shape->count - 1] == ACCESS_LOCK ? SECTIONS_TORN
                                                                                                     : OTHER;
    if (one_variable)
        return is_unserializable(instance->kind[0], instance->kind[1], instance->kind[shape->count - 1]) ? TORN_APART
                                                                                                         : OTHER;
    return data ? CROSSED : OTHER;
}

/* How often each site is part of what was covered: rare ones are the ones that tests forget. */
static void count_sites(const struct maple *maple, struct table *uses)
{
    const struct coverage *coverage = maple->options.coverage;
    for (size_t i = 0; i < coverage_instance_count(coverage); i++) {
        const struct instance *instance = coverage_instance(coverage, i);
        uint64_t seen = coverage_seen(coverage, i);
        for (unsigned k = 0; seen > 0 && k < PATTERN_STEPS && instance->site[k] != 0; k++)
            *table_put(uses, instance->site[k]) += seen;
    }
}

static uint64_t commonness(const struct table *uses, const struct instance *instance)
{
    uint64_t most = UINT64_MAX;
    for (unsigned i = 0; i < PATTERN_STEPS && instance->site[i] != 0; i++) {
        const uint64_t *count = table_get(uses, instance->site[i]);
        uint64_t own = count != NULL ? *count : 0;
        most = own < most ? own : most;
    }
    return most;
}

static bool is_in_libraries(const struct maple *maple, const struct instance *instance)
{
    if (maple->options.program == NULL)
        return false;
    const char *program = file_base_name(maple->options.program);
    const struct sites *sites = coverage_sites(maple->options.coverage);
    for (unsigned i = 0; i < PATTERN_STEPS && instance->site[i] != 0; i++)
        if (strcmp(file_base_name(sites_get(sites, instance->site[i])->module), program) != 0)
            return true;
    return false;
}

static bool is_in_new_code(const struct maple *maple, const struct instance *instance)
{
    for (unsigned i = 0; maple->options.is_new_site != NULL && i < PATTERN_STEPS && instance->site[i] != 0; i++)
        if (maple->options.is_new_site(maple->options.context, instance->site[i]))
            return true;
    return false;
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (left->order != right->order)
        return left->order < right->order ? -1 : 1;
    return left->number < right->number ? -1 : left->number > right->number;
}

typedef VECTOR(struct entry) entries;

/* New open instances get their ranks: by suspicion, and within it by commonness. */
static void rank_new(struct maple *maple)
{
    struct table uses = {0};
    entries kinds[SUSPICIONS] = {0};
    size_t cursor = maple->listed;
    struct coverage_open open;
    count_sites(maple, &uses);
    while (coverage_next_open(maple->options.coverage, &cursor, &open)) {
        uint64_t common = is_in_new_code(maple, open.instance) ? 0 : 1 + commonness(&uses, open.instance);
        struct entry entry = {common * 64 + open.instance->row, open.number};
        if (is_in_libraries(maple, open.instance))
            entry.order += UINT64_MAX / 2;
        enum suspicion suspicion = suspicion_of(maple, open.instance);
        vector_push(&kinds[suspicion], entry);
    }
    for (unsigned kind = 0; kind < SUSPICIONS; kind++) {
        if (kinds[kind].count > 0)
            qsort(kinds[kind].data, kinds[kind].count, sizeof *kinds[kind].data, compare_entries);
        for (size_t i = 0; i < kinds[kind].count; i++) {
            struct target *target = target_of(maple, kinds[kind].data[i].number);
            uint64_t rank = maple->counts.attempts + (i + 1) * strides[kind]; /* none overtakes who waits */
            if (kinds[kind].data[i].order >= UINT64_MAX / 2)
                rank += UINT32_MAX / 2;
            target->rank = rank < UINT32_MAX ? (uint32_t)rank : UINT32_MAX;
        }
        vector_free(&kinds[kind]);
    }
    table_free(&uses);
    maple->listed = coverage_instance_count(maple->options.coverage);
}

/* ---- parts -------------------------------------------------------------------------------------------------------- */

/* A dependency that the instance consists of, as an instance of idiom.1 by itself, was tried in vain. */
static bool is_part_given_up(const struct maple *maple, const struct instance *whole, unsigned before, unsigned behind)
{
    struct instance part = {.site = {whole->site[before], whole->site[behind]},
                            .kind = {whole->kind[before], whole->kind[behind]},
                            .row = maple->single_row};
    size_t number = coverage_find(maple->options.coverage, &part);
    if (number >= maple->targets.count || coverage_seen(maple->options.coverage, number) > 0) /* or there is none */
        return false;
    return tried(&maple->targets.data[number]) >= maple->options.give_up;
}

/* What one dependency could not be made to do, two together cannot. */
static bool is_hopeless(const struct maple *maple, const struct instance *instance)
{
    const struct pattern *shape = family_shape(instance->row);
    for (unsigned i = 0; shape->count > 2 && i < shape->count; i++) {
        int before = pattern_previous_on_variable(shape, i);
        if (shape->steps[i].relation == RELATION_IMMEDIATE && before >= 0 &&
            is_part_given_up(maple, instance, (unsigned)before, i))
            return true;
    }
    return false;
}

/* If it is open. */
static bool may_be_tried(const struct maple *maple, const struct target *target)
{
    return !target->known && !target->running && tried(target) < maple->options.give_up;
}

/* Fewest attempts first; single dependencies get three for one. */
static uint64_t order_of(const struct maple *maple, const struct target *target, const struct instance *instance)
{
    uint64_t round = instance->row == maple->single_row ? tried(target) / 3 : tried(target);
    return round << 32 | target->rank;
}

/* All that is open and may be tried, in the order in which it will be: fewest attempts first. */
static void make_queue(struct maple *maple)
{
    rank_new(maple);
    vector_clear(&maple->queue);
    maple->next = 0;
    size_t cursor = 0;
    struct coverage_open open;
    while (coverage_next_open(maple->options.coverage, &cursor, &open)) {
        const struct target *target = target_of(maple, open.number);
        if (may_be_tried(maple, target) && !is_hopeless(maple, open.instance))
            vector_push(&maple->queue, ((struct entry){order_of(maple, target, open.instance), open.number}));
    }
    if (maple->queue.count > 0)
        qsort(maple->queue.data, maple->queue.count, sizeof *maple->queue.data, compare_entries);
}

/* ---- choosing ----------------------------------------------------------------------------------------------------- */

static bool is_worth_trying(struct maple *maple, size_t number)
{
    const struct target *target = target_of(maple, number);
    return coverage_seen(maple->options.coverage, number) == 0 && may_be_tried(maple, target) &&
           !is_hopeless(maple, coverage_instance(maple->options.coverage, number));
}

/* SIZE_MAX: nothing is left.  The queue is made anew when it is used up, or when runs have opened much that is not in it. */
static size_t next_target(struct maple *maple)
{
    size_t fresh = coverage_instance_count(maple->options.coverage) - maple->listed;
    if (fresh > 0 && (fresh > 16 || maple->queue.count - maple->next < 16))
        make_queue(maple);
    for (int twice = 0; twice < 2; twice++) {
        while (maple->next < maple->queue.count) {
            size_t number = maple->queue.data[maple->next++].number;
            if (is_worth_trying(maple, number))
                return number;
        }
        make_queue(maple);
    }
    return SIZE_MAX;
}

/* What has been covered, the most suspicious and rarest first.  SIZE_MAX: nothing has. */
static size_t next_covered(struct maple *maple)
{
    const struct coverage *coverage = maple->options.coverage;
    if (maple->next_covered == maple->covered.count) {
        vector_clear(&maple->covered);
        maple->next_covered = 0;
        for (size_t i = 0; i < coverage_instance_count(coverage); i++) {
            uint64_t seen = coverage_seen(coverage, i);
            if (seen == 0)
                continue;
            uint64_t suspicion = suspicion_of(maple, coverage_instance(coverage, i));
            uint64_t order = suspicion << 32 | (seen < UINT32_MAX ? seen : UINT32_MAX);
            vector_push(&maple->covered, ((struct entry){order, i}));
        }
        if (maple->covered.count > 0)
            qsort(maple->covered.data, maple->covered.count, sizeof *maple->covered.data, compare_entries);
    }
    return maple->next_covered < maple->covered.count ? maple->covered.data[maple->next_covered++].number : SIZE_MAX;
}

bool maple_is_idle(const struct maple *maple)
{
    struct coverage_open open;
    for (size_t cursor = 0; coverage_next_open(maple->options.coverage, &cursor, &open);)
        if (open.number >= maple->targets.count ||
            (may_be_tried(maple, &maple->targets.data[open.number]) && !is_hopeless(maple, open.instance)))
            return false;
    return true;
}

/* ---- plans -------------------------------------------------------------------------------------------------------- */

struct pcs_context {
    const struct coverage *coverage;
    const struct wire_modules *modules;
};

static size_t pcs_of(void *context, uint32_t site, uint64_t *pcs, size_t most)
{
    const struct pcs_context *own = context;
    return coverage_pcs(own->coverage, site, own->modules, pcs, most);
}

static bool plan_attempt(struct maple *maple, struct maple_run *run, const struct wire_modules *modules,
                         struct wire_plan *plan)
{
    struct coverage_open open;
    struct target *target = target_of(maple, run->target);
    if (!coverage_open_at(maple->options.coverage, run->target, &open))
        return false;
    struct pattern pattern = instance_pattern(open.instance);
    /* The latest one first; later rounds of attempts take the others. */
    struct director_source source = coverage_source_of(&open, open.count - 1 + tried(target) / 3);
    struct pcs_context context = {maple->options.coverage, modules};
    unsigned missing;
    run->attempt = tried(target);
    if (!director_plan(plan, &run->prefix, &pattern, coverage_window(maple->options.coverage), &source, run->attempt,
                       pcs_of, &context, &missing))
        return false;
    plan->seed = hash_combine(maple->options.seed, hash_combine(run->target, run->attempt));
    return true;
}

void maple_look_ahead(struct maple *maple, const struct wire_modules *modules, struct maple_ahead *ahead)
{
    struct wire_plan *plan = memory_allocate(1, sizeof *plan);
    size_t last = maple->next + (size_t)2 * MAPLE_AHEAD;
    for (size_t i = maple->next; i < maple->queue.count && i < last && ahead->count < MAPLE_AHEAD; i++) {
        struct maple_run run = {.target = maple->queue.data[i].number};
        if (is_worth_trying(maple, run.target) && plan_attempt(maple, &run, modules, plan) && run.prefix.count > 0)
            ahead->prefixes[ahead->count++] = run.prefix;
        else
            vector_free(&run.prefix);
    }
    free(plan);
}

void maple_ahead_free(struct maple_ahead *ahead)
{
    for (size_t i = 0; i < ahead->count; i++)
        vector_free(&ahead->prefixes[i]);
    ahead->count = 0;
}

/* What happened once, in surroundings that do not depend on how it was seen: the same pattern may do harm only when the
   threads that have no part in it are elsewhere. */
static bool plan_again(struct maple *maple, struct maple_run *run, const struct wire_modules *modules,
                       struct wire_plan *plan)
{
    run->target = next_covered(maple);
    if (run->target == SIZE_MAX)
        return false;
    struct target *target = target_of(maple, run->target);
    struct pattern pattern = instance_pattern(coverage_instance(maple->options.coverage, run->target));
    struct pcs_context context = {maple->options.coverage, modules};
    const struct director_source nothing = {0};
    unsigned missing;
    run->again = true;
    run->attempt = target->again++;
    if (!director_plan(plan, &run->prefix, &pattern, coverage_window(maple->options.coverage), &nothing, run->attempt,
                       pcs_of, &context, &missing))
        return false;
    plan->seed = hash_combine(maple->options.seed, hash_combine(run->target, run->attempt));
    maple->counts.again++;
    return true;
}

/* ---- shares -------------------------------------------------------------------------------------------------------- */

static void note_gain(struct maple *maple, uint8_t arm, uint32_t covered)
{
    const double fading = 1.0 / 8;
    maple->gain[arm] += fading * ((double)covered - maple->gain[arm]);
}

/* At first attempts have all turns that are not set apart.  Then a random run has one whenever such runs cover more, as long as
   it is worth speaking of, and every kind has one now and then.  Beside other strategies attempts are what maple is there for. */
static enum arm choose_arm(const struct maple *maple)
{
    enum { FROM = 64, NOW_AND_THEN = 8 };
    const double worth_it = 1;
    if (maple->turns < FROM || !maple->options.alone)
        return ARM_ATTEMPT;
    if (maple->turns % NOW_AND_THEN == 1) /* not where AGAIN has its turn */
        return (enum arm)(maple->turns / NOW_AND_THEN % ARMS);
    enum arm best = ARM_ATTEMPT;
    for (enum arm arm = ARM_SLICES; arm < ARMS; arm++)
        if (maple->gain[arm] >= worth_it && maple->gain[arm] > maple->gain[best])
            best = arm;
    return best;
}

static void plan_profile(struct maple *maple, struct maple_run *run, enum arm arm, struct wire_plan *plan)
{
    maple->counts.profiles++;
    run->arm = (uint8_t)arm;
    if (arm == ARM_LOTS)
        plan->strategy = STRATEGY_POS;
}

void maple_plan(struct maple *maple, struct maple_run *run, const struct wire_modules *modules, struct wire_plan *plan)
{
    run->target = SIZE_MAX;
    run->again = false;
    vector_clear(&run->prefix);
    maple->turns++;
    enum arm arm = choose_arm(maple);
    run->arm = ARM_ATTEMPT;
    /* Every observed run is as good as a profile run. */
    uint64_t seen = coverage_observed(maple->options.coverage);
    while (maple->next_profile <= seen)
        maple->next_profile += 2 + maple->next_profile / 2; /* 1, 3, 6, 11, 18, 29, … */
    if (maple->next_profile == seen + 1) {
        maple->next_profile += 2 + maple->next_profile / 2;
        plan_profile(maple, run, arm == ARM_LOTS ? ARM_LOTS : ARM_SLICES, plan);
        return;
    }
    if (maple->turns >= AGAIN_FROM && maple->turns % AGAIN == 0 && plan_again(maple, run, modules, plan))
        return;
    if (arm != ARM_ATTEMPT) {
        plan_profile(maple, run, arm, plan);
        return;
    }
    run->again = false;
    while ((run->target = next_target(maple)) != SIZE_MAX) {
        struct target *target = target_of(maple, run->target);
        maple->counts.targets += target->attempts == 0;
        if (plan_attempt(maple, run, modules, plan)) {
            maple->counts.attempts++;
            target->running = true;
            return;
        }
        target->attempts++; /* cannot be planned in this process */
        target->failed++;
        target->verdict = ATTEMPT_NOT_REACHED;
        maple->counts.given_up += tried(target) == maple->options.give_up;
    }
    if (maple->turns % 2 == 0 && plan_again(maple, run, modules, plan))
        return;
    run->target = SIZE_MAX;
    plan_profile(maple, run, maple->turns % 4 < 2 ? ARM_SLICES : ARM_LOTS, plan);
}

void maple_observe(struct maple *maple, const struct maple_run *run, const struct wire_plan *plan,
                   const struct wire_directed *directed, uint32_t new_covered)
{
    note_gain(maple, run->arm, new_covered);
    if (run->target == SIZE_MAX || run->again)
        return;
    struct target *target = target_of(maple, run->target);
    bool occurred = coverage_seen(maple->options.coverage, run->target) > 0;
    target->running = false;
    target->attempts++;
    target->verdict = (uint8_t)director_judge(&plan->goal, directed, occurred);
    target->exposed += occurred;
    target->failed += !occurred;
    maple->counts.exposed += occurred;
    maple->counts.given_up += !occurred && tried(target) == maple->options.give_up;
}

void maple_abandon(struct maple *maple, const struct maple_run *run)
{
    if (run->target != SIZE_MAX && !run->again)
        target_of(maple, run->target)->running = false;
}

bool maple_account(const struct maple *maple, size_t number, struct maple_account *account)
{
    if (number >= maple->targets.count || maple->targets.data[number].attempts == 0)
        return false;
    const struct target *target = &maple->targets.data[number];
    *account = (struct maple_account){.attempts = target->attempts,
                                      .failed = target->failed,
                                      .exposed = target->exposed,
                                      .verdict = director_verdict_name((enum attempt_verdict)target->verdict)};
    return true;
}
