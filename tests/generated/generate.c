/* SPDX-License-Identifier: MIT
 *
 * generate.c - random small multithreaded C programs: generate SEED COUNT >programs.c
 *
 * DESIGN
 *   One source file holds COUNT programs; the binary is started with the number of the one to run.  The same seed gives the same
 *   source, and program n of a seed does not depend on COUNT.
 *
 *   A program has two to four threads that do random statements on shared objects: counters with and without locks, atomics, mutexes
 *   of all types, a condition variable, semaphores, a read-write lock, sometimes a barrier, heap blocks handed over, thread-local
 *   variables, keys, nested threads, cancellation.  It prints what is left at its end.  Whatever happens depends on the schedule
 *   alone: no addresses, no time of day, no uninitialised memory.
 *
 *   It ends under every fair schedule, or it deadlocks: locks are nested in any order, and tokens are taken by threads that others
 *   wait for.  Loops are bounded, except for waits on a flag that a thread sets as its very first act.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOCKS = 3, COUNTERS = 3, ATOMICS = 2, SLOTS = 2, DEEPEST = 3 };

/* ---- random numbers ---------------------------------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t next_random(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static int below(int n)
{
    return (int)(next_random() % (uint64_t)n);
}

static bool one_in(int n)
{
    return below(n) == 0;
}

/* ---- what is being written --------------------------------------------------------------------------------------------- */

static struct {
    int number;
    int threads;       /* beside main */
    bool barrier;      /* all threads meet once: then none is cancelled or leaves early */
    bool child;        /* there is a function for nested threads */
    bool flag;         /* the first thread sets it at once */
    int cancelled;     /* the thread that main cancels; -1 none */
    int tokens, posts; /* certain to be given to the condition variable and the semaphore so far */
} program;

/* Where in a function we are. */
struct place {
    int thread; /* -1 main, program.threads: the nested one */
    int depth, indent;
    unsigned held; /* mutexes, then: 8 read-write lock, 16 semaphore, 32 condition's mutex, 64 spin lock */
    bool certain;  /* reached exactly once */
    int loops;
};

enum { HELD_RWLOCK = 8, HELD_SEMAPHORE = 16, HELD_CONDITION = 32, HELD_SPIN = 64 };

__attribute__((format(printf, 2, 3))) static void line(const struct place *place, const char *format, ...)
{
    va_list arguments;
    for (int i = 0; i < place->indent; i++)
        fputs("    ", stdout);
    /* '$' stands for the prefix of everything that belongs to this program. */
    char text[512];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (const char *c = text; *c != '\0'; c++)
        if (*c == '$')
            printf("p%d_", program.number);
        else
            putchar(*c);
    putchar('\n');
}

static void statements(struct place place, int count);

/* A block in braces that is entered with more held; it may not be reached exactly once any more. */
static void block(const struct place *outer, unsigned held, bool certain)
{
    struct place inner = *outer;
    inner.depth++;
    inner.indent++;
    inner.held |= held;
    inner.certain = outer->certain && certain;
    statements(inner, 1 + below(3));
}

static bool is_cancelled(const struct place *place)
{
    return place->thread == program.cancelled && program.cancelled >= 0;
}

/* ---- statements: data -------------------------------------------------------------------------------------------------- */

static void counter(const struct place *place)
{
    int a = below(COUNTERS), b = below(COUNTERS);
    switch (below(4)) {
    case 0:
        line(place, "$c[%d]++;", a);
        break;
    case 1:
        line(place, "$c[%d] += %d;", a, 1 + below(9));
        break;
    case 2:
        line(place, "$c[%d] = $c[%d] + %d;", a, b, below(5));
        break;
    default:
        line(place, "$c[%d] ^= $c[%d] << 1;", a, b);
        break;
    }
}

static void atomic(const struct place *place)
{
    static const char *const orders[] = {"seq_cst", "acq_rel", "relaxed", "release", "acquire"};
    int a = below(ATOMICS);
    switch (below(6)) {
    case 0:
        line(place, "$a[%d]++;", a);
        break;
    case 1:
        line(place, "atomic_fetch_add_explicit(&$a[%d], %d, memory_order_%s);", a, 1 + below(4), orders[below(5)]);
        break;
    case 2:
        line(place, "$c[%d] += atomic_exchange(&$a[%d], %d);", below(COUNTERS), a, below(8));
        break;
    case 3:
        line(place, "for (int old = $a[%d]; !atomic_compare_exchange_weak(&$a[%d], &old, old * 2 + 1);)", a, a);
        line(place, "    continue;");
        break;
    case 4:
        line(place, "atomic_store_explicit(&$a[%d], $a[%d] + 1, memory_order_release);", a, below(ATOMICS));
        break;
    default:
        line(place, "$l += atomic_load_explicit(&$a[%d], memory_order_acquire);", a);
        break;
    }
}

