/* See ranks.h. */
#include "workload/ranks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_parallel.h"
#include "base/error.h"
#include "workload/ranks_beside.h"

typedef struct list {
    const habitat_kernel **all;
    size_t count;
} list;

static bool list_messages(const habitat_trace *trace, list *out) {
    size_t count = 0;
    uint32_t device = habitat_trace_get_info(trace)->device;
    const habitat_kernel *k = habitat_trace_kernels(trace, &count);
    out->all = malloc((count + 1) * sizeof *out->all);
    out->count = 0;
    for (size_t i = 0; out->all && i < count; i++)
        if (k[i].form->device == device && k[i].iteration != HABITAT_NONE &&
            k[i].form->kind == HABITAT_KERNEL_COLLECTIVE)
            out->all[out->count++] = &k[i];
    return out->all != NULL;
}

/* The message is about that trace. */
static habitat_status refuse(const habitat_trace *const *traces, size_t other, habitat_error *err) {
    if (err)
        snprintf(err->file, sizeof err->file, "%s", habitat_trace_get_info(traces[other])->file);
    return HABITAT_E_FORMAT;
}

/* ---- who is which rank ---- */

habitat_status ranks_order(const habitat_trace *const *traces, size_t count, size_t *order,
                           habitat_error *err) {
    size_t numbered = 0;
    for (size_t i = 0; i < count; i++) {
        const habitat_trace_info *t = habitat_trace_get_info(traces[i]);
        numbered += t->rank != HABITAT_NONE;
        order[i] = i;
        if (t->world_size && t->world_size != count) {
            habitat_fail(err, HABITAT_E_FORMAT,
                         "a rank of %" PRIu32 ", and %zu files are given; give one of each rank",
                         t->world_size, count);
            return refuse(traces, i, err);
        }
    }
    if (numbered < count)
        return HABITAT_OK;
    for (size_t i = 0; i < count; i++)
        order[i] = count;
    for (size_t i = 0; i < count; i++) {
        uint32_t rank = habitat_trace_get_info(traces[i])->rank;
        if (rank >= count || order[rank] != count) {
            habitat_fail(err, HABITAT_E_FORMAT,
                         rank >= count ? "rank %" PRIu32 " of %zu; ranks are counted from 0"
                                       : "rank %" PRIu32
                                         " is there twice among the %zu files; give one of "
                                         "each rank",
                         rank, count);
            return refuse(traces, i, err);
        }
        order[rank] = i;
    }
    return HABITAT_OK;
}

/* ---- which message is which ---- */

static habitat_status check_counts(const habitat_trace *const *traces, const list *lists,
                                   size_t rank, habitat_error *err) {
    size_t iterations[2] = {0, 0};
    habitat_trace_iterations(traces[0], &iterations[0]);
    habitat_trace_iterations(traces[rank], &iterations[1]);
    if (iterations[0] != iterations[1]) {
        habitat_fail(err, HABITAT_E_FORMAT,
                     "holds %zu iterations, and the first rank's file %zu; record the same ones",
                     iterations[1], iterations[0]);
        return refuse(traces, rank, err);
    }
    if (lists[0].count != lists[rank].count) {
        habitat_fail(err, HABITAT_E_FORMAT,
                     "holds %zu collectives, and the first rank's file %zu: not the same "
                     "iterations; record the same ones",
                     lists[rank].count, lists[0].count);
        return refuse(traces, rank, err);
    }
    return HABITAT_OK;
}

static habitat_status check_message(const habitat_trace *const *traces, const list *lists,
                                    size_t rank_count, size_t rank, size_t i, habitat_error *err) {
    const habitat_kernel *a = lists[0].all[i], *b = lists[rank].all[i];
    if (a->form->collective != b->form->collective || a->form->bytes != b->form->bytes ||
        a->form->group_size != b->form->group_size || a->iteration != b->iteration) {
        habitat_fail(err, HABITAT_E_FORMAT,
                     "collective %zu sends %" PRIu64 " bytes among %" PRIu32
                     " GPUs, and the first rank's %" PRIu64 " among %" PRIu32
                     ", or of another kind: not the same iterations; record the same ones",
                     i + 1, b->form->bytes, b->form->group_size, a->form->bytes,
                     a->form->group_size);
        return refuse(traces, rank, err);
    }
    if (b->form->group_size && b->form->group_size != rank_count) {
        habitat_fail(err, HABITAT_E_FORMAT,
                     "collective %zu is among %" PRIu32 " GPUs, and %zu files are given; give one "
                     "of each rank. Groups of some ranks are not followed: predict one rank's file "
                     "alone, where waiting for others stays as recorded",
                     i + 1, b->form->group_size, rank_count);
        return refuse(traces, rank, err);
    }
    return HABITAT_OK;
}

