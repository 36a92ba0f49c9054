// SPDX-License-Identifier: MIT
// void_main.c - main without a result: the exit status is what the last call left in the register for results, 0.
//
// Shape: an instrumented function's last call is the compiler's own; it changes no register in which a result may be.
//
// expect: none
// build: -std=gnu89 -Wno-main -Wno-main-return-type -Wno-return-type
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *worker(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

#if defined(__x86_64__)
extern void __tsan_func_entry(void *pc);

/* All registers of a result, around the compiler's call: integers, vectors, and the stack of the x87. */
static void check_registers(void)
{
    unsigned long first, second;
    double vector, other, left;
    __tsan_func_entry(__builtin_return_address(0));
    __asm__ volatile("subq $128, %%rsp\n\t" /* what the function keeps below its stack pointer */
                     "movq %%rsp, %%rbx\n\t"
                     "andq $-16, %%rsp\n\t"
                     "fld1\n\t"
                     "movl $11, %%eax\n\t"
                     "movl $22, %%edx\n\t"
                     "cvtsi2sdq %%rax, %%xmm0\n\t"
                     "cvtsi2sdq %%rdx, %%xmm1\n\t"
                     "call __tsan_func_exit@PLT\n\t"
                     "movq %%rbx, %%rsp\n\t"
                     "addq $128, %%rsp\n\t"
                     "fstpl %4\n\t"
                     "movsd %%xmm0, %2\n\t"
                     "movsd %%xmm1, %3"
                     : "=&a"(first), "=&d"(second), "=m"(vector), "=m"(other), "=m"(left)
                     :
                     : "rbx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "memory", "cc");
    if (first != 11 || second != 22 || vector != 11 || other != 22 || left != 1)
        abort();
}
#else
static void check_registers(void)
{
}
#endif

void main()
{
    pthread_t a, b;
    check_registers();
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
