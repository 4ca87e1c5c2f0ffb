/* Batch norms of images, asked of models: which library runs them. */
#ifndef HABITAT_KERNELS_NORMS_H
#define HABITAT_KERNELS_NORMS_H

#include "workload/workload.h"

/* Whether it is batch norm of more than a row a sample, which is what PyTorch asks cuDNN for
 * (aten/src/ATen/native/Normalization.cpp). */
bool norms_of_images(const habitat_workload_group *group);

/* Whether models know the group's norm, doing `work`, by another format: `out` is then to be asked,
 * else left alone. */
bool norms_asked(const habitat_workload_group *group, const habitat_work *work, habitat_work *out);

#endif
