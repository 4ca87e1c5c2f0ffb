/* From the operations of a GPU's calibration to one offset for each class and pass. */
#include "models/calibrated.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants_operators.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "question/known.h"
#include "question/measurement.h"
#include "question/query.h"
#include "work/class.h"

static habitat_status read_one(const habitat_gpu *gpu, size_t i, habitat_measurement *out,
                               habitat_error *err) {
    static const char *const columns[] = {"op", "pass", "dtype", "shape", "timing"};
    const habitat_gpu_operation *operation = &gpu->operations[i];
    const char *const fields[] = {operation->op, operation->pass,
                                  habitat_dtype_name(operation->dtype), operation->shape,
                                  operation->timing};
    habitat_error why = {0};
    if (!question_knows_operation(operation->op)) /* of a later version: counted, not refused */
        return HABITAT_E_UNSUPPORTED;
    habitat_status status = measurement_of_fields(
        gpu->file, operation->line, sizeof columns / sizeof *columns, columns, fields, out, &why);
    if (status == HABITAT_OK)
        out->time_ms = operation->ms;
    /* What counts here is long and cold: the kernel of a trace, by the model that answers for it.
     */
    if (status == HABITAT_OK && out->timing == HABITAT_TIMING_GRAPH)
        out->timing = HABITAT_TIMING_KERNEL;
    /* Asked as traces and `habitat op` ask: forward row operations of eager calls have models of
     * their own, which neither goes through. */
    habitat_measurement asked = *out;
    asked.timing = HABITAT_TIMING_KERNEL;
    habitat_model_query timed = question_of(out), kernel = question_of(&asked);
    if (status == HABITAT_OK && operator_class_of(&timed) != operator_class_of(&kernel))
        *out = asked;
    if (status == HABITAT_OK || status == HABITAT_E_UNSUPPORTED)
        return status;
    return habitat_fail_at(err, status, gpu->file, UINT64_MAX, operation->line,
                           "operations[%zu].shape: %.40s with \"%.60s\": %.100s", i, operation->op,
                           operation->shape, why.message);
}

habitat_status calibrated_read(const habitat_gpu *gpu, calibrated *out, habitat_error *err) {
    *out = (calibrated){0};
    if (gpu->operation_count == 0)
        return HABITAT_OK;
    out->rows = malloc(gpu->operation_count * sizeof *out->rows);
    if (!out->rows)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < gpu->operation_count; i++) {
        habitat_measurement *row = &out->rows[out->count];
        habitat_status status = read_one(gpu, i, row, err);
        if (status != HABITAT_OK && status != HABITAT_E_UNSUPPORTED)
            return status;
        habitat_model_query query = question_of(row);
        if (status == HABITAT_OK && operator_class_of(&query) != OPERATOR_NONE)
            out->count++;
        else
            out->unknown++;
    }
    return HABITAT_OK;
}

void calibrated_free(calibrated *c) {
    free(c->rows);
    *c = (calibrated){0};
}

static unsigned pass_of(operator_class c, habitat_pass pass) {
    return operator_facts_of(c)->offset_by_pass && (unsigned)pass < OFFSET_PASSES ? (unsigned)pass
                                                                                  : 0;
}

static bool thin(const habitat_work *work) {
    class_shape shape = class_of(work->op_class)->shape;
    if (shape == CLASS_SHAPE_CONV)
        return fmin(work->shape.conv.c_in, work->shape.conv.c_out) <
               chosen_calibrated_least_dimension;
    const habitat_gemm_shape *s = &work->shape.gemm;
    return shape == CLASS_SHAPE_GEMM &&
           fmin(s->m, fmin(s->n, s->k)) < chosen_calibrated_least_dimension;
}

/* log(measured / predicted); NaN where the operation says nothing of a training step's. */
static double residual_of(const habitat_measurement *row, const habitat_gpu *gpu, operator_class c,
                          const habitat_model_estimate *predicted) {
    habitat_model_query query = question_of(row);
    operator_gpu facts;
    if (!predicted->covered || !operator_gpu_facts(gpu, c, operator_arithmetic(&query), &facts))
        return NAN;
    operator_view view;
    operator_look(&query, c, &facts, &view);
    bool cached =
        operator_facts_of(c)->memory_bound && row->work.read_bytes + row->work.write_bytes <
                                                  chosen_calibrated_least_caches * facts.l2_bytes;
    bool usable =
        predicted->ms >= OFFSET_LEAST_FLOORS * view.floor_ms && !cached && !thin(&row->work);
    return usable ? log(row->time_ms / predicted->ms) : NAN;
}

/* One class and pass: the residuals of its rows into `scratch`, shape (count). */
static class_offset fit(const calibrated *c, const habitat_gpu *gpu,
                        const habitat_model_estimate *predicted, operator_class wanted,
                        unsigned pass, double *scratch) {
    size_t n = 0;
    bool estimated = false;
    for (size_t i = 0; i < c->count; i++) {
        habitat_model_query query = question_of(&c->rows[i]);
        if (operator_class_of(&query) != wanted || pass_of(wanted, c->rows[i].work.pass) != pass)
            continue;
        estimated = estimated || learned_on_estimates(gpu, wanted, operator_arithmetic(&query));
        scratch[n++] = residual_of(&c->rows[i], gpu, wanted, &predicted[i]);
    }
    return offset_fit(wanted, estimated, scratch, n);
}

habitat_status calibrated_offsets(const calibrated *c, const habitat_gpu *gpu,
                                  const habitat_model_estimate *predicted, class_offsets *out,
                                  habitat_error *err) {
    double *scratch = malloc((c->count ? c->count : 1) * sizeof *scratch);
    if (!scratch)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (int k = 0; k < OPERATOR_CLASSES; k++)
        for (unsigned pass = 0; pass < OFFSET_PASSES; pass++)
            out->of[k][pass] = fit(c, gpu, predicted, (operator_class)k, pass, scratch);
    free(scratch);
    return HABITAT_OK;
}

class_offset calibrated_offset_of(const class_offsets *offsets, const habitat_model_query *query) {
    operator_class c = operator_class_of(query);
    if (c == OPERATOR_NONE)
        return (class_offset){0};
    return offsets->of[c][pass_of(c, query->work->pass)];
}

size_t calibrated_count(const class_offsets *offsets, const habitat_model_query *queries,
                        size_t n) {
    bool asked[OPERATOR_CLASSES][OFFSET_PASSES] = {{false}};
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        operator_class c = operator_class_of(&queries[i]);
        if (c == OPERATOR_NONE)
            continue;
        unsigned pass = pass_of(c, queries[i].work->pass);
        count += asked[c][pass] ? 0 : offsets->of[c][pass].count;
        asked[c][pass] = true;
    }
    return count;
}
