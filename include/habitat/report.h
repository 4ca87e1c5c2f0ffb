/* Results as text and as a page (HTML) for people, as JSON and as CSV for programs.
 *
 * One call per subject; habitat_report_options says in which form and where to. JSON: keys are
 * added, never changed; what is not known is null, never 0. CSV is RFC 4180 with a header line and
 * empty cells for what is not known. Numbers of JSON and CSV have the digits they need to read back
 * as the same double. Text is UTF-8, made to fit `width` columns, and may change; so may the page,
 * whose charts show the rows that the text table would and whose tables hold all.
 *
 * Half: stable, but for what is marked as experimental.
 * Units: keys of JSON and columns of CSV end in their unit; texts print it.
 * Ownership: all pointers are borrowed for the call. What `write` is handed lives until it returns.
 * Errors: a habitat_status; `err`, which may be NULL, says why. What was written before stays
 * written.
 * Threads: several threads may report at once; `write` is called by the one that asked. */
#ifndef HABITAT_REPORT_H
#define HABITAT_REPORT_H

#include <stdbool.h>

#include <habitat/status.h>
#include <habitat/units.h>
#include <habitat/gpu.h>
#include <habitat/trace.h>
#include <habitat/work.h>
#include <habitat/predict.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct habitat_answer habitat_answer; /* habitat/ask.h */
typedef struct habitat_choice habitat_choice; /* habitat/choose.h */

/* Who reads it. */
typedef enum habitat_report_format {
    HABITAT_REPORT_TEXT = 0, /* for people: tables and notes */
    HABITAT_REPORT_JSON,     /* one object */
    HABITAT_REPORT_CSV,      /* one table; warnings have no place in it */
    HABITAT_REPORT_HTML,     /* predictions, explanations and choices: a page, whole in itself */
} habitat_report_format;

/* What the time is split by. */
typedef enum habitat_report_by {
    HABITAT_REPORT_BY_NOTHING = 0, /* the iteration as a whole */
    HABITAT_REPORT_BY_KERNEL,      /* kernels of one name together in text; each launch else */
    HABITAT_REPORT_BY_OP,          /* operations of one name and shape together */
    HABITAT_REPORT_BY_CLASS,       /* habitat_class */
    HABITAT_REPORT_BY_MODULE,      /* nn.Module; backward work goes to the module of its forward */
} habitat_report_by;

/** Split from its name: "kernel", "op", "class", "module".
 * @param name NUL-terminated, borrowed for the call.
 * @param out  receives the result; untouched on failure.
 * @param err  where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG (err names the choices).
 * @note   Safe from several threads; `write` is called by the one that asks.
 * @since 0.1 */
HABITAT_API habitat_status habitat_report_by_from_name(const char *name, habitat_report_by *out,
                                                       habitat_error *err);

/* Receives the report piece by piece: data of shape (size_bytes), UTF-8, not ended by a zero byte.
 * @return 0; anything else ends the report with HABITAT_E_IO. */
typedef int (*habitat_write)(void *context, const char *data, size_t size_bytes);

/* How a report is written. All pointers are borrowed for the call. Zero is the default of every
 * field but `write`, which must be given. */
typedef struct habitat_report_options {
    habitat_report_format format;
    habitat_report_by by; /* of predictions and explanations; NOTHING: `explain` splits by OP */
    size_t top;     /* rows of a text table before the rest is summed, or the first GPUs where a row
                       is a GPU; 0 = the report's default */
    unsigned width; /* columns of text; 0 = 80 */
    bool colour;    /* ANSI colour in text */
    habitat_write write; /* not NULL */
    void *context;       /* handed to write; may be NULL */

    /* Text tables of which a row is a GPU. Zero: all GPUs, fastest first, the usual columns. */
    bool shorten;               /* show those that matter today: habitat-predict(1) */
    const char *sort;           /* "time", "cost", "price", "energy", "memory", "date", "name" */
    const char *const *columns; /* shape (column_count), by their keys in JSON */
    size_t column_count;
    const char *vendor; /* "any", or the only one; NULL: all, the origin's alone where shortened */
    double min_memory_bytes; /* usable memory of a GPU at least; 0: any */
    const char *since;       /* released on this day or later: "2022", "2022-09"; NULL: any day */
} habitat_report_options;

