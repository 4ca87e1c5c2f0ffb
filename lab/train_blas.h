/* The BLAS that training multiplies matrices with, opened when it is needed. */
#ifndef HABITAT_LAB_TRAIN_BLAS_H
#define HABITAT_LAB_TRAIN_BLAS_H

#include <habitat/status.h>

/* CBLAS's sgemm: order, transposes, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc. */
typedef void (*train_sgemm)(int, int, int, int, int, int, float, const float *, int, const float *,
                            int, float, float *, int);

typedef struct train_blas {
    void *library;
    train_sgemm sgemm;
} train_blas;

/* Open OpenBLAS and set it to one thread, so that sums have one order.
 * HABITAT_E_UNSUPPORTED when there is none. */
habitat_status train_blas_open(train_blas *out, habitat_error *err);
void train_blas_close(train_blas *blas);

#endif
