/* The paper's perceptrons: their rows, settings and training. */
#ifndef HABITAT_LAB_TRAIN_PAPER_H
#define HABITAT_LAB_TRAIN_PAPER_H

#include "lab/lab.h"
#include "lab/train_perceptron.h"
#include "models/learned.h"

/* Rows of one class of the paper that may be trained on (or, `test`, judged on), at most
 * `per_gpu` of each GPU by a hash of the shape. Rows whose time is mostly the cost of launching
 * them are left out: see docs/mlp.md. */
typedef struct paper_rows {
    size_t n, inputs, gpu_count;
    float *x, *time_ms;   /* shapes (n, inputs) and (n) */
    uint64_t *hash;       /* shape (n) */
    uint8_t *gpu;         /* shape (n): index into gpus */
    const char **sources; /* shape (n), of the dataset */
    const char *gpus[64]; /* names, of the dataset */
} paper_rows;

typedef enum paper_split { PAPER_TRAIN, PAPER_TEST, PAPER_ALL } paper_split;

habitat_status paper_gather(const habitat_dataset *data, const habitat_gpu_table *gpus,
                            paper_class c, paper_split split, size_t per_gpu, uint64_t seed,
                            paper_rows *out, habitat_error *err);
void paper_rows_free(paper_rows *rows);

/* The rows for which keep[gpu] holds, as samples that borrow from `kept`, which the caller frees
 * with paper_rows_free(). */
habitat_status paper_select(const paper_rows *rows, const bool *keep, paper_rows *kept,
                            habitat_error *err);
perceptron_samples paper_samples(const paper_rows *rows);

/* Settings of the shipped perceptrons; fields of `options` that are not 0 replace them. */
perceptron_options paper_options(paper_class c, const habitat_train_options *options);

habitat_status train_paper(const habitat_dataset *data, const habitat_gpu_table *gpus,
                           const habitat_train_options *options, paper_class c, operator_model *out,
                           bool *trained, habitat_error *err);

#endif
