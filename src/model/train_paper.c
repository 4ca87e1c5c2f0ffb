/* The paper's networks: which rows stand behind each, and their training. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/dataset.h"
#include "model/random.h"
#include "model/train.h"

enum { PAPER_ROWS_PER_GPU = 6000, PAPER_GPUS_MAX = 32, PAPER_LEAST_ROWS = 100 };

typedef struct paper_rows {
    size_t n, gpu_count;
    float *x, *time_ms;
    uint64_t *hash;
    char *gpus[PAPER_GPUS_MAX];
    size_t per_gpu[PAPER_GPUS_MAX];
} paper_rows;

static void paper_rows_free(paper_rows *p) {
    free(p->x);
    free(p->time_ms);
    free(p->hash);
    for (size_t i = 0; i < p->gpu_count; i++)
        free(p->gpus[i]);
}

static bool usable(const habitat_measurement *row, paper_class c,
                   const habitat_train_options *options) {
    habitat_model_query query = dataset_query(row);
    if (row->suspect || (row->test && !options->all_rows) || paper_class_of(&query) != c)
        return false;
    for (size_t i = 0; i < options->without_count; i++)
        if (strcmp(options->without[i], row->gpu) == 0)
            return false;
    return true;
}

static size_t place(paper_rows *p, const char *gpu) {
    for (size_t i = 0; i < p->gpu_count; i++)
        if (strcmp(p->gpus[i], gpu) == 0)
            return i;
    if (p->gpu_count == PAPER_GPUS_MAX)
        return SIZE_MAX;
    size_t bytes = strlen(gpu) + 1;
    char *copy = malloc(bytes);
    if (!copy)
        return SIZE_MAX;
    memcpy(copy, gpu, bytes);
    p->gpus[p->gpu_count] = copy;
    return p->gpu_count++;
}

static bool gather(const habitat_dataset *data, const habitat_gpu_table *gpus, paper_class c,
                   const habitat_train_options *options, paper_rows *p) {
    size_t count, inputs = paper_input_count(c);
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    for (size_t i = 0; i < count; i++)
        if (usable(&rows[i], c, options)) {
            size_t g = place(p, rows[i].gpu);
            if (g != SIZE_MAX)
                p->per_gpu[g]++;
        }
    size_t total = 1;
    for (size_t g = 0; g < p->gpu_count; g++)
        total += p->per_gpu[g];
    p->x = malloc(total * inputs * sizeof *p->x);
    p->time_ms = malloc(total * sizeof *p->time_ms);
    p->hash = malloc(total * sizeof *p->hash);
    if (!p->x || !p->time_ms || !p->hash)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!usable(&rows[i], c, options))
            continue;
        size_t g = place(p, rows[i].gpu);
        random_state r = random_seeded(rows[i].shape_hash ^ options->seed);
        const habitat_gpu *gpu;
        habitat_model_query query = dataset_query(&rows[i]);
        if (g == SIZE_MAX ||
            random_uniform(&r) * (double)p->per_gpu[g] > (double)PAPER_ROWS_PER_GPU ||
            habitat_gpu_find(gpus, rows[i].gpu, &gpu, NULL, NULL) != HABITAT_OK ||
            !paper_inputs(&query, c, gpu, p->x + p->n * inputs))
            continue;
        p->time_ms[p->n] = (float)rows[i].time_ms;
        p->hash[p->n++] = rows[i].shape_hash;
    }
    return true;
}

static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* 80 % of all rows: the network has no notion of a GPU left out; docs/accuracy.md shows that. */
static void spread_of(const network *net, const paper_rows *p, size_t inputs, float *low,
                      float *high) {
    float *residuals = malloc((p->n + 1) * sizeof *residuals);
    float *scratch = malloc(2 * ((size_t)net->width + inputs) * sizeof *scratch);
    if (residuals && scratch) {
        for (size_t i = 0; i < p->n; i++)
            residuals[i] = (float)(log((double)p->time_ms[i]) -
                                   network_predict(net, p->x + i * inputs, scratch));
        qsort(residuals, p->n, sizeof *residuals, compare_floats);
        *low = residuals[p->n / 10];
        *high = residuals[p->n - 1 - p->n / 10];
    }
    free(residuals);
    free(scratch);
}

habitat_status train_paper(const habitat_dataset *data, const habitat_gpu_table *gpus,
                           const habitat_train_options *options, paper_class c, operator_model *out,
                           bool *trained, habitat_error *err) {
    paper_rows p = {0};
    habitat_status status = HABITAT_OK;
    *trained = false;
    if (!gather(data, gpus, c, options, &p))
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (status == HABITAT_OK && p.n >= PAPER_LEAST_ROWS) {
        network_samples samples = {p.n, paper_input_count(c), p.x, p.time_ms, p.hash};
        network_options settings = {
            .layers = options->paper_layers ? options->paper_layers : 8,
            .width = options->paper_width ? options->paper_width : 96,
            .epochs = options->paper_epochs ? options->paper_epochs : 30,
            .batch = 256,
            .activation = NETWORK_RELU,
            .loss = NETWORK_MAPE,
            .learning_rate = 1e-3,
            .weight_decay = 1e-4,
            .validation_share = 0.1,
            .patience = 10,
            .seed = options->seed + c,
        };
        if (p.n < 3000 && !options->paper_epochs)
            settings.epochs = 200;
        *out = (operator_model){.class_number = (uint8_t)c,
                                .use = HABITAT_MODEL_PAPER,
                                .shrink = 1,
                                .training_rows = p.n};
        status = network_train(&samples, &settings, &out->net, NULL, err);
        if (status == HABITAT_OK) {
            spread_of(&out->net, &p, samples.inputs, &out->low, &out->high);
            out->low_estimated = out->low;
            out->high_estimated = out->high;
            out->gpus = calloc(p.gpu_count ? p.gpu_count : 1, sizeof *out->gpus);
            for (size_t i = 0; out->gpus && i < p.gpu_count; i++) {
                out->gpus[i] = p.gpus[i];
                p.gpus[i] = NULL;
                out->gpu_count++;
            }
            *trained = true;
        }
    }
    paper_rows_free(&p);
    return status;
}
