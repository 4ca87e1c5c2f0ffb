/* See scaler_added.h. The scaler goes once through all gradients, to divide and to check them. */
#include "rescale/scaler_added.h"

#include <math.h>

#include "memory/model.h"
#include "workload/scaler.h"

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

/* Of all parameters with a gradient: the largest sum of the lists of one optimiser's operation, or
 * what is known of memory, if that is more; a profiler often leaves the lists empty. */
static double gradient_elements(const habitat_workload *w) {
    double most = 0.0;
    for (size_t g = 0; g < w->group_count; g++)
        most = fmax(most, listed_elements(&w->groups[g]));
    return w->memory ? fmax(most, w->memory->gradients_bytes / SINGLE_BYTES) : most;
}

void scaler_added(const habitat_workload *w, added_list *list) {
    if (!workload_has_optimizer(w))
        return;
    double elements = gradient_elements(w);
    for (size_t i = 0; i < w->info.iteration_count; i++)
        added_bytes(list, "aten::_amp_foreach_non_finite_check_and_unscale_", elements,
                    SINGLE_BYTES, SINGLE_BYTES, HABITAT_CLASS_OPTIMIZER);
}
