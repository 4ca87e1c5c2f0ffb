/* What cuDNN works in beside the tensors of a convolution.
 *
 * Which algorithm it took is told by the helpers that ran with it: copies into another layout, and
 * transforms into spectra or tiles. All of them write into one workspace, which is there as long
 * as the convolution runs. The two gradients of a convolution follow each other; each has its own.
 */
#include "memory/workspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/letter.h"
#include "base/format_bytes.h"
#include "work/args.h"

enum {
    LAYOUT_TILE = 32, /* a block that copies takes so many channels and positions */
};

/* The convolution whose helpers are being looked at. */
typedef struct looked_at {
    uint32_t operation; /* HABITAT_NONE: none */
    habitat_conv_shape shape;
    double element_bytes;
    bool backward, flipped;     /* flipped: a factor of what comes next */
    memory_workspace now, most; /* of the gradient, or forward pass, at hand; of the largest */
} looked_at;

/* The convolution, or its backward operation, around an operation; HABITAT_NONE. `out`: of the
 * innermost of them, which has the formats that autocast gave it. */
static uint32_t convolution_around(const habitat_operation *operations, uint32_t at,
                                   habitat_work *out) {
    bool found = false;
    for (; at != HABITAT_NONE; at = operations[at].parent) {
        const char *name = operations[at].form->name;
        habitat_work work;
        if (!strstr(name, "convolution"))
            continue;
        if (!found && habitat_operation_work(&operations[at], &work) == HABITAT_OK && work.known &&
            work.op_class == HABITAT_CLASS_CONV) {
            *out = work;
            found = true;
        }
        if (found && (!strcmp(name, "aten::convolution") || strstr(name, "convolution_backward")))
            return at;
    }
    return HABITAT_NONE;
}

/* ---- copies into another layout ---- */

/* Bytes of a tensor if the kernel's blocks cover it: x of 32 positions, y of 32 channels, z images;
 * else 0. */
static double covered(const habitat_kernel *k, double images, double channels, double positions,
                      double element_bytes) {
    const uint32_t *grid = k->form->grid;
    bool covers = grid[0] == ceil(positions / LAYOUT_TILE) &&
                  grid[1] == ceil(channels / LAYOUT_TILE) && grid[2] == images;
    return covers ? images * memory_filled(channels, element_bytes) * positions * element_bytes : 0;
}

/* Which tensor is copied is told by the grid; where it may be either image, the larger. */
static void add_copy(const habitat_kernel *k, looked_at *c) {
    const habitat_conv_shape *s = &c->shape;
    double kernel = work_product(s->kernel, s->dims), each = c->element_bytes;
    double in = covered(k, s->batch, s->c_in, work_product(s->in, s->dims), each);
    double out = covered(k, s->batch, s->c_out, work_product(s->out, s->dims), each);
    double weights = covered(k, s->c_out, s->c_in / s->groups, kernel, each);
    double turned = covered(k, s->c_in, s->c_out / s->groups, kernel, each); /* transposed */
    c->now.copied_growing += fmax(in, out);
    c->now.copied_fixed += in + out > 0 ? 0 : weights > 0 ? weights : turned;
}

/* ---- transforms ---- */

static void take_transforms(const memory_workspace *w, looked_at *c) {
    c->now.transformed_fixed = w->transformed_fixed;
    c->now.transformed_growing = w->transformed_growing;
}

/* Of a backward operation, a factor is flipped for the gradient of the weights; of a transposed
 * convolution for either gradient, so that the larger is taken. */
static void add_spectra(double side, looked_at *c) {
    const habitat_conv_shape *s = &c->shape;
    bool flips = c->flipped;
    memory_pass pass = !c->backward && (flips || s->transposed) ? MEMORY_PASS_FORWARD
                       : c->backward && flips                   ? MEMORY_PASS_TO_WEIGHTS
                                                                : MEMORY_PASS_TO_INPUT;
    memory_workspace w = memory_spectra(s, pass, side);
    if (c->backward && flips && s->transposed) {
        memory_workspace other = memory_spectra(s, MEMORY_PASS_TO_INPUT, side);
        w = memory_workspace_total(&other) > memory_workspace_total(&w) ? other : w;
    }
    take_transforms(&w, c);
}

static void add_tiles(double m, looked_at *c) {
    memory_workspace w = memory_tiles(&c->shape, m);
    take_transforms(&w, c);
}

/* ---- parts of sums ---- */

static bool is_multiple(double bytes, double of) {
    return of > 0 && bytes > of && fmod(bytes, of) == 0;
}

/* A gradient of weights that many blocks add up in parts has a room for each part, which is set to
 * 0 before: so many times the weights in fp32, or the images where each has its own. Other memory
 * that is set to 0 is the result or a copy. */
static void add_parts(const habitat_kernel *k, looked_at *c) {
    const habitat_conv_shape *s = &c->shape;
    double bytes = (double)k->form->bytes,
           image = s->batch * s->c_in * work_product(s->in, s->dims);
    double weights = s->c_out * s->c_in / s->groups * work_product(s->kernel, s->dims);
    if (!c->backward)
        return;
    if (is_multiple(bytes, image * SINGLE_BYTES))
        c->now.summed_growing += bytes;
    else if (is_multiple(bytes, weights * SINGLE_BYTES))
        c->now.summed_fixed += bytes;
}

