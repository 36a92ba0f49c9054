/* SPDX-License-Identifier: MIT
 *
 * wire_check.c - a checked copy of what the program under test left in shared memory.
 */
#include "wire/wire_check.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

/* Copies from shared memory.  The compiler must not read the source again afterwards. */
static void copy_shared(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    __asm__ volatile("" ::: "memory");
}

/* The pages that lie in this range need not be mapped any more. */
static void release(const void *from, size_t size)
{
    enum { PAGE = 4096 };
    uintptr_t begin = ((uintptr_t)from + PAGE - 1) / PAGE * PAGE, end = ((uintptr_t)from + size) / PAGE * PAGE;
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED);
}

/* The same for a table that may be large: it is in the memory of this process only once, not as a mapping, too. */
static void copy_table(void *to, const void *from, size_t size)
{
    const size_t piece = (size_t)1 << 20;
    for (size_t done = 0; done < size; done += piece) {
        size_t now = size - done < piece ? size - done : piece;
        copy_shared((char *)to + done, (const char *)from + done, now);
        if (size > 4 * piece)
            release((const char *)from + done, now);
    }
}

static void damage(struct wire_copy *copy, const char *why)
{
    if (!copy->damaged)
        copy->why = why;
    copy->damaged = true;
}

static void clamp_count(struct wire_copy *copy, uint32_t *count, uint32_t limit, const char *why)
{
    if (*count > limit) {
        damage(copy, why);
        *count = 0;
    }
}

/* Terminates the text, and replaces control characters. */
static void clean_text(char *text, size_t size)
{
    assert(size > 0);
    text[size - 1] = '\0';
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
}

static void check_head_fields(struct wire_copy *copy)
{
    struct wire_result *result = &copy->result;
    clamp_count(copy, &result->finding_count, WIRE_FINDINGS, "number of findings");
    clamp_count(copy, &result->step_count, WIRE_STEPS, "number of steps");
    clamp_count(copy, &result->event_count, WIRE_EVENTS, "number of events");
    clamp_count(copy, &result->choice_count, WIRE_CHOICES, "number of choices");
    clamp_count(copy, &result->transition_count, WIRE_TRANSITIONS, "number of transitions");
    clamp_count(copy, &result->pending_count, WIRE_TASKS, "number of pending operations");
    result->beyond &= BEYOND_ALL;
    clamp_count(copy, &result->task_count, WIRE_TASKS, "number of threads");
    clamp_count(copy, &result->blocked_count, WIRE_BLOCKED, "number of blocked threads");
    clamp_count(copy, &result->frame_count, WIRE_FRAMES, "number of frames");
    clamp_count(copy, &result->origin_count, WIRE_ORIGINS, "number of calls");
    clamp_count(copy, &result->call_count, WIRE_CALLS, "number of calls of functions");
    clamp_count(copy, &result->uncontrolled_count, WIRE_UNCONTROLLED, "number of uncontrolled calls");
    clamp_count(copy, &result->leak_count, WIRE_LEAKS, "number of places that allocate");
    if (result->end >= WIRE_END_COUNT) {
        damage(copy, "end of the run");
        result->end = END_RUNNING;
    }
    if (result->failure > result->finding_count) {
        damage(copy, "index of the failure");
        result->failure = 0;
    }
    if (result->diverged_task >= WIRE_TASKS) {
        if (result->end == END_DIVERGED)
            damage(copy, "thread that diverged");
        result->diverged_task = 0;
    }
    if (result->left >= LEFT_COUNT)
        result->left = LEFT_NOT;
    if (result->progress > result->points)
        result->progress = result->points;
    result->lost &= LOST_ALL;
    if (result->events_gap > 0 && (result->events_head == 0 || result->events_head >= result->event_count)) {
        damage(copy, "events that are left out");
        result->events_gap = result->event_count = 0;
    }
    if (result->events_gap == 0)
        result->events_head = 0;
    struct wire_directed *directed = &result->directed;
    if (directed->task >= WIRE_TASKS || directed->hindrance >= HINDRANCE_COUNT) {
        damage(copy, "account of a directed run");
        *directed = (struct wire_directed){0};
    }
    struct wire_early *early = &result->early;
    if (result->early_count > 0 && (early->task >= WIRE_TASKS || early->other >= WIRE_TASKS ||
                                    early->op >= WIRE_OP_COUNT || early->other_op >= WIRE_OP_COUNT)) {
        damage(copy, "account of a wait that ended early");
        result->early_count = 0;
    }
    clamp_count(copy, &result->passed_count, WIRE_PASSED, "number of loops that were passed over");
    clean_text(result->text, sizeof result->text);
    clean_text(result->used_up, sizeof result->used_up);
    clean_text(result->not_held, sizeof result->not_held);
}

