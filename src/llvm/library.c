/* SPDX-License-Identifier: MIT
 *
 * library.c - functions of libc, libpthread, libstdc++ and OpenMP that matter to the analysis, beyond what LLVM knows of libc.
 */
#include <string.h>

#include "llvm/read.h"

/* ---- tables --------------------------------------------------------------------------------------------------------- */

/* Per argument, the last one for all that follow:
     -   it is not used as an address, or what it points to is the library's
     r   what it points to is read      w   written      u   both
     k   the library keeps it, and may use it at any time
     f   a function that is called during the call, with the arguments that are addresses
     H   what it points to gets a new block of the heap
   Result: -  no address;  o  the library's;  h  a new block;  0 … 3  that argument. */
struct library_function {
    const char *name, *arguments;
    char result;
};

static const struct library_function functions[] = {
    {"printf", "r", '-'},
    {"fprintf", "-r", '-'},
    {"dprintf", "-r", '-'},
    {"sprintf", "wr", '-'},
    {"snprintf", "w-r", '-'},
    {"vprintf", "ru", '-'},
    {"vfprintf", "-ru", '-'},
    {"vsnprintf", "w-ru", '-'},
    {"vsprintf", "wru", '-'},
    {"asprintf", "Hr", '-'},
    {"vasprintf", "Hru", '-'},
    {"puts", "r", '-'},
    {"fputs", "r-", '-'},
    {"putchar", "-", '-'},
    {"fputc", "--", '-'},
    {"perror", "r", '-'},
    {"fwrite", "r---", '-'},
    {"fread", "w---", '-'},
    {"fgets", "w--", '0'},
    {"fflush", "-", '-'},
    {"fclose", "-", '-'},
    {"fopen", "rr", 'o'},
    {"fdopen", "-r", 'o'},
    {"scanf", "rw", '-'},
    {"fscanf", "-rw", '-'},
    {"sscanf", "rrw", '-'},
    {"__isoc99_scanf", "rw", '-'},
    {"__isoc99_fscanf", "-rw", '-'},
    {"__isoc99_sscanf", "rrw", '-'},
    {"getline", "Hu-", '-'},
    {"getdelim", "Hu--", '-'},
    {"__printf_chk", "-r", '-'},
    {"__fprintf_chk", "--r", '-'},
    {"__sprintf_chk", "w--r", '-'},
    {"__snprintf_chk", "w---r", '-'},
    {"__vsnprintf_chk", "w---ru", '-'},
    {"__vfprintf_chk", "--ru", '-'},
    {"syslog", "-r", '-'},
    {"strcpy", "wr", '0'},
    {"strncpy", "wr-", '0'},
    {"strcat", "ur", '0'},
    {"strncat", "ur-", '0'},
    {"stpcpy", "wr", '0'},
    {"stpncpy", "wr-", '0'},
    {"strchr", "r-", '0'},
    {"strrchr", "r-", '0'},
    {"strstr", "rr", '0'},
    {"strpbrk", "rr", '0'},
    {"memchr", "r--", '0'},
    {"memrchr", "r--", '0'},
    {"rawmemchr", "r-", '0'},
    {"strchrnul", "r-", '0'},
    {"strcasestr", "rr", '0'},
    {"memmem", "r-r-", '0'},
    {"strlen", "r", '-'},
    {"strnlen", "r-", '-'},
    {"strcmp", "rr", '-'},
    {"strncmp", "rr-", '-'},
    {"strcasecmp", "rr", '-'},
    {"strncasecmp", "rr-", '-'},
    {"memcmp", "rr-", '-'},
    {"bcmp", "rr-", '-'},
    {"strspn", "rr", '-'},
    {"strcspn", "rr", '-'},
    {"strcoll", "rr", '-'},
    {"strxfrm", "wr-", '-'},
    {"memset", "w--", '0'},
    {"explicit_bzero", "w-", '-'},
    {"bzero", "w-", '-'},
    {"strerror", "-", 'o'},
    {"strerror_r", "-w-", '1'},
    {"__xpg_strerror_r", "-w-", '-'},
    {"atoi", "r", '-'},
    {"atol", "r", '-'},
    {"atoll", "r", '-'},
    {"atof", "r", '-'},
    {"getenv", "r", 'o'},
    {"secure_getenv", "r", 'o'},
    {"setenv", "rr-", '-'},
    {"unsetenv", "r", '-'},
    {"time", "w", '-'},
    {"clock", "-", '-'},
    {"gettimeofday", "ww", '-'},
    {"clock_gettime", "-w", '-'},
    {"clock_getres", "-w", '-'},
    {"nanosleep", "rw", '-'},
    {"clock_nanosleep", "--rw", '-'},
    {"sleep", "-", '-'},
    {"usleep", "-", '-'},
    {"localtime_r", "rw", '1'},
    {"gmtime_r", "rw", '1'},
    {"mktime", "u", '-'},
    {"strftime", "w-rr", '-'},
    {"localtime", "r", 'o'},
    {"gmtime", "r", 'o'},
    {"ctime", "r", 'o'},
    {"rand", "-", '-'},
    {"srand", "-", '-'},
    {"rand_r", "u", '-'},
    {"random", "-", '-'},
    {"srandom", "-", '-'},
    {"drand48", "-", '-'},
    {"abort", "-", '-'},
    {"exit", "-", '-'},
    {"_exit", "-", '-'},
    {"quick_exit", "-", '-'},
    {"__assert_fail", "rr-r", '-'},
    {"__assert_perror_fail", "-r-r", '-'},
    {"__stack_chk_fail", "-", '-'},
    {"__errno_location", "-", '!'},
    {"sched_yield", "-", '-'},
    {"sysconf", "-", '-'},
    {"getpid", "-", '-'},
    {"gettid", "-", '-'},
    {"pthread_self", "-", '-'},
    {"thrd_current", "-", '-'},
    {"pthread_equal", "--", '-'},
    {"pthread_detach", "-", '-'},
    {"thrd_detach", "-", '-'},
    {"thrd_exit", "-", '-'},
    {"pthread_cancel", "-", '-'},
    {"pthread_testcancel", "-", '-'},
    {"pthread_setcancelstate", "-w", '-'},
    {"pthread_setcanceltype", "-w", '-'},
    {"pthread_kill", "--", '-'},
    {"pthread_sigmask", "-rw", '-'},
    {"sigprocmask", "-rw", '-'},
    {"raise", "-", '-'},
    {"kill", "--", '-'},
    {"sigemptyset", "w", '-'},
    {"sigfillset", "w", '-'},
    {"sigaddset", "u-", '-'},
    {"sigdelset", "u-", '-'},
    {"sigismember", "r-", '-'},
    {"sigwait", "rw", '-'},
    {"sigwaitinfo", "rw", '-'},
    {"sigtimedwait", "rwr", '-'},
    {"sigsuspend", "r", '-'},
    {"thrd_sleep", "rw", '-'},
    {"thrd_yield", "-", '-'},
    {"alarm", "-", '-'},
    {"pause", "-", '-'},
    {"pthread_attr_init", "w", '-'},
    {"pthread_attr_destroy", "w", '-'},
    {"pthread_attr_setdetachstate", "u-", '-'},
    {"pthread_attr_setstacksize", "u-", '-'},
    {"pthread_attr_getstacksize", "rw", '-'},
    {"pthread_mutex_init", "-r", '-'},
    {"pthread_mutex_destroy", "-", '-'},
    {"mtx_init", "--", '-'},
    {"mtx_destroy", "-", '-'},
    {"cnd_init", "-", '-'},
    {"cnd_destroy", "-", '-'},
    {"pthread_cond_init", "-r", '-'},
    {"pthread_cond_destroy", "-", '-'},
    {"pthread_rwlock_init", "-r", '-'},
    {"pthread_rwlock_destroy", "-", '-'},
    {"pthread_spin_init", "--", '-'},
    {"pthread_spin_destroy", "-", '-'},
    {"pthread_barrier_init", "-r-", '-'},
    {"pthread_barrier_destroy", "-", '-'},
    {"pthread_barrier_wait", "-", '-'},
    {"sem_init", "---", '-'},
    {"sem_destroy", "-", '-'},
    {"sem_getvalue", "-w", '-'},
    {"sem_open", "r---", 'o'},
    {"sem_close", "-", '-'},
    {"sem_unlink", "r", '-'},
    {"pthread_mutexattr_init", "w", '-'},
    {"pthread_mutexattr_settype", "u-", '-'},
    {"pthread_mutexattr_destroy", "w", '-'},
    {"pthread_mutexattr_setrobust", "u-", '-'},
    {"pthread_mutexattr_setprotocol", "u-", '-'},
    {"pthread_mutexattr_setpshared", "u-", '-'},
    {"pthread_condattr_init", "w", '-'},
    {"pthread_condattr_setclock", "u-", '-'},
    {"pthread_condattr_destroy", "w", '-'},
    {"pthread_mutex_consistent", "-", '-'},
    {"pthread_setname_np", "-r", '-'},
    {"pthread_getname_np", "-w-", '-'},
    {"read", "-w-", '-'},
    {"write", "-r-", '-'},
    {"pread", "-w--", '-'},
    {"pwrite", "-r--", '-'},
    {"open", "r-", '-'},
    {"open64", "r-", '-'},
    {"close", "-", '-'},
    {"pipe", "w", '-'},
    {"pipe2", "w-", '-'},
    {"dup", "-", '-'},
    {"dup2", "--", '-'},
    {"lseek", "---", '-'},
    {"unlink", "r", '-'},
    {"stat", "rw", '-'},
    {"fstat", "-w", '-'},
    {"lstat", "rw", '-'},
    {"access", "r-", '-'},
    {"poll", "u--", '-'},
    {"select", "-uuuu", '-'},
    {"send", "-r--", '-'},
    {"recv", "-w--", '-'},
    {"socketpair", "---w", '-'},
    {"eventfd", "--", '-'},
    {"epoll_wait", "-w--", '-'},
    {"bsearch", "rr--f", '1'},
    {"qsort", "u--f", '-'},
    {"pthread_once", "-f", '-'},
    {"call_once", "-f", '-'},
    {"malloc", "-", 'h'},
    {"calloc", "--", 'h'},
    {"aligned_alloc", "--", 'h'},
    {"memalign", "--", 'h'},
    {"valloc", "-", 'h'},
    {"strdup", "r", 'h'},
    {"strndup", "r-", 'h'},
    {"__strdup", "r", 'h'},
    {"posix_memalign", "H--", '-'},
    {"malloc_usable_size", "-", '-'},
    {"mmap", "------", 'h'},
    {"munmap", "--", '-'},
    {"_Znwm", "-", 'h'},
    {"_Znam", "-", 'h'},
    {"_ZnwmSt11align_val_t", "--", 'h'},
    {"_ZnamSt11align_val_t", "--", 'h'},
    {"_ZnwmRKSt9nothrow_t", "--", 'h'},
    {"_ZnamRKSt9nothrow_t", "--", 'h'},
    {"_ZSt9terminatev", "-", '-'},
    {"__cxa_begin_catch", "-", '0'},
    {"__cxa_end_catch", "-", '-'},
    {"__cxa_guard_acquire", "-", '-'},
    {"__cxa_guard_release", "-", '-'},
    {"__cxa_allocate_exception", "-", 'h'},
    {"__gxx_personality_v0", "-", '-'},
    {"pthread_setspecific", "-k", '-'},
    {"pthread_getspecific", "-", 'o'},
    {"pthread_key_create", "wk", '-'},
    {"__kmpc_global_thread_num", "-", '-'},
    {"__kmpc_barrier", "--", '-'},
    {"__kmpc_for_static_fini", "--", '-'},
    {"__kmpc_for_static_init_4", "---uuuu--", '-'},
    {"__kmpc_for_static_init_4u", "---uuuu--", '-'},
    {"__kmpc_for_static_init_8", "---uuuu--", '-'},
    {"__kmpc_for_static_init_8u", "---uuuu--", '-'},
    {"__kmpc_dispatch_next_4", "--uuuu", '-'},
    {"__kmpc_dispatch_next_8", "--uuuu", '-'},
    {"__kmpc_dispatch_next_4u", "--uuuu", '-'},
    {"__kmpc_dispatch_next_8u", "--uuuu", '-'},
    {"__kmpc_dispatch_init_4", "-", '-'},
    {"__kmpc_dispatch_init_8", "-", '-'},
    {"__kmpc_dispatch_init_4u", "-", '-'},
    {"__kmpc_dispatch_init_8u", "-", '-'},
    {"__kmpc_single", "--", '-'},
    {"__kmpc_end_single", "--", '-'},
    {"__kmpc_master", "--", '-'},
    {"__kmpc_end_master", "--", '-'},
    {"__kmpc_masked", "-", '-'},
    {"__kmpc_end_masked", "--", '-'},
    {"__kmpc_omp_taskwait", "--", '-'},
    {"__kmpc_taskgroup", "--", '-'},
    {"__kmpc_end_taskgroup", "--", '-'},
    {"__kmpc_omp_task", "---", '-'},
    {"__kmpc_omp_task_with_deps", "---r-r-r", '-'},
    {"__kmpc_push_num_threads", "---", '-'},
    {"__kmpc_flush", "-", '-'},
    {"__kmpc_taskloop", "---", '-'},
    {"__kmpc_omp_taskyield", "-", '-'},
    {"__kmpc_ordered", "-", '-'},
    {"__kmpc_end_ordered", "-", '-'},
    {"__kmpc_omp_task_begin_if0", "-", '-'},
    {"__kmpc_omp_task_complete_if0", "-", '-'},
    {"omp_get_thread_num", "-", '-'},
    {"omp_get_num_threads", "-", '-'},
    {"omp_set_num_threads", "-", '-'},
    {"omp_get_max_threads", "-", '-'},
    {"omp_init_lock", "-", '-'},
    {"omp_destroy_lock", "-", '-'},
};

