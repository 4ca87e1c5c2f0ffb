/* Coverage of intervals; see coverage.h. */
#include "lab/coverage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantile.h"

enum { FAMILIES_MOST = 2 * HABITAT_CLASS_COUNT };

/* A step of kernels shorter than this, on average, is one of short kernels. */
static const double short_family_ns = 60e3;

const char *coverage_family(const habitat_prediction *p) {
    double kernels = (double)p->trace_kernel_count / (double)p->iteration_count;
    bool is_short = p->kernel_ms * HABITAT_NS_PER_MS < short_family_ns * kernels;
    habitat_class most = p->class_count ? p->by_class[0].op_class : HABITAT_CLASS_OTHER;
    if (!is_short)
        return habitat_class_name(most);
    return most == HABITAT_CLASS_CONV ? "conv, short kernels" : "others, short kernels";
}

typedef struct chosen {
    const char *family; /* NULL: all */
    int floor;          /* 1: those of the floor, 0: the others, -1: both */
} chosen;

static bool counts(const covered *c, chosen which) {
    bool floor = c->basis == HABITAT_INTERVAL_FLOOR;
    return c->family && (!which.family || strcmp(c->family, which.family) == 0) &&
           (which.floor < 0 || which.floor == floor);
}

static bool holds(const covered *c) {
    return c->low_ms <= c->measured_ms && c->measured_ms <= c->high_ms;
}

/* Share of one GPU's cases that are held; the GPU with the smallest share. */
static double least_share(const covered *cases, size_t count, chosen which,
                          const habitat_gpu **gpu) {
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double held = 0.0, all = 0.0;
        for (size_t j = 0; j < count; j++)
            if (cases[j].gpu == cases[i].gpu && counts(&cases[j], which)) {
                held += holds(&cases[j]);
                all += 1.0;
            }
        if (all > 0.0 && held / all < least) {
            least = held / all;
            *gpu = cases[i].gpu;
        }
    }
    return least;
}

static void print_row(const covered *cases, size_t count, const char *title, chosen which,
                      report_text *text) {
    size_t n = 0, held = 0;
    const habitat_gpu *gpu = NULL;
    double *widths = malloc((count + 1) * sizeof *widths);
    for (size_t i = 0; widths && i < count; i++)
        if (counts(&cases[i], which)) {
            widths[n++] = cases[i].high_ms / cases[i].low_ms;
            held += holds(&cases[i]);
        }
    text->no_memory |= !widths;
    if (n) {
        habitat_sort_numbers(widths, n);
        double least = least_share(cases, count, which, &gpu);
        report_print(text, "| %s | %zu | %.0f %% | %.2f | %.0f %% (%s) |\n", title, n,
                     100.0 * (double)held / (double)n, habitat_quantile(widths, n, 0.5),
                     100.0 * least, habitat_gpu_name(gpu));
    }
    free(widths);
}

void coverage_print(const covered *cases, size_t count, report_text *text) {
    const char *families[FAMILIES_MOST];
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t f = 0;
        while (cases[i].family && f < found && strcmp(families[f], cases[i].family) != 0)
            f++;
        if (cases[i].family && f == found && found < FAMILIES_MOST)
            families[found++] = cases[i].family;
    }
    report_print(text, "\n80 %% intervals of `auto`, by what takes most of the time:\n\n"
                       "| iterations of mostly | cases | within low..high | median high over low | "
                       "least on one GPU |\n|---|--:|--:|--:|---|\n");
    for (size_t f = 0; f < found; f++)
        print_row(cases, count, families[f], (chosen){families[f], -1}, text);
    print_row(cases, count, "all", (chosen){NULL, -1}, text);
    print_row(cases, count, "of these: wider than the floor of 3 %", (chosen){NULL, 0}, text);
    print_row(cases, count, "of these: the floor of 3 % alone", (chosen){NULL, 1}, text);
}
