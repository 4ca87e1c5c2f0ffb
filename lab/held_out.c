/* Intervals whose constants did not see the case; see held_out.h. */
#include "lab/held_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/constants_intervals.h"
#include "base/quantile.h"

/* 80 % of a normal distribution lie within this many standard deviations. */
static const double within_80 = 1.2816;
/* What a miss costs, against width: 2 / (1 - 0.80), the interval score. */
static const double miss_costs = 10.0;

/* The constants that are chosen. */
typedef struct widths {
    double common, convolution, short_sigma, short_ns;
} widths;

static const widths shipped = {fitted_common_sigma, fitted_convolution_sigma,
                               fitted_short_kernel_sigma, fitted_short_kernel_ns};

static double square(double x) {
    return x * x;
}

interval_parts interval_parts_of(const habitat_workload *w, const habitat_prediction *p) {
    size_t count = 0, kernels = 0;
    double all_ms = 0.0, conv_ms = 0.0;
    const habitat_workload_kernel *list = habitat_workload_kernels(w, &count);
    for (size_t i = 0; i < count; i++) {
        const habitat_estimate *e = &p->trace_kernels[i];
        all_ms += e->busy_ms;
        conv_ms += list[i].op_class == HABITAT_CLASS_CONV && e->method == HABITAT_METHOD_LEARNED
                       ? e->busy_ms
                       : 0.0;
        kernels += list[i].kernel->form->kind != HABITAT_KERNEL_MEMCPY &&
                   list[i].kernel->form->kind != HABITAT_KERNEL_MEMSET;
    }
    double share = conv_ms / all_ms;
    double variance = square(log(p->iteration_ms / p->low_ms) / within_80);
    double known = square(shipped.common) + square(shipped.convolution * share);
    return (interval_parts){fmax(0.0, variance - known), share,
                            all_ms * HABITAT_NS_PER_MS / (double)kernels,
                            log(1.0 + fitted_iteration_least_width)};
}

/* Both ends, in log(time). */
static void ends_of(const interval_parts *p, widths by, double *down, double *up) {
    double variance = p->rest + square(by.common) + square(by.convolution * p->conv_share);
    double host = by.short_sigma * fmin(1.0, by.short_ns / p->mean_ns);
    *down = fmax(p->least_width, within_80 * sqrt(variance));
    *up = fmax(p->least_width, within_80 * sqrt(variance + square(host)));
}

/* Width, and what lies outside of it. */
static double score_of(const held_case *c, widths by) {
    double down, up, off = log(c->measured_ms / c->predicted_ms);
    ends_of(&c->parts, by, &down, &up);
    return down + up + miss_costs * (fmax(0.0, off - up) + fmax(0.0, -off - down));
}

/* The best of the list on cases of another GPU and another model than `but`. */
static widths choose(const held_case *cases, size_t count, const held_case *but, const widths *list,
                     size_t listed) {
    widths best = list[0];
    double least = INFINITY;
    for (size_t k = 0; k < listed; k++) {
        double sum = 0.0;
        for (size_t i = 0; i < count; i++)
            if (cases[i].gpu != but->gpu && strcmp(cases[i].model, but->model) != 0)
                sum += score_of(&cases[i], list[k]);
        if (sum < least) {
            least = sum;
            best = list[k];
        }
    }
    return best;
}

/* The smallest share of the cases that have one word in common, and the word. */
static double least_share(const held_case *cases, const bool *held, size_t count, bool by_model,
                          const char **word) {
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        const char *own = by_model ? cases[i].model : habitat_gpu_name(cases[i].gpu);
        double in = 0.0, all = 0.0;
        for (size_t j = 0; j < count; j++)
            if (strcmp(own, by_model ? cases[j].model : habitat_gpu_name(cases[j].gpu)) == 0) {
                in += held[j];
                all += 1.0;
            }
        if (in / all < least) {
            least = in / all;
            *word = own;
        }
    }
    return least;
}

