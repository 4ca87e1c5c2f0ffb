/* The replayed iteration in a prediction. */
#include <math.h>
#include <stdlib.h>

#include <habitat/text.h>

#include "base/constants_replay.h"
#include "base/constants_scaling.h"
#include "base/error.h"
#include "predict/kernel_times.h"
#include "predict/widen.h"
#include "replay/apply_untimed.h"
#include "replay/graph.h"
#include "replay/iteration_times.h"
#include "workload/bound.h"
#include "workload/workload.h"

/* Are these the kernels as they were measured? */
static bool is_measured(const habitat_replay *r, const double *kernel_ns) {
    for (size_t i = 0; i < r->graph.kernel_count; i++)
        if (fabs(kernel_ns[i] - replay_kernel_recorded_ns(r, i)) >
            1e-6 * replay_kernel_recorded_ns(r, i))
            return false;
    return true;
}

/* The ends of the interval: all kernels and the CPU at their quick, and at their slow end. */
static habitat_status set_interval(const habitat_replay *r, const double *kernel_ns, bool measured,
                                   habitat_prediction *p, habitat_error *err) {
    double busy_low = p->busy_ms > 0.0 ? p->low_ms / p->busy_ms : 1.0;
    double busy_high = p->busy_ms > 0.0 ? p->high_ms / p->busy_ms : 1.0;
    double low = 0.0, high = 0.0, gpu_ms = 0.0;
    habitat_status status = replay_quick_ms(r, kernel_ns, busy_low, &low, err);
    if (status == HABITAT_OK)
        status = replay_iteration_ms(r, kernel_ns, busy_high, r->info.cpu_high, &high, err);
    if (status == HABITAT_OK && r->held_ms > 0.0)
        status =
            replay_gpu_ms(r, kernel_ns, 1.0, &gpu_ms, err); /* or all that waiting comes on top */
    if (status == HABITAT_OK) {
        bool unsure = r->held_ms > 0.0 && !(r->info.cpu_low > 0.0);
        p->low_ms = unsure ? fmin(low, p->low_ms) : low; /* the busy time's own, without pauses */
        p->high_ms = fmax(high, gpu_ms + r->held_more_ms);
        p->interval_basis = replay_basis(r, measured, p->interval_basis);
    }
    return status;
}

/* On the origin with its CPU scaled: a quicker one makes no end of the recorded interval longer, a
 * slower one none shorter. */
static void stay_beside_recorded(const habitat_replay *r, habitat_prediction *p) {
    const habitat_workload *w = r->workload;
    double scale = r->options.cpu_scale;
    if (!w->info.iteration_recorded || r->options.withhold || r->options.cpu_ms > 0.0 ||
        !(scale > 0.0))
        return;
    double low_ms = w->info.iteration_ms * w->low_share;
    double high_ms = w->info.iteration_ms * w->high_share;
    double doubt = fmax(1.0, r->options.cpu_scale_doubt);
    bool slower = scale / doubt >= 1.0, faster = scale * doubt <= 1.0; /* for sure */
    if (slower && scale > 1.0) {
        p->low_ms = fmax(p->low_ms, low_ms);
        p->high_ms = fmax(p->high_ms, high_ms);
    } else if (faster) {
        p->low_ms = fmin(p->low_ms, low_ms);
        p->high_ms = fmin(p->high_ms, high_ms);
    } else if (scale >= 1.0) {
        p->high_ms = fmax(p->high_ms, high_ms);
    } else {
        p->low_ms = fmin(p->low_ms, low_ms);
    }
}

/* The recording itself says how long it took: to the bit. The parts of the way that decides come
 * from a search that ends near it. */
static void give_back(const habitat_replay *r, habitat_replay_result *result,
                      habitat_prediction *p) {
    const habitat_workload *w = r->workload;
    p->low_ms = w->info.iteration_ms * w->low_share;
    p->high_ms = w->info.iteration_ms * w->high_share;
    p->interval_basis =
        habitat_spread_known(w) ? HABITAT_INTERVAL_RECORDED : HABITAT_INTERVAL_FLOOR;
    double near = w->info.iteration_ms / result->iteration_ms;
    result->path_cpu_ms *= near;
    result->path_kernel_ms *= near;
    result->iteration_ms = w->info.iteration_ms;
}

double replay_busy_known(const habitat_prediction *p, bool measured, double replayed_ms) {
    bool as_measured = measured && p->busy_ms <= p->iteration_ms;
    return as_measured ? p->busy_ms : fmin(replayed_ms, p->iteration_ms); /* to the last bit */
}

