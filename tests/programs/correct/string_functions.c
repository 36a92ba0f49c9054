// SPDX-License-Identifier: MIT
// string_functions.c - memcpy, memmove, strdup, asprintf and strtol on blocks that change hands through a queue.
//
// expect: none
#include "correct.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static char *box;

static void put(char *text)
{
    pthread_mutex_lock(&lock);
    while (box != NULL)
        pthread_cond_wait(&filled, &lock);
    box = text;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
}

static char *get(void)
{
    pthread_mutex_lock(&lock);
    while (box == NULL)
        pthread_cond_wait(&filled, &lock);
    char *text = box;
    box = NULL;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&lock);
    return text;
}

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < 3; i++) {
        char *text = NULL;
        CHECK(asprintf(&text, "%d apples", i) > 0);
        put(text);
    }
    put(strdup("end"));
    return NULL;
}

int main(void)
{
    pthread_t thread = start(produce, NULL);
    long sum = 0;
    char *text, *end;
    for (text = get(); strcmp(text, "end") != 0; text = get()) {
        sum += strtol(text, &end, 10);
        memmove(text, end, strlen(end) + 1);
        CHECK(strcmp(text, " apples") == 0);
        free(text);
    }
    free(text);
    join(thread);
    CHECK(sum == 3);
    return 0;
}
