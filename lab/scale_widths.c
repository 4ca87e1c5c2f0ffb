/* Intervals of another precision, judged by widths as built and by widths that the other models
 * would choose. */
#include "lab/scale_widths.h"

#include <math.h>
#include <string.h>

#include "base/constants_scaling.h"
#include "lab/errors.h"
#include "predict/interval.h"

/* Widths of sums of kernels that are tried, in log(time). */
static const double sigmas[] = {0.06, 0.08, 0.10, 0.12, 0.14, 0.16, 0.18, 0.20, 0.24, 0.28};
enum { SIGMAS = sizeof sigmas / sizeof *sigmas };

typedef enum row_kind { SUMS, GPU_BINDS, CPU_BINDS } row_kind;

static bool is_of(const scale_case *c, row_kind kind) {
    return c->precision && c->recorded == HABITAT_PRECISION_FP32 &&
           (kind == SUMS || (c->step.known && c->step.cpu_binds == (kind == CPU_BINDS)));
}

/* "resnet50_training" and "resnet50" are one network. */
static size_t network_length(const char *model) {
    const char *mode = strstr(model, "_inference");
    mode = mode ? mode : strstr(model, "_training");
    return mode ? (size_t)(mode - model) : strlen(model);
}

static bool same_network(const scale_case *a, const scale_case *b) {
    size_t length = network_length(a->model);
    return length == network_length(b->model) && strncmp(a->model, b->model, length) == 0;
}

static double width_of(row_kind kind, size_t width) {
    return kind == SUMS ? sigmas[width] : scale_doubts[width];
}

static bool holds(const scale_case *c, row_kind kind, size_t width) {
    if (kind == SUMS)
        return fabs(log(c->predicted_ms / c->measured_ms)) <= interval_recorded(0.0, sigmas[width]);
    return c->step.tried_low_ms[width] <= c->step.measured_ms &&
           c->step.measured_ms <= c->step.tried_high_ms[width];
}

/* The least width that holds 80 % of the steps of other networks than `without`'s. */
static size_t width_without(const scale_set *set, row_kind kind, const scale_case *without) {
    size_t count = kind == SUMS ? SIGMAS : SCALE_DOUBTS, width = 0;
    for (; width + 1 < count; width++) {
        size_t all = 0, inside = 0;
        for (size_t i = 0; i < set->count; i++) {
            const scale_case *c = &set->cases[i];
            if (!is_of(c, kind) || same_network(c, without))
                continue;
            all++;
            inside += holds(c, kind, width);
        }
        if (5 * inside >= 4 * all)
            break;
    }
    return width;
}

static bool holds_as_built(const scale_case *c, row_kind kind) {
    if (kind == SUMS)
        return fabs(log(c->predicted_ms / c->measured_ms)) <=
               interval_recorded(0.0, fitted_scale_format_sigma);
    return c->step.low_ms <= c->step.measured_ms && c->step.measured_ms <= c->step.high_ms;
}

/* ---- tables ---- */

static void print_row(const scale_set *set, row_kind kind, const char *title, report_text *text) {
    error_list errors = {0};
    size_t inside = 0, left_out = 0;
    double least = INFINITY, most = 0.0;
    for (size_t i = 0; i < set->count; i++) {
        const scale_case *c = &set->cases[i];
        if (!is_of(c, kind))
            continue;
        size_t width = width_without(set, kind, c);
        errors_add(&errors, kind == SUMS ? c->predicted_ms : c->step.predicted_ms,
                   kind == SUMS ? c->measured_ms : c->step.measured_ms);
        inside += holds_as_built(c, kind);
        left_out += holds(c, kind, width);
        least = fmin(least, width_of(kind, width));
        most = fmax(most, width_of(kind, width));
    }
    error_summary e = errors_summarise(&errors);
    if (e.count)
        report_print(text, "| %s | %zu | %.2f | %.2f | %.2f | %+.2f | %zu |", title, e.count,
                     100 * e.mean, 100 * e.median, 100 * e.worst, 100 * e.bias, inside);
    if (e.count && kind == GPU_BINDS)
        report_print(text, " | |\n");
    else if (e.count)
        report_print(text, " %zu | %.2f to %.2f |\n", left_out, least, most);
    text->no_memory |= errors.no_memory;
    errors_free(&errors);
}

void scale_print_widths(const scale_set *set, report_text *text) {
    report_print(
        text,
        "\nWhole steps in another precision from fp32, replayed, against the other recording's "
        "own time without the\nprofiler. Inside: of the 80 %% interval as built (%.2f in "
        "log(time) for sums of kernels, a factor of %.1f either way on\nwhat is known of the CPU's "
        "side); left out: where each model is judged by the least width that holds 80 %% of\nthe "
        "other models' steps.\n\n"
        "| | steps | mean | median | worst | bias | inside | inside, left out | widths left out "
        "|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        fitted_scale_format_sigma, fitted_scale_cpu_doubt);
    print_row(set, SUMS, "sum of kernels", text);
    print_row(set, GPU_BINDS, "step, predicted to be bound by its GPU", text);
    print_row(set, CPU_BINDS, "step, predicted to be bound by its CPU", text);
}
