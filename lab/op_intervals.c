/* Intervals of single operations on left-out GPUs; see op_intervals.h. */
#include "lab/op_intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_operators.h"
#include "base/quantile.h"

/* Whether an interval is the least that is given (models/lookup.c), but for rounding. */
static bool at_least_width(operator_class c, double low_ms, double high_ms) {
    bool is_long =
        operator_facts_of(c)->uneven_widths && sqrt(low_ms * high_ms) >= chosen_long_operation_ms;
    return log(high_ms / low_ms) < 2.002 * (is_long ? chosen_least_width_long : chosen_least_width);
}

void op_cases_add(op_cases *cases, op_case which, double measured_ms, double low_ms,
                  double high_ms) {
    if (!isfinite(low_ms) || !isfinite(high_ms) || !(low_ms > 0.0))
        return;
    if (cases->count == cases->capacity) {
        size_t capacity = cases->capacity ? 2 * cases->capacity : 1024;
        op_case *grown = realloc(cases->list, capacity * sizeof *grown);
        cases->no_memory |= !grown;
        if (!grown)
            return;
        cases->list = grown;
        cases->capacity = capacity;
    }
    which.inside = low_ms <= measured_ms && measured_ms <= high_ms;
    which.ratio = (float)(high_ms / low_ms);
    which.at_least = at_least_width(which.c, low_ms, high_ms);
    cases->list[cases->count++] = which;
}

void op_cases_free(op_cases *cases) {
    free(cases->list);
    *cases = (op_cases){0};
}

/* Which cases a line of the table is about. */
typedef struct selection {
    unsigned classes; /* bits */
    bool narrow;
} selection;

static bool selected(const op_case *c, selection which) {
    return (which.classes >> c->c & 1) && c->narrow == which.narrow;
}

/* Shares of GPUs, rows of each alike. */
typedef struct gpu_shares {
    const char *gpu[64];
    double inside[64], rows[64];
    size_t count;
} gpu_shares;

static void add_gpu(gpu_shares *shares, const op_case *c) {
    size_t g = 0;
    while (g < shares->count && strcmp(shares->gpu[g], c->gpu) != 0)
        g++;
    if (g == sizeof shares->gpu / sizeof *shares->gpu)
        return;
    if (g == shares->count)
        shares->gpu[shares->count++] = c->gpu;
    shares->inside[g] += c->inside;
    shares->rows[g]++;
}

static void print_line(const op_cases *cases, const char *title, selection which, double *ratios,
                       report_text *text) {
    gpu_shares shares = {.count = 0};
    size_t n = 0, inside = 0, at_floor = 0, least = 0;
    double sum = 0.0;
    for (size_t i = 0; i < cases->count; i++)
        if (selected(&cases->list[i], which)) {
            ratios[n++] = (double)cases->list[i].ratio;
            inside += cases->list[i].inside;
            at_floor += cases->list[i].at_least;
            add_gpu(&shares, &cases->list[i]);
        }
    if (n == 0)
        return;
    for (size_t g = 0; g < shares.count; g++) {
        sum += shares.inside[g] / shares.rows[g];
        if (shares.inside[g] / shares.rows[g] < shares.inside[least] / shares.rows[least])
            least = g;
    }
    habitat_sort_numbers(ratios, n);
    report_print(
        text, "| %s | %zu | %zu | %.1f | %.1f | %.1f (%s, %.0f rows) | %.2f | %.0f %% |\n", title,
        shares.count, n, 100.0 * (double)inside / (double)n, 100.0 * sum / (double)shares.count,
        100.0 * shares.inside[least] / shares.rows[least], shares.gpu[least], shares.rows[least],
        habitat_quantile(ratios, n, 0.5), 100.0 * (double)at_floor / (double)n);
}

static const char introduction[] =
    "\n## Intervals on left-out GPUs\n\nRows of the tables above whose GPU was left out, two rates "
    "known: share inside the 80 % interval (all rows together; mean over GPUs; the GPU with the "
    "smallest\nshare), and how wide it is. The last column: rows whose interval is the least that "
    "is given: 4 % either way, of classes whose widths follow the operation (decision 0320) 2 % "
    "from 10 us on.\n\n"
    "| class | GPUs | rows | inside, all rows % | inside, mean over GPUs % | inside, least GPU % | "
    "median high over low | at the least width |\n|---|--:|--:|--:|--:|---|--:|--:|\n";

void op_cases_print(op_cases *cases, report_text *text) {
    static const unsigned products = 1U << OPERATOR_GEMM | 1U << OPERATOR_BMM |
                                     1U << OPERATOR_GEMM_MATRIX | 1U << OPERATOR_GEMM_FP8;
    static const unsigned convolutions =
        1U << OPERATOR_CONV | 1U << OPERATOR_CONV_OTHER | 1U << OPERATOR_CONV_MATRIX;
    double *ratios = malloc((cases->count + 1) * sizeof *ratios);
    text->no_memory |= !ratios || cases->no_memory;
    if (!ratios)
        return;
    report_print(text, "%s", introduction);
    for (int c = 0; c < OPERATOR_CLASSES; c++) {
        print_line(cases, operator_facts_of((operator_class)c)->name, (selection){1U << c, false},
                   ratios, text);
        if (c == OPERATOR_BMM)
            print_line(cases, "bmm, 64-wide heads", (selection){1U << c, true}, ratios, text);
    }
    print_line(cases, "**products**", (selection){products, false}, ratios, text);
    print_line(cases, "**convolutions**", (selection){convolutions, false}, ratios, text);
    free(ratios);
}
