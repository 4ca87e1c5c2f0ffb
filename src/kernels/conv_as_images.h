/* Convolutions in one and three dimensions, asked of models of images. */
#ifndef HABITAT_KERNELS_CONV_AS_IMAGES_H
#define HABITAT_KERNELS_CONV_AS_IMAGES_H

#include <stdbool.h>

#include <habitat/work.h>

/* Whether `work` is a convolution in one dimension: `out` is then the same of images a pixel high,
 * with the same flop and bytes; else it is left alone. */
bool conv_as_images_1d(const habitat_work *work, habitat_work *out);

/* The same of three dimensions: each image of the result by itself, from as many images as the
 * kernel is deep, one behind another as channels. flop and bytes stay, those of the film. */
bool conv_as_images_3d(const habitat_work *work, habitat_work *out);

/* How many times longer than said a gradient of a convolution may take where libraries have few
 * kernels for it without matrix units: of films, of several channels a group, of images that are
 * dilated (docs/decisions/0444). 1: any other work. */
double conv_slow_factor(const habitat_work *work);

#endif
