/* SPDX-License-Identifier: MIT
 *
 * random.c - random tiny concurrent programs, and all of their outcomes by brute force.
 *
 *   random SEED COUNT FEATURES source            all programs in one C file; the binary takes the number of the one to run
 *   random SEED COUNT FEATURES outcomes N MODE   every outcome of program N, one a line: MODE is early, spurious or patient
 *
 * DESIGN
 *   A program is two or three threads of a few operations on the variables x and y, the locks a and b, a condition variable, a
 *   semaphore, and one number of each thread into which it puts what it sees.  Everything starts at 0.  The model runs every interleaving of
 *   single steps over sequentially consistent memory and keeps the set of outcomes; it knows nothing of raddle.
 *
 *   Time: `early`: a sleep or timed wait may end at any time.  `spurious`: and so may a condition wait.  `patient`: only when no thread
 *   can do anything else, and then the one whose time comes first; durations are different powers of two, so no two times are the same.
 *
 *   FEATURES adds operations: w wide accesses, whose halves are two steps; s signals, whose handler runs before the next
 *   step of the thread; - none.
 *
 *   Programs with more than PATHS interleavings are not taken: the next random one is.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, OPS = 16, STATES = 1 << 18, OUTCOMES = 4096, TEXT = 96, PATHS = 800, LONGEST_TRIES = 100000 };

enum kind {
    READ,
    WRITE,
    ADD,        /* a read and a write */
    ATOMIC_ADD, /* one step */
    LOCK,
    UNLOCK,
    TRYLOCK,   /* then a write and an unlock, if it could lock */
    TIMEDLOCK, /* the same */
    WAIT,      /* with lock a, which is held */
    TIMEDWAIT,
    SIGNAL,
    BROADCAST,
    POST,
    SEM_TIMEDWAIT,
    SLEEP,
    KILL,       /* thread `value` gets a signal: its handler writes y = 3 */
    WIDE_WRITE, /* both halves */
    WIDE_READ,
    NOTHING, /* creating a thread, beginning, ending: a step that changes nothing, so that interleavings are counted as they are */
};

struct op {
    enum kind kind;
    int8_t variable, lock, value;
    int8_t seconds;
};

static struct {
    int threads, length[THREADS];
    struct op ops[THREADS][OPS];
    int next_seconds;
} program;

static enum mode { EARLY, SPURIOUS, PATIENT } mode;
static bool wide, signals;

/* ---- random programs -------------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static int below(int n)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (int)((z ^ (z >> 31)) % (uint64_t)n);
}

static struct op *put(int t, enum kind kind)
{
    struct op *op = &program.ops[t][program.length[t]++];
    *op = (struct op){
        .kind = kind, .variable = (int8_t)below(2), .lock = (int8_t)below(2), .value = (int8_t)(1 + below(2))};
    if (kind == TIMEDLOCK || kind == TIMEDWAIT || kind == SEM_TIMEDWAIT || kind == SLEEP) {
        op->seconds = (int8_t)program.next_seconds;
        program.next_seconds *= 2;
    }
    return op;
}

static void put_plain(int t)
{
    static const enum kind plain[] = {READ, READ, WRITE, WRITE, ADD, ATOMIC_ADD};
    put(t, plain[below(6)]);
}

static void put_locked(int t, int lock, int inner)
{
    put(t, LOCK)->lock = (int8_t)lock;
    if (inner >= 0)
        put(t, (enum kind)inner)->lock = 0;
    else
        put_plain(t);
    put(t, UNLOCK)->lock = (int8_t)lock;
}

static void put_statement(int t)
{
    bool timed = program.next_seconds <= 32 && !signals;
    switch (below(signals || wide ? 16 : 13)) {
    case 0:
    case 1:
    case 2:
        put_plain(t);
        break;
    case 3:
    case 4:
        put_locked(t, below(2), -1);
        break;
    case 5:
        put(t, TRYLOCK);
        break;
    case 6:
        put(t, timed ? TIMEDLOCK : TRYLOCK);
        break;
    case 7:
        put_locked(t, 0, WAIT);
        break;
    case 8:
        put_locked(t, 0, timed ? TIMEDWAIT : WAIT);
        break;
    case 9:
        if (below(2) == 0)
            put(t, SIGNAL);
        else
            put_locked(t, 0, below(3) == 0 ? BROADCAST : SIGNAL);
        break;
    case 10:
        put(t, timed ? SLEEP : READ);
        break;
    case 11:
        put(t, POST);
        break;
    case 12:
        put(t, timed ? SEM_TIMEDWAIT : POST);
        break;
    default:
        if (wide && (!signals || below(2) == 0))
            put(t, below(2) == 0 ? WIDE_READ : WIDE_WRITE);
        else if (t > 0)
            put(t, KILL)->value = (int8_t)below(t);
        else
            put_plain(t);
    }
}

static void make(void)
{
    memset(&program, 0, sizeof program);
    program.next_seconds = 1;
    program.threads = below(4) == 0 ? 3 : 2;
    for (int t = 0; t < program.threads; t++)
        for (int n = t == 0 ? program.threads - 1 : 1; n > 0; n--)
            put(t, NOTHING);
    for (int t = 0; t < program.threads; t++)
        for (int n = program.threads == 3 ? 1 + below(2) : 2 + below(2); n > 0; n--)
            put_statement(t);
    for (int t = 1; t < program.threads && signals; t++)
        put(t, NOTHING); /* its end */
}

