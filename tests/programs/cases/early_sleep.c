// early_sleep.c - a thread sleeps in place of waiting, and the other one is later.
// clang-format off
// expect: assert
// says: T0.*before T1|A 5 s sleep of T0 at early_sleep.c:12 ended before T1|T0 read x at early_sleep.c:12 before T1
// rows: 12

#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int x, y;
static void *t(void *a) { pthread_mutex_lock(&m); y = x + 1; pthread_mutex_unlock(&m); pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return a; }
int main(void) { pthread_t p; pthread_create(&p, 0, t, 0); sleep(5); pthread_mutex_lock(&m); int z = x; pthread_mutex_unlock(&m); assert(z == 1); pthread_join(p, 0); return 0; }