/* Functions that synchronise: the kind of operation, and the argument that is the object. */
static const struct library_operation {
    const char *name;
    enum ir_op_kind kind;
    signed char argument, mutex;
} operations[] = {
    {"pthread_mutex_lock", IR_LOCK, 0, -1},
    {"pthread_mutex_timedlock", IR_TRYLOCK, 0, -1},
    {"pthread_mutex_clocklock", IR_TRYLOCK, 0, -1},
    {"pthread_mutex_trylock", IR_TRYLOCK, 0, -1},
    {"pthread_mutex_unlock", IR_UNLOCK, 0, -1},
    {"mtx_lock", IR_LOCK, 0, -1},
    {"mtx_trylock", IR_TRYLOCK, 0, -1},
    {"mtx_timedlock", IR_TRYLOCK, 0, -1},
    {"mtx_unlock", IR_UNLOCK, 0, -1},
    {"pthread_spin_lock", IR_LOCK, 0, -1},
    {"pthread_spin_trylock", IR_TRYLOCK, 0, -1},
    {"pthread_spin_unlock", IR_UNLOCK, 0, -1},
    {"pthread_rwlock_wrlock", IR_LOCK, 0, -1},
    {"pthread_rwlock_rdlock", IR_RDLOCK, 0, -1},
    {"pthread_rwlock_unlock", IR_UNLOCK, 0, -1},
    {"pthread_rwlock_trywrlock", IR_TRYLOCK, 0, -1},
    {"pthread_rwlock_tryrdlock", IR_TRYLOCK, 0, -1},
    {"pthread_rwlock_timedwrlock", IR_TRYLOCK, 0, -1},
    {"pthread_rwlock_timedrdlock", IR_TRYLOCK, 0, -1},
    {"pthread_cond_wait", IR_WAIT, 0, 1},
    {"pthread_cond_timedwait", IR_WAIT, 0, 1},
    {"pthread_cond_clockwait", IR_WAIT, 0, 1},
    {"cnd_wait", IR_WAIT, 0, 1},
    {"cnd_timedwait", IR_WAIT, 0, 1},
    {"pthread_cond_signal", IR_SIGNAL, 0, -1},
    {"pthread_cond_broadcast", IR_SIGNAL, 0, -1},
    {"cnd_signal", IR_SIGNAL, 0, -1},
    {"cnd_broadcast", IR_SIGNAL, 0, -1},
    {"sem_wait", IR_ACQUIRE, 0, -1},
    {"sem_trywait", IR_ACQUIRE, 0, -1},
    {"sem_timedwait", IR_ACQUIRE, 0, -1},
    {"sem_clockwait", IR_ACQUIRE, 0, -1},
    {"sem_post", IR_POST, 0, -1},
    {"omp_set_lock", IR_LOCK, 0, -1},
    {"omp_unset_lock", IR_UNLOCK, 0, -1},
    {"omp_test_lock", IR_TRYLOCK, 0, -1},
    {"__kmpc_critical", IR_LOCK, 2, -1},
    {"__kmpc_end_critical", IR_UNLOCK, 2, -1},
};

