/* What the files of convolutions share: the implicit matrix product of a pass, and what its time
 * consists of. Private to convolution.c and convolution_matrix.c. */
#ifndef HABITAT_OPERATOR_CONVOLUTION_MATRIX_H
#define HABITAT_OPERATOR_CONVOLUTION_MATRIX_H

#include "operator/views.h"

typedef enum product_kind { PRODUCT_OUTPUT, PRODUCT_INPUT_GRADIENT, PRODUCT_WEIGHT_GRADIENT } kind;

/* The convolution that a pass computes with: channels a group, pixels of a whole batch. */
typedef struct geometry {
    kind kind;
    double groups, c_in, c_out, area, side, stride;
    double in_pixels, out_pixels;
    double m, n, k; /* of each group's product; k without the taps a stride skips */
    double in_bytes, out_bytes, weight_bytes;
} geometry;

/* Seconds, and how many parts of the inner dimension run side by side. */
typedef struct convolution_time {
    double compute, memory, rearranging, start, split;
} convolution_time;

/* On matrix units, and with groups in every format. */
convolution_time operator_convolution_matrix(const habitat_model_query *query, const geometry *g,
                                             const operator_gpu *gpu);

#endif
