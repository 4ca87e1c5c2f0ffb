/* Kernels that no method covers: collectives and copies by their connection, the others by the
 * roofline of the spec sheet, or by the bandwidth alone. docs/formulas.md#fallback */
#include "predict/fallback.h"

#include <math.h>
#include <string.h>

#include "base/constants_kernels.h"
#include "kernels/host_copy.h"
#include "workload/collective.h"

/* Ratio of two rates of a connection; 1 where either is unknown: the time stays as measured. */
static double connection_ratio(double origin, double dest) {
    double ratio = origin / dest;
    return formula_usable(ratio) ? ratio : 1.0;
}

static bool reaches_host(const habitat_kernel *kernel) {
    return kernel->form->copy_kind &&
           (strstr(kernel->form->copy_kind, "HtoD") || strstr(kernel->form->copy_kind, "DtoH"));
}

/* From one GPU to another, each of which has an address in the other. */
static bool crosses_link(const habitat_kernel *kernel) {
    return kernel->form->copy_kind && strstr(kernel->form->copy_kind, "PtoP");
}

bool fallback_leaves_gpu(const habitat_kernel *kernel) {
    return kernel->form->kind == HABITAT_KERNEL_COLLECTIVE || reaches_host(kernel) ||
           crosses_link(kernel);
}

/* A collective: its waiting as recorded, its message by the ratio of the links. */
static double collective_ns(const scaling *s, const habitat_workload_kernel *kernel) {
    double waiting = (double)kernel->waiting_ns;
    double message = kernel->facts.time_ns - waiting;
    double ratio = collective_link_bytes_per_s(s->origin) / collective_link_bytes_per_s(s->dest);
    if (!collective_message_known(kernel->kernel) || !formula_usable(ratio))
        return kernel->facts.time_ns;
    double fixed = fmin(message, collective_latency_ns(kernel->kernel));
    return waiting + fixed + (message - fixed) * ratio;
}

/* A copy to or from the host: what its bytes take on the link changes with the link. The rest was
 * the host's (pages copied into a buffer of the driver first) or a copy's start: it stays. */
static double host_copy_ns(const scaling *s, const habitat_workload_kernel *kernel) {
    double origin = host_copy_link_bytes_per_s(s->origin), time_ns = kernel->facts.time_ns;
    double ratio = connection_ratio(origin, host_copy_link_bytes_per_s(s->dest));
    double link_ns = 1e9 * kernel->facts.bytes / (hardware_host_link_share * origin);
    if (!formula_usable(link_ns)) /* a size that was not recorded: nothing tells them apart */
        link_ns = time_ns;
    link_ns = fmin(link_ns, time_ns);
    return time_ns + link_ns * (ratio - 1.0);
}

scaled fallback_kernel(const scaling *s, const habitat_workload_kernel *kernel) {
    const habitat_kernel *recorded = kernel->kernel;
    double ratio = scaling_roofline_ratio(kernel, &s->spec_origin, &s->spec_dest);
    if (recorded->form->kind == HABITAT_KERNEL_COLLECTIVE)
        return (scaled){collective_ns(s, kernel), HABITAT_METHOD_FALLBACK};
    if (reaches_host(recorded))
        return (scaled){host_copy_ns(s, kernel), HABITAT_METHOD_FALLBACK};
    if (crosses_link(recorded))
        ratio = connection_ratio(collective_link_bytes_per_s(s->origin),
                                 collective_link_bytes_per_s(s->dest));
    if (!formula_usable(ratio))
        ratio = s->bandwidth_ratio;
    return (scaled){kernel->facts.time_ns * ratio, HABITAT_METHOD_FALLBACK};
}