/* ---- functions of the table ----------------------------------------------------------------------------------------- */

static void flow_between_arguments(struct read *read, LLVMValueRef instruction, uint32_t written)
{
    unsigned count = LLVMGetNumArgOperands(instruction);
    uint32_t all = ir_node(read->program);
    for (unsigned i = 0; i < count; i++) {
        uint32_t node = read_argument(read, instruction, i);
        if (node == IR_NONE)
            continue;
        ir_constrain(read->program, CONSTRAINT_COPY, all, node, 0, 0);
        ir_constrain(read->program, CONSTRAINT_COLLECT, all, node, 0, 0);
    }
    ir_constrain(read->program, CONSTRAINT_SPREAD, written, all, 0, 0);
}

/* The function gets the other arguments that are addresses, in any order. */
static void call_back(struct read *read, LLVMValueRef instruction, uint32_t function)
{
    uint32_t all = ir_node(read->program), args[2] = {all, all};
    unsigned count = LLVMGetNumArgOperands(instruction);
    for (unsigned i = 0; i < count; i++) {
        uint32_t node = read_argument(read, instruction, i);
        if (node != IR_NONE && node != function)
            ir_constrain(read->program, CONSTRAINT_STRIDE, all, node, 0, 1);
    }
    uint32_t call = read_make_call(read, IR_NONE, function, args, 2, IR_NONE);
    read_op(read, IR_CALL, 0, instruction, IR_NONE, 0)->call = call;
}

