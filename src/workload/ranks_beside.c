/* What kernels of a rank take while no message waits beside them.
 *
 * A collective's kernel that waits for other ranks spins on SMs, and kernels beside it take a fifth
 * to a third longer. How long it waits is the profiler's doing, as it holds up one rank more than
 * another. Ranks of one step run the same kernels, though, and the last to come waits for nobody:
 * a kernel that ran beside waiting is as long as the same one was on ranks where it did not. */
#include "workload/ranks_beside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_parallel.h"
#include "base/list.h"

/* A kernel of one rank. */
typedef struct ran {
    const habitat_kernel *kernel;
    size_t number; /* in its trace */
    bool beside;   /* a message waited while it ran */
} ran;

typedef struct rank_kernels {
    ran *all; /* those that are alike next to each other, in the order of their starts */
    size_t count;
} rank_kernels;

typedef struct messages {
    const uint64_t *ns; /* shape (count): what each takes */
    size_t count;
} messages;

/* From when to when messages waited, one stretch after another. */
typedef struct waits {
    uint64_t (*from_to)[2];
    size_t count;
} waits;

static int by_start(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

static void merge(waits *w) {
    size_t kept = 0;
    qsort(w->from_to, w->count, sizeof *w->from_to, by_start);
    for (size_t i = 0; i < w->count; i++) {
        if (kept && w->from_to[i][0] <= w->from_to[kept - 1][1]) {
            if (w->from_to[i][1] > w->from_to[kept - 1][1])
                w->from_to[kept - 1][1] = w->from_to[i][1];
            continue;
        }
        memmove(w->from_to[kept++], w->from_to[i], sizeof *w->from_to);
    }
    w->count = kept;
}

/* As launched: the same kernel of a step is so on all ranks. */
static int compare_launches(const habitat_kernel *x, const habitat_kernel *y) {
    const habitat_kernel_form *a = x->form, *b = y->form;
    int order = a == b ? 0 : strcmp(a->name, b->name);
    if (!order)
        order = memcmp(a->grid, b->grid, sizeof a->grid);
    return order ? order : memcmp(a->block, b->block, sizeof a->block);
}

static int by_launch(const void *a, const void *b) {
    const ran *x = a, *y = b;
    int order = compare_launches(x->kernel, y->kernel);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Share of [from, to) that lies in waits. */
static double share_in(const waits *w, uint64_t from, uint64_t to) {
    uint64_t inside = 0;
    size_t low = 0; /* the first that ends behind `from` */
    LIST_FIRST_NOT(low, w->count, w->from_to[middle][1] <= from);
    for (; low < w->count && w->from_to[low][0] < to; low++) {
        uint64_t begin = w->from_to[low][0] > from ? w->from_to[low][0] : from;
        uint64_t end = w->from_to[low][1] < to ? w->from_to[low][1] : to;
        inside += end - begin;
    }
    return to > from ? (double)inside / (double)(to - from) : 0.0;
}

static uint64_t end_of(const habitat_kernel *k) {
    return k->start_ns + k->duration_ns;
}

/* Messages get their own time; when they waited is noted. */
static bool take_messages(const habitat_trace *trace, const messages *m, uint64_t *taken_ns,
                          waits *w) {
    size_t count = 0, at = 0;
    uint32_t device = habitat_trace_get_info(trace)->device;
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    w->from_to = malloc((m->count + 1) * sizeof *w->from_to);
    for (size_t i = 0; w->from_to && i < count && at < m->count; i++) {
        if (k[i].form->kind != HABITAT_KERNEL_COLLECTIVE || k[i].form->device != device ||
            k[i].iteration == HABITAT_NONE)
            continue;
        taken_ns[i] = m->ns[at++];
        if (taken_ns[i] >= k[i].duration_ns)
            continue;
        w->from_to[w->count][0] = k[i].start_ns;
        w->from_to[w->count++][1] = end_of(&k[i]) - taken_ns[i];
    }
    if (w->from_to)
        merge(w);
    return w->from_to != NULL;
}

static bool list_kernels(const habitat_trace *trace, const messages *m, uint64_t *taken_ns,
                         rank_kernels *out) {
    waits w = {NULL, 0};
    size_t count = 0;
    uint32_t device = habitat_trace_get_info(trace)->device;
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    out->all = malloc((count + 1) * sizeof *out->all);
    bool fine = out->all && take_messages(trace, m, taken_ns, &w);
    for (size_t i = 0; fine && i < count; i++)
        if (k[i].form->kind == HABITAT_KERNEL_COMPUTE && k[i].form->device == device &&
            k[i].iteration != HABITAT_NONE)
            out->all[out->count++] =
                (ran){&k[i], i, share_in(&w, k[i].start_ns, end_of(&k[i])) > chosen_waited_share};
    if (fine)
        qsort(out->all, out->count, sizeof *out->all, by_launch);
    free(w.from_to);
    return fine;
}

/* ---- the same kernel on all ranks ---- */

/* Kernels that are launched alike. */
static size_t alike(const rank_kernels *r, size_t from) {
    size_t to = from + 1;
    while (to < r->count && compare_launches(r->all[from].kernel, r->all[to].kernel) == 0)
        to++;
    return to - from;
}

static size_t find(const rank_kernels *r, const habitat_kernel *like) {
    size_t low = 0;
    LIST_FIRST_NOT(low, r->count, compare_launches(r->all[middle].kernel, like) < 0);
    return low;
}

/* Adds what one rank's kernels took that are launched like these, where as many are. */
static void add_times(const rank_kernels *other, const ran *these, size_t count, double *sum_ns,
                      size_t *ranks) {
    size_t first = find(other, these->kernel);
    if (first == other->count || compare_launches(other->all[first].kernel, these->kernel) != 0 ||
        alike(other, first) != count)
        return;
    for (size_t i = 0; i < count; i++) {
        if (other->all[first + i].beside)
            continue;
        sum_ns[i] += (double)other->all[first + i].kernel->duration_ns;
        ranks[i]++;
    }
}

/* Never longer than it was. The whole of it, however long the message waited: blocks that found
 * fewer SMs free make a kernel longer by a whole wave. */
static uint64_t undisturbed_ns(const ran *one, double usual_ns) {
    double ns = (double)one->kernel->duration_ns;
    return (uint64_t)round(fmin(ns, usual_ns));
}

static bool set_times(const rank_kernels *all, size_t rank_count, size_t rank, uint64_t *taken_ns) {
    const rank_kernels *own = &all[rank];
    double *sum_ns = malloc((own->count + 1) * sizeof *sum_ns);
    size_t *ranks = malloc((own->count + 1) * sizeof *ranks);
    bool fine = sum_ns && ranks;
    for (size_t from = 0, count = 0; fine && from < own->count; from += count) {
        const ran *these = &own->all[from];
        bool any = false;
        count = alike(own, from);
        for (size_t i = 0; i < count; i++) {
            any |= these[i].beside;
            sum_ns[i] = 0.0;
            ranks[i] = 0;
        }
        for (size_t r = 0; any && r < rank_count; r++)
            if (r != rank)
                add_times(&all[r], these, count, sum_ns, ranks);
        for (size_t i = 0; any && i < count; i++)
            if (these[i].beside && ranks[i])
                taken_ns[these[i].number] = undisturbed_ns(&these[i], sum_ns[i] / (double)ranks[i]);
    }
    free(sum_ns);
    free(ranks);
    return fine;
}

static uint64_t *recorded_ns(const habitat_trace *trace) {
    size_t count = 0;
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    uint64_t *ns = malloc((count + 1) * sizeof *ns);
    for (size_t i = 0; ns && i < count; i++)
        ns[i] = k[i].duration_ns;
    return ns;
}

habitat_status ranks_take_beside(const habitat_trace *const *traces, size_t rank_count,
                                 const uint64_t *message_ns, size_t message_count,
                                 uint64_t **taken_ns) {
    messages m = {message_ns, message_count};
    rank_kernels *all = calloc(rank_count, sizeof *all);
    bool fine = all != NULL;
    for (size_t r = 0; fine && r < rank_count; r++)
        fine = (taken_ns[r] = recorded_ns(traces[r])) &&
               list_kernels(traces[r], &m, taken_ns[r], &all[r]);
    for (size_t r = 0; fine && r < rank_count; r++)
        fine = set_times(all, rank_count, r, taken_ns[r]);
    for (size_t r = 0; all && r < rank_count; r++)
        free(all[r].all);
    free(all);
    return fine ? HABITAT_OK : HABITAT_E_MEMORY;
}