static void check_access(struct wire_copy *copy, struct wire_access *access)
{
    if (access->task >= WIRE_TASKS || access->op >= WIRE_OP_COUNT) {
        damage(copy, "access in a finding");
        *access = (struct wire_access){0};
    }
}

static void check_exit(struct wire_copy *copy)
{
    check_access(copy, &copy->result.exit_here);
    if (copy->result.exit_depth > WIRE_STACK) {
        damage(copy, "stack of an exit");
        copy->result.exit_depth = 0;
    }
}

static void check_leaks(struct wire_copy *copy)
{
    for (uint32_t i = 0; i < copy->result.leak_count; i++)
        if (copy->result.leaks[i].task >= WIRE_TASKS) {
            damage(copy, "thread of a lost block");
            copy->result.leaks[i].task = 0;
        }
}

static void check_findings(struct wire_copy *copy)
{
    for (uint32_t i = 0; i < copy->result.finding_count; i++) {
        struct wire_finding *finding = &copy->result.findings[i];
        if (finding->kind == KIND_NONE || finding->kind >= WIRE_KIND_COUNT) {
            damage(copy, "kind of a finding");
            copy->result.finding_count = i;
            if (copy->result.failure > i)
                copy->result.failure = 0;
            return;
        }
        check_access(copy, &finding->here);
        check_access(copy, &finding->other);
        finding->part_count = 0; /* only the driver finds such ones */
        if (finding->signal > 64) {
            damage(copy, "signal of a finding");
            finding->signal = 0;
        }
        if (finding->stack_depth > WIRE_STACK || finding->other_stack_depth > WIRE_STACK) {
            damage(copy, "stack of a finding");
            finding->stack_depth = finding->other_stack_depth = 0;
        }
        if (finding->frame > copy->result.frame_count) {
            damage(copy, "frame of a finding");
            finding->frame = 0;
        }
        clean_text(finding->text, sizeof finding->text);
        if (finding->text[0] == '\0')
            strcpy(finding->text, "?");
    }
}

static void check_blocked(struct wire_copy *copy)
{
    for (uint32_t i = 0; i < copy->result.blocked_count; i++) {
        struct wire_blocked *blocked = &copy->result.blocked[i];
        if (blocked->task < WIRE_TASKS && (blocked->holder < WIRE_TASKS || blocked->holder == UINT16_MAX) &&
            blocked->op < WIRE_OP_COUNT && blocked->origin <= copy->result.origin_count)
            continue;
        damage(copy, "blocked thread");
        copy->result.blocked_count = i;
        return;
    }
}

static void check_tasks(struct wire_copy *copy)
{
    for (uint32_t i = 0; i < copy->result.task_count; i++) {
        struct wire_task *task = &copy->result.tasks[i];
        if (task->parent >= WIRE_TASKS) {
            damage(copy, "parent of a thread");
            task->parent = 0;
        }
        if (task->stack_lo > task->stack_hi) {
            damage(copy, "stack of a thread");
            task->stack_lo = task->stack_hi = 0;
        }
    }
}

static void copy_tables(const struct wire_result *from, struct wire_result *to)
{
    copy_shared(to->findings, from->findings, to->finding_count * sizeof to->findings[0]);
    copy_shared(to->blocked, from->blocked, to->blocked_count * sizeof to->blocked[0]);
    copy_shared(to->uncontrolled, from->uncontrolled, to->uncontrolled_count * sizeof to->uncontrolled[0]);
    copy_shared(to->leaks, from->leaks, to->leak_count * sizeof to->leaks[0]);
    copy_shared(to->tasks, from->tasks, to->task_count * sizeof to->tasks[0]);
    copy_shared(to->frames, from->frames, to->frame_count * sizeof to->frames[0]);
    copy_shared(to->origins, from->origins, to->origin_count * sizeof to->origins[0]);
}

