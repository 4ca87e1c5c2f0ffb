/* Which class a question is of, the facts of a GPU that it needs, and its analytic time. */
#include "operator/operator.h"

#include <math.h>
#include <string.h>

#include "base/constants_operators.h"
#include "gpu/gpu.h"
#include "operator/views.h"
#include "work/kinds.h"

static bool is_matrix_format(habitat_dtype arithmetic) {
    return arithmetic == HABITAT_DTYPE_TF32 || arithmetic == HABITAT_DTYPE_FP16 ||
           arithmetic == HABITAT_DTYPE_BF16;
}

static operator_class convolution_class(const habitat_work *work, habitat_dtype arithmetic) {
    const habitat_conv_shape *conv = &work->shape.conv;
    if (conv->dims != 2)
        return OPERATOR_NONE;
    bool plain = arithmetic == HABITAT_DTYPE_FP32;
    if (is_matrix_format(arithmetic) || (plain && conv->groups > 1))
        return conv->groups > 1 ? OPERATOR_CONV_GROUPS : OPERATOR_CONV_MATRIX;
    bool usual = !conv->transposed && work->pass == HABITAT_PASS_FORWARD;
    return !plain ? OPERATOR_NONE : usual ? OPERATOR_CONV : OPERATOR_CONV_OTHER;
}

static operator_class product_class(const habitat_work *work, habitat_dtype arithmetic) {
    switch (arithmetic) {
    case HABITAT_DTYPE_FP32:
        return work->op_class == HABITAT_CLASS_BMM ? OPERATOR_BMM : OPERATOR_GEMM;
    case HABITAT_DTYPE_TF32:
    case HABITAT_DTYPE_FP16:
    case HABITAT_DTYPE_BF16:
        return OPERATOR_GEMM_MATRIX;
    case HABITAT_DTYPE_FP8:
        return OPERATOR_GEMM_FP8;
    default:
        return OPERATOR_NONE;
    }
}

/* Forward rows of eager calls have classes of their own: a call's launch is in their times, and
 * tensors that no call before it left in the cache. Everything else asks for the kernel's time. The
 * timing alone decides, never the GPU: a ratio of two GPUs is within one class. */
static bool eager_rows(const habitat_model_query *query) {
    return query->work->pass == HABITAT_PASS_FORWARD && query->timing == HABITAT_TIMING_EAGER;
}

/* A dense fp32 forward pass as kernels or graphs time it. 3x3 kernels of stride 1 have thousands of
 * eager rows on five GPUs: there the class of its own knows more, but of graphs. */
static bool forward_beside_gradients(const habitat_model_query *query) {
    const habitat_conv_shape *conv = &query->work->shape.conv;
    bool usual = conv->kernel[0] == 3 && conv->kernel[1] == 3 && conv->stride[0] == 1;
    return operator_class_of(query) == OPERATOR_CONV && query->work->pass == HABITAT_PASS_FORWARD &&
           (query->timing == HABITAT_TIMING_GRAPH ||
            (query->timing == HABITAT_TIMING_KERNEL && !usual));
}

/* An eager call of which the kernel is nearly all. */
static bool long_call(const habitat_model_query *query, operator_class of, double time_ms) {
    return query->timing == HABITAT_TIMING_EAGER &&
           time_ms >= chosen_hidden_launch_floors *
                          operator_facts_of(of)->timings[HABITAT_TIMING_EAGER].floor_ms;
}

bool operator_trains_on(operator_class c, const habitat_model_query *query, double time_ms) {
    operator_class own = operator_class_of(query);
    if (own == c || (c == OPERATOR_CONV_OTHER && forward_beside_gradients(query)))
        return true;
    habitat_model_query kernel = *query;
    kernel.timing = HABITAT_TIMING_KERNEL;
    return (c == OPERATOR_WARM_SOFTMAX || c == OPERATOR_WARM_NORM) &&
           operator_class_of(&kernel) == c && long_call(query, own, time_ms);
}

operator_class operator_class_if_seen(const habitat_model_query *query) {
    return forward_beside_gradients(query) ? OPERATOR_CONV_OTHER : OPERATOR_NONE;
}

operator_class operator_class_on(const habitat_model_query *query, uint32_t compute_capability) {
    bool kernel = query->timing == HABITAT_TIMING_KERNEL || query->timing == HABITAT_TIMING_GRAPH;
    bool later = compute_capability >= hardware_without_winograd_capability;
    return kernel && later && query->work->pass == HABITAT_PASS_FORWARD &&
                   operator_class_of(query) == OPERATOR_CONV
               ? OPERATOR_CONV_OTHER
               : OPERATOR_NONE;
}

