/* SPDX-License-Identifier: MIT
 *
 * traces.c - random tiny concurrent programs, and all of their behaviours by brute force.
 *
 *   traces SEED COUNT source        all programs in one C file; the binary takes the number of the one to run
 *   traces SEED COUNT behaviours    for each program a line: how many behaviours, then how many interleavings
 *   traces SEED COUNT outcomes N    every outcome of program N, one a line
 *   traces SEED COUNT outcomes N K  those of interleavings with at most K preemptions
 *
 * DESIGN
 *   A program is two or three threads of a few operations: plain and atomic accesses to the variables x and y, the locks a and b, a semaphore,
 *   a condition variable with lock a, a rwlock, a barrier, branches and short loops.  Each operation is one step (x++ is two, a
 *   condition wait is two).  The model runs every interleaving of steps over sequentially consistent memory.
 *
 *   Two interleavings are one behaviour if dependent steps come in the same order.  The order of an interleaving is kept as vector
 *   clocks, and an interleaving is told by the sum of the hashes of its steps with their clocks.  This says on its own which steps depend on
 *   each other; it knows nothing of raddle.
 *
 *   Programs with more than PATHS interleavings are not taken: the next random one is.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, OPS = 24, EVENTS = 64, PATHS = 20000, OUTCOMES = 4096, TEXT = 96, TRIES = 1000000 };

enum kind {
    READ,
    WRITE,
    ADD, /* a read and a write */
    ATOMIC_READ,
    ATOMIC_WRITE,
    ATOMIC_ADD,
    ATOMIC_SWAP, /* 0 by 1 */
    LOCK,
    UNLOCK,
    TRYLOCK, /* if it fails, skips `skip` operations */
    POST,
    SEM_WAIT,
    SEM_TRYWAIT,
    WAIT, /* with lock a */
    SIGNAL,
    BROADCAST,
    RDLOCK,
    WRLOCK,
    RWUNLOCK,
    BARRIER,
    IF, /* reads; if it is not 0, skips `skip` operations */
    KINDS
};

struct op {
    enum kind kind;
    int variable, lock, value, skip;
};

static struct {
    int threads, length[THREADS];
    struct op ops[THREADS][OPS];
} program;

/* ---- random programs -------------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static int below(int n)
{
    return (int)(mix(random_state += 0x9e3779b97f4a7c15ull) % (uint64_t)n);
}

static struct op *put(int t, enum kind kind)
{
    struct op *op = &program.ops[t][program.length[t]++];
    *op = (struct op){.kind = kind, .variable = below(2), .lock = below(2), .value = 1 + below(2)};
    return op;
}

static void put_plain(int t)
{
    static const enum kind plain[] = {READ,        READ,         WRITE,      WRITE,      ADD,
                                      ATOMIC_READ, ATOMIC_WRITE, ATOMIC_ADD, ATOMIC_SWAP};
    put(t, plain[below(sizeof plain / sizeof plain[0])]);
}

static void put_locked(int t)
{
    int lock = put(t, LOCK)->lock;
    if (below(3) == 0) { /* nested */
        put(t, LOCK)->lock = 1 - lock;
        put_plain(t);
        put(t, UNLOCK)->lock = 1 - lock;
    } else {
        put_plain(t);
    }
    put(t, UNLOCK)->lock = lock;
}

static void put_try(int t)
{
    struct op *try = put(t, TRYLOCK);
    put_plain(t);
    put(t, UNLOCK)->lock = try->lock;
    try->skip = 2;
}

static void put_wait(int t, bool checks)
{
    put(t, LOCK)->lock = 0;
    if (checks)
        put(t, IF)->skip = 1;
    put(t, WAIT)->lock = 0;
    put_plain(t);
    put(t, UNLOCK)->lock = 0;
}

static void put_signal(int t)
{
    bool locked = below(2);
    if (locked)
        put(t, LOCK)->lock = 0;
    if (below(2))
        put(t, WRITE);
    put(t, below(3) == 0 ? BROADCAST : SIGNAL);
    if (locked)
        put(t, UNLOCK)->lock = 0;
}

