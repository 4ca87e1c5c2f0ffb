/* Methods flops, bandwidth and roofline: ratios of what the spec sheets say.
 * docs/formulas.md#flops */
#include "predict/plug.h"

/* ---- one kernel of a recording ---- */

static scaled flops_kernel(const scaling *s, const void *state, size_t i) {
    const habitat_workload_kernel *kernel = &s->w->kernels[i];
    double ratio = scaling_rates(&s->spec_origin, &kernel->facts).flop_per_s /
                   scaling_rates(&s->spec_dest, &kernel->facts).flop_per_s;
    (void)state;
    if (kernel->kernel->form->kind != HABITAT_KERNEL_COMPUTE || !formula_usable(ratio))
        return scaled_not_covered();
    return (scaled){kernel->facts.time_ns * ratio, HABITAT_METHOD_FLOPS};
}

static scaled bandwidth_kernel(const scaling *s, const void *state, size_t i) {
    (void)state;
    return (scaled){s->w->kernels[i].facts.time_ns * s->bandwidth_ratio, HABITAT_METHOD_BANDWIDTH};
}

static scaled roofline_kernel(const scaling *s, const void *state, size_t i) {
    const habitat_workload_kernel *kernel = &s->w->kernels[i];
    (void)state;
    return (scaled){kernel->facts.time_ns *
                        scaling_roofline_ratio(kernel, &s->spec_origin, &s->spec_dest),
                    HABITAT_METHOD_ROOFLINE};
}

/* ---- one operation alone ---- */

static habitat_status answer(habitat_method method, double seconds, method_answer *out) {
    *out = (method_answer){.ms = seconds * 1e3, .method = method};
    return HABITAT_OK;
}

static habitat_status flops_operation(const method_question *q, method_answer *out,
                                      habitat_error *err) {
    habitat_status status = operation_question_check(q, true, false, err);
    return status == HABITAT_OK
               ? answer(HABITAT_METHOD_FLOPS, q->work->flop / q->rates.flop_per_s, out)
               : status;
}

static habitat_status bandwidth_operation(const method_question *q, method_answer *out,
                                          habitat_error *err) {
    habitat_status status = operation_question_check(q, false, true, err);
    return status == HABITAT_OK ? answer(HABITAT_METHOD_BANDWIDTH,
                                         operation_question_bytes(q) / q->rates.bytes_per_s, out)
                                : status;
}

static habitat_status roofline_operation(const method_question *q, method_answer *out,
                                         habitat_error *err) {
    habitat_status status = operation_question_check(q, true, true, err);
    if (status != HABITAT_OK)
        return status;
    return answer(HABITAT_METHOD_ROOFLINE,
                  formula_roofline_s(q->work->flop, operation_question_bytes(q),
                                     q->rates.flop_per_s, q->rates.bytes_per_s),
                  out);
}

const method_plug method_flops = {
    .name = "flops", .askable = true, .kernel = flops_kernel, .operation = flops_operation};

const method_plug method_bandwidth = {.name = "bandwidth",
                                      .askable = true,
                                      .kernel = bandwidth_kernel,
                                      .operation = bandwidth_operation};

const method_plug method_roofline = {.name = "roofline",
                                     .askable = true,
                                     .kernel = roofline_kernel,
                                     .operation = roofline_operation};
