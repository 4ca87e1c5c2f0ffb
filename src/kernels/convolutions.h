/* Convolutions whose sizes nobody recorded: as large as the kernels of their forward and backward
 * pass say together. */
#ifndef HABITAT_KERNELS_CONVOLUTIONS_H
#define HABITAT_KERNELS_CONVOLUTIONS_H

#include "workload/workload.h"

typedef struct convolution_works {
    habitat_work *works; /* shape (group_count): known where the kernels told all sizes; NULL where
                            shapes were recorded */
} convolution_works;

/* HABITAT_E_MEMORY; free in every case. docs/formulas.md#sizes-that-nobody-recorded */
habitat_status convolutions_prepare(const habitat_workload *w, convolution_works *out);
void convolutions_free(convolution_works *l);

/* The work of a group as its layer has it; NULL where that is not known. */
const habitat_work *convolutions_work(const convolution_works *l, size_t group);

#endif