/* ---- one kernel after another ---- */

/* A result is there: what comes next is the other gradient. */
static void finish(looked_at *c) {
    if (memory_workspace_total(&c->now) > memory_workspace_total(&c->most))
        c->most = c->now;
    c->now = (memory_workspace){0};
    c->flipped = false;
}

/* The whole number at the start of a text. */
static double whole_number(const char *text) {
    double number = 0;
    for (; letter_is_digit(*text); text++)
        number = 10 * number + (*text - '0');
    return number;
}

static void look(const habitat_kernel *k, looked_at *c) {
    const char *name = k->form->name, *side;
    if (k->form->kind == HABITAT_KERNEL_MEMSET) {
        add_parts(k, c);
    } else if (strstr(name, "nchwToNhwcKernel")) {
        add_copy(k, c);
    } else if (strstr(name, "nhwcToNchwKernel")) {
        add_copy(k, c);
        finish(c);
    } else if (strstr(name, "flip_filter")) {
        c->flipped = true;
    } else if ((side = strstr(name, "fft2d_r2c_"))) {
        add_spectra(whole_number(side + strlen("fft2d_r2c_")), c);
    } else if (strstr(name, "fft2d_c2r_")) {
        finish(c);
    } else if (strstr(name, "winograd") && strstr(name, "Data4x4")) {
        add_tiles(MEMORY_TILE_SMALL, c);
    } else if (strstr(name, "winograd") && strstr(name, "Data9x9_5x5")) {
        add_tiles(MEMORY_TILE_LARGE, c);
    } else if (strstr(name, "winograd") && strstr(name, "Output")) {
        finish(c);
    }
}

static bool is_helper(const habitat_kernel *k) {
    const char *name = k->form->name;
    return k->form->kind == HABITAT_KERNEL_MEMSET || strstr(name, "nchwToNhwcKernel") ||
           strstr(name, "nhwcToNchwKernel") || strstr(name, "flip_filter") ||
           strstr(name, "fft2d_") || strstr(name, "winograd");
}

/* The forward operation of a backward one: the link may be on one around it. */
static uint32_t forward_of(const habitat_operation *operations, uint32_t at) {
    while (at != HABITAT_NONE && operations[at].forward == HABITAT_NONE)
        at = operations[at].parent;
    return at == HABITAT_NONE ? at : operations[at].forward;
}

static void take_over(memory_workspace *most, const memory_workspace *other) {
    if (memory_workspace_total(other) > memory_workspace_total(most))
        *most = *other;
}

/* What the convolution at hand took, to where it is looked for. */
static void leave(looked_at *c, const habitat_operation *operations, memory_workspaces *out) {
    if (c->operation == HABITAT_NONE)
        return;
    finish(c);
    if (!strcmp(operations[c->operation].form->name, "aten::convolution"))
        take_over(&out->forward[c->operation], &c->most);
    else
        for (uint32_t at = forward_of(operations, c->operation); at != HABITAT_NONE;
             at = operations[at].parent)
            take_over(&out->backward[at], &c->most);
}

/* The convolution around a kernel, if anything is to be learnt of it. */
static uint32_t convolution_of(const habitat_operation *operations, const habitat_kernel *k,
                               habitat_work *work, memory_workspaces *out) {
    bool tells = !out->tf32 || is_helper(k);
    uint32_t at = k->iteration != 0 || k->operation == HABITAT_NONE || !tells
                      ? HABITAT_NONE
                      : convolution_around(operations, k->operation, work);
    bool unit;
    if (at == HABITAT_NONE)
        return at;
    out->convolutions = true;
    out->tf32 |= k->form->kind == HABITAT_KERNEL_COMPUTE &&
                 habitat_kernel_arithmetic(k->form->name, work, &unit) == HABITAT_DTYPE_TF32;
    return is_helper(k) ? at : HABITAT_NONE;
}

bool memory_workspaces_of(const habitat_trace *trace, memory_kind kind, const habitat_gpu *origin,
                          memory_workspaces *out) {
    size_t count, kernel_count;
    const habitat_operation *operations = habitat_trace_operations(trace, &count);
    const habitat_kernel *kernels = habitat_trace_kernels(trace, &kernel_count);
    out->trace = trace;
    out->kind = kind;
    out->fastest =
        memory_speed_of(origin, &out->speed) && habitat_trace_get_info(trace)->cudnn_benchmark;
    out->forward = calloc(count + 1, sizeof *out->forward);
    out->backward = calloc(count + 1, sizeof *out->backward);
    if (!out->forward || !out->backward)
        return false;
    looked_at c = {.operation = HABITAT_NONE};
    for (size_t i = 0; i < kernel_count; i++) {
        habitat_work work;
        uint32_t at = convolution_of(operations, &kernels[i], &work, out);
        if (at == HABITAT_NONE)
            continue;
        if (at != c.operation) {
            leave(&c, operations, out);
            c = (looked_at){.operation = at,
                            .shape = work.shape.conv,
                            .backward = strcmp(operations[at].form->name, "aten::convolution") != 0,
                            .element_bytes = (double)habitat_dtype_bytes(work.dtype)};
        }
        look(&kernels[i], &c);
    }
    leave(&c, operations, out);
    return true;
}

