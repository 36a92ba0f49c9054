/* SPDX-License-Identifier: MIT
 *
 * interrupted.h - where a signal has interrupted a thread, from the context that its handler gets.
 */
#ifndef RADDLE_ARCH_INTERRUPTED_H
#define RADDLE_ARCH_INTERRUPTED_H

#include <stdint.h>
#include <ucontext.h>

static inline uintptr_t context_pc(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)context->uc_mcontext.pc;
#endif
}

static inline uintptr_t context_sp(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#else
    return (uintptr_t)context->uc_mcontext.sp;
#endif
}

#endif
