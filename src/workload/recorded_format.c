/* In which precision a step was recorded, and which precisions a GPU cannot tell apart.
 *
 * The recording says it of itself where it can: the format of autocast, that of the parameters, and
 * whether fp32 may round to TF32. What it leaves open its products tell, each as much as it
 * computes: the same product takes ten times as long in fp32. */
#include "workload/recorded_format.h"

#include <math.h>

#include "gpu/gpu.h"
#include "memory/model.h"
#include "trace/formats.h"
#include "work/autocast.h"
#include "workload/workload.h"

bool precision_is_amp(habitat_precision precision) {
    return precision == HABITAT_PRECISION_AMP_FP16 || precision == HABITAT_PRECISION_AMP_BF16;
}

static habitat_precision amp_in(habitat_dtype narrow) {
    return narrow == HABITAT_DTYPE_FP16 ? HABITAT_PRECISION_AMP_FP16 : HABITAT_PRECISION_AMP_BF16;
}

/* ---- what products tell ---- */

/* Products by the format they compute in: flop where any are known, else time. */
typedef struct tally {
    double flop[HABITAT_DTYPE_COUNT], time_ns[HABITAT_DTYPE_COUNT];
    size_t count[HABITAT_DTYPE_COUNT];
    double hidden_ns; /* kernels of no operation, which may hold products: compiled code */
    bool has_flop;
} tally;

/* Tensors in 16 bit are never computed in fp32 by a product, whatever its kernel's name hides
 * (cuDNN's recurrent kernels name no format). */
static habitat_dtype computes_in(const habitat_workload *w, const habitat_workload_kernel *kernel) {
    habitat_dtype tensors = w->groups[kernel->group].work->dtype;
    return autocast_is_narrow(tensors) ? tensors : kernel->facts.dtype;
}

static void add(tally *out, habitat_dtype dtype, const habitat_workload_kernel *kernel) {
    out->count[dtype]++;
    out->time_ns[dtype] += kernel->facts.time_ns;
    if (kernel->facts.flop > 0.0 && isfinite(kernel->facts.flop)) {
        out->flop[dtype] += kernel->facts.flop;
        out->has_flop = true;
    }
}

/* A recurrent layer in fp16, which is what autocast to bf16 makes of it, too. */
static bool is_layer_in_fp16(const habitat_workload *w, const habitat_workload_kernel *kernel) {
    const habitat_operation *op = w->groups[kernel->group].operation;
    return op && computes_in(w, kernel) == HABITAT_DTYPE_FP16 &&
           autocast_narrow(op->form->name, HABITAT_DTYPE_BF16) == HABITAT_DTYPE_FP16;
}

/* Where anything is in bf16, or is said to be, recurrent layers in fp16 are autocast's to bf16. */
static tally tally_of(const habitat_workload *w, const trace_formats *said) {
    tally out = {.has_flop = false}, layers = {.has_flop = false};
    for (size_t k = 0; k < w->kernel_count; k++) {
        const habitat_workload_kernel *kernel = &w->kernels[k];
        if (!habitat_class_is_product(kernel->op_class) && !w->groups[kernel->group].operation)
            out.hidden_ns += kernel->facts.time_ns;
        if (!workload_is_product(kernel))
            continue;
        habitat_dtype dtype = computes_in(w, kernel);
        add(is_layer_in_fp16(w, kernel) ? &layers : &out, dtype, kernel);
    }
    bool bf16 = out.count[HABITAT_DTYPE_BF16] || said->autocast == HABITAT_DTYPE_BF16;
    habitat_dtype as = bf16 ? HABITAT_DTYPE_BF16 : HABITAT_DTYPE_FP16;
    out.count[as] += layers.count[HABITAT_DTYPE_FP16];
    out.time_ns[as] += layers.time_ns[HABITAT_DTYPE_FP16];
    out.flop[as] += layers.flop[HABITAT_DTYPE_FP16];
    out.has_flop |= layers.has_flop;
    return out;
}