static void put_rwlocked(int t)
{
    put(t, below(3) == 0 ? WRLOCK : RDLOCK);
    put_plain(t);
    put(t, RWUNLOCK);
}

/* A loop of two rounds that may end after the first one. */
static void put_loop(int t)
{
    put(t, ATOMIC_ADD);
    put(t, IF)->skip = 1;
    put(t, ATOMIC_ADD);
}

static void put_statement(int t)
{
    switch (below(18)) {
    case 0:
    case 1:
        put_locked(t);
        break;
    case 2:
        put_try(t);
        break;
    case 3:
        put_wait(t, below(2));
        break;
    case 4:
    case 5:
        put_signal(t);
        break;
    case 6:
        put_rwlocked(t);
        break;
    case 7:
        put(t, BARRIER);
        break;
    case 8:
        put(t, POST);
        break;
    case 9:
        put(t, SEM_WAIT);
        break;
    case 10:
        put(t, SEM_TRYWAIT);
        break;
    case 11:
        put(t, IF)->skip = 1;
        put_plain(t);
        break;
    case 12:
        put_loop(t);
        break;
    default:
        put_plain(t);
    }
}

static void make(void)
{
    memset(&program, 0, sizeof program);
    program.threads = 2 + below(2);
    for (int t = 0; t < program.threads; t++)
        for (int n = 1 + below(program.threads == 3 ? 3 : 4); n > 0; n--)
            put_statement(t);
}

/* ---- steps ---------------------------------------------------------------------------------------------------------------- */

/* What a step is about, to say what it depends on. */
struct footprint {
    enum kind kind;
    int thread;
    int variable; /* -1: none */
    bool writes;
    int mutex; /* -1: none */
    bool sem, rwlock, reader, condition, barrier;
    int chosen; /* thread that a signal wakes, -1: none */
};

struct event {
    struct footprint footprint;
    uint8_t clock[THREADS]; /* how many steps of each thread come before, itself included */
};

struct state {
    int variable[2], owner[2], sem, writer, readers, arrived, round;
    struct {
        int at, half, scratch, seen, waiting, round, woken_by; /* waiting: 1 in the queue, 2 woken */
    } thread[THREADS];
    int last, preemptions; /* the thread that did the last step, -1: none */
    int count;
    struct event events[EVENTS];
};

static bool same_mutex(const struct footprint *a, const struct footprint *b)
{
    return a->mutex >= 0 && a->mutex == b->mutex;
}

static bool depend(const struct footprint *a, const struct footprint *b)
{
    return a->thread == b->thread || same_mutex(a, b) ||
           (a->variable >= 0 && a->variable == b->variable && (a->writes || b->writes)) ||
           (a->sem && b->sem && !(a->kind == POST && b->kind == POST)) ||
           (a->rwlock && b->rwlock && !(a->reader && b->reader)) || (a->condition && b->condition) ||
           (a->barrier && b->barrier);
}

/* The step has been done: where it is in the order.  `after`: number of a step that it follows besides; -1: none. */
static void note(struct state *s, struct footprint footprint, int after)
{
    if (s->count == EVENTS)
        exit(3);
    struct event *event = &s->events[s->count];
    *event = (struct event){.footprint = footprint};
    for (int i = 0; i < s->count; i++)
        if (i == after || depend(&s->events[i].footprint, &footprint))
            for (int t = 0; t < THREADS; t++)
                if (event->clock[t] < s->events[i].clock[t])
                    event->clock[t] = s->events[i].clock[t];
    event->clock[footprint.thread]++;
    s->count++;
}

static uint64_t digest(const struct state *s)
{
    uint64_t sum = 0;
    for (int i = 0; i < s->count; i++) {
        uint64_t hash = mix((uint64_t)s->events[i].footprint.thread + 1);
        hash = mix(hash ^ (uint64_t)(s->events[i].footprint.chosen + 2));
        for (int t = 0; t < THREADS; t++)
            hash = mix(hash ^ ((uint64_t)s->events[i].clock[t] + 0x100 * (uint64_t)t));
        sum += hash;
    }
    return sum;
}

