/* SPDX-License-Identifier: MIT
 *
 * rules.c - see rules.h.
 */
#include "solve/rules.h"

#include <errno.h>

#include "predict/clock_edges.h"
#include "util/hash.h"

/* ---- edges from clocks -------------------------------------------------------------------------------------------- */

struct maker {
    struct rules *rules;
    const struct execution *execution;
    VECTOR(struct rule_edge) edges;
    struct clock_edges threads, others;         /* operations that the rules know; others */
    struct table locks, semaphores, conditions; /* address → index + 1 */
    struct table held;                          /* lock and task → depth << 32 | section */
    struct table waits;                         /* task → condition << 32 | wait, + 1 */
    struct table used;                          /* object and task → last use + 1 */
    struct table life;                          /* object → last init or destroy + 1 */
    struct table arrivals;                      /* barrier → the last that arrived, + 1 */
    struct table detached;                      /* thread → its last detach, or join after one, + 1 */
    struct table stacks;                        /* lowest address → the END of the last task that had it, + 1 */
    uint32_t last_file, last_heap, last_team;   /* EVENT_NONE */
    uint32_t timed;                             /* calls with a time limit */
    bool time_passes, others_pass_time;
};

/* Threads are created and joined so that it comes before the event that is read now. */
static bool is_ordered(const struct maker *maker, uint32_t before, uint32_t after)
{
    const struct execution *execution = maker->execution;
    return clock_edges_has(&maker->threads, execution_event(execution, before)->task, execution->place.data[before],
                           execution_event(execution, after)->task);
}

static void add_edge(struct maker *maker, uint32_t before, uint32_t after, bool certain)
{
    const struct execution *execution = maker->execution;
    if (before == EVENT_NONE || execution_event(execution, before)->task == execution_event(execution, after)->task)
        return;
    assert(before < after);
    if (!certain && is_ordered(maker, before, after))
        return;
    vector_push(&maker->edges, ((struct rule_edge){before, after, certain}));
}

static bool orders_threads(uint8_t op)
{
    switch (op) {
    case OP_CREATE:
    case OP_START:
    case OP_END:
    case OP_JOIN:
    case OP_BARRIER_ARRIVE:
    case OP_BARRIER_LEAVE:
        return true;
    default:
        return false;
    }
}

/* Orders tasks in a way that the rules do not know. */
static bool orders_otherwise(uint8_t op)
{
    switch (op) {
    case OP_KILL:
    case OP_SIGWAIT:
    case OP_HANDLER:
    case OP_CANCEL:
    case OP_CANCELLED:
    case OP_ONCE_BEGIN:
    case OP_ONCE_END:
    case OP_TEAM_FORK:
    case OP_TEAM_START:
    case OP_TASK_CREATE:
    case OP_TASK_START:
    case OP_TASK_WAIT:
    case OP_WORK_TAKE:
    case OP_ORDERED_BEGIN:
    case OP_ORDERED_END:
    case OP_FUTEX_WAIT:
    case OP_FUTEX_WAKE:
        return true;
    default:
        return false;
    }
}

/* What it finds depends on those before it: which part of a loop, which task. */
static bool is_of_team(uint8_t op)
{
    return op == OP_TEAM_FORK || op == OP_TASK_CREATE || op == OP_TASK_START || op == OP_TASK_WAIT ||
           op == OP_WORK_TAKE || op == OP_ORDERED_BEGIN || op == OP_ORDERED_END;
}

/* Edges to an event. */
struct edges_to {
    struct maker *maker;
    uint32_t event;
    bool certain;
};

static void add_clock_edge(void *context, uint16_t task, uint32_t place)
{
    const struct edges_to *to = context;
    add_edge(to->maker, execution_event_at(to->maker->execution, task, place), to->event, to->certain);
}

/* counts: the operation orders tasks in the way that these clocks follow. */
static void follow_clocks(struct maker *maker, struct clock_edges *clocks, uint32_t number, bool counts, bool certain)
{
    struct event event = *execution_event(maker->execution, number);
    struct edges_to to = {maker, number, certain};
    if (!counts)
        event.op = OP_NONE;
    clock_edges_event(clocks, &event, add_clock_edge, &to);
}

/* ---- locks -------------------------------------------------------------------------------------------------------- */

static uint64_t key_of(uint64_t object, uint16_t task)
{
    return hash_combine(object, task);
}

