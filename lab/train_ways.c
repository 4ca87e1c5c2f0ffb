/* What an answer is worth whose way no GPU of the training rows ran: docs/modelling.md#ways.
 *
 * A grouped convolution where dense ones alone were measured, or one whose algorithm the library
 * guessed where all were tried: other kernels ran. Rows tell how far off such answers are only
 * where their own way is withheld from what answers them. So each way is left out besides each kind
 * of GPU; what the trees count, and how wide the interval is, come from those rows. */
#include "lab/train_ways.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "gpu/gpu.h"

static uint32_t ways_of(const samples *s, size_t gpu) {
    uint32_t ways = 0;
    for (size_t i = 0; i < s->n; i++)
        if (gpu == s->gpu_count || s->gpu[i] == gpu)
            ways |= (uint32_t)1 << s->way[i];
    return ways;
}

static size_t gpus_of_kind(const samples *s, size_t gpu) {
    size_t count = 0;
    for (size_t g = 0; g < s->gpu_count; g++)
        count += s->gpus[g]->compute_capability == s->gpus[gpu]->compute_capability;
    return count;
}

/* Adds the rows of one GPU and way, answered by a fit on other kinds and other ways. Nothing is
 * added where these have too few rows. */
static habitat_status judge_way(const samples *s, operator_class c, size_t gpu, unsigned way,
                                uint64_t seed, train_held_out *rows, size_t *n,
                                habitat_error *err) {
    size_t left_out = gpu * OPERATOR_WAYS_MAX + way, others = 0, first = *n;
    for (size_t i = 0; i < s->n; i++)
        others += train_kept(s, i, KEEP_OTHER_WAYS, left_out);
    if (others < TRAIN_LEAST_ROWS)
        return HABITAT_OK;
    trees t = {0};
    habitat_status status = train_fit(s, c, false, KEEP_OTHER_WAYS, left_out, seed, &t, err);
    if (status != HABITAT_OK)
        return status;
    size_t end = first + train_add_held_out(s, &t, gpu, false, false, rows + first);
    for (size_t i = first; i < end; i++)
        if (rows[i].way == way) {
            rows[*n] = rows[i];
            rows[(*n)++].weight /= (double)gpus_of_kind(s, gpu); /* kinds count alike */
        }
    trees_free(&t);
    return HABITAT_OK;
}

static habitat_status judge_ways(const samples *s, operator_class c, uint64_t seed,
                                 train_held_out *rows, size_t *n, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    for (size_t g = 0; g < s->gpu_count; g++) {
        uint32_t ways = ways_of(s, g);
        for (unsigned way = 0; status == HABITAT_OK && way < OPERATOR_WAYS_MAX; way++)
            if (ways >> way & 1)
                status = judge_way(s, c, g, way, seed, rows, n, err);
    }
    return status;
}

habitat_status train_ways(const samples *s, operator_class c, const train_held_out *alone,
                          size_t alone_count, double miss, uint64_t seed, operator_model *model,
                          habitat_error *err) {
    learned_ways *out = &model->ways;
    const operator_facts *facts = operator_facts_of(c);
    *out = (learned_ways){0};
    if (!facts->way || !facts->judged_by_kind)
        return HABITAT_OK;
    /* while a way is picked out, all rows of its GPU lie behind those that were judged */
    train_held_out *rows = malloc((2 * s->n + 1) * sizeof *rows);
    size_t n = 0;
    habitat_status status = rows ? judge_ways(s, c, seed, rows, &n, err)
                                 : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    bool by_analysis = n == 0; /* nothing says that trees hold for another way */
    const train_held_out *judged = by_analysis ? alone : rows;
    size_t count = by_analysis ? alone_count : n;
    if (status == HABITAT_OK && count > 0) {
        double shrink = by_analysis ? 0 : train_choose_shrink(rows, n, s->gpu_count, c);
        out->known = ways_of(s, s->gpu_count);
        out->shrink = (float)shrink;
        if (!train_way_interval(judged, count, shrink, 0, &out->half) ||
            !train_way_interval(judged, count, shrink, miss, &out->half_estimated))
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        out->half = fmaxf(out->half, model->high);
        out->half_estimated = fmaxf(out->half_estimated, model->high_estimated);
    }
    free(rows);
    return status;
}
