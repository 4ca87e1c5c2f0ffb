/* Workloads from shapes alone: every operation as `habitat op` answers it, one after the other. */
#include "predict/untimed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "gpu/gpu.h"
#include "base/constants_intervals.h"
#include "base/constants_kernels.h"
#include "base/constants_recordings.h"
#include "base/error.h"
#include "predict/estimate.h"
#include "kernels/host_copy.h"
#include "predict/method.h"
#include "predict/operations.h"
#include "formula/rates.h"
#include "predict/scaling.h"
#include "predict/shapes_interval.h"
#include "predict/totals.h"
#include "predict/widen.h"
#include "workload/cpu_table.h"

typedef struct untimed {
    const habitat_workload *w;
    const habitat_gpu *dest;
    habitat_model_query *questions;      /* shape (kernel_count) */
    habitat_operation_estimate *answers; /* shape (kernel_count) */
    habitat_arena arena;                 /* of both, and of reasons */
} untimed;

/* Kernels of an untimed workload are its groups. */
static habitat_status set_up(untimed *u, habitat_error *err) {
    size_t count = u->w->kernel_count;
    u->questions = habitat_arena_alloc(&u->arena, count * sizeof *u->questions);
    u->answers = habitat_arena_alloc(&u->arena, count * sizeof *u->answers);
    if (!u->questions || !u->answers)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++)
        u->questions[i] = (habitat_model_query){.work = u->w->groups[i].work,
                                                .arithmetic = u->w->kernels[i].facts.dtype};
    memset(u->answers, 0, count * sizeof *u->answers);
    return HABITAT_OK;
}

static void set_fallback(double ms, habitat_estimate *out) {
    double width = estimate_default_width(false, HABITAT_METHOD_FALLBACK);
    out->ms = ms;
    out->low_ms = ms / (1.0 + width);
    out->high_ms = ms * (1.0 + width);
    out->method = HABITAT_METHOD_FALLBACK;
    out->interval_basis = HABITAT_INTERVAL_DEFAULT;
}

/* Goes by the link and the host's memory: no method and no model knows those. */
static void set_host_copy(double ms, habitat_operation_estimate *out) {
    out->status = HABITAT_OK;
    out->estimate.bound = HABITAT_BOUND_MEMORY;
    set_fallback(ms, &out->estimate);
}

/* What the method's models do not know: products of whole and of complex numbers, say, of which no
 * library gets as much as of real ones, and whose factors are copied first. */
static habitat_status fall_back(untimed *u, size_t i, habitat_error *err) {
    operations_by roofline = {.method = HABITAT_METHOD_ROOFLINE, .part = true};
    habitat_operation_estimate *out = &u->answers[i];
    habitat_status status =
        operations_predict(&roofline, u->dest, 1, &u->questions[i], &u->arena, out, err);
    if (status != HABITAT_OK)
        return status;
    if (out->status != HABITAT_OK)
        return habitat_fail(err, out->status, "%s", out->reason);
    bool product = habitat_class_is_product(u->questions[i].work->op_class);
    double floor_ms = formula_kernel_floor_ns(u->dest) / HABITAT_NS_PER_MS;
    set_fallback(out->estimate.ms / (product ? fitted_odd_product_share : 1.0) + floor_ms,
                 &out->estimate);
    return HABITAT_OK;
}

/* A method that scales what it does not cover has nothing to scale. */
static habitat_status answer_all(untimed *u, const operations_by *by, habitat_error *err) {
    const method_plug *plug = method_of(by->method);
    habitat_status status = operations_predict(by, u->dest, u->w->kernel_count, u->questions,
                                               &u->arena, u->answers, err);
    for (size_t i = 0; status == HABITAT_OK && i < u->w->kernel_count; i++) {
        habitat_operation_estimate *answer = &u->answers[i];
        double host_ms = host_copy_ms(u->questions[i].work, u->dest);
        if (host_ms > 0.0) {
            set_host_copy(host_ms, answer);
            continue;
        }
        bool scales = plug->covers && !plug->covers(u->questions[i].work);
        if (answer->status == HABITAT_E_UNSUPPORTED && !scales)
            status = fall_back(u, i, err);
        else if (answer->status != HABITAT_OK)
            status = habitat_fail(err, answer->status, "%s", answer->reason);
    }
    return status;
}

/* A whole iteration: models of operations err together, and a rule says what its CPU needs. */
static void set_iteration(const habitat_workload *w, habitat_prediction *out) {
    double cpu_ms = workload_table_cpu_ms(w, out->gpu);
    double batch = (double)w->batch_size;
    bool by_gpu = cpu_ms <= out->busy_ms;
    out->bound_by = by_gpu ? HABITAT_BY_GPU : HABITAT_BY_CPU;
    bool known = by_gpu && batch > 0 && !w->left_out_count;
    out->samples_per_s = known ? batch / out->iteration_ms * 1e3 : (double)NAN;
}

