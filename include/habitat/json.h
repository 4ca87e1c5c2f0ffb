/* Answers as JSON text, or as a page: what a language binding needs, with opaque handles only.
 *
 * Each call does what one command of the command line does and gives the same JSON. The text is
 * NUL-terminated and belongs to the caller, who frees it with habitat_json_free().
 *
 * Half: experimental.
 * New fields come before a release; what a later version may ask is zero by default.
 * Units: each name ends in its unit.
 * Ownership: arguments are borrowed for the call. The text is the caller's: habitat_json_free().
 * Errors: a habitat_status. On failure `out` is untouched, and `err`, which may be NULL, says why.
 * Threads: several threads may ask at once, with the same table, trace and models. */
#ifndef HABITAT_JSON_H
#define HABITAT_JSON_H

#ifndef HABITAT_EXPERIMENTAL
#error "<habitat/json.h> is experimental; define HABITAT_EXPERIMENTAL to use it (habitat.h)"
#endif

#include <stdbool.h>

#include <habitat/ask.h>
#include <habitat/gpu.h>
#include <habitat/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** `habitat gpus --json`, of one GPU or of all.
 * @param table borrowed for the call.
 * @param gpu   one entry of the table, borrowed; NULL for all.
 * @param out   receives the JSON; untouched on error.
 * @param err   where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG; HABITAT_E_MEMORY.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_json_gpus(const habitat_gpu_table *table, const habitat_gpu *gpu,
                                             char **out, habitat_error *err);

/** Ask and write down: `habitat predict --json` of a trace or its workload, `habitat info --json`
 * without predictions, `habitat op --json` of operations (which need a name and a shape).
 * @param request borrowed for the call.
 * @param by      NULL or as --by.
 * @param explain `habitat explain` of the first destination.
 * @param out     receives the JSON; free with habitat_json_free(). Untouched on error.
 * @param err     where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG; as habitat_ask(); HABITAT_E_MEMORY.
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_json_answer(const habitat_request *request, const char *by,
                                               bool explain, char **out, habitat_error *err);

/** Ask and write a page: `habitat predict --html`, of the GPUs that matter today where no
 * destinations are named.
 * @param request borrowed for the call.
 * @param explain `habitat explain --html` of the first destination.
 * @param out     receives the HTML; free with habitat_json_free(). Untouched on error.
 * @param err     where and why on failure; may be NULL.
 * @return as habitat_json_answer(); HABITAT_E_ARG for what has no page.
 * @note   Safe from several threads.
 * @since 0.3 */
HABITAT_API habitat_status habitat_html_answer(const habitat_request *request, bool explain,
                                               char **out, habitat_error *err);

/** `habitat op --json` of one operation in the words of tables of operations (docs/dataset.md).
 * @param request destinations, method, models and notes; what is asked is filled in here.
 * @param op      "gemm", "conv2d", ...
 * @param shape   "m=8 n=16 k=32".
 * @param dtype   "fp32", "bf16", ...; fp32 convolutions and recurrent layers compute in TF32 where
 *                a GPU can, as PyTorch does.
 * @param pass    "forward", "backward-input", ...
 * @param out     receives the JSON; free with habitat_json_free(). Untouched on error.
 * @param err     where and why on failure; may be NULL.
 * @return as habitat_ask(); HABITAT_E_PARSE, _RANGE (unknown words, sizes that cannot be);
 *         HABITAT_E_UNSUPPORTED (known words that nobody can predict).
 * @note   Safe from several threads.
 * @since 0.1 */
HABITAT_API habitat_status habitat_json_operation(const habitat_request *request, const char *op,
                                                  const char *shape, const char *dtype,
                                                  const char *pass, char **out, habitat_error *err);

/** Free what these calls gave.
 * @param json freed with all that belongs to it; may be NULL.
 * @note   After the last thread has done with it.
 * @since 0.1 */
HABITAT_API void habitat_json_free(char *json);

#ifdef __cplusplus
}
#endif
#endif
