// SPDX-License-Identifier: MIT
// asm_spin_lock.c - spin locks of inline assembler around plain data: xchg with a loop that looks first, lock decb as kernels had it,
// lock bts, and a loop inside of one asm statement.
//
// expect: none
// tsan: no (inline assembler)
#include "../asm_x86.h"

#include <assert.h>
#include <pthread.h>

static int by_exchange, by_bit, by_loop, a, b, c, d;
static signed char by_decrement = 1;

static void lock_exchange(void)
{
    while (asm_exchange(&by_exchange, 1) != 0)
        while (asm_load(&by_exchange) != 0)
            asm_pause();
}

static void lock_decrement(void)
{
    __asm__ volatile("1: lock; decb %0\n\t"
                     "jns 3f\n"
                     "2: rep; nop\n\t"
                     "cmpb $0, %0\n\t"
                     "jle 2b\n\t"
                     "jmp 1b\n"
                     "3:"
                     : "+m"(by_decrement)
                     :
                     : "memory", "cc");
}

static void unlock_decrement(void)
{
    __asm__ volatile("movb $1, %0" : "=m"(by_decrement) : : "memory");
}

static void lock_bit(long number)
{
    bool was_set;
    do
        __asm__ volatile("lock btsl %2, %0; setc %1" : "+m"(by_bit), "=q"(was_set) : "r"((int)number) : "memory", "cc");
    while (was_set);
}

static void lock_loop(void)
{
    int free = 0;
    __asm__ volatile("1:\n\t"
                     "xorl %%eax, %%eax\n\t"
                     "lock; cmpxchgl %2, %0\n\t"
                     "jz 2f\n\t"
                     "pause\n\t"
                     "jmp 1b\n"
                     "2:"
                     : "+m"(by_loop), "+a"(free)
                     : "r"(1)
                     : "memory", "cc");
}

static void *work(void *unused)
{
    lock_exchange();
    a++;
    asm_store(&by_exchange, 0);
    lock_decrement();
    b++;
    unlock_decrement();
    lock_bit(5);
    c++;
    __asm__ volatile("lock btrl $5, %0" : "+m"(by_bit) : : "memory", "cc");
    lock_loop();
    d++;
    asm_exchange(&by_loop, 0);
    return unused;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(a == 2 && b == 2 && c == 2 && d == 2);
    return 0;
}
