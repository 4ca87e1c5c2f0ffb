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

/* Receives text in pieces; returns 0, or anything else to stop. */
typedef int (*habitat_export_write)(void *context, const char *data, size_t size_bytes);

/** Write the predicted iteration as a Chrome trace (JSON, as the profiler of PyTorch writes it),
 * which Perfetto and chrome://tracing open beside the recorded one.
 *
 * One iteration that starts on an idle GPU: operations, modules and calls of every CPU thread, and
 * the kernels of every stream, at the times of the replay [us since the iteration began, to the
 * ns]. On one thread or stream no two slices cross. Ranges of the user are left out: they may lie
 * across operations. Kernels keep grid, block and correlation of the recording.
 *
 * @param replay     of the prediction's workload.
 * @param prediction its kernels' times are replayed; the GPU's name is written.
 * @param write      receives the text. @param context handed to it.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_IO (write refused); HABITAT_E_MEMORY.
 * @tested tests/unit/test_timeline.c        @since 0.3 */
HABITAT_API habitat_status habitat_export_timeline(const habitat_replay *replay,
                                                   const habitat_prediction *prediction,
                                                   habitat_export_write write, void *context,
                                                   habitat_error *err);

#ifdef __cplusplus
}
#endif
#endif