static struct footprint footprint_of(int t, const struct op *op)
{
    return (struct footprint){.kind = op->kind, .thread = t, .variable = -1, .mutex = -1, .chosen = -1};
}

static void see(struct state *s, int t, int value)
{
    s->thread[t].seen = (s->thread[t].seen * 8 + value) & 0xffffff;
}

static void advance(struct state *s, int t, int by)
{
    s->thread[t].at += by;
    s->thread[t].half = s->thread[t].waiting = 0;
}

static bool has_op(const struct state *s, int t)
{
    return s->thread[t].at < program.length[t];
}

static const struct op *op_of(const struct state *s, int t)
{
    return &program.ops[t][s->thread[t].at];
}

static bool enabled(const struct state *s, int t)
{
    if (!has_op(s, t))
        return false;
    const struct op *op = op_of(s, t);
    switch (op->kind) {
    case LOCK:
        return s->owner[op->lock] == 0;
    case SEM_WAIT:
        return s->sem > 0;
    case WAIT:
        return s->thread[t].waiting == 0 || (s->thread[t].waiting == 2 && s->owner[0] == 0);
    case RDLOCK:
        return s->writer == 0;
    case WRLOCK:
        return s->writer == 0 && s->readers == 0;
    case BARRIER:
        return s->thread[t].half == 0 || s->round != s->thread[t].round;
    default:
        return true;
    }
}

static void step_data(struct state *s, int t, const struct op *op)
{
    struct footprint footprint = footprint_of(t, op);
    int *variable = &s->variable[op->variable], by = 1;
    footprint.variable = op->variable;
    footprint.writes = op->kind != READ && op->kind != ATOMIC_READ && op->kind != IF;
    switch (op->kind) {
    case READ:
    case ATOMIC_READ:
        see(s, t, *variable);
        break;
    case WRITE:
    case ATOMIC_WRITE:
        *variable = op->value;
        break;
    case ATOMIC_ADD:
        see(s, t, (*variable)++);
        break;
    case ATOMIC_SWAP:
        see(s, t, *variable == 0);
        *variable = *variable == 0 ? 1 : *variable;
        break;
    case IF:
        by += *variable != 0 ? op->skip : 0;
        break;
    default: /* ADD */
        if (s->thread[t].half == 0) {
            footprint.writes = false;
            s->thread[t].scratch = *variable;
            s->thread[t].half = 1;
            note(s, footprint, -1);
            return;
        }
        *variable = s->thread[t].scratch + 1;
    }
    note(s, footprint, -1);
    advance(s, t, by);
}

static void step_lock(struct state *s, int t, const struct op *op)
{
    struct footprint footprint = footprint_of(t, op);
    footprint.mutex = op->lock;
    int by = 1;
    if (op->kind == TRYLOCK && s->owner[op->lock] != 0) {
        see(s, t, 3);
        by += op->skip;
    } else {
        s->owner[op->lock] = op->kind == UNLOCK ? 0 : t + 1;
    }
    note(s, footprint, -1);
    advance(s, t, by);
}

static void step_sem(struct state *s, int t, const struct op *op)
{
    struct footprint footprint = footprint_of(t, op);
    footprint.sem = true;
    if (op->kind == SEM_TRYWAIT)
        see(s, t, s->sem > 0 ? 2 : 1);
    if (op->kind == POST)
        s->sem++;
    else if (s->sem > 0)
        s->sem--;
    note(s, footprint, -1);
    advance(s, t, 1);
}

static void step_rwlock(struct state *s, int t, const struct op *op)
{
    struct footprint footprint = footprint_of(t, op);
    footprint.rwlock = true;
    footprint.reader = op->kind == RDLOCK || (op->kind == RWUNLOCK && s->writer != t + 1);
    if (op->kind == RWUNLOCK && s->writer == t + 1)
        s->writer = 0;
    else if (op->kind == WRLOCK)
        s->writer = t + 1;
    else
        s->readers += op->kind == RDLOCK ? 1 : -1;
    note(s, footprint, -1);
    advance(s, t, 1);
}

