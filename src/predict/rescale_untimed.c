/* See rescale_untimed.h. Its operations get the sizes that they have then, and are asked anew:
 * there are no times that could be scaled. */
#include "predict/rescale_untimed.h"

#include <stdlib.h>

#include "base/constants_recordings.h"
#include "base/error.h"
#include "predict/rescale_words.h"

/* What operations are weighed by where shares of the time are told. */
static double weight_ms(const habitat_work *work) {
    double seconds = (work->read_bytes + work->write_bytes) / chosen_weight_bytes_per_s +
                     work->flop / chosen_weight_flop_per_s + chosen_weight_launch_s;
    return seconds * 1e3;
}

static habitat_status make(const habitat_workload *recorded, const scale_group *groups,
                           habitat_workload **out, habitat_error *err) {
    size_t count = recorded->group_count;
    habitat_workload *made = NULL;
    habitat_untimed_operation *operations = calloc(count + 1, sizeof *operations);
    if (!operations)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t g = 0; g < count; g++)
        operations[g] =
            (habitat_untimed_operation){.operation = recorded->groups[g].operation,
                                        .work = groups ? groups[g].work : *recorded->groups[g].work,
                                        .arithmetic = recorded->kernels[g].facts.dtype};
    habitat_status status = habitat_workload_from_operations(count, operations, &made, err);
    free(operations);
    if (status != HABITAT_OK)
        return status;
    made->trace = recorded->trace;
    made->batch_size = recorded->batch_size;
    made->info.trace_kernel_count = recorded->info.trace_kernel_count;
    made->left_out_count = recorded->left_out_count;
    made->cpu = recorded->cpu;
    made->format = recorded->format;
    made->doubt = recorded->doubt;
    *out = made;
    return HABITAT_OK;
}

/* The operations with their new sizes, which belong to the workload then. */
static habitat_status keep_operations(const scale_group *groups, habitat_workload *made,
                                      habitat_error *err) {
    for (size_t g = 0; g < made->group_count; g++) {
        if (!groups[g].operation)
            continue;
        made->groups[g].operation = scale_keep_operation(&made->arena, groups[g].operation);
        if (!made->groups[g].operation)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    return HABITAT_OK;
}

/* weighed: the recorded one, whose groups have weights in the place of times. */
static habitat_status say(const habitat_workload *recorded, const habitat_workload *weighed,
                          const scale_group *groups, uint32_t parts, habitat_workload *made,
                          habitat_error *err) {
    size_t by_values = rescale_count_by_values(recorded);
    habitat_status status =
        rescale_warn_of_batch(weighed, groups, parts, made->batch_size, made, err);
    if (status == HABITAT_OK)
        status = rescale_warn_of_passes(recorded, parts, made, err);
    if (status == HABITAT_OK && by_values)
        status = rescale_warn_of_values(weighed, groups, by_values, made, err);
    return status;
}

habitat_status rescale_untimed(const habitat_workload *w, uint64_t batch, habitat_workload **out,
                               habitat_error *err) {
    habitat_arena arena = {0};
    habitat_workload *weighed = NULL, *made = NULL;
    uint32_t parts = 1;
    scale_group *groups = calloc(w->group_count + 1, sizeof *groups);
    habitat_status status = groups ? make(w, NULL, &weighed, err)
                                   : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t g = 0; status == HABITAT_OK && g < w->group_count; g++)
        weighed->groups[g].origin_ms = weight_ms(weighed->groups[g].work);
    if (status == HABITAT_OK)
        status = scale_batch(weighed, NULL, batch, &arena, groups, &parts, err);
    if (status == HABITAT_OK)
        status = rescale_check_shared(parts, batch, err);
    if (status == HABITAT_OK)
        status = rescale_check_grows(weighed, groups, err);
    if (status == HABITAT_OK)
        status = make(w, groups, &made, err);
    if (status == HABITAT_OK) {
        made->batch_size = batch;
        made->recorded = w;
        status = keep_operations(groups, made, err);
    }
    if (status == HABITAT_OK)
        status = say(w, weighed, groups, parts, made, err);
    habitat_workload_free(weighed);
    habitat_arena_free(&arena);
    free(groups);
    if (status == HABITAT_OK)
        *out = made;
    else
        habitat_workload_free(made);
    return status;
}
