/* How long the CPU's side takes without a profiler; see rule.h and docs/iteration.md#cpu-rule.
 *
 * The profiler adds to every operation and call, and the hooks that name modules add between them.
 * A sum of what it saw is therefore no measure. The median time between neighbouring points does
 * not see the few that the host held up; the number of calls brings what the profiler does not
 * stretch; the time inside operations leaves the hooks out. */
#include "replay/rule.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/quantile.h"
#include "replay/builder.h"

const double replay_rule_weights[REPLAY_FEATURES] = {0.4025, 6673.0, 0.2541};

typedef struct piece {
    double from_ns, to_ns;
} piece;

static int by_start(const void *x, const void *y) {
    const piece *a = x, *b = y;
    return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns;
}

static double sum_of_union(piece *all, size_t count) {
    double sum = 0.0, until = -INFINITY;
    qsort(all, count, sizeof *all, by_start);
    for (size_t i = 0; i < count; i++) {
        if (all[i].to_ns <= until)
            continue;
        sum += all[i].to_ns - fmax(all[i].from_ns, until);
        until = all[i].to_ns;
    }
    return sum;
}

static double usual_step(double *points, size_t count) {
    if (count < 2)
        return 0.0;
    habitat_sort_numbers(points, count);
    for (size_t i = 0; i + 1 < count; i++)
        points[i] = points[i + 1] - points[i];
    habitat_sort_numbers(points, count - 1);
    return habitat_quantile(points, count - 1, 0.5);
}

typedef struct gathered {
    double *points;
    piece *pieces;
    size_t point_count, piece_count, call_count;
} gathered;

static void add_times(gathered *all, uint64_t start_ns, uint64_t duration_ns) {
    all->points[all->point_count++] = (double)start_ns;
    all->points[all->point_count++] = (double)(start_ns + duration_ns);
}

static void gather(const habitat_trace *trace, gathered *all) {
    size_t ops = 0, calls = 0;
    const habitat_operation *o = habitat_trace_operations(trace, &ops);
    const habitat_call *c = habitat_trace_calls(trace, &calls);
    for (size_t i = 0; i < ops; i++) {
        if (o[i].form->kind != HABITAT_OPERATION_FRAMEWORK || o[i].iteration == HABITAT_NONE)
            continue;
        add_times(all, o[i].start_ns, o[i].duration_ns);
        all->pieces[all->piece_count++] =
            (piece){(double)o[i].start_ns, (double)(o[i].start_ns + o[i].duration_ns)};
    }
    for (size_t i = 0; i < calls; i++) {
        if (c[i].iteration == HABITAT_NONE || replay_waits_gpu(&c[i]))
            continue;
        add_times(all, c[i].start_ns, c[i].duration_ns);
        all->call_count++;
    }
}

habitat_status replay_features(const habitat_workload *w, double out[REPLAY_FEATURES],
                               habitat_error *err) {
    size_t ops = 0, calls = 0;
    habitat_trace_operations(w->trace, &ops);
    habitat_trace_calls(w->trace, &calls);
    double iterations = (double)w->info.iteration_count;
    gathered all = {.points = malloc((2 * (ops + calls) + 2) * sizeof *all.points),
                    .pieces = malloc((ops + 1) * sizeof *all.pieces)};
    bool fine = all.points && all.pieces;
    if (fine) {
        gather(w->trace, &all);
        bool any = all.piece_count > 0;
        double step = usual_step(all.points, all.point_count);
        out[0] = any ? step * (double)all.point_count / iterations : NAN;
        out[1] = any ? (double)all.call_count / iterations : NAN;
        out[2] = any ? sum_of_union(all.pieces, all.piece_count) / iterations : NAN;
    }
    free(all.points);
    free(all.pieces);
    return fine ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
