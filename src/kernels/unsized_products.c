/* See unsized_products.h. Sizes are guessed as libraries choose kernels: a result of whole tiles,
 * about as wide as high. How far that is off where sizes are known: docs/decisions/0288. */
#include "kernels/unsized_products.h"

#include <math.h>
#include <string.h>

#include "base/constants_kernels.h"
#include "formula/rates.h"
#include "gpu/generation.h"
#include "gpu/gpu.h"
#include "kernels/usual_shares.h"
#include "work/tile.h"

/* ---- work of the sizes as they are ---- */

static double whole(double size, double step) {
    return fmax(step, step * round(size / step));
}

/* Products have sizes of whole vectors, large ones of whole warps. */
static double usual_size(double size) {
    return whole(size,
                 size >= chosen_guess_large ? chosen_guess_large_step : chosen_guess_small_step);
}

static double found_or(double known, double found) {
    return known > 0.0 ? known : found;
}

static double odd_multiple(double size, double step) {
    return step > 0.0 ? (2.0 * floor(size / (2.0 * step)) + 1.0) * step : size;
}

static void set_product_work(unsized_product *g) {
    double size = usual_size(g->size);
    habitat_gemm_shape s = {.b = found_or(g->b, fmax(1.0, round(g->size))),
                            .m = found_or(g->m, size),
                            .n = odd_multiple(found_or(g->n, size), g->odd),
                            .k = found_or(g->k, size)};
    if (habitat_work_gemm(&s, g->work.dtype, &g->work) == HABITAT_OK)
        g->work.op_class = g->op_class; /* a batch of one stays a batched product */
}

/* A square image and kernels of 1 or 3 a side. Sums as long as those of 3x3 kernels are taken to be
 * of such: libraries compute them by Winograd, where the models know. */
static void set_conv_work(unsized_product *g) {
    enum { LARGE = 3 };
    double pixels = found_or(g->m, chosen_guess_pixels);
    double out = whole(found_or(g->n, g->size), chosen_guess_channel_step);
    double sum = g->n > 0.0 ? g->size : LARGE * LARGE * g->size;
    double side = sum >= fitted_guess_long_sum ? LARGE : 1, in = sum / (side * side);
    double image = fmax(1.0, round(sqrt(pixels / chosen_guess_batch)));
    habitat_conv_shape s = {.dims = 2,
                            .batch = fmax(1.0, round(pixels / (image * image))),
                            .c_in = in > chosen_guess_channel_step
                                        ? whole(in, chosen_guess_channel_step)
                                        : fmax(1.0, round(in)),
                            .c_out = out,
                            .groups = 1.0,
                            .in = {image, image},
                            .out = {image, image},
                            .kernel = {side, side},
                            .stride = {1.0, 1.0},
                            .padding = {(side - 1.0) / 2.0, (side - 1.0) / 2.0},
                            .dilation = {1.0, 1.0}};
    g->residual = side > 1.0 ? fitted_guess_residual_conv_3 : fitted_guess_residual_conv_1;
    (void)habitat_work_conv(&s, g->work.dtype, g->pass, &g->work);
}

static void set_size(unsized_product *g, double size) {
    g->size = fmin(fmax(size, g->least), g->most);
    if (g->op_class == HABITAT_CLASS_CONV)
        set_conv_work(g);
    else
        set_product_work(g);
}

/* ---- what its name and grid tell ---- */

/* Rows of tiles that make a result about as wide as high. */
static void set_result(unsized_product *g, const kernel_tile *tile, double tiles) {
    double high = fmax(1.0, round(sqrt(tiles * tile->columns / tile->rows)));
    g->m = high * tile->rows;
    g->n = whole(tiles / high * tile->columns, chosen_guess_small_step);
}

/* The tiles of a product or of one of a batch, and whether they are all of them. */
static bool tiles_of(const habitat_workload *w, const habitat_kernel_form *form, kernel_tile *tile,
                     double *tiles) {
    *tiles = (double)form->grid[0] * form->grid[1];
    return kernel_tile_of(form->name, tile) && *tiles > 0.0 &&
           (!tile->persistent || *tiles < w->origin->sm_count);
}

/* Along z lie the parts of a long sum; of batched products, the batch. Where nothing tells the
 * sizes, a single product is a cube, and a batch one of heads. */
static void begin_product(const habitat_workload *w, unsized_product *g) {
    enum { CUBE = 3 }; /* power of the size that work grows with */
    kernel_tile tile;
    double tiles, depth = (double)g->kernel->kernel->form->grid[2];
    bool batched = g->op_class == HABITAT_CLASS_BMM;
    bool told = tiles_of(w, g->kernel->kernel->form, &tile, &tiles) && (!batched || depth > 1.0);
    g->least = batched && !told ? 1.0 : chosen_guess_product_least;
    g->most = chosen_guess_product_most;
    g->power = told || batched ? 1 : CUBE;
    g->b = !batched ? 1.0 : told ? depth : 0.0;
    if (told)
        set_result(g, &tile, tiles);
    if (batched && !told) {
        g->m = g->n = chosen_guess_head_rows;
        g->k = chosen_guess_head_columns;
    }
}

/* Of forward kernels cuDNN lays channels along x and pixels along y. */
static void begin_conv(const habitat_workload *w, unsized_product *g) {
    const habitat_kernel_form *form = g->kernel->kernel->form;
    kernel_tile tile;
    double tiles;
    bool told = strstr(form->name, "fprop") && tiles_of(w, form, &tile, &tiles);
    g->least = chosen_guess_sum_least;
    g->most = chosen_guess_sum_most;
    g->power = told ? 1.0 : 2.0;
    if (told) {
        g->n = form->grid[0] * tile.columns;
        g->m = form->grid[1] * tile.rows;
    }
}

