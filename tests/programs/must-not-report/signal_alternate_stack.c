// SPDX-License-Identifier: MIT
// signal_alternate_stack.c - handlers with SA_ONSTACK run on the stack that their thread has given with sigaltstack, and no others do.
//
// Shape: signals to oneself, from another thread, and faults; handlers that come back and one that leaves by siglongjmp.
//
// expect: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

enum { SIZE = 64 << 10 };

static sem_t ready, sent;
static __thread char *stack;
static __thread volatile sig_atomic_t handled, on_it;
static __thread sigjmp_buf back;

static int is_on_stack(const char *here)
{
    return here >= stack && here < stack + SIZE;
}

static void on_signal(int number)
{
    char here;
    stack_t now;
    (void)number;
    on_it = is_on_stack(&here);
    assert(sigaltstack(NULL, &now) == 0);
    assert(!(now.ss_flags & SS_ONSTACK) == !on_it);
    handled++;
}

static void on_fault(int number)
{
    char here;
    (void)number;
    on_it = is_on_stack(&here);
    handled++;
    siglongjmp(back, 1);
}

static void use_stack(char *memory)
{
    stack_t new = {.ss_sp = memory, .ss_size = SIZE};
    stack = memory;
    assert(sigaltstack(&new, NULL) == 0);
}

/* Nothing is ever at `nowhere`. */
static void check_handlers(volatile int *nowhere)
{
    handled = on_it = 0;
    raise(SIGUSR1);
    assert(handled == 1 && on_it);
    raise(SIGUSR2); /* without SA_ONSTACK */
    assert(handled == 2 && !on_it);
    for (int i = 0; i < 3; i++)
        if (sigsetjmp(back, 1) == 0)
            *nowhere = 1;
    assert(handled == 5 && on_it);
}

static void *worker(void *memory)
{
    char *own = malloc(SIZE);
    use_stack(own);
    check_handlers((int *)8);
    use_stack(memory); /* at an address far from the other */
    check_handlers((int *)8);
    sem_post(&ready);
    sem_wait(&sent);
    assert(handled == 6 && on_it);
    stack_t none = {.ss_flags = SS_DISABLE};
    assert(sigaltstack(&none, NULL) == 0);
    raise(SIGUSR1);
    assert(handled == 7 && !on_it);
    free(own);
    return NULL;
}

static void set_handler(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    assert(sigaction(number, &action, NULL) == 0);
}

int main(void)
{
    static char first[SIZE];
    pthread_t thread;
    char second[SIZE]; /* above all other threads' stacks */
    sem_init(&ready, 0, 0);
    sem_init(&sent, 0, 0);
    set_handler(SIGUSR1, on_signal, SA_ONSTACK);
    set_handler(SIGUSR2, on_signal, 0);
    set_handler(SIGHUP, on_signal, SA_ONSTACK);
    set_handler(SIGSEGV, on_fault, SA_ONSTACK);
    pthread_create(&thread, NULL, worker, second);
    use_stack(first);
    check_handlers((int *)16);
    sem_wait(&ready);
    pthread_kill(thread, SIGHUP);
    sem_post(&sent);
    pthread_join(thread, NULL);
    return 0;
}