/* ---- the model -------------------------------------------------------------------------------------------------------- */

enum waiting { NOT, QUEUED, WOKEN, TIMED_OUT };

struct state {
    int8_t variable[2], halves[2], owner[2], sem; /* owner: thread + 1, 0 none */
    uint8_t now;
    struct {
        int8_t at, half, scratch, waiting, signal;
        uint8_t deadline; /* 0: it does not wait for time */
        int32_t seen;
    } thread[THREADS];
};

struct successors {
    int count;
    struct state states[2 * THREADS + THREADS * THREADS];
};

static struct state *add(struct successors *list, const struct state *from)
{
    list->states[list->count] = *from;
    return &list->states[list->count++];
}

static void see(struct state *s, int t, int value)
{
    s->thread[t].seen = s->thread[t].seen * 8 + value;
}

static void advance(struct state *s, int t)
{
    s->thread[t].at++;
    s->thread[t].half = 0;
    s->thread[t].deadline = 0;
    s->thread[t].waiting = NOT;
}

static void step_data(struct state *s, int t, const struct op *op)
{
    int8_t *variable = &s->variable[op->variable];
    switch (op->kind) {
    case READ:
        see(s, t, *variable);
        break;
    case WRITE:
        *variable = op->value;
        break;
    case ATOMIC_ADD:
        see(s, t, (*variable)++);
        break;
    case ADD:
        if (s->thread[t].half == 0) {
            s->thread[t].scratch = *variable;
            s->thread[t].half = 1;
            return;
        }
        *variable = (int8_t)(s->thread[t].scratch + 1);
        break;
    case WIDE_WRITE:
    case WIDE_READ:
        if (op->kind == WIDE_WRITE)
            s->halves[s->thread[t].half] = op->value;
        else
            see(s, t, s->halves[s->thread[t].half]);
        if (s->thread[t].half == 0) {
            s->thread[t].half = 1;
            return;
        }
        break;
    default:
        break;
    }
    advance(s, t);
}

/* A try that succeeded: the write, then the unlock. */
static void step_taken(struct state *s, int t, const struct op *op)
{
    if (s->thread[t].half == 1) {
        s->variable[op->variable] = op->value;
        s->thread[t].half = 2;
        return;
    }
    s->owner[op->lock] = 0;
    advance(s, t);
}

static void lock_steps(const struct state *s, int t, const struct op *op, struct successors *now,
                       struct successors *late)
{
    if (s->thread[t].half > 0) {
        step_taken(add(now, s), t, op);
    } else if (s->owner[op->lock] == 0) {
        struct state *next = add(now, s);
        next->owner[op->lock] = (int8_t)(t + 1);
        next->thread[t].deadline = 0;
        if (op->kind == LOCK)
            advance(next, t);
        else
            next->thread[t].half = 1;
    } else if (op->kind != LOCK) {
        struct state *next = add(op->kind == TRYLOCK ? now : late, s);
        advance(next, t);
        see(next, t, 3);
    }
}

static void wait_steps(const struct state *s, int t, const struct op *op, struct successors *now,
                       struct successors *late, struct successors *spurious)
{
    struct state *next;
    switch (s->thread[t].waiting) {
    case NOT:
        next = add(now, s);
        next->owner[0] = 0;
        next->thread[t].waiting = QUEUED;
        break;
    case QUEUED:
        if (op->kind == TIMEDWAIT)
            add(late, s)->thread[t].waiting = TIMED_OUT;
        if (mode == SPURIOUS)
            add(spurious, s)->thread[t].waiting = WOKEN;
        break;
    default:
        if (s->owner[0] != 0)
            break;
        next = add(now, s);
        next->owner[0] = (int8_t)(t + 1);
        if (op->kind == TIMEDWAIT)
            see(next, t, s->thread[t].waiting == TIMED_OUT ? 1 : 2);
        advance(next, t);
    }
}