static void set_rest(const habitat_replay *r, const habitat_replay_result *result, bool measured,
                     habitat_prediction *p) {
    double batch = (double)p->batch_size;
    p->assembled = HABITAT_ASSEMBLE_REPLAY;
    p->iteration_ms = result->iteration_ms;
    p->origin_iteration_ms = r->info.iteration_ms;
    p->busy_ms = replay_busy_known(p, measured, result->busy_ms);
    p->idle_ms = p->iteration_ms - p->busy_ms;
    p->cpu_ms = result->cpu_ms;
    p->gpu_ms = result->gpu_ms;
    p->path_cpu_ms = result->path_cpu_ms;
    p->path_kernel_ms = result->path_kernel_ms;
    /* what is left: without gaps a rounding, not a time below 0 */
    p->path_gap_ms = fmax(0.0, p->iteration_ms - p->path_cpu_ms - p->path_kernel_ms);
    p->bound_by = result->bound_by;
    p->cpu_basis = r->info.cpu_basis;
    p->samples_per_s =
        batch > 0.0 && result->iteration_ms > 0.0 && r->info.cpu_basis != HABITAT_CPU_UNKNOWN
            ? batch / result->iteration_ms * 1e3
            : NAN;
}

/* An operation that is run no more; of one that is run with fewer kernels, calls_more tells. */
static bool is_gone(const habitat_replay *r, const habitat_prediction *p, size_t i) {
    return replay_kernel_recorded_ns(r, i) > 0.0 && !(prediction_kernel_ms(p, i) > 0.0) &&
           r->workload->kernels[i].op_class != HABITAT_CLASS_RNN;
}

static void doubt(habitat_replay_info *info, double factor) {
    info->cpu_low = exp(-hypot(log(info->cpu_low), log(factor)));
    info->cpu_high = exp(hypot(log(info->cpu_high), log(factor)));
}

/* Another GPU is in another host, unless somebody says how quick its CPU is (--cpu-scale 1: it is
 * the same) or how long it takes. */
bool replay_is_elsewhere(const habitat_replay *r, const habitat_prediction *p) {
    const habitat_gpu *origin = r->workload->origin;
    return origin && p->gpu != origin && !(r->options.cpu_scale > 0.0) &&
           !(r->options.cpu_ms > 0.0);
}

/* Another run is another process. The ends of the rule and of a given time hold what processes
 * differ by; a recorded time, or the clock's, is that of one. No basis holds what hosts do. */
void replay_doubt_run(const habitat_replay *r, const habitat_prediction *p,
                      habitat_replay_info *info) {
    bool of_one = info->cpu_basis == HABITAT_CPU_RECORDED || info->cpu_basis == HABITAT_CPU_CLOCK;
    if (replay_is_elsewhere(r, p))
        doubt(info, fitted_replay_host_factor);
    else if (p->another_run && of_one)
        doubt(info, fitted_replay_process_factor);
}

/* What the CPU takes for calls that are there beyond the recorded ones, in calls of the rule: those
 * in a row inside a recurrent layer are quicker than it says. */
static double calls_as_ruled(const habitat_replay *r, const habitat_prediction *p) {
    bool ruled = r->info.cpu_basis == HABITAT_CPU_RULE;
    double share = ruled ? fitted_rnn_call_share_ruled : fitted_rnn_call_share;
    return p->calls_more - (1.0 - share) * p->rnn_calls_more;
}

habitat_replay replay_with_casts(const habitat_replay *r, const habitat_prediction *p) {
    habitat_replay out = *r;
    size_t recorded = r->graph.kernel_count;
    double more = (double)(p->trace_kernel_count - recorded);
    for (size_t i = 0; i < recorded; i++)
        more -= is_gone(r, p, i);
    double share = r->cast_share * more + r->call_share * calls_as_ruled(r, p);
    double factor = fmax(0.0, 1.0 + share / r->iterations);
    out.cpu_factor *= factor;
    if (p->batch_size && r->workload->batch_size)
        out.data_more = (double)p->batch_size / (double)r->workload->batch_size - 1.0;
    double data_ns = r->data_wait_ns * (1.0 - r->waits_gone) + r->data_work_ns * out.cpu_factor;
    double cpu_ms = r->info.wait_ms + (r->info.cpu_ms - r->info.wait_ms) * factor;
    out.info.cpu_ms = fmax(0.0, cpu_ms + data_ns * out.data_more / HABITAT_NS_PER_MS);
    replay_doubt_run(r, p, &out.info);
    out.info.cpu_low /= p->cpu_doubt;
    out.info.cpu_high *= p->cpu_doubt;
    return out;
}

