/* What cuDNN's algorithms for a convolution work in. */
#ifndef HABITAT_MEMORY_ALGORITHMS_H
#define HABITAT_MEMORY_ALGORITHMS_H

#include <habitat/work.h>

/* The three convolutions of a training step. */
typedef enum memory_pass {
    MEMORY_PASS_FORWARD,
    MEMORY_PASS_TO_INPUT,   /* gradient of the image */
    MEMORY_PASS_TO_WEIGHTS, /* gradient of the weights */
} memory_pass;

/* What one convolution works in [byte], in the recorded formats. */
typedef struct memory_workspace {
    double copied_growing, copied_fixed;           /* images, weights in another layout */
    double transformed_growing, transformed_fixed; /* the same as spectra or tiles, in fp32 */
    double summed_growing, summed_fixed;           /* parts of sums, set to 0 before */
} memory_workspace;

double memory_workspace_total(const memory_workspace *w);

/* Channels are filled up: matrix units take 16 bytes of them at a time. */
double memory_filled(double channels, double element_bytes);

/* Copies of both images and of the weights with channels last, copied parts alone: where they lie
 * so already, none. Weights of one pixel lie either way. */
memory_workspace memory_copies(const habitat_conv_shape *s, double element_bytes);

/* The side of spectra with which cuDNN makes this; 0: with none. */
double memory_spectra_side(const habitat_conv_shape *s, memory_pass pass);

/* Tiles of an image in spectra of this side, of which its gradient is made. */
double memory_spectra_tiles(const habitat_conv_shape *s, double side);

/* Spectra of side x side, transformed parts alone. */
memory_workspace memory_spectra(const habitat_conv_shape *s, memory_pass pass, double side);

/* Sides of Winograd's tiles: of single images; of many. */
enum { MEMORY_TILE_SMALL = 4, MEMORY_TILE_LARGE = 9 };

/* Winograd's tiles of m x m results, transformed parts alone. */
memory_workspace memory_tiles(const habitat_conv_shape *s, double m);

#endif
