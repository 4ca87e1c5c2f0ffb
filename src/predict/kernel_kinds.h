/* Kernels that differ in their times alone: launched alike, with the same work. */
#ifndef HABITAT_PREDICT_KERNEL_KINDS_H
#define HABITAT_PREDICT_KERNEL_KINDS_H

#include "workload/workload.h"

/* Kinds of kernels of a workload. A kind's first kernel stands for all of it. */
typedef struct kernel_kinds {
    uint32_t *of;    /* shape (kernel_count): the kind of a kernel */
    uint32_t *first; /* shape (count) */
    size_t count;
} kernel_kinds;

/* HABITAT_E_MEMORY; to be freed with kernel_kinds_free() in any case. */
habitat_status kernel_kinds_find(const habitat_workload *w, kernel_kinds *out);
void kernel_kinds_free(kernel_kinds *kinds);

#endif
