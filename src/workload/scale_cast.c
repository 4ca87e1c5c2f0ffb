/* What autocast makes of an fp32 iteration: formats follow the data.
 *
 * A trace does not say which operation made a tensor; its number of elements does, nearly: what
 * made the latest tensor of a size made the input of that size. Operations run forward in the order
 * of their start. Each has autocast's policy for the outermost operation around it that is listed.
 * Two tensors of one size that are joined (a residual connection) are fp32 where fp32 tensors of
 * that size have been made. Backward operations have the formats of their forward operation.
 *
 * Attention in parts that is one kernel in 16 bit is gone, and that kernel is added; other parts
 * compute in fp32 still, and casts around them are added (scale_attention.h). Recurrent
 * layers of a GPU's library are in fp16 whatever the format (autocast.h).
 *
 * Added are a cast for every fp32 tensor that a 16-bit operation reads (each weight once an
 * iteration, and where its layer is run again), for every 16-bit tensor that an fp32 operation
 * reads, the same of their gradients, and in fp16 the scaler's pass over all gradients. */
#include "workload/scale_cast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "work/args.h"
#include "work/autocast.h"
#include "workload/added.h"
#include "workload/again.h"
#include "workload/result_sizes.h"
#include "workload/scale_attention.h"
#include "workload/scaler.h"
#include "workload/tensor_sizes.h"
#include "workload/weight_casts.h"
#include "work/widening.h"

habitat_dtype scale_narrow_dtype(habitat_precision precision) {
    return precision == HABITAT_PRECISION_AMP_FP16 ? HABITAT_DTYPE_FP16 : HABITAT_DTYPE_BF16;
}

typedef struct caster {
    const habitat_workload *w;
    const habitat_operation *ops;
    size_t op_count;
    habitat_dtype narrow;
    uint8_t *decided; /* shape (op_count): the format of forward operations; 0: none yet */
    bool *again;      /* shape (op_count): run once more, for a gradient */
    weight_casts weights;
    bool *cast;         /* shape (op_count): the inputs of this listed operation were seen to */
    uint32_t *parts;    /* shape (op_count): the attention in parts around each, or HABITAT_NONE */
    bool *parts_seen;   /* shape (op_count): what another format adds to that one was added */
    bool *fused_back;   /* shape (op_count): the kernel for the gradients of that one was added */
    tensor_sizes sizes; /* made so far in this iteration */
    tensor_size beside; /* what the linear layer read after which nothing but such ran */
    uint32_t iteration; /* that these sizes are of */
    uint32_t called;    /* calls before this one that ask for fp32 were heard */
    bool trains;
    added_list added;
    scale_operation *room;
    bool out_of_memory;
} caster;

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

static double bytes_of(habitat_dtype dtype) {
    return autocast_is_narrow(dtype) ? NARROW_BYTES : WIDE_BYTES;
}

static bool is_fp32_tensor(const habitat_input *input) {
    return input->is_tensor && !input->is_list && input->dtype == HABITAT_DTYPE_FP32 &&
           input->rank > 0;
}

/* ---- what is added ---- */

/* From one format to another, and the gradient back. */
static void add_cast(caster *c, double elements, habitat_dtype before, habitat_dtype after,
                     bool weight, bool gradient) {
    double from = bytes_of(before), to = bytes_of(after);
    added_bytes(&c->added, weight ? "aten::_to_copy" SCALE_OF_WEIGHT : "aten::_to_copy", elements,
                from, to, HABITAT_CLASS_COPY);
    if (c->trains && gradient)
        added_bytes(&c->added, weight ? "ToCopyBackward0" SCALE_OF_WEIGHT : "ToCopyBackward0",
                    elements, to, from, HABITAT_CLASS_COPY);
}

/* ---- forward ---- */

/* Whether an operation tells those inside it their format, which autocast leaves alone. */
static bool names_formats(const char *name) {
    return strcmp(name, "aten::cross_entropy_loss") == 0;
}

/* Told fp32 for their result, softmaxes read fp16 in one kernel, but of bf16 they make fp32 first:
 * ATen's SoftMax.cpp. docs/decisions/0415 */
static bool widens_first(const caster *c, const char *name) {
    return c->narrow == HABITAT_DTYPE_BF16 && strstr(name, "softmax") != NULL;
}

/* The outermost listed operation around one, else itself; its policy. */
static uint32_t listed_around(const caster *c, uint32_t op, autocast_policy *policy) {
    uint32_t found = op;
    *policy = AUTOCAST_NOT_LISTED;
    for (uint32_t at = op; at < c->op_count && c->ops[at].form->kind == HABITAT_OPERATION_FRAMEWORK;
         at = c->ops[at].parent) {
        autocast_policy here = autocast_of(c->ops[at].form->name);
        if (*policy == AUTOCAST_WIDE_INSIDE && names_formats(c->ops[at].form->name)) {
            *policy = AUTOCAST_NOT_LISTED;
            found = op;
        }
        if (here != AUTOCAST_NOT_LISTED) {
            *policy = here;
            found = at;
        }
    }
    if (*policy == AUTOCAST_WIDE_INSIDE && widens_first(c, c->ops[found].form->name))
        *policy = AUTOCAST_WIDE;
    return found;
}

