/* 80 % intervals of `auto`: docs/formulas.md#intervals.
 *
 * Errors are taken in log(time), where they add. Kernels of one class err together (bias) and each
 * by itself (row); over an iteration the second averages out, the first does not. A rate that was
 * estimated moves every kernel that it binds. The rest is common to the iteration. */
#include "predict/interval.h"

#include <math.h>
#include <string.h>

#include "base/constants_intervals.h"
#include "base/constants_kernels.h"
#include "gpu/gpu.h"
#include "kernels/conv_as_images.h"

static const double within_80 = 1.2816;

double interval_half_width(double variance) {
    return within_80 * sqrt(variance);
}

static double rate_sigma(int rate) {
    return rate == INTERVAL_PLAIN    ? fitted_plain_rate_sigma
           : rate == INTERVAL_MATRIX ? fitted_matrix_rate_sigma
                                     : fitted_memory_rate_sigma;
}

/* Standard deviations of log(measured / predicted) over ordered pairs of GPUs of different
 * architecture: of a pair's median, and of single operations of one pair. Public measurements of
 * operations (tools/interval_spread.py): for operations that a model answered (trained without the
 * destination), and for the others. */
typedef struct spread {
    double bias, row;
} spread;

static const struct {
    spread modelled, other;
} spreads[HABITAT_CLASS_COUNT] = {
    [HABITAT_CLASS_GEMM] = {{0.015, 0.195}, {0.032, 0.235}},
    [HABITAT_CLASS_BMM] = {{0.132, 0.232}, {0.239, 0.313}},
    /* by the models alone: 0.104 and 0.182 with half of the residual */
    [HABITAT_CLASS_CONV] = {{0.123, 0.214}, {0.227, 0.342}},
    [HABITAT_CLASS_NORM] = {{0.056, 0.079}, {0.224, 0.215}},
    [HABITAT_CLASS_ELEMENTWISE] = {{0.023, 0.024}, {0.023, 0.024}},
    [HABITAT_CLASS_COPY] = {{0.023, 0.024}, {0.023, 0.024}},
    [HABITAT_CLASS_SOFTMAX] = {{0.173, 0.211}, {0.244, 0.272}},
    /* modelled: 0.58 holds 80 % and more of eight GPUs left out (docs/accuracy.md, rnn) */
    [HABITAT_CLASS_RNN] = {{0.32, 0.32}, {0.244, 0.272}},
};

/* What nobody measured has the widest spread, that of softmax. */
static spread counted_spread(habitat_class op_class, bool modelled) {
    bool measured = spreads[op_class].other.row > 0.0;
    habitat_class from = measured ? op_class : HABITAT_CLASS_SOFTMAX;
    return modelled ? spreads[from].modelled : spreads[from].other;
}

/* What a class of kernels takes where no sizes were recorded, against the same with them: root mean
 * square in log(time) over the recordings onto GPUs of other architecture, weighted by the square
 * of its share. Halves of the models differ by a third at most; how often intervals then hold what
 * was measured: docs/shapes.md, docs/decisions/0290. */
static const double unsized_bias[HABITAT_CLASS_COUNT] = {
    [HABITAT_CLASS_OTHER] = 0.2,        [HABITAT_CLASS_GEMM] = 0.07,
    [HABITAT_CLASS_BMM] = 0.15,         [HABITAT_CLASS_CONV] = 0.27,
    [HABITAT_CLASS_ATTENTION] = 0.44,   [HABITAT_CLASS_RNN] = 0.11,
    [HABITAT_CLASS_NORM] = 0.1,         [HABITAT_CLASS_SOFTMAX] = 0.15,
    [HABITAT_CLASS_ELEMENTWISE] = 0.02, [HABITAT_CLASS_REDUCE] = 0.33,
    [HABITAT_CLASS_POOL] = 0.1,         [HABITAT_CLASS_EMBEDDING] = 0.2,
    [HABITAT_CLASS_LOSS] = 0.2,         [HABITAT_CLASS_OPTIMIZER] = 0.04,
    [HABITAT_CLASS_COPY] = 0.13,        [HABITAT_CLASS_COLLECTIVE] = 0.2};

