/* Collectives: docs/formulas.md#collectives.
 *
 * An NCCL kernel starts when its own GPU is ready, and spins until the others are: only the end of
 * its time is the message. What a message needs follows from its bytes, the number of GPUs and the
 * link between them; the rest of the recorded time is waiting, which no other GPU makes shorter or
 * longer in a way that one rank's trace could tell. Not here: which GPUs of a host are linked in
 * pairs only, and networks between hosts. */

#include "workload/collective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_parallel.h"
#include "gpu/gpu.h"

/* A rate or time that can be divided by. */
static bool usable(double value) {
    return value > 0.0 && isfinite(value);
}

double collective_link_bytes_per_s(const habitat_gpu *gpu) {
    double both = gpu->nvlink_bytes_per_s;
    return usable(both) ? both / 2.0 : gpu->pcie_bytes_per_s;
}

bool collective_is_quick(const habitat_gpu *gpu, uint32_t count) {
    return usable(gpu->nvlink_bytes_per_s) && count <= chosen_host_gpus;
}

bool collective_message_known(const habitat_kernel *kernel) {
    return kernel->form->collective != HABITAT_COLLECTIVE_UNKNOWN && kernel->form->bytes &&
           kernel->form->group_size > 1 && kernel->form->group_size <= chosen_host_gpus;
}

double collective_latency_ns(const habitat_kernel *kernel) {
    return fitted_collective_latency_ns_per_gpu * (kernel->form->group_size + 1.0);
}

/* Bytes that pass each GPU's link in one direction, ring algorithm. */
static double link_bytes(const habitat_kernel *kernel) {
    double n = kernel->form->group_size, bytes = (double)kernel->form->bytes;
    switch (kernel->form->collective) {
    case HABITAT_COLLECTIVE_ALL_REDUCE:
        return 2.0 * (n - 1.0) / n * bytes;
    case HABITAT_COLLECTIVE_ALL_GATHER:
    case HABITAT_COLLECTIVE_REDUCE_SCATTER:
    case HABITAT_COLLECTIVE_ALL_TO_ALL:
        return (n - 1.0) / n * bytes;
    default:
        return bytes;
    }
}

/* NaN where the message or the link is unknown. */
static double message_ns(const habitat_kernel *kernel, const habitat_gpu *gpu) {
    if (!collective_message_known(kernel))
        return NAN;
    return collective_latency_ns(kernel) +
           link_bytes(kernel) / (fitted_link_efficiency * collective_link_bytes_per_s(gpu)) * 1e9;
}

/* Messages are sent in pieces, one behind the other along the ring: the best size of a piece makes
 * what it costs to fill the ring grow with the root of the message. */
static double ring_ns(double passed_bytes, double bytes_per_s, double efficiency) {
    double wire_ns = passed_bytes / bytes_per_s * 1e9;
    return wire_ns / efficiency + fitted_ring_fill_root_ns * sqrt(wire_ns);
}

static double passed_bytes(habitat_collective kind, double bytes, double n) {
    bool parts = kind == HABITAT_COLLECTIVE_ALL_GATHER || kind == HABITAT_COLLECTIVE_REDUCE_SCATTER;
    return bytes * (kind == HABITAT_COLLECTIVE_ALL_REDUCE ? 2.0 * (n - 1.0) / n
                    : parts                               ? (n - 1.0) / n
                                                          : 1.0);
}

/* What the GPUs of one host need to pass on so many bytes. */
static double host_ns(const habitat_gpu *gpu, double passed, uint32_t count) {
    bool nvlink = usable(gpu->nvlink_bytes_per_s);
    return fitted_collective_latency_ns_per_gpu * (fmin(count, chosen_host_gpus) + 1.0) +
           ring_ns(passed, collective_link_bytes_per_s(gpu),
                   nvlink ? fitted_ring_efficiency : fitted_ring_efficiency_pcie);
}

static double network_ns(double passed) {
    return passed / chosen_network_bytes_per_s * 1e9;
}

