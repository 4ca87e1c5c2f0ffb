/* The layers of a model whose weights, gradients and states are in parts, one part a GPU. */
#ifndef HABITAT_REPLAY_LAYERS_H
#define HABITAT_REPLAY_LAYERS_H

#include "replay/buckets.h"

/* A layer, and where in an iteration it is. Kernels are of the workload, on the main stream. */
typedef struct replay_layer {
    size_t parameters;
    double elements;
    double bytes;        /* as its operations read them: in 16 bit under autocast */
    double kept_bytes;   /* in the parameters' own format */
    double frozen_bytes; /* of either, without gradients */
    uint32_t forward;    /* launched first in its forward pass */
    uint32_t backward;   /* launched first in its backward pass */
    uint32_t done;       /* behind which its last gradient is done */
} replay_layer;

/* Of one iteration. all[0] is what no layer holds: of it `forward` is the iteration's first kernel
 * and `backward` HABITAT_NONE. The others in the order of the forward pass. */
typedef struct replay_layers {
    replay_layer *all; /* shape (count) */
    size_t count;      /* >= 1 */
} replay_layers;

/* The layers of step `step`. half: operations read weights in 16 bit, whatever was recorded.
 * HABITAT_E_MEMORY. Free in every case. */
habitat_status replay_find_layers(const habitat_workload *w, const replay_gradients *g, size_t step,
                                  bool half, const double *kernel_ns, replay_layers *out,
                                  habitat_error *err);
void replay_layers_free(replay_layers *l);

/* The operation that made the gradient which operation `add` adds to its parameter; or NONE. */
uint32_t replay_maker_of(const habitat_operation *ops, uint32_t add);

/* Whether that operation (or NONE) is autograd's of a cast of the weight. */
bool replay_casts_weight(const habitat_operation *ops, uint32_t maker);

/* Whether operation i runs inside of a backward one: in a layer that is run again. */
bool replay_is_again(const habitat_operation *ops, uint32_t i);

#endif