/* The one of two formats that more is computed in; UNKNOWN: neither. */
static habitat_dtype more_of(const double *amount, habitat_dtype a, habitat_dtype b) {
    if (!(amount[a] > 0.0) && !(amount[b] > 0.0))
        return HABITAT_DTYPE_UNKNOWN;
    return amount[b] > amount[a] ? b : a;
}

/* ---- what the recording says ---- */

/* A product of a 16-bit tensor by fp32 weights: an error in PyTorch, except under autocast. */
static bool has_mixed_product(const habitat_trace *trace) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(trace, &count);
    for (size_t i = 0; i < count; i++) {
        const habitat_input *in = ops[i].form->inputs;
        if (ops[i].form->input_count >= 2 && autocast_is_narrow(in[0].dtype) &&
            in[1].dtype == HABITAT_DTYPE_FP32 && in[1].is_tensor && in[1].rank > 1 &&
            autocast_of(ops[i].form->name) == AUTOCAST_NARROW)
            return true;
    }
    return false;
}

static bool weights_are_narrow(const habitat_workload *w, const trace_formats *said) {
    if (said->parameters != HABITAT_DTYPE_UNKNOWN)
        return autocast_is_narrow(said->parameters);
    return w->memory && w->memory->facts.kind == MEMORY_KIND_HALF && !has_mixed_product(w->trace);
}

/* ---- what it says and its products contradict ---- */

/* The format that products take most time in, where none is in the noted one; UNKNOWN: the note may
 * be true. */
static habitat_dtype shown_instead(const tally *products, habitat_dtype noted) {
    habitat_dtype most = HABITAT_DTYPE_UNKNOWN;
    if (!autocast_is_narrow(noted) || products->count[noted] ||
        products->count[HABITAT_DTYPE_FP8] ||
        products->count[HABITAT_DTYPE_INT8]) /* narrower ones may stand in for it */
        return HABITAT_DTYPE_UNKNOWN;
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++)
        if (products->time_ns[d] > products->time_ns[most])
            most = (habitat_dtype)d;
    return products->time_ns[most] > products->hidden_ns ? most : HABITAT_DTYPE_UNKNOWN;
}

static format_doubt doubt_of(const trace_formats *said, const tally *products) {
    format_doubt out = {.autocast = false};
    habitat_dtype autocast = shown_instead(products, said->autocast);
    habitat_dtype parameters = shown_instead(products, said->parameters);
    out.autocast = autocast != HABITAT_DTYPE_UNKNOWN;
    out.parameters = parameters != HABITAT_DTYPE_UNKNOWN;
    out.noted = out.autocast ? said->autocast : out.parameters ? said->parameters : out.noted;
    out.shown = out.autocast ? autocast : parameters;
    return out;
}

/* What is left of it. */
static trace_formats believed(const trace_formats *said, const format_doubt *doubt) {
    trace_formats out = *said;
    if (doubt->autocast)
        out.autocast = HABITAT_DTYPE_UNKNOWN;
    if (doubt->parameters)
        out.parameters = HABITAT_DTYPE_UNKNOWN;
    return out;
}

/* ---- together ---- */

/* fp32 tensors: a GPU without TF32 units computes in fp32 whatever the script allows. A script that
 * allows TF32 for convolutions alone, as PyTorch does by itself, is what most of it computes in. */
static habitat_precision of_single(const habitat_workload *w, const trace_formats *said,
                                   habitat_dtype by_products) {
    bool able = w->origin && gpu_has_matrix_unit(w->origin, HABITAT_DTYPE_TF32);
    if (able && said->matmul_tf32 != TRACE_NOT_SAID && said->matmul_tf32 == said->convolution_tf32)
        return said->matmul_tf32 == TRACE_ON ? HABITAT_PRECISION_TF32 : HABITAT_PRECISION_FP32;
    return by_products == HABITAT_DTYPE_TF32   ? HABITAT_PRECISION_TF32
           : by_products == HABITAT_DTYPE_FP32 ? HABITAT_PRECISION_FP32
                                               : HABITAT_PRECISION_RECORDED;
}

