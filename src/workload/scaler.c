/* See scaler.h. PyTorch's scaler is Python: it walks over all gradients, checks and divides
 * them some at a time, reads the answer back and sets its next scale. */
#include "workload/scaler.h"

#include <math.h>

#include "base/constants_scaling.h"
#include "memory/model.h"
#include "trace/gradients.h"
#include "trace/names.h"

bool workload_is_scaler(const habitat_operation *op) {
    return name_begins(op->form->name, "aten::_amp_");
}

/* Scaling to another format leaves its groups where they were, with nothing to do. */
bool workload_has_scaler(const habitat_workload *w) {
    if (w->precision && w->precision != HABITAT_PRECISION_AMP_FP16)
        return false;
    for (size_t g = 0; g < w->group_count; g++)
        if (w->groups[g].operation && workload_is_scaler(w->groups[g].operation))
            return true;
    return false;
}

double workload_scaler_calls(const habitat_workload *w) {
    size_t count = 0, gradients = 0;
    if (!workload_has_scaler(w))
        return 0.0;
    const habitat_operation *all = habitat_trace_operations(w->trace, &count);
    for (uint32_t i = 0; i < count; i++)
        gradients += trace_adds_gradient(all, i);
    return hardware_scaler_calls * (double)w->info.iteration_count +
           fitted_scaler_gradient_calls * (double)gradients;
}

/* ---- what it runs on the GPU ---- */

/* Elements in the lists of one optimiser's operation; 0: not one. */
static double listed_elements(const habitat_workload_group *group) {
    const habitat_operation *op = group->operation;
    double sum = 0.0;
    if (!op || group->work->op_class != HABITAT_CLASS_OPTIMIZER || op->form->input_count == 0)
        return 0.0;
    const int64_t *sizes = op->form->inputs[0].is_list ? op->form->inputs[0].dims : NULL;
    for (uint32_t j = 0; sizes && j < op->form->inputs[0].list_count; j++) {
        double product = 1.0;
        for (int64_t d = 0; d < sizes[0]; d++)
            product *= (double)sizes[1 + d];
        sum += product;
        sizes += 1 + sizes[0];
    }
    return sum;
}

/* Whether the step has an optimiser, with whose step the scaler runs. One written out in plain
 * operations shows by its range alone. */
bool workload_has_optimizer(const habitat_workload *w) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(w->trace, &count);
    for (size_t i = 0; i < count; i++)
        if (name_is_optimizer_step(ops[i].form->name))
            return true;
    for (size_t g = 0; g < w->group_count; g++)
        if (w->groups[g].work->op_class == HABITAT_CLASS_OPTIMIZER)
            return true;
    return false;
}

/* Of all parameters with a gradient: the largest sum of the lists of one optimiser's operation, or
 * what is known of memory, if that is more; a profiler often leaves the lists empty. */
static double gradient_elements(const habitat_workload *w) {
    double most = 0.0;
    for (size_t g = 0; g < w->group_count; g++)
        most = fmax(most, listed_elements(&w->groups[g]));
    return w->memory ? fmax(most, w->memory->gradients_bytes / WIDE_BYTES) : most;
}

void scaler_add(const habitat_workload *w, added_list *list) {
    if (!workload_has_optimizer(w))
        return;
    double elements = gradient_elements(w);
    for (size_t i = 0; i < w->info.iteration_count; i++)
        added_bytes(list, "aten::_amp_foreach_non_finite_check_and_unscale_", elements, WIDE_BYTES,
                    WIDE_BYTES, HABITAT_CLASS_OPTIMIZER);
}