/* ---- in a format ---- */

/* Of the backward operation of a forward one, or of one around it that counts as the same. */
static memory_workspace behind(const memory_workspaces *w, const habitat_operation *operations,
                               uint32_t at) {
    while (!(memory_workspace_total(&w->backward[at]) > 0)) {
        if (operations[at].parent == HABITAT_NONE ||
            !habitat_trace_numbered_as_parent(w->trace, at))
            return (memory_workspace){0};
        at = operations[at].parent;
    }
    return w->backward[at];
}

static double format_bytes(const memory_workspaces *w, habitat_memory_format format) {
    bool single = format == HABITAT_MEMORY_RECORDED ? w->kind == MEMORY_KIND_SINGLE
                                                    : format != HABITAT_MEMORY_AUTOCAST;
    return single ? SINGLE_BYTES : SINGLE_BYTES / 2;
}

/* As it was recorded: copies in the format's size; what is transformed or summed is fp32. */
static memory_space as_recorded(const memory_workspace *s, double ratio) {
    double same = ratio == 1 ? 1 : 0;
    return (memory_space){.growing = ratio * s->copied_growing +
                                     same * (s->transformed_growing + s->summed_growing),
                          .fixed = ratio * s->copied_fixed,
                          .shrinking = same * (s->transformed_fixed + s->summed_fixed)};
}

/* Matrix units take channels last: images and weights are copied where they lie otherwise. */
static memory_space all_copied(const habitat_conv_shape *s, double each) {
    memory_workspace w = memory_copies(s, each);
    return (memory_space){.growing = w.copied_growing, .fixed = w.copied_fixed};
}

/* In strict fp32 cuDNN may compute with spectra, which need most of all that was seen. */
static memory_space most_of(const habitat_conv_shape *s, memory_pass first, memory_pass last) {
    memory_workspace most = {0};
    for (int at = (int)first; at <= (int)last; at++) {
        memory_pass pass = (memory_pass)at;
        double side = memory_spectra_side(s, pass);
        memory_workspace w = side > 0 ? memory_spectra(s, pass, side) : (memory_workspace){0};
        take_over(&most, &w);
    }
    return (memory_space){.growing = most.transformed_growing, .fixed = most.transformed_fixed};
}

/* Where cuDNN tries all, the fastest; spectra of filters are less for a smaller batch. */
static memory_space fastest_of(const memory_workspaces *w, const habitat_conv_shape *s,
                               memory_pass first, memory_pass last) {
    memory_workspace most = {0};
    for (int pass = (int)first; pass <= (int)last && w->fastest; pass++) {
        memory_workspace taken = memory_fastest(s, (memory_pass)pass, &w->speed);
        take_over(&most, &taken);
    }
    return (memory_space){.growing = most.transformed_growing, .shrinking = most.transformed_fixed};
}

void memory_workspaces_take(const memory_workspaces *w, uint32_t i, habitat_memory_format format,
                            memory_step *step) {
    size_t count;
    const habitat_operation *operations = habitat_trace_operations(w->trace, &count);
    habitat_work work;
    bool recorded = w->kind != MEMORY_KIND_SINGLE || w->tf32; /* on matrix units */
    bool asked = format == HABITAT_MEMORY_RECORDED ? recorded : format != HABITAT_MEMORY_SINGLE;
    if (strcmp(operations[i].form->name, "aten::convolution") != 0 ||
        habitat_operation_work(&operations[i], &work) != HABITAT_OK || !work.known)
        return;
    double each = format_bytes(w, format), was = format_bytes(w, HABITAT_MEMORY_RECORDED);
    memory_workspace back = behind(w, operations, i);
    if (asked == recorded) {
        step->forward = as_recorded(&w->forward[i], each / was);
        step->backward = as_recorded(&back, each / was);
    } else if (asked) {
        step->forward = step->backward = all_copied(&work.shape.conv, each);
    }
    if (recorded && !asked) { /* none of strict fp32 was seen */
        const habitat_conv_shape *s = &work.shape.conv;
        step->forward = fastest_of(w, s, MEMORY_PASS_FORWARD, MEMORY_PASS_FORWARD);
        step->backward = fastest_of(w, s, MEMORY_PASS_TO_INPUT, MEMORY_PASS_TO_WEIGHTS);
        step->most_forward = most_of(s, MEMORY_PASS_FORWARD, MEMORY_PASS_FORWARD);
        step->most_backward = most_of(s, MEMORY_PASS_TO_INPUT, MEMORY_PASS_TO_WEIGHTS);
    }
}

void memory_workspaces_free(memory_workspaces *w) {
    free(w->forward);
    free(w->backward);
    *w = (memory_workspaces){0};
}