static void signal_steps(const struct state *s, int t, bool all, struct successors *now)
{
    struct state *next = NULL;
    for (int other = 0; other < program.threads; other++) {
        if (s->thread[other].waiting != QUEUED)
            continue;
        if (next == NULL || !all) {
            next = add(now, s);
            advance(next, t);
        }
        next->thread[other].waiting = WOKEN;
    }
    if (next == NULL)
        advance(add(now, s), t);
}

static void set_deadline(struct state *s, int t, const struct op *op)
{
    if (s->thread[t].deadline == 0 && op->seconds > 0)
        s->thread[t].deadline = (uint8_t)(s->now + op->seconds);
}

/* What thread t can do next, by itself; only by time; only without a reason. */
static void steps_of(const struct state *s, int t, struct successors *now, struct successors *late,
                     struct successors *spurious)
{
    const struct op *op = &program.ops[t][s->thread[t].at];
    struct state *next;
    if (s->thread[t].signal) { /* thread 0 gets it while it waits for the others, too */
        next = add(now, s);
        next->variable[1] = 3;
        next->thread[t].signal = 0;
        return;
    }
    if (s->thread[t].at >= program.length[t])
        return;
    switch (op->kind) {
    case LOCK:
    case TRYLOCK:
    case TIMEDLOCK:
        lock_steps(s, t, op, now, late);
        break;
    case UNLOCK:
        next = add(now, s);
        next->owner[op->lock] = 0;
        advance(next, t);
        break;
    case WAIT:
    case TIMEDWAIT:
        wait_steps(s, t, op, now, late, spurious);
        break;
    case SIGNAL:
    case BROADCAST:
        signal_steps(s, t, op->kind == BROADCAST, now);
        break;
    case POST:
        next = add(now, s);
        next->sem++;
        advance(next, t);
        break;
    case SEM_TIMEDWAIT:
        next = add(s->sem > 0 ? now : late, s);
        see(next, t, s->sem > 0 ? 2 : 1);
        next->sem = (int8_t)(s->sem - (s->sem > 0));
        advance(next, t);
        break;
    case SLEEP:
        advance(add(late, s), t);
        break;
    case KILL:
        next = add(now, s);
        next->thread[op->value].signal = op->value == 0 || s->thread[op->value].at < program.length[op->value];
        advance(next, t);
        break;
    default:
        step_data(add(now, s), t, op);
    }
}

static struct {
    struct state state;
    double paths;
    bool used;
} * seen_states;
static int state_count;
static char outcomes[OUTCOMES][TEXT];
static int outcome_count;

static void keep(const char *text)
{
    for (int i = 0; i < outcome_count; i++)
        if (strcmp(outcomes[i], text) == 0)
            return;
    if (outcome_count == OUTCOMES)
        exit(3);
    strcpy(outcomes[outcome_count++], text);
}

static int slot_of(const struct state *s)
{
    uint64_t hash = 14695981039346656037ull;
    for (size_t i = 0; i < sizeof *s; i++)
        hash = (hash ^ ((const unsigned char *)s)[i]) * 1099511628211ull;
    int slot = (int)(hash % STATES);
    while (seen_states[slot].used && memcmp(&seen_states[slot].state, s, sizeof *s) != 0)
        slot = (slot + 1) % STATES;
    return slot;
}

/* Time passes for the first one only. */
static void keep_earliest(const struct state *s, struct successors *late)
{
    int best = -1, time = 256;
    for (int i = 0; i < late->count; i++)
        for (int t = 0; t < program.threads; t++)
            if (memcmp(&late->states[i].thread[t], &s->thread[t], sizeof s->thread[t]) != 0 &&
                s->thread[t].deadline < time) {
                best = i;
                time = s->thread[t].deadline;
            }
    if (best < 0)
        return;
    late->states[0] = late->states[best];
    late->states[0].now = (uint8_t)time;
    late->count = 1;
}

static double explore(struct state s);

static double explore_all(const struct successors *list)
{
    double paths = 0;
    for (int i = 0; i < list->count; i++)
        paths += explore(list->states[i]);
    return paths;
}

