/* The one door: checks a request, has it answered, and says what there is to say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/answer.h"
#include "ask/warnings.h"
#include "gpu/gpu.h"
#include "base/error.h"
#include "workload/ranks.h"
#include "workload/workload.h"

void habitat_request_init(habitat_request *request) {
    *request = (habitat_request){.size_bytes = sizeof *request};
}

static habitat_status check_scale(const habitat_request *r, habitat_error *err) {
    if ((r->batch_size_count && !r->batch_sizes) ||
        (unsigned)r->precision > HABITAT_PRECISION_AMP_BF16)
        return habitat_fail(err, HABITAT_E_ARG, "no batch sizes given, or not a precision");
    if (r->operations && (r->batch_size_count || r->precision))
        return habitat_fail(err, HABITAT_E_ARG,
                            "operations have the batch size and precision of their shapes");
    if (r->batch_from && !r->batch_size_count)
        return habitat_fail(err, HABITAT_E_ARG,
                            "a second recording is for other batch sizes, and none is asked");
    for (size_t i = 0; i < r->batch_size_count; i++)
        if (!r->batch_sizes[i])
            return habitat_fail(err, HABITAT_E_ARG, "a batch size is a whole number from 1 on");
    return HABITAT_OK;
}

/* One number of GPUs, or a list of them. */
static habitat_status check_gpus(const habitat_request *r, habitat_error *err) {
    if ((r->gpu_counts != NULL) != (r->gpu_counts_count > 0) || (r->gpu_counts && r->gpu_count))
        return habitat_fail(err, HABITAT_E_ARG, "a number of GPUs is given, or a list of them");
    for (size_t i = 0; i < r->gpu_counts_count; i++)
        if (!r->gpu_counts[i])
            return habitat_fail(err, HABITAT_E_ARG, "a number of GPUs is one from 1 on");
    return HABITAT_OK;
}

/* The fewest and the most GPUs that are asked; 0: as recorded. */
static void gpus_asked(const habitat_request *r, uint32_t *least, uint32_t *most) {
    *least = *most = r->gpu_count;
    for (size_t i = 0; r->gpu_counts && i < r->gpu_counts_count; i++) {
        uint32_t number = r->gpu_counts[i];
        *least = !i || number < *least ? number : *least;
        *most = !i || number > *most ? number : *most;
    }
}

/* Parts need several GPUs to be on. */
static habitat_status check_sharded(const habitat_request *r, habitat_error *err) {
    uint32_t least, most;
    gpus_asked(r, &least, &most);
    if (!r->sharded)
        return HABITAT_OK;
    if (r->rank_count)
        return habitat_fail(err, HABITAT_E_ARG,
                            "sharded: replays one recorded GPU; recorded ranks are sharded as they "
                            "were recorded");
    if (most < 2)
        return habitat_fail(err, HABITAT_E_ARG, "sharded: say among how many GPUs, 2 or more");
    return HABITAT_OK;
}

static habitat_status check_ranks(const habitat_request *r, habitat_error *err) {
    bool among = false;
    uint32_t least, most;
    if (!r->rank_count && !r->ranks)
        return HABITAT_OK;
    if (!r->ranks || r->rank_count < 2 || r->rank_count > WORKLOAD_RANKS_MAX)
        return habitat_fail(err, HABITAT_E_ARG, "from 2 to %d ranks are replayed together",
                            (int)WORKLOAD_RANKS_MAX);
    for (size_t i = 0; i < r->rank_count; i++)
        among |= r->ranks[i] == r->trace;
    if (!r->trace || !among)
        return habitat_fail(err, HABITAT_E_ARG, "the trace of the request is none of the ranks");
    if (r->assemble == HABITAT_ASSEMBLE_SUM || r->batch_size_count || r->precision)
        return habitat_fail(err, HABITAT_E_ARG,
                            "ranks are replayed together as they were recorded; leave out the "
                            "sum, the batch size and the precision");
    gpus_asked(r, &least, &most);
    if (least == 1)
        return habitat_fail(err, HABITAT_E_ARG,
                            "one GPU sends no messages; predict from a recording of one GPU");
    return HABITAT_OK;
}

static habitat_status check_sharing(const habitat_request *r, habitat_error *err) {
    uint32_t least, most;
    habitat_status status = check_gpus(r, err);
    if (status != HABITAT_OK)
        return status;
    gpus_asked(r, &least, &most);
    if (most > 1 && (r->assemble == HABITAT_ASSEMBLE_SUM || r->operations))
        return habitat_fail(err, HABITAT_E_ARG,
                            "only a replayed iteration can be shared among GPUs");
    return check_sharded(r, err);
}

static habitat_status check(const habitat_request *r, habitat_error *err) {
    int things = (r->trace != NULL) + (r->workload != NULL) + (r->operations != NULL);
    bool operations = (r->operations != NULL) == (r->operation_count > 0);
    bool destinations = (r->destinations != NULL) == (r->destination_count > 0);
    bool known = r->gpus || (r->destination_count && !r->trace);
    if (r->size_bytes && r->size_bytes != sizeof *r)
        return habitat_fail(err, HABITAT_E_ARG,
                            "the request has %zu bytes and this library's has %zu: they are of two "
                            "versions",
                            r->size_bytes, sizeof *r);
    if (things != 1 || !operations)
        return habitat_fail(err, HABITAT_E_ARG,
                            "a request is about a trace, a workload or operations: one of them");
    if (!destinations || !known || (r->note_count && !r->notes))
        return habitat_fail(err, HABITAT_E_ARG, "no GPU table or no destinations given");
    for (size_t i = 0; i < r->destination_count; i++)
        if (!r->destinations[i])
            return habitat_fail(err, HABITAT_E_ARG, "destination %zu is NULL", i);
    if ((unsigned)r->assemble > HABITAT_ASSEMBLE_REPLAY)
        return habitat_fail(err, HABITAT_E_ARG, "not a way to put an iteration together");
    if (r->cpu_scale != 0.0 && r->assemble == HABITAT_ASSEMBLE_SUM)
        return habitat_fail(err, HABITAT_E_ARG, "the sum of kernels has no CPU times to multiply");
    if (r->cpu_scale_doubt != 0.0 && !(r->cpu_scale_doubt >= 1.0 && r->cpu_scale_doubt <= 1e6))
        return habitat_fail(err, HABITAT_E_ARG, "cpu_scale_doubt is a factor from 1 on");
    if (!habitat_method_askable(r->method))
        return habitat_fail(err, HABITAT_E_ARG, "not a method");
    habitat_status status = check_sharing(r, err);
    if (status == HABITAT_OK)
        status = check_ranks(r, err);
    return status == HABITAT_OK ? check_scale(r, err) : status;
}

