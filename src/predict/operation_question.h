/* One operation on one GPU, without a measurement to scale: its number format there and its rates.
 */
#ifndef HABITAT_PREDICT_OPERATION_QUESTION_H
#define HABITAT_PREDICT_OPERATION_QUESTION_H

#include <habitat/predict.h>

#include "formula/formula.h"

typedef struct method_question {
    const habitat_work *work; /* known */
    const habitat_gpu *gpu;
    habitat_dtype arithmetic; /* format that the GPU computes in */
    formula_rates rates;      /* sustained or of the spec sheet, as the method says */
} method_question;

typedef struct method_answer {
    double ms;
    double low_ms, high_ms; /* 80 % interval; 0 = the method's default width */
    habitat_method method;  /* what made it */
} method_answer;

/* sustained: rates that GPUs keep up, else those of the spec sheet. */
method_question operation_question(const habitat_model_query *query, const habitat_gpu *gpu,
                                   bool sustained);

/* HABITAT_E_NO_SPEC where the GPU lists no rate that is needed: arithmetic (for an operation that
 * computes anything), memory. */
habitat_status operation_question_check(const method_question *q, bool arithmetic, bool memory,
                                        habitat_error *err);

static inline double operation_question_bytes(const method_question *q) {
    return q->work->read_bytes + q->work->write_bytes;
}

#endif