/* Of one whose like was recorded, too, by what that showed; else a default width. */
static void set_interval(const habitat_workload *w, const shapes_sum *sum,
                         habitat_prediction *out) {
    if (out->method == HABITAT_METHOD_AUTO && shapes_interval_checked(sum, w, out->gpu)) {
        interval_ends ends = shapes_interval_of(sum, out->gpu);
        out->low_ms = out->iteration_ms / exp(ends.down);
        out->high_ms = out->iteration_ms * exp(ends.up);
        out->interval_basis = ends.basis;
        habitat_interval_widen(out);
        return;
    }
    out->low_ms = fmin(out->low_ms, out->iteration_ms / (1.0 + fitted_untimed_width));
    out->high_ms = fmax(out->high_ms, out->iteration_ms * (1.0 + fitted_untimed_width));
}

void untimed_width_words(double factor, char *text, size_t size) {
    char rule[80] = "";
    if (factor > 0.0)
        habitat_format(rule, sizeof rule, ", a factor of %.2f of what the CPU needs by rule",
                       factor);
    habitat_format(text, size, "%.0f %% or more of what the operations take%s",
                   100.0 * fitted_untimed_width, rule);
}

static void sum_up(const untimed *u, habitat_prediction *out) {
    scaling s = {.w = u->w, .dest = u->dest};
    totals sum = {.calibrated = false};
    shapes_sum whole = {.total = 0.0};
    scaling_fill(&s.sustained_dest, u->dest, true);
    for (size_t i = 0; i < u->w->kernel_count; i++) {
        habitat_estimate *estimate = &out->trace_kernels[i];
        *estimate = u->answers[i].estimate;
        estimate->busy_ms = estimate->ms;
        double ns = estimate->ms * HABITAT_NS_PER_MS;
        totals_add(&sum, &u->w->kernels[i], ns, ns, estimate);
        shapes_interval_add(&whole, &s, &u->w->kernels[i], estimate, ns);
        const char *note = u->answers[i].outside_note;
        bool analytic = note && estimate->method == HABITAT_METHOD_ROOFLINE;
        if (analytic && out->outside_operations++ == 0)
            snprintf(out->outside_note, sizeof out->outside_note, "%s", note);
    }
    totals_set(&s, &sum, out);
    if (!u->w->trace)
        return;
    set_iteration(u->w, out);
    set_interval(u->w, &whole, out);
}

double untimed_cpu_ms(const habitat_workload *w, const habitat_gpu *gpu) {
    return w->trace ? workload_table_cpu_ms(w, gpu) : (double)NAN;
}

/* The longer of the two is the critical path. */
static void set_path(habitat_prediction *p) {
    bool by_cpu = p->cpu_ms > p->gpu_ms;
    p->path_cpu_ms = by_cpu ? p->iteration_ms : 0.0;
    p->path_kernel_ms = by_cpu ? 0.0 : p->iteration_ms;
    p->path_gap_ms = 0.0;
}

void untimed_assemble(const habitat_workload *w, double cpu_ms, double factor,
                      habitat_prediction *p) {
    double batch = (double)p->batch_size, sum_ms = p->iteration_ms;
    if (!(cpu_ms > 0.0))
        return;
    p->cpu_ms = cpu_ms;
    p->gpu_ms = sum_ms;
    p->iteration_ms = fmax(sum_ms, cpu_ms);
    p->low_ms = fmax(p->low_ms, cpu_ms / factor);
    p->high_ms = fmax(p->high_ms, cpu_ms * factor);
    p->bound_by = cpu_ms > p->busy_ms ? HABITAT_BY_CPU : HABITAT_BY_GPU;
    set_path(p);
    p->idle_ms = p->iteration_ms - p->busy_ms;
    p->cpu_basis = HABITAT_CPU_RULE;
    p->assembled = HABITAT_ASSEMBLE_REPLAY;
    p->samples_per_s =
        batch > 0.0 && !w->left_out_count ? batch / p->iteration_ms * 1e3 : (double)NAN;
}

habitat_status untimed_predict(const habitat_workload *w, habitat_method method,
                               const habitat_models *models, const habitat_gpu *dest,
                               habitat_prediction **out, habitat_error *err) {
    operations_by by = {.method = method, .models = models, .untimed = w->trace != NULL};
    untimed u = {.w = w, .dest = dest};
    habitat_prediction *made = calloc(1, sizeof *made);
    habitat_status status = set_up(&u, err);
    if (made) {
        *made = (habitat_prediction){.gpu = dest,
                                     .method = method,
                                     .assembled = HABITAT_ASSEMBLE_SUM,
                                     .origin_iteration_ms = NAN,
                                     .idle_ms = NAN,
                                     .cpu_ms = NAN,
                                     .gpu_ms = NAN,
                                     .path_cpu_ms = NAN,
                                     .path_kernel_ms = NAN,
                                     .path_gap_ms = NAN,
                                     .iteration_count = 1,
                                     .batch_size = w->batch_size,
                                     .gpu_count = 1,
                                     .trace_kernel_count = w->kernel_count,
                                     .trace_kernels =
                                         calloc(w->kernel_count, sizeof *made->trace_kernels)};
    }
    if (status == HABITAT_OK && (!made || !made->trace_kernels))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK)
        status = answer_all(&u, &by, err);
    if (status == HABITAT_OK)
        sum_up(&u, made);
    habitat_arena_free(&u.arena);
    if (status == HABITAT_OK)
        *out = made;
    else
        habitat_prediction_free(made);
    return status;
}
