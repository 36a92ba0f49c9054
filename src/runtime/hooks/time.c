/* SPDX-License-Identifier: MIT
 *
 * time.c - virtual clocks: reading them.
 *
 * DESIGN
 *   Reading a clock is not a scheduling point: it would add one to every log line of a program. But it lets time
 *   pass, a microsecond, and more the longer a task does little else: a loop that waits for the clock ends soon,
 *   independent of what else it reads. A task that only reads the clock yields after a while, so that other tasks run.
 *
 *   CPU time follows the task's instrumented operations and the time that its own clock reads let pass.
 *
 *   Before the fork point the clocks are virtual too: what a constructor seeds from the time must be the same in every run. There, too,
 *   each reading lets time pass, so that a constructor that waits for the clock ends; the run goes on from there.
 */
#include "runtime/hooks/time.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include "runtime/hooks/timerfd.h"
#include "runtime/record.h"
#include "runtime/sched/point.h"
#include "runtime/transitions.h"

enum {
    STEP_FIRST = 1000,    /* ns that pass with one reading */
    STEP_LAST = 10000000, /* ... and with each of many */
    READS_ALONE = 16,     /* readings without a scheduling point between: from then on each yields */
    FEW_POINTS = 8,       /* between two readings at one place: a loop that waits */
    LOOPS_PER_DOUBLING = 8,
    OPERATION_COST = 100, /* ns of CPU time of one instrumented operation */
};

/* CPU time that readings of the clock stand for, of all tasks. */
static int64_t read_cost;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void yield_point(struct task *self, uintptr_t pc)
{
    struct op op = {.kind = OP_YIELD, .flags = OP_YIELDS | OP_PAUSE, .pc = pc, .fd = -1, .deadline = RT_NEVER};
    sched_point(self, &op);
    record_event(self, &op, 0, 0);
}

/* How much time this reading lets pass. */
static int64_t reading_step(struct task *self, uintptr_t pc)
{
    uint64_t points = self->points - self->clock_reads.points;
    uint32_t shift;
    if (points == 0)
        self->clock_reads.alone++;
    else
        self->clock_reads.alone = 0;
    if (points <= FEW_POINTS && self->clock_reads.pc == pc)
        self->clock_reads.loops++;
    else
        self->clock_reads.loops = 0;
    self->clock_reads.pc = pc;
    shift = self->clock_reads.alone;
    if (shift < self->clock_reads.loops / LOOPS_PER_DOUBLING)
        shift = self->clock_reads.loops / LOOPS_PER_DOUBLING;
    return shift > 13 ? STEP_LAST : (int64_t)STEP_FIRST << shift;
}

static void pass_time(struct task *self, uintptr_t pc)
{
    int64_t step = reading_step(self, pc);
    if (self->clock_reads.alone >= READS_ALONE)
        yield_point(self, pc);
    self->clock_reads.points = self->points;
    if (rt.now < INT64_MAX / 2)
        rt.now += step;
    sched_time_passed();
    timerfd_time_passed();
    self->clock_reads.spent += step;
    read_cost += step;
}

static int64_t task_cpu_time(const struct task *task)
{
    return (int64_t)task->operations * OPERATION_COST + task->clock_reads.spent;
}

static int64_t process_cpu_time(void)
{
    int64_t sum = read_cost;
    for (uint32_t i = 0; i < rt.task_count; i++)
        if (rt.tasks[i] != NULL)
            sum += (int64_t)rt.tasks[i]->operations * OPERATION_COST;
    return sum;
}

int time_read(struct task *self, uintptr_t pc, clockid_t id, struct timespec *value)
{
    int64_t base;
    bool follows = time_clock_base(id, &base);
    if (!follows && id != CLOCK_PROCESS_CPUTIME_ID && id != CLOCK_THREAD_CPUTIME_ID && id >= 0)
        return EINVAL;
    pass_time(self, pc);
    transition_beyond(BEYOND_CLOCK);
    if (follows)
        *value = time_timespec(base + rt.now);
    else
        *value = time_timespec(id == CLOCK_PROCESS_CPUTIME_ID ? process_cpu_time() : task_cpu_time(self));
    return 0;
}

/* Virtual time is for tasks, and for the program before the fork point. */
static bool before_fork_point(void)
{
    return rt.attached && !rt.controlled;
}

/* How much time a reading before the fork point lets pass, by how many there have been.  Real threads may exist already. */
static void pass_early_time(void)
{
    static uint32_t readings;
    uint32_t shift = __atomic_fetch_add(&readings, 1, __ATOMIC_RELAXED) / LOOPS_PER_DOUBLING;
    __atomic_fetch_add(&rt.now, shift > 13 ? STEP_LAST : (int64_t)STEP_FIRST << shift, __ATOMIC_RELAXED);
}

