/* Kernels that no method covers: collectives and copies by their connection, the others by the
 * roofline of the spec sheet, or by the bandwidth alone. docs/formulas.md#fallback */
#include "predict/fallback.h"

#include <string.h>

#include "gpu/gpu.h"
#include "workload/collective.h"

/* Ratio of two rates of a connection; 1 where either is unknown: the time stays as measured. */
static double connection_ratio(double origin, double dest) {
    double ratio = origin / dest;
    return formula_usable(ratio) ? ratio : 1.0;
}

static bool crosses_pcie(const habitat_kernel *kernel) {
    return kernel->form->copy_kind &&
           (strstr(kernel->form->copy_kind, "HtoD") || strstr(kernel->form->copy_kind, "DtoH"));
}

/* From one GPU to another, each of which has an address in the other. */
static bool crosses_link(const habitat_kernel *kernel) {
    return kernel->form->copy_kind && strstr(kernel->form->copy_kind, "PtoP");
}

bool fallback_leaves_gpu(const habitat_kernel *kernel) {
    return kernel->form->kind == HABITAT_KERNEL_COLLECTIVE || crosses_pcie(kernel) ||
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

scaled fallback_kernel(const scaling *s, const habitat_workload_kernel *kernel) {
    const habitat_kernel *recorded = kernel->kernel;
    double ratio = scaling_roofline_ratio(kernel, &s->spec_origin, &s->spec_dest);
    if (recorded->form->kind == HABITAT_KERNEL_COLLECTIVE)
        return (scaled){collective_ns(s, kernel), HABITAT_METHOD_FALLBACK};
    if (crosses_pcie(recorded))
        ratio = connection_ratio(s->origin->pcie_bytes_per_s, s->dest->pcie_bytes_per_s);
    if (crosses_link(recorded))
        ratio = connection_ratio(collective_link_bytes_per_s(s->origin),
                                 collective_link_bytes_per_s(s->dest));
    if (!formula_usable(ratio))
        ratio = s->bandwidth_ratio;
    return (scaled){kernel->facts.time_ns * ratio, HABITAT_METHOD_FALLBACK};
}