static habitat_dtype format_of(caster *c, const habitat_input *input, uint32_t i) {
    const tensor_size *size = tensor_sizes_find(&c->sizes, work_elements(input));
    if (size)
        return size->latest;
    return i == 0 && c->sizes.latest ? c->sizes.latest : HABITAT_DTYPE_FP32;
}

/* The 16-bit format of an operation: that of the one around it that has its own. */
static habitat_dtype narrow_in(const caster *c, uint32_t op) {
    habitat_dtype narrow = c->narrow;
    for (; op < c->op_count && c->ops[op].form->kind == HABITAT_OPERATION_FRAMEWORK &&
           narrow == c->narrow;
         op = c->ops[op].parent)
        narrow = autocast_narrow(c->ops[op].form->name, c->narrow);
    return narrow;
}

static bool is_linear(const habitat_operation *op) {
    const char *name =
        strncmp(op->form->name, "aten::", 6) == 0 ? op->form->name + 6 : op->form->name;
    return strcmp(name, "linear") == 0 || strcmp(name, "addmm") == 0 || strcmp(name, "mm") == 0;
}

/* Two linear layers with nothing between them would be one: the second reads what the first did,
 * and autocast, which keeps the casts of weights alone, casts that anew. docs/decisions/0415 */
static habitat_dtype format_beside(caster *c, const habitat_operation *op,
                                   const habitat_input *input, uint32_t i) {
    double elements = work_elements(input);
    if (!is_linear(op))
        return format_of(c, input, i);
    if (!c->beside.latest || (double)c->beside.elements != elements)
        c->beside.latest = format_of(c, input, i);
    c->beside.elements = (uint64_t)elements;
    return c->beside.latest;
}

/* Casts of the inputs of a listed operation, once. narrow: the format that it takes. */
static void cast_inputs(caster *c, uint32_t op, autocast_policy policy, habitat_dtype narrow) {
    const habitat_operation *from = &c->ops[op];
    bool first = c->sizes.latest == HABITAT_DTYPE_UNKNOWN; /* the samples have no gradient */
    if (c->cast[op] || policy == AUTOCAST_NOT_LISTED || policy == AUTOCAST_WIDE_INSIDE)
        return;
    c->cast[op] = true;
    /* queries, keys and values are products' results, cut into heads */
    uint32_t i = strstr(from->form->name, "attention") ? SCALE_ATTENTION_MASK : 0;
    for (; i < from->form->input_count; i++) {
        const habitat_input *input = &from->form->inputs[i];
        if (!is_fp32_tensor(input))
            continue;
        double elements = work_elements(input);
        bool weight = weight_casts_is_weight(from, i), again = c->again[op];
        if (weight_casts_is_buffer(from, i) || (weight && !again && policy == AUTOCAST_NARROW &&
                                                !weight_casts_next(&c->weights, elements)))
            continue;
        habitat_dtype format = weight ? HABITAT_DTYPE_FP32 : format_beside(c, from, input, i);
        if (policy == AUTOCAST_NARROW && format != narrow)
            add_cast(c, elements, format, narrow, weight, !again && (weight || !first));
        if (policy == AUTOCAST_WIDE && autocast_is_narrow(format) && input->rank > 1)
            add_cast(c, elements, format, HABITAT_DTYPE_FP32, false, !again);
    }
}

/* Recurrent layers have their weights in a list. Autocast fills a buffer for all of them with zeros
 * and copies each into it, anew in every call. */
static void cast_listed_weights(caster *c, const habitat_work *work, uint32_t op) {
    const habitat_op_form *form = c->ops[op].form;
    const habitat_input *list = form->input_count > 1 ? &form->inputs[1] : NULL;
    if (work->op_class != HABITAT_CLASS_RNN || !list || !list->is_list || !list->dims)
        return;
    const int64_t *sizes = list->dims;
    double all = 0.0;
    for (uint32_t j = 0; j < list->list_count; j++, sizes += 1 + sizes[0]) {
        double elements = 1.0;
        for (int64_t d = 0; d < sizes[0]; d++)
            elements *= (double)sizes[1 + d];
        add_cast(c, elements, HABITAT_DTYPE_FP32, c->narrow, true, true);
        all += elements;
    }
    added_bytes(&c->added, "aten::zero_" SCALE_OF_WEIGHT, all, 0.0, NARROW_BYTES,
                HABITAT_CLASS_ELEMENTWISE);
}

