/* A workload on a destination: each kernel by the method asked for, its named fallback where that
 * does not cover it, then totals with coverage. Sums run over nanoseconds, so that the origin's
 * whole numbers stay exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "predict/collective.h"
#include "predict/interval.h"
#include "predict/operator_model.h"
#include "predict/scaling.h"

/* Device memory that a process cannot use for tensors: driver, CUDA context, library workspaces. */
static const double reserved_memory_bytes = 1.0e9;

/* Shorter than launching a kernel from an eager framework costs, where nobody measured it. */
static const double default_launch_ns = 3000.0;

/* ---- set-up of a pair of GPUs ---- */

void scaling_fill(rate_table *table, const habitat_gpu *gpu, bool sustained) {
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++)
        for (int matrix = 0; matrix < 2; matrix++) {
            habitat_dtype used = HABITAT_DTYPE_UNKNOWN;
            bool on_matrix = false;
            table->flop_per_s[d][matrix] = habitat_arithmetic_rate(
                gpu, (habitat_dtype)d, matrix != 0, sustained, &used, &on_matrix);
            table->unit[d][matrix] = (uint8_t)(2 * used + on_matrix);
            table->estimated[d][matrix] = on_matrix ? gpu->sustained_matrix_estimated[used]
                                                    : gpu->sustained_plain_estimated[used];
        }
    table->bytes_per_s = habitat_memory_rate(gpu, sustained);
    table->bytes_estimated = gpu->sustained_bandwidth_estimated;
}

static bool same_text(const char *a, const char *b) {
    return a && b && strcmp(a, b) == 0;
}

static habitat_status set_up(const habitat_workload *w, const habitat_gpu *dest, scaling *out,
                             habitat_error *err) {
    *out = (scaling){.w = w, .origin = w->origin, .dest = dest};
    scaling_fill(&out->spec_origin, w->origin, false);
    scaling_fill(&out->spec_dest, dest, false);
    scaling_fill(&out->sustained_origin, w->origin, true);
    scaling_fill(&out->sustained_dest, dest, true);
    out->bandwidth_ratio = out->spec_origin.bytes_per_s / out->spec_dest.bytes_per_s;
    out->clock_ratio = w->origin->boost_clock_hz / dest->boost_clock_hz;
    out->floor_origin_ns = habitat_kernel_floor_ns(w->origin);
    out->keeps_distance = same_text(w->origin->architecture, dest->architecture) ||
                          !same_text(w->origin->vendor, dest->vendor) ||
                          dest->compute_capability > w->origin->compute_capability;
    if (!formula_usable(out->bandwidth_ratio))
        return habitat_fail(err, HABITAT_E_NO_SPEC,
                            "no memory bandwidth is known of %s or %s; add it to the GPU's file",
                            w->origin->name, dest->name);
    out->dest_waves = malloc((w->launch_count ? w->launch_count : 1) * sizeof *out->dest_waves);
    if (!out->dest_waves)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    habitat_workload_waves(w, dest, out->dest_waves);
    return HABITAT_OK;
}

/* ---- methods for one kernel ---- */

/* Memory-boundedness of a kernel on the destination; NaN where its peak is unknown. */
static double exponent(const scaling *s, const habitat_kernel_facts *facts) {
    if (!formula_known(facts->flop) || !formula_known(facts->bytes) ||
        (facts->flop == 0.0 && facts->bytes == 0.0))
        return 1.0;
    formula_rates rates = scaling_rates(&s->spec_dest, facts);
    return formula_exponent(facts->flop / facts->bytes, rates.flop_per_s / rates.bytes_per_s);
}

static scaled by_wave(const scaling *s, const habitat_workload_kernel *kernel, bool large) {
    scaled none = {NAN, HABITAT_METHOD_FALLBACK};
    if (kernel->launch == HABITAT_NONE)
        return none;
    uint64_t origin = s->w->origin_waves[kernel->launch], dest = s->dest_waves[kernel->launch];
    if (!origin || !dest || !formula_usable(s->clock_ratio))
        return none;
    const habitat_kernel_facts *facts = &kernel->facts;
    double g = exponent(s, facts);
    if (large || kernel->persistent)
        return (scaled){facts->time_ns *
                            formula_wave_large(origin, dest, s->bandwidth_ratio, s->clock_ratio, g),
                        HABITAT_METHOD_WAVE_LARGE};
    return (scaled){facts->time_ns * formula_wave(facts->blocks, origin, dest, s->bandwidth_ratio,
                                                  s->clock_ratio, g),
                    HABITAT_METHOD_WAVE};
}

