/* Few-shot correction of a class on one GPU: docs/modelling.md#few-shot.
 *
 * The median of few residuals is off by chance; shrinking it as if `doubt` further operations had
 * agreed with the model keeps what chance says from doing harm. */
#include "model/offset.h"

#include <math.h>
#include <stdlib.h>

/* Operations that the model's word weighs as much as: leaving training GPUs out, two is the number
 * that helps every class on estimated rates. */
static const double usual_doubt = 2;

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double offset_of(const habitat_models *models, operator_class c, bool estimated,
                 const double *residuals, size_t n) {
    (void)models;
    (void)c;
    (void)estimated;
    enum { MOST = 64 };
    double sorted[MOST];
    size_t count = 0;
    for (size_t i = 0; i < n && count < MOST; i++)
        if (isfinite(residuals[i]))
            sorted[count++] = residuals[i];
    if (count == 0)
        return 0;
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    double median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    return median * (double)count / ((double)count + usual_doubt);
}

bool offset_residual(const habitat_models *models, const habitat_gpu *gpu,
                     const habitat_model_query *query, double measured_ms, double *out) {
    operator_class c = operator_class_of(query);
    operator_gpu facts;
    habitat_model_estimate answer = {0};
    if (!models || c == OPERATOR_NONE || !(measured_ms > 0) ||
        !operator_gpu_facts(gpu, c, operator_arithmetic(query), &facts) ||
        habitat_models_predict(models, HABITAT_MODEL_TRANSFER, 1, &gpu, 1, query, &answer, NULL) !=
            HABITAT_OK ||
        !answer.covered)
        return false;
    operator_view view;
    operator_look(query, c, &facts, &view);
    if (answer.ms < OFFSET_LEAST_FLOORS * view.floor_ms)
        return false;
    *out = log(measured_ms / answer.ms);
    return isfinite(*out);
}
