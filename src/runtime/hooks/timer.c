/* SPDX-License-Identifier: MIT
 *
 * timer.c - POSIX timers.  Those that call a function in a thread (SIGEV_THREAD) are modelled in virtual time; those that send a signal use
 * real time and are not under control.
 *
 * DESIGN
 *   Each expiry is a thread of its own, as with glibc.  It is created when the timer is armed, and sleeps until the deadline; so
 *   when it expires is a choice like the end of any sleep.  Then it makes the thread of the next expiry, if the timer is
 *   periodic, and calls the function.  One whose timer was set again or deleted meanwhile ends without a call.
 */
#include <signal.h>
#include <time.h>

#include "runtime/hooks/time.h"
#include "runtime/hooks/timerfd.h"
#include "runtime/model/object.h"
#include "runtime/model/signal.h"
#include "runtime/model/thread.h"
#include "runtime/record.h"
#include "runtime/sched/point.h"

REAL_FUNCTION(timer_create);
REAL_FUNCTION(timer_settime);
REAL_FUNCTION(timer_gettime);
REAL_FUNCTION(timer_getoverrun);
REAL_FUNCTION(timer_delete);

struct timer {
    struct timer *next; /* those that are not deleted */
    clockid_t clock;
    void (*function)(union sigval);
    union sigval value;
    size_t stack_size;     /* of its threads; 0: as usual */
    int64_t deadline;      /* RT_NEVER: not armed */
    int64_t interval;      /* 0: once */
    uint64_t setting;      /* how often it was set, or deleted */
    uint32_t references;   /* expiries, and the list */
    struct object *object; /* changes when it is set */
};

struct expiry {
    struct timer *timer;
    uint64_t setting;
    int64_t deadline;
    uintptr_t pc; /* where the timer was set */
};

static struct timer *timers;

static struct timer *find_timer(timer_t id)
{
    struct timer *timer = timers;
    while (timer != NULL && timer != id)
        timer = timer->next;
    return timer;
}

static void unreference(struct timer *timer)
{
    if (--timer->references > 0)
        return;
    object_drop(timer->object);
    rt_free(timer, sizeof *timer);
}

/* ---- expiry ---------------------------------------------------------------------------------------------------------- */

static bool is_void(const struct expiry *expiry)
{
    return expiry->timer->setting != expiry->setting;
}

static enum ready expiry_ready(struct task *task, const struct op *op)
{
    (void)task;
    return is_void((const struct expiry *)op->argument) || op->deadline <= rt.now ? READY_YES : READY_LATE;
}

/* Sleeps until the deadline.  False: the timer was set again or deleted. */
static bool await(struct task *self, const struct expiry *expiry)
{
    struct op op = {
        .kind = OP_SLEEP,
        .flags = OP_YIELDS,
        .pc = expiry->pc,
        .fd = -1,
        .deadline = expiry->deadline,
        .ready = expiry_ready,
        .argument = (uint64_t)expiry,
        .object = expiry->timer->object,
    };
    sched_point(self, &op);
    timerfd_time_passed();
    record_event(self, &op, 0, is_void(expiry) ? EVENT_FAILED : EVENT_TIMEOUT);
    return !is_void(expiry);
}

static int arm(struct task *self, struct timer *timer, int64_t deadline, uintptr_t pc);

static void *expiry_body(void *argument)
{
    struct expiry expiry = *(struct expiry *)argument;
    struct timer *timer = expiry.timer;
    struct task *self = rt_enter();
    rt_free(argument, sizeof expiry);
    signal_set_mask(self, UINT64_MAX); /* as in glibc's */
    bool due = await(self, &expiry);
    void (*function)(union sigval) = timer->function;
    union sigval value = timer->value;
    if (due && timer->interval == 0)
        timer->deadline = RT_NEVER;
    else if (due && arm(self, timer, expiry.deadline + timer->interval, expiry.pc) != 0)
        sched_uncontrolled("timer that lost its thread");
    unreference(timer);
    rt_leave(self);
    if (due)
        function(value);
    return NULL;
}

/* The thread that waits for the deadline.  0 or an error number. */
static int arm(struct task *self, struct timer *timer, int64_t deadline, uintptr_t pc)
{
    struct expiry *expiry = rt_alloc(sizeof *expiry);
    *expiry = (struct expiry){.timer = timer, .setting = timer->setting, .deadline = deadline, .pc = pc};
    timer->deadline = deadline;
    timer->references++;
    pthread_t handle;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (timer->stack_size != 0)
        pthread_attr_setstacksize(&attributes, timer->stack_size);
    struct thread_request request = {
        .handle = &handle,
        .attr = &attributes,
        .start = expiry_body,
        .argument = expiry,
        .start_pc = (uintptr_t)timer->function,
        .pc = pc,
    };
    int error = thread_create(self, &request);
    pthread_attr_destroy(&attributes);
    if (error == 0)
        return 0;
    timer->deadline = RT_NEVER;
    timer->references--;
    rt_free(expiry, sizeof *expiry);
    return error;
}

/* ---- timers ---------------------------------------------------------------------------------------------------------- */