static void private_memory(const struct place *place)
{
    int size = 1 + below(40);
    line(place, "{");
    line(place, "    int *memory = %s;", one_in(2) ? "calloc(8, sizeof(int))" : "malloc(8 * sizeof(int))");
    line(place, "    memory[%d] = $c[%d];", below(8), below(COUNTERS));
    line(place, "    memory[7] = %d;", below(100));
    if (one_in(3))
        line(place, "    memory = realloc(memory, %d * sizeof(int));", 8 + size);
    line(place, "    $l += memory[7];");
    line(place, "    free(memory);");
    line(place, "}");
}

/* A block goes from hand to hand: the thread that puts a new one there frees the old one. */
static void hand_over(const struct place *place)
{
    line(place, "free(atomic_exchange(&$slot[%d], make_block($l + %d)));", below(SLOTS), below(50));
}

static void thread_local_work(const struct place *place)
{
    switch (below(4)) {
    case 0:
        line(place, "$l++;");
        break;
    case 1:
        line(place, "$l += $c[%d];", below(COUNTERS));
        break;
    case 2:
        line(place, "$array[%d] += $l + %d;", below(40), below(7));
        break;
    default:
        line(place, "errno = %d;", 1 + below(30));
        line(place, "$a[%d]++;", below(ATOMICS));
        line(place, "$l += errno;");
        break;
    }
}

static void deep_stack(const struct place *place)
{
    line(place, "$l += use_stack(%d, %d);", 1 + below(one_in(8) ? 400 : 20), below(9));
}

/* ---- statements: order of threads -------------------------------------------------------------------------------------- */

static void pause_a_while(const struct place *place)
{
    if (one_in(2))
        line(place, "sched_yield();");
    else
        line(place, "usleep(%d);", 1 + below(1000));
}

static void locked(const struct place *place)
{
    int lock = below(LOCKS);
    if (place->held & 1u << lock)
        return;
    if (is_cancelled(place) || one_in(4)) {
        line(place, "pthread_mutex_lock(&$m[%d]);", lock);
        line(place, "pthread_cleanup_push(unlock, &$m[%d]);", lock);
        block(place, 1u << lock, true);
        line(place, "pthread_cleanup_pop(1);");
        return;
    }
    switch (below(4)) {
    case 0:
        line(place, "if (pthread_mutex_trylock(&$m[%d]) == 0) {", lock);
        block(place, 1u << lock, false);
        line(place, "    pthread_mutex_unlock(&$m[%d]);", lock);
        line(place, "} else {");
        line(place, "    $a[%d]++;", below(ATOMICS));
        line(place, "}");
        break;
    case 1:
        line(place, "if (pthread_mutex_timedlock(&$m[%d], soon(%d)) == 0) {", lock, below(100));
        block(place, 1u << lock, false);
        line(place, "    pthread_mutex_unlock(&$m[%d]);", lock);
        line(place, "}");
        break;
    default:
        line(place, "pthread_mutex_lock(&$m[%d]);", lock);
        block(place, 1u << lock, true);
        line(place, "pthread_mutex_unlock(&$m[%d]);", lock);
        break;
    }
}

static void read_write_locked(const struct place *place)
{
    if ((place->held & HELD_RWLOCK) || is_cancelled(place))
        return;
    bool writes = one_in(2);
    if (one_in(3)) {
        line(place, "if (pthread_rwlock_try%slock(&$r) == 0) {", writes ? "wr" : "rd");
        block(place, HELD_RWLOCK, false);
        line(place, "    pthread_rwlock_unlock(&$r);");
        line(place, "}");
        return;
    }
    line(place, "pthread_rwlock_%slock(&$r);", writes ? "wr" : "rd");
    block(place, HELD_RWLOCK, true);
    line(place, "pthread_rwlock_unlock(&$r);");
}