static habitat_status apply(const habitat_replay *r, habitat_prediction *p, habitat_error *err) {
    habitat_replay_result result = {0};
    double *ns = calloc(p->trace_kernel_count + 1, sizeof *ns);
    if (!ns)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    replay_set_times(r, p, ns);
    double low = p->low_ms / p->busy_ms, high = p->high_ms / p->busy_ms; /* of the kernels alone */
    bool measured = is_measured(r, ns); /* of another GPU, too, whose kernels are as quick */
    bool recorded = measured && replay_knows_origin(r) && !replay_is_elsewhere(r, p);
    habitat_status status = habitat_replay_run(r, ns, &result, err);
    if (status == HABITAT_OK && recorded)
        give_back(r, &result, p);
    else if (status == HABITAT_OK)
        status = set_interval(r, ns, measured, p, err);
    if (status == HABITAT_OK && measured && !recorded)
        stay_beside_recorded(r, p);
    if (status == HABITAT_OK)
        set_rest(r, &result, measured, p);
    if (status == HABITAT_OK && !recorded)
        habitat_interval_by_cpu(low, high, p);
    if (status == HABITAT_OK)
        habitat_interval_widen(p);
    free(ns);
    return status;
}

habitat_status habitat_replay_apply(const habitat_replay *r, habitat_prediction *p,
                                    habitat_error *err) {
    if (!r || !p || p->trace_kernel_count < r->graph.kernel_count ||
        p->assembled != HABITAT_ASSEMBLE_SUM || !(p->trace_kernels || p->trace_kernel_ms))
        return habitat_fail(err, HABITAT_E_ARG,
                            "a replay needs a prediction of its own workload, not yet replayed");
    if (workload_is_untimed(r->workload))
        return replay_apply_untimed(r, p, err);
    habitat_replay with = replay_with_casts(r, p);
    with.scaler_waits = p->scaler_waits;
    return apply(&with, p, err);
}

/* ---- what to say ---- */

static const char *basis_words(const habitat_replay *r) {
    switch (r->info.cpu_basis) {
    case HABITAT_CPU_RECORDED:
        return "from the recorded iteration without the profiler";
    case HABITAT_CPU_GIVEN:
        return "as given";
    case HABITAT_CPU_CLOCK:
        return "by the recorder's clock and the rule from the profiled times";
    case HABITAT_CPU_RULE:
        return r->workload->info.iteration_recorded && !r->options.withhold
                   ? "by rule from the profiled times: the recorded iteration only says that it "
                     "is not longer"
               : r->first_use ? "by rule from what first uses leave of the profiled times"
               : isnan(r->usual_ns) || r->usual_ns == 0.0
                   ? "as a share of the profiled times, within a factor of 1.6: no operation says "
                     "more"
                   : "by rule from the profiled times, within a factor of 1.2 in 80 % of cases";
    default:
        return NULL;
    }
}

bool habitat_replay_note(const habitat_replay *r, char *text, size_t size) {
    const char *words = basis_words(r);
    if (workload_is_untimed(r->workload) && r->options.cpu_scale > 0.0) {
        habitat_format(text, size,
                       "beside the middle of hosts the CPU's times are taken x %.3g: %.3g ms",
                       r->options.cpu_scale, r->info.cpu_ms);
        return true;
    }
    bool scaled = r->options.cpu_scale > 0.0 && r->options.cpu_scale != 1.0;
    const char *ignored = scaled ? ". --cpu-scale is ignored: there is no CPU time to scale" : "";
    if (!words && r->held_ms > 0.0) {
        bool recorded = r->workload->info.iteration_recorded;
        habitat_format(text, size,
                       "the trace holds no calls of a CPU, and its GPU waited %.3g ms of an "
                       "iteration: nothing tells whether the program%s made it wait. No iteration "
                       "is answered shorter than %.3g ms, and intervals reach from %s to all of "
                       "that on top; record with CPU activities%s",
                       r->held_more_ms, recorded ? "'s CPU or something else" : " or the profiler",
                       r->held_ms, recorded ? "the recorded iteration" : "the GPU's own time",
                       ignored);
        return true;
    }
    if (!words) {
        habitat_format(text, size,
                       "the trace holds no calls of a CPU: replay knows the order of its kernels "
                       "alone, and not what the GPU waited for; record with CPU activities%s",
                       ignored);
        return true;
    }
    if (r->info.trace_unlaunched_count * 10 > r->graph.kernel_count) {
        habitat_format(text, size,
                       "of %zu of %zu kernels the launch is not recorded: in the replay they "
                       "follow the kernels before them, whenever they were launched",
                       r->info.trace_unlaunched_count, r->graph.kernel_count);
        return true;
    }
    if (r->info.in_recorded_order) {
        habitat_format(text, size,
                       "the trace holds launches on %zu streams, and no event and no "
                       "synchronisation: which stream waits for which is not known, and kernels "
                       "keep the recorded order",
                       r->info.stream_count);
        return true;
    }
    return false;
}

