/* One operation without a measurement (`habitat op`): from its work and the GPU alone.
 *
 * flops, bandwidth and roofline divide the counted work by the spec sheet. auto divides by
 * sustained rates, counts what a matrix product loses to whole tiles and whole waves, and adds the
 * cost any kernel has. Wave scaling needs a measurement to scale and refuses.
 * docs/formulas.md#operation */
#include <math.h>

#include "base/error.h"
#include "predict/operator_model.h"
#include "predict/scaling.h"

/* What an operation's kernels compute in when no kernel name tells: PyTorch's defaults
 * (convolutions may use TF32, matrix products in fp32 do not; 16-bit formats run on matrix units).
 */
static habitat_dtype default_arithmetic(const habitat_work *work, bool *matrix_unit) {
    *matrix_unit = habitat_is_product(work->op_class) && work->dtype != HABITAT_DTYPE_FP32;
    if (work->dtype != HABITAT_DTYPE_FP32 ||
        (work->op_class != HABITAT_CLASS_CONV && work->op_class != HABITAT_CLASS_RNN))
        return work->dtype;
    *matrix_unit = true;
    return HABITAT_DTYPE_TF32;
}

/* Output tiles that libraries choose from, and the share of the sustained rate a full wave of such
 * tiles reaches: a smaller tile reads its operands more often. */
static const struct {
    double rows, columns, rate_share;
} tiles[] = {{256, 128, 1.0}, {128, 128, 1.0}, {128, 64, 0.9}, {64, 64, 0.75}, {32, 32, 0.5}};

/* Flop that the GPU spends on a product of b times (m, n), inner k: whole tiles in whole waves of
 * one tile an SM, for the best choice of tile. >= 2 b m n k. */
static double spent_on_tiles(double b, double m, double n, double k, double sm_count) {
    double best = INFINITY;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        double count = b * ceil(m / tiles[i].rows) * ceil(n / tiles[i].columns);
        double spent = ceil(count / sm_count) * sm_count * tiles[i].rows * tiles[i].columns * 2.0 *
                       k / tiles[i].rate_share;
        best = fmin(best, spent);
    }
    return best;
}

/* Flop with tile and wave losses where the shape is a matrix product, else as counted. Long inner
 * dimensions are split among SMs by the libraries: no product is charged more than this factor. */
static double spent_flop(const habitat_work *work, const habitat_gpu *gpu) {
    const double worst = 8.0;
    double m, n, k, b = 1.0;
    if (work->op_class == HABITAT_CLASS_GEMM || work->op_class == HABITAT_CLASS_BMM) {
        b = work->shape.gemm.b;
        m = work->shape.gemm.m;
        n = work->shape.gemm.n;
        k = work->shape.gemm.k;
    } else if (work->op_class == HABITAT_CLASS_CONV && work->pass == HABITAT_PASS_FORWARD) {
        const habitat_conv_shape *conv = &work->shape.conv;
        b = conv->groups;
        m = conv->batch;
        for (uint32_t d = 0; d < conv->dims; d++)
            m *= conv->out[d];
        n = conv->c_out / conv->groups;
        k = work->flop / (2.0 * b * m * n);
    } else {
        return work->flop;
    }
    double spent = spent_on_tiles(b, m, n, k, gpu->sm_count);
    return isfinite(spent) && spent > work->flop ? fmin(spent, worst * work->flop) : work->flop;
}

static habitat_status time_of(const habitat_work *work, const habitat_gpu *gpu,
                              habitat_method method, formula_rates rates, double *out_s,
                              habitat_error *err) {
    double bytes = work->read_bytes + work->write_bytes;
    bool needs_rate = method != HABITAT_METHOD_BANDWIDTH && work->flop > 0.0;
    if (method == HABITAT_METHOD_AUTO && !formula_usable(gpu->boost_clock_hz))
        return habitat_fail(err, HABITAT_E_NO_SPEC, "%s lists no boost clock", gpu->name);
    if ((needs_rate && !formula_usable(rates.flop_per_s)) ||
        (method != HABITAT_METHOD_FLOPS && !formula_usable(rates.bytes_per_s)))
        return habitat_fail(err, HABITAT_E_NO_SPEC, "%s lists no %s rate for this operation",
                            gpu->name, habitat_dtype_name(work->dtype));
    if (method == HABITAT_METHOD_FLOPS)
        *out_s = work->flop / rates.flop_per_s;
    else if (method == HABITAT_METHOD_BANDWIDTH)
        *out_s = bytes / rates.bytes_per_s;
    else if (method == HABITAT_METHOD_ROOFLINE)
        *out_s = formula_roofline_s(work->flop, bytes, rates.flop_per_s, rates.bytes_per_s);
    else
        *out_s =
            formula_roofline_s(spent_flop(work, gpu), bytes, rates.flop_per_s, rates.bytes_per_s) +
            habitat_kernel_floor_ns(gpu) * 1e-9;
    return HABITAT_OK;
}

