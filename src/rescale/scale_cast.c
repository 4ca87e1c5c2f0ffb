/* What autocast makes of an fp32 iteration: formats follow the data.
 *
 * A trace does not say which operation made a tensor; its number of elements does, nearly: what
 * made the latest tensor of a size made the input of that size. Operations run forward in the order
 * of their start. Each has autocast's policy for the outermost operation around it that is listed.
 * Two tensors of one size that are joined (a residual connection) are fp32 where fp32 tensors of
 * that size have been made. Backward operations have the formats of their forward operation.
 *
 * Attention in parts that is one kernel in 16 bit is gone, and that kernel is added; other parts
 * compute in fp32 still, and casts around them are added (cast_attention.h). Recurrent
 * layers of a GPU's library are in fp16 whatever the format (autocast.h).
 *
 * Added are a cast for every fp32 tensor that a 16-bit operation reads (each weight once an
 * iteration, and where its layer is run again), for every 16-bit tensor that an fp32 operation
 * reads (cast_inputs.h), the same of their gradients, and in fp16 the scaler's pass over all
 * gradients. */
#include "rescale/scale_cast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rescale/cast_attention.h"
#include "rescale/cast_inputs.h"
#include "rescale/cast_joined.h"
#include "rescale/recomputed_layers.h"
#include "rescale/result_sizes.h"
#include "rescale/scale_attention.h"
#include "rescale/scaler_added.h"
#include "trace/names.h"
#include "work/args.h"
#include "work/autocast.h"
#include "work/widening.h"

habitat_dtype scale_narrow_dtype(habitat_precision precision) {
    return precision == HABITAT_PRECISION_AMP_FP16 ? HABITAT_DTYPE_FP16 : HABITAT_DTYPE_BF16;
}

/* ---- sizes ---- */

/* An iteration begins with its samples: what the one before made says nothing of them. Where
 * nothing marks it, it may begin anywhere. */
static void begin_iteration(caster *c, uint32_t iteration) {
    if (iteration <= c->iteration ||
        habitat_trace_get_info(c->w->trace)->iterations_by == HABITAT_ITERATIONS_COUNTED)
        return;
    c->iteration = iteration;
    c->beside.latest = HABITAT_DTYPE_UNKNOWN;
    tensor_sizes_clear(&c->sizes);
}

/* ---- forward ---- */

static double largest_of(const scale_operation *room) {
    double largest = 0.0;
    for (uint32_t i = 0; i < room->op.form->input_count; i++)
        if (cast_is_fp32_tensor(&room->inputs[i]))
            largest = fmax(largest, work_elements(&room->inputs[i]));
    return largest;
}

/* Formats of the inputs of an operation that is not listed: as they come. Returns the result's. */
static habitat_dtype follow(caster *c, scale_operation *room) {
    habitat_dtype result = HABITAT_DTYPE_UNKNOWN;
    double largest = largest_of(room);
    bool joins = result_expanded(room->op.form) <= largest; /* else sums of rows with columns */
    uint32_t full = 0;
    for (uint32_t i = 0; i < room->op.form->input_count; i++) {
        habitat_input *input = &room->inputs[i];
        if (!cast_is_fp32_tensor(input) || (input->rank == 1 && work_elements(input) < largest))
            continue;
        const tensor_size *size = tensor_sizes_find(&c->sizes, work_elements(input));
        habitat_dtype format = cast_format_of(c, input, i);
        full += joins && work_elements(input) == largest;
        if (full > 1 && work_elements(input) == largest && size && size->wide)
            format = HABITAT_DTYPE_FP32;
        if (autocast_is_narrow(format)) {
            input->dtype = format;
            room->changed = true;
        }
        bool alike = result == HABITAT_DTYPE_UNKNOWN || result == format;
        result = alike ? format : HABITAT_DTYPE_FP32; /* fp16 and bf16 make fp32 */
    }
    return result;
}

static void narrow_inputs(habitat_dtype narrow, scale_operation *room, uint32_t least_rank) {
    for (uint32_t i = 0; i < room->op.form->input_count; i++)
        if (cast_is_fp32_tensor(&room->inputs[i]) && room->inputs[i].rank >= least_rank) {
            room->inputs[i].dtype = narrow;
            room->changed = true;
        }
}

static bool is_mixed(const scale_operation *op) {
    bool wide = false, thin = false;
    for (uint32_t i = 0; i < op->op.form->input_count; i++) {
        wide |= cast_is_fp32_tensor(&op->inputs[i]);
        thin |= op->inputs[i].is_tensor && autocast_is_narrow(op->inputs[i].dtype);
    }
    return wide && thin;
}

static void finish(caster *c, const habitat_workload_group *group, habitat_dtype narrow,
                   scale_group *out) {
    if (!c->room->changed)
        return;
    scale_group_work(c->w, group, c->room, out);
    out->source = SCALE_BY_FORMAT;
    out->mixed = group->work->op_class == HABITAT_CLASS_ELEMENTWISE && is_mixed(c->room);
    if (habitat_class_is_product(group->work->op_class)) {
        out->arithmetic = narrow;
        out->matrix_unit = true;
    }
}

