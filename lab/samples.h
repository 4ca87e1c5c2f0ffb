/* Rows of one class of operations as numbers. */
#ifndef HABITAT_LAB_SAMPLES_H
#define HABITAT_LAB_SAMPLES_H

#include "gpu/gpu.h"
#include "lab/lab.h"
#include "models/range.h"
#include "operator/operator.h"

enum { TRAIN_GPUS_MAX = 32 };

/* Rows of one class as numbers. `x` and `y` with each GPU's own rates, `x_estimated` and
 * `y_estimated` with rates estimated from the other GPUs. */
typedef struct samples {
    size_t n, d;
    float *x, *y, *x_estimated, *y_estimated;
    float *weight;
    uint8_t *gpu; /* index into gpus */
    uint8_t *way; /* of the library: operator_way() */
    uint8_t *test;
    uint8_t *is_long; /* among the longest three tenths of its GPU's rows */
    float *time_ms;
    uint64_t *hash;
    learned_range range; /* of all rows, also those that thinning leaves out */
    size_t gpu_count;
    const habitat_gpu *gpus[TRAIN_GPUS_MAX];
    habitat_gpu estimated[TRAIN_GPUS_MAX];
} samples;

/* The rows that the options leave for training, large groups thinned. HABITAT_E_MEMORY. */
habitat_status samples_collect(const habitat_dataset *data, const habitat_gpu_table *gpus,
                               operator_class c, const habitat_train_options *options, samples *s,
                               habitat_error *err);
void samples_free(samples *s);

/* Another number for a hash and a seed: who draws by it draws equal shapes together. */
uint64_t samples_scramble(uint64_t hash, uint64_t seed);

/* Order of floats, for qsort(). */
int samples_compare(const void *a, const void *b);

#endif