static void check_frames(struct wire_copy *copy)
{
    for (uint32_t i = 0; i < copy->result.frame_count; i++) {
        struct wire_frame *frame = &copy->result.frames[i];
        if (frame->lo >= frame->cfa) {
            if (i + 1 < copy->result.frame_count) /* the last one may have been killed while it was being written */
                damage(copy, "frame");
            *frame = (struct wire_frame){.lo = 0, .cfa = 1};
        }
    }
}

/* The number of a call must be larger than that of its caller, so that a walk outwards ends. */
static void check_origins(struct wire_copy *copy)
{
    for (uint32_t i = 0; i < copy->result.origin_count; i++) {
        if (copy->result.origins[i].caller <= i)
            continue;
        damage(copy, "call");
        copy->result.origins[i].caller = 0;
    }
}

static void copy_steps(const struct wire *wire, struct wire_copy *copy)
{
    uint32_t count = copy->result.step_count;
    vector_refill(&copy->steps, count + 1);
    copy_table(copy->steps.data, wire->steps, count * sizeof wire->steps[0]);
    for (uint32_t i = 0; i < count; i++) {
        const struct wire_step *step = &copy->steps.data[i];
        if ((step->type != STEP_RUN && step->type != STEP_CHOICE) || step->task >= WIRE_TASKS) {
            if (i + 1 < count) /* the last one may have been killed while it was being written */
                damage(copy, "step of the schedule");
            count = i;
        }
    }
    copy->steps.count = copy->result.step_count = count;
}

/* The number of a call must be larger than that of its caller, so that a walk outwards ends. */
static void copy_calls(const struct wire *wire, struct wire_copy *copy)
{
    uint32_t count = copy->result.call_count;
    vector_reserve(&copy->calls, count + 1);
    copy_shared(copy->calls.data, wire->calls, count * sizeof wire->calls[0]);
    copy->calls.count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (copy->calls.data[i].caller <= i)
            continue;
        damage(copy, "call of a function");
        copy->calls.data[i].caller = 0;
    }
}

/* Copies them in their order: see wire_result.events_head. */
static void copy_ring(const struct wire *wire, const struct wire_result *result, struct wire_event *to)
{
    const size_t size = sizeof wire->events[0];
    uint32_t head = result->events_head, ring = result->event_count - head;
    uint32_t first = result->events_gap > 0 ? (uint32_t)(result->events_gap % ring) : 0;
    copy_table(to, wire->events, head * size);
    copy_table(to + head, wire->events + head + first, (ring - first) * size);
    copy_table(to + head + ring - first, wire->events + head, first * size);
}

static void copy_events(const struct wire *wire, struct wire_copy *copy)
{
    uint32_t count = copy->result.event_count;
    vector_refill(&copy->events, count + 1);
    copy_ring(wire, &copy->result, copy->events.data);
    for (uint32_t i = 0; i < count; i++) {
        const struct wire_event *event = &copy->events.data[i];
        if (event->op >= WIRE_OP_COUNT || event->task >= WIRE_TASKS || event->frame > copy->result.frame_count ||
            event->origin > copy->result.origin_count || event->call > copy->calls.count ||
            event->unit > copy->calls.count) {
            if (i + 1 < count)
                damage(copy, "event");
            count = i;
        }
    }
    copy->events.count = copy->result.event_count = count;
}

/* Whether it can have happened in this run, after all reads that are copied already. */
static bool is_private(const struct wire_copy *copy, const struct wire_private *private)
{
    const struct wire_event *event = &private->event;
    const struct wire_private *last = copy->privates.count > 0 ? &copy->privates.data[copy->privates.count - 1] : NULL;
    return event->op == OP_READ && event->task < WIRE_TASKS && event->frame <= copy->result.frame_count &&
           event->origin <= copy->result.origin_count && (last == NULL || last->before <= private->before);
}

/* The same number in the events that were kept. */
static uint64_t without_gap(const struct wire_result *result, uint64_t events)
{
    if (events <= result->events_head)
        return events;
    return events - result->events_head > result->events_gap ? events - result->events_gap : result->events_head;
}

