/* Which kernel of an operation does which part of its work.
 *
 * A matrix product, convolution, attention or recurrent layer is one or two kernels that compute
 * and helpers that move data (layout changes, split-K sums, fills). The computing kernels share the
 * operation's flop and bytes; a helper computes nothing, and its bytes stay unknown unless
 * recorded: no formula needs them, as a kernel without arithmetic scales with bandwidth whatever it
 * moves. Every other operation's kernels are alike: they share by time, but one that goes through
 * all of the operation's tensors by itself. Hardware counters come first. */
#include "workload/share.h"

#include <math.h>
#include <string.h>

#include "base/letter.h"

/* Parts of kernel names, lower case, that mark a kernel as computing or as a helper. The longest
 * kernel computes where no name says so. Seen in cuDNN 7 to 9, cuBLAS 10 to 13, PyTorch 1 to 2. */
static const char *const computing[] = {"gemm",    "gemv",  "xmma",       "cutlass",   "nvjet",
                                        "wgrad",   "dgrad", "fprop",      "conv",      "winograd",
                                        "cudnn_i", "flash", "fmha",       "attention", "lstm",
                                        "gru",     "rnn",   "dot_kernel", "mma",       "implicit"};
static const char *const helping[] = {"nchwtonhwc",
                                      "nhwctonchw",
                                      "transpose",
                                      "splitkreduce",
                                      "splitk_reduce",
                                      "reduce_kernel",
                                      "elementwise",
                                      "memset",
                                      "memcpy",
                                      "fill",
                                      "copy",
                                      "pad",
                                      "computeoffsets",
                                      "dot_do_o",
                                      "convert",
                                      "scalarmultiply",
                                      "reducesplitk",
                                      "init_device_workspace",
                                      "wgrad_nchw_helper",
                                      "prepare_grouped",
                                      "rnn_init",
                                      "init_negmax"};

enum { NAME_BYTES = 4096 }; /* longer than any useful name */

static bool any_of(const char *name, const char *const *parts, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

/* A convolution's backward pass computes two gradients of equal flop; their kernels say which. */
typedef enum part { PART_ANY = 0, PART_INPUT, PART_WEIGHT, PART_COUNT } part;

typedef struct judgement {
    bool computes, helps;
    part gradient;
} judgement;

static judgement judge(const char *name) {
    char lower[NAME_BYTES];
    size_t length = 0;
    for (; name[length] && length + 1 < sizeof lower; length++)
        lower[length] = letter_lower(name[length]);
    lower[length] = '\0';
    bool helps = any_of(lower, helping, sizeof helping / sizeof *helping);
    return (judgement){
        .computes = any_of(lower, computing, sizeof computing / sizeof *computing) && !helps,
        /* names that Inductor gives list all that is in a kernel: "transpose" beside the product */
        .helps = helps && strncmp(lower, "triton_", 7) != 0,
        .gradient = strstr(lower, "wgrad")   ? PART_WEIGHT
                    : strstr(lower, "dgrad") ? PART_INPUT
                                             : PART_ANY,
    };
}

/* Names judged already. A trace repeats a few dozen names, each stored once: the address tells them
 * apart, and a name that finds its place taken is judged again. */
enum { NAMES = 512 };
typedef struct judged_names {
    const char *name[NAMES];
    judgement judgement[NAMES];
} judged_names;

static judgement judgement_of(judged_names *judged, const habitat_kernel *kernel) {
    if (kernel->form->kind != HABITAT_KERNEL_COMPUTE || !kernel->form->name)
        return (judgement){.gradient = PART_ANY};
    size_t at = ((uintptr_t)kernel->form->name >> 4) % NAMES;
    if (judged->name[at] != kernel->form->name) {
        judged->name[at] = kernel->form->name;
        judged->judgement[at] = judge(kernel->form->name);
    }
    return judged->judgement[at];
}

static habitat_workload_kernel *member(habitat_workload *w, const habitat_workload_group *group,
                                       uint32_t i) {
    return &w->kernels[w->group_index[group->first_kernel + i]];
}

/* A kernel that is alone needs no name to be the one that computes - unless its name is all that is
 * known of it, and says that it helps another. */
static void mark_computing(habitat_workload *w, const habitat_workload_group *group,
                           judged_names *judged) {
    habitat_workload_kernel *longest = NULL;
    bool any = false;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        habitat_workload_kernel *kernel = member(w, group, i);
        kernel->main = group->kernel_count > 1 && judgement_of(judged, kernel->kernel).computes;
        any = any || kernel->main;
        if (kernel->kernel->form->kind == HABITAT_KERNEL_COMPUTE &&
            (!longest || kernel->facts.time_ns > longest->facts.time_ns))
            longest = kernel;
    }
    bool helper = group->kernel_count == 1 && !group->work->known && longest &&
                  judgement_of(judged, longest->kernel).helps;
    if (!any && longest && !helper)
        longest->main = true;
}

