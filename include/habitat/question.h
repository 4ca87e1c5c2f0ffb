/* What is asked of a prediction without a trace: one operation, how it computes and how its time is
 * taken; and tables of such operations (docs/dataset.md).
 *
 * Half: experimental.
 * Units: times in ms; flop and bytes as in work.h.
 * Ownership: pointers are borrowed for the call; texts of a row belong to its reader.
 * Errors: a habitat_status with the line in `err`, which may be NULL; outputs are untouched.
 * Threads: as its csv reader: one thread at a time. */
#ifndef HABITAT_QUESTION_H
#define HABITAT_QUESTION_H

#ifndef HABITAT_EXPERIMENTAL
#error "<habitat/question.h> is experimental; define HABITAT_EXPERIMENTAL to use it (habitat.h)"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <habitat/csv.h>
#include <habitat/status.h>
#include <habitat/units.h>
#include <habitat/words.h>
#include <habitat/work.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One question to the models. */
typedef struct habitat_model_query {
    const habitat_work *work; /* borrowed for the call */
    habitat_dtype arithmetic; /* what it computes in; UNKNOWN = the tensors' own number format */
    habitat_timing timing;
    habitat_variant variant;
} habitat_model_query;

/** What an operation computes in on GPUs that can, where nobody says it: PyTorch's default.
 * @param work borrowed.
 * @return TF32 for fp32 convolutions and recurrent layers; else the tensors' own number format.
 * @note   Safe from several threads.
 * @tested tests/unit/test_ask.c @since 0.1 */
HABITAT_API habitat_dtype habitat_usual_arithmetic(const habitat_work *work);

/* One measured operation, as docs/dataset.md describes the files. */
typedef struct habitat_measurement {
    habitat_work work;
    habitat_dtype arithmetic; /* UNKNOWN = the tensors' own number format */
    habitat_timing timing;
    habitat_variant variant;
    const char *gpu;    /* canonical name; belongs to the data set; NULL: not said */
    const char *source; /* who measured it: "neusight"; the same; NULL: not said */
    bool test;          /* the source's own test split (or ours: by shape) */
    bool suspect;       /* flagged by the source, or known to contradict its own test rows */
    double time_ms;
    uint64_t shape_hash; /* equal for equal operations, whatever the GPU */
} habitat_measurement;

/** The current row of a table of operations (docs/dataset.md) as a measurement.
 * @param reader after a call of habitat_csv_next() that gave a record.
 * @param out    receives the measurement, its `gpu` and `source` NULL. Untouched on error.
 * @param gpu    receives the row's GPU name as written, borrowed; empty without one. `out->time_ms`
 *               is NaN without a measured time.
 * @param err    where and why on failure; may be NULL.
 * @return HABITAT_OK; HABITAT_E_UNSUPPORTED (known words that nobody can predict: the message is
 *         the reason); HABITAT_E_PARSE (an unknown word), _RANGE (a size or time that cannot be),
 *         _FORMAT (columns of no known schema), each with the line.
 * @note   One thread at a time for one reader.
 * @since 0.2 */
HABITAT_API habitat_status habitat_csv_measurement(const habitat_csv_reader *reader,
                                                   habitat_measurement *out, const char **gpu,
                                                   habitat_error *err);

/* Which sizes an operation takes: docs/man/habitat-op.1.md. */
typedef enum habitat_operation_form {
    HABITAT_FORM_PRODUCT = 0, /* m, n, k */
    HABITAT_FORM_BATCHED,     /* b products of these */
    HABITAT_FORM_CONV,
    HABITAT_FORM_ATTENTION,
    HABITAT_FORM_RNN,
    HABITAT_FORM_ROWS, /* rows, columns */
    HABITAT_FORM_ELEMENTS,
    HABITAT_FORM_COUNT
} habitat_operation_form;

/* A word for an operation. */
typedef struct habitat_operation_word {
    const char *name;
    habitat_operation_form form;
    uint32_t dims; /* conv: sides of its input, 1 to 3; else 0 */
} habitat_operation_word;

/** The words of habitat_operation_from_words(), one by one.
 * @param index from 0. @return static text and facts; NULL past the last.
 * @note   Safe from several threads. @tested tests/cli/cases/op_words.sh @since 0.3 */
HABITAT_API const habitat_operation_word *habitat_operation_word_at(size_t index);

/* Both gradients of a matrix product are two products; every other operation is one part. */
enum { HABITAT_OPERATION_PARTS_MAX = 2 };

/** One operation in the words of a table's row, as `habitat op` and Python ask it.
 * @param op    "gemm", "conv2d", ...: the column `op` of docs/dataset.md.
 * @param shape "m=512 n=512 k=64": sizes with one blank between; each is a whole number.
 * @param dtype "fp16", ...
 * @param pass  "forward", "backward", "backward-input", "backward-weight".
 * @param parts shape (HABITAT_OPERATION_PARTS_MAX): receives the parts, whose times add up. Their
 *              `gpu` and `source` are NULL and times NaN.
 * @param count receives how many there are.
 * @param err   where and why on failure; may be NULL.
 * @return as habitat_csv_measurement(); HABITAT_E_ARG.
 * @note   Safe from several threads.
 * @tested tests/unit/test_ask.c @since 0.3 */
HABITAT_API habitat_status habitat_operation_from_words(const char *op, const char *shape,
                                                        const char *dtype, const char *pass,
                                                        habitat_measurement *parts, size_t *count,
                                                        habitat_error *err);

/** The question that a person asks with such words: fp32 is meant strictly, without TF32.
 * @param part borrowed, must outlive the question.
 * @return it, by value.
 * @note   Safe from several threads.
 * @since 0.3 */
HABITAT_API habitat_model_query habitat_strict_query(const habitat_measurement *part);

#ifdef __cplusplus
}
#endif
#endif
