/* The rule of `auto` for one kernel: the part of its time that any kernel costs scales with the
 * clock, the rest with its roofline on sustained rates. docs/formulas.md#auto says why, with the
 * evidence. No resource of the destination, raised, makes a kernel slower. */
#include <string.h>

#include "predict/scaling.h"

/* Clock cycles from the start of a kernel that does next to nothing to its end. */
static const double floor_cycles = 2600.0;

double habitat_kernel_floor_ns(const habitat_gpu *gpu) {
    return floor_cycles / gpu->boost_clock_hz * 1e9;
}

static bool leaves_the_gpu(const habitat_kernel *kernel) {
    return kernel->kind == HABITAT_KERNEL_COLLECTIVE ||
           (kernel->copy_kind &&
            (strstr(kernel->copy_kind, "HtoD") || strstr(kernel->copy_kind, "DtoH")));
}

scaled habitat_auto_kernel(const scaling *s, const habitat_workload_kernel *kernel) {
    const habitat_kernel_facts *facts = &kernel->facts;
    if (leaves_the_gpu(kernel->kernel))
        return (scaled){NAN, HABITAT_METHOD_FALLBACK};
    double flop = facts->flop;
    double ratio =
        formula_roofline_ratio(flop, facts->bytes, scaling_rates(&s->sustained_origin, facts),
                               scaling_rates(&s->sustained_dest, facts));
    double floor_origin = fmin(facts->time_ns, habitat_kernel_floor_ns(s->origin));
    double floor_dest = floor_origin * s->clock_ratio;
    if (!formula_known(floor_dest))
        return (scaled){NAN, HABITAT_METHOD_FALLBACK};
    return (scaled){floor_dest + (facts->time_ns - floor_origin) * ratio, HABITAT_METHOD_ROOFLINE};
}