static spread spread_of(habitat_class op_class, interval_kind kind) {
    bool modelled =
        kind == INTERVAL_MODEL || kind == INTERVAL_GUESSED || kind == INTERVAL_TOLD_MODEL;
    spread own = counted_spread(op_class, modelled);
    if (kind == INTERVAL_UNKNOWN)
        own.bias = fmax(own.bias, fitted_unknown_bias);
    if (kind == INTERVAL_UNSIZED || kind == INTERVAL_GUESSED)
        own.bias = hypot(own.bias, unsized_bias[op_class]);
    if (kind == INTERVAL_TOLD || kind == INTERVAL_TOLD_MODEL)
        own.bias = hypot(own.bias, fitted_told_bias);
    return own;
}

static interval_kind kind_of(const scaling *s, habitat_class op_class, habitat_method method,
                             const habitat_kernel_facts *lead) {
    bool modelled = method == HABITAT_METHOD_LEARNED;
    bool unknown = !(lead->flop > 0.0) && isnan(lead->bytes);
    if (unknown && workload_lacks_shapes(s->w))
        return modelled ? INTERVAL_GUESSED : INTERVAL_UNSIZED;
    if (op_class == HABITAT_CLASS_CONV && workload_lacks_shapes(s->w))
        return modelled ? INTERVAL_TOLD_MODEL : INTERVAL_TOLD;
    return modelled ? INTERVAL_MODEL : unknown ? INTERVAL_UNKNOWN : INTERVAL_RULE;
}

/* GPUs of one compute capability run the same kernels: half the spread, a choice, not a measurement
 * (the pairs above hold none). */
static double architecture_factor(const scaling *s) {
    bool same = s->origin->compute_capability &&
                s->origin->compute_capability == s->dest->compute_capability;
    return same ? chosen_same_arch_spread : 1.0;
}

static double square(double x) {
    return x * x;
}

/* Operations of the table were large. What a short one does besides moving its bytes (its launch,
 * its strides, what the cache still holds) differs from one to the next. */
static double short_row(habitat_class op_class, double ns) {
    bool moves = op_class == HABITAT_CLASS_ELEMENTWISE || op_class == HABITAT_CLASS_COPY;
    return moves ? fitted_short_row_sigma * fmin(1.0, fitted_short_row_ns / ns) : 0.0;
}

int interval_estimated_rate(const rate_table *table, const habitat_kernel_facts *facts) {
    double compute_s = facts->flop / table->flop_per_s[facts->dtype][facts->matrix_unit];
    double memory_s = facts->bytes / table->bytes_per_s;
    if (!(compute_s > memory_s))
        return table->bytes_estimated ? INTERVAL_MEMORY : INTERVAL_RATES;
    if (!table->estimated[facts->dtype][facts->matrix_unit])
        return INTERVAL_RATES;
    return table->unit[facts->dtype][facts->matrix_unit] & 1 ? INTERVAL_MATRIX : INTERVAL_PLAIN;
}

double interval_add(interval_sum *sum, const scaling *s, const habitat_workload_kernel *kernel,
                    const habitat_kernel_facts *lead, habitat_method method, double ns) {
    const rate_table *tables[2] = {&s->sustained_origin, &s->sustained_dest};
    interval_kind kind = kind_of(s, kernel->op_class, method, lead);
    spread own = spread_of(kernel->op_class, kind);
    double variance = square(fitted_common_sigma);
    sum->total += ns;
    sum->kernels += !habitat_is_copy(kernel->kernel);
    if (method == HABITAT_METHOD_FALLBACK) {
        sum->fallback += ns;
        return within_80 * sqrt(variance + square(chosen_fallback_sigma));
    }
    sum->by_class[kind][kernel->op_class] += ns;
    variance += square(architecture_factor(s)) * (square(own.bias) + square(own.row));
    variance += square(short_row(kernel->op_class, ns));
    for (int g = 0; g < 2; g++) {
        int rate = interval_estimated_rate(tables[g], lead);
        if (rate == INTERVAL_RATES)
            continue;
        sum->by_rate[g][rate] += ns;
        variance += square(rate_sigma(rate));
    }
    if (tables[0]->unit[lead->dtype][lead->matrix_unit] !=
        tables[1]->unit[lead->dtype][lead->matrix_unit]) {
        bool plain = !(tables[1]->unit[lead->dtype][lead->matrix_unit] & 1);
        sum->other_unit += ns;
        if (plain && s->w)
            sum->slower += (conv_slow_factor(s->w->groups[kernel->group].work) - 1.0) * ns;
        variance += square(fitted_other_unit_sigma);
    }
    return within_80 * sqrt(variance);
}

/* Two errors that know nothing of each other. */
double interval_recorded(double end, double sigma) {
    return sigma > 0.0 ? hypot(end, within_80 * sigma) : end;
}