static uint32_t lock_of(struct maker *maker, uint64_t address)
{
    uint64_t *index = table_put(&maker->locks, address);
    if (*index == 0) {
        vector_push(&maker->rules->locks, ((struct rule_lock){.address = address}));
        *index = maker->rules->locks.count;
    }
    return (uint32_t)(*index - 1);
}

static void take_lock(struct maker *maker, uint32_t number, uint16_t task, uint64_t address, bool shared)
{
    struct rules *rules = maker->rules;
    uint32_t lock = lock_of(maker, address);
    uint64_t *held = table_put(&maker->held, key_of(address, task));
    if (*held >> 32 == 0) {
        vector_push(&rules->locks.data[lock].sections, ((struct rule_section){number, EVENT_NONE, task, shared}));
        *held = rules->locks.data[lock].sections.count - 1;
        rules->events.data[number].role = ROLE_TAKES;
        rules->events.data[number].object = lock;
        rules->events.data[number].section = (uint32_t)*held;
    }
    *held += 1ull << 32;
}

static void give_lock(struct maker *maker, uint32_t number, uint16_t task, uint64_t address)
{
    struct rules *rules = maker->rules;
    uint32_t lock = lock_of(maker, address);
    uint64_t *held = table_put(&maker->held, key_of(address, task));
    if (*held >> 32 == 0) { /* a lock of another task, or taken before the first event */
        rules->certain = false;
        return;
    }
    *held -= 1ull << 32;
    if (*held >> 32 > 0)
        return;
    rules->locks.data[lock].sections.data[(uint32_t)*held].last = number;
    rules->events.data[number].role = ROLE_GIVES;
    rules->events.data[number].object = lock;
    rules->events.data[number].section = (uint32_t)*held;
}

/* The lock was taken; if by the task itself, nothing follows for others. */
static void find_taken(struct maker *maker, uint32_t number, uint16_t task, uint64_t address)
{
    uint32_t lock = lock_of(maker, address);
    const uint64_t *held = table_get(&maker->held, key_of(address, task));
    if (held != NULL && *held >> 32 > 0)
        return;
    vector_push(&maker->rules->locks.data[lock].failures, number);
    maker->rules->events.data[number].role = ROLE_FAILS;
    maker->rules->events.data[number].object = lock;
}

/* ---- semaphores, conditions --------------------------------------------------------------------------------------- */

static struct rule_semaphore *semaphore_of(struct maker *maker, uint64_t address, uint32_t *number)
{
    uint64_t *index = table_put(&maker->semaphores, address);
    if (*index == 0) {
        vector_push(&maker->rules->semaphores, ((struct rule_semaphore){.address = address}));
        *index = maker->rules->semaphores.count;
    }
    *number = (uint32_t)(*index - 1);
    return &maker->rules->semaphores.data[*number];
}

static void use_semaphore(struct maker *maker, uint32_t number, const struct event *event)
{
    uint32_t index;
    struct rule_semaphore *semaphore = semaphore_of(maker, event->address, &index);
    struct rule_event *own = &maker->rules->events.data[number];
    own->object = index;
    if (event->op == OP_SEM_POST) {
        vector_push(&semaphore->posts, number);
        own->role = ROLE_POSTS;
    } else if (event_succeeded(event)) {
        vector_push(&semaphore->waits, number);
        own->role = ROLE_WAITS;
        if (semaphore->waits.count > semaphore->posts.count + semaphore->initial) /* it began with more */
            semaphore->initial = (uint32_t)(semaphore->waits.count - semaphore->posts.count);
    } else {
        vector_push(&semaphore->failures, number);
        own->role = ROLE_FINDS_NONE;
    }
}

static void look_at_semaphore(struct maker *maker, uint32_t number, const struct event *event)
{
    uint32_t index;
    struct rule_semaphore *semaphore = semaphore_of(maker, event->address, &index);
    struct rule_event *own = &maker->rules->events.data[number];
    if (!event_succeeded(event) || !(event->flags & EVENT_VALUE))
        return;
    vector_push(&semaphore->looks, number);
    own->object = index;
    own->role = ROLE_LOOKS;
}