static scaled by_flops(const scaling *s, const habitat_workload_kernel *kernel) {
    const habitat_kernel_facts *facts = &kernel->facts;
    double ratio = scaling_rates(&s->spec_origin, facts).flop_per_s /
                   scaling_rates(&s->spec_dest, facts).flop_per_s;
    if (kernel->kernel->kind != HABITAT_KERNEL_COMPUTE || !formula_usable(ratio))
        return (scaled){NAN, HABITAT_METHOD_FALLBACK};
    return (scaled){facts->time_ns * ratio, HABITAT_METHOD_FLOPS};
}

static scaled by_roofline(const scaling *s, const habitat_workload_kernel *kernel) {
    double ratio = scaling_roofline_ratio(kernel, &s->spec_origin, &s->spec_dest);
    return (scaled){kernel->facts.time_ns * ratio, HABITAT_METHOD_ROOFLINE};
}

/* Ratio of two rates of a connection; 1 where either is unknown: the time stays as measured. */
static double connection_ratio(double origin, double dest) {
    double ratio = origin / dest;
    return formula_usable(ratio) ? ratio : 1.0;
}

static bool crosses_pcie(const habitat_kernel *kernel) {
    return kernel->copy_kind &&
           (strstr(kernel->copy_kind, "HtoD") || strstr(kernel->copy_kind, "DtoH"));
}

bool habitat_leaves_gpu(const habitat_kernel *kernel) {
    return kernel->kind == HABITAT_KERNEL_COLLECTIVE || crosses_pcie(kernel);
}

scaled habitat_fallback_kernel(const scaling *s, const habitat_workload_kernel *kernel) {
    const habitat_kernel *recorded = kernel->kernel;
    double ratio = by_roofline(s, kernel).ns / kernel->facts.time_ns;
    if (recorded->kind == HABITAT_KERNEL_COLLECTIVE)
        return (scaled){habitat_collective_ns(s, kernel), HABITAT_METHOD_FALLBACK};
    if (crosses_pcie(recorded))
        ratio = connection_ratio(s->origin->pcie_bytes_per_s, s->dest->pcie_bytes_per_s);
    if (!formula_usable(ratio))
        ratio = s->bandwidth_ratio;
    return (scaled){kernel->facts.time_ns * ratio, HABITAT_METHOD_FALLBACK};
}

static scaled by_method(const scaling *s, size_t i, habitat_method method) {
    const habitat_workload_kernel *kernel = &s->w->kernels[i];
    if (kernel->kernel->kind == HABITAT_KERNEL_COLLECTIVE) /* no formula knows of waiting */
        return (scaled){NAN, HABITAT_METHOD_FALLBACK};
    switch (method) {
    case HABITAT_METHOD_AUTO:
        return habitat_auto_kernel(s, i);
    case HABITAT_METHOD_HABITAT: /* what its operator models leave: wave scaling is for kernels that
                                    run on both GPUs */
        return kernel->varying ? (scaled){NAN, HABITAT_METHOD_FALLBACK} : by_wave(s, kernel, false);
    case HABITAT_METHOD_WAVE:
        return by_wave(s, kernel, false);
    case HABITAT_METHOD_WAVE_LARGE:
        return by_wave(s, kernel, true);
    case HABITAT_METHOD_FLOPS:
        return by_flops(s, kernel);
    case HABITAT_METHOD_BANDWIDTH:
        return (scaled){kernel->facts.time_ns * s->bandwidth_ratio, HABITAT_METHOD_BANDWIDTH};
    case HABITAT_METHOD_ROOFLINE:
        return by_roofline(s, kernel);
    default: /* mlp covers whole operations only */
        return (scaled){NAN, HABITAT_METHOD_FALLBACK};
    }
}

/* ---- intervals and bounds ---- */

double habitat_default_width(const habitat_gpu *origin, const habitat_gpu *dest,
                             habitat_method method) {
    if (method == HABITAT_METHOD_SAME)
        return 0.0;
    if (method == HABITAT_METHOD_FALLBACK)
        return 0.50;
    bool alike = origin && origin->architecture && dest->architecture &&
                 strcmp(origin->architecture, dest->architecture) == 0;
    return alike ? 0.15 : 0.25;
}