double collective_time_ns(const habitat_gpu *gpu, habitat_collective kind, double bytes,
                          uint32_t count) {
    double hosts = ceil(count / chosen_host_gpus), passed = passed_bytes(kind, bytes, count);
    double ns = host_ns(gpu, passed, count);
    return hosts < 2.0
               ? ns
               : fmax(ns, network_ns(passed)) + chosen_network_latency_ns * ceil(log2(hosts));
}

/* A sum between hosts goes over the links within them, too: over a slow NVLink that alone costs
 * more than the share that goes for networks. */
double collective_beside_share(const habitat_gpu *gpu, uint32_t count) {
    double passed = passed_bytes(HABITAT_COLLECTIVE_ALL_REDUCE, hardware_bucket_bytes, count);
    double inside_ns = host_ns(gpu, passed, count);
    if (collective_is_quick(gpu, count))
        return fitted_beside_quick_collective;
    return !usable(gpu->nvlink_bytes_per_s)
               ? fitted_beside_collective
               : fmax(fitted_beside_collective, fitted_beside_quick_collective * inside_ns /
                                                    fmax(inside_ns, network_ns(passed)));
}

/* Collectives that send alike, as far as the recording says; the shortest first. */
static int by_kind(const void *a, const void *b) {
    const habitat_kernel *x = (*(habitat_workload_kernel *const *)a)->kernel;
    const habitat_kernel *y = (*(habitat_workload_kernel *const *)b)->kernel;
    int names = strcmp(x->form->name, y->form->name);
    if (names)
        return names;
    if (x->form->group_size != y->form->group_size)
        return x->form->group_size < y->form->group_size ? -1 : 1;
    if (x->form->bytes != y->form->bytes)
        return x->form->bytes < y->form->bytes ? -1 : 1;
    if (x->form->grid[0] != y->form->grid[0])
        return x->form->grid[0] < y->form->grid[0] ? -1 : 1;
    return x->duration_ns < y->duration_ns ? -1 : x->duration_ns > y->duration_ns;
}

static bool same_kind(const habitat_kernel *x, const habitat_kernel *y) {
    return strcmp(x->form->name, y->form->name) == 0 &&
           x->form->group_size == y->form->group_size && x->form->bytes == y->form->bytes &&
           x->form->grid[0] == y->form->grid[0];
}

static void set_waiting(habitat_workload *w, habitat_workload_kernel **list, size_t count) {
    const habitat_kernel *shortest = NULL;
    qsort(list, count, sizeof *list, by_kind);
    for (size_t i = 0; i < count; i++) {
        const habitat_kernel *kernel = list[i]->kernel;
        double needs_ns = message_ns(kernel, w->origin);
        if (!shortest || !same_kind(shortest, kernel))
            shortest = kernel;
        if (w->is_rank)
            needs_ns = (double)kernel->duration_ns; /* the message alone */
        if (!usable(needs_ns)) {
            needs_ns = (double)shortest->duration_ns;
            w->unsized_count++;
        }
        uint64_t message = (uint64_t)fmin(ceil(needs_ns), (double)kernel->duration_ns);
        list[i]->waiting_ns = kernel->duration_ns - message;
        w->collective_ns += kernel->duration_ns;
        w->waiting_ns += list[i]->waiting_ns;
    }
}

habitat_status habitat_collective_prepare(habitat_workload *w) {
    if (!w->collective_count)
        return HABITAT_OK;
    habitat_workload_kernel **list = malloc(w->collective_count * sizeof *list);
    size_t count = 0;
    if (!list)
        return HABITAT_E_MEMORY;
    for (size_t i = 0; i < w->kernel_count && count < w->collective_count; i++)
        if (w->kernels[i].kernel->form->kind == HABITAT_KERNEL_COLLECTIVE)
            list[count++] = &w->kernels[i];
    set_waiting(w, list, count);
    free(list);
    return HABITAT_OK;
}
