// spin.c - a flag is set before the data that it announces.
// clang-format off
// expect: assert
// says: T[0-9] read data at spin.c:11 before T[0-9] came to its write at :10
// rows: 10 11

#include <pthread.h>
#include <assert.h>
static volatile int flag; static int data;
static void *w(void *u) { flag = 1; data = 42; return u; }     /* wrong order */
static void *r(void *u) { while (!flag) ; assert(data == 42); return u; }
int main(void) { pthread_t t, s; pthread_create(&t, 0, r, 0); pthread_create(&s, 0, w, 0); pthread_join(t, 0); pthread_join(s, 0); return 0; }
