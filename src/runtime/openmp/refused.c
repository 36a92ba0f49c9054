/* SPDX-License-Identifier: MIT
 *
 * refused.c - the entry points of libgomp and libomp that have no model: named, and the run ends without a verdict.
 *
 * Where nothing is under control the call goes on with all its arguments, which only assembler can do for functions of any type: the
 * registers of arguments are saved while the address is looked up.
 */
#include "runtime/openmp/openmp.h"

#include "runtime/arch/arch.h"

struct refused {
    const char *name, *what;
};

/* The real function; does not return under control. */
__attribute__((used)) static void *
openmp_real_or_refuse(const struct refused *refused) __asm__("openmp_real_or_refuse");
static void *openmp_real_or_refuse(const struct refused *refused)
{
    if (rt_self != NULL && !task_is_inside(rt_self)) {
        task_go_inside(rt_self);
        openmp_refuse(refused->what);
    }
    void *known = NULL;
    return openmp_real(refused->name, &known);
}

#define REFUSE(name, what)                                                                                             \
    __attribute__((used)) static const struct refused refused_##name __asm__("openmp_refused_" #name) = {#name, what}; \
    __asm__(".pushsection .text.unlikely, \"ax\", @progbits\n"                                                         \
            ".weak " #name "\n.type " #name ", @function\n" #name                                                      \
            ":\n" ARCH_CALL_AND_JUMP("openmp_real_or_refuse", "openmp_refused_" #name) ".size " #name ", . - " #name   \
                                                                                       "\n.popsection\n");

#define TARGET    "target regions are"
#define DOACROSS  "loops with depend(sink) are"
#define REDUCTION "task reductions are"
#define TEAMS     "teams regions are"
#define DETACH    "detached tasks are"
#define THREADS   "threadprivate variables without thread-local storage are"
#define FORTRAN   "calls of the Fortran interface are"
#define OPENACC   "OpenACC constructs are"
#define TOOLS     "memory of libomp's own allocators is"

REFUSE(GOMP_target, TARGET)
REFUSE(GOMP_target_ext, TARGET)
REFUSE(GOMP_target_data, TARGET)
REFUSE(GOMP_target_data_ext, TARGET)
REFUSE(GOMP_target_end_data, TARGET)
REFUSE(GOMP_target_update, TARGET)
REFUSE(GOMP_target_update_ext, TARGET)
REFUSE(GOMP_target_enter_exit_data, TARGET)
REFUSE(GOMP_teams, TEAMS)
REFUSE(GOMP_teams4, TEAMS)
REFUSE(__tgt_target_mapper, TARGET)
REFUSE(__tgt_target_nowait_mapper, TARGET)
REFUSE(__tgt_target_teams_mapper, TARGET)
REFUSE(__tgt_target_teams_nowait_mapper, TARGET)
REFUSE(__tgt_target_kernel, TARGET)
REFUSE(__tgt_target_data_begin_mapper, TARGET)
REFUSE(__tgt_target_data_end_mapper, TARGET)
REFUSE(__tgt_target_data_update_mapper, TARGET)
REFUSE(__kmpc_omp_target_task_alloc, TARGET)
REFUSE(__kmpc_fork_teams, TEAMS)
REFUSE(__kmpc_push_num_teams, TEAMS)
REFUSE(__kmpc_push_num_teams_51, TEAMS)
REFUSE(__kmpc_team_static_init_4, TEAMS)
REFUSE(__kmpc_team_static_init_4u, TEAMS)
REFUSE(__kmpc_team_static_init_8, TEAMS)
REFUSE(__kmpc_team_static_init_8u, TEAMS)
REFUSE(__kmpc_dist_for_static_init_4, TEAMS)
REFUSE(__kmpc_dist_for_static_init_4u, TEAMS)
REFUSE(__kmpc_dist_for_static_init_8, TEAMS)
REFUSE(__kmpc_dist_for_static_init_8u, TEAMS)
REFUSE(__kmpc_dist_dispatch_init_4, TEAMS)
REFUSE(__kmpc_dist_dispatch_init_4u, TEAMS)
REFUSE(__kmpc_dist_dispatch_init_8, TEAMS)
REFUSE(__kmpc_dist_dispatch_init_8u, TEAMS)

REFUSE(GOMP_doacross_post, DOACROSS)
REFUSE(GOMP_doacross_wait, DOACROSS)
REFUSE(GOMP_doacross_ull_post, DOACROSS)
REFUSE(GOMP_doacross_ull_wait, DOACROSS)
REFUSE(GOMP_loop_doacross_start, DOACROSS)
REFUSE(GOMP_loop_doacross_static_start, DOACROSS)
REFUSE(GOMP_loop_doacross_dynamic_start, DOACROSS)
REFUSE(GOMP_loop_doacross_guided_start, DOACROSS)
REFUSE(GOMP_loop_doacross_runtime_start, DOACROSS)
REFUSE(GOMP_loop_ull_doacross_start, DOACROSS)
REFUSE(GOMP_loop_ull_doacross_static_start, DOACROSS)
REFUSE(GOMP_loop_ull_doacross_dynamic_start, DOACROSS)
REFUSE(GOMP_loop_ull_doacross_guided_start, DOACROSS)
REFUSE(GOMP_loop_ull_doacross_runtime_start, DOACROSS)
REFUSE(__kmpc_doacross_init, DOACROSS)
REFUSE(__kmpc_doacross_wait, DOACROSS)
REFUSE(__kmpc_doacross_post, DOACROSS)
REFUSE(__kmpc_doacross_fini, DOACROSS)

REFUSE(GOMP_parallel_reductions, REDUCTION)
REFUSE(GOMP_taskgroup_reduction_register, REDUCTION)
REFUSE(GOMP_taskgroup_reduction_unregister, REDUCTION)
REFUSE(GOMP_task_reduction_remap, REDUCTION)
REFUSE(GOMP_workshare_task_reduction_unregister, REDUCTION)
REFUSE(__kmpc_task_reduction_init, REDUCTION)
REFUSE(__kmpc_task_reduction_get_th_data, REDUCTION)
REFUSE(__kmpc_task_reduction_modifier_init, REDUCTION)
REFUSE(__kmpc_task_reduction_modifier_fini, REDUCTION)
REFUSE(__kmpc_taskred_init, REDUCTION)
REFUSE(__kmpc_taskred_modifier_init, REDUCTION)

REFUSE(omp_fulfill_event, DETACH)
REFUSE(__kmpc_task_allow_completion_event, DETACH)
REFUSE(__kmpc_proxy_task_completed, DETACH)
REFUSE(__kmpc_proxy_task_completed_ooo, DETACH)

REFUSE(__kmpc_threadprivate, THREADS)
REFUSE(__kmpc_threadprivate_cached, THREADS)
REFUSE(__kmpc_threadprivate_register, THREADS)
REFUSE(__kmpc_threadprivate_register_vec, THREADS)

REFUSE(__kmpc_alloc, TOOLS)
REFUSE(__kmpc_aligned_alloc, TOOLS)
REFUSE(__kmpc_free, TOOLS)

REFUSE(GOACC_parallel_keyed, OPENACC)
REFUSE(GOACC_parallel, OPENACC)
REFUSE(GOACC_data_start, OPENACC)
REFUSE(GOACC_enter_exit_data, OPENACC)
REFUSE(GOACC_update, OPENACC)
REFUSE(GOACC_wait, OPENACC)

REFUSE(omp_set_num_threads_, FORTRAN)
REFUSE(omp_set_dynamic_, FORTRAN)
REFUSE(omp_set_nested_, FORTRAN)
REFUSE(omp_set_schedule_, FORTRAN)
REFUSE(omp_set_max_active_levels_, FORTRAN)
REFUSE(omp_init_lock_, FORTRAN)
REFUSE(omp_set_lock_, FORTRAN)
REFUSE(omp_unset_lock_, FORTRAN)
REFUSE(omp_test_lock_, FORTRAN)
REFUSE(omp_destroy_lock_, FORTRAN)
REFUSE(omp_init_nest_lock_, FORTRAN)
REFUSE(omp_set_nest_lock_, FORTRAN)
REFUSE(omp_unset_nest_lock_, FORTRAN)
REFUSE(omp_test_nest_lock_, FORTRAN)
REFUSE(omp_destroy_nest_lock_, FORTRAN)
REFUSE(omp_get_thread_num_, FORTRAN)
REFUSE(omp_get_num_threads_, FORTRAN)
REFUSE(omp_get_max_threads_, FORTRAN)
REFUSE(omp_in_parallel_, FORTRAN)
REFUSE(omp_get_level_, FORTRAN)
REFUSE(omp_get_active_level_, FORTRAN)
REFUSE(omp_get_ancestor_thread_num_, FORTRAN)
REFUSE(omp_get_team_size_, FORTRAN)
