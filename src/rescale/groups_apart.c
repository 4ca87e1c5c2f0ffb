/* See groups_apart.h. */
#include "rescale/groups_apart.h"

#include <math.h>

bool workload_groups_apart(const habitat_workload_group *group) {
    const habitat_work *work = group->work;
    return work->op_class == HABITAT_CLASS_CONV && work->known && work->shape.conv.groups > 1.0 &&
           fmod((double)group->kernel_count, work->shape.conv.groups) == 0.0;
}

bool workload_groups_in_turn(const habitat_workload_group *group) {
    const habitat_work *work = group->work;
    const habitat_conv_shape *s = &work->shape.conv;
    return work->op_class == HABITAT_CLASS_CONV && work->known && s->groups > 1.0 &&
           s->groups < fmin(s->c_in, s->c_out) && (double)group->kernel_count >= s->groups;
}

double workload_groups_calls_more(const habitat_workload *w, const habitat_workload *recorded) {
    double more = 0.0;
    for (size_t g = 0; w != recorded && g < recorded->group_count; g++) {
        const habitat_workload_group *was = &recorded->groups[g];
        const habitat_work *now = w->groups[g].work;
        if (workload_groups_apart(was) && now->op_class == HABITAT_CLASS_CONV && now->known)
            more += (now->shape.conv.groups / was->work->shape.conv.groups - 1.0) *
                    (double)was->kernel_count;
    }
    return more;
}
