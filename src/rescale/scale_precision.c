/* A recorded iteration in another precision: which tensors and which arithmetic change format.
 *
 *   fp32 <-> tf32          the arithmetic of products alone
 *   fp32, tf32 -> amp      as autocast would (autocast.h), and the casts that it adds: scale_cast.c
 *   amp-fp16 <-> amp-bf16  one 16-bit format for the other, but in recurrent layers, which are in
 *                          fp16 under both; the scaler comes with fp16. Casts from bf16 to those
 *                          layers and back fall away, and are not added: 1 to 4 a model
 *   amp -> fp32, tf32      16-bit tensors become fp32; casts and the scaler fall away; the same
 *                          where weights are in 16 bit too */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rescale/scale.h"
#include "rescale/scale_cast.h"
#include "rescale/scaler_added.h"
#include "work/autocast.h"
#include "workload/recorded_format.h"
#include "workload/scaler.h"

/* ---- the arithmetic of products ---- */

/* PyTorch's fused attention in fp32 has kernels of its own, which no setting changes. Keys with
 * fewer heads than queries they do not take: products and a softmax alone do. */
static bool is_fused_attention(const habitat_work *work) {
    return work->op_class == HABITAT_CLASS_ATTENTION &&
           !(work->known && work->shape.attention.kv_heads < work->shape.attention.heads);
}

bool scale_is_depthwise(const habitat_work *work) {
    const habitat_conv_shape *s = &work->shape.conv;
    return work->op_class == HABITAT_CLASS_CONV && work->known && s->groups > 1 &&
           s->groups == s->c_in;
}

/* The format in which products of this class compute, without autocast. */
static void set_arithmetic(const habitat_workload_group *group, habitat_precision precision,
                           scale_group *out) {
    if (!habitat_class_is_product(group->work->op_class) || is_fused_attention(&out->work) ||
        scale_is_depthwise(&out->work))
        return;
    bool tf32 = precision == HABITAT_PRECISION_TF32;
    out->arithmetic = tf32 ? HABITAT_DTYPE_TF32 : HABITAT_DTYPE_FP32;
    out->matrix_unit = tf32;
    out->source = SCALE_BY_FORMAT;
}

/* ---- one 16-bit format for another, or none ---- */

static bool replace_narrow(scale_operation *op, habitat_dtype with) {
    for (uint32_t i = 0; i < op->op.form->input_count; i++)
        if (autocast_is_narrow(op->inputs[i].dtype) && op->inputs[i].dtype != with) {
            op->inputs[i].dtype = with;
            op->changed = true;
        }
    return op->changed;
}

static bool is_cast(const habitat_operation *op, habitat_class op_class) {
    return op_class == HABITAT_CLASS_COPY && op->form->input_count >= 2 &&
           autocast_is_narrow(op->form->inputs[0].dtype) !=
               autocast_is_narrow(op->form->inputs[1].dtype) &&
           op->form->inputs[1].is_tensor && op->form->inputs[0].is_tensor &&
           (op->form->inputs[0].dtype == HABITAT_DTYPE_FP32 ||
            op->form->inputs[1].dtype == HABITAT_DTYPE_FP32);
}

/* The format of 16-bit tensors of an operation there. */
static habitat_dtype format_there(const habitat_operation *op, habitat_precision precision) {
    return precision_is_amp(precision)
               ? autocast_narrow(op->form->name, scale_narrow_dtype(precision))
               : HABITAT_DTYPE_FP32;
}

/* From one 16-bit format to the other: between autocast's bf16 and a layer in fp16. */
static bool is_thin_cast(const habitat_operation *op, habitat_class op_class) {
    return op_class == HABITAT_CLASS_COPY && op->form->input_count >= 2 &&
           autocast_is_narrow(op->form->inputs[0].dtype) &&
           autocast_is_narrow(op->form->inputs[1].dtype) &&
           op->form->inputs[0].dtype != op->form->inputs[1].dtype;
}

static void from_amp(const habitat_workload *w, const habitat_workload_group *group,
                     habitat_precision precision, scale_operation *room, scale_group *out) {
    const habitat_operation *op = group->operation;
    bool stays_narrow = precision_is_amp(precision);
    if (!op || !scale_copy_operation(op, room))
        return;
    bool gone = precision != HABITAT_PRECISION_AMP_FP16 && workload_is_scaler(op);
    gone |= !stays_narrow && is_cast(op, group->work->op_class);
    gone |= precision != HABITAT_PRECISION_AMP_BF16 && is_thin_cast(op, group->work->op_class);
    if (gone) {
        out->source = SCALE_GONE;
        return;
    }
    habitat_dtype there = format_there(op, precision);
    if (!replace_narrow(room, there))
        return;
    scale_group_work(w, group, room, out);
    out->source = SCALE_BY_FORMAT;
    if (!habitat_class_is_product(group->work->op_class))
        return;
    out->arithmetic = there;
    out->matrix_unit = stays_narrow;
    if (!stays_narrow)
        set_arithmetic(group, precision, out);
}

/* ---- all groups ---- */

static habitat_status add_scaler(const habitat_workload *w, scale_added **added,
                                 size_t *added_count, habitat_error *err) {
    added_list list = {0};
    scaler_added(w, &list);
    if (list.out_of_memory) {
        free(list.all);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    *added = list.all;
    *added_count = list.count;
    return HABITAT_OK;
}

habitat_status scale_precision(const habitat_workload *w, habitat_precision precision,
                               habitat_arena *arena, scale_group *out, scale_added **added,
                               size_t *added_count, habitat_error *err) {
    recorded_format recorded = w->format;
    bool narrow = precision_is_amp(recorded.precision) || recorded.half != HABITAT_DTYPE_UNKNOWN;
    habitat_status status = HABITAT_OK;
    *added = NULL;
    *added_count = 0;
    for (size_t g = 0; g < w->group_count; g++)
        out[g] = (scale_group){.work = *w->groups[g].work, .ratio = 1.0};
    if (!narrow && precision_is_amp(precision))
        return scale_cast(w, precision, arena, out, added, added_count, err);
    scale_operation *room = malloc(sizeof *room);
    if (!room)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t g = 0; status == HABITAT_OK && g < w->group_count; g++) {
        if (!narrow) {
            set_arithmetic(&w->groups[g], precision, &out[g]);
            continue;
        }
        from_amp(w, &w->groups[g], precision, room, &out[g]);
        if (out[g].source != SCALE_BY_FORMAT)
            continue;
        out[g].operation = scale_keep_operation(arena, &room->op);
        if (!out[g].operation)
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    free(room);
    if (status == HABITAT_OK && recorded.precision == HABITAT_PRECISION_AMP_BF16 &&
        precision == HABITAT_PRECISION_AMP_FP16 && !workload_has_scaler(w))
        status = add_scaler(w, added, added_count, err);
    return status;
}