static void print_held(const held_case *cases, size_t count, const widths *list, size_t listed,
                       const char *what, report_text *text) {
    bool *held = calloc(count + 1, sizeof *held);
    double *ratios = malloc((count + 1) * sizeof *ratios), inside = 0.0;
    const char *gpu = "", *model = "";
    text->no_memory |= !held || !ratios;
    for (size_t i = 0; held && ratios && i < count; i++) {
        double down, up, off = log(cases[i].measured_ms / cases[i].predicted_ms);
        ends_of(&cases[i].parts, choose(cases, count, &cases[i], list, listed), &down, &up);
        held[i] = -down <= off && off <= up;
        inside += held[i];
        ratios[i] = exp(down + up);
    }
    if (held && ratios && count) {
        double by_gpu = least_share(cases, held, count, false, &gpu);
        double by_model = least_share(cases, held, count, true, &model);
        habitat_sort_numbers(ratios, count);
        report_print(text,
                     "\n**Fitted on these cases:** %s. Chosen anew for each case, without its GPU "
                     "and its model, intervals hold %.0f %% of %zu (least on one GPU %.0f %%, %s; "
                     "of one\nmodel %.0f %%, %s), median high over low %.2f.\n",
                     what, 100 * inside / (double)count, count, 100 * by_gpu, gpu, 100 * by_model,
                     model, habitat_quantile(ratios, count, 0.5));
    }
    free(held);
    free(ratios);
}

void held_out_print_networks(const held_case *cases, size_t count, report_text *text) {
    static const double convolution[] = {0.0, 0.04, 0.08, 0.12, 0.16, 0.20};
    static const double sigma[] = {0.3, 0.5, 0.7, 0.85, 1.0}, ns[] = {20e3, 30e3, 60e3};
    widths list[6 * 5 * 3];
    size_t listed = 0;
    for (size_t c = 0; c < 6; c++)
        for (size_t s = 0; s < 5; s++)
            for (size_t n = 0; n < 3; n++)
                list[listed++] = (widths){shipped.common, convolution[c], sigma[s], ns[n]};
    char what[160];
    habitat_format(
        what, sizeof what,
        "the parts of intervals that convolutions and short kernels add (%.2f; %.2f, %.0f us)",
        shipped.convolution, shipped.short_sigma, shipped.short_ns / 1e3);
    print_held(cases, count, list, listed, what, text);
}

void held_out_print_common(const held_case *cases, size_t count, report_text *text) {
    widths list[13];
    for (size_t k = 0; k < 13; k++) {
        list[k] = shipped;
        list[k].common = 0.02 + 0.005 * (double)k;
    }
    char what[160];
    habitat_format(what, sizeof what, "the part of intervals that is common to iterations (%.3f)",
                   shipped.common);
    print_held(cases, count, list, 13, what, text);
}

/* Root mean square of log(measured / predicted) over the other models. */
static double spread_without(const held_case *cases, size_t count, const char *model) {
    double sum = 0.0, n = 0.0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(cases[i].model, model) != 0) {
            sum += square(log(cases[i].measured_ms / cases[i].predicted_ms));
            n += 1.0;
        }
    return sqrt(sum / n);
}

void held_out_print_pairs(const held_case *cases, size_t count, report_text *text) {
    double held = 0.0, bare = 0.0, least = INFINITY, largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        double sigma = spread_without(cases, count, cases[i].model);
        double off = fabs(log(cases[i].measured_ms / cases[i].predicted_ms));
        held += off <= fmax(cases[i].parts.least_width, within_80 * sigma);
        bare += off <= within_80 * sigma;
        least = fmin(least, sigma);
        largest = fmax(largest, sigma);
    }
    if (isfinite(least) && largest > 0.0)
        report_print(text,
                     "\n**Fitted on these steps:** the width between two GPUs of one chip (%.3f, "
                     "their root mean square in log(time)). Fitted without the model of each step "
                     "(%.3f to %.3f) intervals\nhold %.0f %% of %zu, and %.0f %% without the floor "
                     "of 3 %%.\n",
                     fitted_pair_sigma, least, largest, 100 * held / (double)count, count,
                     100 * bare / (double)count);
}
