/* Judging what cuDNN's algorithms work in and which it takes: measured convolutions. */
#ifndef HABITAT_LAB_ALGORITHMS_H
#define HABITAT_LAB_ALGORITHMS_H

#include <habitat/gpu.h>

#include "lab/report.h"
#include "memory/fastest.h"

enum { ALGORITHM_PASSES = 3, ALGORITHM_WORD = 12 };

/* One measured convolution, in strict fp32. */
typedef struct algorithm_row {
    bool network; /* a layer of VGG-16 or ResNet-50: nothing is chosen on it */
    bool tried;   /* cuDNN tried all and took the fastest; else by rules of its own */
    habitat_conv_shape shape;
    char word[ALGORITHM_PASSES][ALGORITHM_WORD]; /* by memory_pass */
    double bytes[ALGORITHM_PASSES];              /* of the workspace */
} algorithm_row;

typedef struct algorithm_set {
    algorithm_row *rows;
    size_t count, capacity;
    memory_speed speed; /* of the GPU */
} algorithm_set;

/* Of a folder of measurements; empty where it has no such table. Free in every case. */
habitat_status algorithms_read(const habitat_gpu_table *gpus, const char *folder,
                               algorithm_set *out, habitat_error *err);
void algorithms_free(algorithm_set *set);

/* What the formula of its algorithm says; NaN: there is none. */
double algorithm_bytes(const algorithm_row *row, memory_pass pass);

/* Right calls of `rows`, those whose number leaves `fold` (of ALGORITHM_FOLDS); -1: all. */
typedef struct algorithm_calls {
    size_t count, right, plain; /* plain: direct */
} algorithm_calls;
enum { ALGORITHM_FOLDS = 5, ALGORITHM_ALL = -1 };
algorithm_calls algorithms_judge(const algorithm_set *set, memory_pass pass, bool network, int fold,
                                 const memory_costs *costs);
/* Costs chosen without a fold. */
memory_costs algorithms_choose(const algorithm_set *set, int without);

void algorithms_print(const algorithm_set *set, report_text *text);

#endif