static struct timer *make_timer(clockid_t clock, const struct sigevent *event)
{
    struct timer *timer = rt_alloc(sizeof *timer);
    *timer = (struct timer){
        .next = timers,
        .clock = clock,
        .function = event->sigev_notify_function,
        .value = event->sigev_value,
        .deadline = RT_NEVER,
        .references = 1,
        .object = object_get((uintptr_t)timer, OBJECT_CHANNEL),
    };
    if (event->sigev_notify_attributes != NULL)
        pthread_attr_getstacksize(event->sigev_notify_attributes, &timer->stack_size);
    timers = timer;
    return timer;
}

/* Cancels all expiries that have not happened yet. */
static void disarm(struct task *self, struct timer *timer, uintptr_t pc)
{
    struct op op = {.kind = OP_CLOCK, .pc = pc, .address = (uintptr_t)timer, .fd = -1, .deadline = RT_NEVER};
    timer->references++; /* the program may wrongly delete it meanwhile */
    sched_point(self, &op);
    timer->setting++;
    timer->deadline = RT_NEVER;
    object_changed(timer->object);
    record_event(self, &op, 0, 0);
    unreference(timer);
}

static struct itimerspec current_value(const struct timer *timer)
{
    struct itimerspec value = {.it_interval = time_timespec(timer->interval)};
    if (timer->deadline != RT_NEVER)
        value.it_value = time_timespec(timer->deadline > rt.now ? timer->deadline - rt.now : 1);
    return value;
}

static int set_timer(struct task *self, struct timer *timer, int flags, const struct itimerspec *value,
                     struct itimerspec *old, uintptr_t pc)
{
    if (!time_valid(&value->it_value) || !time_valid(&value->it_interval))
        return EINVAL;
    struct itimerspec before = current_value(timer);
    disarm(self, timer, pc);
    if (old != NULL)
        *old = before;
    int64_t first = time_nanoseconds(&value->it_value);
    timer->interval = time_nanoseconds(&value->it_interval);
    if (first == 0)
        return 0;
    return arm(self, timer, flags & TIMER_ABSTIME ? time_deadline(timer->clock, &value->it_value) : time_after(first),
               pc);
}

/* ---- the hooks ------------------------------------------------------------------------------------------------------- */

static void count_real(const struct itimerspec *value)
{
    bool armed = value->it_value.tv_sec != 0 || value->it_value.tv_nsec != 0;
    bool periodic = value->it_interval.tv_sec != 0 || value->it_interval.tv_nsec != 0;
    if (armed)
        sched_uncontrolled("alarm");
    signal_expect_alarm(!armed ? ALARM_OFF : periodic ? ALARM_PERIODIC : ALARM_ONCE);
}

RT_HOOK int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
    int64_t base;
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(timer_create)(clock, event, timer);
    if (event != NULL && event->sigev_notify == SIGEV_THREAD && time_clock_base(clock, &base)) {
        *timer = make_timer(clock, event);
        return (int)rt_leave_errno(self, 0, 0);
    }
    sched_uncontrolled(event != NULL && event->sigev_notify == SIGEV_THREAD ? "timer thread" : "timer");
    int result = REAL(timer_create)(clock, event, timer);
    return (int)rt_leave_errno(self, result, result != 0 ? errno : 0);
}

RT_HOOK int timer_settime(timer_t id, int flags, const struct itimerspec *value, struct itimerspec *old)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(timer_settime)(id, flags, value, old);
    struct timer *timer = find_timer(id);
    if (timer != NULL)
        return (int)rt_leave_errno(self, 0, set_timer(self, timer, flags, value, old, CALLER));
    count_real(value);
    int result = REAL(timer_settime)(id, flags, value, old);
    return (int)rt_leave_errno(self, result, result != 0 ? errno : 0);
}

RT_HOOK int timer_gettime(timer_t id, struct itimerspec *value)
{
    struct task *self = rt_enter();
    struct timer *timer = self != NULL ? find_timer(id) : NULL;
    if (timer != NULL)
        *value = current_value(timer);
    if (self != NULL)
        rt_leave(self);
    return timer != NULL ? 0 : REAL(timer_gettime)(id, value);
}

RT_HOOK int timer_getoverrun(timer_t id)
{
    struct task *self = rt_enter();
    bool ours = self != NULL && find_timer(id) != NULL;
    if (self != NULL)
        rt_leave(self);
    return ours ? 0 : REAL(timer_getoverrun)(id);
}

RT_HOOK int timer_delete(timer_t id)
{
    struct task *self = rt_enter();
    struct timer *timer = self != NULL ? find_timer(id) : NULL;
    if (timer != NULL) {
        disarm(self, timer, CALLER);
        struct timer **link = &timers;
        while (*link != NULL && *link != timer)
            link = &(*link)->next;
        if (*link != NULL) { /* not by another thread meanwhile */
            *link = timer->next;
            unreference(timer);
        }
    }
    if (self != NULL)
        rt_leave(self);
    return timer != NULL ? 0 : REAL(timer_delete)(id);
}
