/* SPDX-License-Identifier: MIT
 *
 * core.c - whether critical sections exclude a pattern; see core.h.
 */
#include "solve/core.h"

#include "pattern/family.h"
#include "util/hash.h"

enum {
    PART_NODES = 30, /* events of a part; longer ones are not looked at */
    PART_SECTIONS = 4,
    PARTS = 24,    /* that differ, of one thread of a pattern */
    TUPLES = 4096, /* of one thread */
    NODES = 2 * PART_NODES,
    PAIRS = PART_SECTIONS * PART_SECTIONS,
    CHOICES = 6,
};

enum { PAIR_EXCLUDED = 1, PAIR_POSSIBLE = 2, PAIR_REMEMBERED = 3 };
enum { KEY_VERSION = 1 }; /* of what the keys of pairs are made of */

/* An event of a part that matters. */
struct node {
    uint32_t event;
    int8_t step;         /* of the pattern; -1: none */
    int8_t begins, ends; /* sections of the part; -1: none */
};

struct part {
    uint64_t hash;
    uint32_t task;
    bool several; /* other tasks have an equal one */
    unsigned count, section_count;
    struct node nodes[PART_NODES]; /* in the task's order */
    uint32_t sections[PART_SECTIONS];
    int first[PART_SECTIONS], last[PART_SECTIONS]; /* nodes; last: -1 if it does not end */
    int last_step;                                 /* node */
    uint32_t step[PATTERN_STEPS];                  /* node + 1; 0: it is a step of the other */
};

/* ---- parts ----------------------------------------------------------------------------------------------------------- */

struct part_maker {
    const struct core_view *view;
    const struct pattern *pattern;
    uint8_t steps[PATTERN_STEPS]; /* of the pattern, that are this thread's */
    unsigned step_count;
    struct access accesses[PATTERN_STEPS];
    struct part *part;
};

static bool add_section(struct part *part, uint32_t section)
{
    for (unsigned i = 0; i < part->section_count; i++)
        if (part->sections[i] == section)
            return true;
    if (part->section_count == PART_SECTIONS)
        return false;
    part->last[part->section_count] = -1;
    part->sections[part->section_count++] = section;
    return true;
}

/* The sections around the steps, and from where to where the part goes.  False: there are too many. */
static bool find_range(struct part_maker *maker, const struct tuple *tuple, uint32_t *lo, uint32_t *hi)
{
    const struct core_view *view = maker->view;
    *lo = UINT32_MAX;
    *hi = 0;
    for (unsigned i = 0; i < maker->step_count; i++) {
        uint32_t event = tuple->events[i];
        *lo = event < *lo ? event : *lo;
        *hi = event > *hi ? event : *hi;
        for (uint32_t k = view->first_held.data[event]; k < view->first_held.data[event + 1]; k++) {
            const struct core_section *section = &view->sections.data[view->held.data[k]];
            if (!add_section(maker->part, view->held.data[k]))
                return false;
            *lo = section->first < *lo ? section->first : *lo;
            *hi = section->last != EVENT_NONE && section->last > *hi ? section->last : *hi;
        }
    }
    return true;
}

static bool touches(const struct part_maker *maker, uint32_t event)
{
    unsigned count;
    const struct access *accesses = execution_accesses(maker->view->execution, event, &count);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < maker->step_count; k++)
            if (access_overlap(&accesses[i], &maker->accesses[k]))
                return true;
    return false;
}

static struct node node_of(const struct part_maker *maker, const struct tuple *tuple, uint32_t event)
{
    const struct part *part = maker->part;
    struct node node = {event, -1, -1, -1};
    for (unsigned i = 0; i < maker->step_count; i++)
        if (tuple->events[i] == event)
            node.step = (int8_t)maker->steps[i];
    for (unsigned i = 0; i < part->section_count; i++) {
        const struct core_section *section = &maker->view->sections.data[part->sections[i]];
        if (section->first == event)
            node.begins = (int8_t)i;
        if (section->last == event)
            node.ends = (int8_t)i;
    }
    return node;
}