static void do_argument(struct read *read, LLVMValueRef instruction, unsigned index, char what)
{
    struct ir_program *program = read->program;
    uint32_t node = read_argument(read, instruction, index);
    bool address = LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(instruction, index))) == LLVMPointerTypeKind;
    if (node == IR_NONE || what == '-')
        return;
    if (what == 'k')
        ir_constrain(program, CONSTRAINT_COPY, program->outside_node, node, 0, 0);
    if (!address)
        return;
    if (what == 'r' || what == 'u' || what == 'H')
        read_op(read, IR_READ, OP_LIBRARY, instruction, node, IR_UNKNOWN);
    if (what == 'w' || what == 'u' || what == 'H')
        read_op(read, IR_WRITE, OP_LIBRARY, instruction, node, IR_UNKNOWN);
    if (what == 'w' || what == 'u')
        flow_between_arguments(read, instruction, node);
    if (what == 'H') {
        uint32_t block = ir_node(program);
        ir_constrain(program, CONSTRAINT_ADDRESS, block, read_heap(read, instruction, IR_UNKNOWN), 0, 0);
        ir_constrain(program, CONSTRAINT_STORE, node, block, sizeof(void *), 0);
    }
    if (what == 'f')
        call_back(read, instruction, node);
}

/* errno and the like: a variable of the thread. */
static uint32_t thread_variable(struct read *read, LLVMValueRef instruction)
{
    struct ir_object object = {.kind = OBJECT_THREAD, .type = IR_NONE, .size = IR_UNKNOWN, .function = IR_NONE};
    object.name = ir_text_add(read->program, "errno");
    object.place = read->program->places.data[read_place(read, instruction)];
    return ir_object_add(read->program, &object);
}

