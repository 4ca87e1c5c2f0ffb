/* Grids of cuDNN 8 and 9, as seen in recordings whose shapes are known. Its older kernels have the
 * logarithms of their tiles among the parameters in their names:
 *
 *     dgrad_engine<float, 512, 6, 5, ..>       sums of 64, pixels of one image of 32, images
 *     wgrad_alg0_engine<float, 128, 5, 5, ..>  sums of 32, channels out of 32
 *     implicit_convolve_sgemm<float, float, 1024, 5, 5, ..>  pixels of 32, channels out of 32
 *
 * Newer ones have the tile itself (tile.h): columns along x, rows along y. Persistent kernels tell
 * nothing, as do CUTLASS' own, which lay blocks in an order of their own. */
#include "work/conv_kernel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/letter.h"
#include "work/tile.h"

enum { THREE_BY_THREE = 9, SEVEN_BY_SEVEN = 49 };
enum { LOG_MOST = 10 };        /* tiles of at most 1024 */
enum { WINOGRAD_POINTS = 36 }; /* products of 6 x 6 points: results of 4 x 4, kernels of 3 x 3 */

/* The second and third number among a name's parameters, as tile sides. */
static bool sides_by_logarithm(const char *name, double *first, double *second) {
    const char *at = strchr(name, '<');
    long number[3];
    for (int i = 0; at && i < 3; i++) {
        while (
            *at && *at != '>' &&
            !(letter_is_digit(*at) && !letter_is_digit(at[-1]) && (at[-1] == ' ' || at[-1] == ',')))
            at++;
        if (!letter_is_digit(*at))
            return false;
        char *end = NULL;
        number[i] = strtol(at, &end, 10);
        at = end;
    }
    if (!at || number[1] < 1 || number[1] > LOG_MOST || number[2] < 1 || number[2] > LOG_MOST)
        return false;
    *first = exp2((double)number[1]);
    *second = exp2((double)number[2]);
    return true;
}

static conv_sizes of_engine(const habitat_kernel_form *form) {
    conv_sizes told = {0};
    double x, y;
    bool data = strstr(form->name, "dgrad_engine"), weights = strstr(form->name, "wgrad_alg");
    if (!sides_by_logarithm(form->name, &x, &y))
        return told;
    x *= form->grid[0];
    y *= form->grid[1];
    told.gradient = data || weights;
    told.weights = weights;
    if (data) {
        told.sum = x;
        told.images = form->grid[2];
        told.pixels = y * told.images;
        told.least_pixels = told.pixels * (1.0 - 1.0 / form->grid[1]);
    } else if (weights) {
        told.sum = x;
        told.out = y;
    } else {
        told.pixels = x;
        told.least_pixels = x * (1.0 - 1.0 / form->grid[0]);
        told.out = y;
    }
    return told;
}

/* Implicit products of images that have their channels first; of gradients of weights, whatever. */
static conv_sizes of_tiles(const habitat_kernel_form *form, const kernel_tile *tile) {
    conv_sizes told = {.weights = strstr(form->name, "wgrad_implicit_gemm")};
    bool first = strstr(form->name, "_nchwkcrs_nchw_");
    double x = form->grid[0] * tile->columns, y = form->grid[1] * tile->rows;
    told.gradient = told.weights || strstr(form->name, "dgrad_implicit_gemm");
    if (told.weights) {
        told.sum = x;
        told.out = y;
    } else if (first && told.gradient) {
        told.in = x;
    } else if (first && strstr(form->name, "fprop_implicit_gemm")) {
        told.out = x;
        told.pixels = y;
        told.least_pixels = y - tile->rows;
    }
    return told;
}

/* The gradient of weights by Winograd is a batch of products of channels by channels. */
static conv_sizes of_points(const habitat_kernel_form *form, const kernel_tile *tile) {
    bool square = tile->rows == tile->columns && strstr(form->name, "_nt_");
    if (!square || form->grid[2] != WINOGRAD_POINTS)
        return (conv_sizes){0};
    return (conv_sizes){.out = form->grid[0] * tile->rows,
                        .in = form->grid[1] * tile->columns,
                        .taps = THREE_BY_THREE,
                        .gradient = true,
                        .weights = true};
}

conv_sizes conv_sizes_of(const habitat_kernel_form *form) {
    kernel_tile tile;
    if (!form->name || !form->grid[0] || !form->grid[1] || !form->grid[2])
        return (conv_sizes){0};
    if (strstr(form->name, "dgrad_engine<") || strstr(form->name, "wgrad_alg0_engine<") ||
        strstr(form->name, "wgrad_alg1_engine<") || strstr(form->name, "implicit_convolve_sgemm<"))
        return of_engine(form);
    if (!kernel_tile_of(form->name, &tile) || tile.persistent)
        return (conv_sizes){0};
    return strstr(form->name, "xmma_gemm") ? of_points(form, &tile) : of_tiles(form, &tile);
}

enum { LAYOUT_TILE = 32 };

/* Tiles of 32 pixels along x, of 32 channels along y, images along z: first the input, then the
 * weights, where channels out are the images. Weights of one pixel need no change. */
conv_sizes conv_sizes_of_layout(const habitat_kernel_form *form, unsigned before) {
    if (!form->name || !form->grid[2])
        return (conv_sizes){0};
    double channels = (double)form->grid[1] * LAYOUT_TILE, images = form->grid[2];
    double pixels = (double)form->grid[0] * LAYOUT_TILE * images;
    if (strstr(form->name, "nhwcToNchwKernel"))
        return (conv_sizes){.images = images,
                            .pixels = pixels,
                            .least_pixels = pixels - LAYOUT_TILE * images,
                            .out = channels};
    if (!strstr(form->name, "nchwToNhwcKernel"))
        return (conv_sizes){0};
    if (before == 0)
        return (conv_sizes){.images = images, .in_pixels = pixels, .in = channels};
    return (conv_sizes){
        .out = images, .in = channels, .taps = form->grid[0] > 1 ? SEVEN_BY_SEVEN : THREE_BY_THREE};
}

static double smaller(double a, double b) {
    return a > 0.0 && b > 0.0 ? fmin(a, b) : fmax(a, b);
}

void conv_sizes_join(conv_sizes *to, const conv_sizes *from) {
    to->images = smaller(to->images, from->images);
    to->pixels = smaller(to->pixels, from->pixels);
    to->in_pixels = smaller(to->in_pixels, from->in_pixels);
    to->out = smaller(to->out, from->out);
    to->in = smaller(to->in, from->in);
    to->sum = smaller(to->sum, from->sum);
    to->least_pixels = fmax(to->least_pixels, from->least_pixels);
    to->taps = smaller(to->taps, from->taps);
    to->gradient |= from->gradient;
    to->weights |= from->weights;
}
