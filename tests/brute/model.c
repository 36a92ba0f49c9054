/* SPDX-License-Identifier: MIT
 *
 * model.c - tiny concurrent programs, their C source, and all of their final states.
 *
 *   model list           names of all programs
 *   model source NAME    the program in C
 *   model states NAME    every final state, one a line, sorted, from enumerating all interleavings
 *
 * DESIGN
 *   A program is up to three threads of a few operations on the variables x and y, the locks a and b, and one register r of each
 *   thread.  Everything starts at 0.  The operations:
 *     x=1 (any digit)   r=x   x=r   x=r+1
 *     x++      a read and a write: two steps
 *     x+=      atomic increment, r = the old value: one step
 *     x?       atomic compare-and-swap of 0 by 1, r = whether it succeeded: one step
 *     la ua    lock, unlock
 *     !x       leave if x is not 0, giving back the locks: a read (no operation may follow the unlocks then)
 *   The model runs every interleaving of single steps and keeps the set of final states.  It knows nothing of raddle: the test
 *   compares its set with what exhausting seeds reach.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, STEPS = 16, STATES = 512, TEXT = 64 };

struct program {
    const char *name;
    const char *thread[THREADS]; /* NULL: no such thread */
};

static const struct program programs[] = {
    {"store", {"x=1", "x=2", NULL}},
    {"read", {"x=1", "r=x", NULL}},
    {"increment", {"x++", "x++", NULL}},
    {"increment_twice", {"x++ x++", "x++ x++", NULL}},
    {"increment_three", {"x++", "x++", "x++"}},
    {"increment_locked", {"la x++ ua", "la x++ ua", NULL}},
    {"increment_one_locked", {"la x++ ua", "x++", NULL}},
    {"increment_two_locks", {"la x++ ua", "lb x++ ub", NULL}},
    {"atomic", {"x+=", "x+=", "x+="}},
    {"atomic_and_plain", {"x+=", "x++", NULL}},
    {"sections", {"la r=x ua la x=r+1 ua", "la r=x ua la x=r+1 ua", NULL}},
    {"store_buffer", {"x=1 r=y", "y=1 r=x", NULL}},
    {"message", {"x=1 y=1", "r=y x=r r=x", NULL}},
    {"load_buffer", {"r=x y=1", "r=y x=1", NULL}},
    {"copy", {"r=x y=r+1", "r=y x=r+1", NULL}},
    {"copy_three", {"x=1", "r=x y=r", "r=y"}},
    {"two_stores", {"x=1 y=1", "y=2 x=2", NULL}},
    {"two_stores_locked", {"la x=1 y=1 ua", "la y=2 x=2 ua", NULL}},
    {"compare_swap", {"x?", "x?", "x?"}},
    {"compare_swap_store", {"x?", "x=0 x?", NULL}},
    {"check_then_act", {"!x x=1 y++", "!x x=1 y++", NULL}},
    {"check_then_act_locked", {"la !x x=1 y++ ua", "y++", NULL}},
    {"reader_between", {"x=1 x=2", "r=x y=r", NULL}},
    {"writers_reader", {"x=1", "x=2", "r=x"}},
    {"lock_order", {"la lb x++ ub ua", "la lb x++ ub ua", NULL}},
    {"abba", {"la lb x++ ub ua", "lb la x++ ua ub", NULL}},
    {"abba_guarded", {"la !y lb y=1 ub ua", "lb y=2 la ua ub", NULL}},
    {"lock_three", {"la r=x x=1 ua", "la r=x x=2 ua", "la r=x x=3 ua"}},
};

struct state {
    int variable[2], owner[2]; /* owner: thread + 1, 0: free */
    int r[THREADS], scratch[THREADS];
    int at[THREADS], half[THREADS]; /* next operation; inside x++ */
};

static const struct program *program;
static char operation[THREADS][STEPS][8];
static int length[THREADS];
static char final[STATES][TEXT];
static int final_count;

static void split(void)
{
    for (int t = 0; t < THREADS && program->thread[t] != NULL; t++)
        for (const char *p = program->thread[t]; *p != '\0'; p += strspn(p, " ")) {
            size_t n = strcspn(p, " ");
            snprintf(operation[t][length[t]++], sizeof operation[t][0], "%.*s", (int)n, p);
            p += n;
        }
}

/* ---- the model ---------------------------------------------------------------------------------------------------- */

static bool enabled(const struct state *s, int t)
{
    if (s->at[t] >= length[t])
        return false;
    const char *op = operation[t][s->at[t]];
    return op[0] != 'l' || s->owner[op[1] - 'a'] == 0;
}