/* What mixes formats is fp32, and so is its gradient: the engine casts that for each operand in 16
 * bit. docs/decisions/0415 */
static void cast_gradients(caster *c, const scale_group *out) {
    const habitat_op_form *form = c->room->op.form;
    for (uint32_t i = 0; c->trains && out->mixed && i < form->input_count; i++)
        if (c->room->inputs[i].is_tensor && autocast_is_narrow(c->room->inputs[i].dtype))
            added_bytes(&c->added, "aten::_to_copy", work_elements(&c->room->inputs[i]),
                        SINGLE_BYTES, HALF_BYTES, HABITAT_CLASS_COPY);
}

static void remember(caster *c, uint32_t op, uint32_t around, habitat_dtype what) {
    for (uint32_t at = op; at < c->op_count; at = c->ops[at].parent) {
        c->decided[at] = (uint8_t)what;
        if (at == around)
            return;
    }
}

static void forward(caster *c, const habitat_workload_group *group, uint32_t op, scale_group *out) {
    autocast_policy policy;
    uint32_t around = cast_listed_around(c, op, &policy);
    habitat_dtype result = HABITAT_DTYPE_FP32, narrow = cast_narrow_in(c, op);
    if (group->work->op_class != HABITAT_CLASS_GEMM)
        c->beside.latest = HABITAT_DTYPE_UNKNOWN;
    cast_inputs_of(c, around, policy, narrow);
    if (policy == AUTOCAST_NARROW) {
        cast_listed_weights(c, group->work, op);
        narrow_inputs(narrow, c->room, 1);
        result = narrow;
    } else if (policy == AUTOCAST_NOT_LISTED) {
        result = follow(c, c->room);
    } else if (policy == AUTOCAST_WIDE_INSIDE) {
        follow(c, c->room);
    }
    finish(c, group, narrow, out);
    cast_gradients(c, out);
    if (result == HABITAT_DTYPE_UNKNOWN)
        return;
    tensor_sizes_note(&c->sizes, result_elements(group), result);
    remember(c, op, around, result);
}

/* ---- backward ---- */

/* The forward operation that a backward one belongs to; HABITAT_NONE for what is run forward. */
static bool is_backward(const caster *c, uint32_t op, uint32_t *forward) {
    *forward = HABITAT_NONE;
    if (c->again[op])
        return false;
    for (; op < c->op_count; op = c->ops[op].parent) {
        if (*forward == HABITAT_NONE)
            *forward = c->ops[op].forward;
        if (name_is_engine(c->ops[op].form->name))
            return true;
    }
    return *forward != HABITAT_NONE;
}

static void backward(caster *c, const habitat_workload_group *group, uint32_t op,
                     uint32_t forward_op, scale_group *out) {
    habitat_dtype what =
        forward_op < c->op_count ? (habitat_dtype)c->decided[forward_op] : HABITAT_DTYPE_UNKNOWN;
    bool product = habitat_class_is_product(group->work->op_class);
    habitat_dtype narrow = autocast_is_narrow(what) ? what : cast_narrow_in(c, op);
    if (autocast_is_narrow(what) || (product && what == HABITAT_DTYPE_UNKNOWN))
        narrow_inputs(narrow, c->room, product ? 1 : 2);
    else if (what == HABITAT_DTYPE_UNKNOWN)
        follow(c, c->room);
    finish(c, group, narrow, out);
}

/* ---- calls that ask for fp32 ---- */

/* Those before an operation: what is in 16 bit is cast. */
static void widen_before(caster *c, uint32_t op) {
    for (; c->called < op; c->called++) {
        double elements = widening_elements(c->ops, c->op_count, c->called);
        const tensor_size *size = elements > 0.0 ? tensor_sizes_find(&c->sizes, elements) : NULL;
        if (!size || !autocast_is_narrow(size->latest))
            continue;
        cast_add(c, elements, size->latest, HABITAT_DTYPE_FP32, false, true);
        tensor_sizes_note(&c->sizes, elements, HABITAT_DTYPE_FP32);
    }
}

/* ---- all of them ---- */

/* The innermost recorded operation of a group: a rewritten one has the same place in its trace. */
static uint32_t op_of(const caster *c, const habitat_workload_group *group) {
    const habitat_workload_kernel *kernel = &c->w->kernels[c->w->group_index[group->first_kernel]];
    uint32_t op = kernel->kernel->operation;
    while (op < c->op_count && strcmp(c->ops[op].form->name, group->operation->form->name) != 0)
        op = c->ops[op].parent;
    return op < c->op_count ? op : kernel->kernel->operation;
}

