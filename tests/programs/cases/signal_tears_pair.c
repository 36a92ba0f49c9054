// signal_tears_pair.c - a handler sees two variables of which one was changed.
// clang-format off
// expect: assert
// says: T1's handler h, for a signal of T0 at .*:14, wrote flag at .*:12|T1.* flag
// rows: 12 14

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <assert.h>
static volatile sig_atomic_t flag; static int a, b;
static void h(int s) { (void)s; flag = a == b; }
static void *t(void *x) { for (int i = 0; i < 2; i++) { a++; b++; } return x; }
int main(void) { pthread_t x; flag = 1; signal(SIGUSR1, h); pthread_create(&x, NULL, t, NULL); pthread_kill(x, SIGUSR1); pthread_join(x, NULL); assert(flag); return 0; }
