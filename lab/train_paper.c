/* The paper's perceptrons: which rows stand behind each, and their training. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/random.h"
#include "lab/train_paper.h"
#include "question/query.h"

enum {
    PAPER_ROWS_PER_GPU = 6000,
    PAPER_GPUS_MAX = 64,
    PAPER_LEAST_ROWS = 100,
    PAPER_FOLDS = 3,
    LAUNCH_GROUPS_MAX = 256
};

/* Smallest time of a source on a GPU: what launching costs there. */
typedef struct launch_cost {
    const char *gpu, *source;
    double ms;
} launch_cost;

typedef struct launch_costs {
    launch_cost list[LAUNCH_GROUPS_MAX];
    size_t count;
} launch_costs;

static launch_cost *cost_of(launch_costs *costs, const habitat_measurement *row) {
    for (size_t i = 0; i < costs->count; i++)
        if (costs->list[i].gpu == row->gpu && costs->list[i].source == row->source)
            return &costs->list[i];
    if (costs->count == LAUNCH_GROUPS_MAX)
        return NULL;
    costs->list[costs->count] = (launch_cost){row->gpu, row->source, INFINITY};
    return &costs->list[costs->count++];
}

/* Rows that were timed with their launch, and are not twice as long, are mostly launch. */
static bool above_launch(launch_costs *costs, const habitat_measurement *row) {
    const launch_cost *cost = cost_of(costs, row);
    return row->timing != HABITAT_TIMING_EAGER || !cost || row->time_ms >= 2 * cost->ms;
}

static bool in_class(const habitat_measurement *row, paper_class c) {
    habitat_model_query query = question_of(row);
    bool two_gradients =
        row->work.op_class == HABITAT_CLASS_CONV && row->work.pass == HABITAT_PASS_BACKWARD;
    /* The paper has no transposed ones; what is asked of them goes through their gradients. */
    bool transposed = row->work.op_class == HABITAT_CLASS_CONV && row->work.shape.conv.transposed;
    return !row->suspect && !two_gradients && !transposed && paper_class_of(&query) == c;
}

static bool in_split(const habitat_measurement *row, paper_split split) {
    return split == PAPER_ALL || row->test == (split == PAPER_TEST);
}

static size_t gpu_place(paper_rows *p, const char *gpu) {
    for (size_t i = 0; i < p->gpu_count; i++)
        if (p->gpus[i] == gpu)
            return i;
    if (p->gpu_count == PAPER_GPUS_MAX)
        return SIZE_MAX;
    p->gpus[p->gpu_count] = gpu;
    return p->gpu_count++;
}

static habitat_status reserve(paper_rows *p, size_t n, habitat_error *err) {
    n = n ? n : 1;
    p->x = malloc(n * p->inputs * sizeof *p->x);
    p->time_ms = malloc(n * sizeof *p->time_ms);
    p->hash = malloc(n * sizeof *p->hash);
    p->gpu = malloc(n * sizeof *p->gpu);
    p->sources = malloc(n * sizeof *p->sources);
    if (p->x && p->time_ms && p->hash && p->gpu && p->sources)
        return HABITAT_OK;
    paper_rows_free(p);
    return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

void paper_rows_free(paper_rows *p) {
    free(p->x);
    free(p->time_ms);
    free(p->hash);
    free(p->gpu);
    free(p->sources);
    *p = (paper_rows){0};
}

static void append(paper_rows *p, const habitat_measurement *row, paper_class c,
                   const habitat_gpu_table *gpus, size_t g) {
    const habitat_gpu *gpu;
    if (habitat_gpu_find(gpus, row->gpu, &gpu, NULL, NULL) != HABITAT_OK ||
        !paper_inputs(&row->work, row->work.pass, c, gpu, p->x + p->n * p->inputs))
        return;
    p->time_ms[p->n] = (float)row->time_ms;
    p->hash[p->n] = row->shape_hash;
    p->gpu[p->n] = (uint8_t)g;
    p->sources[p->n++] = row->source;
}

habitat_status paper_gather(const habitat_dataset *data, const habitat_gpu_table *gpus,
                            paper_class c, paper_split split, size_t per_gpu, uint64_t seed,
                            paper_rows *out, habitat_error *err) {
    size_t count, total = 0, of_gpu[PAPER_GPUS_MAX] = {0};
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    paper_rows p = {.inputs = paper_input_count(c)};
    launch_costs costs = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        launch_cost *cost = in_class(&rows[i], c) ? cost_of(&costs, &rows[i]) : NULL;
        if (cost)
            cost->ms = fmin(cost->ms, rows[i].time_ms);
    }
    for (size_t i = 0; i < count; i++) {
        if (!in_class(&rows[i], c) || !in_split(&rows[i], split) || !above_launch(&costs, &rows[i]))
            continue;
        size_t g = gpu_place(&p, rows[i].gpu);
        if (g != SIZE_MAX)
            of_gpu[g]++;
        total++;
    }
    habitat_status status = reserve(&p, total, err);
    if (status != HABITAT_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        if (!in_class(&rows[i], c) || !in_split(&rows[i], split) || !above_launch(&costs, &rows[i]))
            continue;
        size_t g = gpu_place(&p, rows[i].gpu);
        random_state r = random_seeded(rows[i].shape_hash ^ seed);
        if (g != SIZE_MAX && random_uniform(&r) * (double)of_gpu[g] <= (double)per_gpu)
            append(&p, &rows[i], c, gpus, g);
    }
    *out = p;
    return HABITAT_OK;
}