static uint64_t hash_node(const struct part_maker *maker, const struct node *node)
{
    unsigned count;
    const struct access *accesses = execution_accesses(maker->view->execution, node->event, &count);
    uint64_t hash = hash_combine((uint8_t)node->step, (uint64_t)(uint8_t)node->begins << 8 | (uint8_t)node->ends);
    for (unsigned i = 0; i < count; i++)
        hash = hash_combine(hash, hash_combine(accesses[i].lo, hash_combine(accesses[i].hi, accesses[i].kind)));
    return hash_combine(hash, execution_event(maker->view->execution, node->event)->site);
}

static bool add_node(struct part_maker *maker, const struct node *node)
{
    struct part *part = maker->part;
    if (part->count == PART_NODES)
        return false;
    int number = (int)part->count;
    if (node->begins >= 0)
        part->first[node->begins] = number;
    if (node->ends >= 0)
        part->last[node->ends] = number;
    if (node->step >= 0) {
        part->step[node->step] = (uint32_t)number + 1;
        part->last_step = number;
    }
    part->nodes[part->count++] = *node;
    part->hash = hash_combine(part->hash, hash_node(maker, node));
    return true;
}

/* False: it is too long. */
static bool make_part(struct part_maker *maker, const struct tuple *tuple, uint64_t *work)
{
    const struct execution *execution = maker->view->execution;
    uint32_t lo, hi;
    *maker->part = (struct part){.task = execution_event(execution, tuple->events[0])->task};
    for (unsigned i = 0; i < maker->step_count; i++)
        maker->accesses[i] = *execution_find_access(execution, tuple->events[i],
                                                    (enum access_kind)maker->pattern->steps[maker->steps[i]].kind);
    if (!find_range(maker, tuple, &lo, &hi))
        return false;
    for (uint32_t place = execution->place.data[lo]; place <= execution->place.data[hi]; place++) {
        uint32_t event = execution_event_at(execution, (uint16_t)maker->part->task, place);
        struct node node = node_of(maker, tuple, event);
        ++*work;
        if ((node.step >= 0 || node.begins >= 0 || node.ends >= 0 || touches(maker, event)) && !add_node(maker, &node))
            return false;
    }
    return true;
}

/* The steps of one thread. */
static struct pattern pattern_of(const struct pattern *pattern, uint8_t thread, struct part_maker *maker)
{
    struct pattern own = *pattern;
    own.count = 0;
    maker->step_count = 0;
    for (unsigned i = 0; i < pattern->count; i++)
        if (pattern->steps[i].thread == thread) {
            maker->steps[maker->step_count++] = (uint8_t)i;
            own.steps[own.count++] = pattern->steps[i];
        }
    return own;
}

/* The parts that differ; false: not all could be made. */
static bool find_parts(struct cores *cores, const struct core_view *view, const struct pattern *pattern,
                       uint32_t window, uint8_t thread, struct part parts[PARTS], unsigned *count)
{
    struct part_maker maker = {.view = view, .pattern = pattern};
    struct pattern own = pattern_of(pattern, thread, &maker);
    struct tuples *tuples = &cores->tuples[thread];
    tuples->most = TUPLES;
    tuples_find(view->execution, &view->sites, &own, window, tuples);
    cores->work += tuples->all.count;
    *count = 0;
    for (size_t i = 0; i < tuples->all.count; i++) {
        if (*count == PARTS)
            return false;
        maker.part = &parts[*count];
        if (!make_part(&maker, &tuples->all.data[i], &cores->work))
            return false;
        unsigned same = 0;
        while (parts[same].hash != maker.part->hash)
            same++;
        parts[same].several |= parts[same].task != maker.part->task;
        *count += same == *count;
    }
    return !tuples->cut;
}

/* ---- do two parts exclude the pattern? ------------------------------------------------------------------------------------- */

