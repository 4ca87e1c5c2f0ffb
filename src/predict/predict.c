/* A workload on a destination: each kernel by the method asked for, its named fallback where that
 * does not cover it, then totals with coverage. Sums run over nanoseconds, so that the origin's
 * whole numbers stay exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_operators.h"
#include "base/constants_scaling.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "models/learned.h"
#include "predict/estimate.h"
#include "predict/fallback.h"
#include "predict/kernel_kinds.h"
#include "predict/kernel_times.h"
#include "predict/method.h"
#include "predict/totals.h"
#include "predict/untimed.h"
#include "rescale/groups_apart.h"
#include "workload/overlap.h"
#include "workload/rnn_calls.h"
#include "workload/scaler.h"

struct habitat_predictor {
    const habitat_workload *w;
    habitat_method method;
    const method_plug *plug;
    const habitat_models *models; /* NULL: none are there, or the method asks none */
    void *state;                  /* what plug->prepare() made */
    kernel_kinds kinds;           /* of its kernels, where plug->factor() is asked */
    auto_form form;               /* of auto's rule */
    bool times_alone;             /* see kernel_times.h */
    double scaler_calls;          /* more than recorded */
};

/* Of each kernel on one destination, shape (kernel_count) each. */
typedef struct times {
    double *ns, *busy_ns;
    uint8_t *methods; /* habitat_method; NULL where estimates are kept */
} times;

/* A destination while it is predicted. */
typedef struct predicting {
    const habitat_predictor *p;
    const scaling *s;
    bool same; /* it is the origin */
    operator_answers answers;
    scaled *factors; /* shape (kinds.count): plug->factor(); NULL without */
} predicting;

/* ---- kernels ---- */

/* No formula knows of a collective's waiting. */
static scaled by_itself(const predicting *r, size_t i) {
    const habitat_predictor *p = r->p;
    const habitat_workload_kernel *kernel = &r->s->w->kernels[i];
    scaled time = scaled_not_covered();
    if (kernel->kernel->form->kind == HABITAT_KERNEL_COLLECTIVE)
        return fallback_kernel(r->s, kernel);
    if (r->factors)
        time = scaled_by(kernel, r->factors[p->kinds.of[i]]);
    else if (p->plug->kernel)
        time = p->plug->kernel(r->s, p->state, i);
    return isnan(time.ns) ? fallback_kernel(r->s, kernel) : time;
}

/* The origin itself: the measurement, to the bit; or what was made of it for another batch size or
 * precision. Elsewhere a whole operation's answer is spread over its kernels as on the origin. */
static scaled time_of(const predicting *r, size_t i) {
    const habitat_workload *w = r->s->w;
    const habitat_workload_kernel *kernel = &w->kernels[i];
    if (r->same)
        return (scaled){kernel->facts.time_ns,
                        workload_is_scaled(w) ? HABITAT_METHOD_LEARNED : HABITAT_METHOD_SAME};
    habitat_operator_answer answer = operator_answer_of(&r->answers, kernel->group);
    if (!answer.covered)
        return by_itself(r, i);
    double factor = answer.ms / w->groups[kernel->group].origin_ms;
    return (scaled){kernel->facts.time_ns * factor, answer.method};
}

/* What is said of a kernel that takes such a time; what binds it, where estimates are kept. */
static void set_estimate(const predicting *r, size_t i, scaled time, habitat_estimate *out) {
    const habitat_workload_kernel *kernel = &r->s->w->kernels[i];
    *out = (habitat_estimate){0};
    estimate_set_times(r->s, kernel, time, out);
    if (!r->p->times_alone)
        estimate_set_bound(r->s, kernel, out);
    if (r->same)
        return;
    habitat_operator_answer answer = operator_answer_of(&r->answers, kernel->group);
    if (answer.covered && answer.low_ms > 0.0) {
        out->low_ms = out->ms * (answer.low_ms / answer.ms);
        out->high_ms = out->ms * (answer.high_ms / answer.ms);
        out->interval_basis = answer.guessed || answer.outside.size ? HABITAT_INTERVAL_DEFAULT
                                                                    : HABITAT_INTERVAL_OPERATIONS;
    }
}

