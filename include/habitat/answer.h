/* Whole questions answered as JSON text: what a language binding needs, through opaque handles
 * only.
 *
 * Each call does what one command of the command line does and gives the same JSON.
 *
 * Half: stable. JSON keys are added and never change their meaning.
 * Units: each key ends in its unit ("kernel_ms"). What is not known is null.
 * Ownership: arguments are borrowed for the call. The text ends in a NUL and is the caller's: free
 * it with habitat_answer_free().
 * Errors: a habitat_status. On failure `out` is untouched, and `err`, which may be NULL, says why.
 * Threads: several threads may ask at once, with the same table and trace. */
#ifndef HABITAT_ANSWER_H
#define HABITAT_ANSWER_H

#include <stdbool.h>

#include <habitat/status.h>
#include <habitat/gpu.h>
#include <habitat/trace.h>
#include <habitat/predict.h>
#include <habitat/report.h>

#ifdef __cplusplus
extern "C" {
#endif

/** `habitat gpus --json`, of one GPU or of all.
 * @param gpu one entry of the table, borrowed; NULL for all.
 * @param out receives the JSON; untouched on error.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_MEMORY. @since 0.1 */
HABITAT_API habitat_status habitat_answer_gpus(const habitat_gpu_table *table,
                                               const habitat_gpu *gpu, char **out,
                                               habitat_error *err);

/** `habitat info --json`.
 * @param origin the GPU of the recording, as --from; NULL: as the trace says.
 * @return HABITAT_OK; HABITAT_E_ARG (also when what was recorded contradicts `origin`:
 * habitat_gpu_check_origin()); HABITAT_E_MEMORY. A trace of a GPU that the table does not
 * have is no error: what needs the GPU is null then. @since 0.1 */
HABITAT_API habitat_status habitat_answer_trace(const habitat_gpu_table *table,
                                                const habitat_trace *trace,
                                                const habitat_gpu *origin, char **out,
                                                habitat_error *err);

/* What is to be predicted. Zero it first ({0}), then set what you need: zero is the default of
 * every member. */
typedef struct habitat_question {
    const habitat_gpu *origin; /* NULL: as the trace says */
    size_t count;
    const habitat_gpu *const *destinations; /* GPUs to predict for; shape (count) */
    const char *method;                     /* NULL: auto */
    const char *by;                         /* NULL or as --by */
    bool explain; /* `habitat explain` of the first destination, else `habitat predict` */
    size_t warning_count;
    const char *const *warnings; /* handed on to the answer */
} habitat_question;

/** `habitat predict --json` or `habitat explain --json`. A destination whose specification has a
 * gap is left out with a warning, as the command line does, unless it is the only one.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_UNKNOWN_GPU, _UNKNOWN_METHOD, _NO_SPEC,
 *         _UNSUPPORTED as habitat_predict(); HABITAT_E_MEMORY. @since 0.1 */
HABITAT_API habitat_status habitat_answer_prediction(const habitat_gpu_table *table,
                                                     const habitat_trace *trace,
                                                     const habitat_question *question, char **out,
                                                     habitat_error *err);

/** Free an answer; NULL is allowed. @since 0.1 */
HABITAT_API void habitat_answer_free(char *answer);

#ifdef __cplusplus
}
#endif
#endif