/* Reads a clock that cannot fail. False: the caller asks the real one. */
static bool read_virtual(uintptr_t pc, clockid_t id, struct timespec *value)
{
    struct task *self = rt_enter();
    if (self != NULL) {
        time_read(self, pc, id, value);
        rt_leave(self);
        return true;
    }
    int64_t base;
    if (!before_fork_point() || !time_clock_base(id, &base))
        return false;
    pass_early_time();
    *value = time_timespec(base + __atomic_load_n(&rt.now, __ATOMIC_RELAXED));
    return true;
}

/* ---- the hooks --------------------------------------------------------------------------------------------------- */

REAL_FUNCTION(clock_gettime);
REAL_FUNCTION(gettimeofday);
REAL_FUNCTION(time);
REAL_FUNCTION(timespec_get);
REAL_FUNCTION(clock);
REAL_FUNCTION(times);
REAL_FUNCTION(clock_settime);
REAL_FUNCTION(settimeofday);
REAL_FUNCTION(getrusage);

RT_HOOK int clock_gettime(clockid_t id, struct timespec *value)
{
    struct task *self = rt_enter();
    if (self != NULL)
        return (int)rt_leave_errno(self, 0, time_read(self, CALLER, id, value));
    return read_virtual(CALLER, id, value) ? 0 : REAL(clock_gettime)(id, value);
}

RT_HOOK int gettimeofday(struct timeval *restrict value, void *restrict zone)
{
    struct timespec now;
    if (!read_virtual(CALLER, CLOCK_REALTIME, &now))
        return REAL(gettimeofday)(value, zone);
    value->tv_sec = now.tv_sec;
    value->tv_usec = now.tv_nsec / 1000;
    struct timezone *greenwich = zone;
    if (greenwich != NULL)
        *greenwich = (struct timezone){0, 0};
    return 0;
}

RT_HOOK time_t time(time_t *value)
{
    struct timespec now;
    if (!read_virtual(CALLER, CLOCK_REALTIME, &now))
        return REAL(time)(value);
    if (value != NULL)
        *value = now.tv_sec;
    return now.tv_sec;
}

RT_HOOK int timespec_get(struct timespec *value, int base)
{
    if (base != TIME_UTC || !read_virtual(CALLER, CLOCK_REALTIME, value))
        return REAL(timespec_get)(value, base);
    return base;
}

RT_HOOK clock_t clock(void)
{
    struct timespec now;
    if (!read_virtual(CALLER, CLOCK_PROCESS_CPUTIME_ID, &now))
        return REAL(clock)();
    return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (TIME_SECOND / CLOCKS_PER_SEC);
}

RT_HOOK clock_t times(struct tms *value)
{
    struct timespec now, used;
    enum { TICKS = 100 };
    if (rt_self == NULL || !read_virtual(CALLER, CLOCK_PROCESS_CPUTIME_ID, &used) ||
        !read_virtual(CALLER, CLOCK_MONOTONIC, &now))
        return REAL(times)(value);
    if (value != NULL)
        *value = (struct tms){.tms_utime = used.tv_sec * TICKS + used.tv_nsec / (TIME_SECOND / TICKS)};
    return now.tv_sec * TICKS + now.tv_nsec / (TIME_SECOND / TICKS);
}

RT_HOOK int getrusage(__rusage_who_t who, struct rusage *usage)
{
    struct timespec used;
    clockid_t id = who == RUSAGE_THREAD ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID;
    int result = REAL(getrusage)(who, usage);
    if (result == 0 && who != RUSAGE_CHILDREN && rt_self != NULL && read_virtual(CALLER, id, &used)) {
        usage->ru_utime = (struct timeval){used.tv_sec, used.tv_nsec / 1000};
        usage->ru_stime = (struct timeval){0, 0};
        usage->ru_minflt = usage->ru_majflt = usage->ru_nvcsw = usage->ru_nivcsw = 0;
    }
    return result;
}

/* The program must not set the clocks of the machine. */
RT_HOOK int clock_settime(clockid_t id, const struct timespec *value)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(clock_settime)(id, value);
    int64_t base;
    bool sane = time_clock_base(id, &base) && time_valid(value);
    return (int)rt_leave_errno(self, 0, sane ? EPERM : EINVAL);
}

RT_HOOK int settimeofday(const struct timeval *value, const struct timezone *zone)
{
    struct task *self = rt_enter();
    if (self == NULL)
        return REAL(settimeofday)(value, zone);
    return (int)rt_leave_errno(self, 0, EPERM);
}
