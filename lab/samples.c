/* Rows of one class of operations as numbers for the trees: which are taken, what is looked at, and
 * how much each counts. */
#include "lab/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/random.h"
#include "lab/train_rates.h"
#include "question/query.h"

enum { ROWS_PER_GROUP = 8000 };

int samples_compare(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

void samples_free(samples *s) {
    free(s->x);
    free(s->y);
    free(s->x_estimated);
    free(s->y_estimated);
    free(s->weight);
    free(s->gpu);
    free(s->way);
    free(s->test);
    free(s->is_long);
    free(s->time_ms);
    free(s->hash);
    *s = (samples){0};
}

/* Class conv2d compares GPUs, most of them by eager calls of 3 x 3 kernels. Layers of networks that
 * one GPU ran in every format are for the classes that tell how formats and passes differ: with
 * them here networks on other GPUs come out worse (docs/decisions/0285). */
static bool of_one_gpu(const habitat_measurement *row, operator_class c) {
    static const char layers[] = "measure_convolutions";
    return c == OPERATOR_CONV && row->source && strncmp(row->source, layers, strlen(layers)) == 0;
}

static bool wanted(const habitat_measurement *row, operator_class c,
                   const habitat_train_options *options) {
    habitat_model_query query = question_of(row);
    if (row->suspect || (!options->all_rows && row->test) || of_one_gpu(row, c) ||
        !operator_trains_on(c, &query, row->time_ms) || !operator_pass_trained(c, row->work.pass))
        return false;
    for (size_t i = 0; i < options->without_count; i++)
        if (strcmp(options->without[i], row->gpu) == 0)
            return false;
    for (size_t i = 0; row->test && i < options->without_tests_count; i++)
        if (strcmp(options->without_tests[i], row->gpu) == 0)
            return false;
    return true;
}

static size_t gpu_index(samples *s, const habitat_gpu_table *gpus, const char *name) {
    for (size_t i = 0; i < s->gpu_count; i++)
        if (strcmp(s->gpus[i]->name, name) == 0)
            return i;
    const habitat_gpu *gpu;
    if (s->gpu_count == TRAIN_GPUS_MAX ||
        habitat_gpu_find(gpus, name, &gpu, NULL, NULL) != HABITAT_OK)
        return SIZE_MAX;
    s->gpus[s->gpu_count] = gpu;
    return s->gpu_count++;
}

uint64_t samples_scramble(uint64_t hash, uint64_t seed) {
    random_state r = random_seeded(hash ^ seed);
    return random_bits(&r);
}

/* Of a GPU and split. One GPU alone stands behind convolutions in groups, and their kernels follow
 * no rule: each row tells of its own layer. */
static size_t most_rows(operator_class c) {
    return c == OPERATOR_CONV_GROUPS ? 3 * ROWS_PER_GROUP : ROWS_PER_GROUP;
}

typedef struct group {
    size_t count;
    uint64_t limit; /* rows whose scrambled hash is below stay */
} group;

/* Large groups (GPU and split) are thinned by the hash of the shape: equal shapes stay together. */
static void find_groups(const habitat_dataset *data, const habitat_gpu_table *gpus,
                        operator_class c, const habitat_train_options *options, samples *s,
                        group groups[TRAIN_GPUS_MAX][2]) {
    size_t count;
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    for (size_t i = 0; i < count; i++) {
        if (!wanted(&rows[i], c, options))
            continue;
        size_t g = gpu_index(s, gpus, rows[i].gpu);
        if (g != SIZE_MAX)
            groups[g][rows[i].test].count++;
    }
    for (size_t g = 0; g < s->gpu_count; g++)
        for (int t = 0; t < 2; t++) {
            double share = (double)most_rows(c) / fmax((double)groups[g][t].count, 1);
            groups[g][t].limit = share < 1 ? (uint64_t)(share * 0x1p64) : UINT64_MAX;
        }
}

static bool samples_reserve(samples *s, size_t n) {
    n = n ? n : 1;
    s->x = calloc(n * s->d, sizeof *s->x);
    s->y = calloc(n, sizeof *s->y);
    s->x_estimated = calloc(n * s->d, sizeof *s->x);
    s->y_estimated = calloc(n, sizeof *s->y);
    s->weight = calloc(n, sizeof *s->weight);
    s->gpu = calloc(n, 1);
    s->way = calloc(n, 1);
    s->test = calloc(n, 1);
    s->is_long = calloc(n, 1);
    s->time_ms = calloc(n, sizeof *s->time_ms);
    s->hash = calloc(n, sizeof *s->hash);
    return s->x && s->y && s->x_estimated && s->y_estimated && s->weight && s->gpu && s->way &&
           s->test && s->is_long && s->time_ms && s->hash;
}

static bool look_at(const habitat_measurement *row, operator_class c, const habitat_gpu *gpu,
                    size_t d, float *x, float *y) {
    habitat_model_query query = question_of(row);
    operator_gpu facts;
    operator_view view;
    if (!operator_gpu_facts(gpu, c, operator_arithmetic(&query), &facts))
        return false;
    operator_look(&query, c, &facts, &view);
    double target = log(row->time_ms / view.base_ms);
    bool graph = row->timing == HABITAT_TIMING_GRAPH && operator_facts_of(c)->memory_bound;
    if ((!graph && row->time_ms < 2 * view.floor_ms) || !isfinite(target))
        return false;
    memcpy(x, view.inputs, d * sizeof *x);
    *y = (float)target;
    return true;
}

static void add_sample(samples *s, const habitat_measurement *row, operator_class c, size_t g) {
    size_t i = s->n;
    if (!look_at(row, c, s->gpus[g], s->d, s->x + i * s->d, s->y + i))
        return;
    if (!look_at(row, c, &s->estimated[g], s->d, s->x_estimated + i * s->d, s->y_estimated + i)) {
        memcpy(s->x_estimated + i * s->d, s->x + i * s->d, s->d * sizeof *s->x);
        s->y_estimated[i] = s->y[i];
    }
    habitat_model_query query = question_of(row);
    s->gpu[i] = (uint8_t)g;
    s->way[i] = (uint8_t)operator_way(&query, c);
    s->test[i] = row->test;
    s->time_ms[i] = (float)row->time_ms;
    s->hash[i] = row->shape_hash;
    s->n++;
}

/* Every GPU and split counts alike, damped: the square root of what would equal them. */
static void weigh(samples *s) {
    size_t counts[TRAIN_GPUS_MAX][2] = {{0}};
    for (size_t i = 0; i < s->n; i++)
        counts[s->gpu[i]][s->test[i]]++;
    double sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        double count = fmax((double)counts[s->gpu[i]][s->test[i]], 300);
        s->weight[i] = (float)sqrt((double)ROWS_PER_GROUP / count);
        sum += (double)s->weight[i];
    }
    for (size_t i = 0; i < s->n; i++)
        s->weight[i] = (float)((double)s->weight[i] * (double)s->n / sum);
}