struct section_pair {
    int first[2], last[2]; /* nodes; last: -1 */
    unsigned side[2];      /* sections of the parts */
};

struct pair_check {
    const struct core_view *view;
    const struct pattern *pattern;
    const struct part *parts[2];
    struct section_pair pairs[PAIRS];
    unsigned pair_count;
    unsigned used; /* bits of pairs that are looked at */
};

/* An order of the nodes, as far as it is known. */
struct order {
    uint64_t after[NODES]; /* by node: those that come after it */
    uint64_t done;         /* nodes */
    bool cycle;
};

static int node_at(const struct pair_check *check, unsigned side, int node)
{
    return side == 0 ? node : node + (int)check->parts[0]->count;
}

static void add_edge(const struct pair_check *check, struct order *order, int from, int to)
{
    assert(from >= 0 && to >= 0);
    int count = (int)(check->parts[0]->count + check->parts[1]->count);
    order->cycle |= from == to || (order->after[to] >> from & 1);
    if (order->cycle || (order->after[from] >> to & 1))
        return;
    uint64_t more = order->after[to] | (uint64_t)1 << to;
    for (int i = 0; i < count; i++)
        if (i == from || (order->after[i] >> from & 1))
            order->after[i] |= more;
}

/* The task has come to this node. */
static void do_up_to(const struct pair_check *check, struct order *order, unsigned side, int node)
{
    for (int i = 0; i <= node; i++)
        order->done |= (uint64_t)1 << node_at(check, side, i);
}

static int step_node(const struct pair_check *check, unsigned step)
{
    unsigned side = check->pattern->steps[step].thread;
    return node_at(check, side, (int)check->parts[side]->step[step] - 1);
}

/* Where the task of a step was when it was about to do it, as far as the part goes; -1: not known. */
static int brink_node(const struct pair_check *check, unsigned step)
{
    unsigned side = check->pattern->steps[step].thread;
    int node = (int)check->parts[side]->step[step] - 2;
    return node >= 0 ? node_at(check, side, node) : -1;
}

static void begin_order(const struct pair_check *check, struct order *order)
{
    const struct pattern *pattern = check->pattern;
    *order = (struct order){0};
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned i = 1; i < check->parts[side]->count; i++)
            add_edge(check, order, node_at(check, side, (int)i - 1), node_at(check, side, (int)i));
        do_up_to(check, order, side, check->parts[side]->last_step);
    }
    for (unsigned i = 0; i < pattern->count; i++)
        for (unsigned k = 0; k < i; k++)
            if (pattern->steps[k].group != pattern->steps[i].group)
                add_edge(check, order, step_node(check, k), step_node(check, i));
    bool brink = pattern->family != NULL && (pattern->family->flags & FAMILY_BRINK);
    for (unsigned i = 1; brink && i < pattern->count; i++)
        if (brink_node(check, i) >= 0)
            add_edge(check, order, brink_node(check, i), step_node(check, i - 1));
}

static bool hides(const struct core_view *view, const struct access *from, uint32_t event, const struct access *to)
{
    unsigned count;
    const struct access *accesses = execution_accesses(view->execution, event, &count);
    for (unsigned i = 0; i < count; i++)
        if (access_overlap(&accesses[i], from) && access_overlap(&accesses[i], to) &&
            access_blocks((enum access_kind)from->kind, (enum access_kind)accesses[i].kind, (enum access_kind)to->kind))
            return true;
    return false;
}

static const struct access *step_access(const struct pair_check *check, unsigned step)
{
    const struct pattern_step *own = &check->pattern->steps[step];
    const struct part *part = check->parts[own->thread];
    return execution_find_access(check->view->execution, part->nodes[part->step[step] - 1].event,
                                 (enum access_kind)own->kind);
}

