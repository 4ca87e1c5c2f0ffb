/* See rnn_calls.h. Cells of single steps are PyTorch's own kernels, the same everywhere. */
#include "workload/rnn_calls.h"

#include "gpu/gpu.h"

static bool is_backward(const habitat_work *work) {
    return work->pass != HABITAT_PASS_FORWARD;
}

bool workload_rnn_way(const habitat_workload_group *group, const habitat_gpu *gpu, rnn_way *out) {
    const habitat_work *work = group->work;
    rnn_device device = {0};
    if (gpu)
        device = (rnn_device){gpu->compute_capability, gpu->sm_count};
    if (work->op_class != HABITAT_CLASS_RNN || !work->known || !work->varying)
        return false;
    *out = rnn_way_of(&work->shape.rnn, work->dtype, is_backward(work), &device);
    return true;
}

double workload_group_rnn_calls(const habitat_workload_group *group, const habitat_gpu *gpu) {
    rnn_way way;
    if (!workload_rnn_way(group, gpu, &way))
        return 0.0;
    return rnn_launches_of(&group->work->shape.rnn, way, is_backward(group->work)).calls;
}

double workload_rnn_calls(const habitat_workload *w, const habitat_gpu *gpu) {
    double calls = 0.0;
    for (size_t g = 0; g < w->group_count; g++)
        calls += workload_group_rnn_calls(&w->groups[g], gpu);
    return calls;
}
