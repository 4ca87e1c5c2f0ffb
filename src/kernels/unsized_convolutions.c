/* See unsized_convolutions.h. A convolution is three products of the same three sizes: pixels of
 * the results, channels out, and the length of the sums. Its result is computed in tiles of the
 * first two; the gradient of its weights in tiles of the last two, the gradient of its data in
 * tiles of the first and the last. So the grids of a training step tell all of them. Without a
 * backward pass the length of the sums is what the forward kernel had time for. Evidence:
 * docs/decisions/0325. */
#include "kernels/unsized_convolutions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/constants_kernels.h"
#include "gpu/generation.h"
#include "formula/rates.h"
#include "gpu/gpu.h"
#include "kernels/conv_tile_pace.h"
#include "kernels/usual_shares.h"
#include "work/conv_kernel.h"
#include "work/tile.h"

typedef struct layer {
    conv_sizes sizes;
    double stride;
    bool transposed;
} layer;

/* What the convolution before had, and what has become of it since. */
typedef struct chain {
    double out, pixels; /* 0: not known */
    double normed;      /* channels of the norm after it */
    bool active;        /* past an activation */
    bool pooled;
    bool joined; /* with other results */
} chain;

/* ---- the operations of a layer ---- */

static bool is_convolution(const habitat_workload_group *group) {
    return group->work->op_class == HABITAT_CLASS_CONV && !group->work->known && group->operation &&
           group->origin_ms > 0.0;
}

static bool is_forward(const habitat_workload_group *group) {
    return group->work->pass == HABITAT_PASS_FORWARD;
}

static const habitat_operation *operation_at(const habitat_workload *w, uint32_t index) {
    size_t count = 0;
    const habitat_operation *all = habitat_trace_operations(w->trace, &count);
    return index < count ? &all[index] : NULL;
}

/* Forward groups by every operation around them that is a convolution, too. */
static void note_operations(const habitat_workload *w, uint32_t *group_of) {
    size_t count = 0;
    const habitat_operation *all = habitat_trace_operations(w->trace, &count);
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        if (!is_convolution(group) || !is_forward(group))
            continue;
        for (const habitat_operation *o = group->operation; o && strstr(o->form->name, "conv");
             o = operation_at(w, o->parent))
            group_of[o - all] = (uint32_t)g;
    }
}

/* The forward group of a backward one; HABITAT_NONE: it is not known. */
static uint32_t forward_of(const habitat_workload *w, const habitat_workload_group *group,
                           const uint32_t *group_of) {
    for (const habitat_operation *o = group->operation; o; o = operation_at(w, o->parent))
        if (o->forward != HABITAT_NONE)
            return group_of[o->forward];
    return HABITAT_NONE;
}

/* ---- what their kernels say ---- */

static const habitat_workload_kernel *member(const habitat_workload *w,
                                             const habitat_workload_group *group, uint32_t i) {
    return &w->kernels[w->group_index[group->first_kernel + i]];
}

static conv_sizes sizes_of(const habitat_workload *w, const habitat_workload_group *group) {
    conv_sizes told = {0};
    unsigned layouts = 0;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_kernel_form *form = member(w, group, i)->kernel->form;
        conv_sizes one = conv_sizes_of(form);
        conv_sizes layout = {0};
        if (is_forward(group))
            layout = conv_sizes_of_layout(form, layouts);
        layouts += layout.images > 0.0 || layout.out > 0.0;
        conv_sizes_join(&told, &one);
        conv_sizes_join(&told, &layout);
    }
    return told;
}

static bool is_paced(const habitat_workload *w, const char *name) {
    return sm_kernels_are_measured(w->origin->compute_capability) &&
           strstr(name, "_fprop_implicit_gemm_") && strstr(name, "_ffma_") &&
           !strstr(name, "_indexed_");
}

/* Blocks that follow each other on a multiprocessor. */
static double blocks_in_turn(const habitat_workload *w, const habitat_workload_kernel *kernel,
                             const tile_pace *pace) {
    double resident =
        kernel->launch == HABITAT_NONE ? 0.0 : (double)w->origin_waves[kernel->launch];
    return conv_tile_turns(pace, (double)kernel->facts.blocks, resident, w->origin->sm_count);
}