/* Nothing that is done comes between two steps that follow each other: it comes before the first or after the second one. */
static void keep_away(const struct pair_check *check, struct order *order, unsigned first, unsigned second)
{
    const struct access *from = step_access(check, first), *to = step_access(check, second);
    int first_node = step_node(check, first), second_node = step_node(check, second);
    for (unsigned side = 0; side < 2 && !order->cycle; side++)
        for (unsigned i = 0; i < check->parts[side]->count; i++) {
            int node = node_at(check, side, (int)i);
            if (!(order->done >> node & 1) || node == first_node || node == second_node ||
                !hides(check->view, from, check->parts[side]->nodes[i].event, to))
                continue;
            if (order->after[first_node] >> node & 1)
                add_edge(check, order, second_node, node);
            if (order->after[node] >> second_node & 1)
                add_edge(check, order, node, first_node);
        }
}

static void put_before(const struct pair_check *check, struct order *order, const struct section_pair *pair,
                       unsigned side)
{
    if (pair->last[side] < 0) {
        order->cycle = true;
        return;
    }
    unsigned section = pair->side[side];
    do_up_to(check, order, side, check->parts[side]->last[section]);
    add_edge(check, order, pair->last[side], pair->first[1 - side]);
}

/* The section of this side cannot come before the other one. */
static bool cannot_be_first(const struct order *order, const struct section_pair *pair, unsigned side)
{
    return pair->last[side] < 0 || (order->after[pair->first[1 - side]] >> pair->last[side] & 1);
}

static bool is_decided(const struct order *order, const struct section_pair *pair)
{
    for (unsigned side = 0; side < 2; side++)
        if (pair->last[side] >= 0 && (order->after[pair->last[side]] >> pair->first[1 - side] & 1))
            return true;
    return false;
}

/* What follows; returns whether something did. */
static bool follow_once(const struct pair_check *check, struct order *order)
{
    struct order before = *order;
    for (unsigned i = 1; i < check->pattern->count && !order->cycle; i++) {
        int previous = check->pattern->steps[i].relation == RELATION_IMMEDIATE
                           ? pattern_previous_on_variable(check->pattern, i)
                           : -1;
        if (previous >= 0)
            keep_away(check, order, (unsigned)previous, i);
    }
    for (unsigned i = 0; i < check->pair_count && !order->cycle; i++)
        for (unsigned side = 0; side < 2 && (check->used >> i & 1); side++)
            if (cannot_be_first(order, &check->pairs[i], side) && !order->cycle)
                put_before(check, order, &check->pairs[i], 1 - side);
    return before.cycle != order->cycle || before.done != order->done ||
           memcmp(before.after, order->after, sizeof before.after) != 0;
}

/* There is no such order. */
static bool is_contradiction(const struct pair_check *check, struct order *order, unsigned choices)
{
    while (!order->cycle && follow_once(check, order))
        ;
    if (order->cycle)
        return true;
    for (unsigned i = 0; i < check->pair_count && choices < CHOICES; i++) {
        if (!(check->used >> i & 1) || is_decided(order, &check->pairs[i]))
            continue;
        struct order other = *order;
        put_before(check, &other, &check->pairs[i], 0);
        if (!is_contradiction(check, &other, choices + 1))
            return false;
        put_before(check, order, &check->pairs[i], 1);
        return is_contradiction(check, order, choices + 1);
    }
    return false;
}

static void find_pairs(struct pair_check *check)
{
    const struct part *a = check->parts[0], *b = check->parts[1];
    for (unsigned i = 0; i < a->section_count; i++)
        for (unsigned k = 0; k < b->section_count; k++) {
            const struct core_section *one = &check->view->sections.data[a->sections[i]],
                                      *other = &check->view->sections.data[b->sections[k]];
            if (one->lock != other->lock || (one->shared && other->shared))
                continue;
            check->pairs[check->pair_count++] =
                (struct section_pair){{a->first[i], node_at(check, 1, b->first[k])},
                                      {a->last[i], b->last[k] >= 0 ? node_at(check, 1, b->last[k]) : -1},
                                      {i, k}};
        }
    check->used = (1u << check->pair_count) - 1;
}