habitat_bound habitat_bound_of(const habitat_gpu *gpu, double flop, double bytes,
                               formula_rates rates, double ms) {
    double launch_ns = gpu->launch_floor_ns > 0.0 ? gpu->launch_floor_ns : default_launch_ns;
    if (ms * HABITAT_NS_PER_MS < launch_ns)
        return HABITAT_BOUND_LAUNCH;
    bool arithmetic = formula_known(flop), memory = formula_known(bytes);
    if (arithmetic && flop == 0.0)
        return HABITAT_BOUND_MEMORY;
    if (!arithmetic || !memory || !formula_usable(rates.flop_per_s))
        return HABITAT_BOUND_UNKNOWN;
    return flop / rates.flop_per_s > bytes / rates.bytes_per_s ? HABITAT_BOUND_COMPUTE
                                                               : HABITAT_BOUND_MEMORY;
}

static void set_estimate(const scaling *s, const habitat_workload_kernel *kernel, scaled time,
                         habitat_estimate *out) {
    double width = habitat_default_width(s->origin, s->dest, time.method);
    out->origin_ms = kernel->facts.time_ns / HABITAT_NS_PER_MS;
    out->ms = time.ns / HABITAT_NS_PER_MS;
    out->low_ms = out->ms / (1.0 + width);
    out->high_ms = out->ms * (1.0 + width);
    out->method = time.method;
    out->bound = habitat_bound_of(s->dest, kernel->facts.flop, kernel->facts.bytes,
                                  scaling_rates(&s->sustained_dest, &kernel->facts), out->ms);
}

/* ---- totals ---- */

/* Sums over kernels [ns, all iterations]. */
typedef struct totals {
    double kernel_ns, copy_ns, busy_ns, busy_low_ns, busy_high_ns;
    double by_method_ns[HABITAT_METHOD_COUNT];
    double class_ns[HABITAT_CLASS_COUNT], class_origin_ns[HABITAT_CLASS_COUNT];
    bool has_class[HABITAT_CLASS_COUNT];
    bool calibrated;
    interval_sum interval;
} totals;

static void add(totals *sum, const habitat_workload_kernel *kernel, double ns, double busy_ns,
                const habitat_estimate *estimate) {
    sum->busy_ns += busy_ns;
    if (estimate->ms > 0.0) {
        sum->busy_low_ns += busy_ns * (estimate->low_ms / estimate->ms);
        sum->busy_high_ns += busy_ns * (estimate->high_ms / estimate->ms);
    }
    if (habitat_is_copy(kernel->kernel)) {
        sum->copy_ns += ns;
        return;
    }
    sum->kernel_ns += ns;
    sum->by_method_ns[estimate->method] += ns;
    sum->class_ns[kernel->op_class] += ns;
    sum->class_origin_ns[kernel->op_class] += kernel->facts.time_ns;
    sum->has_class[kernel->op_class] = true;
}

static int by_time_then_class(const void *a, const void *b) {
    const habitat_class_total *x = a, *y = b;
    if (x->ms != y->ms)
        return x->ms > y->ms ? -1 : 1;
    return (int)x->op_class - (int)y->op_class;
}

static void set_classes(const totals *sum, double per_iteration, habitat_prediction *out) {
    for (int c = 0; c < HABITAT_CLASS_COUNT; c++)
        if (sum->has_class[c])
            out->by_class[out->class_count++] = (habitat_class_total){
                .op_class = (habitat_class)c,
                .origin_ms = sum->class_origin_ns[c] / per_iteration / HABITAT_NS_PER_MS,
                .ms = sum->class_ns[c] / per_iteration / HABITAT_NS_PER_MS,
            };
    qsort(out->by_class, out->class_count, sizeof *out->by_class, by_time_then_class);
}

/* What the destination's iteration waits for. The CPU's side of an iteration is known only where it
 * was what the origin waited for; a GPU-bound origin says no more than that it was shorter. */
static habitat_bound_by bound_by(const habitat_workload_info *origin, double busy_ms) {
    if (origin->bound_by == HABITAT_BY_CPU)
        return habitat_waits_for_cpu(origin->iteration_ms, busy_ms) ? HABITAT_BY_CPU
                                                                    : HABITAT_BY_GPU;
    if (origin->bound_by == HABITAT_BY_GPU && busy_ms >= origin->busy_ms)
        return HABITAT_BY_GPU;
    return HABITAT_BY_UNKNOWN;
}

