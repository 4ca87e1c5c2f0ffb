/* What a matrix product loses to whole tiles and whole waves. docs/formulas.md#operation */
#include "kernels/tiles.h"

#include <math.h>

#include "base/constants_kernels.h"
#include "gpu/gpu.h"
#include "work/class.h"

/* Output tiles that libraries choose from, and the share of the sustained rate a full wave of such
 * tiles reaches: a smaller tile reads its operands more often. */
static const struct {
    double rows, columns, rate_share;
} tiles[] = {{256, 128, 1.0}, {128, 128, 1.0}, {128, 64, 0.9}, {64, 64, 0.75}, {32, 32, 0.5}};

/* Flop that the GPU spends on a product of b times (m, n), inner k: whole tiles in whole waves of
 * one tile an SM, for the best choice of tile. >= 2 b m n k. */
static double spent_on_tiles(double b, double m, double n, double k, double sm_count) {
    double best = INFINITY;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        double count = b * ceil(m / tiles[i].rows) * ceil(n / tiles[i].columns);
        double spent = ceil(count / sm_count) * sm_count * tiles[i].rows * tiles[i].columns * 2.0 *
                       k / tiles[i].rate_share;
        best = fmin(best, spent);
    }
    return best;
}

/* Flop with tile and wave losses where the shape is a matrix product, else as counted. Long inner
 * dimensions are split among SMs by the libraries: no product is charged more than this factor. */
double tiles_spent_flop(const habitat_work *work, const habitat_gpu *gpu) {
    double m, n, k, b = 1.0;
    class_shape shape = class_of(work->op_class)->shape;
    if (shape == CLASS_SHAPE_GEMM) {
        b = work->shape.gemm.b;
        m = work->shape.gemm.m;
        n = work->shape.gemm.n;
        k = work->shape.gemm.k;
    } else if (shape == CLASS_SHAPE_CONV && work->pass == HABITAT_PASS_FORWARD) {
        const habitat_conv_shape *conv = &work->shape.conv;
        b = conv->groups;
        m = conv->batch;
        for (uint32_t d = 0; d < conv->dims; d++)
            m *= conv->out[d];
        n = conv->c_out / conv->groups;
        k = work->flop / (2.0 * b * m * n);
    } else {
        return work->flop;
    }
    double spent = spent_on_tiles(b, m, n, k, gpu->sm_count);
    return isfinite(spent) && spent > work->flop
               ? fmin(spent, chosen_tiles_worst_factor * work->flop)
               : work->flop;
}
