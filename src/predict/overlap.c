/* The GPU's busy time: kernels that run at the same time on several streams count once.
 *
 * While n kernels run, each is charged 1/n of the time that passes. A kernel's busy share is what
 * it is charged over its own time: 1 where nothing overlaps it. The charges add up to the union of
 * all kernels; on another GPU each kernel's predicted time is charged by the same share, which
 * assumes that the kernels which shared the origin share the destination in the same proportion. */
#include <stdlib.h>

#include "base/error.h"
#include "predict/workload.h"

typedef struct edge {
    uint64_t at_ns;
    uint32_t kernel;
    bool starts;
} edge;

static int by_time(const void *a, const void *b) {
    const edge *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->starts != y->starts)
        return x->starts ? 1 : -1; /* ends first: touching is not overlapping */
    return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

/* One stretch of edges between two moments at which the GPU is idle. `clock` is the time charged to
 * any one kernel that runs throughout. */
static void charge(habitat_workload *w, const edge *edges, size_t first, size_t last,
                   double *clock_at_start) {
    double clock = 0.0;
    size_t running = 0;
    uint64_t before = edges[first].at_ns;
    for (size_t i = first; i <= last; i++) {
        if (running)
            clock += (double)(edges[i].at_ns - before) / (double)running;
        before = edges[i].at_ns;
        habitat_workload_kernel *kernel = &w->kernels[edges[i].kernel];
        if (edges[i].starts) {
            clock_at_start[edges[i].kernel] = clock;
            running++;
        } else {
            double charged = clock - clock_at_start[edges[i].kernel];
            kernel->busy_share = charged / (double)kernel->kernel->duration_ns;
            running--;
        }
    }
    w->busy_ns += edges[last].at_ns - edges[first].at_ns;
}

static size_t list_edges(const habitat_workload *w, edge *edges) {
    size_t count = 0;
    for (size_t i = 0; i < w->kernel_count; i++) {
        const habitat_kernel *kernel = w->kernels[i].kernel;
        w->kernels[i].busy_share = 1.0;
        if (kernel->duration_ns == 0)
            continue;
        edges[count++] = (edge){kernel->start_ns, (uint32_t)i, true};
        edges[count++] = (edge){kernel->start_ns + kernel->duration_ns, (uint32_t)i, false};
    }
    return count;
}

habitat_status habitat_workload_overlap(habitat_workload *w, habitat_error *err) {
    edge *edges = malloc(2 * w->kernel_count * sizeof *edges);
    double *clock_at_start = malloc(w->kernel_count * sizeof *clock_at_start);
    if (!edges || !clock_at_start) {
        free(edges);
        free(clock_at_start);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    size_t count = list_edges(w, edges);
    qsort(edges, count, sizeof *edges, by_time);
    w->busy_ns = 0;
    size_t running = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        if (running == 0)
            first = i;
        running += edges[i].starts ? 1 : (size_t)-1;
        if (running == 0)
            charge(w, edges, first, i, clock_at_start);
    }
    free(edges);
    free(clock_at_start);
    return HABITAT_OK;
}
