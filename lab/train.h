/* Training: rows of a class as numbers, fits, and what judging needs of them. */
#ifndef HABITAT_LAB_TRAIN_H
#define HABITAT_LAB_TRAIN_H

#include "lab/lab.h"
#include "models/learned.h"

/* The GPU as if nobody had measured its sustained rates: from its spec sheet and the shares of
 * theirs that `others` sustain. docs/modelling.md#rates */
void train_estimate_rates(const habitat_gpu *gpu, const habitat_gpu *const *others, size_t count,
                          habitat_gpu *out);

/* Bits (1 << operator_class) of the classes that the options name, all when they name none.
 * HABITAT_E_ARG: no such class. */
habitat_status train_named_classes(const habitat_train_options *options, unsigned *out,
                                   habitat_error *err);

/* Classes to train, one bit each (1 << operator_class). */
habitat_status train_classes(const habitat_dataset *data, const habitat_gpu_table *gpus,
                             const habitat_train_options *options, unsigned classes,
                             habitat_models **out, habitat_error *err);

/* ---- Intervals: train_interval.c ----------------------------------------------------------------
 */

/* One row held out of a fit, weighted so that every GPU counts alike. */
typedef struct train_held_out {
    double residual, residual_estimated; /* log(measured / analytic), on own and estimated rates */
    double correction, correction_estimated;
    double weight;
    uint8_t gpu;
} train_held_out;

/* Ends of the 80 % interval of log(measured / predicted) on a GPU that is none of those of `rows`.
 * shrink: what the corrections count. miss: standard deviation of the logs of estimated rates, at
 * least; 0 = on measured rates. docs/modelling.md#protocol
 * @return false without memory. */
bool train_interval(const train_held_out *rows, size_t n, double shrink, double miss, float *low,
                    float *high);

/* The same on a GPU that is one of those of `rows`. */
bool train_seen_interval(const train_held_out *rows, size_t n, float *low, float *high);

/* Rows of one paper class, and the perceptron trained on them. */
typedef struct perceptron_samples {
    size_t n, inputs;
    const float *x;       /* shape (n, inputs) */
    const float *time_ms; /* shape (n) */
    const uint64_t *hash; /* shape (n): validation is split by shape */
} perceptron_samples;

typedef enum perceptron_loss {
    PERCEPTRON_MAPE,
    PERCEPTRON_SQUARED_LOG,
    PERCEPTRON_PSEUDO_HUBER
} perceptron_loss;

typedef struct perceptron_options {
    uint32_t layers, width, epochs, batch;
    perceptron_activation activation;
    perceptron_loss loss;
    double learning_rate, weight_decay; /* AdamW; 0 = Adam */
    double validation_share;            /* by shape */
    uint32_t patience;                  /* epochs without improvement before stopping; 0 = never */
    uint64_t seed;
} perceptron_options;

/* Whether rows of this shape are kept from training and validate it. */
bool perceptron_validates(uint64_t hash, const perceptron_options *options);

/* Fit log(time); the perceptron of the best validation epoch. `validation_loss` may be NULL.
 * HABITAT_E_ARG; HABITAT_E_RANGE (a time that is zero, negative or no number, or training that
 * diverges); HABITAT_E_UNSUPPORTED (a build without a BLAS); HABITAT_E_MEMORY. */
habitat_status perceptron_train(const perceptron_samples *samples,
                                const perceptron_options *options, perceptron *out,
                                double *validation_loss, habitat_error *err);

/* Loss and its gradient by the parameters for a batch, for tests of the gradient. `gradient`: shape
 * (perceptron_parameter_count). */
double perceptron_gradient(const perceptron *net, perceptron_loss loss, const float *x,
                           const float *time_ms, size_t n, float *gradient);

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

typedef struct trees_options {
    uint32_t depth, count;
    double learning_rate, row_share, input_share, leaf_rows, leaf_penalty;
    double clip; /* pseudo-Huber: residuals beyond this count linearly */
    uint64_t seed;
} trees_options;

/* Fit targets y by gradient boosting on quantile bins.
 * inputs: shape (n, d), row-major. weights: shape (n), > 0. use: shape (d), false = leave out.
 * Deterministic: sums run in row order. HABITAT_E_ARG, HABITAT_E_MEMORY. */
habitat_status trees_train(const float *inputs, const float *y, const float *weights, size_t n,
                           size_t d, const bool *use, const trees_options *options, trees *out,
                           habitat_error *err);

/* The file's bytes; the caller frees *out. */
habitat_status learned_encode(const habitat_models *models, uint8_t **out, size_t *size,
                              habitat_error *err);

#endif