static void do_result(struct read *read, LLVMValueRef instruction, char what)
{
    struct ir_program *program = read->program;
    uint32_t result = read_value(read, instruction);
    if (result == IR_NONE || what == '-')
        return;
    if (what == 'o')
        ir_constrain(program, CONSTRAINT_COPY, result, program->outside_node, 0, 0);
    else if (what == 'h')
        ir_constrain(program, CONSTRAINT_ADDRESS, result, read_heap(read, instruction, IR_UNKNOWN), 0, 0);
    else if (what == '!')
        ir_constrain(program, CONSTRAINT_ADDRESS, result, thread_variable(read, instruction), 0, 0);
    else if (read_argument(read, instruction, (unsigned)(what - '0')) != IR_NONE)
        ir_constrain(program, CONSTRAINT_STRIDE, result, read_argument(read, instruction, (unsigned)(what - '0')), 0,
                     1);
}

static bool call_function(struct read *read, LLVMValueRef instruction, const char *name)
{
    const struct library_function *found = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0] && found == NULL; i++)
        if (strcmp(functions[i].name, name) == 0)
            found = &functions[i];
    if (found == NULL)
        return false;
    size_t letters = strlen(found->arguments);
    unsigned count = LLVMGetNumArgOperands(instruction);
    for (unsigned i = 0; i < count; i++)
        do_argument(read, instruction, i, found->arguments[i < letters ? i : letters - 1]);
    do_result(read, instruction, found->result);
    return true;
}

