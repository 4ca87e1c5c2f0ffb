/* Bringing a graph to the time that the recording says it took without the profiler.
 *
 * Two things are unknown: how much the profiler stretched the CPU's side, and how long the GPU
 * pauses between kernels without it. Where pauses within reason explain the recorded time, the GPU
 * bound the step and the pauses take it; else the CPU bound it and its factor takes it. Waiting
 * for which there is no room is left out before, and what even pauses of nothing cannot explain
 * (kernels that ran slower under the profiler) is put on all kernels. */
#include <math.h>

#include "base/constants_replay.h"
#include "base/bisect.h"
#include "replay/clock.h"
#include "replay/rank_waits.h"
#include "replay/rule.h"
#include "workload/bound.h"
#include "workload/workload.h"

enum { HALVINGS = 40 };

typedef struct search {
    const habitat_replay *replay;
    double wanted_ns;
    replay_times times;
    double *moves; /* the number in `times` that is looked for; the time grows with it */
} search;

static habitat_status period_of(const search *s, double *out_ns, habitat_error *err) {
    return replay_period(&s->replay->graph, &s->times, out_ns, err);
}

/* Whether the wanted time is reached with the number at `value`. */
static habitat_status reaches(search *s, double value, bool *out, habitat_error *err) {
    double ns = 0.0;
    *s->moves = value;
    habitat_status status = period_of(s, &ns, err);
    *out = ns >= s->wanted_ns;
    return status;
}

/* The smallest value in [low, high] that reaches the wanted time; known to lie there. */
static habitat_status solve(search *s, double low, double high, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    bisection b = {low, high, HALVINGS};
    for (double middle; status == HABITAT_OK && bisect_next(&b, &middle);) {
        bool reached = false;
        status = reaches(s, middle, &reached, err);
        bisect_take(&b, middle, !reached);
    }
    *s->moves = b.high;
    return status;
}

/* Whether pauses within reason explain the time beside a CPU of this factor; then they do. */
static habitat_status try_pauses(search *s, double cpu_factor, bool *done, habitat_error *err) {
    bool longer = false, long_enough = false;
    s->times.cpu_scale = cpu_factor;
    s->moves = &s->times.gap_scale;
    habitat_status status = reaches(s, 0.0, &longer, err);
    if (status == HABITAT_OK && !longer)
        status = reaches(s, chosen_replay_gap_scale_most, &long_enough, err);
    *done = long_enough;
    if (status == HABITAT_OK && long_enough)
        return solve(s, 0.0, chosen_replay_gap_scale_most, err);
    s->times.gap_scale = 1.0;
    return status;
}

/* Whether a CPU between these factors explains the time; then it does. */
static habitat_status try_cpu(search *s, double low, double high, bool *done, habitat_error *err) {
    bool longer = false, long_enough = false;
    s->moves = &s->times.cpu_scale;
    habitat_status status = reaches(s, low, &longer, err);
    if (status == HABITAT_OK && !longer)
        status = reaches(s, high, &long_enough, err);
    *done = long_enough;
    return status == HABITAT_OK && long_enough ? solve(s, low, high, err) : status;
}

/* Waits for something outside that the recorded iteration has no room for were shorter in it: as
 * much of them is left out as must be, the CPU as the rule has it. */
static habitat_status shorten_waits(search *s, double rule, habitat_error *err) {
    bool longer = false, without = false;
    bisection b = {0.0, 1.0, HALVINGS};
    double middle;
    s->times.cpu_scale = rule;
    s->moves = &s->times.waits_gone;
    habitat_status status = reaches(s, 0.0, &longer, err);
    if (status == HABITAT_OK && longer)
        status = reaches(s, 1.0, &without, err);
    while (status == HABITAT_OK && longer && !without && bisect_next(&b, &middle)) {
        bool reached = false;
        status = reaches(s, middle, &reached, err);
        bisect_take(&b, middle, reached);
    }
    s->times.waits_gone = !longer ? 0.0 : without ? 1.0 : b.high;
    return status;
}

/* By the clock or the rule the CPU was done long before, and pauses within reason are too short:
 * the rest is the kernels', as where streams overlap less than they might. Not where that word need
 * only be as far off as it may be: then the CPU explains the time. */