static void set_memory(const habitat_workload *w, const habitat_gpu *dest,
                       habitat_prediction *out) {
    out->memory_bytes = habitat_trace_get_info(w->trace)->peak_memory_bytes;
    if (!(out->memory_bytes > 0.0))
        out->memory_bytes = NAN;
    out->fits = -1;
    if (!isnan(out->memory_bytes) && formula_usable(dest->memory_bytes))
        out->fits = out->memory_bytes <= dest->memory_bytes - reserved_memory_bytes;
}

static void set_totals(const scaling *s, const totals *sum, habitat_prediction *out) {
    const habitat_workload_info *origin = &s->w->info;
    double iterations = (double)origin->iteration_count;
    out->kernel_ms = sum->kernel_ns / iterations / HABITAT_NS_PER_MS;
    out->copy_ms = sum->copy_ns / iterations / HABITAT_NS_PER_MS;
    out->busy_ms = sum->busy_ns / iterations / HABITAT_NS_PER_MS;
    out->iteration_ms = out->busy_ms;
    out->low_ms = sum->busy_low_ns / iterations / HABITAT_NS_PER_MS;
    out->high_ms = sum->busy_high_ns / iterations / HABITAT_NS_PER_MS;
    out->intervals_calibrated = sum->calibrated;
    if (sum->calibrated) {
        double factor = exp(interval_width(&sum->interval, s));
        out->low_ms = out->iteration_ms / factor;
        out->high_ms = out->iteration_ms * factor;
    }
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++)
        out->coverage[m] = sum->kernel_ns > 0.0 ? sum->by_method_ns[m] / sum->kernel_ns : 0.0;
    set_classes(sum, iterations, out);
    set_memory(s->w, s->dest, out);
    out->bound_by = bound_by(origin, out->busy_ms);
    out->samples_per_s = habitat_samples_per_s(s->w, false, out->iteration_ms);
}

/* ---- operator models ---- */

/* What an operation's products compute in on a GPU of these rates: on the origin its main kernels
 * tell. */
static habitat_dtype arithmetic_of(const habitat_workload *w, const rate_table *rates,
                                   const habitat_workload_group *group) {
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *kernel =
            &w->kernels[w->group_index[group->first_kernel + i]];
        const habitat_kernel_facts *facts = &kernel->facts;
        if (kernel->main && facts->dtype != HABITAT_DTYPE_UNKNOWN)
            return (habitat_dtype)(rates->unit[facts->dtype][facts->matrix_unit] / 2);
    }
    return group->work.dtype;
}

/* The networks' answers for one of the two GPUs, one a group; `covered` false where they were not
 * asked. */
static habitat_status ask_networks(const scaling *s, const habitat_gpu *gpu,
                                   const rate_table *rates, habitat_operator_answer *answers,
                                   habitat_error *err) {
    const habitat_workload *w = s->w;
    habitat_operator_query *queries = calloc(w->group_count, sizeof *queries);
    habitat_operator_answer *found = calloc(w->group_count, sizeof *found);
    uint32_t *group_of = calloc(w->group_count, sizeof *group_of);
    habitat_status status = queries && found && group_of
                                ? HABITAT_OK
                                : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    size_t n = 0;
    for (size_t g = 0; status == HABITAT_OK && g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        if (!group->work.known || !group->work.varying || !(group->origin_ms > 0.0))
            continue;
        queries[n] = (habitat_operator_query){&group->work, arithmetic_of(w, rates, group),
                                              group->origin_ms};
        group_of[n++] = (uint32_t)g;
    }
    if (status == HABITAT_OK)
        status = habitat_operator_model_predict(HABITAT_METHOD_MLP, s->origin, gpu, n, queries,
                                                found, err);
    for (size_t i = 0; status == HABITAT_OK && i < n; i++)
        answers[group_of[i]] = found[i];
    free(queries);
    free(found);
    free(group_of);
    return status;
}

/* The measurement, scaled by what the networks say of the two GPUs: T_d = T_o M_d / M_o, as the
 * paper's authors do. What a network gets wrong on both alike cancels. The interval is as wide as
 * M_d's. Where the networks do not know how the origin computed (TF32, another vendor) its time
 * says nothing about M_o, and M_d stands alone. docs/decisions/0094 */
static void scale_answer(double origin_ms, const habitat_operator_answer *origin,
                         habitat_operator_answer *dest) {
    if (!dest->covered || !origin->covered)
        return;
    double factor = origin_ms / origin->ms;
    dest->ms *= factor;
    dest->low_ms *= factor;
    dest->high_ms *= factor;
}

