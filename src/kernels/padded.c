/* cuBLASLt and torch._scaled_mm refuse 8-bit operands whose rows or columns, k and n, are no whole
 * multiples of 16; m is free. What runs is the product with zeros added, and that is what is asked.
 * docs/decisions/0262 */
#include "kernels/padded.h"

#include <math.h>

#include <habitat/text.h>

#include "base/constants_operators.h"
#include "work/class.h"

static double whole(double size) {
    return ceil(size / hardware_fp8_multiple) * hardware_fp8_multiple;
}

bool padded_product(const habitat_work *work, habitat_dtype arithmetic, habitat_work *out,
                    char *note, size_t size) {
    if (arithmetic != HABITAT_DTYPE_FP8 || class_of(work->op_class)->shape != CLASS_SHAPE_GEMM)
        return false;
    const habitat_gemm_shape *asked = &work->shape.gemm;
    habitat_gemm_shape shape = *asked;
    shape.n = whole(asked->n);
    shape.k = whole(asked->k);
    bool n = shape.n != asked->n, k = shape.k != asked->k;
    habitat_work made;
    if (!(n || k) || habitat_work_gemm(&shape, work->dtype, &made) != HABITAT_OK)
        return false;
    made.op_class = work->op_class;
    made.pass = work->pass;
    *out = made;
    char sizes[2][64] = {"", ""};
    if (n)
        habitat_format(sizes[0], sizeof sizes[0], "n %.15g as %.15g", asked->n, shape.n);
    if (k)
        habitat_format(sizes[1], sizeof sizes[1], "k %.15g as %.15g", asked->k, shape.k);
    habitat_format(note, size,
                   "fp8 kernels take n and k in multiples of %g: padded, %s%s%s; the interval is a "
                   "guess",
                   hardware_fp8_multiple, sizes[0], n && k ? ", " : "", sizes[1]);
    return true;
}
