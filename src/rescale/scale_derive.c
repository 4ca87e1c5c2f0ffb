/* A workload made from another: the same kernels in the same order of time, with other work and
 * other times. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "rescale/scale.h"
#include "workload/bound.h"
#include "workload/overlap.h"

static void *copy_of(const void *from, size_t count, size_t size) {
    void *out = calloc(count + 1, size);
    if (out && count)
        memcpy(out, from, count * size);
    return out;
}

/* Everything but kernels, groups and texts as it is; times too, until they are set. */
static habitat_workload *copy_workload(const habitat_workload *from, size_t added) {
    habitat_workload *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    *w = *from;
    w->arena = (habitat_arena){0};
    w->warnings = NULL;
    w->warning_count = w->doubt_count = 0;
    w->memory = NULL; /* stays with what was recorded */
    w->recorded = from->recorded ? from->recorded : from;
    w->kernel_count += added;
    w->group_count += added;
    w->kernels = calloc(w->kernel_count + 1, sizeof *w->kernels);
    w->groups = calloc(w->group_count + 1, sizeof *w->groups);
    w->group_index = calloc(w->kernel_count + 1, sizeof *w->group_index);
    w->launches = copy_of(from->launches, from->launch_count, sizeof *w->launches);
    w->origin_waves = copy_of(from->origin_waves, from->launch_count, sizeof *w->origin_waves);
    habitat_busy_copy(from, w);
    if (!w->kernels || !w->groups || !w->group_index || !w->launches || !w->origin_waves ||
        (from->part_count && (!w->parts || !w->edges))) {
        habitat_workload_free(w);
        return NULL;
    }
    memcpy(w->kernels, from->kernels, from->kernel_count * sizeof *w->kernels);
    memcpy(w->groups, from->groups, from->group_count * sizeof *w->groups);
    memcpy(w->group_index, from->group_index, from->kernel_count * sizeof *w->group_index);
    return w;
}

static bool is_recorded(const habitat_workload *w, const habitat_operation *op) {
    size_t count = 0;
    const habitat_operation *ops = habitat_trace_operations(w->trace, &count);
    return (uintptr_t)op >= (uintptr_t)ops && (uintptr_t)op < (uintptr_t)(ops + count);
}

static double times(double value, double after, double before) {
    return before > 0.0 && after >= 0.0 ? value * (after / before) : value;
}

/* A kernel does the same share of its operation's work as before, and has blocks to match. */
static void set_kernel(const habitat_workload_group *before, const scale_group *after,
                       habitat_workload_kernel *out) {
    double bytes = before->work->read_bytes + before->work->write_bytes;
    double new_bytes = after->work.read_bytes + after->work.write_bytes;
    bool known = before->work->known && after->work.known;
    out->op_class = after->work.op_class;
    out->facts.flop = times(out->facts.flop, known ? after->work.flop : after->ratio,
                            known ? before->work->flop : 1.0);
    out->facts.bytes =
        times(out->facts.bytes, known ? new_bytes : after->ratio, known ? bytes : 1.0);
    if (!out->persistent && out->facts.blocks)
        out->facts.blocks = (uint64_t)fmax(1.0, round((double)out->facts.blocks * after->ratio));
    if (out->main && after->arithmetic != HABITAT_DTYPE_UNKNOWN) {
        out->facts.dtype = after->arithmetic;
        out->facts.matrix_unit = after->matrix_unit;
    }
}

static const habitat_work *keep_work(habitat_workload *w, const habitat_work *work) {
    habitat_work *kept = habitat_arena_alloc(&w->arena, sizeof *kept);
    if (kept)
        *kept = *work;
    return kept;
}

static bool set_groups(const habitat_workload *from, const scale_group *groups,
                       habitat_workload *w) {
    for (size_t g = 0; g < from->group_count; g++) {
        const habitat_workload_group *before = &from->groups[g];
        const habitat_operation *op = groups[g].operation ? groups[g].operation : before->operation;
        w->groups[g].work = keep_work(w, &groups[g].work);
        w->groups[g].operation =
            op && !is_recorded(from, op) ? scale_keep_operation(&w->arena, op) : op;
        if (!w->groups[g].work || (op && !w->groups[g].operation))
            return false;
        for (uint32_t i = 0; i < before->kernel_count; i++)
            set_kernel(before, &groups[g],
                       &w->kernels[from->group_index[before->first_kernel + i]]);
    }
    return true;
}

/* A kernel that was not recorded, and its operation. */
typedef struct added_kernel {
    habitat_operation op;
    habitat_op_form op_form;
    habitat_kernel kernel;
    habitat_kernel_form form;
} added_kernel;

/* Kernels that an earlier step added belong to its workload, which may go before this one. */
static bool keep_added_kernels(const habitat_workload *from, habitat_workload *w) {
    size_t count = 0;
    const habitat_kernel *recorded = habitat_trace_kernels(from->trace, &count);
    uintptr_t first = (uintptr_t)recorded, end = first + count * sizeof *recorded;
    for (size_t k = 0; k < from->kernel_count; k++) {
        const habitat_kernel *kernel = from->kernels[k].kernel;
        if ((uintptr_t)kernel >= first && (uintptr_t)kernel < end)
            continue;
        added_kernel *kept = habitat_arena_alloc(&w->arena, sizeof *kept);
        if (!kept)
            return false;
        kept->kernel = *kernel;
        kept->form = *kernel->form;
        kept->kernel.form = &kept->form;
        w->kernels[k].kernel = &kept->kernel;
    }
    return true;
}