/* Where each thread is, all deadlines are known.  Without patience they do not matter. */
static void begin_waits(struct state *s)
{
    for (int t = 0; t < program.threads; t++)
        if (s->thread[t].at < program.length[t] && s->thread[t].half == 0)
            set_deadline(s, t, &program.ops[t][s->thread[t].at]);
    if (mode != PATIENT) {
        s->now = 0;
        for (int t = 0; t < program.threads; t++)
            s->thread[t].deadline = 0;
    }
}

/* Returns the number of interleavings. */
static double explore(struct state s)
{
    begin_waits(&s);
    int slot = slot_of(&s);
    if (seen_states[slot].used)
        return seen_states[slot].paths;
    if (++state_count > STATES / 2)
        return 1e9;
    seen_states[slot].used = true;
    seen_states[slot].state = s;
    static struct successors none;
    struct successors *lists = calloc(3, sizeof *lists);
    struct successors *now = &lists[0], *late = &lists[1], *spurious = &lists[2];
    for (int t = 0; t < program.threads; t++)
        steps_of(&s, t, now, late, spurious);
    if (mode == PATIENT && now->count > 0)
        *late = none;
    else if (mode == PATIENT)
        keep_earliest(&s, late);
    double paths = explore_all(now) + explore_all(late) + explore_all(spurious);
    if (now->count + late->count == 0) {
        bool finished = true;
        for (int t = 0; t < program.threads; t++)
            finished &= s.thread[t].at >= program.length[t];
        char text[TEXT] = "deadlock";
        if (finished)
            snprintf(text, sizeof text, "x=%d y=%d w=%d,%d s=%d r=%d,%d,%d", s.variable[0], s.variable[1], s.halves[0],
                     s.halves[1], s.sem, s.thread[0].seen, s.thread[1].seen, s.thread[2].seen);
        keep(text);
        paths += 1;
    }
    free(lists);
    seen_states[slot].paths = paths;
    return paths;
}

static double run_model(enum mode how)
{
    mode = how;
    memset(seen_states, 0, STATES * sizeof seen_states[0]);
    state_count = outcome_count = 0;
    struct state first;
    memset(&first, 0, sizeof first);
    return explore(first);
}

/* ---- the program in C --------------------------------------------------------------------------------------------------- */

static void print_try(const struct op *op, const char *call)
{
    printf("    if (%s == 0) {\n        %c = %d;\n        pthread_mutex_unlock(&%c);\n    } else {\n        SEE(3);\n  "
           "  }\n",
           call, 'x' + op->variable, op->value, 'a' + op->lock);
}

static void print_op(const struct op *op)
{
    char call[128];
    char variable = (char)('x' + op->variable), lock = (char)('a' + op->lock);
    switch (op->kind) {
    case READ:
        printf("    SEE(%c);\n", variable);
        break;
    case WRITE:
        printf("    %c = %d;\n", variable, op->value);
        break;
    case ADD:
        printf("    %c++;\n", variable);
        break;
    case ATOMIC_ADD:
        printf("    SEE(__atomic_fetch_add(&%c, 1, __ATOMIC_SEQ_CST));\n", variable);
        break;
    case LOCK:
    case UNLOCK:
        printf("    pthread_mutex_%s(&%c);\n", op->kind == LOCK ? "lock" : "unlock", lock);
        break;
    case TRYLOCK:
        snprintf(call, sizeof call, "pthread_mutex_trylock(&%c)", lock);
        print_try(op, call);
        break;
    case TIMEDLOCK:
        snprintf(call, sizeof call, "pthread_mutex_timedlock(&%c, after(%d, &until))", lock, op->seconds);
        print_try(op, call);
        break;
    case WAIT:
        printf("    pthread_cond_wait(&c, &a);\n");
        break;
    case TIMEDWAIT:
        printf("    SEE(pthread_cond_timedwait(&c, &a, after(%d, &until)) != 0 ? 1 : 2);\n", op->seconds);
        break;
    case SIGNAL:
    case BROADCAST:
        printf("    pthread_cond_%s(&c);\n", op->kind == SIGNAL ? "signal" : "broadcast");
        break;
    case POST:
        printf("    sem_post(&s);\n");
        break;
    case SEM_TIMEDWAIT:
        printf("    SEE(sem_timedwait(&s, after(%d, &until)) != 0 ? 1 : 2);\n", op->seconds);
        break;
    case SLEEP:
        printf("    sleep(%d);\n", op->seconds);
        break;
    case KILL:
        printf("    pthread_kill(thread[%d], SIGUSR1);\n", op->value);
        break;
    case WIDE_WRITE:
        printf("    w = (struct wide){%d, %d};\n", op->value, op->value);
        break;
    case NOTHING:
        break;
    case WIDE_READ:
        printf("    copy = w;\n    SEE((int)copy.low);\n    SEE((int)copy.high);\n");
        break;
    }
}