/* The last ones, oldest first.  One that was being written when the process was killed is the newest. */
static void copy_privates(const struct wire *wire, struct wire_copy *copy)
{
    uint32_t all = copy->result.private_count, kept = all < WIRE_PRIVATES ? all : WIRE_PRIVATES;
    for (uint32_t i = all - kept; i != all; i++) {
        struct wire_private private;
        copy_shared(&private, &wire->result.privates[i % WIRE_PRIVATES], sizeof private);
        uint64_t before = without_gap(&copy->result, private.before);
        private.before = before < copy->events.count ? before : copy->events.count;
        if (!is_private(copy, &private)) {
            if (i + 1 != all) /* the last one may have been killed while it was being written */
                damage(copy, "read of memory of one thread");
            return;
        }
        vector_push(&copy->privates, private);
    }
}

static void copy_choices(const struct wire *wire, struct wire_copy *copy)
{
    uint32_t count = copy->result.choice_count;
    vector_reserve(&copy->choices, count + 1);
    copy_shared(copy->choices.data, wire->choices, count * sizeof wire->choices[0]);
    for (uint32_t i = 0; i < count; i++)
        if (copy->choices.data[i].chosen >= copy->choices.data[i].count) {
            damage(copy, "choice");
            count = i;
        }
    copy->choices.count = copy->result.choice_count = count;
}

static bool is_transition(const struct wire_transition *transition, uint32_t number)
{
    bool choice = transition->choices == 0 ? transition->choice == 0 : transition->choice < transition->choices;
    return transition->task < WIRE_TASKS && transition->op < WIRE_OP_COUNT && transition->enabler <= number && choice;
}

/* Those that are done, then those that are pending. */
static void copy_transitions(const struct wire *wire, struct wire_copy *copy)
{
    uint32_t count = copy->result.transition_count, pending = copy->result.pending_count;
    vector_reserve(&copy->transitions, count + pending + 1);
    copy_shared(copy->transitions.data, wire->transitions, count * sizeof wire->transitions[0]);
    copy_shared(copy->transitions.data + count, wire->pending, pending * sizeof wire->pending[0]);
    for (uint32_t i = 0; i < count + pending; i++) {
        struct wire_transition *transition = &copy->transitions.data[i];
        bool open = transition->flags & TRANSITION_PENDING;
        if (i >= count && !open)
            *transition = (struct wire_transition){.task = (uint16_t)(i - count)};
        if (!is_transition(transition, i < count ? i : count) || (i < count ? open : transition->task != i - count)) {
            damage(copy, "transition");
            count = pending = 0;
        }
    }
    copy->result.transition_count = count;
    copy->result.pending_count = pending;
    copy->transitions.count = count + pending;
}

bool wire_check_head(const struct wire *wire)
{
    struct wire_head head;
    copy_shared(&head, &wire->head, sizeof head);
    return head.magic == WIRE_MAGIC && head.version == WIRE_VERSION && head.size == sizeof(struct wire);
}

/* What code that uses a wire_copy relies on. */
static void assert_checked(const struct wire_copy *copy)
{
    const struct wire_result *result = &copy->result;
    assert(result->end < WIRE_END_COUNT && result->left < LEFT_COUNT);
    assert(result->finding_count <= WIRE_FINDINGS && result->failure <= result->finding_count);
    assert(result->task_count <= WIRE_TASKS && result->diverged_task < WIRE_TASKS);
    assert(result->blocked_count <= WIRE_BLOCKED && result->uncontrolled_count <= WIRE_UNCONTROLLED);
    assert(result->frame_count <= WIRE_FRAMES && result->origin_count <= WIRE_ORIGINS);
    assert(copy->steps.count <= result->step_count && result->step_count <= WIRE_STEPS);
    assert(copy->events.count <= result->event_count && result->event_count <= WIRE_EVENTS);
    assert((result->events_gap > 0) == (result->events_head > 0));
    assert(copy->choices.count <= result->choice_count && result->choice_count <= WIRE_CHOICES);
    assert(copy->transitions.count == 0 ||
           copy->transitions.count == (size_t)result->transition_count + result->pending_count);
    assert(copy->damaged == (copy->why != NULL));
}

