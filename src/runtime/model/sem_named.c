/* SPDX-License-Identifier: MIT
 *
 * sem_named.c - sem_open, sem_close, sem_unlink; docs/posix.md P20 and on.
 *
 * DESIGN
 *   Names of semaphores are global to the machine: a run would see semaphores of the run before, and runs at the same time
 *   would share them.  So each run has names of its own.  A semaphore that really exists when a run first opens it gives that
 *   run its value; nothing is written back.  The memory is shared with children that the program forks, and they know
 *   the same names; programs that it executes do not, which the report says.
 */
#include "runtime/model/model.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "runtime/arch/arch.h"
#include "runtime/init.h"

REAL_FUNCTION(sem_open);
REAL_FUNCTION(sem_close);
REAL_FUNCTION(sem_unlink);
REAL_FUNCTION(sem_init);
REAL_FUNCTION(sem_getvalue);

enum { NAME_SIZE = NAME_MAX - 3 }; /* libc puts "sem." before it */

struct named {
    struct named *next;
    sem_t *sem; /* NULL: the name is known to be gone */
    uint32_t references;
    bool has_name; /* not unlinked */
    char name[NAME_SIZE];
};
static struct named *table;

/* 0 and the name without its slashes, or an error number. */
static int check_name(const char *name, const char **plain)
{
    while (*name == '/')
        name++;
    size_t length = 0;
    while (name[length] != '\0' && name[length] != '/')
        length++;
    if (length == 0 || name[length] == '/')
        return EINVAL;
    if (length >= NAME_SIZE)
        return ENAMETOOLONG;
    *plain = name;
    return 0;
}

static struct named *find_name(const char *name)
{
    for (struct named *entry = table; entry != NULL; entry = entry->next) {
        const char *a = entry->name, *b = name;
        while (*a != '\0' && *a == *b)
            a++, b++;
        if (entry->has_name && *a == *b)
            return entry;
    }
    return NULL;
}

static struct named *find_sem(const sem_t *sem)
{
    struct named *entry = table;
    while (entry != NULL && (entry->sem == NULL || entry->sem != sem))
        entry = entry->next;
    return entry;
}

bool semaphore_is_named(const sem_t *sem)
{
    return find_sem(sem) != NULL;
}

static struct named *add_name(const char *name)
{
    struct named *entry = rt_alloc(sizeof *entry);
    for (size_t i = 0; name[i] != '\0'; i++)
        entry->name[i] = name[i];
    entry->has_name = true;
    entry->next = table;
    table = entry;
    return entry;
}

static int make_sem(struct named *entry, unsigned value)
{
    long address = syscall_raw(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (address < 0 && address > -4096)
        return ENOMEM;
    entry->sem = (sem_t *)address;
    REAL(sem_init)(entry->sem, 1, value);
    return 0;
}

/* Whether the machine has it: 0 and its value, or an error number. */
static int ask_machine(const char *name, unsigned *value)
{
    sem_t *real = REAL(sem_open)(name, 0);
    if (real == SEM_FAILED)
        return errno;
    int found = 0;
    REAL(sem_getvalue)(real, &found);
    REAL(sem_close)(real);
    *value = (unsigned)found;
    return 0;
}

static int open_name(const char *name, int flags, unsigned value, sem_t **sem)
{
    struct named *entry = find_name(name);
    if (entry == NULL) {
        unsigned found = 0;
        int error = ask_machine(name, &found);
        if (error != 0 && error != ENOENT)
            return error;
        entry = add_name(name);
        if (error == 0)
            error = make_sem(entry, found);
        if (error != 0 && error != ENOENT)
            return error;
    }
    if (entry->sem != NULL && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        return EEXIST;
    if (entry->sem == NULL) {
        if (!(flags & O_CREAT))
            return ENOENT;
        if (value > SEM_VALUE_MAX)
            return EINVAL;
        int error = make_sem(entry, value);
        if (error != 0)
            return error;
    }
    entry->references++;
    *sem = entry->sem;
    return 0;
}

int semaphore_open(struct task *self, uintptr_t pc, const char *name, int flags, mode_t mode, unsigned value,
                   sem_t **sem)
{
    const char *plain;
    int error = check_name(name, &plain);
    if (error != 0)
        return error;
    if (self == NULL) { /* in a child */
        if (find_name(plain) != NULL)
            return open_name(plain, flags, value, sem);
        *sem = REAL(sem_open)(name, flags, mode, value);
        return *sem == SEM_FAILED ? errno : 0;
    }
    struct op op = model_op(OP_SEM_INIT, pc, NULL, NULL);
    sched_point(self, &op);
    const struct named *known = find_name(plain);
    bool made = known == NULL || known->sem == NULL;
    error = open_name(plain, flags, value, sem);
    if (error != 0)
        return model_done(self, &op, error, 0);
    op.address = (uintptr_t)*sem;
    model_shared("named semaphore");
    int first = 0;
    REAL(sem_getvalue)(*sem, &first);
    record_event(self, &op, made ? (uint64_t)first : 0, made ? EVENT_VALUE : 0); /* no value: was there before */
    return 0;
}

static int close_sem(sem_t *sem)
{
    struct named *entry = find_sem(sem);
    if (entry == NULL) /* opened before the run */
        return REAL(sem_close)(sem) == 0 ? 0 : errno;
    if (entry->references == 0)
        return EINVAL;
    entry->references--;
    return 0;
}

int semaphore_close(struct task *self, uintptr_t pc, sem_t *sem)
{
    if (self == NULL)
        return close_sem(sem);
    struct op op = model_op(OP_SEM_DESTROY, pc, sem, NULL);
    sched_point(self, &op);
    return model_done(self, &op, close_sem(sem), 0);
}

static int unlink_name(const char *name)
{
    struct named *entry = find_name(name);
    unsigned ignored;
    if (entry == NULL) {
        int error = ask_machine(name, &ignored);
        if (error == 0)
            add_name(name); /* does not exist in this run, even if the machine has it */
        return error;
    }
    if (entry->sem == NULL)
        return ENOENT;
    entry->has_name = false;
    add_name(entry->name);
    return 0;
}

int semaphore_unlink(struct task *self, uintptr_t pc, const char *name)
{
    const char *plain;
    if (check_name(name, &plain) != 0)
        return ENOENT;
    if (self == NULL) {
        if (find_name(plain) != NULL)
            return unlink_name(plain);
        return REAL(sem_unlink)(name) == 0 ? 0 : errno;
    }
    struct op op = model_op(OP_SEM_DESTROY, pc, NULL, NULL);
    sched_point(self, &op);
    return model_done(self, &op, unlink_name(plain), 0);
}