/* PyTorch's fused RMS norm is its layer norm's kernel without the mean. Nobody measured it. */
bool operator_norm_is_guessed(const habitat_work *work) {
    return work->op_class == HABITAT_CLASS_NORM && work_kind_is(work->kind, WORK_RMS_NORM);
}

/* Copies of one piece go at the pace of element-wise kernels that read one tensor. Not those in
 * CUDA graphs: there another engine copies, slower (docs/decisions/0642). */
static bool is_one_piece(const habitat_model_query *query) {
    const habitat_work *work = query->work;
    return query->timing != HABITAT_TIMING_GRAPH && habitat_dtype_bytes(work->dtype) > 0 &&
           (work_kind_is(work->kind, WORK_COPY) || work_kind_is(work->kind, WORK_CLONE));
}

operator_class operator_class_of(const habitat_model_query *query) {
    const habitat_work *work = query->work;
    habitat_dtype arithmetic = operator_arithmetic(query);
    if (!work->known)
        return OPERATOR_NONE;
    switch (work->op_class) {
    case HABITAT_CLASS_GEMM:
    case HABITAT_CLASS_BMM:
        return product_class(work, arithmetic);
    case HABITAT_CLASS_CONV:
        return convolution_class(work, arithmetic);
    case HABITAT_CLASS_RNN:
        return arithmetic == HABITAT_DTYPE_FP32 || is_matrix_format(arithmetic) ? OPERATOR_RNN
                                                                                : OPERATOR_NONE;
    case HABITAT_CLASS_ATTENTION:
        return habitat_dtype_bytes(work->dtype) == 2 ? OPERATOR_ATTENTION
               : work->dtype == HABITAT_DTYPE_FP32   ? OPERATOR_ATTENTION_PLAIN
                                                     : OPERATOR_NONE;
    case HABITAT_CLASS_SOFTMAX:
        return eager_rows(query) ? OPERATOR_SOFTMAX : OPERATOR_WARM_SOFTMAX;
    case HABITAT_CLASS_NORM:
        if (work_kind_is(work->kind, WORK_BATCH_NORM))
            return OPERATOR_BATCH_NORM;
        if (!work_kind_is(work->kind, WORK_LAYER_NORM) && !operator_norm_is_guessed(work))
            return OPERATOR_NONE;
        return eager_rows(query) ? OPERATOR_NORM : OPERATOR_WARM_NORM;
    case HABITAT_CLASS_COPY:
        return is_one_piece(query) ? OPERATOR_ELEMENTWISE : OPERATOR_NONE;
    case HABITAT_CLASS_ELEMENTWISE:
        return work->write_bytes > 0 && habitat_dtype_bytes(work->dtype) > 0 ? OPERATOR_ELEMENTWISE
                                                                             : OPERATOR_NONE;
    default:
        return OPERATOR_NONE;
    }
}

static bool positive(double value) {
    return isfinite(value) && value > 0;
}

/* What libraries run on matrix units for fp32 where a GPU has them (AMD's): products. Fast
 * convolutions in fp32 are made for plain units there, and nobody measured which are taken. */
static bool takes_single_units(operator_class c) {
    return c == OPERATOR_GEMM || c == OPERATOR_BMM || c == OPERATOR_ATTENTION_PLAIN ||
           c == OPERATOR_RNN;
}

static double single_rate(const habitat_rates *rates, operator_class c) {
    double matrix = rates->matrix_flop_per_s[HABITAT_DTYPE_FP32];
    return takes_single_units(c) && positive(matrix) ? matrix
                                                     : rates->plain_flop_per_s[HABITAT_DTYPE_FP32];
}

/* Convolutions were measured on all-zero inputs, which draw little power: between the rate under
 * the power limit and nine tenths of the peak, the geometric mean. docs/modelling.md#convolution */
static double convolution_rate(const habitat_gpu *gpu) {
    return sqrt(gpu->sustained.plain_flop_per_s[HABITAT_DTYPE_FP32] * fitted_zero_input_peak_share *
                gpu->peak.plain_flop_per_s[HABITAT_DTYPE_FP32]);
}