habitat_status paper_select(const paper_rows *rows, const bool *keep, paper_rows *kept,
                            habitat_error *err) {
    paper_rows p = {.inputs = rows->inputs, .gpu_count = rows->gpu_count};
    memcpy(p.gpus, rows->gpus, sizeof p.gpus);
    habitat_status status = reserve(&p, rows->n, err);
    if (status != HABITAT_OK)
        return status;
    for (size_t i = 0; i < rows->n; i++) {
        if (!keep[rows->gpu[i]])
            continue;
        memcpy(p.x + p.n * p.inputs, rows->x + i * p.inputs, p.inputs * sizeof *p.x);
        p.time_ms[p.n] = rows->time_ms[i];
        p.hash[p.n] = rows->hash[i];
        p.gpu[p.n] = rows->gpu[i];
        p.sources[p.n++] = rows->sources[i];
    }
    *kept = p;
    return HABITAT_OK;
}

perceptron_samples paper_samples(const paper_rows *rows) {
    return (perceptron_samples){rows->n, rows->inputs, rows->x, rows->time_ms, rows->hash};
}

perceptron_options paper_options(paper_class c, const habitat_train_options *options) {
    uint32_t width = options->paper_width ? options->paper_width : 128;
    return (perceptron_options){
        .layers = options->paper_layers ? options->paper_layers : 8,
        .width = width,
        .epochs = options->paper_epochs ? options->paper_epochs
                  : c == PAPER_LSTM     ? 300
                                        : 60,
        .batch = c == PAPER_LSTM ? 32 : 256,
        .activation = PERCEPTRON_RELU,
        .loss = PERCEPTRON_MAPE,
        .learning_rate = fmin(0.128 / (double)width, 4e-3), /* wider sums move further a step */
        .weight_decay = 1e-4,
        .validation_share = 0.1,
        .patience = 0, /* the rate falls to nothing over the epochs: the last are the best */
        .seed = options->seed + (uint64_t)c,
    };
}

/* ---- intervals ---- */

typedef struct residual {
    double value, weight; /* log(measured / predicted); GPUs count alike */
} residual;

static int compare_residuals(const void *a, const void *b) {
    double x = ((const residual *)a)->value, y = ((const residual *)b)->value;
    return (x > y) - (x < y);
}

/* Ends of the middle 80 %. */
static void middle(residual *list, size_t n, float *low, float *high) {
    double total = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        total += list[i].weight;
    qsort(list, n, sizeof *list, compare_residuals);
    *low = *high = (float)list[0].value;
    for (size_t i = 0; i < n; i++) {
        sum += list[i].weight;
        if (sum <= 0.1 * total)
            *low = (float)list[i].value;
        *high = (float)list[i].value;
        if (sum >= 0.9 * total)
            break;
    }
}

/* Residuals of the rows that `judged` picks, *count of them. False without memory. */
static bool residuals_of(const perceptron *net, const paper_rows *rows, const bool *judged_gpu,
                         const perceptron_options *only_validation, residual *out, size_t *count) {
    float *scratch = malloc(perceptron_scratch(net) * sizeof *scratch);
    double *logs = malloc((rows->n + 1) * sizeof *logs);
    size_t n = 0, of_gpu[PAPER_GPUS_MAX] = {0};
    if (scratch && logs) {
        perceptron_predict_rows(net, rows->x, rows->n, logs, scratch);
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = 0; i < rows->n; i++) {
                size_t g = rows->gpu[i];
                if ((judged_gpu && !judged_gpu[g]) ||
                    (only_validation && !perceptron_validates(rows->hash[i], only_validation)))
                    continue;
                if (pass == 0)
                    of_gpu[g]++;
                else
                    out[n++] = (residual){log((double)rows->time_ms[i]) - logs[i],
                                          1.0 / (double)of_gpu[g]};
            }
    }
    *count = n;
    bool done = scratch && logs;
    free(scratch);
    free(logs);
    return done;
}