/* The length of the sums that a forward kernel had time for; 0: nobody measured such kernels. */
static double sum_in_time(const habitat_workload *w, const habitat_workload_kernel *kernel) {
    const char *name = kernel->kernel->form->name;
    kernel_tile tile;
    if (!name || !is_paced(w, name) || !kernel_tile_of(name, &tile))
        return 0.0;
    double flop_per_ns =
        habitat_arithmetic_rate(w->origin, HABITAT_DTYPE_FP32, false, false, NULL, NULL) * 1e-9 /
        w->origin->sm_count;
    for (size_t i = 0; i < FORWARD_PACES; i++) {
        const tile_pace *p = &conv_tile_paces_forward[i];
        if (tile.rows != p->rows || tile.columns != p->columns)
            continue;
        double turns = blocks_in_turn(w, kernel, p);
        double own_ns = usual_own_ns(w->origin, (double)kernel->kernel->duration_ns);
        double each = 2.0 * tile.rows * tile.columns * p->pace / flop_per_ns;
        return fmax(1.0, own_ns / (turns * each) - p->begin);
    }
    return 0.0;
}

static double sum_of_forward(const habitat_workload *w, const habitat_workload_group *group) {
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        double sum = member(w, group, i)->main ? sum_in_time(w, member(w, group, i)) : 0.0;
        if (sum > 0.0)
            return sum;
    }
    return 0.0;
}

/* ---- sizes ---- */

enum { COLOURS = 3, CHANNELS_TOLD = 32, NINE_WARPS = 9 * 32 };

static double smaller_of(double a, double b) {
    return a > 0.0 ? fmin(a, b) : b;
}

/* Pixels of the kernel: of those that networks have, the one that fits a sum over so many channels.
 * 0: none does. */
static double taps_of(double sum, double channels) {
    static const double usual[] = {1, 3, 7, 9, 16, 25, 49, 121, 256};
    for (size_t i = 0; channels > 0.0 && i < sizeof usual / sizeof *usual; i++)
        if (fabs(log(sum / (channels * usual[i]))) < chosen_layer_near)
            return usual[i];
    return 0.0;
}

/* Nothing tells the channels: long sums are those of 3 x 3 kernels, where their number allows it.
 */
static double likely_taps(double sum, bool told) {
    bool whole = !told || fmod(sum, NINE_WARPS) == 0.0;
    return sum >= fitted_guess_long_sum && whole ? 9 : 1;
}

/* The kernel and the length of the sums. */
static void settle_sums(const habitat_workload *w, const habitat_workload_group *group,
                        const chain *before, conv_sizes *s) {
    if (s->taps > 0.0 && s->in > 0.0)
        s->sum = smaller_of(s->sum, s->in * s->taps);
    bool told = s->sum > 0.0;
    if (!told)
        s->sum = sum_of_forward(w, group);
    if (!(s->sum > 0.0) && s->in > 0.0 && s->in_pixels > 0.0)
        s->sum = s->in; /* its weights needed no change of layout */
    double channels = s->in > 0.0 ? s->in : before->out;
    if (!(s->taps > 0.0))
        s->taps = taps_of(s->sum, channels);
    if (s->taps > 0.0 && !told && s->sum > 0.0)
        s->sum = channels * s->taps;
    if (!(s->taps > 0.0))
        s->taps = likely_taps(s->sum, told);
}

/* Of square images that fit what is told, the one in the middle. */
static void settle_pixels(conv_sizes *s) {
    double images = s->images > 0.0 ? s->images : chosen_guess_batch;
    double most = floor(sqrt(s->pixels / images));
    double least = fmin(most, floor(sqrt(s->least_pixels / images)) + 1.0);
    double side = floor((least + most) / 2.0);
    if (s->images > 0.0 && side > 0.0)
        s->pixels = images * side * side;
}

/* A kernel of several pixels after a result that it takes as it is. */
static double stride_of(const conv_sizes *s, const chain *before) {
    double from = s->in_pixels > 0.0 ? s->in_pixels : s->taps > 1.0 ? before->pixels : 0.0;
    return from > 0.0 && s->pixels > 0.0 ? fmax(1.0, round(sqrt(from / s->pixels))) : 1.0;
}

/* ---- what comes between ---- */

static const char *name_of(const habitat_workload_kernel *kernel) {
    return kernel->kernel->form->name ? kernel->kernel->form->name : "";
}

/* Channels that a batch norm has a block each for; 0: it is none, or not told. */
static double normed_channels(const habitat_workload_kernel *kernel) {
    static const char *const by_channel[] = {"bn_fw_tr_1C11", "bn_fw_inf_1C11",
                                             "batch_norm_collect_statistics",
                                             "batch_norm_transform_input"};
    for (size_t i = 0; i < sizeof by_channel / sizeof *by_channel; i++)
        if (strstr(name_of(kernel), by_channel[i]))
            return kernel->kernel->form->grid[0];
    return 0.0;
}

/* A result goes on to its norm and, past an activation, into the next convolution; a branch begins
 * elsewhere. */