/* ---- what such kernels are like ---- */

enum { LOAD_BYTES = 16 };

/* Matrix kernels for operands that are aligned to less than a load. */
static double odd_step(const habitat_workload_kernel *kernel) {
    unsigned elements = kernel_alignment(kernel->kernel->form->name);
    bool whole_loads = elements * habitat_dtype_bytes(kernel->facts.dtype) >= LOAD_BYTES;
    return kernel->facts.dtype == HABITAT_DTYPE_FP32 || whole_loads ? 0.0 : (double)elements;
}

/* Where kernels were measured; elsewhere the models' time. A kernel for
 * operands that do not fill its loads is slow for its sizes, which the models know. */
static double residual_of(const habitat_workload *w, const habitat_workload_kernel *kernel) {
    static const struct {
        const char *part;
        habitat_dtype arithmetic;
        const double *residual;
    } known[] = {
        {"sm90_xmma", HABITAT_DTYPE_TF32, &fitted_guess_residual_xmma},
        {"_s1688gemm_", HABITAT_DTYPE_TF32, &fitted_guess_residual_older},
        {"simt", HABITAT_DTYPE_FP32, &fitted_guess_residual_other},
        {"nvjet", HABITAT_DTYPE_FP16, &fitted_guess_residual_other},
        {"nvjet", HABITAT_DTYPE_BF16, &fitted_guess_residual_other},
    };
    const char *name = kernel->kernel->form->name;
    if (kernel->op_class != HABITAT_CLASS_GEMM ||
        !sm_kernels_are_measured(w->origin->compute_capability) || odd_step(kernel) > 0.0)
        return 1.0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (kernel->facts.dtype == known[i].arithmetic && strstr(name, known[i].part))
            return *known[i].residual;
    return 1.0;
}

static const habitat_workload_kernel *computing(const habitat_workload *w,
                                                const habitat_workload_group *group) {
    const habitat_workload_kernel *found = NULL;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *k = &w->kernels[w->group_index[group->first_kernel + i]];
        if (k->main && (!found || k->facts.time_ns > found->facts.time_ns))
            found = k;
    }
    return found;
}

/* Gradients of convolutions are two kernels: guessing both was worse (docs/decisions/0288). */
static bool can_be_guessed(const habitat_work *work) {
    return work->op_class == HABITAT_CLASS_GEMM || work->op_class == HABITAT_CLASS_BMM ||
           (work->op_class == HABITAT_CLASS_CONV && work->pass == HABITAT_PASS_FORWARD);
}

bool unsized_product_begin(const habitat_workload *w, const habitat_workload_group *group,
                           unsized_product *out) {
    const habitat_workload_kernel *kernel = computing(w, group);
    const habitat_work *work = group->work;
    if (work->known || !kernel || !kernel->kernel->form->name || !can_be_guessed(work))
        return false;
    habitat_dtype arithmetic = kernel->facts.dtype;
    unsized_product g = {.kernel = kernel, .op_class = work->op_class, .pass = work->pass};
    g.work.dtype = arithmetic == HABITAT_DTYPE_TF32 ? HABITAT_DTYPE_FP32 : arithmetic;
    if (work->op_class == HABITAT_CLASS_CONV) {
        begin_conv(w, &g);
    } else {
        g.residual = residual_of(w, kernel);
        g.odd = odd_step(kernel);
        begin_product(w, &g);
    }
    set_size(&g, chosen_guess_begin);
    if (!g.work.known || !(g.work.flop > 0.0))
        return false;
    *out = g;
    return true;
}

void unsized_product_add(unsized_product *g, const habitat_workload *w,
                         const habitat_workload_group *group) {
    g->count++;
    g->total_ms += group->origin_ms;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *k = &w->kernels[w->group_index[group->first_kernel + i]];
        g->main_ms += k->main ? k->facts.time_ns / HABITAT_NS_PER_MS : 0.0;
    }
}

/* ---- the size that is to be found ---- */

void unsized_product_settle(unsized_product *g, const habitat_workload *w) {
    const habitat_kernel_facts *facts = &g->kernel->facts;
    double mean_ns = g->main_ms / (double)g->count * HABITAT_NS_PER_MS;
    habitat_dtype used;
    bool on_matrix;
    double flop_per_s = habitat_arithmetic_rate(w->origin, facts->dtype, facts->matrix_unit, true,
                                                &used, &on_matrix);
    double own_ns = usual_own_ns(w->origin, mean_ns);
    double flop = usual_part(w, g->kernel, own_ns) * own_ns * 1e-9 * flop_per_s;
    double least_ns = chosen_guess_least_floors * formula_kernel_floor_ns(w->origin);
    /* of a short one most is start and end, whatever its sizes: the models have no answer to it */
    bool tells = g->op_class == HABITAT_CLASS_CONV || mean_ns >= least_ns;
    g->work.known = tells && flop > 0.0 && isfinite(flop);
    if (!g->work.known)
        return;
    for (int i = 0; i < 3; i++)
        set_size(g, g->size * pow(flop / g->work.flop, 1.0 / g->power));
}

void unsized_product_improve(unsized_product *g, double ms) {
    double ratio = g->total_ms / (double)g->count / (ms * g->residual);
    if (ratio > 0.0 && isfinite(ratio))
        set_size(g, g->size * pow(ratio, 1.0 / g->power));
}
