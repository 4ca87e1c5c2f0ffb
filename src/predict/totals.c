/* Sums over kernels: what an iteration takes, by method and by class. */
#include "predict/totals.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/words.h"
#include "formula/formula.h"
#include "gpu/gpu.h"
#include "memory/counted_peak.h"
#include "predict/widen.h"
#include "workload/bound.h"
#include "workload/recorded_format.h"

static const word ways[] = {
    {"sum", HABITAT_ASSEMBLE_SUM, NULL},
    {"replay", HABITAT_ASSEMBLE_REPLAY, NULL},
};
static const vocabulary assembles = VOCABULARY("way to put an iteration together", ways);

const char *habitat_assemble_name(habitat_assemble assemble) {
    bool usual = assemble == HABITAT_ASSEMBLE_USUAL;
    const char *name = word_name(&assembles, usual ? HABITAT_ASSEMBLE_REPLAY : (int)assemble);
    return name ? name : "unknown";
}

habitat_status habitat_assemble_from_name(const char *name, habitat_assemble *out,
                                          habitat_error *err) {
    int value = 0;
    habitat_status status = word_value(&assembles, out ? name : NULL, &value, err);
    if (status == HABITAT_OK && out)
        *out = (habitat_assemble)value;
    return status;
}

void totals_add(totals *sum, const habitat_workload_kernel *kernel, double ns, double busy_ns,
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

/* What was measured is of the recording, whatever became of its kernels. */
static void measured_classes(const habitat_workload *recorded, totals *sum) {
    for (int c = 0; c < HABITAT_CLASS_COUNT; c++)
        sum->class_origin_ns[c] = 0.0;
    for (size_t i = 0; i < recorded->kernel_count; i++) {
        const habitat_workload_kernel *k = &recorded->kernels[i];
        if (habitat_is_copy(k->kernel))
            continue;
        sum->class_origin_ns[k->op_class] += k->facts.time_ns;
        sum->has_class[k->op_class] = true;
    }
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

/* fp16 and bf16 take the same bytes: of these the recorded memory holds. A GPU without TF32 runs it
 * as strict fp32. */
static habitat_memory_format memory_format_of(const habitat_workload *w, const habitat_gpu *dest) {
    habitat_precision recorded = w->format.precision;
    habitat_precision runs = w->precision ? w->precision : recorded;
    if (runs == HABITAT_PRECISION_TF32 &&
        !formula_usable(dest->peak.matrix_flop_per_s[HABITAT_DTYPE_TF32]))
        runs = HABITAT_PRECISION_FP32;
    if (runs == recorded || (precision_is_amp(runs) && precision_is_amp(recorded)))
        return HABITAT_MEMORY_RECORDED;
    return precision_is_amp(runs)           ? HABITAT_MEMORY_AUTOCAST
           : runs == HABITAT_PRECISION_TF32 ? HABITAT_MEMORY_TF32
                                            : HABITAT_MEMORY_SINGLE;
}

/* A recording without a GPU holds the most that its tensors take at once; without that, weights and
 * the optimiser's state tell which GPUs are too small. */
static bool counted_in_tensors(const habitat_workload *w, double factor,
                               habitat_memory_parts *out) {
    if (!workload_is_untimed(w))
        return false;
    memory_counted(habitat_trace_get_info(w->trace), factor, out);
    return true;
}

static void set_memory(const habitat_workload *w, const habitat_gpu *dest,
                       habitat_prediction *out) {
    /* a scaled workload has the memory of what was recorded, at its own batch size and precision */
    const habitat_workload *recorded = w->recorded ? w->recorded : w;
    double factor = w->batch_size && recorded->batch_size
                        ? (double)w->batch_size / (double)recorded->batch_size
                        : 1.0;
    habitat_memory_format format = memory_format_of(w, dest);
    habitat_memory_parts parts;
    out->memory_bytes = out->headroom_bytes = out->context_bytes = out->margin_bytes = NAN;
    out->largest_batch = out->passes_bytes = NAN;
    out->fits = -1;
    if (!recorded->memory) {
        if (!counted_in_tensors(recorded, factor, &parts))
            return;
    } else if (habitat_memory_predict(recorded->memory, factor, format, &parts)) {
        return;
    }
    parts.peak_bytes = round(parts.peak_bytes);
    habitat_memory_fit fit = habitat_memory_fit_on(&parts, dest);
    out->memory_bytes = parts.peak_bytes;
    out->fits = fit.fits;
    if (recorded->memory) {
        out->passes_bytes = memory_growing_bytes(recorded->memory, factor, format);
        out->largest_batch = /* whatever the batch at hand */
            habitat_memory_largest_batch(recorded->memory, format, dest, recorded->batch_size);
    } else {
        out->largest_batch = memory_counted_largest_batch(habitat_trace_get_info(recorded->trace),
                                                          dest, recorded->batch_size);
    }
    if (fit.fits < 0 && isnan(fit.headroom_bytes))
        return;
    out->headroom_bytes = fit.headroom_bytes;
    out->context_bytes = fit.context_bytes;
    out->margin_bytes = fit.margin_bytes;
}

/* What is scaled from a recording whose iterations lay far apart is known no better than it. Where
 * its GPU waited for the CPU the range is the CPU's side's, and goes in there. */
static void stay_within_recorded(const habitat_workload *w, habitat_prediction *out) {
    double low_ms = out->iteration_ms * w->low_share, high_ms = out->iteration_ms * w->high_share;
    if (!habitat_spread_wide(w) || workload_recorded_info(w)->bound_by != HABITAT_BY_GPU ||
        (low_ms >= out->low_ms && high_ms <= out->high_ms))
        return;
    out->low_ms = fmin(out->low_ms, low_ms);
    out->high_ms = fmax(out->high_ms, high_ms);
    if (out->interval_basis != HABITAT_INTERVAL_DEFAULT)
        out->interval_basis = HABITAT_INTERVAL_RECORDED;
}

void totals_set(const scaling *s, totals *sum, habitat_prediction *out) {
    const habitat_workload_info *origin = &s->w->info;
    double iterations = (double)origin->iteration_count;
    out->kernel_ms = sum->kernel_ns / iterations / HABITAT_NS_PER_MS;
    out->copy_ms = sum->copy_ns / iterations / HABITAT_NS_PER_MS;
    out->busy_ms = sum->busy_ns / iterations / HABITAT_NS_PER_MS;
    out->iteration_ms = out->busy_ms;
    out->low_ms = sum->busy_low_ns / iterations / HABITAT_NS_PER_MS;
    out->high_ms = sum->busy_high_ns / iterations / HABITAT_NS_PER_MS;
    out->interval_basis = HABITAT_INTERVAL_DEFAULT;
    if (sum->calibrated) {
        interval_ends ends = interval_of(&sum->interval, s);
        out->low_ms = out->iteration_ms / exp(ends.down);
        out->high_ms = out->iteration_ms * exp(ends.up) * (1.0 + s->w->scale_slow);
        out->interval_basis = ends.basis;
    }
    stay_within_recorded(s->w, out);
    habitat_interval_widen(out);
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++)
        out->coverage[m] = sum->kernel_ns > 0.0 ? sum->by_method_ns[m] / sum->kernel_ns : 0.0;
    if (s->w->recorded)
        measured_classes(s->w->recorded, sum);
    set_classes(sum, iterations, out);
    set_memory(s->w, s->dest, out);
    out->bound_by = habitat_bound_of(workload_recorded_info(s->w), out->busy_ms);
    out->samples_per_s = habitat_samples_per_s(s->w, false, out->iteration_ms);
}

void totals_give_back(const scaling *s, habitat_prediction *out) {
    const habitat_workload_info *info = &s->w->info;
    out->kernel_ms = info->kernel_ms;
    out->copy_ms = info->copy_ms;
    out->iteration_ms = out->busy_ms = info->busy_ms;
    out->low_ms = info->busy_ms / exp(interval_recorded(-log(s->w->low_share), s->w->scale_sigma));
    out->high_ms = info->busy_ms * (1.0 + s->w->scale_slow) *
                   exp(interval_recorded(log(s->w->high_share), s->w->scale_sigma));
    out->interval_basis = s->w->scale_sigma > 0.0      ? HABITAT_INTERVAL_SCALED
                          : habitat_spread_known(s->w) ? HABITAT_INTERVAL_RECORDED
                                                       : HABITAT_INTERVAL_FLOOR;
    out->bound_by = info->bound_by;
    out->samples_per_s = habitat_samples_per_s(s->w, true, info->busy_ms);
}