static habitat_status try_kernels(search *s, double told, bool *done, habitat_error *err) {
    bool by_cpu = false, long_enough = false;
    s->moves = &s->times.cpu_scale;
    habitat_status status = reaches(s, told * s->replay->info.cpu_high, &by_cpu, err);
    s->times.cpu_scale = told;
    if (status != HABITAT_OK || by_cpu)
        return status;
    s->times.gap_scale = chosen_replay_gap_scale_most;
    s->moves = &s->times.kernel_scale;
    status = reaches(s, chosen_replay_kernel_scale_most, &long_enough, err);
    *done = long_enough;
    if (status == HABITAT_OK && long_enough)
        return solve(s, 1.0, chosen_replay_kernel_scale_most, err);
    s->times.gap_scale = s->times.kernel_scale = 1.0;
    return status;
}

/* Kernels of one stream overlap nothing: where its GPU waited, they did not take the time. Nor did
 * they where some of the waiting for other ranks is left out: the rest of it may be left. */
static bool may_be_kernels(const search *s, bool clocked) {
    const habitat_replay *r = s->replay;
    double whole_ms = s->wanted_ns / r->iterations / HABITAT_NS_PER_MS;
    return !(r->others_gone > 0.0) && ((clocked && r->info.stream_count > 1) ||
                                       !habitat_waits_for_cpu(whole_ms, r->workload->info.busy_ms));
}

/* The most likely first: the CPU as the rule or the clock has it, or slower; faster; the GPU beside
 * the slowest CPU that leaves it room for pauses, tried in small steps, as the time only says that
 * it was not slower; then with kernels that run quicker than under the profiler. */
static habitat_status settle(search *s, double rule, bool clocked, bool *cpu, habitat_error *err) {
    double share = chosen_replay_cpu_step;
    bool done = false;
    *cpu = false;
    habitat_status status = try_pauses(s, rule, &done, err);
    if (status == HABITAT_OK && !done && may_be_kernels(s, clocked))
        status = try_kernels(s, rule, &done, err);
    if (status != HABITAT_OK || done)
        return status;
    status = try_cpu(s, rule, chosen_replay_cpu_factor_most, cpu, err);
    if (status == HABITAT_OK && !*cpu)
        status = try_cpu(s, 0.0, rule, cpu, err);
    done = *cpu;
    while (status == HABITAT_OK && !done && share > chosen_replay_cpu_least) {
        status = try_pauses(s, share * rule, &done, err);
        share *= chosen_replay_cpu_step;
    }
    if (status != HABITAT_OK || done)
        return status;
    s->times.gap_scale = 0.0;
    s->times.cpu_scale = share * rule;
    s->moves = &s->times.kernel_scale;
    return solve(s, 0.0, 1.0, err);
}

/* Without what other ranks made it wait, if the rest explains the time; else with a part of it. */
static habitat_status settle_beside_others(search *s, habitat_replay *r, double rule, bool *cpu,
                                           habitat_error *err) {
    bool clocked = r->info.cpu_basis == HABITAT_CPU_CLOCK, explained = false;
    habitat_status status = HABITAT_OK;
    for (int all = 1; status == HABITAT_OK && !explained && all >= 0; all--) {
        double gone = s->times.waits_gone, ns = 0.0;
        s->times = (replay_times){.kernel_ns = r->recorded_ns,
                                  .kernel_scale = 1.0,
                                  .cpu_scale = rule,
                                  .gap_scale = 1.0,
                                  .waits_gone = gone};
        status = replay_wait_less(r, &s->times, s->wanted_ns, all == 1, err);
        if (status == HABITAT_OK)
            status = settle(s, rule, clocked, cpu, err);
        explained = r->others_gone < 1.0;
        if (status == HABITAT_OK && !explained) {
            status = period_of(s, &ns, err);
            explained = ns >= (1.0 - 1e-6) * s->wanted_ns;
        }
    }
    return status;
}

static habitat_status to_recorded(habitat_replay *r, double rule, double wanted_ns,
                                  habitat_error *err) {
    bool cpu = false;
    search s = {
        .replay = r,
        .wanted_ns = wanted_ns,
        .times = {
            .kernel_ns = r->recorded_ns, .kernel_scale = 1.0, .cpu_scale = rule, .gap_scale = 1.0}};
    habitat_status status = HABITAT_OK;
    if (r->graph.has_waits)
        status = shorten_waits(&s, rule, err);
    if (status == HABITAT_OK)
        status = settle_beside_others(&s, r, rule, &cpu, err);
    if (status != HABITAT_OK)
        return status;
    r->waits_gone = s.times.waits_gone;
    r->cpu_factor = s.times.cpu_scale;
    r->info.gap_scale = s.times.gap_scale;
    r->info.kernel_scale = s.times.kernel_scale;
    if (cpu) {
        r->info.cpu_basis = HABITAT_CPU_RECORDED;
        r->info.cpu_low = r->workload->low_share;
        r->info.cpu_high = r->workload->high_share;
    }
    return status;
}