/* The same steps were recorded on two such GPUs: one chip, which differs in its memory alone. */
static bool same_chip(const habitat_gpu *a, const habitat_gpu *b) {
    return a->compute_capability && a->compute_capability == b->compute_capability &&
           a->sm_count == b->sm_count &&
           fabs(a->boost_clock_hz / b->boost_clock_hz - 1.0) <= chosen_same_chip_clock &&
           fabs(a->tdp_w / b->tdp_w - 1.0) <= chosen_same_chip_power;
}

double interval_pair_variance(const interval_sum *sum) {
    double variance = square(sum->other_unit / sum->total * fitted_other_unit_sigma) +
                      square(sum->fallback / sum->total * chosen_fallback_sigma);
    for (int g = 0; g < 2; g++)
        for (int r = 0; r < INTERVAL_RATES; r++)
            variance += square(sum->by_rate[g][r] / sum->total * rate_sigma(r));
    return variance;
}

static double class_variance(const interval_sum *sum, double factor) {
    double variance = 0.0;
    for (int c = 0; c < HABITAT_CLASS_COUNT; c++) {
        double bias = 0.0;
        for (int kind = 0; kind < INTERVAL_KINDS; kind++)
            bias += sum->by_class[kind][c] * spread_of((habitat_class)c, (interval_kind)kind).bias;
        variance += square(factor / sum->total * bias);
    }
    return variance;
}

/* Share of the time in convolutions that a model answered: libraries choose other kernels from
 * release to release. The spread of the rule's is wider as it is. */
static double convolution_share(const interval_sum *sum) {
    return (sum->by_class[INTERVAL_MODEL][HABITAT_CLASS_CONV] +
            sum->by_class[INTERVAL_GUESSED][HABITAT_CLASS_CONV] +
            sum->by_class[INTERVAL_TOLD_MODEL][HABITAT_CLASS_CONV]) /
           sum->total;
}

double interval_across_variance(const interval_sum *sum) {
    return class_variance(sum, 1.0) + square(fitted_convolution_sigma * convolution_share(sum));
}

/* What others measured of steps with short kernels is longer than the GPU's work, never shorter.
 * Their hosts are about half of it; a host that is stated leaves the rest: docs/decisions/0661. */
static double short_sigma(double mean_ns) {
    return fitted_short_kernel_sigma * fmin(1.0, fitted_short_kernel_ns / mean_ns);
}

static double short_variance(const interval_sum *sum) {
    return square(short_sigma(sum->kernels > 0.0 ? sum->total / sum->kernels : chosen_launch_ns));
}

double interval_short_factor(const habitat_prediction *p, double kernels) {
    double ns = (p->kernel_ms + p->copy_ms) * HABITAT_NS_PER_MS;
    if (p->interval_basis != HABITAT_INTERVAL_ITERATIONS || !(ns > 0.0) || !(kernels > 0.0))
        return 1.0;
    return exp(within_80 * short_sigma(ns / kernels));
}

interval_ends interval_of(const interval_sum *sum, const scaling *s) {
    if (!(sum->total > 0.0))
        return (interval_ends){0.0, 0.0, HABITAT_INTERVAL_ITERATIONS};
    double variance = interval_pair_variance(sum) + square(s->w ? s->w->scale_sigma : 0.0);
    if (same_chip(s->origin, s->dest)) {
        double unsized = workload_lacks_shapes(s->w) ? fitted_unsized_pair_sigma : 0.0;
        double sigma = sqrt(variance + square(fitted_pair_sigma) + square(unsized));
        double width = within_80 * sigma;
        if (!(s->w && s->w->scale_sigma > 0.0))
            return (interval_ends){width, width, HABITAT_INTERVAL_PAIRS};
        /* no surer than the origin's own row, which was scaled from the same recording */
        return (interval_ends){interval_recorded(-log(s->w->low_share), sigma),
                               interval_recorded(log(s->w->high_share), sigma),
                               HABITAT_INTERVAL_PAIRS};
    }
    variance += square(fitted_common_sigma) + class_variance(sum, architecture_factor(s)) +
                square(fitted_convolution_sigma * convolution_share(sum));
    double slow = log1p(sum->slower / sum->total);
    return (interval_ends){within_80 * sqrt(variance),
                           within_80 * sqrt(variance + short_variance(sum)) + slow,
                           HABITAT_INTERVAL_ITERATIONS};
}
