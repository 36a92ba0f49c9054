/* SPDX-License-Identifier: MIT
 *
 * failure.c - assert, abort and the stack protector: prepare the text of the failure (failure.h).
 */
#include "runtime/failure.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

REAL_FUNCTION(abort);
REAL_FUNCTION(__assert_fail);
REAL_FUNCTION(__assert_perror_fail);
REAL_FUNCTION(__assert);

RT_HOOK void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
    if (rt_enter() != NULL)
        failure_prepare(KIND_ASSERT, CALLER, "assertion `", assertion);
    REAL(__assert_fail)(assertion, file, line, function);
    __builtin_unreachable();
}

RT_HOOK void __assert(const char *assertion, const char *file, int line)
{
    if (rt_enter() != NULL)
        failure_prepare(KIND_ASSERT, CALLER, "assertion `", assertion);
    REAL(__assert)(assertion, file, line);
    __builtin_unreachable();
}

RT_HOOK void __assert_perror_fail(int error, const char *file, unsigned line, const char *function)
{
    if (rt_enter() != NULL) {
        const char *name = strerrordesc_np(error);
        failure_prepare(KIND_ASSERT, CALLER, "assertion `no error: ", name != NULL ? name : "unknown error");
    }
    REAL(__assert_perror_fail)(error, file, line, function);
    __builtin_unreachable();
}

__attribute__((noreturn)) void __stack_chk_fail(void);
REAL_FUNCTION(__stack_chk_fail);
RT_HOOK void __stack_chk_fail(void)
{
    if (rt_enter() != NULL)
        failure_prepare(KIND_ABORT, CALLER, "stack smashing detected: a local array was overrun", "");
    REAL(__stack_chk_fail)();
    __builtin_unreachable();
}

/* The C++ library, if there is one. A type_info is a vtable pointer and the mangled name. */
struct type_info {
    const void *vtable;
    const char *name;
};
__attribute__((weak, visibility("default"))) struct type_info *__cxa_current_exception_type(void);
__attribute__((weak, visibility("default"))) char *__cxa_demangle(const char *, char *, size_t *, int *);
typedef void terminate_handler(void);
__attribute__((weak, visibility("default"))) terminate_handler *get_terminate(void) __asm__("_ZSt13get_terminatev");
__attribute__((weak, visibility("default"))) void
terminate_default(void) __asm__("_ZN9__gnu_cxx27__verbose_terminate_handlerEv");

/* abort() is the last thing that std::terminate does: called by the C++ library, or by a handler of the program's. */
static bool is_terminating(uintptr_t pc)
{
    if (get_terminate == NULL || terminate_default == NULL)
        return false;
    return !failure_is_program_code(pc) || get_terminate() != terminate_default;
}

static void prepare_abort(uintptr_t pc, uintptr_t sp)
{
    bool terminating = is_terminating(pc);
    struct type_info *type = __cxa_current_exception_type != NULL ? __cxa_current_exception_type() : NULL;
    uintptr_t nearest =
        failure_is_program_code(pc) ? pc : failure_program_pc(sp); /* of an exception: where it was thrown */
    pc = nearest != 0 ? nearest : pc;
    if (!terminating) {
        failure_prepare(KIND_ABORT, pc, "abort() called", "");
    } else if (type == NULL) {
        failure_prepare(KIND_ABORT, pc, "std::terminate called without an active exception", "");
    } else {
        const char *name = type->name[0] == '*' ? type->name + 1 : type->name;
        char *readable = __cxa_demangle != NULL ? __cxa_demangle(name, NULL, NULL, NULL) : NULL;
        failure_prepare(KIND_UNCAUGHT, pc, "uncaught exception of type ", readable != NULL ? readable : name);
    } /* `readable` is not freed: the process ends */
}

RT_HOOK void abort(void)
{
    if (rt_enter() != NULL)
        prepare_abort(CALLER, (uintptr_t)__builtin_frame_address(0));
    REAL(abort)();
    __builtin_unreachable();
}