static part part_of(const habitat_workload_group *group, const habitat_kernel *kernel,
                    judged_names *judged) {
    if (group->work->op_class != HABITAT_CLASS_CONV || group->work->pass != HABITAT_PASS_BACKWARD)
        return PART_ANY;
    return judgement_of(judged, kernel).gradient;
}

static void share_matrix_work(habitat_workload *w, const habitat_workload_group *group, double flop,
                              double bytes, judged_names *judged) {
    double time_ns[PART_COUNT] = {0.0};
    mark_computing(w, group, judged);
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *kernel = member(w, group, i);
        if (kernel->main)
            time_ns[part_of(group, kernel->kernel, judged)] += kernel->facts.time_ns;
    }
    bool halves =
        time_ns[PART_ANY] == 0.0 && time_ns[PART_INPUT] > 0.0 && time_ns[PART_WEIGHT] > 0.0;
    double all_ns = time_ns[PART_ANY] + time_ns[PART_INPUT] + time_ns[PART_WEIGHT];
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        habitat_workload_kernel *kernel = member(w, group, i);
        if (!kernel->main) {
            kernel->facts.flop = 0.0;
            kernel->facts.bytes = NAN;
            continue;
        }
        double of_ns = halves ? 2.0 * time_ns[part_of(group, kernel->kernel, judged)] : all_ns;
        double share = of_ns > 0.0 ? kernel->facts.time_ns / of_ns : 0.0;
        kernel->facts.flop = share * flop;
        kernel->facts.bytes = share * bytes;
    }
}

/* The gradient of a layer norm's input needs all that the operation reads and writes, whatever its
 * sums for weights read again (PyTorch; RMS norms have the same kernels). */
static bool moves_all(const habitat_workload_kernel *kernel) {
    const char *name = kernel->kernel->form->name;
    return kernel->op_class == HABITAT_CLASS_NORM && name && strstr(name, "layer_norm_grad_input");
}

static void share_by_time(habitat_workload *w, const habitat_workload_group *group, double flop,
                          double bytes) {
    double all_ns = 0.0;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        habitat_workload_kernel *kernel = member(w, group, i);
        kernel->main = !habitat_is_copy(kernel->kernel) || group->kernel_count == 1;
        all_ns += kernel->main ? kernel->facts.time_ns : 0.0;
    }
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        habitat_workload_kernel *kernel = member(w, group, i);
        double share = kernel->main && all_ns > 0.0 ? kernel->facts.time_ns / all_ns : 0.0;
        kernel->facts.flop = share * flop;
        kernel->facts.bytes = (moves_all(kernel) ? 1.0 : share) * bytes;
    }
}

static void prefer_counters(habitat_workload_kernel *kernel) {
    const habitat_kernel *recorded = kernel->kernel;
    if (habitat_is_copy(recorded)) {
        bool within = recorded->form->copy_kind && strcmp(recorded->form->copy_kind, "DtoD") == 0;
        kernel->facts.flop = 0.0;
        kernel->facts.bytes =
            recorded->form->bytes ? (double)recorded->form->bytes * (within ? 2.0 : 1.0) : NAN;
    }
    if (!isnan(recorded->form->flop))
        kernel->facts.flop = recorded->form->flop;
    if (!isnan(recorded->form->dram_bytes))
        kernel->facts.bytes = recorded->form->dram_bytes;
}

void habitat_workload_share(habitat_workload *w) {
    judged_names judged = {0};
    for (size_t g = 0; g < w->group_count; g++) {
        const habitat_workload_group *group = &w->groups[g];
        const habitat_work *work = group->work;
        double flop = work->known ? work->flop : NAN;
        double bytes = work->known ? work->read_bytes + work->write_bytes : NAN;
        if (habitat_class_is_product(work->op_class))
            share_matrix_work(w, group, flop, bytes, &judged);
        else
            share_by_time(w, group, flop, bytes);
        for (uint32_t i = 0; i < group->kernel_count; i++)
            prefer_counters(member(w, group, i));
    }
}

workload_arithmetic workload_arithmetic_of(const habitat_workload *w,
                                           const habitat_workload_group *group) {
    workload_arithmetic found = {group->work->dtype, false};
    double longest = -1.0;
    for (uint32_t i = 0; i < group->kernel_count; i++) {
        const habitat_workload_kernel *kernel =
            &w->kernels[w->group_index[group->first_kernel + i]];
        const habitat_kernel_facts *facts = &kernel->facts;
        if (!kernel->main || facts->time_ns <= longest || facts->dtype == HABITAT_DTYPE_UNKNOWN)
            continue;
        longest = facts->time_ns;
        found = (workload_arithmetic){facts->dtype, facts->matrix_unit};
    }
    return found;
}