static bool contradicts(const struct pair_check *check)
{
    struct order order;
    begin_order(check, &order);
    return is_contradiction(check, &order, 0);
}

static uint32_t site_at(const struct core_view *view, uint32_t event)
{
    return event != EVENT_NONE ? execution_event(view->execution, event)->site : 0;
}

/* Only the pairs that are needed. */
static void write_core(struct pair_check *check, struct core *core)
{
    core->count = 0;
    for (unsigned i = 0; i < check->pair_count; i++) {
        check->used &= ~(1u << i);
        if (!contradicts(check))
            check->used |= 1u << i;
    }
    for (unsigned i = 0; i < check->pair_count && core->count < CORE_MOST; i++) {
        if (!(check->used >> i & 1))
            continue;
        const struct core_section *a = &check->view->sections.data[check->parts[0]->sections[check->pairs[i].side[0]]],
                                  *b = &check->view->sections.data[check->parts[1]->sections[check->pairs[i].side[1]]];
        core->items[core->count++] = (struct core_item){.kind = REASON_LOCK,
                                                        .a = site_at(check->view, a->first),
                                                        .b = site_at(check->view, b->first),
                                                        .until = site_at(check->view, a->last),
                                                        .lock = a->lock};
    }
}

/* Steps on one variable touch the same bytes, and others do not. */
static bool fits_variables(const struct pair_check *check)
{
    const struct pattern *pattern = check->pattern;
    for (unsigned i = 1; i < pattern->count; i++)
        for (unsigned k = 0; k < i; k++)
            if (access_overlap(step_access(check, i), step_access(check, k)) !=
                (pattern->steps[i].variable == pattern->steps[k].variable))
                return false;
    return true;
}

/* ---- keys ------------------------------------------------------------------------------------------------------------ */

static uint64_t name_hash(struct cores *cores, uint32_t site)
{
    if (cores->sites == NULL || site == 0)
        return site;
    uint64_t *known = table_put(&cores->names, site);
    if (*known == 0) {
        struct buffer name = {0};
        sites_print(cores->sites, site, SITE_FULL, &name);
        *known = hash_string(buffer_text(&name));
        buffer_free(&name);
    }
    return *known;
}

/* Which steps it touches, and how. */
static uint64_t touch_hash(const struct pair_check *check, uint32_t event)
{
    unsigned count;
    const struct access *accesses = execution_accesses(check->view->execution, event, &count);
    uint64_t hash = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned steps = 0;
        for (unsigned k = 0; k < check->pattern->count; k++)
            steps |= (unsigned)access_overlap(&accesses[i], step_access(check, k)) << k;
        if (steps != 0)
            hash = hash_combine(hash, (uint64_t)accesses[i].kind << 8 | steps);
    }
    return hash;
}

static uint64_t part_hash(struct cores *cores, const struct pair_check *check, unsigned side)
{
    const struct part *part = check->parts[side];
    uint64_t hash = part->count;
    for (unsigned i = 0; i < part->count; i++) {
        const struct node *node = &part->nodes[i];
        bool named = node->step >= 0 || node->begins >= 0 || node->ends >= 0;
        uint64_t role =
            (uint64_t)(uint8_t)node->step << 16 | (uint64_t)(uint8_t)node->begins << 8 | (uint8_t)node->ends;
        hash = hash_combine(hash, hash_combine(role, touch_hash(check, node->event)));
        hash = hash_combine(hash, named ? name_hash(cores, site_at(check->view, node->event)) : 0);
    }
    return hash;
}

