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
