/* Training of one perceptron. */
#ifndef HABITAT_LAB_TRAIN_PERCEPTRON_H
#define HABITAT_LAB_TRAIN_PERCEPTRON_H

#include "lab/lab.h"
#include "lab/train_blas.h"
#include "models/learned.h"

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

/* What one step of training works in: the BLAS, and the numbers between the layers. */
typedef struct perceptron_room {
    train_blas blas;
    float *activations, *delta;
} perceptron_room;

/* Room for batches of up to `batch` rows; perceptron_room_close() frees it. HABITAT_E_UNSUPPORTED
 * (no BLAS); HABITAT_E_MEMORY. */
habitat_status perceptron_room_open(const perceptron *net, size_t batch, perceptron_room *out,
                                    habitat_error *err);
void perceptron_room_close(perceptron_room *room);

/* Mean loss of a batch of n rows, and its gradient by the parameters. `gradient`: shape
 * (perceptron_parameter_count). */
double perceptron_gradient(const perceptron_room *room, const perceptron *net, perceptron_loss loss,
                           const float *x, const float *time_ms, size_t n, float *gradient);

#endif
