/* Replay: the dependency graph of a recorded iteration, run again with other kernel times.
 *
 * A prediction gives every kernel a time. How long the iteration takes hangs on more: the CPU must
 * launch each kernel, a stream runs one after another, streams and the CPU wait for one another.
 * The graph is rebuilt from the recorded calls, operations and kernels of one workload; it costs
 * time in proportion to their number (and a sort). docs/iteration.md has the rules and how well
 * they do.
 *
 * Half: experimental.
 * Units: _ms is per iteration, _ns of one kernel or pause.
 * Ownership: the caller frees a replay. It borrows its workload, which must outlive it.
 * Errors: a habitat_status; on failure outputs are untouched, and `err`, which may be NULL, says
 * why.
 * Threads: several threads may run one replay. */
#ifndef HABITAT_REPLAY_H
#define HABITAT_REPLAY_H

#ifndef HABITAT_EXPERIMENTAL
#error "<habitat/replay.h> is experimental; define HABITAT_EXPERIMENTAL to use it (habitat.h)"
#endif

#include <stdbool.h>
#include <stdint.h>

#include <habitat/status.h>
#include <habitat/predict.h>
#include <habitat/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All zero: defaults. */
typedef struct habitat_replay_options {
    double cpu_scale; /* multiplies the CPU's times: 2 is a host half as fast, 1 the recorded one
                         (of a recording without a GPU: the middle of hosts).
                         0: nobody says; times as recorded, and another GPU is in another host,
                         which widens its intervals */
    double cpu_ms;    /* the CPU's side of one iteration without a profiler, known from elsewhere
                         (another batch size on the same host); taken for that of every GPU's
                         host; 0 = from the trace */
    bool withhold;    /* leave the recorded iteration aside, as of a trace that has none */
    double cpu_scale_doubt; /* a factor by which cpu_scale may be off, either way: widens
                               intervals; 0 = 1 */
} habitat_replay_options;

/* A graph and what it was calibrated with. Times are per iteration; a field whose name begins with
 * trace_ counts over all iterations of the trace. */
typedef struct habitat_replay_info {
    habitat_cpu_basis cpu_basis;
    double cpu_ms;            /* the CPU's side without a profiler and with cpu_scale: what the
                                 iteration would take on an endless fast GPU; NaN unknown */
    double cpu_low, cpu_high; /* 80 % interval of cpu_ms, as factors */
    double iteration_ms;    /* replay with the recorded kernels: the recorded iteration, where that
                               is known */
    double profiled_cpu_ms; /* the same as recorded, under the profiler; NaN unknown */
    double gap_ns;          /* typical pause between two kernels of a stream */
    double gap_scale;       /* what the recorded iteration made of the pauses; 1 without one */
    double kernel_scale; /* what is left between replay and recording, on all kernels; 1 mostly */
    size_t trace_node_count, trace_edge_count; /* of the graph of all iterations */
    size_t stream_count, thread_count;
    size_t trace_handover_count; /* points where one CPU thread goes on after another */
    size_t trace_wait_count;     /* of streams and of the CPU, for events and streams */
    size_t
        trace_guessed_waits; /* of those, for what exactly is not recorded: told from the order */
    size_t trace_unlaunched_count; /* kernels whose launch is not recorded */
    double wait_ms;         /* of cpu_ms: waits for a data loader or something else outside */
    bool loader_waits;      /* a data loader is among what it waits for */
    double trace_once_ms;   /* recorded CPU times left out: a GPU or library that is set up */
    size_t once_count;      /* operations and calls that took them */
    const char *once_name;  /* the longest of them; NULL: none */
    bool in_recorded_order; /* of several streams: no event and no synchronisation is recorded, so
                               kernels follow what was done before them, whatever the reason */
    bool outside_waits;     /* something outside without a name is among what it waits for */
    const char *blocking_name; /* the longest call that blocks, among them; NULL: none */
} habitat_replay_info;

/* One replay. Times are per iteration. */
typedef struct habitat_replay_result {
    double iteration_ms; /* from the start of one iteration to that of the next, when many follow */
    double cpu_ms;       /* what it would be on an endless fast GPU; NaN unknown */
    double gpu_ms;       /* what it would be with an endless fast CPU */
    double busy_ms;      /* of iteration_ms, a kernel or copy runs */
    double idle_ms;      /* of iteration_ms, none runs: the two add up */
    habitat_bound_by bound_by; /* the longer of the two; UNKNOWN without a CPU side */
    double margin;             /* how much longer: longer over shorter, less 1; NaN unknown */
    /* what lies on the critical path; adds up to iteration_ms */
    double path_cpu_ms, path_kernel_ms, path_gap_ms;
} habitat_replay_result;

/* A graph that can be run again. */
typedef struct habitat_replay habitat_replay;

/** Rebuild the graph of a workload and calibrate it with what the trace says of its own time.
 * @param workload borrowed; must outlive the replay.
 * @param options  NULL: defaults.
 * @param out      receives the replay; free with habitat_replay_free().
 * @param err      where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG (negative or absurd options); HABITAT_E_UNSUPPORTED (more
 *         streams than can be followed); HABITAT_E_MEMORY.
 * @note   Safe from several threads.
 * @tested tests/unit/test_replay.c, tests/prop/prop_replay.c @since 0.3 */
HABITAT_API habitat_status habitat_replay_create(const habitat_workload *workload,
                                                 const habitat_replay_options *options,
                                                 habitat_replay **out, habitat_error *err);

/** Free a replay.
 * @param replay freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.3 */
HABITAT_API void habitat_replay_free(habitat_replay *replay);