bool operator_gpu_facts(const habitat_gpu *gpu, operator_class c, habitat_dtype arithmetic,
                        operator_gpu *out) {
    operator_gpu facts = {.bytes_per_s = gpu->sustained_bandwidth_bytes_per_s,
                          .sm_count = gpu->sm_count,
                          .lanes_per_sm = gpu->fp32_lanes_per_sm,
                          .threads_per_sm = gpu->limits.threads_per_sm > 0
                                                ? gpu->limits.threads_per_sm
                                                : hardware_threads_per_sm,
                          .clock_hz = gpu->boost_clock_hz,
                          .l2_bytes = gpu->l2_bytes,
                          .compute_capability = gpu->compute_capability};
    bool matrix = operator_on_matrix_units(operator_facts_of(c)->unit, arithmetic);
    if (operator_facts_of(c)->zero_inputs)
        facts.flop_per_s = convolution_rate(gpu);
    else if (matrix)
        facts.flop_per_s = gpu->sustained.matrix_flop_per_s[arithmetic];
    else
        facts.flop_per_s = single_rate(&gpu->sustained, c);
    double peak = matrix ? gpu->peak.matrix_flop_per_s[arithmetic] : single_rate(&gpu->peak, c);
    facts.peak_flop_per_s = positive(peak) ? peak : facts.flop_per_s;
    facts.units_flop_per_s = facts.peak_flop_per_s;
    if (matrix)
        facts.units_flop_per_s =
            fmax(facts.peak_flop_per_s, chosen_unit_headroom * facts.flop_per_s);
    if (!positive(facts.flop_per_s) || !positive(facts.bytes_per_s) || gpu->sm_count == 0 ||
        !positive(facts.lanes_per_sm) || !positive(facts.clock_hz) || !positive(facts.l2_bytes))
        return false;
    *out = facts;
    return true;
}

/* A session's convolution layer: images rearranged from and to NHWC, activation and bias as passes
 * of their own over the output. */
static double session_ms(const habitat_work *work, const operator_gpu *gpu) {
    const habitat_conv_shape *s = &work->shape.conv;
    double element = (double)habitat_dtype_bytes(work->dtype);
    double in = s->batch * s->c_in * s->in[0] * s->in[1];
    double out = s->batch * s->c_out * s->out[0] * s->out[1];
    return 1e3 * element * (2 * in + (s->bias ? 6 : 4) * out) / gpu->bytes_per_s;
}

/* The roofline, rounded where both roofs are close. */
static double roofline_ms(const habitat_work *work, const operator_gpu *gpu) {
    double bytes = work->read_bytes + work->write_bytes;
    return 1e3 * hypot(work->flop / gpu->flop_per_s, bytes / gpu->bytes_per_s);
}

double operator_fp8_share(const habitat_model_query *query, const habitat_gpu *gpu) {
    habitat_work half;
    operator_gpu narrow, wide;
    bool known =
        operator_gpu_facts(gpu, OPERATOR_GEMM_FP8, HABITAT_DTYPE_FP8, &narrow) &&
        operator_gpu_facts(gpu, OPERATOR_GEMM_MATRIX, HABITAT_DTYPE_BF16, &wide) &&
        habitat_work_gemm(&query->work->shape.gemm, HABITAT_DTYPE_BF16, &half) == HABITAT_OK;
    return known ? roofline_ms(query->work, &narrow) / roofline_ms(&half, &wide) : NAN;
}

double operator_converted_share(const habitat_model_query *query, const habitat_gpu *gpu) {
    operator_gpu facts;
    float inputs[OPERATOR_INPUTS_MAX];
    if (operator_class_of(query) != OPERATOR_GEMM_FP8 ||
        !operator_gpu_facts(gpu, OPERATOR_GEMM_FP8, HABITAT_DTYPE_FP8, &facts))
        return 1;
    const habitat_gemm_shape *s = &query->work->shape.gemm;
    double product = operator_look_matrix(query, OPERATOR_GEMM_FP8, &facts, inputs);
    return product / (product + operator_quantising_s(query, &facts, s->b * s->m, s->k));
}

void operator_look(const habitat_model_query *query, operator_class c, const operator_gpu *gpu,
                   operator_view *out) {
    const operator_facts *facts = operator_facts_of(c);
    double seconds = facts->look(query, c, gpu, out->inputs);
    unsigned timing = (unsigned)query->timing <= HABITAT_TIMING_SESSION ? query->timing : 0;
    double constant = facts->timings[timing].constant_ms;
    if (c == OPERATOR_ATTENTION && query->variant == HABITAT_VARIANT_TRTLLM)
        constant *= fitted_trtllm_call_factor;
    if (timing == HABITAT_TIMING_SESSION && query->work->op_class == HABITAT_CLASS_CONV)
        constant += session_ms(query->work, gpu);
    out->base_ms = seconds * 1e3 + constant;
    out->far_ms = facts->far_by_roofline ? roofline_ms(query->work, gpu) + constant : out->base_ms;
    out->floor_ms = facts->timings[timing].floor_ms;
    out->empty_ms = fmax(constant, out->floor_ms);
    out->way = operator_way(query, c);
}
