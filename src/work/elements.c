/* Names of PyTorch's vectorised kernels list the functor and the pointers:
 *
 *     vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >
 *
 * is an addition of fp32 tensors, two read and one written. Older ones have
 * at::detail::Array<char*, 3>. The first number is the elements of a load, 16 byte where the
 * functor names no format. */
#include "work/elements.h"

#include <stdlib.h>
#include <string.h>

#include <habitat/work.h>

enum { LOAD_BYTES = 16, TENSORS_MOST = 16 };

static long number_after(const char *name, const char *words) {
    const char *at = strstr(name, words);
    return at ? strtol(at + strlen(words), NULL, 10) : 0;
}

static long tensors_of(const char *name) {
    long tensors = number_after(name, "std::array<char*, ");
    return tensors ? tensors : number_after(name, "Array<char*, ");
}

/* Of an element of each tensor together. A mask is read beside the numbers:
 * masked_scale_kernel<bool, float, float>. */
static double element_bytes(const char *name, long load, long tensors) {
    static const char mask[] = "<bool, ";
    const char *masked = strstr(name, "masked_scale") ? strstr(name, mask) : NULL;
    double own = LOAD_BYTES / (double)load;
    if (masked)
        return 1.0 + (double)(tensors - 1) * own;
    size_t named = habitat_dtype_bytes(habitat_kernel_tensor_dtype(name));
    return (double)tensors * (named ? (double)named : own);
}

static unsigned width_of(long load) {
    unsigned width = 0;
    while (width < KERNEL_WIDTHS && 1L << width != load)
        width++;
    return width;
}

bool kernel_elements_of(const habitat_kernel_form *form, kernel_elements *out) {
    if (!form->name)
        return false;
    long load = number_after(form->name, "vectorized_elementwise_kernel<");
    long tensors = tensors_of(form->name);
    unsigned width = width_of(load);
    if (width == KERNEL_WIDTHS || tensors < 1 || tensors > TENSORS_MOST)
        return false;
    double threads = 1.0;
    for (int i = 0; i < 3; i++)
        threads *= (double)form->grid[i] * form->block[i];
    if (!(threads > 0.0))
        return false;
    *out = (kernel_elements){threads * element_bytes(form->name, load, tensors), width};
    return true;
}