static habitat_status not_covered(const habitat_work *work, habitat_dtype arithmetic,
                                  const habitat_gpu *gpu, habitat_method method,
                                  habitat_error *err) {
    if (work->dtype == HABITAT_DTYPE_FP32 && arithmetic == HABITAT_DTYPE_FP32)
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "method %s has no network for this operation on %s; use auto",
                            habitat_method_name(method), gpu->name);
    return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                        "method %s knows fp32 alone, and %s computes these %s tensors in %s; use "
                        "auto",
                        habitat_method_name(method), gpu->name, habitat_dtype_name(work->dtype),
                        habitat_dtype_name(arithmetic));
}

/* An answer of the operator models, where there are any for this method and operation. */
static habitat_status from_models(const habitat_work *work, habitat_dtype arithmetic,
                                  const habitat_gpu *gpu, habitat_method method,
                                  habitat_estimate *out, habitat_error *err) {
    habitat_operator_query query = {work, arithmetic, NAN};
    habitat_operator_answer answer = {0};
    habitat_status status =
        habitat_operator_model_predict(method, NULL, gpu, 1, &query, &answer, err);
    if (status != HABITAT_OK)
        return status;
    if (!answer.covered)
        return not_covered(work, arithmetic, gpu, method, err);
    out->ms = answer.ms;
    out->low_ms = answer.low_ms;
    out->high_ms = answer.high_ms;
    return HABITAT_OK;
}

static habitat_status check(const habitat_work *work, habitat_method method, habitat_error *err) {
    if (!work->known || !formula_known(work->flop) ||
        !formula_known(work->read_bytes + work->write_bytes))
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "flop and bytes of this operation are unknown");
    if (method == HABITAT_METHOD_WAVE || method == HABITAT_METHOD_WAVE_LARGE ||
        (method == HABITAT_METHOD_HABITAT && !work->varying))
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "wave scaling scales a measured time, and a single operation has none; "
                            "use auto, roofline, flops or bandwidth, or predict from a trace");
    if ((unsigned)method > HABITAT_METHOD_ROOFLINE)
        return habitat_fail(err, HABITAT_E_ARG, "not a method");
    return HABITAT_OK;
}

habitat_status habitat_predict_operation(const habitat_work *work, const habitat_gpu *gpu,
                                         habitat_method method, habitat_estimate *out,
                                         habitat_error *err) {
    if (!work || !gpu || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no operation or no GPU given");
    habitat_status status = check(work, method, err);
    if (status != HABITAT_OK)
        return status;
    bool matrix_unit = false, sustained = method == HABITAT_METHOD_AUTO;
    habitat_dtype arithmetic = default_arithmetic(work, &matrix_unit);
    formula_rates rates = {
        .flop_per_s = habitat_arithmetic_rate(gpu, arithmetic, matrix_unit, sustained, NULL, NULL),
        .bytes_per_s = habitat_memory_rate(gpu, sustained),
    };
    habitat_estimate made = {.origin_ms = NAN, .method = method};
    bool only_models = method == HABITAT_METHOD_HABITAT || method == HABITAT_METHOD_MLP;
    if (only_models || method == HABITAT_METHOD_AUTO) {
        habitat_dtype used = arithmetic;
        habitat_arithmetic_rate(gpu, arithmetic, matrix_unit, false, &used, NULL);
        habitat_error why = {0};
        status =
            from_models(work, used, gpu, only_models ? HABITAT_METHOD_MLP : method, &made, &why);
        made.method = only_models ? HABITAT_METHOD_MLP : HABITAT_METHOD_LEARNED;
        /* auto goes on where no model covers the operation; every other failure is one */
        if (status != HABITAT_OK && (only_models || status != HABITAT_E_UNSUPPORTED)) {
            if (err)
                *err = why;
            return status;
        }
    }
    if (!only_models && (method != HABITAT_METHOD_AUTO || status != HABITAT_OK)) {
        double seconds = NAN;
        status = time_of(work, gpu, method, rates, &seconds, err);
        if (status != HABITAT_OK)
            return status;
        double width = habitat_default_width(NULL, gpu, method);
        made.method = method == HABITAT_METHOD_AUTO ? HABITAT_METHOD_ROOFLINE : method;
        made.ms = seconds * 1e3;
        made.low_ms = made.ms / (1.0 + width);
        made.high_ms = made.ms * (1.0 + width);
    }
    made.bound =
        habitat_bound_of(gpu, work->flop, work->read_bytes + work->write_bytes, rates, made.ms);
    *out = made;
    return HABITAT_OK;
}