/* How far off the perceptron is on GPUs it was not trained on: every GPU is in one of three parts,
 * and a perceptron of the same form, trained a quarter as long on the other two, judges it. */
static habitat_status judge_unseen(const paper_rows *rows, const perceptron_options *options,
                                   residual *list, operator_model *out, habitat_error *err) {
    perceptron_options brief = *options;
    brief.epochs = options->epochs > 4 ? options->epochs / 4 : 1;
    size_t n = 0;
    for (size_t fold = 0; rows->gpu_count >= PAPER_FOLDS && fold < PAPER_FOLDS; fold++) {
        bool train[PAPER_GPUS_MAX], judge[PAPER_GPUS_MAX];
        for (size_t g = 0; g < rows->gpu_count; g++)
            judge[g] = !(train[g] = g % PAPER_FOLDS != fold);
        paper_rows kept;
        habitat_status status = paper_select(rows, train, &kept, err);
        if (status != HABITAT_OK)
            return status;
        perceptron_samples samples = paper_samples(&kept);
        perceptron net = {0};
        if (samples.n > 0)
            status = perceptron_train(&samples, &brief, &net, NULL, err);
        size_t more = 0;
        if (status == HABITAT_OK && samples.n > 0 &&
            !residuals_of(&net, rows, judge, NULL, list + n, &more))
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        n += more;
        perceptron_free(&net);
        paper_rows_free(&kept);
        if (status != HABITAT_OK)
            return status;
    }
    if (n > 0)
        middle(list, n, &out->low_estimated, &out->high_estimated);
    return HABITAT_OK;
}

static habitat_status name_gpus(const paper_rows *rows, operator_model *out, habitat_error *err) {
    bool used[PAPER_GPUS_MAX] = {false};
    for (size_t i = 0; i < rows->n; i++)
        used[rows->gpu[i]] = true;
    out->gpus = calloc(PAPER_GPUS_MAX, sizeof *out->gpus);
    for (size_t g = 0; out->gpus && g < rows->gpu_count; g++) {
        size_t bytes = strlen(rows->gpus[g]) + 1;
        if (!used[g])
            continue;
        char *copy = malloc(bytes);
        if (!copy)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        memcpy(copy, rows->gpus[g], bytes);
        out->gpus[out->gpu_count++] = copy;
    }
    return out->gpus ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

static habitat_status fit(const paper_rows *rows, paper_class c, const perceptron_options *options,
                          operator_model *out, habitat_error *err) {
    perceptron_samples samples = paper_samples(rows);
    operator_model made = {.class_number = (uint8_t)c,
                           .use = HABITAT_MODEL_PAPER,
                           .shrink = 1,
                           .low = -0.7F, /* where nothing can be held out: a factor of two */
                           .high = 0.7F,
                           .low_estimated = -0.7F,
                           .high_estimated = 0.7F,
                           .training_rows = rows->n};
    residual *list = malloc((rows->n + 1) * sizeof *list);
    habitat_status status =
        list ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK)
        status = judge_unseen(rows, options, list, &made, err);
    if (status == HABITAT_OK)
        status = perceptron_train(&samples, options, &made.net, NULL, err);
    if (status == HABITAT_OK) {
        size_t n = 0;
        if (!residuals_of(&made.net, rows, NULL, options, list, &n))
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        else if (n > 0)
            middle(list, n, &made.low, &made.high);
        if (status == HABITAT_OK)
            status = name_gpus(rows, &made, err);
    }
    free(list);
    if (status == HABITAT_OK)
        *out = made;
    else
        learned_model_free(&made);
    return status;
}

habitat_status train_paper(const habitat_dataset *data, const habitat_gpu_table *gpus,
                           const habitat_train_options *options, paper_class c, operator_model *out,
                           bool *trained, habitat_error *err) {
    paper_rows all, rows;
    *trained = false;
    habitat_status status = paper_gather(data, gpus, c, options->all_rows ? PAPER_ALL : PAPER_TRAIN,
                                         PAPER_ROWS_PER_GPU, options->seed, &all, err);
    if (status != HABITAT_OK)
        return status;
    bool keep[PAPER_GPUS_MAX];
    for (size_t g = 0; g < all.gpu_count; g++) {
        keep[g] = true;
        for (size_t i = 0; i < options->without_count; i++)
            keep[g] = keep[g] && strcmp(options->without[i], all.gpus[g]) != 0;
    }
    status = paper_select(&all, keep, &rows, err);
    paper_rows_free(&all);
    if (status != HABITAT_OK)
        return status;
    if (rows.n >= PAPER_LEAST_ROWS) {
        perceptron_options settings = paper_options(c, options);
        status = fit(&rows, c, &settings, out, err);
        *trained = status == HABITAT_OK;
    }
    paper_rows_free(&rows);
    return status;
}