static bool call_operation(struct read *read, LLVMValueRef instruction, const char *name)
{
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (strcmp(operations[i].name, name) != 0)
            continue;
        uint32_t object = read_argument(read, instruction, (unsigned)operations[i].argument);
        uint32_t mutex = operations[i].mutex < 0 ? IR_NONE : read_argument(read, instruction, 1);
        read_op(read, operations[i].kind, 0, instruction, object, 1)->second = mutex;
        return true;
    }
    return false;
}

/* ---- threads -------------------------------------------------------------------------------------------------------- */

static void note_handle(struct read *read, LLVMValueRef instruction, struct ir_op *op, bool join)
{
    int64_t offset;
    LLVMValueRef variable = loops_handle(read, instruction, join, &offset);
    if (variable == NULL)
        return;
    const uint64_t *object = table_get(&read->objects, (uint64_t)(uintptr_t)variable);
    op->handle = object != NULL ? (uint32_t)*object - 1 : IR_NONE;
    op->handle_offset = (uint64_t)offset;
}

static void create_thread(struct read *read, LLVMValueRef instruction, unsigned start, unsigned argument)
{
    uint32_t routine = read_argument(read, instruction, start), data = read_argument(read, instruction, argument);
    uint32_t handle = read_argument(read, instruction, 0);
    if (routine == IR_NONE)
        return;
    *table_put(&read->creates, (uint64_t)(uintptr_t)instruction) = read->program->ops.count;
    uint32_t call = read_make_call(read, IR_NONE, routine, &data, 1, read->results);
    struct ir_op *op = read_op(read, IR_CREATE, 0, instruction, IR_NONE, 0);
    op->call = call;
    note_handle(read, instruction, op, false);
    if (handle != IR_NONE) /* may be after the thread has begun */
        read_op(read, IR_WRITE, 0, instruction, handle, sizeof(unsigned long));
}

/* The result of the thread, whichever it is, goes to the second argument. */
static void join_thread(struct read *read, LLVMValueRef instruction)
{
    uint32_t result = read_argument(read, instruction, 1);
    note_handle(read, instruction, read_op(read, IR_JOIN, 0, instruction, IR_NONE, 0), true);
    if (result == IR_NONE)
        return;
    read_op(read, IR_WRITE, 0, instruction, result, sizeof(void *));
    ir_constrain(read->program, CONSTRAINT_STORE, result, read->results, sizeof(void *), 0);
}

static void exit_thread(struct read *read, LLVMValueRef instruction)
{
    uint32_t result = read_argument(read, instruction, 0);
    if (result != IR_NONE)
        ir_constrain(read->program, CONSTRAINT_COPY, read->results, result, 0, 0);
}

/* A parallel region of OpenMP: the function runs in all threads of the team, this one too. */
static void fork_team(struct read *read, LLVMValueRef instruction)
{
    VECTOR(uint32_t) args = {0};
    uint32_t routine = read_argument(read, instruction, 2);
    vector_push(&args, IR_NONE);
    vector_push(&args, IR_NONE);
    for (unsigned i = 3; i < LLVMGetNumArgOperands(instruction); i++)
        vector_push(&args, read_argument(read, instruction, i));
    uint32_t own = read_make_call(read, IR_NONE, routine, args.data, (unsigned)args.count, IR_NONE);
    uint32_t others = read_make_call(read, IR_NONE, routine, args.data, (unsigned)args.count, IR_NONE);
    uint32_t create = (uint32_t)read->program->ops.count;
    read_op(read, IR_CREATE, OP_TEAM, instruction, IR_NONE, 0)->call = others;
    read_op(read, IR_CALL, 0, instruction, IR_NONE, 0)->call = own;
    read_op(read, IR_JOIN_ALL, OP_TEAM, instruction, IR_NONE, 0)->second = create;
    vector_free(&args);
}

