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
#include "base/list.h"
#include "trace/sort.h"

/* A part is a stretch of a kernel's time: all of it, or of a collective the waiting or the message.
 * It is kept as the number of its kernel, with WAITS for the waiting. */
#define WAITS (UINT32_C(1) << 31)

static const habitat_workload_kernel *kernel_of(const habitat_workload *w, uint32_t part) {
    return &w->kernels[w->parts[part] & ~WAITS];
}

static bool waits(const habitat_workload *w, uint32_t part) {
    return w->parts[part] & WAITS;
}

/* An edge is a part's start, or its end: the number of the part, or that and the number of parts.
 */
static bool starts(const habitat_workload *w, uint32_t edge) {
    return edge < w->part_count;
}

static uint32_t part_of(const habitat_workload *w, uint32_t edge) {
    return starts(w, edge) ? edge : edge - (uint32_t)w->part_count;
}

static uint64_t time_of(const habitat_workload *w, uint32_t edge) {
    uint32_t part = part_of(w, edge);
    const habitat_workload_kernel *own = kernel_of(w, part);
    uint64_t sends_ns = own->kernel->start_ns + own->waiting_ns;
    if (starts(w, edge))
        return waits(w, part) ? own->kernel->start_ns : sends_ns;
    return waits(w, part) ? sends_ns : own->kernel->start_ns + own->kernel->duration_ns;
}

static bool is_before(const void *context, uint32_t a, uint32_t b) {
    const habitat_workload *w = context;
    uint64_t x_ns = time_of(w, a), y_ns = time_of(w, b);
    if (x_ns != y_ns)
        return x_ns < y_ns;
    if (starts(w, a) != starts(w, b))
        return starts(w, b); /* ends first: touching is not overlapping */
    return a < b;
}

/* ---- once a workload ---- */

/* Most recordings are of one stream: then nothing need be cut. */
static bool are_apart(const habitat_workload *w) {
    uint64_t until_ns = 0;
    for (size_t i = 0; i < w->kernel_count; i++) {
        const habitat_kernel *kernel = w->kernels[i].kernel;
        if (!kernel->duration_ns)
            continue;
        if (kernel->start_ns < until_ns)
            return false;
        until_ns = kernel->start_ns + kernel->duration_ns;
    }
    return true;
}

static void add_part(habitat_workload *w, uint32_t part, uint64_t lasts_ns) {
    if (!lasts_ns)
        return;
    if (w->parts)
        w->parts[w->part_count] = part;
    w->part_count++;
}

/* How many there are; with room for them they are kept. */
static size_t add_parts(habitat_workload *w) {
    w->part_count = 0;
    for (size_t i = 0; i < w->kernel_count; i++) {
        const habitat_workload_kernel *own = &w->kernels[i];
        add_part(w, (uint32_t)i | WAITS, own->waiting_ns);
        add_part(w, (uint32_t)i, own->kernel->duration_ns - own->waiting_ns);
    }
    return w->part_count;
}

static void measure_union(habitat_workload *w) {
    size_t running = 0;
    for (size_t i = 0; i < 2 * w->part_count; i++) {
        if (running)
            w->busy_ns += time_of(w, w->edges[i]) - time_of(w, w->edges[i - 1]);
        running += starts(w, w->edges[i]) ? 1 : (size_t)-1;
    }
}

habitat_status habitat_busy_prepare(habitat_workload *w, habitat_error *err) {
    w->busy_ns = 0;
    if (are_apart(w)) {
        w->busy_ns = w->kernel_ns + w->copy_ns;
        return HABITAT_OK;
    }
    size_t count = add_parts(w);
    if (count >= WAITS)
        return habitat_fail(err, HABITAT_E_RANGE, "more kernels than can be counted");
    w->parts = malloc(count * sizeof *w->parts);
    w->edges = malloc(2 * count * sizeof *w->edges);
    if (w->parts)
        add_parts(w);
    if (!w->parts || !w->edges || !sort_order(w->edges, 2 * count, is_before, w))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    measure_union(w);
    return HABITAT_OK;
}

void habitat_busy_copy(const habitat_workload *from, habitat_workload *to) {
    to->parts = to->edges = NULL;
    if (!from->part_count)
        return;
    to->parts = malloc(from->part_count * sizeof *to->parts);
    to->edges = malloc(2 * from->part_count * sizeof *to->edges);
    if (!to->parts || !to->edges)
        return;
    memcpy(to->parts, from->parts, from->part_count * sizeof *to->parts);
    memcpy(to->edges, from->edges, 2 * from->part_count * sizeof *to->edges);
}

/* ---- once a destination ---- */

