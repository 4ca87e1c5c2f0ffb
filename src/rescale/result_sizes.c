/* See result_sizes.h. */
#include "rescale/result_sizes.h"

#include <math.h>
#include <string.h>

#include "work/args.h"
#include "work/class.h"
#include "work/rnn_way.h"
#include "work/kinds.h"

double result_expanded(const habitat_op_form *form) {
    work_dims shape = {0}, dims;
    for (uint32_t i = 0; i < form->input_count; i++)
        if (form->inputs[i].is_tensor && !form->inputs[i].is_list &&
            (!work_dims_of(&form->inputs[i], &dims) || !work_broadcast(&shape, &dims)))
            return 0.0;
    return work_dims_product(&shape);
}

double result_elements(const habitat_workload_group *group) {
    const habitat_work *work = group->work;
    double most = 0.0;
    if (work->known)
        switch (class_of(work->op_class)->shape) {
        case CLASS_SHAPE_GEMM:
            return work->shape.gemm.b * work->shape.gemm.m * work->shape.gemm.n;
        case CLASS_SHAPE_CONV:
            most = work->shape.conv.batch * work->shape.conv.c_out;
            for (uint32_t d = 0; d < work->shape.conv.dims; d++)
                most *= work->shape.conv.out[d];
            return most;
        case CLASS_SHAPE_ATTENTION:
            return work->shape.attention.batch * work->shape.attention.heads *
                   work->shape.attention.q_len * work->shape.attention.v_head_dim;
        case CLASS_SHAPE_RNN:
            return work->shape.rnn.batch * work->shape.rnn.steps * rnn_state(&work->shape.rnn) *
                   (work->shape.rnn.bidirectional ? 2 : 1);
        default:
            break;
        }
    if (work->known && work_kind_is(work->kind, WORK_UPSAMPLE)) /* as large as it is told to be */
        return work->shape.rows.rows * work->shape.rows.columns;
    if (work->op_class == HABITAT_CLASS_ELEMENTWISE)
        most = result_expanded(group->operation->form);
    for (uint32_t i = 0; i < group->operation->form->input_count; i++)
        if (group->operation->form->inputs[i].is_tensor &&
            !group->operation->form->inputs[i].is_list)
            most = fmax(most, work_elements(&group->operation->form->inputs[i]));
    return most;
}