/* Answers of the methods mlp and habitat, one a group. */
static habitat_status ask_models(const scaling *s, habitat_operator_answer *answers,
                                 habitat_error *err) {
    habitat_operator_answer *origin = calloc(s->w->group_count + 1, sizeof *origin);
    habitat_status status = origin ? ask_networks(s, s->origin, &s->spec_origin, origin, err)
                                   : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK)
        status = ask_networks(s, s->dest, &s->spec_dest, answers, err);
    for (size_t g = 0; status == HABITAT_OK && g < s->w->group_count; g++)
        scale_answer(s->w->groups[g].origin_ms, &origin[g], &answers[g]);
    free(origin);
    return status;
}

/* A whole operation's answer, spread over its kernels as on the origin. */
static void from_answer(const scaling *s, const habitat_workload_kernel *kernel,
                        const habitat_operator_answer *answer, habitat_method method,
                        habitat_estimate *out, double *out_ns) {
    double factor = answer->ms / s->w->groups[kernel->group].origin_ms;
    *out_ns = kernel->facts.time_ns * factor;
    set_estimate(s, kernel,
                 (scaled){*out_ns, method == HABITAT_METHOD_AUTO ? HABITAT_METHOD_LEARNED
                                                                 : HABITAT_METHOD_MLP},
                 out);
    if (answer->low_ms > 0.0) { /* auto has intervals of its own */
        out->low_ms = out->ms * (answer->low_ms / answer->ms);
        out->high_ms = out->ms * (answer->high_ms / answer->ms);
    }
}

/* ---- the loop ---- */

/* Room for the times of one destination, shape (kernel_count) each [ns]. */
typedef struct times {
    double *ns, *busy_ns;
} times;

/* Estimate and time of every kernel, by itself. */
static void predict_kernels(const scaling *s, habitat_method method,
                            const habitat_operator_answer *answers, double *ns,
                            habitat_estimate *out) {
    for (size_t i = 0; i < s->w->kernel_count; i++) {
        const habitat_workload_kernel *kernel = &s->w->kernels[i];
        if (answers && answers[kernel->group].covered) {
            from_answer(s, kernel, &answers[kernel->group], method, &out[i], &ns[i]);
        } else {
            scaled time = by_method(s, i, method);
            if (isnan(time.ns))
                time = habitat_fallback_kernel(s, kernel);
            set_estimate(s, kernel, time, &out[i]);
            ns[i] = time.ns;
        }
    }
}

/* The calibrated interval of a kernel. */
static void calibrate(const scaling *s, size_t i, totals *sum, habitat_estimate *estimate) {
    double factor = exp(interval_add(&sum->interval, s, &s->w->kernels[i],
                                     &s->w->kernels[s->w->auto_lead[i]].facts, estimate->method,
                                     estimate->busy_ms));
    estimate->low_ms = estimate->ms / factor;
    estimate->high_ms = estimate->ms * factor;
}

static void sum_up(const scaling *s, const times *t, bool calibrated, habitat_prediction *out) {
    totals sum = {.calibrated = calibrated};
    for (size_t i = 0; i < s->w->kernel_count; i++) {
        out->kernels[i].busy_ms = t->busy_ns[i] / HABITAT_NS_PER_MS;
        if (sum.calibrated)
            calibrate(s, i, &sum, &out->kernels[i]);
        add(&sum, &s->w->kernels[i], t->ns[i], t->busy_ns[i], &out->kernels[i]);
    }
    set_totals(s, &sum, out);
}

/* The origin itself: the measurement, to the bit. */
static void measured_kernels(const scaling *s, double *ns, habitat_estimate *out) {
    for (size_t i = 0; i < s->w->kernel_count; i++) {
        const habitat_workload_kernel *kernel = &s->w->kernels[i];
        ns[i] = kernel->facts.time_ns;
        set_estimate(s, kernel, (scaled){ns[i], HABITAT_METHOD_SAME}, &out[i]);
    }
}

static void give_back(const scaling *s, habitat_prediction *out) {
    const habitat_workload_info *info = &s->w->info;
    out->kernel_ms = info->kernel_ms;
    out->copy_ms = info->copy_ms;
    out->iteration_ms = out->busy_ms = info->busy_ms;
    out->low_ms = info->busy_ms * s->w->low_share;
    out->high_ms = info->busy_ms * s->w->high_share;
    out->intervals_calibrated = true;
    out->bound_by = info->bound_by;
    out->samples_per_s = habitat_samples_per_s(s->w, true, info->busy_ms);
}