static void step_wait(struct state *s, int t, const struct op *op)
{
    struct footprint footprint = footprint_of(t, op);
    footprint.mutex = 0;
    if (s->thread[t].waiting == 0) {
        footprint.condition = true;
        s->owner[0] = 0;
        s->thread[t].waiting = 1;
        note(s, footprint, -1);
        return;
    }
    s->owner[0] = t + 1;
    note(s, footprint, s->thread[t].woken_by);
    advance(s, t, 1);
}

static void step_barrier(struct state *s, int t, const struct op *op)
{
    struct footprint footprint = footprint_of(t, op);
    if (s->thread[t].half == 1) {
        note(s, footprint, s->thread[t].woken_by);
        advance(s, t, 1);
        return;
    }
    footprint.barrier = true;
    s->thread[t].half = 1;
    s->thread[t].round = s->round;
    if (++s->arrived < program.threads) {
        note(s, footprint, -1);
        return;
    }
    s->arrived = 0;
    s->round++;
    for (int other = 0; other < program.threads; other++)
        s->thread[other].woken_by = s->count;
    note(s, footprint, -1);
    advance(s, t, 1);
}

static void wake(struct state *s, int t)
{
    s->thread[t].waiting = 2;
    s->thread[t].woken_by = s->count;
}

static void signal_one(struct state *s, int t, int chosen)
{
    struct footprint footprint = footprint_of(t, op_of(s, t));
    footprint.condition = true;
    footprint.chosen = chosen;
    if (chosen >= 0)
        wake(s, chosen);
    note(s, footprint, -1);
    advance(s, t, 1);
}

static void step_broadcast(struct state *s, int t)
{
    for (int other = 0; other < program.threads; other++)
        if (s->thread[other].waiting == 1)
            wake(s, other);
    struct footprint footprint = footprint_of(t, op_of(s, t));
    footprint.condition = true;
    note(s, footprint, -1);
    advance(s, t, 1);
}

/* Every step but a signal, which has several results. */
static void step(struct state *s, int t)
{
    const struct op *op = op_of(s, t);
    switch (op->kind) {
    case LOCK:
    case UNLOCK:
    case TRYLOCK:
        step_lock(s, t, op);
        break;
    case POST:
    case SEM_WAIT:
    case SEM_TRYWAIT:
        step_sem(s, t, op);
        break;
    case RDLOCK:
    case WRLOCK:
    case RWUNLOCK:
        step_rwlock(s, t, op);
        break;
    case WAIT:
        step_wait(s, t, op);
        break;
    case BROADCAST:
        step_broadcast(s, t);
        break;
    case BARRIER:
        step_barrier(s, t, op);
        break;
    default:
        step_data(s, t, op);
    }
}

/* ---- all interleavings ---------------------------------------------------------------------------------------------------- */

static uint64_t *behaviours; /* a set by hashing; 0 is free */
static size_t behaviour_room, behaviour_count;
static long paths;
static int bound = 1000; /* preemptions */
static char outcomes[OUTCOMES][TEXT];
static int outcome_count;

static void keep_behaviour(uint64_t hash)
{
    size_t slot = hash % behaviour_room;
    while (behaviours[slot] != 0 && behaviours[slot] != hash)
        slot = (slot + 1) % behaviour_room;
    behaviour_count += behaviours[slot] == 0;
    behaviours[slot] = hash;
}