/* What the rule says, as a factor on the recorded CPU times: those of work. */
static habitat_status rule_factor(habitat_replay *r, double profiled_ns, double *out,
                                  habitat_error *err) {
    double features[REPLAY_FEATURES], ns = 0.0, cast_ns = 0.0, call_ns = 0.0;
    replay_more more;
    habitat_status status = replay_features(r->workload, features, &more, err);
    if (status != HABITAT_OK)
        return status;
    for (int i = 0; i < REPLAY_FEATURES; i++) {
        ns += replay_rule_weights[i] * features[i];
        cast_ns += replay_rule_weights[i] * more.cast[i];
        call_ns += replay_rule_weights[i] * more.call[i];
    }
    bool bare = isnan(ns);
    /* long stretches of work inside an operation are none of what the rule counts */
    double slow_ns = fmin(r->graph.slow_work_ns / r->iterations, profiled_ns);
    double rest_ns = profiled_ns - slow_ns, rest_share = rest_ns / profiled_ns;
    double ruled = bare ? chosen_replay_bare_share : fmin(ns / rest_ns, 1.0);
    double factor = bare ? chosen_replay_bare_factor : fitted_replay_factor;
    double point = bare ? 1.0 : chosen_replay_point;
    *out = ruled * point * rest_share + (1.0 - rest_share);
    r->cast_share = bare ? 0.0 : cast_ns / (ruled * rest_ns + slow_ns);
    r->call_share = bare ? 0.0 : call_ns / (ruled * rest_ns + slow_ns);
    r->usual_ns = bare ? 0.0 : more.usual_ns;
    r->info.cpu_low = fmin(1.0, 1.0 / factor / point);
    r->info.cpu_high =
        factor / point *
        (r->workload->share == RANKS_SHARE_GRADIENTS ? 1.0 : fitted_replay_together_factor);
    return status;
}

/* The clock's word beside the rule's, where it has one: it is of a few iterations of a host that
 * changes from one to the next, the rule knows many steps but not this host. What each errs is
 * its own, so the mean (of logarithms) errs less than either. */
static habitat_status by_clock(habitat_replay *r, double *factor, habitat_error *err) {
    double told = NAN;
    habitat_status status = replay_clock_factor(r, &told, err);
    if (status != HABITAT_OK || isnan(told))
        return status;
    *factor *= pow(told / *factor, chosen_replay_clock_weight);
    r->cpu_factor = *factor;
    r->info.cpu_basis = HABITAT_CPU_CLOCK;
    r->info.cpu_low = 1.0 / fitted_replay_clock_factor;
    r->info.cpu_high = fitted_replay_clock_factor;
    return HABITAT_OK;
}

/* The CPU's side of one iteration, as recorded, its work times `cpu_scale`. */
static habitat_status cpu_alone(const habitat_replay *r, double cpu_scale, double data_more,
                                double *out_ns, habitat_error *err) {
    replay_times alone = {.kernel_ns = r->recorded_ns,
                          .kernel_scale = 1.0,
                          .cpu_scale = cpu_scale,
                          .gap_scale = 1.0,
                          .without_gpu = true,
                          .data_more = data_more};
    habitat_status status = replay_period(&r->graph, &alone, out_ns, err);
    *out_ns /= r->iterations;
    return status;
}

/* Without a CPU side nothing tells what the GPU waited for in the recording: the program, or the
 * profiler. A time without the profiler is what the iteration takes at least, whatever its kernels
 * take; of one under it, as much as of other CPU times without operations. */
static habitat_status hold(habitat_replay *r, habitat_error *err) {
    const habitat_workload *w = r->workload;
    bool recorded = w->info.iteration_recorded;
    double whole_ms = recorded && r->options.withhold ? NAN : w->info.iteration_ms, gpu_ns = 0.0;
    replay_times alone = {
        .kernel_ns = r->recorded_ns, .kernel_scale = 1.0, .gap_scale = 1.0, .waits_gone = 1.0};
    habitat_status status = replay_period(&r->graph, &alone, &gpu_ns, err);
    double gpu_ms = gpu_ns / r->iterations / HABITAT_NS_PER_MS;
    if (status != HABITAT_OK || !habitat_waits_for_cpu(whole_ms, gpu_ms))
        return status;
    r->held_ms = recorded ? whole_ms : whole_ms * chosen_replay_bare_share;
    r->held_more_ms = whole_ms - gpu_ms;
    r->info.cpu_low = recorded ? w->low_share : 0.0;
    r->info.cpu_high = recorded ? w->high_share : 1.0 / chosen_replay_bare_share;
    return status;
}