static double end_of(const habitat_kernel *k) {
    return (double)k->start_ns + (double)k->duration_ns;
}

/* What all ranks need to send and receive ends on all together, or as far apart as their clocks
 * are: always the same. Whoever sends one way need not wait. */
static habitat_status check_ends(const habitat_trace *const *traces, const list *lists, size_t rank,
                                 habitat_error *err) {
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < lists[0].count; i++) {
        if (lists[0].all[i]->form->collective == HABITAT_COLLECTIVE_ONE_WAY)
            continue;
        double difference = end_of(lists[rank].all[i]) - end_of(lists[0].all[i]);
        least = fmin(least, difference);
        most = fmax(most, difference);
    }
    if (!(most - least > chosen_message_end_spread_ns))
        return HABITAT_OK;
    habitat_fail(err, HABITAT_E_FORMAT,
                 "its collectives end up to %.1f ms apart from the first rank's: not the same "
                 "iterations; record the same ones",
                 (most - least) / HABITAT_NS_PER_MS);
    return refuse(traces, rank, err);
}

static habitat_status check_others(const habitat_trace *const *traces, const list *lists,
                                   size_t rank, habitat_error *err) {
    for (size_t r = 0; r < rank; r++) {
        size_t same = 0;
        for (size_t i = 0; i < lists[0].count; i++)
            same += lists[r].all[i]->start_ns == lists[rank].all[i]->start_ns &&
                    lists[r].all[i]->duration_ns == lists[rank].all[i]->duration_ns;
        if (same == lists[0].count) {
            habitat_fail(err, HABITAT_E_FORMAT,
                         "the same recording is there twice; give one of each rank");
            return refuse(traces, rank, err);
        }
    }
    return HABITAT_OK;
}

static habitat_status check_all(const habitat_trace *const *traces, const list *lists,
                                size_t rank_count, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    if (!lists[0].count) {
        habitat_fail(
            err, HABITAT_E_FORMAT,
            "holds no collective (kernel of NCCL): its GPU trained alone; leave out --ranks");
        return refuse(traces, 0, err);
    }
    for (size_t r = 0; status == HABITAT_OK && r < rank_count; r++) {
        status = check_counts(traces, lists, r, err);
        for (size_t i = 0; status == HABITAT_OK && i < lists[0].count; i++)
            status = check_message(traces, lists, rank_count, r, i, err);
        if (status == HABITAT_OK)
            status = check_others(traces, lists, r, err);
        if (status == HABITAT_OK)
            status = check_ends(traces, lists, r, err);
    }
    return status;
}

static bool set_messages(const list *lists, size_t rank_count, rank_messages *out) {
    out->message_ns = malloc((lists[0].count + 1) * sizeof *out->message_ns);
    out->count = lists[0].count;
    for (size_t i = 0; out->message_ns && i < out->count; i++) {
        uint64_t least = UINT64_MAX;
        for (size_t r = 0; r < rank_count; r++)
            if (lists[r].all[i]->duration_ns < least)
                least = lists[r].all[i]->duration_ns;
        out->message_ns[i] = least;
    }
    return out->message_ns != NULL;
}

habitat_status ranks_match(const habitat_trace *const *traces, size_t rank_count,
                           rank_messages *out, habitat_error *err) {
    list lists[WORKLOAD_RANKS_MAX] = {{NULL, 0}};
    habitat_status status = HABITAT_OK;
    *out = (rank_messages){.message_ns = NULL};
    bool fine = true;
    for (size_t r = 0; fine && r < rank_count; r++)
        fine = list_messages(traces[r], &lists[r]);
    if (fine)
        status = check_all(traces, lists, rank_count, err);
    if (fine && status == HABITAT_OK)
        fine = set_messages(lists, rank_count, out) &&
               ranks_take_beside(traces, rank_count, out->message_ns, out->count, out->taken_ns) ==
                   HABITAT_OK;
    for (size_t r = 0; r < rank_count; r++)
        free(lists[r].all);
    return fine ? status : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

void ranks_free(rank_messages *m) {
    free(m->message_ns);
    for (size_t r = 0; r < WORKLOAD_RANKS_MAX; r++)
        free(m->taken_ns[r]);
}