/* The calibrated interval of a kernel. */
static void calibrate(const predicting *r, size_t i, totals *sum, habitat_estimate *estimate) {
    const scaling *s = r->s;
    const habitat_kernel_facts *binding = r->p->plug->binding(s, r->p->state, i);
    double factor = exp(interval_add(&sum->interval, s, &s->w->kernels[i], binding,
                                     estimate->method, estimate->busy_ms * HABITAT_NS_PER_MS));
    estimate->low_ms = estimate->ms / factor;
    estimate->high_ms = estimate->ms * factor;
    estimate->interval_basis = HABITAT_INTERVAL_OPERATIONS;
}

static void sum_up(const predicting *r, const times *t, bool calibrated, habitat_prediction *out) {
    totals sum = {.calibrated = calibrated};
    habitat_estimate again = {0};
    for (size_t i = 0; i < r->s->w->kernel_count; i++) {
        habitat_estimate *estimate = out->trace_kernels ? &out->trace_kernels[i] : &again;
        if (!out->trace_kernels)
            set_estimate(r, i, (scaled){t->ns[i], (habitat_method)t->methods[i]}, estimate);
        estimate->busy_ms = t->busy_ns[i] / HABITAT_NS_PER_MS;
        if (sum.calibrated)
            calibrate(r, i, &sum, estimate);
        totals_add(&sum, &r->s->w->kernels[i], t->ns[i], t->busy_ns[i], estimate);
        if (!out->trace_kernels)
            t->ns[i] = estimate->ms;
    }
    totals_set(r->s, &sum, out);
}

/* ---- whether it is the origin ---- */

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

/* ---- one destination ---- */

static void note_outside(const operator_answers *answers, size_t count, habitat_prediction *out) {
    for (size_t g = 0; g < count; g++) {
        habitat_operator_answer a = operator_answer_of(answers, g);
        if (!a.covered || !operator_analytic(&a.outside))
            continue;
        if (out->outside_operations++ == 0)
            outside_text(&a.outside, out->outside_note);
    }
}

/* Whether operations far outside of what was measured take a share with which no whole iteration
 * was judged. */
static bool is_much_outside(const predicting *r, const double *ns) {
    double outside = 0.0, all = 0.0;
    for (size_t i = 0; i < r->s->w->kernel_count; i++) {
        habitat_operator_answer a = operator_answer_of(&r->answers, r->s->w->kernels[i].group);
        all += ns[i];
        if (a.covered && operator_analytic(&a.outside))
            outside += ns[i];
    }
    return outside > chosen_outside_share * all;
}

/* What the method says of whole operations. */
static habitat_status ask_groups(predicting *r, habitat_prediction *out, habitat_error *err) {
    const method_plug *plug = r->p->plug;
    habitat_status status = method_check_models(plug, r->p->models, err);
    if (status == HABITAT_OK && plug->groups)
        status = plug->groups(r->s, r->p->state, &r->answers, &out->calibrated_operations, err);
    if (status == HABITAT_OK)
        note_outside(&r->answers, r->s->w->group_count, out);
    return status;
}

/* One factor a kind of kernels. */
static habitat_status ask_factors(predicting *r, habitat_error *err) {
    const kernel_kinds *kinds = &r->p->kinds;
    if (!r->p->plug->factor)
        return HABITAT_OK;
    r->factors = calloc(kinds->count + 1, sizeof *r->factors);
    if (!r->factors)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t k = 0; k < kinds->count; k++)
        r->factors[k] = r->p->plug->factor(r->s, kinds->first[k]);
    return HABITAT_OK;
}

