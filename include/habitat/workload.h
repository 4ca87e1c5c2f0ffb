/* What one iteration of a trace does on its GPU: kernels in groups, with their work and their
 * measured times. It knows nothing of other GPUs and of methods of prediction.
 *
 * Half: stable, but for single kernels and groups, which are marked as experimental.
 * Units: _ms is per iteration, unless a name begins with trace_; _ns is of one kernel.
 * Ownership: the caller frees a workload. It borrows its trace and its GPU, which must outlive it.
 * Arrays and texts belong to the workload.
 * Errors: a habitat_status; on failure outputs are untouched, and `err`, which may be NULL, says
 * why.
 * Threads: several threads may read one workload. */
#ifndef HABITAT_WORKLOAD_H
#define HABITAT_WORKLOAD_H

#include <stdbool.h>

#include <habitat/status.h>
#include <habitat/units.h>
#include <habitat/gpu.h>
#include <habitat/trace.h>
#include <habitat/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What an iteration waits for: the GPU, or the CPU that feeds it. */
typedef enum habitat_bound_by {
    HABITAT_BY_UNKNOWN = 0,
    HABITAT_BY_GPU,
    HABITAT_BY_CPU
} habitat_bound_by;

#ifdef HABITAT_EXPERIMENTAL /* ---- experimental half ---- */

/* One kernel of the workload with what is known of its work. */
typedef struct habitat_workload_kernel {
    const habitat_kernel *kernel;
    uint32_t group;  /* index into groups */
    uint32_t launch; /* kernels that are launched alike (grid, block, registers, shared memory) have
                        the same number; HABITAT_NONE = unknown */
    uint64_t waiting_ns;        /* collective: of its time, waiting for other GPUs; else 0 */
    habitat_kernel_facts facts; /* its share of the operation's flop and bytes */
    habitat_class op_class : 8;
    bool varying;    /* its library picks another kernel for it on another architecture */
    bool main;       /* does its operation's arithmetic: the product, not a change of layout */
    bool persistent; /* the number of its blocks was chosen for the SMs of the origin */
    bool shortened;  /* of one of several ranks: without what a waiting message held it up */
} habitat_workload_kernel;

/* Kernels that one operation launched: what operator models predict as a whole. A kernel of which
 * no operation is known (work.known false, its class told by its name) is a group of its own. */
typedef struct habitat_workload_group {
    const habitat_operation *operation;  /* NULL for kernels without one; never a range or module */
    const habitat_work *work;            /* the same for groups that are alike */
    uint32_t first_kernel, kernel_count; /* into habitat_workload_group_index() */
    double origin_ms;                    /* sum of the times of these kernels, as measured */
} habitat_workload_group;

#endif /* ---- end of the experimental half ---- */

/* What one iteration of a trace does. */
typedef struct habitat_workload habitat_workload;

#ifdef HABITAT_EXPERIMENTAL

/* An operation of which the shape is known and no time. */
typedef struct habitat_untimed_operation {
    const habitat_operation *operation; /* where it was recorded, borrowed; NULL: nowhere */
    habitat_work work;                  /* known */
    habitat_dtype arithmetic;           /* what it computes in; UNKNOWN = the tensors' own */
} habitat_untimed_operation;

#endif

/* The workload as a whole. A time is that of one iteration; a field whose name begins with trace_
 * covers all iterations of the trace. */
typedef struct habitat_workload_info {
    const habitat_gpu *origin; /* NULL: nobody timed it, and every time below is NaN */
    size_t iteration_count;    /* of those whose kernels and groups are listed: all of the trace, of
                                  a recording without a GPU the first */
    size_t trace_kernel_count; /* compute and collective kernels of all iterations */
    size_t trace_copy_count;   /* copies and sets of all iterations */
    double iteration_ms;       /* between the starts of two iterations on the origin; NaN unknown */
    bool iteration_recorded; /* true: measured without the profiler; false: taken from the trace */
    double kernel_ms;        /* sum over kernels */
    double copy_ms;          /* sum over copies and sets */
    double busy_ms;          /* kernels and copies, overlapping ones counted once */
    double waiting_share;    /* of iteration_ms that the GPU is not busy, 0..1; NaN unknown */
    habitat_bound_by bound_by; /* what the origin's iteration waits for */
} habitat_workload_info;

/** What the iterations of a trace do on its main device. Kernels of all iterations are listed;
 * predictions are averages over the iterations. Kernels outside every iteration are left out (and
 * warned about).
 * @param trace  borrowed; must outlive the workload.
 * @param origin GPU of the recording, borrowed.
 * @param out    receives the workload; free with habitat_workload_free().
 * @param err    where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_NO_GPU; HABITAT_E_MEMORY.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_workload_create(const habitat_trace *trace,
                                                   const habitat_gpu *origin,
                                                   habitat_workload **out, habitat_error *err);

#ifdef HABITAT_EXPERIMENTAL

/** What one iteration does, from operations with shapes that nobody timed: each is a group of its
 * own, with one kernel that stands for all of its kernels and whose time is NaN. Predictions of it
 * come from operator models and rules; methods that scale a measured time have none.
 * @param count      receives the number.
 * @param operations shape (count), in the order in which they run, one after the other; copied.
 * @param out        receives the workload; free with habitat_workload_free().
 * @param err        where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG (no operations); HABITAT_E_UNSUPPORTED (one whose work is not
 *         known: err->index); HABITAT_E_MEMORY.
 * @note   Safe from several threads.
 * @tested tests/unit/test_ask.c @since 0.1 */
HABITAT_API habitat_status
habitat_workload_from_operations(size_t count, const habitat_untimed_operation *operations,
                                 habitat_workload **out, habitat_error *err);

#endif

/** Free a workload.
 * @param workload freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.1 */
HABITAT_API void habitat_workload_free(habitat_workload *workload);

/** Facts of the workload as a whole.
 * @param w borrowed for the call.
 * @return borrowed, lives as long as the workload.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const habitat_workload_info *habitat_workload_get_info(const habitat_workload *w);

#ifdef HABITAT_EXPERIMENTAL /* ---- experimental half ---- */

/** Kernels, copies and sets of the workload in the order of their start.
 * @param w     borrowed for the call.
 * @param count receives the number.
 * @return borrowed, shape (count), lives as long as the workload.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const habitat_workload_kernel *habitat_workload_kernels(const habitat_workload *w,
                                                                    size_t *count);

/** Groups (operations with kernels) in the order of their first kernel.
 * @param w     borrowed for the call.
 * @param count receives the number.
 * @return borrowed, shape (count), lives as long as the workload.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const habitat_workload_group *habitat_workload_groups(const habitat_workload *w,
                                                                  size_t *count);

/** Indices of kernels in the order of their groups: those of group i are kernel_count entries
 * from first_kernel on.
 * @param w     borrowed for the call.
 * @param count receives the number.
 * @return borrowed, shape (count), lives as long as the workload.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const uint32_t *habitat_workload_group_index(const habitat_workload *w, size_t *count);

#endif /* ---- end of the experimental half ---- */

/** Warnings about a workload, one line each (origin bound by its CPU, dropped records, missing
 * shapes ...).
 * @param w     borrowed for the call.
 * @param count receives the number.
 * @return borrowed, shape (count), lives as long as the workload.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API const char *const *habitat_workload_warnings(const habitat_workload *w, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