void wire_check_result(const struct wire *wire, unsigned what, struct wire_copy *copy)
{
    copy->damaged = false;
    copy->why = NULL;
    if (!wire_check_head(wire))
        damage(copy, "head");
    copy_shared(&copy->result, &wire->result, WIRE_RESULT_COUNTS);
    check_head_fields(copy);
    copy_tables(&wire->result, &copy->result);
    check_findings(copy);
    check_exit(copy);
    check_leaks(copy);
    check_blocked(copy);
    check_tasks(copy);
    check_frames(copy);
    check_origins(copy);
    for (uint32_t i = 0; i < copy->result.uncontrolled_count; i++)
        clean_text(copy->result.uncontrolled[i].name, sizeof copy->result.uncontrolled[i].name);
    vector_clear(&copy->steps);
    vector_clear(&copy->events);
    vector_clear(&copy->privates);
    if (what & COPY_STEPS)
        copy_steps(wire, copy);
    vector_clear(&copy->calls);
    if (what & COPY_EVENTS) {
        copy_calls(wire, copy);
        copy_events(wire, copy);
        copy_privates(wire, copy);
    }
    vector_clear(&copy->choices);
    if (what & COPY_CHOICES)
        copy_choices(wire, copy);
    vector_clear(&copy->transitions);
    if (what & COPY_TRANSITIONS)
        copy_transitions(wire, copy);
    assert_checked(copy);
}

void wire_copy_free(struct wire_copy *copy)
{
    vector_free(&copy->steps);
    vector_free(&copy->events);
    vector_free(&copy->privates);
    vector_free(&copy->choices);
    vector_free(&copy->transitions);
    vector_free(&copy->calls);
}

uint64_t wire_check_operations(const struct wire *wire)
{
    return __atomic_load_n(&wire->result.operations, __ATOMIC_RELAXED);
}

int wire_check_runner(const struct wire *wire)
{
    int runner = __atomic_load_n(&wire->result.runner, __ATOMIC_RELAXED);
    return runner > 0 ? runner : 0;
}

uint64_t wire_check_progress(const struct wire *wire)
{
    return __atomic_load_n(&wire->result.progress, __ATOMIC_RELAXED);
}

uint32_t wire_check_taken_off(const struct wire *wire)
{
    return __atomic_load_n(&wire->result.taken_off, __ATOMIC_RELAXED);
}

uint32_t wire_check_tasks(const struct wire *wire)
{
    return __atomic_load_n(&wire->result.task_count, __ATOMIC_RELAXED);
}

bool wire_check_modules(const struct wire *wire, struct wire_modules *modules)
{
    bool good = true;
    modules->count = __atomic_load_n(&wire->head.module_count, __ATOMIC_RELAXED);
    if (modules->count > WIRE_MODULES) {
        modules->count = 0;
        good = false;
    }
    copy_shared(modules->entries, wire->modules, modules->count * sizeof modules->entries[0]);
    for (uint32_t i = 0; i < modules->count; i++) {
        struct wire_module *module = &modules->entries[i];
        module->path[sizeof module->path - 1] = '\0';
        if (module->lo > module->hi) {
            module->lo = module->hi = 0;
            good = false;
        }
    }
    return good;
}

void wire_prepare(struct wire *wire, uint32_t head_flags)
{
    wire->head = (struct wire_head){
        .magic = WIRE_MAGIC, .version = WIRE_VERSION, .size = sizeof(struct wire), .flags = head_flags};
}

void wire_clear_result(struct wire *wire)
{
    struct wire_result *result = &wire->result;
    uint32_t findings = result->finding_count, tasks = result->task_count;
    uint32_t blocked = result->blocked_count, uncontrolled = result->uncontrolled_count;
    memset(result, 0, WIRE_RESULT_COUNTS);
    /* Only the used part has to be cleared; if a count is impossible, all of it. */
    memset(result->findings, 0, (findings < WIRE_FINDINGS ? findings : WIRE_FINDINGS) * sizeof result->findings[0]);
    memset(result->tasks, 0, (tasks < WIRE_TASKS ? tasks : WIRE_TASKS) * sizeof result->tasks[0]);
    memset(result->blocked, 0, (blocked < WIRE_BLOCKED ? blocked : WIRE_BLOCKED) * sizeof result->blocked[0]);
    memset(result->uncontrolled, 0,
           (uncontrolled < WIRE_UNCONTROLLED ? uncontrolled : WIRE_UNCONTROLLED) * sizeof result->uncontrolled[0]);
}