static void spin_locked(const struct place *place)
{
    if ((place->held & HELD_SPIN) || is_cancelled(place))
        return;
    line(place, "pthread_spin_lock(&$spin);");
    counter(place);
    atomic(place);
    line(place, "pthread_spin_unlock(&$spin);");
}

static void semaphore(struct place *place)
{
    switch (below(5)) {
    case 0:
        line(place, "sem_post(&$s[0]);");
        program.posts += place->certain;
        break;
    case 1:
        if (place->certain && program.posts > 0 && place->held == 0) {
            program.posts--;
            line(place, "sem_wait(&$s[0]);");
        }
        break;
    case 2:
        line(place, "if (sem_trywait(&$s[0]) == 0) $c[%d]++;", below(COUNTERS));
        break;
    case 3:
        line(place, "if (sem_timedwait(&$s[0], soon(%d)) != 0) $l += errno;", below(100));
        break;
    default:
        if ((place->held & HELD_SEMAPHORE) || is_cancelled(place))
            return;
        line(place, "sem_wait(&$s[1]);");
        block(place, HELD_SEMAPHORE, true);
        line(place, "sem_post(&$s[1]);");
        break;
    }
}

static void give_token(struct place *place)
{
    line(place, "pthread_mutex_lock(&$vm);");
    line(place, "$tokens++;");
    line(place, "pthread_cond_%s(&$v);", one_in(2) ? "signal" : "broadcast");
    line(place, "pthread_mutex_unlock(&$vm);");
    program.tokens += place->certain;
}

static void take_token(struct place *place)
{
    bool timed = one_in(2);
    if (!timed && (!place->certain || program.tokens == 0 || (place->held != 0 && !one_in(4))))
        return;
    program.tokens -= !timed;
    line(place, "pthread_mutex_lock(&$vm);");
    line(place, "pthread_cleanup_push(unlock, &$vm);");
    if (timed) {
        line(place, "int error = 0;");
        line(place, "while ($tokens == 0 && error == 0)");
        line(place, "    error = pthread_cond_timedwait(&$v, &$vm, soon(%d));", 1 + below(50));
        line(place, "if ($tokens > 0)");
        line(place, "    $tokens--;");
    } else {
        line(place, "while ($tokens == 0)");
        line(place, "    pthread_cond_wait(&$v, &$vm);");
        line(place, "$tokens--;");
    }
    line(place, "pthread_cleanup_pop(1);");
}

static void condition(struct place *place)
{
    if (place->held & HELD_CONDITION)
        return;
    line(place, "{");
    place->indent++;
    if (one_in(2))
        give_token(place);
    else
        take_token(place);
    place->indent--;
    line(place, "}");
}

static void nested_thread(const struct place *place)
{
    if (!program.child || place->thread == program.threads || !place->certain)
        return;
    bool detached = one_in(3);
    line(place, "{");
    line(place, "    pthread_t child;");
    line(place, "    pthread_create(&child, NULL, $child, number(%d));", below(10));
    if (detached) {
        line(place, "    pthread_detach(child);");
    } else {
        struct place inner = *place;
        line(place, "    void *result;");
        inner.indent++;
        inner.depth++;
        statements(inner, below(3));
        line(place, "    pthread_join(child, &result);");
        line(place, "    $l += (int)(intptr_t)result;");
    }
    line(place, "}");
}

static void once_and_keys(const struct place *place)
{
    if (one_in(2))
        line(place, "pthread_once(&$once, $initialise);");
    else if (place->thread >= 0)
        line(place, "free(pthread_getspecific($key)), pthread_setspecific($key, make_block(%d));", below(20));
}

static void early_end(const struct place *place)
{
    if (program.barrier || place->thread < 0 || place->held != 0 || !one_in(3))
        return;
    if (one_in(4))
        line(place, "if ($c[%d] == %d) exit(%d);", below(COUNTERS), below(20), 1 + below(40));
    else
        line(place, "if ($a[%d] > %d) pthread_exit(number(%d));", below(ATOMICS), below(6), below(50));
}

static void cancellation(const struct place *place)
{
    if (!is_cancelled(place))
        return;
    switch (below(3)) {
    case 0:
        line(place, "pthread_testcancel();");
        break;
    case 1:
        line(place, "pthread_setcancelstate(%s, NULL);",
             one_in(3) ? "PTHREAD_CANCEL_DISABLE" : "PTHREAD_CANCEL_ENABLE");
        break;
    default:
        line(place, "pthread_cleanup_push(count_cleanup, &$cleanups);");
        line(place, "    usleep(%d);", below(30));
        line(place, "pthread_cleanup_pop(%d);", below(2));
        break;
    }
}