static void keep_outcome(const struct state *s)
{
    char text[TEXT] = "deadlock";
    bool finished = true;
    for (int t = 0; t < program.threads; t++)
        finished = finished && !has_op(s, t);
    if (finished)
        snprintf(text, sizeof text, "x=%d y=%d s=%d r=%d,%d,%d", s->variable[0], s->variable[1], s->sem,
                 s->thread[0].seen, s->thread[1].seen, s->thread[2].seen);
    for (int i = 0; i < outcome_count; i++)
        if (strcmp(outcomes[i], text) == 0)
            return;
    if (outcome_count == OUTCOMES)
        exit(3);
    strcpy(outcomes[outcome_count++], text);
}

static void explore(const struct state *s);

static void explore_signal(const struct state *s, int t)
{
    bool any = false;
    for (int other = 0; other < program.threads; other++) {
        if (s->thread[other].waiting != 1)
            continue;
        struct state next = *s;
        signal_one(&next, t, other);
        explore(&next);
        any = true;
    }
    if (any)
        return;
    struct state next = *s;
    signal_one(&next, t, -1);
    explore(&next);
}

static void explore(const struct state *s)
{
    bool moved = false;
    bool goes_on = s->last >= 0 && enabled(s, s->last);
    for (int t = 0; t < program.threads && paths <= PATHS; t++) {
        if (!enabled(s, t))
            continue;
        moved = true;
        struct state next = *s;
        next.preemptions += goes_on && t != s->last;
        next.last = t;
        if (next.preemptions > bound)
            continue;
        if (op_of(s, t)->kind == SIGNAL) {
            explore_signal(&next, t);
            continue;
        }
        step(&next, t);
        explore(&next);
    }
    if (moved)
        return;
    paths++;
    keep_behaviour(digest(s));
    keep_outcome(s);
}

static void run_model(void)
{
    memset(behaviours, 0, behaviour_room * sizeof behaviours[0]);
    behaviour_count = 0;
    paths = outcome_count = 0;
    struct state first;
    memset(&first, 0, sizeof first);
    first.last = -1;
    explore(&first);
}

/* ---- the program in C --------------------------------------------------------------------------------------------------- */

static const char *const forms[KINDS] = {
    [READ] = "SEE(%c)",
    [WRITE] = "%c = %d",
    [ADD] = "%c++",
    [ATOMIC_READ] = "SEE(__atomic_load_n(&%c, __ATOMIC_SEQ_CST))",
    [ATOMIC_WRITE] = "__atomic_store_n(&%c, %d, __ATOMIC_SEQ_CST)",
    [ATOMIC_ADD] = "SEE(__atomic_fetch_add(&%c, 1, __ATOMIC_SEQ_CST))",
    [ATOMIC_SWAP] = "expected = 0; SEE(__atomic_compare_exchange_n(&%c, &expected, 1, 0, __ATOMIC_SEQ_CST, "
                    "__ATOMIC_SEQ_CST))",
    [LOCK] = "pthread_mutex_lock(&%c)",
    [UNLOCK] = "pthread_mutex_unlock(&%c)",
    [TRYLOCK] = "if (pthread_mutex_trylock(&%c) != 0) { SEE(3); goto out%d_%d; }",
    [POST] = "sem_post(&s)",
    [SEM_WAIT] = "sem_wait(&s)",
    [SEM_TRYWAIT] = "SEE(sem_trywait(&s) == 0 ? 2 : 1)",
    [WAIT] = "pthread_cond_wait(&c, &a)",
    [SIGNAL] = "pthread_cond_signal(&c)",
    [BROADCAST] = "pthread_cond_broadcast(&c)",
    [RDLOCK] = "pthread_rwlock_rdlock(&w)",
    [WRLOCK] = "pthread_rwlock_wrlock(&w)",
    [RWUNLOCK] = "pthread_rwlock_unlock(&w)",
    [BARRIER] = "pthread_barrier_wait(&bar)",
    [IF] = "if (%c != 0) goto out%d_%d",
};

