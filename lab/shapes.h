/* `habitat eval shapes`: recordings read with and without the sizes of their operations. */
#ifndef HABITAT_LAB_SHAPES_H
#define HABITAT_LAB_SHAPES_H

#include <habitat/predict.h>

#include "lab/e2e.h"
#include "lab/pairs.h"
#include "lab/recordings.h"

/* Either way of reading; indices of pairs of numbers below. */
enum { SHAPES_WITH = 0, SHAPES_WITHOUT, SHAPES_WAYS };

/* One recording onto one GPU: GPU busy time [ms] and its 80 % interval, either way. */
typedef struct shapes_case {
    char step[RECORDING_NAME];    /* the file's name without its ending */
    char network[RECORDING_NAME]; /* up to the batch size */
    const habitat_gpu *origin, *dest;
    double ms[SHAPES_WAYS], low_ms[SHAPES_WAYS], high_ms[SHAPES_WAYS];
    double class_ms[SHAPES_WAYS][HABITAT_CLASS_COUNT]; /* kernels by their class with sizes */
} shapes_case;

typedef struct shapes_set {
    shapes_case *cases;
    size_t count, recordings;
    pair_set pairs[SHAPES_WAYS];   /* steps recorded on two GPUs */
    e2e_set language[SHAPES_WAYS]; /* whole models that others measured */
    e2e_set networks[SHAPES_WAYS];
} shapes_set;

/* Every recording of the folder onto every GPU of NVIDIA, and what was measured. Free in every
 * case. */
habitat_status shapes_collect(const habitat_gpu_table *gpus, const char *measurements,
                              const char *folder, shapes_set *out, habitat_error *err);
void shapes_free(shapes_set *set);

#endif