static void print_something(const struct place *place)
{
    line(place, "printf(\"%c%d %%d\\n\", $%s);", 'a' + below(20), place->thread + 1, one_in(2) ? "l" : "c[0]");
}

/* ---- statements: structure --------------------------------------------------------------------------------------------- */

static void branch(const struct place *place)
{
    if (one_in(2))
        line(place, "if ($c[%d] & 1) {", below(COUNTERS));
    else
        line(place, "if ($a[%d] > %d) {", below(ATOMICS), below(5));
    block(place, 0, false);
    if (one_in(2)) {
        line(place, "} else {");
        block(place, 0, false);
    }
    line(place, "}");
}

static void loop(const struct place *place)
{
    struct place inner = *place;
    if (place->loops > 0)
        return;
    inner.loops++;
    line(place, "for (int i = 0; i < %d; i++) {", 2 + below(2));
    block(&inner, 0, false);
    line(place, "}");
}

static void statement(struct place *place)
{
    int kind = below(place->depth < DEEPEST ? 40 : 24);
    if (kind < 7)
        counter(place);
    else if (kind < 11)
        atomic(place);
    else if (kind < 13)
        thread_local_work(place);
    else if (kind < 14)
        private_memory(place);
    else if (kind < 16)
        hand_over(place);
    else if (kind < 18)
        pause_a_while(place);
    else if (kind < 19)
        print_something(place);
    else if (kind < 20)
        deep_stack(place);
    else if (kind < 21)
        spin_locked(place);
    else if (kind < 22)
        once_and_keys(place);
    else if (kind < 23)
        cancellation(place);
    else if (kind < 24)
        early_end(place);
    else if (kind < 30)
        locked(place);
    else if (kind < 32)
        read_write_locked(place);
    else if (kind < 34)
        semaphore(place);
    else if (kind < 37)
        condition(place);
    else if (kind < 38)
        nested_thread(place);
    else if (kind < 39)
        branch(place);
    else
        loop(place);
}

static void statements(struct place place, int count)
{
    for (int i = 0; i < count; i++)
        statement(&place);
}

/* ---- functions --------------------------------------------------------------------------------------------------------- */

static void objects(void)
{
    struct place place = {0};
    line(&place, "\n/* ---- %d */\n", program.number);
    line(&place, "static pthread_mutex_t $m[%d], $vm = PTHREAD_MUTEX_INITIALIZER;", LOCKS);
    line(&place, "static pthread_cond_t $v = PTHREAD_COND_INITIALIZER;");
    line(&place, "static pthread_rwlock_t $r = PTHREAD_RWLOCK_INITIALIZER;");
    line(&place, "static pthread_spinlock_t $spin;");
    line(&place, "static pthread_barrier_t $barrier;");
    line(&place, "static pthread_once_t $once = PTHREAD_ONCE_INIT;");
    line(&place, "static pthread_key_t $key;");
    line(&place, "static sem_t $s[2];");
    line(&place, "static int $c[%d], $tokens, $cleanups;", COUNTERS);
    line(&place, "static _Atomic int $a[%d], $flag, $locals;", ATOMICS);
    line(&place, "static int *_Atomic $slot[%d];", SLOTS);
    line(&place, "static __thread int $l = %d, $array[40];\n", below(5));
    line(&place, "static void $initialise(void)\n{\n    $c[0] += 100;\n}\n");
    line(&place, "static void $key_gone(void *value)\n{\n    $locals += *(int *)value;\n    free(value);\n}\n");
}

static void thread_function(int thread)
{
    struct place place = {.thread = thread, .indent = 1, .certain = true};
    char name[16];
    if (thread == program.threads)
        snprintf(name, sizeof name, "child");
    else
        snprintf(name, sizeof name, "thread%d", thread);
    line(&(struct place){0}, "static void *$%s(void *argument)\n{", name);
    line(&place, "$l += (int)(intptr_t)argument;");
    if (program.flag && thread == 0)
        line(&place, "$flag = 1;");
    statements(place, thread == program.threads ? 1 + below(3) : 2 + below(4));
    if (program.flag && thread == 1)
        line(&place, "while ($flag == 0)\n        sched_yield();");
    if (program.barrier && thread != program.threads)
        line(&place, "pthread_barrier_wait(&$barrier);");
    statements(place, 1 + below(3));
    line(&place, "$locals += $l + $array[%d];", below(40));
    line(&place, "return number($l);");
    line(&(struct place){0}, "}\n");
}