static bool mark_long(samples *s) {
    float *times = malloc((s->n + 1) * sizeof *times);
    for (size_t g = 0; times && g < s->gpu_count; g++) {
        size_t n = 0;
        for (size_t i = 0; i < s->n; i++)
            if (s->gpu[i] == g)
                times[n++] = s->time_ms[i];
        qsort(times, n, sizeof *times, samples_compare);
        for (size_t i = 0; i < s->n; i++)
            if (s->gpu[i] == g)
                s->is_long[i] = s->time_ms[i] > times[(size_t)(0.7 * (double)n)];
    }
    free(times);
    return times != NULL;
}

habitat_status samples_collect(const habitat_dataset *data, const habitat_gpu_table *gpus,
                               operator_class c, const habitat_train_options *options, samples *s,
                               habitat_error *err) {
    *s = (samples){0};
    s->d = operator_facts_of(c)->features->count;
    group groups[TRAIN_GPUS_MAX][2] = {{{0, 0}}};
    find_groups(data, gpus, c, options, s, groups);
    size_t total = 0;
    for (size_t g = 0; g < s->gpu_count; g++) {
        total += groups[g][0].count + groups[g][1].count;
        train_estimate_rates(s->gpus[g], s->gpus, s->gpu_count, &s->estimated[g]);
    }
    if (!samples_reserve(s, total)) {
        samples_free(s);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    size_t count;
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    for (size_t i = 0; i < count; i++) {
        if (!wanted(&rows[i], c, options))
            continue;
        size_t g = gpu_index(s, gpus, rows[i].gpu);
        if (g != SIZE_MAX)
            range_add(&s->range, &rows[i].work);
        if (g != SIZE_MAX &&
            samples_scramble(rows[i].shape_hash, options->seed) <= groups[g][rows[i].test].limit)
            add_sample(s, &rows[i], c, g);
    }
    weigh(s);
    if (mark_long(s))
        return HABITAT_OK;
    samples_free(s);
    return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}