static void print_program(int number)
{
    for (int t = 0; t < program.threads; t++) {
        printf("\nstatic void *p%d_thread%d(void *unused)\n{\n    int r = 0;\n    struct timespec until;\n    struct "
               "wide copy;\n"
               "    (void)until, (void)copy;\n",
               number, t);
        if (t == 0 && signals) /* before what no other thread sees */
            printf("    sched_yield();\n");
        for (int i = 0; i < program.length[t]; i++)
            print_op(&program.ops[t][i]);
        printf("    (void)unused;\n    return (void *)(long)r;\n}\n");
    }
}

static void print_head(void)
{
    printf("#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n#include <signal.h>\n#include "
           "<stdio.h>\n#include <stdlib.h>\n"
           "#include <time.h>\n#include <unistd.h>\n\n"
           "struct wide {\n    long low, high;\n} __attribute__((aligned(16)));\n"
           "static int x, y;\nstatic struct wide w;\nstatic sem_t s;\nstatic pthread_t thread[3];\n"
           "static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;\n"
           "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n"
           "#define SEE(value) (r = r * 8 + (value))\n"
           "__attribute__((unused)) static void handler(int number) { (void)number, y = 3; }\n"
           "static inline struct timespec *after(int seconds, struct timespec *until)\n{\n"
           "    clock_gettime(CLOCK_REALTIME, until);\n    until->tv_sec += seconds;\n    return until;\n}\n");
}

static void print_main(int count)
{
    printf("\nint main(int argc, char **argv)\n{\n    static void *(*const starts[][4])(void *) = {\n");
    for (int i = 0; i < count; i++)
        printf("        {p%d_thread0, p%d_thread1, P%d_THREAD2},\n", i, i, i);
    printf("    };\n    int n = argc > 1 ? atoi(argv[1]) : 0, count = 1, value;\n    void *r[3] = {NULL};\n");
    if (signals)
        printf("    struct sigaction action = {.sa_handler = handler};\n    sigaction(SIGUSR1, &action, NULL);\n");
    printf("    sem_init(&s, 0, 0);\n    thread[0] = pthread_self();\n"
           "    for (; starts[n][count] != NULL; count++)\n        pthread_create(&thread[count], NULL, "
           "starts[n][count], NULL);\n"
           "    r[0] = starts[n][0](NULL);\n"
           "    for (int i = count; i-- > 1;)\n        pthread_join(thread[i], &r[i]);\n    sem_getvalue(&s, &value);\n"
           "    printf(\"x=%%d y=%%d w=%%ld,%%ld s=%%d r=%%ld,%%ld,%%ld\\n\", x, y, w.low, w.high, value, (long)r[0], "
           "(long)r[1], (long)r[2]);\n    return 0;\n}\n");
}

/* The next program that is small enough. */
static void make_small(void)
{
    for (int i = 0; i < LONGEST_TRIES; i++) {
        make();
        if (run_model(EARLY) <= PATHS && run_model(SPURIOUS) <= PATHS && run_model(PATIENT) <= PATHS)
            return;
    }
    exit(3);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

int main(int argc, char **argv)
{
    if (argc < 5)
        return 2;
    int count = atoi(argv[2]), wanted = argc > 5 ? atoi(argv[5]) : -1;
    random_state = strtoull(argv[1], NULL, 10);
    wide = strchr(argv[3], 'w') != NULL;
    signals = strchr(argv[3], 's') != NULL;
    seen_states = calloc(STATES, sizeof *seen_states);
    bool source = strcmp(argv[4], "source") == 0;
    if (source)
        print_head();
    for (int i = 0; i < count && (wanted < 0 || i <= wanted); i++) {
        make_small();
        if (source) {
            print_program(i);
            printf("#define P%d_THREAD2 %s", i, program.threads == 3 ? "" : "NULL\n");
            if (program.threads == 3)
                printf("p%d_thread2\n", i);
        }
    }
    if (source) {
        print_main(count);
        return 0;
    }
    if (argc < 7)
        return 2;
    run_model(strcmp(argv[6], "spurious") == 0 ? SPURIOUS : strcmp(argv[6], "patient") == 0 ? PATIENT : EARLY);
    qsort(outcomes, (size_t)outcome_count, sizeof outcomes[0], by_text);
    for (int i = 0; i < outcome_count; i++)
        puts(outcomes[i]);
    return 0;
}
