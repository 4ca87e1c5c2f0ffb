/* Sizes of a convolution, told by its kernels. */
#ifndef HABITAT_WORK_CONV_KERNEL_H
#define HABITAT_WORK_CONV_KERNEL_H

#include <stdbool.h>

#include <habitat/trace.h>

/* What a kernel's name and grid say of the convolution that it computes or the gradient of. 0:
 * nothing. Sizes are whole tiles: too large by less than one. Those of a transposed one are those
 * of the convolution that it is the gradient of. */
typedef struct conv_sizes {
    double images;            /* of the batch */
    double pixels, in_pixels; /* of all results, of all inputs: images x height x width */
    double least_pixels;      /* of all results: more than these */
    double out, in;           /* channels */
    double sum;               /* length of a sum: channels in x pixels of the kernel */
    double taps;              /* pixels of the kernel */
    bool gradient;            /* what it computes is a gradient */
    bool weights;             /* and that of the weights */
} conv_sizes;

/* What is told of any; all zero where nothing is. */
conv_sizes conv_sizes_of(const habitat_kernel_form *form);

/* The changes of layout of a forward convolution, in the order of their launch: `before` of them
 * were other ones. */
conv_sizes conv_sizes_of_layout(const habitat_kernel_form *form, unsigned before);

/* What both say: the smaller size, as each is too large by less than a tile. */
void conv_sizes_join(conv_sizes *to, const conv_sizes *from);

#endif