/* Of all that contradicts() looks at. */
static uint64_t pair_key(struct cores *cores, const struct pair_check *check, uint64_t row)
{
    const struct pattern *pattern = check->pattern;
    uint64_t key = hash_combine(KEY_VERSION, pattern->family != NULL ? hash_string(pattern->family->shape) : row);
    key = hash_combine(key, pattern->family != NULL ? pattern->family->flags : 0);
    for (unsigned i = 0; i < pattern->count; i++)
        key = hash_combine(key, pattern->steps[i].kind);
    key = hash_combine(key, hash_combine(part_hash(cores, check, 0), part_hash(cores, check, 1)));
    for (unsigned i = 0; i < check->pair_count; i++)
        key = hash_combine(key, (uint64_t)check->pairs[i].side[0] << 8 | check->pairs[i].side[1]);
    return key;
}

void cores_remember(struct cores *cores, uint64_t key)
{
    uint64_t *known = table_put(&cores->keys, key);
    if (*known == 0)
        *known = PAIR_REMEMBERED;
}

static void keep_core(struct cores *cores, struct pair_check *check, uint64_t key, uint64_t row)
{
    struct kept_core kept = {.key = key, .row = (uint8_t)row};
    write_core(check, &kept.core);
    check->used = (1u << check->pair_count) - 1;
    vector_push(&cores->found, kept);
}

/* By the key, or by looking for an order. */
static uint64_t decide_pair(struct cores *cores, struct pair_check *check, uint64_t row)
{
    uint64_t key = pair_key(cores, check, row), *known = table_put(&cores->keys, key);
    cores->work += check->parts[0]->count + check->parts[1]->count;
    if (*known != 0) {
        cores->kept++;
        cores->remembered += *known == PAIR_REMEMBERED;
        return *known == PAIR_POSSIBLE ? PAIR_POSSIBLE : PAIR_EXCLUDED;
    }
    cores->derived++;
    *known = contradicts(check) ? PAIR_EXCLUDED : PAIR_POSSIBLE;
    if (*known == PAIR_EXCLUDED && cores->found.count < CORES_MOST)
        keep_core(cores, check, key, row);
    return *known;
}

/* ---- a pattern in an execution -------------------------------------------------------------------------------------------- */

static bool is_excluded(struct cores *cores, const struct core_view *view, const struct pattern *pattern,
                        const struct part *a, const struct part *b, struct core *core)
{
    struct pair_check check = {.view = view, .pattern = pattern, .parts = {a, b}};
    if ((a->task == b->task && !a->several && !b->several) || !fits_variables(&check))
        return true;
    uint64_t row = pattern->family != NULL ? (uint64_t)(pattern->family - families) : family_count;
    uint64_t *known = table_put(&cores->pairs, hash_combine(row, hash_combine(a->hash, b->hash)));
    bool explain = core->count == 0;
    cores->kept += *known != 0;
    if (*known == PAIR_POSSIBLE || (*known == PAIR_EXCLUDED && !explain))
        return *known == PAIR_EXCLUDED;
    find_pairs(&check);
    if (*known == 0)
        *known = decide_pair(cores, &check, row);
    if (*known == PAIR_EXCLUDED && explain)
        write_core(&check, core);
    return *known == PAIR_EXCLUDED;
}

bool cores_exclude(struct cores *cores, const struct core_view *view, const struct pattern *pattern, uint32_t window,
                   struct core *core)
{
    struct part a[PARTS + 1], b[PARTS + 1];
    unsigned a_count, b_count;
    core->count = 0;
    if (!view->certain)
        return false;
    if (!find_parts(cores, view, pattern, window, 0, a, &a_count))
        return false;
    if (a_count == 0)
        return true;
    if (!find_parts(cores, view, pattern, window, 1, b, &b_count))
        return false;
    for (unsigned i = 0; i < a_count; i++)
        for (unsigned k = 0; k < b_count; k++)
            if (!is_excluded(cores, view, pattern, &a[i], &b[k], core))
                return false;
    return true;
}

void cores_free(struct cores *cores)
{
    table_free(&cores->pairs);
    table_free(&cores->keys);
    table_free(&cores->names);
    vector_free(&cores->found);
    tuples_free(&cores->tuples[0]);
    tuples_free(&cores->tuples[1]);
    *cores = (struct cores){0};
}