/* A kernel that was not recorded: an operation of its own, at no place in the order of time. */
static added_kernel *make_added(habitat_workload *w, const char *name) {
    added_kernel *made = habitat_arena_alloc(&w->arena, sizeof *made);
    if (!made)
        return NULL;
    made->op_form = (habitat_op_form){.name = name};
    made->op = (habitat_operation){
        .form = &made->op_form, .parent = HABITAT_NONE, .forward = HABITAT_NONE, .kernel_count = 1};
    made->form = (habitat_kernel_form){
        .name = name, .device = w->kernels[0].kernel->form->device, .dram_bytes = NAN, .flop = NAN};
    made->kernel = (habitat_kernel){
        .form = &made->form, .operation = HABITAT_NONE, .call = HABITAT_NONE, .iteration = 0};
    return made;
}

static bool add_group(habitat_workload *w, size_t g, size_t k, const scale_added *added) {
    added_kernel *made = make_added(w, added->name);
    const habitat_work *work = keep_work(w, &added->work);
    if (!made || !work)
        return false;
    w->groups[g] = (habitat_workload_group){
        .operation = &made->op, .work = work, .first_kernel = (uint32_t)k, .kernel_count = 1};
    w->group_index[k] = (uint32_t)k;
    w->kernels[k] = (habitat_workload_kernel){
        .kernel = &made->kernel,
        .group = (uint32_t)g,
        .launch = HABITAT_NONE,
        .op_class = added->work.op_class,
        .main = true,
        .facts = {.flop = added->work.flop,
                  .bytes = added->work.read_bytes + added->work.write_bytes,
                  .dtype = added->work.dtype}};
    return true;
}

habitat_status scale_derive(const habitat_workload *from, const scale_group *groups,
                            size_t added_count, const scale_added *added, habitat_workload **out) {
    habitat_workload *w = copy_workload(from, added_count);
    if (!w)
        return HABITAT_E_MEMORY;
    bool ok = set_groups(from, groups, w) && keep_added_kernels(from, w);
    for (size_t i = 0; ok && i < added_count; i++)
        ok = add_group(w, from->group_count + i, from->kernel_count + i, &added[i]);
    if (!ok) {
        habitat_workload_free(w);
        return HABITAT_E_MEMORY;
    }
    *out = w;
    return HABITAT_OK;
}

/* ---- times ---- */

/* The iteration as far as it is known: the GPU's time, and the CPU's where the recording waited for
 * it. */
static void set_iteration(habitat_workload *w) {
    const habitat_workload_info *recorded = &w->recorded->info;
    habitat_workload_info *info = &w->info;
    double iterations = (double)info->iteration_count;
    info->kernel_ms = (double)w->kernel_ns / iterations / HABITAT_NS_PER_MS;
    info->copy_ms = (double)w->copy_ns / iterations / HABITAT_NS_PER_MS;
    info->busy_ms = (double)w->busy_ns / iterations / HABITAT_NS_PER_MS;
    info->iteration_recorded = false;
    if (recorded->bound_by == HABITAT_BY_CPU && recorded->iteration_ms > info->busy_ms)
        info->iteration_ms = recorded->iteration_ms;
    else
        info->iteration_ms = info->busy_ms;
    info->waiting_share = info->iteration_ms > 0.0 ? 1.0 - info->busy_ms / info->iteration_ms : NAN;
    info->bound_by = habitat_bound_of(recorded, info->busy_ms);
    info->trace_kernel_count = w->kernel_count - info->trace_copy_count;
}

static void set_kernel_times(habitat_workload *w, const double *ns, double *rounded) {
    w->kernel_ns = w->copy_ns = 0;
    for (size_t g = 0; g < w->group_count; g++)
        w->groups[g].origin_ms = 0.0;
    for (size_t k = 0; k < w->kernel_count; k++) {
        bool copy = habitat_is_copy(w->kernels[k].kernel);
        rounded[k] = w->kernels[k].facts.time_ns = round(ns[k]);
        w->groups[w->kernels[k].group].origin_ms += rounded[k] / HABITAT_NS_PER_MS;
        *(copy ? &w->copy_ns : &w->kernel_ns) += (uint64_t)rounded[k];
    }
}

habitat_status scale_set_times(habitat_workload *w, const double *ns, habitat_error *err) {
    double *rounded = calloc(w->kernel_count + 1, sizeof *rounded);
    double *charged = calloc(w->kernel_count + 1, sizeof *charged), busy = 0.0;
    habitat_status status = HABITAT_E_MEMORY;
    if (rounded && charged) {
        set_kernel_times(w, ns, rounded);
        status = habitat_busy_charge(w, rounded, charged, err);
    }
    for (size_t k = 0; status == HABITAT_OK && k < w->kernel_count; k++)
        busy += charged[k];
    free(rounded);
    free(charged);
    if (status != HABITAT_OK)
        return habitat_fail(err, status, "out of memory");
    w->busy_ns = (uint64_t)round(busy);
    set_iteration(w);
    return HABITAT_OK;
}

habitat_status scale_warn(habitat_workload *w, const char *text, habitat_error *err) {
    const char **list =
        habitat_arena_alloc(&w->arena, (w->warning_count + 1) * sizeof *w->warnings);
    const char *kept = habitat_arena_string(&w->arena, text, strlen(text));
    if (!list || !kept)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; i < w->warning_count; i++)
        list[i] = w->warnings[i];
    list[w->warning_count++] = kept;
    w->warnings = list;
    return HABITAT_OK;
}
