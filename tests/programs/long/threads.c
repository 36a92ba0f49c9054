/* SPDX-License-Identifier: MIT
 *
 * threads.c - many short threads, two at a time, one pair after the other.  The argument says how many pairs.  Ends with status 2 if they took
 * memory, though never more than three threads live at a time.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { MOST_MEMORY = 48 << 10 }; /* KB */

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *nothing)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return nothing;
}

int main(int argc, char **argv)
{
    int pairs = argc > 1 ? atoi(argv[1]) : 5000;
    for (int i = 0; i < pairs; i++) {
        pthread_t a, b;
        if (pthread_create(&a, NULL, work, NULL) != 0 || pthread_create(&b, NULL, work, NULL) != 0)
            return 1;
        pthread_join(a, NULL);
        pthread_join(b, NULL);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > MOST_MEMORY)
        return 2;
    return count == 2 * pairs ? 0 : 1;
}
