// SPDX-License-Identifier: MIT
// work_compress.c - threads take blocks of a text from a queue, compress them, and append them to one output in order.
//
//   work_compress [BLOCKS]     of 64 KiB (192)
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, BLOCK = 65536, BITS = 13, CHAIN = 12, LONGEST = 258, SHORTEST = 4 };

static struct {
    pthread_mutex_t lock;
    int next, count;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .count = 192};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t turn;
    int next;
    uint64_t bytes, matches, checksum;
} output = {.lock = PTHREAD_MUTEX_INITIALIZER, .turn = PTHREAD_COND_INITIALIZER};

struct state {
    unsigned char plain[BLOCK], packed[2 * BLOCK];
    int32_t head[1 << BITS], previous[BLOCK];
    size_t used;
    uint64_t matches;
};

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Words of a small dictionary, some of them misspelt. */
static void block_fill(unsigned char *plain, uint32_t seed)
{
    static const char *const words[] = {"thread ", "lock ", "schedule ", "the ", "of ", "interleaving ", "and ", "is "};
    for (size_t at = 0; at < BLOCK;) {
        const char *word = words[draw(&seed) % 8];
        size_t length = strlen(word);
        if (length > BLOCK - at)
            length = BLOCK - at;
        memcpy(plain + at, word, length);
        if (draw(&seed) % 4 == 0)
            plain[at] = (unsigned char)draw(&seed);
        at += length;
    }
}

static uint32_t hash_of(const unsigned char *text)
{
    uint32_t word;
    memcpy(&word, text, sizeof word);
    return (word * 2654435761u) >> (32 - BITS);
}

static size_t match_length(const unsigned char *a, const unsigned char *b, const unsigned char *end)
{
    const unsigned char *begin = b;
    while (b < end && b - begin < LONGEST && *a == *b) {
        a++;
        b++;
    }
    return (size_t)(b - begin);
}

/* The longest earlier text that is equal to the one at `at`; 0 if there is none worth it. */
static size_t find_match(struct state *state, size_t at, size_t *from)
{
    size_t best = SHORTEST - 1;
    int32_t candidate = state->head[hash_of(state->plain + at)];
    for (int steps = CHAIN; candidate >= 0 && steps > 0; steps--, candidate = state->previous[candidate]) {
        size_t length = match_length(state->plain + candidate, state->plain + at, state->plain + BLOCK);
        if (length > best) {
            best = length;
            *from = (size_t)candidate;
        }
    }
    return best >= SHORTEST ? best : 0;
}

static void block_pack(struct state *state)
{
    memset(state->head, 0xff, sizeof state->head);
    state->used = 0;
    state->matches = 0;
    for (size_t at = 0; at < BLOCK;) {
        size_t from = 0, length = at + SHORTEST <= BLOCK ? find_match(state, at, &from) : 0;
        if (length > 0) {
            size_t distance = at - from;
            state->packed[state->used++] = (unsigned char)(distance >> 8);
            state->packed[state->used++] = (unsigned char)distance;
            state->matches++;
        } else {
            length = 1;
        }
        state->packed[state->used++] = length > 1 ? (unsigned char)length : state->plain[at];
        for (; length > 0; length--, at++)
            if (at + SHORTEST <= BLOCK) {
                int32_t *head = &state->head[hash_of(state->plain + at)];
                state->previous[at] = *head;
                *head = (int32_t)at;
            }
    }
}

static int queue_get(void)
{
    pthread_mutex_lock(&queue.lock);
    int number = queue.next < queue.count ? queue.next++ : -1;
    pthread_mutex_unlock(&queue.lock);
    return number;
}

static void output_append(int number, const struct state *state)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < state->used; i++)
        sum = sum * 31 + state->packed[i];
    pthread_mutex_lock(&output.lock);
    while (output.next != number)
        pthread_cond_wait(&output.turn, &output.lock);
    output.next++;
    output.bytes += state->used;
    output.matches += state->matches;
    output.checksum = output.checksum * 1000003 + sum;
    pthread_cond_broadcast(&output.turn);
    pthread_mutex_unlock(&output.lock);
}

static void *compress(void *unused)
{
    (void)unused;
    struct state *state = malloc(sizeof *state);
    if (state == NULL)
        abort();
    for (int number; (number = queue_get()) >= 0;) {
        block_fill(state->plain, (uint32_t)number + 1);
        block_pack(state);
        output_append(number, state);
    }
    free(state);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc > 1)
        queue.count = atoi(argv[1]);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, compress, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%d blocks, %llu bytes, %llu matches, %016llx\n", queue.count, (unsigned long long)output.bytes,
           (unsigned long long)output.matches, (unsigned long long)output.checksum);
    return EXIT_SUCCESS;
}
