/* Convolutions whose sizes nobody recorded: as large as the kernels of their forward and backward
 * pass say together. */
#ifndef HABITAT_KERNELS_UNSIZED_CONVOLUTIONS_H
#define HABITAT_KERNELS_UNSIZED_CONVOLUTIONS_H

#include "workload/workload.h"

typedef struct unsized_convolutions {
    habitat_work *works; /* shape (group_count): known where the kernels told all sizes; NULL where
                            shapes were recorded */
} unsized_convolutions;

/* HABITAT_E_MEMORY; free in every case. docs/formulas.md#sizes-that-nobody-recorded */
habitat_status unsized_convolutions_prepare(const habitat_workload *w, unsized_convolutions *out);
void unsized_convolutions_free(unsized_convolutions *l);

/* The work of a group as its layer has it; NULL where that is not known. */
const habitat_work *unsized_convolutions_work(const unsized_convolutions *l, size_t group);

#endif