static double largest_of(const scale_operation *room) {
    double largest = 0.0;
    for (uint32_t i = 0; i < room->op.form->input_count; i++)
        if (is_fp32_tensor(&room->inputs[i]))
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
        if (!is_fp32_tensor(input) || (input->rank == 1 && work_elements(input) < largest))
            continue;
        const tensor_size *size = tensor_sizes_find(&c->sizes, work_elements(input));
        habitat_dtype format = format_of(c, input, i);
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
        if (is_fp32_tensor(&room->inputs[i]) && room->inputs[i].rank >= least_rank) {
            room->inputs[i].dtype = narrow;
            room->changed = true;
        }
}

static bool is_mixed(const scale_operation *op) {
    bool wide = false, thin = false;
    for (uint32_t i = 0; i < op->op.form->input_count; i++) {
        wide |= is_fp32_tensor(&op->inputs[i]);
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
            added_bytes(&c->added, "aten::_to_copy", work_elements(&c->room->inputs[i]), WIDE_BYTES,
                        NARROW_BYTES, HABITAT_CLASS_COPY);
}

/* ---- tensors that are joined ---- */

/* The list that an operation joins, or NULL: only what it moves is known of it. */
static const habitat_input *joined(const habitat_workload_group *group) {
    const habitat_op_form *form = group->operation->form;
    const habitat_work *work = group->work;
    bool copies = work->op_class == HABITAT_CLASS_COPY && work->known &&
                  work->dtype == HABITAT_DTYPE_FP32 && form->input_count > 0;
    return copies && form->inputs[0].is_list && form->inputs[0].dims ? &form->inputs[0] : NULL;
}

/* The format of all tensors of a list; fp32 where they differ, or where nothing made one. */
static habitat_dtype format_of_list(caster *c, const habitat_input *list, double *elements) {
    const int64_t *sizes = list->dims;
    habitat_dtype result = HABITAT_DTYPE_UNKNOWN;
    *elements = 0.0;
    for (uint32_t j = 0; j < list->list_count; j++, sizes += 1 + sizes[0]) {
        habitat_input one = {.rank = (uint8_t)sizes[0], .dims = sizes + 1, .is_tensor = true};
        habitat_dtype format = format_of(c, &one, 1);
        result = j == 0 || result == format ? format : HABITAT_DTYPE_FP32;
        *elements += work_elements(&one);
    }
    return result;
}

static void join(const habitat_workload_group *group, habitat_dtype narrow, scale_group *out) {
    if (!autocast_is_narrow(narrow))
        return;
    out->work = *group->work;
    out->work.dtype = narrow;
    out->work.read_bytes *= (double)NARROW_BYTES / WIDE_BYTES;
    out->work.write_bytes *= (double)NARROW_BYTES / WIDE_BYTES;
    out->source = SCALE_BY_FORMAT;
}

static void join_forward(caster *c, const habitat_workload_group *group, const habitat_input *list,
                         scale_group *out) {
    double elements = 0.0;
    habitat_dtype format = format_of_list(c, list, &elements);
    join(group, format, out);
    tensor_sizes_note(&c->sizes, elements, format);
}

/* Gradients of the parts of a tensor: a cut has no kernel, and the format of what was made before
 * it. */
static void join_backward(const caster *c, const habitat_workload_group *group, uint32_t forward_op,
                          scale_group *out) {
    const uint32_t farthest = 64; /* operations from what made a tensor to its cut */
    uint32_t op = forward_op;
    for (uint32_t i = 0; i < farthest && op > 0 && op < c->op_count && !c->decided[op]; i++)
        op--;
    if (op < c->op_count)
        join(group, (habitat_dtype)c->decided[op], out);
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
    uint32_t around = listed_around(c, op, &policy);
    habitat_dtype result = HABITAT_DTYPE_FP32, narrow = narrow_in(c, op);
    if (group->work->op_class != HABITAT_CLASS_GEMM)
        c->beside.latest = HABITAT_DTYPE_UNKNOWN;
    cast_inputs(c, around, policy, narrow);
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
        if (strncmp(c->ops[op].form->name, "autograd::engine", 16) == 0)
            return true;
    }
    return *forward != HABITAT_NONE;
}

static void backward(caster *c, const habitat_workload_group *group, uint32_t op,
                     uint32_t forward_op, scale_group *out) {
    habitat_dtype what =
        forward_op < c->op_count ? (habitat_dtype)c->decided[forward_op] : HABITAT_DTYPE_UNKNOWN;
    bool product = habitat_class_is_product(group->work->op_class);
    habitat_dtype narrow = autocast_is_narrow(what) ? what : narrow_in(c, op);
    if (autocast_is_narrow(what) || (product && what == HABITAT_DTYPE_UNKNOWN))
        narrow_inputs(narrow, c->room, product ? 1 : 2);
    else if (what == HABITAT_DTYPE_UNKNOWN)
        follow(c, c->room);
    finish(c, group, narrow, out);
}

