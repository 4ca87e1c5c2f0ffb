/* Operations on their destinations: an estimate for each, and for all of them together. */
#include <math.h>
#include <stdlib.h>

#include "ask/answer.h"
#include "base/error.h"
#include "models/learned.h"
#include "predict/operations.h"

static const habitat_estimate no_estimate = {
    .ms = NAN, .low_ms = NAN, .high_ms = NAN, .origin_ms = NAN};

/* A whole has the notes of its parts, and the method of a part outside. */
static void take_notes(const habitat_operation_estimate *part, habitat_operation_estimate *whole) {
    if (!whole->memory_note)
        whole->memory_note = part->memory_note;
    if (whole->outside_note || !part->outside_note)
        return;
    whole->outside_note = part->outside_note;
    whole->estimate.method = part->estimate.method;
}

/* Times add up, and so do the ends of the intervals: parts of one whole err together. What binds
 * the longest binds the whole. One part without an estimate leaves the whole without. */
static habitat_operation_estimate sum_of(const habitat_operation_estimate *parts, size_t count) {
    habitat_operation_estimate whole = parts[0];
    for (size_t i = 1; i < count && whole.status == HABITAT_OK; i++) {
        const habitat_estimate *part = &parts[i].estimate;
        if (parts[i].status != HABITAT_OK) {
            whole = parts[i];
            break;
        }
        if (part->ms > whole.estimate.ms / (double)i)
            whole.estimate.bound = part->bound;
        if (part->interval_basis == HABITAT_INTERVAL_DEFAULT)
            whole.estimate.interval_basis = HABITAT_INTERVAL_DEFAULT;
        whole.estimate.ms += part->ms;
        whole.estimate.low_ms += part->low_ms;
        whole.estimate.high_ms += part->high_ms;
        take_notes(&parts[i], &whole);
    }
    return whole;
}

static habitat_work work_of(const habitat_model_query *operations, size_t count) {
    habitat_work whole = *operations[0].work;
    for (size_t i = 1; i < count; i++) {
        whole.flop += operations[i].work->flop;
        whole.read_bytes += operations[i].work->read_bytes;
        whole.write_bytes += operations[i].work->write_bytes;
    }
    return whole;
}

/* A destination that cannot be answered for keeps its row; only missing memory is about no row. */
static habitat_status answer_row(const operations_by *by, const habitat_gpu *gpu, made_answer *out,
                                 habitat_error *err) {
    habitat_answer_row *row = &out->open.rows[out->open.row_count];
    size_t n = out->open.operation_count;
    habitat_operation_estimate *estimates = habitat_arena_alloc(&out->arena, n * sizeof *estimates);
    if (!estimates)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    *row = (habitat_answer_row){.key = {.gpu = gpu, .gpu_count = 1}, .operations = estimates};
    habitat_status status =
        operations_predict(by, gpu, n, out->open.operations, &out->arena, estimates, &row->error);
    if (status == HABITAT_E_MEMORY)
        return habitat_fail(err, status, "out of memory");
    out->open.row_count++;
    for (size_t i = 0; status != HABITAT_OK && i < n; i++) {
        estimates[i] =
            (habitat_operation_estimate){status, row->error.message, no_estimate, NULL, NULL};
        estimates[i].estimate.method = by->method;
    }
    row->whole = sum_of(estimates, n);
    return HABITAT_OK;
}

habitat_status answer_operations(const habitat_request *r, size_t count,
                                 const habitat_gpu *const *destinations, made_answer *out,
                                 habitat_error *err) {
    operations_by by = {.method = r->method,
                        .models = r->models,
                        .models_name = r->models_name,
                        .use = r->use,
                        .models_only = r->models_only};
    habitat_model_use use;
    bool asks = habitat_method_models(r->method, &use, NULL) == HABITAT_OK;
    habitat_status status = HABITAT_OK;
    out->open.work = work_of(r->operations, r->operation_count);
    if (asks && !by.models)
        status = learned_builtin(&by.models, err);
    for (size_t i = 0; status == HABITAT_OK && i < count; i++)
        status = answer_row(&by, destinations[i], out, err);
    return status;
}
