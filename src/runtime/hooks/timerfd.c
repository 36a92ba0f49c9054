/* SPDX-License-Identifier: MIT
 *
 * timerfd.c - timers as descriptors, in virtual time.
 *
 * DESIGN
 *   The real timer stays disarmed. When virtual time reaches its deadline it is armed with a time in the past, which
 *   makes it readable at once. While a timer is armed, every task that waits for descriptors may also be chosen to
 *   let time pass until the timer is due (io_await_ready); it need not be the one that waits for this timer. A timer
 *   with an interval is advanced when it is read.
 */
#include "runtime/hooks/timerfd.h"

#include <sys/timerfd.h>

#include "runtime/hooks/inside.h"
#include "runtime/hooks/io.h"
#include "runtime/hooks/time.h"

struct timerfd {
    struct timerfd *next;
    int fd;
    clockid_t clock;
    int64_t deadline; /* RT_NEVER: not armed */
    int64_t interval;
    bool fired; /* readable, and not read yet */
};

static struct timerfd *timers;
int64_t timerfd_soonest = RT_NEVER;

static struct timerfd *find_timer(int fd)
{
    struct timerfd *timer = timers;
    while (timer != NULL && timer->fd != fd)
        timer = timer->next;
    return timer;
}

static void find_soonest(void)
{
    timerfd_soonest = RT_NEVER;
    for (const struct timerfd *timer = timers; timer != NULL; timer = timer->next)
        if (!timer->fired && timer->deadline < timerfd_soonest)
            timerfd_soonest = timer->deadline;
}

/* Tasks that wait for descriptors already: they may let time pass until then. */
static void tell_waiting(void)
{
    for (uint32_t i = 0; i < rt.task_count; i++) {
        struct task *task = rt.tasks[i];
        if (task == NULL || task->pending == NULL || !(task->pending->flags & OP_IO))
            continue;
        if (task->pending->deadline > timerfd_soonest)
            task->pending->deadline = timerfd_soonest;
        sched_refresh(task);
    }
}

static void make_readable(int fd)
{
    struct itimerspec past = {.it_value = {.tv_nsec = 1}};
    struct pollfd descriptor = {.fd = fd, .events = POLLIN};
    struct timespec limit = {1, 0};
    if (RAW(SYS_timerfd_settime, fd, TFD_TIMER_ABSTIME, &past, NULL) == 0)
        RAW(SYS_ppoll, &descriptor, 1, &limit, 0, 0);
}

void timerfd_fire_due(void)
{
    for (struct timerfd *timer = timers; timer != NULL; timer = timer->next) {
        if (timer->fired || timer->deadline > rt.now)
            continue;
        timer->fired = true;
        make_readable(timer->fd);
    }
    find_soonest();
    sched_io_changed();
}

void timerfd_was_read(int fd, uint64_t *count)
{
    struct timerfd *timer = timers != NULL ? find_timer(fd) : NULL;
    if (timer == NULL || !timer->fired)
        return;
    timer->fired = false;
    if (timer->interval <= 0) {
        timer->deadline = RT_NEVER;
        return;
    }
    *count = 1 + (uint64_t)((rt.now - timer->deadline) / timer->interval);
    timer->deadline += (int64_t)*count * timer->interval;
    find_soonest();
    tell_waiting();
}

void timerfd_was_closed(int fd)
{
    for (struct timerfd **link = &timers; *link != NULL; link = &(*link)->next) {
        struct timerfd *timer = *link;
        if (timer->fd != fd)
            continue;
        *link = timer->next;
        rt_free(timer, sizeof *timer);
        find_soonest();
        return;
    }
}

/* ---- the hooks --------------------------------------------------------------------------------------------------- */

REAL_FUNCTION(timerfd_create);
REAL_FUNCTION(timerfd_settime);
REAL_FUNCTION(timerfd_gettime);

RT_HOOK int timerfd_create(clockid_t clock, int flags)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(timerfd_create)(clock, flags);
    long fd = RAW(SYS_timerfd_create, clock, flags);
    if (fd >= 0) {
        timerfd_was_closed((int)fd); /* without a call that was seen */
        struct timerfd *timer = rt_alloc(sizeof *timer);
        *timer = (struct timerfd){.next = timers, .fd = (int)fd, .clock = clock, .deadline = RT_NEVER};
        timers = timer;
        inside_add((int)fd);
    }
    return (int)rt_leave_errno(self, fd, fd < 0 ? (int)-fd : 0);
}

static struct itimerspec current_value(const struct timerfd *timer)
{
    struct itimerspec value = {.it_interval = time_timespec(timer->interval)};
    int64_t deadline = timer->deadline;
    if (timer->fired)
        deadline = timer->interval > 0 ? timer->deadline + timer->interval : RT_NEVER;
    if (deadline != RT_NEVER)
        value.it_value = time_timespec(deadline > rt.now ? deadline - rt.now : 1);
    return value;
}

static void set_timer(struct timerfd *timer, int flags, const struct itimerspec *value)
{
    int64_t first = time_nanoseconds(&value->it_value);
    timer->fired = false;
    timer->interval = time_nanoseconds(&value->it_interval);
    if (first == 0)
        timer->deadline = RT_NEVER;
    else
        timer->deadline = flags & TFD_TIMER_ABSTIME ? time_deadline(timer->clock, &value->it_value) : time_after(first);
    find_soonest();
    tell_waiting();
    timerfd_time_passed(); /* due already? */
}

RT_HOOK int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(timerfd_settime)(fd, flags, value, old);
    struct op op = io_operation(OP_IO_POLL, fd, CALLER);
    op.flags = 0;
    io_point(self, &op);
    struct timerfd *timer = find_timer(fd);
    struct itimerspec before = timer != NULL ? current_value(timer) : (struct itimerspec){{0, 0}, {0, 0}};
    long result;
    if (timer == NULL || !time_valid(&value->it_value) || !time_valid(&value->it_interval)) {
        result = RAW(SYS_timerfd_settime, fd, flags, value, old);
        if (result == 0)
            sched_uncontrolled("timerfd made before control began");
    } else {
        const struct itimerspec off = {{0, 0}, {0, 0}};
        result = RAW(SYS_timerfd_settime, fd, flags, &off, NULL);
        if (result == 0)
            set_timer(timer, flags, value);
        if (result == 0 && old != NULL)
            *old = before;
    }
    return (int)io_finish(self, &op, result, IO_SENDS);
}

RT_HOOK int timerfd_gettime(int fd, struct itimerspec *value)
{
    struct task *self = rt_enter();
    struct timerfd *timer = self != NULL ? find_timer(fd) : NULL;
    if (timer != NULL)
        *value = current_value(timer);
    if (self != NULL)
        rt_leave(self);
    return timer != NULL ? 0 : REAL(timerfd_gettime)(fd, value);
}
