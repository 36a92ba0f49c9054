// SPDX-License-Identifier: MIT
// work_index.c - threads read documents from a queue, count their words, and merge the counts into a common index.
//
//   work_index [DOCUMENTS]     of 16 KiB (1600)
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, DOCUMENT = 16384, WORDS = 2048, SHELVES = 16, SHELF = 512, KEEP = 12 };

struct word {
    uint64_t hash;
    uint32_t count, documents;
};

static struct shelf {
    pthread_mutex_t lock;
    struct word word[SHELF];
    int used;
} shelf[SHELVES];

static struct {
    pthread_mutex_t lock;
    int next, count;
    uint64_t words;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = 1600};

struct state {
    char text[DOCUMENT];
    struct word table[WORDS];
};

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void document_fill(char *text, uint32_t seed)
{
    for (int i = 0; i < DOCUMENT; i++) {
        uint32_t draw_now = draw(&seed);
        text[i] = draw_now % 5 == 0 ? ' ' : (char)('a' + (draw_now >> 4) % 3);
    }
}

static void count_word(struct word *table, uint64_t hash)
{
    size_t at = hash % WORDS;
    while (table[at].count > 0 && table[at].hash != hash)
        at = (at + 1) % WORDS;
    table[at].hash = hash;
    table[at].count++;
}

/* The number of words. */
static uint32_t count_words(const char *text, struct word *table)
{
    uint64_t hash = 0;
    uint32_t words = 0;
    int length = 0;
    for (int i = 0; i < DOCUMENT; i++) {
        if (text[i] != ' ') {
            hash = hash * 1099511628211u + (unsigned char)text[i];
            length++;
        } else {
            if (length >= 2 && length <= 5) {
                count_word(table, hash);
                words++;
            }
            hash = 14695981039346656037u;
            length = 0;
        }
    }
    return words;
}

/* The words that the document has most of, in this order. */
static int choose_words(const struct word *table, struct word best[KEEP])
{
    int chosen = 0;
    for (int i = 0; i < WORDS; i++) {
        struct word word = table[i];
        if (word.count == 0 || (chosen == KEEP && word.count <= best[KEEP - 1].count))
            continue;
        int at = chosen < KEEP ? chosen++ : KEEP - 1;
        for (; at > 0 && best[at - 1].count < word.count; at--)
            best[at] = best[at - 1];
        best[at] = word;
    }
    return chosen;
}

static void index_add(const struct word *word)
{
    struct shelf *to = &shelf[word->hash % SHELVES];
    pthread_mutex_lock(&to->lock);
    int i = 0;
    while (i < to->used && to->word[i].hash != word->hash)
        i++;
    if (i < SHELF) {
        if (i == to->used) {
            to->word[i].hash = word->hash;
            to->used++;
        }
        to->word[i].count += word->count;
        to->word[i].documents++;
    }
    pthread_mutex_unlock(&to->lock);
}

static int queue_get(uint32_t words)
{
    pthread_mutex_lock(&queue.lock);
    queue.words += words;
    int number = queue.next < queue.count ? queue.next++ : -1;
    pthread_mutex_unlock(&queue.lock);
    return number;
}

static void *work(void *unused)
{
    (void)unused;
    struct state *state = malloc(sizeof *state);
    if (state == NULL)
        abort();
    uint32_t words = 0;
    for (int number; (number = queue_get(words)) >= 0;) {
        struct word best[KEEP] = {{0}};
        document_fill(state->text, (uint32_t)number + 1);
        memset(state->table, 0, sizeof state->table);
        words = count_words(state->text, state->table);
        int chosen = choose_words(state->table, best);
        for (int i = 0; i < chosen; i++)
            index_add(&best[i]);
    }
    free(state);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc > 1)
        queue.count = atoi(argv[1]);
    for (int i = 0; i < SHELVES; i++)
        pthread_mutex_init(&shelf[i].lock, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    uint64_t distinct = 0, total = 0;
    for (int i = 0; i < SHELVES; i++) {
        distinct += (uint64_t)shelf[i].used;
        for (int k = 0; k < shelf[i].used; k++)
            total += shelf[i].word[k].count;
    }
    printf("%llu words, %llu in the index, %llu of them different\n", (unsigned long long)queue.words,
           (unsigned long long)total, (unsigned long long)distinct);
    return EXIT_SUCCESS;
}
