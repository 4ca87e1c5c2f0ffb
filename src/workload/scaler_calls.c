/* See scaler_calls.h. PyTorch's scaler is Python: it walks over all gradients, checks and divides
 * them some at a time, reads the answer back and sets its next scale. */
#include "workload/scaler_calls.h"

#include <string.h>

#include "base/constants.h"
#include "trace/gradients.h"

bool workload_is_scaler(const habitat_operation *op) {
    return strncmp(op->form->name, "aten::_amp_", 11) == 0;
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