static void begin_semaphore(struct maker *maker, const struct event *event)
{
    uint32_t index;
    struct rule_semaphore *semaphore = semaphore_of(maker, event->address, &index);
    bool unused =
        semaphore->posts.count + semaphore->waits.count + semaphore->failures.count + semaphore->looks.count == 0;
    if (!(event->flags & EVENT_VALUE) || !unused) {
        maker->rules->certain = false; /* opened by name, or made again */
        return;
    }
    semaphore->initial = (uint32_t)event->value;
    semaphore->certain = true;
}

static struct rule_condition *condition_of(struct maker *maker, uint64_t address, uint32_t event)
{
    uint64_t *index = table_put(&maker->conditions, address);
    if (*index == 0) {
        vector_push(&maker->rules->conditions, ((struct rule_condition){.address = address}));
        *index = maker->rules->conditions.count;
    }
    maker->rules->condition_of.data[event] = (uint32_t)*index;
    vector_push(&maker->rules->conditions.data[*index - 1].all, event);
    return &maker->rules->conditions.data[*index - 1];
}

static void begin_wait(struct maker *maker, uint32_t number, const struct event *event)
{
    struct rule_condition *condition = condition_of(maker, event->address, number);
    vector_push(&condition->waits, ((struct rule_wait){.begin = number, .end = EVENT_NONE}));
    *table_put(&maker->waits, event->task) =
        ((uint64_t)maker->rules->condition_of.data[number] << 32) | condition->waits.count;
}

static struct rule_wait *wait_of(struct maker *maker, uint16_t task)
{
    const uint64_t *wait = table_get(&maker->waits, task);
    if (wait == NULL || *wait == 0)
        return NULL;
    return &maker->rules->conditions.data[(*wait >> 32) - 1].waits.data[(uint32_t)*wait - 1];
}

static void end_wait(struct maker *maker, uint32_t number, const struct event *event)
{
    struct rule_wait *wait = wait_of(maker, event->task);
    maker->rules->condition_of.data[number] = 0;
    if (wait == NULL)
        return;
    wait->end = number;
    wait->timed = (event->flags & EVENT_TIMED) != 0;
    maker->rules->condition_of.data[number] = (uint32_t)(*table_get(&maker->waits, event->task) >> 32);
    vector_push(&maker->rules->conditions.data[maker->rules->condition_of.data[number] - 1].all, number);
    *table_put(&maker->waits, event->task) = 0;
    if (!event_succeeded(event) && event->value != ETIMEDOUT)
        maker->rules->certain = false; /* cancelled */
}

static void wake(struct maker *maker, uint16_t task, uint64_t condition)
{
    struct rule_wait *wait = wait_of(maker, task);
    if (wait != NULL && execution_event(maker->execution, wait->begin)->address == condition)
        wait->woken = true;
}

static void signal_condition(struct maker *maker, uint32_t number, const struct event *event)
{
    struct rule_condition *condition = condition_of(maker, event->address, number);
    if (event->op == OP_COND_BROADCAST) {
        vector_push(&condition->broadcasts, number);
        for (uint32_t task = 0; task < execution_task_count(maker->execution); task++)
            wake(maker, (uint16_t)task, event->address);
    } else {
        vector_push(&condition->signals, number);
        if (event->flags & EVENT_VALUE)
            wake(maker, (uint16_t)event->value, event->address);
    }
}

/* ---- what is ordered too strictly ------------------------------------------------------------------------------------- */

/* Objects are made before they are used, and destroyed after. */
static void keep_life(struct maker *maker, uint32_t number, uint64_t object, bool begins_or_ends)
{
    uint16_t task = execution_event(maker->execution, number)->task;
    uint64_t *life = table_put(&maker->life, object);
    if (*life != 0)
        add_edge(maker, (uint32_t)(*life - 1), number, false);
    if (begins_or_ends) {
        for (uint32_t other = 0; other < execution_task_count(maker->execution); other++) {
            const uint64_t *used = table_get(&maker->used, key_of(object, (uint16_t)other));
            if (used != NULL)
                add_edge(maker, (uint32_t)(*used - 1), number, false);
        }
        *table_put(&maker->life, object) = number + 1;
    }
    *table_put(&maker->used, key_of(object, task)) = number + 1;
}

static void keep_chain(struct maker *maker, uint32_t *last, uint32_t number)
{
    add_edge(maker, *last, number, false);
    *last = number;
}