static bool same_rate(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static bool same_rates(const habitat_rates *a, const habitat_rates *b) {
    bool same = true;
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++)
        same &= same_rate(a->matrix_flop_per_s[d], b->matrix_flop_per_s[d]) &&
                same_rate(a->plain_flop_per_s[d], b->plain_flop_per_s[d]);
    return same;
}

static bool same_gpu(const habitat_gpu *a, const habitat_gpu *b) {
    return a == b ||
           (strcmp(a->name, b->name) == 0 && a->sm_count == b->sm_count &&
            a->boost_clock_hz == b->boost_clock_hz && a->memory_bytes == b->memory_bytes &&
            a->memory_bandwidth_bytes_per_s == b->memory_bandwidth_bytes_per_s &&
            same_rates(&a->peak, &b->peak) && same_rates(&a->sustained, &b->sustained));
}

/* What the operator models answer, where the method asks them: *answers is NULL where not, else
 * shape (group_count), the caller's to free. */
static habitat_status ask(const scaling *s, habitat_method method, habitat_prediction *out,
                          habitat_operator_answer **answers, habitat_error *err) {
    if (method != HABITAT_METHOD_AUTO && method != HABITAT_METHOD_MLP &&
        method != HABITAT_METHOD_HABITAT)
        return HABITAT_OK;
    habitat_status status = HABITAT_E_MEMORY;
    *answers = calloc(s->w->group_count, sizeof **answers);
    if (*answers && method == HABITAT_METHOD_AUTO)
        status = habitat_auto_models_answer(s, *answers, &out->calibrated_operations, err);
    else if (*answers)
        status = ask_models(s, *answers, err);
    return status == HABITAT_E_MEMORY ? habitat_fail(err, status, "out of memory") : status;
}

static habitat_status run_method(const scaling *s, habitat_method method, const times *t,
                                 habitat_prediction *out, habitat_error *err) {
    bool same = same_gpu(s->origin, s->dest);
    habitat_operator_answer *answers = NULL;
    habitat_status status = same ? HABITAT_OK : ask(s, method, out, &answers, err);
    if (status == HABITAT_OK && same)
        measured_kernels(s, t->ns, out->kernels);
    else if (status == HABITAT_OK)
        predict_kernels(s, method, answers, t->ns, out->kernels);
    free(answers);
    if (status == HABITAT_OK)
        status = habitat_busy_charge(s->w, t->ns, t->busy_ns, err);
    if (status != HABITAT_OK)
        return status;
    sum_up(s, t, !same && interval_calibrated(s, method), out);
    if (same)
        give_back(s, out);
    return HABITAT_OK;
}

habitat_status habitat_predict(const habitat_workload *w, const habitat_gpu *dest,
                               habitat_method method, habitat_prediction **out,
                               habitat_error *err) {
    if (!w || !dest || !out || (unsigned)method > HABITAT_METHOD_ROOFLINE)
        return habitat_fail(err, HABITAT_E_ARG,
                            "a prediction needs a workload, a destination and a method");
    if (w->description_only && !same_gpu(w->origin, dest))
        return habitat_fail(err, HABITAT_E_ARG,
                            "this workload only describes its trace; make it with "
                            "habitat_workload_create() to predict other GPUs");
    scaling s;
    habitat_status status = set_up(w, dest, &s, err);
    if (status != HABITAT_OK)
        return status;
    habitat_prediction *made = calloc(1, sizeof *made);
    if (made) {
        made->gpu = dest;
        made->method = method;
        made->iteration_count = w->info.iteration_count;
        made->kernel_count = w->kernel_count;
        made->kernels = calloc(w->kernel_count, sizeof *made->kernels);
    }
    times t = {malloc(w->kernel_count * sizeof *t.ns), malloc(w->kernel_count * sizeof *t.ns)};
    if (!made || !made->kernels || !t.ns || !t.busy_ns)
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    else
        status = run_method(&s, method, &t, made, err);
    free(t.ns);
    free(t.busy_ns);
    free(s.dest_waves);
    if (status == HABITAT_OK)
        *out = made;
    else
        habitat_prediction_free(made);
    return status;
}

void habitat_prediction_free(habitat_prediction *prediction) {
    if (!prediction)
        return;
    free(prediction->kernels);
    free(prediction);
}