/** What the graph holds.
 * @param replay borrowed for the call.
 * @return borrowed, lives as long as the replay.
 * @note   Safe from several threads.
 * @since 0.3 */
HABITAT_API const habitat_replay_info *habitat_replay_get_info(const habitat_replay *replay);

/** Replay with other kernel times.
 * @param replay    borrowed for the call.
 * @param kernel_ns time of each kernel [ns], shape and order of habitat_workload_kernels(), finite
 *                  and not negative; NULL: as recorded.
 * @param out       receives the result; untouched on error.
 * @param err       where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_MEMORY.
 * @note   Pure; safe from several threads. A kernel that gets faster never makes it longer.
 * @tested tests/unit/test_replay.c, tests/prop/prop_replay.c @since 0.3 */
HABITAT_API habitat_status habitat_replay_run(const habitat_replay *replay, const double *kernel_ns,
                                              habitat_replay_result *out, habitat_error *err);

/** Put the replayed iteration into a prediction of the same workload: iteration_ms, low_ms,
 * high_ms, busy_ms, bound_by, samples_per_s and what habitat_prediction::assembled names. Kernels
 * and classes stay. Without a CPU side bound_by becomes unknown.
 * @param replay     borrowed for the call.
 * @param prediction of the same workload; changed in place, left alone on failure.
 * @param err        where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_MEMORY.
 * @note   Several threads may use one replay, each with a prediction of its own.
 * @since 0.3 */
HABITAT_API habitat_status habitat_replay_apply(const habitat_replay *replay,
                                                habitat_prediction *prediction, habitat_error *err);

/** The same with the gradients shared among several GPUs of the destination's kind, each with the
 * recorded batch, as PyTorch's DistributedDataParallel does it (docs/iteration.md, "Several GPUs").
 * samples_per_s is of all of them; kernels, classes and busy_ms stay those of one; memory_bytes, of
 * each, gains the buckets.
 * @param replay     borrowed for the call.
 * @param gpu_count  1: as habitat_replay_apply().
 * @param prediction of the same workload; changed in place, left alone on failure.
 * @param err        where and why on failure; may be NULL.
 * @return as habitat_replay_apply(); HABITAT_E_ARG (0, or more than 65536); HABITAT_E_UNSUPPORTED
 *         (the recording shows no gradients, or not how large they are, or is of several GPUs
 *         already); HABITAT_E_NO_SPEC (no link of the GPU is known).
 * @note   Several threads may use one replay, each with a prediction of its own.
 * @tested tests/unit/test_parallel.c @since 0.3 */
HABITAT_API habitat_status habitat_replay_apply_parallel(const habitat_replay *replay,
                                                         uint32_t gpu_count,
                                                         habitat_prediction *prediction,
                                                         habitat_error *err);

/** The same with weights, gradients and states of the optimiser in parts, one a GPU, as PyTorch's
 * fully_shard does it for each layer of a stack and for what is around them (docs/iteration.md,
 * "Weights in parts"). memory_bytes, of each, loses what the others keep.
 * @param replay     borrowed for the call.
 * @param gpu_count  1: as habitat_replay_apply().
 * @param prediction of the same workload; changed in place, left alone on failure.
 * @param err        where and why on failure; may be NULL.
 * @return as habitat_replay_apply_parallel().
 * @note   Several threads may use one replay, each with a prediction of its own.
 * @tested tests/unit/test_sharded.c @since 0.3 */
HABITAT_API habitat_status habitat_replay_apply_sharded(const habitat_replay *replay,
                                                        uint32_t gpu_count,
                                                        habitat_prediction *prediction,
                                                        habitat_error *err);

/** What a user should know of a replay before trusting it: how the CPU's side was found, what of
 * the recording is missing.
 * @param replay borrowed for the call.
 * @param text   receives one line, cut off at `size` bytes (400 hold any); untouched if false.
 * @param size   bytes of `text`.
 * @return whether there is anything to say.
 * @note   Safe from several threads.
 * @since 0.3 */
HABITAT_API bool habitat_replay_note(const habitat_replay *replay, char *text, size_t size);

/** How long the CPU waits for its data loader or something else outside, and what is assumed of it.
 * @param replay borrowed for the call.
 * @param text   receives one line, cut off at `size` bytes (400 hold any); untouched if false.
 * @param size   bytes of `text`.
 * @return whether it waits so.
 * @note   Safe from several threads.
 * @tested tests/unit/test_replay_waits.c @since 0.3 */
HABITAT_API bool habitat_replay_wait_note(const habitat_replay *replay, char *text, size_t size);

/** What of the recorded CPU times was left out, because it happens once.
 * @param replay borrowed for the call.
 * @param text   receives one line, cut off at `size` bytes (400 hold any); untouched if false.
 * @param size   bytes of `text`.
 * @return whether anything was.
 * @note   Safe from several threads.
 * @tested tests/unit/test_replay_waits.c @since 0.3 */
HABITAT_API bool habitat_replay_once_note(const habitat_replay *replay, char *text, size_t size);

/** The warning that goes with rows which the recorded host's CPU sets.
 * @param replay      borrowed for the call.
 * @param predictions shape (count), after habitat_replay_apply().
 * @param count       number of predictions.
 * @param text        receives one line, cut off at `size` bytes (400 hold any); untouched if false.
 * @param size        bytes of `text`.
 * @return whether there is such a row.
 * @note   Safe from several threads.
 * @since 0.3 */
HABITAT_API bool habitat_replay_cpu_warning(const habitat_replay *replay,
                                            const habitat_prediction *const *predictions,
                                            size_t count, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