/* Those of the request, else all of the table: shape (*count), the caller's to free. */
static habitat_status take_destinations(const habitat_request *r, const habitat_gpu ***out,
                                        size_t *count, habitat_error *err) {
    bool all = r->destination_count == 0;
    *count = r->no_predictions ? 0 : all ? habitat_gpu_count(r->gpus) : r->destination_count;
    *out = calloc(*count + 1, sizeof **out);
    if (!*out)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = all ? habitat_gpu_at(r->gpus, i) : r->destinations[i];
    return HABITAT_OK;
}

static habitat_status fill(const habitat_request *r, size_t count,
                           const habitat_gpu *const *destinations, made_answer *out,
                           habitat_error *err) {
    habitat_status status = HABITAT_OK;
    out->open.rows = calloc(count * answer_rows_each(r) + 1, sizeof *out->open.rows);
    if (!out->open.rows)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < r->note_count; i++)
        status = warnings_add(out, HABITAT_ABOUT_NOTE, r->notes[i], err);
    if (status == HABITAT_OK)
        status = cost_steps(r, &out->open, err);
    if (status == HABITAT_OK)
        status = r->operations ? answer_operations(r, count, destinations, out, err)
                               : answer_iteration(r, count, destinations, out, err);
    if (status == HABITAT_OK)
        cost_rows(r, &out->open);
    if (status == HABITAT_OK)
        status = warnings_assemble(count, destinations, out, err);
    return status == HABITAT_OK ? cost_warn(out, err) : status;
}

static int by_time(const void *x, const void *y) {
    const habitat_answer_row *a = x, *b = y;
    double s = a->prediction->iteration_ms, t = b->prediction->iteration_ms;
    if (isnan(s) || isnan(t) || s == t) /* what has no time comes last */
        return isnan(s) != isnan(t) ? (isnan(s) ? 1 : -1)
                                    : strcmp(a->key.gpu->name, b->key.gpu->name);
    return s < t ? -1 : 1;
}

/* The fastest first, of each batch size and number of GPUs. At the very end: until then other lists
 * are in the order of the rows. */
static void sort_rows(made_answer *out) {
    habitat_answer_row *rows = out->open.rows;
    for (size_t i = 0, to = 0; i < out->open.row_count; i = to) {
        while (to < out->open.row_count && rows[to].key.batch_size == rows[i].key.batch_size &&
               rows[to].key.gpu_count == rows[i].key.gpu_count)
            to++;
        qsort(rows + i, to - i, sizeof *rows, by_time);
    }
}

habitat_status habitat_ask(const habitat_request *request, habitat_answer **out,
                           habitat_error *err) {
    const habitat_gpu **destinations = NULL;
    size_t count = 0;
    if (!request || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no request or no place for the answer given");
    habitat_status status = check(request, err);
    if (status == HABITAT_OK)
        status = take_destinations(request, &destinations, &count, err);
    if (status != HABITAT_OK)
        return status;
    made_answer *made = calloc(1, sizeof *made);
    if (made) {
        const habitat_workload *given = request->workload;
        made->open = (habitat_answer){.trace = given ? given->trace : request->trace,
                                      .workload = request->workload,
                                      .method = request->method,
                                      .operations = request->operations,
                                      .operation_count = request->operation_count,
                                      .name = request->name,
                                      .shape = request->shape,
                                      .prices = request->prices,
                                      .spot = request->spot};
        status = fill(request, count, destinations, made, err);
    } else {
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    free(destinations);
    if (status == HABITAT_OK && request->fastest_first && !request->operations)
        sort_rows(made);
    if (status == HABITAT_OK)
        *out = &made->open;
    else
        habitat_answer_free(made ? &made->open : NULL);
    return status;
}

const habitat_replay *habitat_answer_replay(const habitat_answer *answer) {
    return answer->replay;
}

const habitat_prediction *habitat_answer_prediction(const habitat_answer *answer, size_t row) {
    return row < answer->row_count ? answer->rows[row].prediction : NULL;
}

void habitat_answer_free(habitat_answer *open) {
    made_answer *a = (made_answer *)(void *)open;
    if (!a)
        return;
    for (size_t i = 0; i < open->row_count; i++)
        habitat_prediction_free(
            (habitat_prediction *)(size_t)(const void *)open->rows[i].prediction);
    free(open->rows);
    free(a->warnings);
    habitat_replay_free(a->own_replay);
    for (size_t i = 0; i < a->scaled_count; i++)
        habitat_workload_free(a->scaled[i]);
    free(a->scaled);
    ranks_free_all(a);
    devices_free(a);
    habitat_workload_free(a->other);
    habitat_workload_free(a->own_workload);
    habitat_arena_free(&a->arena);
    free(a);
}