/* How the CPU's side grows with the data of a batch. */
static habitat_status find_data(habitat_replay *r, double profiled_ns, habitat_error *err) {
    double waits_ns = 0.0, all_ns = 0.0;
    habitat_status status = cpu_alone(r, 0.0, 1.0, &waits_ns, err);
    if (status == HABITAT_OK)
        status = cpu_alone(r, 1.0, 1.0, &all_ns, err);
    r->data_wait_ns = fmax(0.0, waits_ns - r->wait_ns);
    r->data_work_ns = fmax(0.0, all_ns - profiled_ns - r->data_wait_ns);
    return status;
}

habitat_status replay_calibrate(habitat_replay *r, habitat_error *err) {
    const habitat_workload_info *w = &r->workload->info;
    double profiled_ns = 0.0, rule = 0.0;
    r->info.gap_scale = r->info.kernel_scale = 1.0;
    r->info.cpu_low = r->info.cpu_high = 1.0;
    r->info.cpu_ms = r->info.profiled_cpu_ms = NAN;
    if (!r->graph.has_cpu)
        return hold(r, err);
    habitat_status status = cpu_alone(r, 1.0, 0.0, &profiled_ns, err);
    if (status == HABITAT_OK && r->graph.has_waits)
        status = cpu_alone(r, 0.0, 0.0, &r->wait_ns, err);
    if (status == HABITAT_OK && r->graph.has_waits)
        status = find_data(r, profiled_ns, err);
    profiled_ns -= r->wait_ns;
    if (status == HABITAT_OK)
        status = rule_factor(r, profiled_ns, &rule, err);
    if (status != HABITAT_OK || !(profiled_ns > 0.0))
        return status;
    r->cpu_factor = rule;
    r->info.cpu_basis = HABITAT_CPU_RULE;
    if (r->options.cpu_ms > 0.0) {
        r->cpu_factor = fmax(0.0, r->options.cpu_ms * HABITAT_NS_PER_MS - r->wait_ns) / profiled_ns;
        r->info.cpu_basis = HABITAT_CPU_GIVEN;
        r->info.cpu_low = 1.0 / chosen_replay_given_factor;
        r->info.cpu_high = chosen_replay_given_factor;
    } else if (w->iteration_recorded && !r->options.withhold) {
        status = by_clock(r, &rule, err);
        if (status == HABITAT_OK)
            status = to_recorded(r, rule, w->iteration_ms * HABITAT_NS_PER_MS * r->iterations, err);
    }
    r->first_use = r->info.cpu_basis == HABITAT_CPU_RULE && !w->iteration_recorded &&
                   r->info.trace_once_ms * HABITAT_NS_PER_MS > r->iterations * profiled_ns;
    if (r->first_use) /* what is first used slows the rest down, nobody knows how much */
        r->info.cpu_low = 0.0;
    r->passing_wait = r->info.cpu_basis == HABITAT_CPU_RULE && r->iterations < 2.0 &&
                      r->info.outside_waits && !r->info.loader_waits &&
                      (!w->iteration_recorded || r->options.withhold);
    r->thin = r->info.cpu_basis == HABITAT_CPU_RULE && rule < chosen_replay_thin &&
              !w->iteration_recorded && !r->first_use;
    if (r->thin) /* a profiler that samples, another process: all of it may be the program's */
        r->info.cpu_high = 1.0 / rule;
    if (r->options.cpu_scale > 0.0)
        r->cpu_factor *= r->options.cpu_scale;
    if (r->options.cpu_scale_doubt > 1.0) {
        r->info.cpu_low /= r->options.cpu_scale_doubt;
        r->info.cpu_high *= r->options.cpu_scale_doubt;
    }
    r->info.wait_ms = r->wait_ns * (1.0 - r->waits_gone) / HABITAT_NS_PER_MS;
    r->info.profiled_cpu_ms = (profiled_ns + r->wait_ns) / HABITAT_NS_PER_MS;
    r->info.cpu_ms = profiled_ns * r->cpu_factor / HABITAT_NS_PER_MS + r->info.wait_ms;
    return status;
}