/* ---- attention ---- */

/* The one kernel that parts become, forward or back: at the first of them. Where a layer is run
 * again for its gradient, only the second time has one. */
static void fuse(caster *c, uint32_t op, bool gradient) {
    habitat_work forward, backward;
    bool *done = gradient ? &c->fused_back[op] : &c->parts_seen[op];
    if (*done || !scale_fuses_attention(&c->ops[op], c->w->origin, c->narrow, &forward, &backward))
        return;
    *done = true;
    if (gradient) {
        added_work(&c->added, "aten::_scaled_dot_product_flash_attention_backward", &backward);
        return;
    }
    added_work(&c->added, "aten::_scaled_dot_product_flash_attention", &forward);
    tensor_sizes_note(&c->sizes, work_elements(&c->ops[op].form->inputs[0]), c->narrow);
}

static bool fuses(const caster *c, uint32_t op) {
    habitat_work forward, backward;
    return scale_fuses_attention(&c->ops[op], c->w->origin, c->narrow, &forward, &backward);
}

static void add_parts_cast(caster *c, double elements, bool widens, bool gradient) {
    add_cast(c, elements, widens ? c->narrow : HABITAT_DTYPE_FP32,
             widens ? HABITAT_DTYPE_FP32 : c->narrow, false, gradient);
}

/* Parts that stay parts compute in fp32 from inputs in 16 bit, and give 16 bit: scale_attention.h.
 * The gradient of a mask is the sum's, cast. */
static void stay_in_parts(caster *c, uint32_t op) {
    scale_attention_sizes sizes;
    bool gradient = !c->again[op];
    if (c->parts_seen[op] || !scale_attention_in_parts(&c->ops[op], &sizes))
        return;
    c->parts_seen[op] = true;
    for (uint32_t i = 0; i < SCALE_ATTENTION_MASK; i++)
        add_parts_cast(c, sizes.inputs[i], true, gradient);
    add_parts_cast(c, sizes.scores, false, false);
    add_parts_cast(c, sizes.result, false, gradient);
    if (c->trains && gradient)
        added_bytes(&c->added, "aten::_to_copy", sizes.learned_mask, WIDE_BYTES, NARROW_BYTES,
                    HABITAT_CLASS_COPY);
    tensor_sizes_note(&c->sizes, sizes.result, c->narrow);
}

/* Returns whether the operation is a part of an attention, or of its gradient. */
static bool attend(caster *c, uint32_t op, bool gradient, uint32_t forward_op, scale_group *out) {
    uint32_t parts = c->parts[gradient ? forward_op : op];
    autocast_policy policy;
    if (parts == HABITAT_NONE)
        return false;
    if (fuses(c, parts)) {
        fuse(c, parts, gradient);
        out->source = SCALE_GONE;
    } else if (!gradient) {
        uint32_t around = listed_around(c, parts, &policy);
        c->beside.latest = HABITAT_DTYPE_UNKNOWN;
        cast_inputs(c, around, policy, c->narrow);
        stay_in_parts(c, parts);
    }
    return true;
}

/* ---- calls that ask for fp32 ---- */

/* Those before an operation: what is in 16 bit is cast. */
static void widen_before(caster *c, uint32_t op) {
    for (; c->called < op; c->called++) {
        double elements = widening_elements(c->ops, c->op_count, c->called);
        const tensor_size *size = elements > 0.0 ? tensor_sizes_find(&c->sizes, elements) : NULL;
        if (!size || !autocast_is_narrow(size->latest))
            continue;
        add_cast(c, elements, size->latest, HABITAT_DTYPE_FP32, false, true);
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
    const habitat_input *list = joined(group);
    if (!back)
        widen_before(c, op);
    if (attend(c, op, gradient, forward_op, out))
        return;
    if (scale_is_beside_attention(c->ops, c->op_count, op)) {
        out->source = SCALE_GONE;
        return;
    }
    if (list && back)
        join_backward(c, group, forward_op, out);
    else if (list)
        join_forward(c, group, list, out);
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
        uint32_t around = listed_around(c, op, &policy);
        const habitat_op_form *form = c->ops[around].form;
        if (policy != AUTOCAST_NARROW || c->cast[around] || c->again[around])
            continue;
        c->cast[around] = true;
        for (uint32_t k = 0; k < form->input_count; k++)
            if (is_fp32_tensor(&form->inputs[k]) && weight_casts_is_weight(&c->ops[around], k))
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
    if (!again_mark(c->ops, c->op_count, c->again) || !scale_order(c->w, groups, count) ||
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
        scaler_add(w, &c.added);
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