static void print_op(int t, int i)
{
    const struct op *op = &program.ops[t][i];
    char variable = (char)('x' + op->variable), lock = (char)('a' + op->lock);
    printf("out%d_%d: __attribute__((unused));\n    ", t, i);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (op->kind == IF)
        printf(forms[IF], variable, t, i + 1 + op->skip);
    else if (op->kind == TRYLOCK)
        printf(forms[TRYLOCK], lock, t, i + 1 + op->skip);
    else if (op->kind == LOCK || op->kind == UNLOCK)
        printf(forms[op->kind], lock);
    else
        printf(forms[op->kind], variable, op->value);
#pragma GCC diagnostic pop
    printf(";\n");
}

static void print_program(int number)
{
    for (int t = 0; t < program.threads; t++) {
        printf("\nstatic void *p%d_thread%d(void *unused)\n{\n    int r = 0, expected = 0;\n    (void)unused, "
               "(void)expected;\n",
               number, t);
        for (int i = 0; i < program.length[t]; i++)
            print_op(t, i);
        printf("out%d_%d: __attribute__((unused));\n    return (void *)(long)r;\n}\n", t, program.length[t]);
    }
    printf("#define P%d_THREAD2 ", number);
    if (program.threads == 3)
        printf("p%d_thread2\n", number);
    else
        printf("NULL\n");
}

static void print_head(void)
{
    printf("#include <pthread.h>\n#include <semaphore.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n"
           "static int x, y;\nstatic sem_t s;\n"
           "static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n"
           "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n"
           "static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;\nstatic pthread_barrier_t bar;\n"
           "#define SEE(value) (r = (r * 8 + (value)) & 0xffffff)\n");
}

static void print_main(int count)
{
    printf("\nint main(int argc, char **argv)\n{\n    static void *(*const starts[][4])(void *) = {\n");
    for (int i = 0; i < count; i++)
        printf("        {p%d_thread0, p%d_thread1, P%d_THREAD2},\n", i, i, i);
    printf("    };\n    int n = argc > 1 ? atoi(argv[1]) : 0, count = 0, value;\n    pthread_t thread[3];\n"
           "    void *r[3] = {NULL};\n    sem_init(&s, 0, 0);\n    while (starts[n][count] != NULL)\n        count++;\n"
           "    pthread_barrier_init(&bar, NULL, (unsigned)count);\n"
           "    for (int i = 0; i < count; i++)\n        pthread_create(&thread[i], NULL, starts[n][i], NULL);\n"
           "    for (int i = 0; i < count; i++)\n        pthread_join(thread[i], &r[i]);\n"
           "    sem_getvalue(&s, &value);\n"
           "    printf(\"x=%%d y=%%d s=%%d r=%%ld,%%ld,%%ld\\n\", x, y, value, (long)r[0], (long)r[1], (long)r[2]);\n"
           "    return 0;\n}\n");
}

/* ---- what is asked ------------------------------------------------------------------------------------------------------ */

/* The next program that is small enough, and not trivial. */
static void make_small(void)
{
    for (int i = 0; i < TRIES; i++) {
        make();
        run_model();
        if (paths <= PATHS && behaviour_count > 1)
            return;
    }
    exit(3);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void print_outcomes(void)
{
    qsort(outcomes, (size_t)outcome_count, sizeof outcomes[0], by_text);
    for (int i = 0; i < outcome_count; i++)
        puts(outcomes[i]);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    int count = atoi(argv[2]), wanted = argc > 4 ? atoi(argv[4]) : -1;
    bool source = strcmp(argv[3], "source") == 0, numbers = strcmp(argv[3], "behaviours") == 0;
    random_state = strtoull(argv[1], NULL, 10);
    behaviour_room = 2 * PATHS + 64;
    behaviours = calloc(behaviour_room, sizeof behaviours[0]);
    if (source)
        print_head();
    for (int i = 0; i < count; i++) {
        make_small();
        if (source)
            print_program(i);
        if (numbers)
            printf("%zu %ld\n", behaviour_count, paths);
        if (i == wanted && argc > 5) {
            bound = atoi(argv[5]);
            run_model();
        }
        if (i == wanted) {
            print_outcomes();
            break;
        }
    }
    if (source)
        print_main(count);
    free(behaviours);
    return 0;
}