static habitat_status run(predicting *r, const times *t, habitat_prediction *out,
                          habitat_error *err) {
    const method_plug *plug = r->p->plug;
    habitat_status status = r->same ? HABITAT_OK : ask_groups(r, out, err);
    if (status == HABITAT_OK && !r->same)
        status = ask_factors(r, err);
    if (status != HABITAT_OK)
        return status;
    for (size_t i = 0; i < r->s->w->kernel_count; i++) {
        scaled time = time_of(r, i);
        t->ns[i] = time.ns;
        if (t->methods)
            t->methods[i] = (uint8_t)time.method;
        else
            set_estimate(r, i, time, &out->trace_kernels[i]);
    }
    status = habitat_busy_charge(r->s->w, t->ns, t->busy_ns, err);
    if (status != HABITAT_OK)
        return status;
    bool much_outside = r->answers.each && is_much_outside(r, t->ns);
    bool calibrated = plug->calibrated && plug->calibrated(r->s);
    sum_up(r, t, !r->same && !much_outside && calibrated, out);
    if (r->same)
        totals_give_back(r->s, out);
    return HABITAT_OK;
}

/* In a row within recurrent layers, and within convolutions whose groups are samples. */
static double calls_more_within(const habitat_predictor *p, const habitat_workload *recorded,
                                const habitat_gpu *dest) {
    return workload_rnn_calls(p->w, dest) - workload_rnn_calls(recorded, recorded->origin) +
           workload_groups_calls_more(p->w, recorded);
}

static habitat_prediction *begin(const habitat_predictor *p, const habitat_gpu *dest) {
    const habitat_workload *recorded = p->w->recorded ? p->w->recorded : p->w;
    habitat_prediction *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    double within = calls_more_within(p, recorded, dest);
    double messages_ms = p->w->collective_count ? NAN : 0.0; /* of one rank alone: not known */
    *made = (habitat_prediction){.gpu = dest,
                                 .method = p->method,
                                 .communication_ms = messages_ms,
                                 .exposed_ms = messages_ms,
                                 .waiting_ms = messages_ms,
                                 .path_cpu_ms = NAN,
                                 .path_kernel_ms = NAN,
                                 .path_gap_ms = NAN,
                                 .iteration_count = p->w->info.iteration_count,
                                 .batch_size = p->w->batch_size,
                                 .trace_kernel_count = p->w->kernel_count,
                                 .assembled = HABITAT_ASSEMBLE_SUM,
                                 .origin_iteration_ms = recorded->info.busy_ms,
                                 .gpu_count = 1,
                                 .cpu_doubt = p->w->precision ? fitted_scale_cpu_doubt : 1.0,
                                 .another_run = workload_is_scaled(p->w),
                                 .calls_more = within + p->scaler_calls,
                                 .rnn_calls_more = within,
                                 .scaler_waits =
                                     p->w->precision == HABITAT_PRECISION_AMP_FP16 &&
                                     recorded->format.precision != HABITAT_PRECISION_AMP_FP16,
                                 .idle_ms = NAN,
                                 .cpu_ms = NAN,
                                 .gpu_ms = NAN};
    if (p->times_alone)
        return made;
    made->trace_kernels = calloc(p->w->kernel_count, sizeof *made->trace_kernels);
    if (made->trace_kernels)
        return made;
    free(made);
    return NULL;
}

habitat_status habitat_predictor_predict(const habitat_predictor *p, const habitat_gpu *dest,
                                         habitat_prediction **out, habitat_error *err) {
    if (!p || !dest || !out)
        return habitat_fail(err, HABITAT_E_ARG,
                            "a prediction needs a workload, a destination and a method");
    if (!p->w->origin)
        return untimed_predict(p->w, p->method, p->models, dest, out, err);
    scaling s;
    habitat_status status = scaling_set_up(p->w, p->models, dest, &s, err);
    if (status != HABITAT_OK)
        return status;
    s.form = p->form;
    size_t count = p->w->kernel_count;
    habitat_prediction *made = begin(p, dest);
    times t = {calloc(count, sizeof *t.ns), calloc(count, sizeof *t.busy_ns),
               p->times_alone ? calloc(count, sizeof *t.methods) : NULL};
    predicting r = {.p = p, .s = &s, .same = same_gpu(s.origin, dest)};
    if (!made || !t.ns || !t.busy_ns || (p->times_alone && !t.methods))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    else
        status = run(&r, &t, made, err);
    operator_answers_free(&r.answers);
    free(r.factors);
    if (status == HABITAT_OK && p->times_alone)
        made->trace_kernel_ms = t.ns;
    else
        free(t.ns);
    free(t.busy_ns);
    free(t.methods);
    scaling_free(&s);
    if (status == HABITAT_OK)
        *out = made;
    else
        habitat_prediction_free(made);
    return status;
}

