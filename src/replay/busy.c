/* How long the GPU works in one of many alike iterations.
 *
 * Each iteration begins one period after the one before and finds every stream where that one left
 * it. So what runs at some time of one runs a period later in the next: laid on a circle as long as
 * a period, the kernels of one iteration cover what is busy in each, however iterations overlap.
 * That is never more than the period. docs/formulas.md#busy-time */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "replay/graph.h"

typedef struct stretch {
    double from, to;
} stretch;

/* fmax() without a call: no stretch is without a number. */
static inline double later(double x, double y) {
    return y > x ? y : x;
}

/* Behind the last of those that begin in order. */
static size_t end_of_run(const stretch *all, size_t from, size_t count) {
    size_t end = from + 1;
    while (end < count && !(all[end].from < all[end - 1].from))
        end++;
    return end;
}

/* [low, middle) and [middle, high) of `all` into `to`; of equal ones the first stays first. */
static void merge(const stretch *all, size_t low, size_t middle, size_t high, stretch *to) {
    size_t left = low, right = middle;
    for (size_t at = low; at < high; at++) {
        bool take_right = right < high && (left == middle || all[right].from < all[left].from);
        to[at] = all[take_right ? right++ : left++];
    }
}

/* By their beginning. Kernels come nearly in that order: few runs are merged. spare: shape (count).
 * @return where the sorted ones are: `all` or `spare`. */
static stretch *sorted(stretch *all, stretch *spare, size_t count) {
    size_t runs = 2;
    while (runs > 1) {
        runs = 0;
        for (size_t low = 0; low < count; runs++) {
            size_t middle = end_of_run(all, low, count);
            size_t high = middle < count ? end_of_run(all, middle, count) : middle;
            merge(all, low, middle, high, spare);
            low = high;
        }
        stretch *swap = all;
        all = spare;
        spare = swap;
    }
    return all;
}

/* all: in the order of their beginning. */
static double covered_by(const stretch *all, size_t count) {
    double sum = 0.0, until = 0.0;
    for (size_t i = 0; i < count; i++) {
        double from = later(all[i].from, until);
        sum += later(0.0, all[i].to - from);
        until = later(until, all[i].to);
    }
    return sum;
}

/* What ends at `end` and lasts `ns`, on the circle: one stretch, or two where it passes 0. */
static size_t lay(double end, double ns, double period, stretch out[2]) {
    double from = end - ns;
    if (!(ns > 0.0))
        return 0;
    if (!(from >= 0.0 && from < period)) /* else that is what fmod() says, too */
        from = fmod(from, period);
    from += from < 0.0 ? period : 0.0;
    if (ns >= period || isnan(from)) { /* a stream that starts every iteration free */
        out[0] = (stretch){0.0, fmin(ns, period)};
        return 1;
    }
    out[0] = (stretch){from, fmin(from + ns, period)};
    out[1] = (stretch){0.0, from + ns - period};
    return from + ns > period ? 2 : 1;
}

static bool is_of(const replay_node *n, size_t from, size_t to) {
    return n->kind == REPLAY_KERNEL && n->index >= from && n->index < to;
}

/* Kernels of one stream come one after another, whenever that is: their sum, exact. NaN: they are
 * of several. */
static double of_one_stream(const replay_graph *g, const replay_times *t, size_t from, size_t to) {
    const replay_node *first = NULL;
    double sum = 0.0;
    for (size_t i = 0; i < g->node_count; i++) {
        const replay_node *n = &g->nodes[i];
        if (!is_of(n, from, to))
            continue;
        first = first ? first : n;
        if (n->place != first->place)
            return NAN;
        sum += replay_own_ns(g, t, n);
    }
    return sum;
}

habitat_status replay_busy(const replay_graph *g, const replay_times *t, double period_ns,
                           const double *carry, size_t from, size_t to, double *out_ns,
                           habitat_error *err) {
    double sum = of_one_stream(g, t, from, to);
    if (!isnan(sum) || !(period_ns > 0.0)) {
        *out_ns = fmin(isnan(sum) ? 0.0 : sum, period_ns); /* more by rounding alone */
        return HABITAT_OK;
    }
    double *value = malloc((g->node_count + 1) * sizeof *value);
    size_t count = 0, most = 2 * (to - from) + 1;
    stretch *all = malloc(2 * most * sizeof *all);
    if (value && all) {
        replay_sweep(g, t, carry, value);
        for (size_t i = 0; i < g->node_count; i++)
            if (is_of(&g->nodes[i], from, to))
                count += lay(value[i], replay_own_ns(g, t, &g->nodes[i]), period_ns, &all[count]);
        *out_ns = fmin(covered_by(sorted(all, all + most, count), count), period_ns);
    }
    bool fine = value && all;
    free(value);
    free(all);
    return fine ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
