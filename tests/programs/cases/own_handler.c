// own_handler.c - a handler of the program turns a crash into an exit status.
// clang-format off
// expect: exit
// says: T[0-9] read p at own_handler.c:15 before T[0-9] came to its write at :14
// rows: 15 13

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int *p; static int store;
static void h(int s){ (void)s; write(2,"caught segv, cleaning up\n",25); _exit(7); }
static void *w(void*a){ p=&store; return a;}
static void *r(void*a){ *p=1; return a;}
int main(void){ signal(SIGSEGV,h); pthread_t a,b; pthread_create(&a,0,w,0); pthread_create(&b,0,r,0); pthread_join(a,0); pthread_join(b,0); return 0; }