static void one_group(caster *c, size_t g, scale_group *out, habitat_arena *arena) {
    const habitat_workload_group *group = &c->w->groups[g];
    uint32_t forward_op;
    if (scale_leaves(c->w, group) || !scale_copy_operation(group->operation, c->room))
        return;
    uint32_t op = op_of(c, group);
    if (op >= c->op_count)
        return;
    begin_iteration(c, c->ops[op].iteration);
    bool back = is_backward(c, op, &forward_op);
    bool gradient = back && forward_op < c->op_count;
    const habitat_input *list = cast_joined(group);
    if (!back)
        widen_before(c, op);
    if (cast_attend(c, op, gradient, forward_op, out))
        return;
    if (scale_is_beside_attention(c->ops, c->op_count, op)) {
        out->source = SCALE_GONE;
        return;
    }
    if (list && back)
        cast_join_backward(c, group, forward_op, out);
    else if (list)
        cast_join_forward(c, group, list, out);
    else if (back)
        backward(c, group, op, forward_op, out);
    else
        forward(c, group, op, out);
    if (!list && out->source == SCALE_BY_FORMAT) {
        out->operation = scale_keep_operation(arena, &c->room->op);
        c->out_of_memory |= !out->operation;
    }
}

/* Weights that are read forward, of all groups, before any of them is cast. */
static bool count_weights(caster *c, const uint32_t *groups, size_t count) {
    bool fine = true;
    for (size_t i = 0; i < count; i++) {
        const habitat_workload_group *group = &c->w->groups[groups[i]];
        uint32_t op = op_of(c, group), forward_op;
        autocast_policy policy;
        if (op >= c->op_count || scale_leaves(c->w, group) || is_backward(c, op, &forward_op))
            continue;
        uint32_t around = cast_listed_around(c, op, &policy);
        const habitat_op_form *form = c->ops[around].form;
        if (policy != AUTOCAST_NARROW || c->cast[around] || c->again[around])
            continue;
        c->cast[around] = true;
        for (uint32_t k = 0; k < form->input_count; k++)
            if (cast_is_fp32_tensor(&form->inputs[k]) && weight_casts_is_weight(&c->ops[around], k))
                fine = fine && weight_casts_read(&c->weights, c->ops[op].start_ns,
                                                 work_elements(&form->inputs[k]));
    }
    memset(c->cast, 0, c->op_count * sizeof *c->cast);
    return fine;
}

static bool set_up(caster *c, uint32_t *groups, size_t *count) {
    c->ops = habitat_trace_operations(c->w->trace, &c->op_count);
    c->decided = calloc(c->op_count + 1, sizeof *c->decided);
    c->cast = calloc(c->op_count + 1, sizeof *c->cast);
    c->again = calloc(c->op_count + 1, sizeof *c->again);
    c->parts = calloc(c->op_count + 1, sizeof *c->parts);
    c->parts_seen = calloc(c->op_count + 1, sizeof *c->parts_seen);
    c->room = malloc(sizeof *c->room);
    c->fused_back = calloc(c->op_count + 1, sizeof *c->fused_back);
    if (!groups || !c->decided || !c->cast || !c->again || !c->parts || !c->parts_seen ||
        !c->fused_back || !c->room)
        return false;
    scale_mark_attention_in_parts(c->ops, c->op_count, c->parts);
    if (!recomputed_layers_mark(c->ops, c->op_count, c->again) ||
        !scale_order(c->w, groups, count) ||
        weight_casts_of(c->w->trace, &c->weights, NULL) != HABITAT_OK ||
        !count_weights(c, groups, *count))
        return false;
    for (size_t i = 0; i < *count; i++)
        c->trains |= strstr(c->w->groups[groups[i]].operation->form->name, "ackward") != NULL;
    return true;
}

habitat_status scale_cast(const habitat_workload *w, habitat_precision precision,
                          habitat_arena *arena, scale_group *out, scale_added **added,
                          size_t *added_count, habitat_error *err) {
    caster c = {.w = w, .narrow = scale_narrow_dtype(precision)};
    uint32_t *groups = calloc(w->group_count + 1, sizeof *groups);
    size_t count = 0;
    bool ok = set_up(&c, groups, &count);
    for (size_t i = 0; ok && i < count; i++)
        one_group(&c, groups[i], &out[groups[i]], arena);
    if (ok && c.narrow == HABITAT_DTYPE_FP16 && c.trains)
        scaler_added(w, &c.added);
    free(groups);
    free(c.decided);
    free(c.cast);
    free(c.again);
    weight_casts_free(&c.weights);
    free(c.parts);
    free(c.parts_seen);
    free(c.fused_back);
    free(c.room);
    bool noted = !c.sizes.out_of_memory;
    tensor_sizes_clear(&c.sizes);
    if (!ok || !noted || c.out_of_memory || c.added.out_of_memory) {
        free(c.added.all);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    *added = c.added.all;
    *added_count = c.added.count;
    return HABITAT_OK;
}
