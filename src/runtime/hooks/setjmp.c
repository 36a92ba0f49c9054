/* SPDX-License-Identifier: MIT
 *
 * setjmp.c - sigsetjmp and siglongjmp, because signal masks are in the model.
 *
 * libc saves and restores the real mask, of which the program must know nothing.  It uses one word of the 128 bytes
 * that a jump buffer has for the mask; the next two take the model's mask and a mark that it is there.  A function that
 * returns twice cannot be called from C on the way: the hook of __sigsetjmp reads its arguments and jumps to the real one.
 */
#include <setjmp.h>

#include "runtime/arch/arch.h"
#include "runtime/model/signal.h"

#define SAVED_MARK 0x7261646c6d61736bul

REAL_FUNCTION(__sigsetjmp);
REAL_FUNCTION(siglongjmp);
REAL_FUNCTION(longjmp);
REAL_FUNCTION(_longjmp);

__attribute__((visibility("hidden"))) void *setjmp_real;
__attribute__((visibility("hidden"), used)) void setjmp_save_mask(struct __jmp_buf_tag *buffer, int save);

/* The buffer is complete only if the mask is to be saved: clean-up handlers in C use shorter ones. */
void setjmp_save_mask(struct __jmp_buf_tag *buffer, int save)
{
    if (setjmp_real == NULL)
        setjmp_real = (void *)REAL(__sigsetjmp);
    if (!save)
        return;
    struct task *self = rt_self;
    buffer->__saved_mask.__val[1] = self != NULL ? signal_bits(&self->signal_mask) : 0;
    buffer->__saved_mask.__val[2] = self != NULL ? SAVED_MARK : 0;
}

__asm__(ARCH_SIGSETJMP);

static void prepare_jump(struct __jmp_buf_tag *buffer)
{
    struct task *self = rt_self;
    if (self == NULL)
        return;
    signal_leave_alternate(self);
    if (!buffer->__mask_was_saved || buffer->__saved_mask.__val[2] != SAVED_MARK)
        return;
    signal_set_mask(
        self, buffer->__saved_mask.__val[1]); /* signals that it does not block are delivered at the next operation */
}

RT_HOOK void siglongjmp(sigjmp_buf buffer, int value)
{
    prepare_jump(buffer);
    REAL(siglongjmp)(buffer, value);
    __builtin_unreachable();
}

RT_HOOK void longjmp(jmp_buf buffer, int value)
{
    prepare_jump(buffer);
    REAL(longjmp)(buffer, value);
    __builtin_unreachable();
}

RT_HOOK void _longjmp(jmp_buf buffer, int value)
{
    prepare_jump(buffer);
    REAL(_longjmp)(buffer, value);
    __builtin_unreachable();
}

__attribute__((noreturn)) void __longjmp_chk(struct __jmp_buf_tag *buffer, int value);
REAL_FUNCTION(__longjmp_chk);
RT_HOOK void __longjmp_chk(struct __jmp_buf_tag *buffer, int value)
{
    prepare_jump(buffer);
    REAL(__longjmp_chk)(buffer, value);
    __builtin_unreachable();
}