static void pass_by(const habitat_workload *w, const habitat_workload_group *group, chain *c,
                    conv_sizes *last) {
    habitat_class op_class = group->work->op_class;
    const habitat_workload_kernel *kernel = member(w, group, 0);
    double channels = 0.0;
    for (uint32_t i = 0; i < group->kernel_count; i++)
        channels = fmax(channels, normed_channels(member(w, group, i)));
    if (op_class == HABITAT_CLASS_POOL)
        c->pixels = 0.0, c->pooled = true;
    c->joined |= strstr(name_of(kernel), "CatArray") != NULL;
    if (channels > 0.0 && last && !c->joined && !(last->out > 0.0))
        last->out = channels; /* elsewhere a branch may have begun */
    if (channels > 0.0)
        c->normed = channels, c->active = false;
    c->active |= op_class == HABITAT_CLASS_ELEMENTWISE;
}

static bool has_main(const habitat_workload *w, const habitat_workload_group *group,
                     const char *part) {
    for (uint32_t i = 0; i < group->kernel_count; i++)
        if (member(w, group, i)->main && strstr(name_of(member(w, group, i)), part))
            return true;
    return false;
}

/* One pixel and no stride: it runs as a product of matrices. */
static bool is_plain_product(const habitat_workload *w, const habitat_workload_group *group) {
    return has_main(w, group, "nvjet") || has_main(w, group, "sm90_xmma_gemm_") ||
           has_main(w, group, "tensorop_s1688gemm_") || has_main(w, group, "_s16816gemm_") ||
           has_main(w, group, "_f16_s1688gemm_");
}

/* Winograd and Fourier transforms have no stride, and tell nothing of the pixels. */
static bool has_no_stride(const habitat_workload *w, const habitat_workload_group *group) {
    return is_plain_product(w, group) || has_main(w, group, "_cf32cf32_") ||
           has_main(w, group, "winograd") || has_main(w, group, "complex");
}

/* Of 1x1 the weights change their layout, too, where the kernel is made for more. No kernel is
 * faster than its GPU. */
static void settle_weights(const habitat_workload *w, const habitat_workload_group *group,
                           conv_sizes *s) {
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *k = member(w, group, i);
        double peak = habitat_arithmetic_rate(w->origin, k->facts.dtype, k->facts.matrix_unit,
                                              false, NULL, NULL);
        double least_ns = 2.0 * s->pixels * s->out * s->in * s->taps / peak * 1e9;
        if (k->main && (double)k->kernel->duration_ns < least_ns)
            s->taps = 1.0;
    }
}

static void settle_one(const habitat_workload *w, const habitat_workload_group *group,
                       const chain *before, layer *l) {
    conv_sizes *s = &l->sizes;
    if (before->out == COLOURS && s->in <= CHANNELS_TOLD)
        s->in = s->in > 0.0 ? COLOURS : 0.0;
    if (s->pixels > 0.0)
        settle_pixels(s);
    else if (has_no_stride(w, group))
        s->pixels = before->pixels;
    if (s->in_pixels > 0.0 && s->taps > 0.0)
        settle_weights(w, group, s);
    if (!(s->sum > 0.0) && before->active && is_plain_product(w, group)) {
        s->taps = 1.0;
        s->sum = before->normed;
    }
    settle_sums(w, group, before, s);
    l->stride = stride_of(s, before);
}

/* Sizes of all layers, in their order. The first of an iteration sees images of three colours. */
static void settle_all(const habitat_workload *w, layer *of_group) {
    chain before = {0};
    conv_sizes *last = NULL;
    uint32_t iteration = HABITAT_NONE - 1; /* none has this number */
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        if (!is_convolution(group) || !is_forward(group)) {
            pass_by(w, group, &before, last);
            continue;
        }
        uint32_t now = member(w, group, 0)->kernel->iteration;
        if (now != iteration)
            before = (chain){.out = COLOURS}, last = NULL;
        iteration = now;
        if (last && !(last->pixels > 0.0) && !before.pooled && !before.joined)
            before.pixels = last->pixels = of_group[g].sizes.in_pixels;
        settle_one(w, group, &before, &of_group[g]);
        last = &of_group[g].sizes;
        before.out = last->out > 0.0 ? last->out : before.out;
        before.pixels = last->pixels;
        before.active = before.pooled = before.joined = false;
    }
}

/* ---- their work ---- */