/* The last to arrive at a barrier does not wait there. */
static void keep_arrivals(struct maker *maker, uint32_t number, const struct event *event)
{
    uint64_t *last = table_put(&maker->arrivals, event->address);
    if (event->value > 1 && *last != 0)
        add_edge(maker, (uint32_t)(*last - 1), number, false);
    *last = number + 1;
}

/* Whether a thread can be joined depends on whether it was detached. */
static void keep_detached(struct maker *maker, uint32_t number, const struct event *event)
{
    uint64_t *last = table_put(&maker->detached, event->address);
    if (*last != 0)
        add_edge(maker, (uint32_t)(*last - 1), number, false);
    if (*last != 0 || event->op == OP_DETACH)
        *last = number + 1;
}

static void keep_stack(struct maker *maker, uint32_t number, const struct event *event)
{
    struct event stack = execution_new_stack(maker->execution, event->task);
    if (stack.address == 0)
        return;
    uint64_t *ended = table_put(&maker->stacks, stack.address);
    if (event->op == OP_START && *ended != 0)
        add_edge(maker, (uint32_t)(*ended - 1), number, false);
    if (event->op == OP_END)
        *ended = number + 1;
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

static void use_object(struct maker *maker, uint32_t number, const struct event *event, const struct access *access)
{
    switch (access->kind) {
    case ACCESS_LOCK:
    case ACCESS_RDLOCK:
        take_lock(maker, number, event->task, access->lo, access->kind == ACCESS_RDLOCK);
        break;
    case ACCESS_UNLOCK:
    case ACCESS_RDUNLOCK:
        give_lock(maker, number, event->task, access->lo);
        break;
    case ACCESS_TRY:
        if (op_takes_lock(event->op))
            find_taken(maker, number, event->task, access->lo);
        break;
    default:
        break;
    }
    keep_life(maker, number, access->lo, access->kind == ACCESS_INIT || access->kind == ACCESS_DESTROY);
}

static void use_memory(struct maker *maker, uint32_t number, const struct access *access)
{
    struct rule_event *own = &maker->rules->events.data[number];
    own->reads = access->kind == ACCESS_READ || access->kind == ACCESS_UPDATE;
    own->writes = access_is_strong((enum access_kind)access->kind);
    uint32_t count;
    const struct execution_piece *pieces = execution_pieces(maker->execution, number, &count);
    for (uint32_t i = 0; i < count; i++)
        maker->rules->locations.data[pieces[i].location].simple &= count == 1;
    if (!own->reads || count != 1 || pieces[0].writer != EVENT_NONE)
        return;
    const struct event *event = execution_event(maker->execution, number);
    struct rule_location *location = &maker->rules->locations.data[pieces[0].location];
    if ((event->flags & EVENT_VALUE) && !location->initial_known) {
        location->initial_known = true;
        location->initial = own->writes ? event->before : event->value;
    }
}

static void read_operation(struct maker *maker, uint32_t number, const struct event *event)
{
    switch (event->op) {
    case OP_SEM_WAIT:
    case OP_SEM_TRYWAIT:
    case OP_SEM_POST:
        if (event->op != OP_SEM_POST || event_succeeded(event))
            use_semaphore(maker, number, event);
        break;
    case OP_SEM_INIT:
        begin_semaphore(maker, event);
        break;
    case OP_COND_WAIT:
        if (event_succeeded(event))
            begin_wait(maker, number, event);
        break;
    case OP_COND_WAKE:
        end_wait(maker, number, event);
        break;
    case OP_COND_SIGNAL:
    case OP_COND_BROADCAST:
        signal_condition(maker, number, event);
        break;
    case OP_START:
    case OP_END:
        keep_stack(maker, number, event);
        break;
    case OP_DETACH:
    case OP_JOIN:
        keep_detached(maker, number, event);
        break;
    case OP_BARRIER_ARRIVE:
        keep_arrivals(maker, number, event);
        break;
    case OP_ALLOC:
    case OP_FREE:
        keep_chain(maker, &maker->last_heap, number);
        break;
    case OP_EXIT:
        maker->rules->exit = number;
        break;
    case OP_SEM_GETVALUE:
        look_at_semaphore(maker, number, event);
        break;
    case OP_MUTEX_CONSISTENT:
    case OP_FORK:
    case OP_WAITPID:
    case OP_EXTERNAL:
        maker->rules->certain = false;
        keep_chain(maker, &maker->last_file, number);
        break;
    default:
        if (is_of_team(event->op))
            keep_chain(maker, &maker->last_team, number);
        if (op_class(event->op) == CLASS_IO)
            keep_chain(maker, &maker->last_file, number);
    }
}

/* Time goes on when a task sleeps, or its wait is over by time.  Which other waits are over then is not in the rules. */
static void keep_time(struct maker *maker, const struct event *event)
{
    bool timed = !op_is_access(event->op) && (event->flags & EVENT_TIMED);
    maker->timed += timed;
    maker->time_passes |= (event->flags & EVENT_TIMEOUT) != 0 || timed;
    maker->others_pass_time |= event->op == OP_SLEEP;
    if (maker->timed + maker->others_pass_time > 1 && maker->timed > 0 && maker->time_passes)
        maker->rules->certain = false;
}

/* What was done before comes first, in its order. */
static void keep_done(struct maker *maker, uint32_t number)
{
    const struct execution *execution = maker->execution;
    uint32_t place = execution->place.data[number], done = maker->rules->done;
    uint16_t task = execution_event(execution, number)->task;
    if (number < done && number > 0)
        add_edge(maker, number - 1, number, false);
    if (number >= done && done > 0 && (place == 0 || execution_event_at(execution, task, place - 1) < done))
        add_edge(maker, done - 1, number, false);
}

static void read_event(struct maker *maker, uint32_t number)
{
    const struct event *event = execution_event(maker->execution, number);
    unsigned count;
    const struct access *accesses = execution_accesses(maker->execution, number, &count);
    bool otherwise = orders_otherwise(event->op);
    keep_done(maker, number);
    follow_clocks(maker, &maker->threads, number, orders_threads(event->op), true);
    follow_clocks(maker, &maker->others, number, otherwise, false);
    if (otherwise || (event->value == EOWNERDEAD && op_takes_lock(event->op) && (event->flags & EVENT_FAILED)))
        maker->rules->certain = false;
    for (unsigned i = 0; i < count; i++) {
        if (accesses[i].space == SPACE_DATA)
            use_memory(maker, number, &accesses[i]);
        else
            use_object(maker, number, event, &accesses[i]);
    }
    read_operation(maker, number, event);
    keep_time(maker, event);
}

/* ---- life --------------------------------------------------------------------------------------------------------- */

static void clear_rules(struct rules *rules)
{
    for (size_t i = 0; i < rules->locks.count; i++) {
        vector_free(&rules->locks.data[i].sections);
        vector_free(&rules->locks.data[i].failures);
    }
    for (size_t i = 0; i < rules->semaphores.count; i++) {
        vector_free(&rules->semaphores.data[i].posts);
        vector_free(&rules->semaphores.data[i].waits);
        vector_free(&rules->semaphores.data[i].failures);
        vector_free(&rules->semaphores.data[i].looks);
    }
    for (size_t i = 0; i < rules->conditions.count; i++) {
        vector_free(&rules->conditions.data[i].waits);
        vector_free(&rules->conditions.data[i].signals);
        vector_free(&rules->conditions.data[i].broadcasts);
        vector_free(&rules->conditions.data[i].all);
    }
    vector_clear(&rules->locks);
    vector_clear(&rules->semaphores);
    vector_clear(&rules->conditions);
    vector_clear(&rules->events);
    vector_clear(&rules->edges);
    vector_clear(&rules->first_edge);
    vector_clear(&rules->locations);
    vector_clear(&rules->condition_of);
}

void rules_free(struct rules *rules)
{
    clear_rules(rules);
    vector_free(&rules->locks);
    vector_free(&rules->semaphores);
    vector_free(&rules->conditions);
    vector_free(&rules->events);
    vector_free(&rules->edges);
    vector_free(&rules->first_edge);
    vector_free(&rules->locations);
    vector_free(&rules->condition_of);
    *rules = (struct rules){0};
}

/* They were added by rising `after`. */
static void index_edges(struct maker *maker)
{
    struct rules *rules = maker->rules;
    uint32_t next = 0;
    for (uint32_t event = 0; event <= execution_count(maker->execution); event++) {
        while (next < maker->edges.count && maker->edges.data[next].after < event)
            next++;
        vector_push(&rules->first_edge, next);
    }
    vector_append(&rules->edges, maker->edges.data, maker->edges.count);
    vector_free(&maker->edges);
}

static void open_maker(struct maker *maker)
{
    struct rules *rules = maker->rules;
    uint32_t tasks = execution_task_count(maker->execution), events = execution_count(maker->execution);
    clock_edges_open(&maker->threads, tasks);
    clock_edges_open(&maker->others, tasks);
    for (uint32_t i = 0; i < events; i++) {
        vector_push(&rules->events, ((struct rule_event){0}));
        vector_push(&rules->condition_of, 0);
    }
    for (uint32_t i = 0; i < execution_location_count(maker->execution); i++)
        vector_push(&rules->locations, ((struct rule_location){.simple = true}));
}

static void close_maker(struct maker *maker)
{
    clock_edges_close(&maker->threads);
    clock_edges_close(&maker->others);
    table_free(&maker->locks);
    table_free(&maker->semaphores);
    table_free(&maker->conditions);
    table_free(&maker->held);
    table_free(&maker->waits);
    table_free(&maker->used);
    table_free(&maker->life);
    table_free(&maker->detached);
    table_free(&maker->stacks);
    table_free(&maker->arrivals);
}

void rules_make(struct rules *rules, const struct execution *execution)
{
    rules_make_after(rules, execution, 0);
}

void rules_make_after(struct rules *rules, const struct execution *execution, uint32_t done)
{
    struct maker maker = {.rules = rules,
                          .execution = execution,
                          .last_file = EVENT_NONE,
                          .last_heap = EVENT_NONE,
                          .last_team = EVENT_NONE};
    clear_rules(rules);
    rules->execution = execution;
    rules->done = done;
    rules->exit = EVENT_NONE;
    rules->certain = !execution->lost_events && execution->left_out == 0 && done == 0;
    execution_prepare(execution, EXECUTION_READS_FROM);
    open_maker(&maker);
    for (uint32_t number = 0; number < execution_count(execution); number++)
        read_event(&maker, number);
    index_edges(&maker);
    close_maker(&maker);
    assert(rules->events.count == execution_count(execution));
}

/* ---- what is asked -------------------------------------------------------------------------------------------------- */

bool rules_may_fail(const struct rules *rules, uint32_t event)
{
    const struct event *own = execution_event(rules->execution, event);
    return op_facts_of(own->op)->try || (!op_is_access(own->op) && (own->flags & EVENT_TIMED));
}

bool rules_updates(const struct rules *rules, uint32_t event)
{
    uint8_t op = execution_event(rules->execution, event)->op;
    return op == OP_ATOMIC_RMW || op == OP_ATOMIC_CAS;
}

uint32_t rules_next(const struct rules *rules, uint32_t event)
{
    const struct execution *execution = rules->execution;
    struct event_range own = execution_task(execution, execution_event(execution, event)->task);
    uint32_t place = execution->place.data[event] + 1;
    return place < own.count ? own.data[place] : EVENT_NONE;
}

uint32_t rules_location(const struct rules *rules, uint32_t event)
{
    const struct rule_event *own = rules_event(rules, event);
    uint32_t count;
    if (!own->reads && !own->writes)
        return UINT32_MAX;
    const struct execution_piece *pieces = execution_pieces(rules->execution, event, &count);
    return count == 1 && rules->locations.data[pieces[0].location].simple ? pieces[0].location : UINT32_MAX;
}

bool rules_written(const struct rules *rules, uint32_t event, uint64_t *value)
{
    const struct event *own = execution_event(rules->execution, event);
    *value = own->value;
    return rules_event(rules, event)->writes && own->op != OP_FREE && (own->flags & EVENT_VALUE) != 0;
}

bool rules_reads_beginning(const struct rules *rules, uint32_t event)
{
    uint32_t location = rules_location(rules, event), count;
    uint64_t value;
    return location != UINT32_MAX && rules_event(rules, event)->reads &&
           execution_pieces(rules->execution, event, &count)[0].writer == EVENT_NONE &&
           !rules_read(rules, event, &value);
}

bool rules_read(const struct rules *rules, uint32_t event, uint64_t *value)
{
    const struct event *own = execution_event(rules->execution, event);
    uint32_t location = rules_location(rules, event);
    if (location == UINT32_MAX || !rules_event(rules, event)->reads)
        return false;
    *value = rules_event(rules, event)->writes ? own->before : own->value; /* an update records what it writes */
    return (own->flags & EVENT_VALUE) != 0;
}