/* "12.3", "463", "43100" */
static void write_ms(char *text, size_t size, double ms) {
    habitat_format(text, size, ms < 1000.0 ? "%.3g" : "%.0f", ms);
}

/* What the CPU waits for. */
static void write_awaited(const habitat_replay *r, char *text, size_t size) {
    const char *call = r->info.blocking_name;
    const char *outside = r->info.loader_waits ? "its data loader"
                          : r->info.outside_waits || !call
                              ? "something outside, in which no operation and no call begins "
                                "(data, a file, sleep)"
                              : "";
    habitat_format(text, size, "%s%s%.40s", outside, call && *outside ? " and " : "",
                   call ? call : "");
}

bool habitat_replay_wait_note(const habitat_replay *r, char *text, size_t size) {
    char ms[32], waited[32], under[64] = "";
    double waited_ms = r->wait_ns / HABITAT_NS_PER_MS;
    char what[160];
    if (r->thin && !(waited_ms > 0.0)) {
        habitat_format(text, size,
                       "of %.3g ms of the CPU in the profiled iteration what was recorded explains "
                       "%.3g ms: the rest is left out, and intervals reach to all of it; record "
                       "every operation and call",
                       r->info.profiled_cpu_ms, r->info.cpu_ms);
        return true;
    }
    if (!(waited_ms > 0.0))
        return false;
    write_awaited(r, what, sizeof what);
    write_ms(ms, sizeof ms, r->info.wait_ms);
    write_ms(waited, sizeof waited, waited_ms);
    if (r->waits_gone == 1.0) {
        habitat_format(text, size,
                       "under the profiler the CPU waited %s ms of an iteration for %s: left out, "
                       "as the recorded iteration without it has no room for that",
                       waited, what);
        return true;
    }
    if (r->waits_gone > 0.0)
        habitat_format(under, sizeof under, " (%s ms under the profiler)", waited);
    habitat_format(text, size,
                   "%s ms of an iteration%s the CPU waits for %s: taken as long as that on every "
                   "GPU and host, at every %s",
                   ms, under, what,
                   r->data_wait_ns > 0.0
                       ? "precision; what loads or makes data grows with the batch"
                       : "batch size and precision");
    return true;
}

bool habitat_replay_once_note(const habitat_replay *r, char *text, size_t size) {
    char ms[32];
    if (!(r->info.trace_once_ms > 0.0))
        return false;
    write_ms(ms, sizeof ms, r->info.trace_once_ms / r->iterations);
    habitat_format(text, size,
                   "%s ms an iteration of the recorded CPU times are left out: %s%s took longer "
                   "than any iteration needs, as what sets a GPU or a library up when it is first "
                   "used; record a later iteration%s",
                   ms, r->info.once_name, r->info.once_count > 1 ? " and others" : "",
                   r->first_use ? ", or name its range: the rest of the CPU's time is less than "
                                  "that and may be slow for the same reason, so intervals reach "
                                  "down to the GPU's own"
                                : "");
    return true;
}

bool habitat_replay_cpu_warning(const habitat_replay *r,
                                const habitat_prediction *const *predictions, size_t count,
                                char *text, size_t size) {
    size_t rows = 0;
    bool elsewhere = false;
    double cpu_ms = r->info.cpu_ms;
    if (workload_is_untimed(r->workload)) /* whose warnings say how its CPU was told */
        return false;
    for (size_t i = 0; i < count; i++) {
        if (predictions[i]->assembled != HABITAT_ASSEMBLE_REPLAY ||
            predictions[i]->bound_by != HABITAT_BY_CPU)
            continue;
        elsewhere |= replay_is_elsewhere(r, predictions[i]);
        if (!rows++)
            cpu_ms = predictions[i]->cpu_ms; /* with what another precision launches */
    }
    if (!rows)
        return false;
    char ms[32], width[128] = "";
    if (elsewhere)
        habitat_format(width, sizeof width,
                       " (1: it is the same); without it intervals of other GPUs allow for a CPU "
                       "%.3g times as fast or slow",
                       fitted_replay_host_factor);
    bool other = r->options.cpu_scale_doubt > 1.0; /* scaled by what was measured of another one */
    write_ms(ms, sizeof ms, cpu_ms);
    habitat_format(
        text, size,
        "%zu of %zu rows are set by the CPU of %s, %s ms an iteration (%s): another host "
        "gives another answer%s%s",
        rows, count, other ? "the other host" : "the recorded host", ms, basis_words(r),
        other ? "" : "; --cpu-scale says how much faster or slower it is", width);
    return true;
}