/** `habitat predict`: the iteration on every destination. JSON: habitat-predict(1); with `by`, each
 * prediction also has "by_kernel" (each launch, in order), "by_op" or "by_module".
 * @param what    answers a request about an iteration.
 * @param options not NULL.
 * @param err     where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_ARG (NULL; no predictions; an order, column, date or vendor that is
 *         none; filters that leave no row of a table); HABITAT_E_IO (write refused);
 *         HABITAT_E_MEMORY.
 * @note   Safe from several threads; `write` is called by the one that asks.
 * @since 0.1 */
HABITAT_API habitat_status habitat_report_prediction(const habitat_answer *what,
                                                     const habitat_report_options *options,
                                                     habitat_error *err);

/** `habitat explain`: where the time goes on the origin and on rows[0], operation by operation.
 * Text is one screen where neither top nor by is set.
 * @param what    borrowed for the call.
 * @param options borrowed for the call.
 * @param err     where and why on failure; may be NULL.
 * @return as habitat_report_prediction().
 * @note   Safe from several threads; `write` is called by the one that asks.
 * @since 0.1 */
HABITAT_API habitat_status habitat_report_explanation(const habitat_answer *what,
                                                      const habitat_report_options *options,
                                                      habitat_error *err);

/** `habitat info`: what is in a trace and what is missing.
 * @param what    answers a request without predictions; workload is NULL when the GPU of the trace
 *                is not in the table: the facts of the trace alone are reported then.
 * @param options borrowed for the call.
 * @param err     where and why on failure; may be NULL.
 * @return as habitat_report_prediction().
 * @note   Safe from several threads; `write` is called by the one that asks.
 * @since 0.1 */
HABITAT_API habitat_status habitat_report_trace(const habitat_answer *what,
                                                const habitat_report_options *options,
                                                habitat_error *err);

/** `habitat gpus`: all GPUs of a table, one row each.
 * @param table   borrowed for the call.
 * @param options borrowed for the call.
 * @param err     where and why on failure; may be NULL.
 * @return as habitat_report_prediction().
 * @note   Safe from several threads; `write` is called by the one that asks.
 * @since 0.1 */
HABITAT_API habitat_status habitat_report_gpus(const habitat_gpu_table *table,
                                               const habitat_report_options *options,
                                               habitat_error *err);

/** `habitat gpus NAME`: every value of one GPU with unit and source.
 * @param table   borrowed for the call.
 * @param gpu     borrowed for the call.
 * @param options borrowed for the call.
 * @param err     where and why on failure; may be NULL.
 * @return as habitat_report_prediction().
 * @note   Safe from several threads; `write` is called by the one that asks.
 * @since 0.1 */
HABITAT_API habitat_status habitat_report_gpu(const habitat_gpu_table *table,
                                              const habitat_gpu *gpu,
                                              const habitat_report_options *options,
                                              habitat_error *err);

#ifdef HABITAT_EXPERIMENTAL /* ---- experimental half ---- */

/** `habitat gpus --check`: findings of habitat_gpu_check().
 * @param table    borrowed for the call.
 * @param findings shape (count).
 * @param count    number of findings.
 * @param options  borrowed for the call.
 * @param err      where and why on failure; may be NULL.
 * @return as habitat_report_prediction().
 * @note   Safe from several threads; `write` is called by the one that asks.
 * @since 0.1 */
HABITAT_API habitat_status habitat_report_findings(const habitat_gpu_table *table,
                                                   const habitat_gpu_finding *findings,
                                                   size_t count,
                                                   const habitat_report_options *options,
                                                   habitat_error *err);

/** `habitat op`: operations that make one whole, on several GPUs.
 * @param what    borrowed for the call.
 * @param options borrowed for the call.
 * @param err     where and why on failure; may be NULL.
 * @return as habitat_report_prediction().
 * @note   Safe from several threads; `write` is called by the one that asks.
 * @since 0.1 */
HABITAT_API habitat_status habitat_report_operation(const habitat_answer *what,
                                                    const habitat_report_options *options,
                                                    habitat_error *err);

/** `habitat choose`: recommendation, ranking, what no other GPU beats, ties, what was left out.
 * Text shows the first options->top rows (0: 7).
 * @param choice  borrowed for the call.
 * @param options borrowed for the call.
 * @param err     where and why on failure; may be NULL.
 * @return as habitat_report_prediction().
 * @note   Safe from several threads; `write` is called by the one that asks.
 * @since 0.2 */
HABITAT_API habitat_status habitat_report_choice(const habitat_choice *choice,
                                                 const habitat_report_options *options,
                                                 habitat_error *err);

#endif /* ---- end of the experimental half ---- */

#ifdef __cplusplus
}
#endif
#endif