static recorded_format format_of(const habitat_workload *w, const trace_formats *said,
                                 const tally *products) {
    if (said->autocast != HABITAT_DTYPE_UNKNOWN)
        return (recorded_format){.precision = amp_in(said->autocast)};
    if (autocast_is_narrow(said->parameters))
        return (recorded_format){.half = said->parameters};
    const double *amount = products->has_flop ? products->flop : products->time_ns;
    habitat_dtype narrow = more_of(amount, HABITAT_DTYPE_FP16, HABITAT_DTYPE_BF16);
    habitat_dtype wide = more_of(amount, HABITAT_DTYPE_FP32, HABITAT_DTYPE_TF32);
    if (amount[HABITAT_DTYPE_FP16] + amount[HABITAT_DTYPE_BF16] <=
        amount[HABITAT_DTYPE_FP32] + amount[HABITAT_DTYPE_TF32])
        return (recorded_format){.precision = of_single(w, said, wide)};
    if (weights_are_narrow(w, said))
        return (recorded_format){.half = narrow};
    return (recorded_format){.precision = amp_in(narrow)};
}

void recorded_format_tell(habitat_workload *w) {
    const trace_formats *noted = w->trace ? trace_formats_of(w->trace) : NULL;
    trace_formats said = noted ? *noted : (trace_formats){.autocast = HABITAT_DTYPE_UNKNOWN};
    tally products = tally_of(w, &said);
    w->doubt = doubt_of(&said, &products);
    said = believed(&said, &w->doubt);
    w->format = format_of(w, &said, &products);
}

const char *recorded_format_words(recorded_format format) {
    return format.half == HABITAT_DTYPE_FP16   ? "fp16 throughout"
           : format.half == HABITAT_DTYPE_BF16 ? "bf16 throughout"
                                               : habitat_precision_name(format.precision);
}

/* ---- what a GPU can tell apart ---- */

habitat_precision precision_computed_on(const habitat_gpu *gpu, habitat_precision precision) {
    if (precision == HABITAT_PRECISION_TF32 && !gpu_has_matrix_unit(gpu, HABITAT_DTYPE_TF32))
        return HABITAT_PRECISION_FP32;
    if (precision == HABITAT_PRECISION_AMP_BF16 && !gpu_has_matrix_unit(gpu, HABITAT_DTYPE_BF16))
        return HABITAT_PRECISION_AMP_FP16;
    return precision;
}

/* Whether a step can be turned into another format though nobody asked for one. What was scaled is
 * as its caller wants it; without shapes, and of several devices, nothing is converted. */
static bool can_follow(const habitat_workload *w) {
    return w->origin && w->trace && !w->precision && !workload_is_scaled(w) && !w->all_devices &&
           !workload_lacks_shapes(w);
}

/* Who recorded bf16 on a GPU without units for it runs it so: elsewhere, too. */
static bool does_without_units(const habitat_workload *w) {
    return w->format.precision == HABITAT_PRECISION_AMP_BF16 &&
           !gpu_has_matrix_unit(w->origin, HABITAT_DTYPE_BF16);
}

/* The precision that the kernels as recorded stand for on a GPU. Those in bf16 lack the scaler that
 * fp16 trains with, so that they are never a step in fp16. */
static habitat_precision stands_for(const habitat_workload *w, const habitat_gpu *on) {
    habitat_precision recorded = w->format.precision;
    return recorded == HABITAT_PRECISION_AMP_BF16 ? recorded : precision_computed_on(on, recorded);
}

habitat_precision precision_settle(const habitat_workload *w, habitat_precision asked,
                                   const habitat_gpu *on) {
    habitat_precision recorded = w->format.precision;
    if (!asked && (!on || !can_follow(w)))
        return HABITAT_PRECISION_RECORDED;
    if (!on || !w->origin || (does_without_units(w) && (!asked || asked == recorded)))
        return !asked || asked == recorded ? HABITAT_PRECISION_RECORDED : asked;
    habitat_precision there = precision_computed_on(on, asked ? asked : recorded);
    return there == stands_for(w, on) ? HABITAT_PRECISION_RECORDED : there;
}