/* Running parts, the slowest on top; those that ended leave when they come to the top. */
typedef struct running {
    const habitat_workload *w;
    const double *time_ns; /* shape (kernel_count) */
    bool *ended;           /* shape (part_count) */
    uint32_t *heap;        /* few run at once */
    size_t count, capacity;
} running;

/* Time on the destination over the origin's. Waiting decides only where nothing else runs: below
 * any factor. */
static double factor(const running *r, uint32_t part) {
    const habitat_workload_kernel *own = kernel_of(r->w, part);
    double waiting = (double)own->waiting_ns;
    if (waits(r->w, part))
        return -1.0;
    return (r->time_ns[r->w->parts[part]] - waiting) / ((double)own->kernel->duration_ns - waiting);
}

static bool slower(const running *r, uint32_t a, uint32_t b) {
    double x = factor(r, a), y = factor(r, b);
    return x > y || (a < b && x == y);
}

static bool push(running *r, uint32_t part) {
    uint32_t *heap = list_grow(r->heap, r->count, &r->capacity, 64, SIZE_MAX, sizeof *heap);
    if (!heap)
        return false;
    r->heap = heap;
    size_t at = r->count++;
    for (; at > 0 && slower(r, part, r->heap[(at - 1) / 2]); at = (at - 1) / 2)
        r->heap[at] = r->heap[(at - 1) / 2];
    r->heap[at] = part;
    return true;
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

/* Time on the destination of `piece_ns` of a part's time. A part that is one piece gives its whole
 * time, to the bit. */
static double piece_time(const habitat_workload *w, const double *time_ns, uint32_t part,
                         double piece_ns) {
    const habitat_workload_kernel *kernel = kernel_of(w, part);
    double waiting = (double)kernel->waiting_ns;
    if (waits(w, part))
        return piece_ns;
    return (time_ns[w->parts[part]] - waiting) *
           (piece_ns / ((double)kernel->kernel->duration_ns - waiting));
}

/* Whether the part that starts at an edge ends at the next one: nothing starts beside it. */
static bool is_one_piece(const habitat_workload *w, size_t edge) {
    return starts(w, w->edges[edge]) &&
           w->edges[edge + 1] == w->edges[edge] + (uint32_t)w->part_count;
}

/* False when out of memory. */
static bool charge_pieces(running *r, double *busy_ns) {
    const habitat_workload *w = r->w;
    uint64_t before_ns = 0;
    bool enough = true;
    for (size_t i = 0; enough && i < 2 * w->part_count; i++) {
        uint64_t at_ns = time_of(w, w->edges[i]);
        while (r->count && r->ended[r->heap[0]])
            pop(r);
        if (!r->count && is_one_piece(w, i)) { /* most: kernels of one stream */
            uint32_t part = w->edges[i++];
            before_ns = time_of(w, w->edges[i]);
            busy_ns[w->parts[part] & ~WAITS] +=
                piece_time(w, r->time_ns, part, (double)(before_ns - at_ns));
            continue;
        }
        if (r->count && at_ns > before_ns)
            busy_ns[w->parts[r->heap[0]] & ~WAITS] +=
                piece_time(w, r->time_ns, r->heap[0], (double)(at_ns - before_ns));
        if (starts(w, w->edges[i]))
            enough = push(r, part_of(w, w->edges[i]));
        else
            r->ended[part_of(w, w->edges[i])] = true;
        before_ns = at_ns;
    }
    return enough;
}

/* Nothing runs beside it: all of it counts, once what waits has waited. */
static double alone_ns(const habitat_workload_kernel *own, double time_ns) {
    double waiting = (double)own->waiting_ns;
    if (!own->waiting_ns)
        return time_ns;
    return own->waiting_ns < own->kernel->duration_ns ? waiting + (time_ns - waiting) : waiting;
}

habitat_status habitat_busy_charge(const habitat_workload *w, const double *time_ns,
                                   double *busy_ns, habitat_error *err) {
    size_t n = w->part_count;
    for (size_t i = 0; !n && i < w->kernel_count; i++)
        busy_ns[i] = alone_ns(&w->kernels[i], time_ns[i]);
    if (!n)
        return HABITAT_OK;
    running r = {.w = w, .time_ns = time_ns, .ended = calloc(n, sizeof *r.ended)};
    for (size_t i = 0; r.ended && i < w->kernel_count; i++)
        busy_ns[i] = w->kernels[i].kernel->duration_ns ? 0.0 : time_ns[i];
    bool enough = r.ended && charge_pieces(&r, busy_ns);
    free(r.ended);
    free(r.heap);
    return enough ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