static habitat_conv_shape shape_of(const layer *l) {
    const conv_sizes *s = &l->sizes;
    double images = s->images > 0.0 ? s->images : chosen_guess_batch;
    double image = fmax(1.0, round(sqrt(s->pixels / images)));
    double channels = fmax(1.0, round(s->sum / s->taps));
    double wide = round(sqrt(s->taps)), high = wide;
    if (wide * wide != s->taps) /* 1 x 3, 1 x 7 */
        wide = s->taps, high = 1.0;
    double edge = image * l->stride;
    return (habitat_conv_shape){.dims = 2,
                                .batch = s->pixels / (image * image),
                                .c_in = l->transposed ? s->out : channels,
                                .c_out = l->transposed ? channels : s->out,
                                .groups = 1.0,
                                .transposed = l->transposed,
                                .in = {l->transposed ? image : edge, l->transposed ? image : edge},
                                .out = {l->transposed ? edge : image, l->transposed ? edge : image},
                                .kernel = {high, wide},
                                .stride = {l->stride, l->stride},
                                .padding = {floor(high / 2.0), floor(wide / 2.0)},
                                .dilation = {1.0, 1.0}};
}

static habitat_dtype format_of(const habitat_workload *w, const habitat_workload_group *group) {
    const habitat_workload_kernel *longest = NULL;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *k = member(w, group, i);
        if (k->main && (!longest || k->facts.time_ns > longest->facts.time_ns))
            longest = k;
    }
    habitat_dtype arithmetic = longest ? longest->facts.dtype : HABITAT_DTYPE_UNKNOWN;
    return arithmetic == HABITAT_DTYPE_TF32 ? HABITAT_DTYPE_FP32 : arithmetic;
}

/* A layer whose data needs no gradient has kernels for that of its weights alone. */
static habitat_pass pass_of(const habitat_workload *w, const habitat_workload_group *group) {
    if (is_forward(group))
        return HABITAT_PASS_FORWARD;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *k = member(w, group, i);
        if (k->main && !(k->kernel->form->name && strstr(k->kernel->form->name, "wgrad")))
            return HABITAT_PASS_BACKWARD;
    }
    return HABITAT_PASS_BACKWARD_WEIGHT;
}

/* Grids and times are those of the recorded batch, whatever it was scaled to since. */
static double batch_growth(const habitat_workload *w) {
    uint64_t recorded = w->recorded ? w->recorded->batch_size : 0;
    return recorded && w->batch_size ? (double)w->batch_size / (double)recorded : 1.0;
}

static void set_work(const habitat_workload *w, double growth, size_t g, const layer *l,
                     habitat_work *out) {
    const conv_sizes *s = &l->sizes;
    if (!(s->pixels > 0.0 && s->out > 0.0 && s->sum > 0.0))
        return;
    habitat_conv_shape shape = shape_of(l);
    shape.batch = fmax(shape.batch * growth, 1.0);
    if (habitat_work_conv(&shape, format_of(w, &w->groups[g]), pass_of(w, &w->groups[g]), out) !=
        HABITAT_OK)
        out->known = false;
}

static void set_works(const habitat_workload *w, double growth, uint32_t *group_of, layer *of_group,
                      habitat_work *works) {
    note_operations(w, group_of);
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        if (!is_convolution(group))
            continue;
        uint32_t at = is_forward(group) ? (uint32_t)g : forward_of(w, group, group_of);
        conv_sizes told = sizes_of(w, group);
        if (at != HABITAT_NONE)
            conv_sizes_join(&of_group[at].sizes, &told);
        if (is_forward(group))
            of_group[g].transposed = strstr(group->operation->form->name, "transpose") ||
                                     (told.gradient && !told.weights);
    }
    settle_all(w, of_group);
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        if (!is_convolution(group))
            continue;
        uint32_t at = is_forward(group) ? (uint32_t)g : forward_of(w, group, group_of);
        if (at != HABITAT_NONE)
            set_work(w, growth, g, &of_group[at], &works[g]);
    }
}

habitat_status unsized_convolutions_prepare(const habitat_workload *w, unsized_convolutions *out) {
    size_t operations = 0;
    if (!workload_lacks_shapes(w))
        return HABITAT_OK;
    (void)habitat_trace_operations(w->trace, &operations);
    out->works = calloc(w->group_count + 1, sizeof *out->works);
    layer *of_group = calloc(w->group_count + 1, sizeof *of_group);
    uint32_t *group_of = malloc((operations + 1) * sizeof *group_of);
    bool ok = out->works && of_group && group_of;
    if (ok) {
        memset(group_of, 0xff, (operations + 1) * sizeof *group_of);
        set_works(w->recorded ? w->recorded : w, batch_growth(w), group_of, of_group, out->works);
    }
    free(of_group);
    free(group_of);
    return ok ? HABITAT_OK : HABITAT_E_MEMORY;
}

void unsized_convolutions_free(unsized_convolutions *l) {
    free(l->works);
    *l = (unsized_convolutions){0};
}

const habitat_work *unsized_convolutions_work(const unsized_convolutions *l, size_t group) {
    return l->works && l->works[group].known ? &l->works[group] : NULL;
}