static void initialise_objects(const struct place *place)
{
    static const char *const types[] = {"NORMAL", "RECURSIVE", "ERRORCHECK", "ADAPTIVE_NP"};
    for (int i = 0; i < LOCKS; i++)
        line(place, "make_mutex(&$m[%d], PTHREAD_MUTEX_%s);", i, types[one_in(2) ? 0 : below(4)]);
    line(place, "pthread_spin_init(&$spin, PTHREAD_PROCESS_PRIVATE);");
    line(place, "pthread_barrier_init(&$barrier, NULL, %d);", program.threads);
    line(place, "pthread_key_create(&$key, $key_gone);");
    line(place, "sem_init(&$s[0], 0, %d);", below(2));
    line(place, "sem_init(&$s[1], 0, 1);");
}

static void print_state(const struct place *place)
{
    for (int i = 0; i < COUNTERS; i++)
        line(place, "printf(\"c%d=%%d \", $c[%d]);", i, i);
    for (int i = 0; i < ATOMICS; i++)
        line(place, "printf(\"a%d=%%d \", $a[%d]);", i, i);
    for (int i = 0; i < SLOTS; i++)
        line(place, "printf(\"s%d=%%d \", $slot[%d] != NULL ? *$slot[%d] : -1);", i, i, i);
    line(place, "printf(\"tokens=%%d cleanups=%%d locals=%%d l=%%d\\n\", $tokens, $cleanups, $locals, $l);");
}

static void main_function(void)
{
    struct place outer = {0}, place = {.thread = -1, .indent = 1, .certain = true};
    int detached = !program.barrier && one_in(8) ? below(program.threads) : -1;
    int special = one_in(6) ? below(program.threads) : -1;
    line(&outer, "static int $main(void)\n{");
    line(&place, "pthread_t threads[%d];", program.threads);
    line(&place, "void *result;");
    initialise_objects(&place);
    for (int i = 0; i < program.threads; i++) {
        line(&place, "create(&threads[%d], %d, $thread%d, %d);", i, i == special ? 128 << below(3) : 0, i, below(10));
        if (one_in(4))
            statements((struct place){.thread = -1, .indent = 1, .certain = true, .depth = 1}, 1);
    }
    if (detached >= 0 && detached != program.cancelled)
        line(&place, "pthread_detach(threads[%d]);", detached);
    statements(place, below(3));
    if (program.cancelled >= 0)
        line(&place, "pthread_cancel(threads[%d]);", program.cancelled);
    for (int i = 0; i < program.threads; i++)
        if (i != detached || i == program.cancelled) {
            line(&place, "pthread_join(threads[%d], &result);", i);
            line(&place, "printf(\"%d:%%d \", (int)(intptr_t)result);", i);
        }
    print_state(&place);
    line(&place, "return %s;", one_in(4) ? "$c[0] & 3" : "0");
    line(&outer, "}");
}

static void generate(uint64_t seed, int number)
{
    state = seed * 1000003 + (uint64_t)number;
    next_random();
    program.number = number;
    program.threads = 2 + below(3);
    program.barrier = one_in(5);
    program.child = one_in(4);
    program.flag = one_in(8);
    program.cancelled = !program.barrier && one_in(4) ? below(program.threads) : -1;
    program.tokens = program.posts = 0;
    objects();
    if (program.child)
        thread_function(program.threads);
    for (int i = 0; i < program.threads; i++)
        thread_function(i);
    main_function();
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    int count = argc > 2 ? atoi(argv[2]) : 50;
    puts("#include \"support.h\"");
    for (int i = 0; i < count; i++)
        generate(seed, i);
    puts("\nstatic int (*const programs[])(void) = {");
    for (int i = 0; i < count; i++)
        printf("    p%d_main,\n", i);
    puts("};\n\nint main(int argc, char **argv)\n{\n"
         "    return argc > 1 ? programs[atoi(argv[1])]() : 99;\n}");
    return 0;
}
