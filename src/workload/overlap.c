/* The GPU's busy time: kernels that run at the same time on several streams count once.
 *
 * The recording is cut at every start and end of a kernel. What ran together in a piece on the
 * origin runs together on the destination, and the piece takes as long there as the slowest of it:
 *
 *     busy = sum over pieces of  max over kernels i in the piece of  T_d,i * piece / T_o,i
 *
 * So the origin's own times give the union of all kernels, no stream is faster than its kernels
 * one after another, and nothing is longer than all kernels one after another. A collective first
 * waits, then sends (collective.c): where it waits beside other work the work decides, and where it
 * waits alone the piece is as long as recorded. docs/formulas.md#busy-time */
#include "workload/overlap.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* A stretch of a kernel's time: all of it, or of a collective the waiting or the message. */
struct busy_part {
    uint32_t kernel;
    bool waits;
};

/* A part's start or end. */
struct busy_edge {
    uint64_t at_ns;
    uint32_t part;
    bool starts;
};

static int by_time(const void *a, const void *b) {
    const busy_edge *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->starts != y->starts)
        return x->starts ? 1 : -1; /* ends first: touching is not overlapping */
    return x->part < y->part ? -1 : x->part > y->part;
}

/* ---- once a workload ---- */

static void add_part(habitat_workload *w, size_t kernel, bool waits, uint64_t from_ns,
                     uint64_t to_ns) {
    if (from_ns == to_ns)
        return;
    uint32_t part = (uint32_t)w->part_count++;
    w->parts[part] = (busy_part){(uint32_t)kernel, waits};
    w->edges[2 * part] = (busy_edge){from_ns, part, true};
    w->edges[2 * part + 1] = (busy_edge){to_ns, part, false};
}

static void measure_union(habitat_workload *w) {
    size_t running = 0;
    w->busy_ns = 0;
    for (size_t i = 0; i < 2 * w->part_count; i++) {
        if (running)
            w->busy_ns += w->edges[i].at_ns - w->edges[i - 1].at_ns;
        running += w->edges[i].starts ? 1 : (size_t)-1;
    }
}

habitat_status habitat_busy_prepare(habitat_workload *w, habitat_error *err) {
    size_t most = w->kernel_count + w->collective_count;
    w->parts = malloc(most * sizeof *w->parts);
    w->edges = malloc(2 * most * sizeof *w->edges);
    if (!w->parts || !w->edges)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    w->part_count = 0;
    for (size_t i = 0; i < w->kernel_count; i++) {
        const habitat_kernel *kernel = w->kernels[i].kernel;
        uint64_t sends_ns = kernel->start_ns + w->kernels[i].waiting_ns;
        add_part(w, i, true, kernel->start_ns, sends_ns);
        add_part(w, i, false, sends_ns, kernel->start_ns + kernel->duration_ns);
    }
    qsort(w->edges, 2 * w->part_count, sizeof *w->edges, by_time);
    measure_union(w);
    return HABITAT_OK;
}

void habitat_busy_copy(const habitat_workload *from, habitat_workload *to) {
    to->parts = calloc(from->part_count + 1, sizeof *to->parts);
    to->edges = calloc(2 * from->part_count + 1, sizeof *to->edges);
    if (!to->parts || !to->edges || !from->part_count)
        return;
    memcpy(to->parts, from->parts, from->part_count * sizeof *to->parts);
    memcpy(to->edges, from->edges, 2 * from->part_count * sizeof *to->edges);
}

/* ---- once a destination ---- */

/* Running parts, the slowest on top; those that ended leave when they come to the top. */
typedef struct running {
    const double *factor; /* shape (part_count): time on the destination over the origin's */
    bool *ended;          /* shape (part_count) */
    uint32_t *heap;       /* shape (part_count) */
    size_t count;
} running;

static bool slower(const running *r, uint32_t a, uint32_t b) {
    return r->factor[a] > r->factor[b] || (a < b && r->factor[a] == r->factor[b]);
}

static void push(running *r, uint32_t part) {
    size_t at = r->count++;
    for (; at > 0 && slower(r, part, r->heap[(at - 1) / 2]); at = (at - 1) / 2)
        r->heap[at] = r->heap[(at - 1) / 2];
    r->heap[at] = part;
}

static void pop(running *r) {
    uint32_t moved = r->heap[--r->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < r->count && slower(r, r->heap[child + 1], r->heap[child]))
            child++;
        if (child >= r->count || !slower(r, r->heap[child], moved))
            break;
        r->heap[at] = r->heap[child];
        at = child;
    }
    r->heap[at] = moved;
}

/* Waiting decides only where nothing else runs: below any factor. */
static void set_factors(const habitat_workload *w, const double *time_ns, double *factor) {
    for (size_t p = 0; p < w->part_count; p++) {
        const habitat_workload_kernel *kernel = &w->kernels[w->parts[p].kernel];
        double waiting = (double)kernel->waiting_ns;
        factor[p] = w->parts[p].waits ? -1.0
                                      : (time_ns[w->parts[p].kernel] - waiting) /
                                            ((double)kernel->kernel->duration_ns - waiting);
    }
}

/* Time on the destination of `piece_ns` of a part's time. A part that is one piece gives its whole
 * time, to the bit. */
static double piece_time(const habitat_workload *w, const double *time_ns, uint32_t part,
                         double piece_ns) {
    const habitat_workload_kernel *kernel = &w->kernels[w->parts[part].kernel];
    double waiting = (double)kernel->waiting_ns;
    if (w->parts[part].waits)
        return piece_ns;
    return (time_ns[w->parts[part].kernel] - waiting) *
           (piece_ns / ((double)kernel->kernel->duration_ns - waiting));
}

static void charge_pieces(const habitat_workload *w, const double *time_ns, running *r,
                          double *busy_ns) {
    for (size_t i = 0; i < 2 * w->part_count; i++) {
        const busy_edge *edge = &w->edges[i];
        while (r->count && r->ended[r->heap[0]])
            pop(r);
        if (r->count && edge->at_ns > w->edges[i - 1].at_ns)
            busy_ns[w->parts[r->heap[0]].kernel] +=
                piece_time(w, time_ns, r->heap[0], (double)(edge->at_ns - w->edges[i - 1].at_ns));
        if (edge->starts)
            push(r, edge->part);
        else
            r->ended[edge->part] = true;
    }
}

habitat_status habitat_busy_charge(const habitat_workload *w, const double *time_ns,
                                   double *busy_ns, habitat_error *err) {
    size_t n = w->part_count ? w->part_count : 1;
    double *factor = malloc(n * sizeof *factor);
    running r = {factor, calloc(n, sizeof *r.ended), malloc(n * sizeof *r.heap), 0};
    bool enough = factor && r.ended && r.heap;
    if (enough) {
        for (size_t i = 0; i < w->kernel_count; i++)
            busy_ns[i] = w->kernels[i].kernel->duration_ns ? 0.0 : time_ns[i];
        set_factors(w, time_ns, factor);
        charge_pieces(w, time_ns, &r, busy_ns);
    }
    free(factor);
    free(r.ended);
    free(r.heap);
    return enough ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