/* A task of OpenMP: a block with a pointer to shared variables at its beginning; any thread runs it, at any time. */
static void allocate_task(struct read *read, LLVMValueRef instruction)
{
    struct ir_program *program = read->program;
    uint32_t task = read_value(read, instruction), routine = read_argument(read, instruction, 5);
    uint32_t shared = ir_node(program), args[2] = {IR_NONE, task};
    ir_constrain(program, CONSTRAINT_ADDRESS, task, read_heap(read, instruction, IR_UNKNOWN), 0, 0);
    ir_constrain(program, CONSTRAINT_ADDRESS, shared, read_heap(read, instruction, IR_UNKNOWN), 0, 0);
    ir_constrain(program, CONSTRAINT_STORE, task, shared, sizeof(void *), 0);
    uint32_t call = read_make_call(read, IR_NONE, routine, args, 2, IR_NONE);
    read_op(read, IR_CREATE, OP_TEAM, instruction, IR_NONE, 0)->call = call;
}

/* std::thread: calls the third virtual function of the state that a unique_ptr points to. */
static void create_std_thread(struct read *read, LLVMValueRef instruction)
{
    struct ir_program *program = read->program;
    uint32_t owner = read_argument(read, instruction, 1);
    uint32_t state = ir_node(program), table = ir_node(program), entry = ir_node(program), routine = ir_node(program);
    if (owner == IR_NONE)
        return;
    ir_constrain(program, CONSTRAINT_LOAD, state, owner, sizeof(void *), 0);
    ir_constrain(program, CONSTRAINT_LOAD, table, state, sizeof(void *), 0);
    ir_constrain(program, CONSTRAINT_OFFSET, entry, table, 2 * sizeof(void *), 0);
    ir_constrain(program, CONSTRAINT_LOAD, routine, entry, sizeof(void *), 0);
    uint32_t call = read_make_call(read, IR_NONE, routine, &state, 1, IR_NONE);
    read_op(read, IR_CREATE, 0, instruction, IR_NONE, 0)->call = call;
}

static bool call_thread(struct read *read, LLVMValueRef instruction, const char *name)
{
    if (strcmp(name, "pthread_create") == 0)
        create_thread(read, instruction, 2, 3);
    else if (strcmp(name, "thrd_create") == 0)
        create_thread(read, instruction, 1, 2);
    else if (loops_is_join(instruction))
        join_thread(read, instruction);
    else if (strcmp(name, "pthread_exit") == 0)
        exit_thread(read, instruction);
    else if (strcmp(name, "__kmpc_fork_call") == 0)
        fork_team(read, instruction);
    else if (strcmp(name, "__kmpc_omp_task_alloc") == 0)
        allocate_task(read, instruction);
    else if (strncmp(name, "_ZNSt6thread15_M_start_thread", 29) == 0)
        create_std_thread(read, instruction);
    else
        return false;
    return true;
}

/* ---- all ------------------------------------------------------------------------------------------------------------ */

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static bool call_heap(struct read *read, LLVMValueRef instruction, const char *name)
{
    static const char *const frees[] = {
        "free", "cfree", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t",
        NULL};
    static const char *const moves[] = {"realloc", "reallocarray", NULL};
    uint32_t block = read_argument(read, instruction, 0);
    bool moved = is_one_of(name, moves);
    if (!moved && !is_one_of(name, frees))
        return false;
    if (block != IR_NONE)
        read_op(read, IR_FREE, OP_LIBRARY, instruction, block, IR_UNKNOWN);
    if (moved) {
        do_result(read, instruction, 'h');
        if (block != IR_NONE)
            ir_constrain(read->program, CONSTRAINT_MOVE, read_value(read, instruction), block, IR_UNKNOWN, 0);
    }
    return true;
}

static bool call_move(struct read *read, LLVMValueRef instruction, const char *name)
{
    static const char *const moves[] = {"memcpy", "memmove", "mempcpy", "__memcpy_chk", "__memmove_chk", NULL};
    uint32_t to = read_argument(read, instruction, 0), from = read_argument(read, instruction, 1);
    if (!is_one_of(name, moves) || to == IR_NONE || from == IR_NONE)
        return false;
    read_op(read, IR_READ, OP_LIBRARY, instruction, from, IR_UNKNOWN);
    read_op(read, IR_WRITE, OP_LIBRARY, instruction, to, IR_UNKNOWN);
    ir_constrain(read->program, CONSTRAINT_MOVE, to, from, IR_UNKNOWN, 0);
    do_result(read, instruction, '0');
    return true;
}

bool read_library_call(struct read *read, LLVMValueRef instruction, const char *name)
{
    return call_operation(read, instruction, name) || call_thread(read, instruction, name) ||
           call_heap(read, instruction, name) || call_move(read, instruction, name) ||
           call_function(read, instruction, name);
}
