/* A convolution of square images and kernels, of stride 1, whose result is as large as its input.
 */
#ifndef HABITAT_TESTS_MADE_CONV_H
#define HABITAT_TESTS_MADE_CONV_H

#include <habitat/work.h>

static inline habitat_conv_shape square(double batch, double c_in, double c_out, double side,
                                        double kernel) {
    return (habitat_conv_shape){.dims = 2,
                                .batch = batch,
                                .c_in = c_in,
                                .c_out = c_out,
                                .groups = 1,
                                .in = {side, side},
                                .out = {side, side},
                                .kernel = {kernel, kernel},
                                .stride = {1, 1},
                                .dilation = {1, 1}};
}

#endif