static void step(struct state *s, int t)
{
    const char *op = operation[t][s->at[t]];
    int *r = &s->r[t];
    if (op[0] == 'l' || op[0] == 'u') {
        s->owner[op[1] - 'a'] = op[0] == 'l' ? t + 1 : 0;
    } else if (op[0] == '!') {
        if (s->variable[op[1] - 'x'] != 0) { /* give back what it holds, and out */
            while (++s->at[t] < length[t])
                if (operation[t][s->at[t]][0] == 'u' && s->owner[operation[t][s->at[t]][1] - 'a'] == t + 1)
                    return;
            return;
        }
    } else if (op[0] == 'r') {
        *r = s->variable[op[2] - 'x'];
    } else {
        int *v = &s->variable[op[0] - 'x'];
        if (strcmp(op + 1, "++") == 0 && !s->half[t]) {
            s->scratch[t] = *v;
            s->half[t] = 1;
            return;
        }
        if (strcmp(op + 1, "++") == 0) {
            *v = s->scratch[t] + 1;
            s->half[t] = 0;
        } else if (strcmp(op + 1, "+=") == 0) {
            *r = (*v)++;
        } else if (op[1] == '?') {
            *r = *v == 0;
            *v = *r ? 1 : *v;
        } else {
            *v = op[2] != 'r' ? op[2] - '0' : *r + (op[3] == '+');
        }
    }
    s->at[t]++;
}

static void keep_final(const char *text)
{
    for (int i = 0; i < final_count; i++)
        if (strcmp(final[i], text) == 0)
            return;
    if (final_count == STATES)
        exit(3);
    strcpy(final[final_count++], text);
}

static void explore(const struct state *s)
{
    bool moved = false, finished = true;
    for (int t = 0; t < THREADS; t++) {
        finished = finished && s->at[t] >= length[t];
        if (!enabled(s, t))
            continue;
        struct state next = *s;
        step(&next, t);
        moved = true;
        explore(&next);
    }
    if (moved)
        return;
    char text[TEXT] = "deadlock";
    if (finished)
        snprintf(text, sizeof text, "x=%d y=%d r=%d,%d,%d", s->variable[0], s->variable[1], s->r[0], s->r[1], s->r[2]);
    keep_final(text);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void print_states(void)
{
    explore(&(struct state){0});
    qsort(final, (size_t)final_count, sizeof final[0], by_text);
    for (int i = 0; i < final_count; i++)
        puts(final[i]);
}

/* ---- the program in C --------------------------------------------------------------------------------------------- */

static void print_operation(int t, int i)
{
    const char *op = operation[t][i];
    if (op[0] == 'l' || op[0] == 'u')
        printf("    pthread_mutex_%s(&%c);\n", op[0] == 'l' ? "lock" : "unlock", op[1]);
    else if (op[0] == '!')
        printf("    if (%c != 0)\n        goto out%d;\n", op[1], i);
    else if (strcmp(op + 1, "+=") == 0)
        printf("    r = __atomic_fetch_add(&%c, 1, __ATOMIC_SEQ_CST);\n", op[0]);
    else if (op[1] == '?')
        printf("    expected = 0;\n    r = __atomic_compare_exchange_n(&%c, &expected, 1, 0, __ATOMIC_SEQ_CST, "
               "__ATOMIC_SEQ_CST);\n",
               op[0]);
    else
        printf("    %s;\n", op);
}

/* The part of the thread after a jump out: unlock what is locked there. */
static void print_exit(int t, int i)
{
    int held[2] = {0, 0};
    for (int k = 0; k < i; k++)
        if (operation[t][k][0] == 'l' || operation[t][k][0] == 'u')
            held[operation[t][k][1] - 'a'] = operation[t][k][0] == 'l';
    printf("out%d:\n", i);
    for (int k = i; k < length[t]; k++)
        if (operation[t][k][0] == 'u' && held[operation[t][k][1] - 'a'])
            printf("    pthread_mutex_unlock(&%c);\n", operation[t][k][1]);
    printf("    result[%d] = r;\n    return NULL;\n", t);
}

static void print_thread(int t)
{
    printf("\nstatic void *thread%d(void *unused)\n{\n    int r = 0, expected = 0;\n    (void)unused;\n    "
           "(void)expected;\n",
           t);
    for (int i = 0; i < length[t]; i++)
        print_operation(t, i);
    printf("    result[%d] = r;\n    return NULL;\n", t);
    for (int i = 0; i < length[t]; i++)
        if (operation[t][i][0] == '!')
            print_exit(t, i);
    printf("}\n");
}

static void print_source(void)
{
    printf("#include <pthread.h>\n#include <stdio.h>\n\nint x, y;\npthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;\n"
           "pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;\nstatic int result[%d];\n",
           THREADS);
    int threads = 0;
    for (; threads < THREADS && program->thread[threads] != NULL; threads++)
        print_thread(threads);
    printf("\nint main(void)\n{\n    pthread_t thread[%d];\n", threads);
    for (int t = 0; t < threads; t++)
        printf("    pthread_create(&thread[%d], NULL, thread%d, NULL);\n", t, t);
    for (int t = 0; t < threads; t++)
        printf("    pthread_join(thread[%d], NULL);\n", t);
    printf("    printf(\"x=%%d y=%%d r=%%d,%%d,%%d\\n\", x, y, result[0], result[1], result[2]);\n    return 0;\n}\n");
}

int main(int argc, char **argv)
{
    size_t count = sizeof programs / sizeof programs[0];
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (size_t i = 0; i < count; i++)
            puts(programs[i].name);
        return 0;
    }
    for (size_t i = 0; argc == 3 && i < count; i++)
        if (strcmp(programs[i].name, argv[2]) == 0)
            program = &programs[i];
    if (program == NULL)
        return 2;
    split();
    if (strcmp(argv[1], "source") == 0)
        print_source();
    else
        print_states();
    return 0;
}
