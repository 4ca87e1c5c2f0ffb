/* Writing a replayed iteration for other tools.
 *
 * Half: experimental.
 * Units: times in files are those of their format.
 * Ownership: everything is borrowed for the call.
 * Errors: a habitat_status; what was written before a failure is no whole file.
 * Threads: several threads may write from one replay. */
#ifndef HABITAT_EXPORT_H
#define HABITAT_EXPORT_H

#ifndef HABITAT_EXPERIMENTAL
#error "<habitat/export.h> is experimental; define HABITAT_EXPERIMENTAL to use it (habitat.h)"
#endif

#include <habitat/status.h>
#include <habitat/predict.h>
#include <habitat/replay.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Receives a file in pieces; returns 0, or anything else to stop. */
typedef int (*habitat_export_write)(void *context, const char *data, size_t size_bytes);

/** Write the predicted iteration as a Chrome trace (JSON, as the profiler of PyTorch writes it),
 * which Perfetto and chrome://tracing open beside the recorded one.
 *
 * One iteration that starts on an idle GPU: operations, modules and calls of every CPU thread, and
 * the kernels of every stream, at the times of the replay [us since the iteration began, to the
 * ns]. On one thread or stream no two slices cross. Ranges of the user are left out: they may lie
 * across operations. Kernels keep grid, block and correlation of the recording.
 * @param replay     of the prediction's workload.
 * @param prediction its kernels' times are replayed; the GPU's name is written.
 * @param write      receives the text.
 * @param context    handed to it.
 * @param err        where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_IO (write refused); HABITAT_E_MEMORY.
 * @note   Safe from several threads; `write` is called by the one that asks.
 * @tested tests/unit/test_timeline.c @since 0.3 */
HABITAT_API habitat_status habitat_export_timeline(const habitat_replay *replay,
                                                   const habitat_prediction *prediction,
                                                   habitat_export_write write, void *context,
                                                   habitat_error *err);

/** Write the predicted iteration (of several recorded ones the first, which begins on an idle GPU)
 * as a Chakra execution trace (MLCommons' schema, protobuf), which
 * simulators of networks such as ASTRA-sim run: of one GPU, or of one of the several that
 * habitat_replay_apply_parallel() put into the prediction; all of them do the same, so each one's
 * trace has these bytes.
 *
 * Kernels, pauses before them and the CPU's work are nodes that last; messages are collectives with
 * their bytes. A node comes after all that it waits for. Durations are whole microseconds: what is
 * rounded off is carried along each stream and thread, so that no sum of the first ones is off by
 * more than half a microsecond; the attribute "duration_ns" is exact. docs/iteration.md, "Chakra".
 * @param replay     of the prediction's workload.
 * @param prediction with its gpu_count: after habitat_replay_apply() or
 *                   habitat_replay_apply_parallel().
 * @param write      receives the file's bytes.
 * @param context    handed to it.
 * @param err        where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_IO (write refused); HABITAT_E_MEMORY; as
 *         habitat_replay_apply_parallel() with several GPUs.
 * @note   Safe from several threads; `write` is called by the one that asks.
 * @tested tests/unit/test_chakra.c, python/tests/test_chakra.py @since 0.3 */
HABITAT_API habitat_status habitat_export_chakra(const habitat_replay *replay,
                                                 const habitat_prediction *prediction,
                                                 habitat_export_write write, void *context,
                                                 habitat_error *err);

#ifdef __cplusplus
}
#endif
#endif
