// SPDX-License-Identifier: MIT
// commands.c - correct: a small command interpreter: each script runs in a thread of its own, all on one table.
//
//   commands SCRIPT...     a script is words: =a5 sets a   +a5 adds 5   ?a reads   >ab moves all of a to b   # sums up
#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 4, SCRIPTS = 4 };

static struct {
    pthread_mutex_t lock;
    int value[CELLS];
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct {
    pthread_mutex_t lock;
    long executed, sum;
} totals = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int cell_of(char name)
{
    if (name < 'a' || name >= 'a' + CELLS) {
        fprintf(stderr, "commands: there is no cell '%c'\n", name);
        exit(EXIT_FAILURE);
    }
    return name - 'a';
}

static void table_set(int cell, int value)
{
    pthread_mutex_lock(&table.lock);
    table.value[cell] = value;
    pthread_mutex_unlock(&table.lock);
}

static void table_add(int cell, int value)
{
    pthread_mutex_lock(&table.lock);
    table.value[cell] += value;
    pthread_mutex_unlock(&table.lock);
}

static int table_get(int cell)
{
    pthread_mutex_lock(&table.lock);
    int value = table.value[cell];
    pthread_mutex_unlock(&table.lock);
    return value;
}

static void table_move(int from, int to)
{
    pthread_mutex_lock(&table.lock);
    table.value[to] += table.value[from];
    table.value[from] = 0;
    pthread_mutex_unlock(&table.lock);
}

static int table_sum(void)
{
    int sum = 0;
    pthread_mutex_lock(&table.lock);
    for (int i = 0; i < CELLS; i++)
        sum += table.value[i];
    pthread_mutex_unlock(&table.lock);
    return sum;
}

/* What the command read, or 0. */
static int execute(const char *word)
{
    switch (word[0]) {
    case '=':
        table_set(cell_of(word[1]), atoi(word + 2));
        return 0;
    case '+':
        table_add(cell_of(word[1]), atoi(word + 2));
        return 0;
    case '?':
        return table_get(cell_of(word[1]));
    case '>':
        table_move(cell_of(word[1]), cell_of(word[2]));
        return 0;
    case '#':
        return table_sum();
    default:
        fprintf(stderr, "commands: there is no command '%s'\n", word);
        exit(EXIT_FAILURE);
    }
}

static void *run_script(void *argument)
{
    const char *script = argument;
    for (;;) {
        char word[16];
        size_t length = 0;
        while (isspace((unsigned char)*script))
            script++;
        if (*script == '\0')
            return NULL;
        for (; *script != '\0' && !isspace((unsigned char)*script); script++)
            if (length < sizeof word - 1)
                word[length++] = *script;
        word[length] = '\0';
        int seen = execute(word);
        pthread_mutex_lock(&totals.lock);
        totals.executed++;
        totals.sum += seen;
        pthread_mutex_unlock(&totals.lock);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > SCRIPTS + 1) {
        fprintf(stderr, "usage: commands SCRIPT... (at most %d)\n", SCRIPTS);
        return EXIT_FAILURE;
    }
    pthread_t threads[SCRIPTS];
    for (int i = 1; i < argc; i++)
        pthread_create(&threads[i - 1], NULL, run_script, argv[i]);
    for (int i = 1; i < argc; i++)
        pthread_join(threads[i - 1], NULL);
    assert(totals.executed > 0);
    return EXIT_SUCCESS;
}