void predictor_keep_times_alone(habitat_predictor *predictor) {
    predictor->times_alone = true;
}

/* ---- predictors ---- */

static habitat_status check(const habitat_workload *w, habitat_method method, habitat_error *err) {
    if (!w || !habitat_method_askable(method))
        return habitat_fail(err, HABITAT_E_ARG,
                            "a prediction needs a workload, a destination and a method");
    return HABITAT_OK;
}

static habitat_predictor asked(const habitat_workload *w, habitat_method method) {
    return (habitat_predictor){.w = w,
                               .method = method,
                               .plug = method_of(method),
                               .scaler_calls = w->precision ? workload_scaler_calls(w) -
                                                                  workload_scaler_calls(w->recorded)
                                                            : 0.0};
}

/* The library's own models are looked for where the method asks any. */
static habitat_status prepare(habitat_predictor *p, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    if (!p->plug->asks_models)
        p->models = NULL;
    else if (!p->models)
        status = learned_builtin(&p->models, err);
    if (status != HABITAT_OK || !p->w->origin)
        return status;
    if (p->plug->factor && kernel_kinds_find(p->w, &p->kinds) != HABITAT_OK)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (!p->plug->prepare)
        return HABITAT_OK;
    return p->plug->prepare(p->w, p->models, &p->state, err);
}

static void forget(habitat_predictor *p) {
    if (p->plug->free)
        p->plug->free(p->state);
    kernel_kinds_free(&p->kinds);
}

void habitat_predictor_free(habitat_predictor *predictor) {
    if (!predictor)
        return;
    forget(predictor);
    free(predictor);
}

habitat_status habitat_predictor_create(const habitat_workload *w, habitat_method method,
                                        const habitat_models *models, habitat_predictor **out,
                                        habitat_error *err) {
    habitat_status status = check(out ? w : NULL, method, err);
    if (status != HABITAT_OK)
        return status;
    habitat_predictor *made = calloc(1, sizeof *made);
    if (!made)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    *made = asked(w, method);
    made->models = models;
    status = prepare(made, err);
    if (status == HABITAT_OK)
        *out = made;
    else
        habitat_predictor_free(made);
    return status;
}

/* The origin gives its measurement back: nothing to prepare. */
static habitat_status predict_once(habitat_predictor *p, const habitat_gpu *dest,
                                   habitat_prediction **out, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    if (!p->w->origin || !same_gpu(p->w->origin, dest))
        status = prepare(p, err);
    if (status == HABITAT_OK)
        status = habitat_predictor_predict(p, dest, out, err);
    forget(p);
    return status;
}

habitat_status habitat_predict(const habitat_workload *w, const habitat_gpu *dest,
                               habitat_method method, habitat_prediction **out,
                               habitat_error *err) {
    habitat_status status = check(dest && out ? w : NULL, method, err);
    if (status != HABITAT_OK)
        return status;
    habitat_predictor p = asked(w, method);
    return predict_once(&p, dest, out, err);
}

habitat_status predict_as(const habitat_workload *w, const habitat_gpu *dest, auto_form form,
                          habitat_prediction **out, habitat_error *err) {
    habitat_predictor p = asked(w, HABITAT_METHOD_AUTO);
    p.form = form;
    return predict_once(&p, dest, out, err);
}

const char *auto_form_name(auto_form form) {
    static const char *const names[AUTO_FORMS] = {
        [AUTO_FORM_RULE] = "the rule",
        [AUTO_FORM_RATIO] = "all of it by the ratio of rooflines",
        [AUTO_FORM_NO_CACHE] = "without the cache in M",
        [AUTO_FORM_CLOCK] = "what is beyond M by the clock alone",
        [AUTO_FORM_SUM] = "what is beyond M always added to it",
        [AUTO_FORM_UNKNOWN_ROOF] = "work that nobody counted all by its roof",
    };
    return names[form];
}
