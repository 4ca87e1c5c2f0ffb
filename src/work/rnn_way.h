/* How PyTorch has cuDNN run a recurrent layer: its own rule, by which layers of one kind take one
 * kernel a step or one kernel for all steps. */
#ifndef HABITAT_WORK_RNN_WAY_H
#define HABITAT_WORK_RNN_WAY_H

#include <habitat/work.h>

/* Numbers of the state that goes from step to step, and out. */
static inline double rnn_state(const habitat_rnn_shape *shape) {
    return shape->projected > 0 ? shape->projected : shape->hidden;
}

typedef enum rnn_way {
    RNN_STEP_BY_STEP = 0, /* a product and the gates after it, launched each step */
    RNN_PERSISTENT,       /* one kernel for all steps, which keeps the weights on the SMs */
    RNN_NARROW,           /* the same, for layers whose weights are few */
} rnn_way;

/* The GPU as the rule asks for it. compute_capability: 10 * major + minor; 0 for other vendors,
 * whose libraries step. */
typedef struct rnn_device {
    uint32_t compute_capability;
    double sm_count;
} rnn_device;

/* How a layer is run on a GPU. dtype: of the tensors. */
rnn_way rnn_way_of(const habitat_rnn_shape *shape, habitat_dtype dtype, bool backward,
                   const rnn_device *device);

/* Kernels, and calls of CUDA, of one pass. */
typedef struct rnn_launches {
    double kernels, calls;
} rnn_launches;

rnn_launches rnn_launches_of(const habitat_rnn_shape *shape, rnn_way way, bool backward);

#endif
