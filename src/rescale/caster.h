/* What is known while the formats of an fp32 iteration are worked out: scale_cast.c. */
#ifndef HABITAT_RESCALE_CASTER_H
#define HABITAT_RESCALE_CASTER_H

#include "rescale/added.h"
#include "rescale/scale.h"
#include "rescale/tensor_sizes.h"
#include "rescale/weight_casts.h"

typedef struct caster {
    const habitat_workload *w;
    const habitat_operation *ops;
    size_t op_count;
    habitat_dtype narrow;
    uint8_t *decided; /* shape (op_count): the format of forward operations; 0: none yet */
    bool *again;      /* shape (op_count): run once more, for a gradient */
    weight_casts weights;
    bool *cast;         /* shape (op_count): the inputs of this listed operation were seen to */
    uint32_t *parts;    /* shape (op_count): the attention in parts around each, or HABITAT_NONE */
    bool *parts_seen;   /* shape (op_count): what another format adds to that one was added */
    bool *fused_back;   /* shape (op_count): the kernel for the gradients of that one was added */
    tensor_sizes sizes; /* made so far in this iteration */
    tensor_size beside; /* what the linear layer read after which nothing but such ran */
    uint32_t iteration; /* that these sizes are of */
    uint32_t called;    /* calls before this one that ask for fp32 were heard */
    bool trains;
    added_list added;
    scale_operation *room;
    bool out_of_memory;
} caster;

#endif
