/* See unvectorised.h. Each thread works out where its elements lie and moves them one by one: as
 * many instructions and requests in 16 bit as in fp32, and half of the bytes. */
#include "kernels/unvectorised.h"

#include <math.h>
#include <string.h>

#include "base/constants_scaling.h"
#include "work/kinds.h"

/* Rows of a table are copied; other gathers, scatters and the gradients of both go place by place,
 * in 16 bit as in fp32 (docs/decisions/0412). So do element-wise kernels without vectors, unless
 * formats come to mix (docs/decisions/0415). */
static bool goes_by_place(const habitat_work *work, const scale_group *after) {
    if (work->op_class == HABITAT_CLASS_ELEMENTWISE)
        return work->by_place && !after->mixed;
    return work->op_class == HABITAT_CLASS_EMBEDDING &&
           (work->pass == HABITAT_PASS_BACKWARD || !work_kind_is(work->kind, WORK_EMBEDDING));
}

/* PyTorch's kernel for elements that lie in another order than they are taken in. */
static bool is_without_vectors(const char *kernel) {
    const char *own = strstr(kernel, "::elementwise_kernel<");
    return own != NULL || strncmp(kernel, "elementwise_kernel<", 19) == 0;
}

/* All kernels of a copy or an element-wise operation are of that kind. */
static bool runs_without_vectors(const habitat_workload *w, const habitat_workload_group *group,
                                 const scale_group *after) {
    habitat_class op_class = group->work->op_class;
    if (after->mixed || (op_class != HABITAT_CLASS_COPY && op_class != HABITAT_CLASS_ELEMENTWISE))
        return false;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *kernel =
            &w->kernels[w->group_index[group->first_kernel + i]];
        if (!is_without_vectors(kernel->kernel->form->name))
            return false;
    }
    return group->kernel_count > 0;
}

double unvectorised_ratio(const habitat_workload *w, const habitat_workload_group *group,
                          const scale_group *after, double ratio) {
    if (group->work->dtype == after->work.dtype)
        return NAN;
    if (runs_without_vectors(w, group, after) && ratio > 0.0 && after->ratio > 0.0)
        return after->ratio * pow(ratio / after->ratio, fitted_scale_places_share);
    return goes_by_place(group->work, after) ? after->ratio : (double)NAN;
}
