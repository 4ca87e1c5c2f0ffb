/* See elements.h. Long kernels decide: what a short one reaches says little. */
#include "kernels/elements.h"

#include <math.h>

#include "base/constants_kernels.h"
#include "formula/rates.h"

/* Of releases so far; at least a load. */
static const double releases[] = {4.0, 8.0};
enum { RELEASES = sizeof releases / sizeof *releases };

static double elements_in(int release, unsigned width) {
    return fmax(releases[release], (double)(1u << width));
}

void elements_settle(const habitat_workload *w, double rounds[KERNEL_WIDTHS]) {
    double apart[KERNEL_WIDTHS][RELEASES] = {{0.0}};
    double bytes_per_ns = habitat_memory_rate(w->origin, true) * 1e-9;
    for (size_t i = 0; i < w->kernel_count; i++) {
        kernel_elements told;
        double ns = w->kernels[i].facts.time_ns,
               usual = fitted_usual_vectorized * ns * bytes_per_ns;
        if (!(usual > 0.0) || !kernel_elements_of(w->kernels[i].kernel->form, &told))
            continue;
        for (int r = 0; r < RELEASES; r++)
            apart[told.width][r] +=
                ns * fabs(log(elements_in(r, told.width) * told.round_bytes / usual));
    }
    for (unsigned width = 0; width < KERNEL_WIDTHS; width++) {
        int best = 0;
        for (int r = 1; r < RELEASES; r++)
            if (apart[width][r] < apart[width][best])
                best = r;
        rounds[width] = apart[width][best] > 0.0 ? elements_in(best, width) : 0.0;
    }
}
