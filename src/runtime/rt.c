/* SPDX-License-Identifier: MIT
 *
 * rt.c - the runtime's common state, and its one way to end with an error.
 */
#include "runtime/rt.h"

#include <stdarg.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/debug.h"
#include "runtime/init.h"

RT_TABLE struct rt rt;
__thread struct task *rt_self;
intptr_t rt_errno_distance;

void rt_end_process(int status)
{
    for (;;)
        syscall_raw(SYS_exit_group, status, 0, 0, 0, 0, 0);
}

void rt_die(const char *format, ...)
{
    char text[WIRE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    rt_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    if (rt.wire != NULL) {
        struct wire_result *result = &rt.wire->result;
        rt_format(result->text, sizeof result->text, "%s", text);
        result->end = END_INTERNAL;
        if (debug_wanted)
            debug_stop_end();
    } else {
        size_t length = 0;
        while (text[length] != '\0')
            length++;
        text[length++] = '\n'; /* in place of the terminator, which is not needed any more */
        syscall_raw(SYS_write, 2, (long)"raddle: ", 8, 0, 0, 0);
        syscall_raw(SYS_write, 2, (long)text, (long)length, 0, 0, 0);
    }
    rt_end_process(RT_EXIT_INTERNAL);
}
