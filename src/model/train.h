/* Training: rows of a class as numbers, fits, and what judging needs of them. */
#ifndef HABITAT_MODEL_TRAIN_H
#define HABITAT_MODEL_TRAIN_H

#include "model/learned.h"

/* The GPU as if nobody had measured its sustained rates: from its spec sheet and the shares of
 * theirs that `others` sustain. docs/modelling.md#rates */
void train_estimate_rates(const habitat_gpu *gpu, const habitat_gpu *const *others, size_t count,
                          habitat_gpu *out);

/* Classes to train, one bit each (1 << operator_class). */
habitat_status train_classes(const habitat_dataset *data, const habitat_gpu_table *gpus,
                             const habitat_train_options *options, unsigned classes,
                             habitat_models **out, habitat_error *err);

/* Rows of one paper class, and the perceptron trained on them. */
typedef struct network_samples {
    size_t n, inputs;
    const float *x;       /* shape (n, inputs) */
    const float *time_ms; /* shape (n) */
    const uint64_t *hash; /* shape (n): validation is split by shape */
} network_samples;

typedef enum network_loss { NETWORK_MAPE, NETWORK_SQUARED_LOG, NETWORK_PSEUDO_HUBER } network_loss;

typedef struct network_options {
    uint32_t layers, width, epochs, batch;
    network_activation activation;
    network_loss loss;
    double learning_rate, weight_decay; /* AdamW; 0 = Adam */
    double validation_share;            /* by shape */
    uint32_t patience;                  /* epochs without improvement before stopping; 0 = never */
    uint64_t seed;
} network_options;

/* Fit log(time); the network of the best validation epoch. `validation_loss` may be NULL. */
habitat_status network_train(const network_samples *samples, const network_options *options,
                             network *out, double *validation_loss, habitat_error *err);

/* Loss and its gradient by the parameters for a batch, for tests of the gradient. `gradient`: shape
 * (network_parameter_count). */
double network_gradient(const network *net, network_loss loss, const float *x, const float *time_ms,
                        size_t n, float *gradient);

habitat_status train_paper(const habitat_dataset *data, const habitat_gpu_table *gpus,
                           const habitat_train_options *options, paper_class c, operator_model *out,
                           bool *trained, habitat_error *err);

#endif
