/* Sorting and linking of operations and kernels; calls are in calls_link.c. Everything here is a
 * sort of nearly sorted things or one sweep: no cost grows faster than n log n. */
#include "trace/link.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "base/same_text.h"
#include "trace/sort.h"

/* Old traces have whole microseconds, start and duration each cut off: a child may seem to end a
 * little after its parent. */
enum { NESTING_SLACK_NS = 2000 };

/* Whoever walks from an operation to the outermost takes so many steps at most: frameworks nest by
 * dozens, and what is nested deeper counts as beside the deepest (docs/decisions/0407). */
enum { NESTING_MOST = 1000 };

static uint64_t end_of(const habitat_operation *o) {
    return o->start_ns + o->duration_ns;
}

/* --- times --------------------------------------------------------------------------------- */

/* Make times relative to the first event that is kept. */
static void rebase(trace_builder *b) {
    habitat_trace *t = b->trace;
    uint64_t base = UINT64_MAX;
    for (size_t i = 0; i < t->operation_count; i++)
        if (t->operations[i].start_ns < base)
            base = t->operations[i].start_ns;
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].start_ns < base)
            base = t->kernels[i].start_ns;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].start_ns < base)
            base = t->calls[i].start_ns;
    if (b->base_time_ns && base < UINT64_MAX / 2)
        t->info.clock_ns = b->base_time_ns + base;
    for (size_t i = 0; i < t->operation_count; i++)
        t->operations[i].start_ns -= base;
    for (size_t i = 0; i < t->kernel_count; i++)
        t->kernels[i].start_ns -= base;
    for (size_t i = 0; i < t->call_count; i++)
        t->calls[i].start_ns -= base;
    for (size_t i = 0; i < b->wait_count; i++) /* a time that is not known stays later than all */
        b->waits[i].time_ns -= b->waits[i].time_ns == UINT64_MAX ? 0 : base;
    for (size_t i = 0; i < b->flow_count; i++) /* a flow before the base matches nothing */
        b->flows[i].time_ns -= base;
    for (size_t i = 0; i < b->range_count; i++) {
        b->ranges[i].start_ns -= base;
        b->ranges[i].end_ns -= base;
    }
    for (size_t i = 0; i < b->step_count; i++) {
        b->steps[i].start_ns -= base;
        b->steps[i].end_ns -= base;
    }
}

/* --- operations ---------------------------------------------------------------------------- */

static bool operation_before(const void *context, uint32_t a, uint32_t b) {
    const habitat_operation *x = (const habitat_operation *)context + a;
    const habitat_operation *y = (const habitat_operation *)context + b;
    if (x->form->thread != y->form->thread)
        return x->form->thread < y->form->thread;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns;
    if (x->duration_ns != y->duration_ns)
        return x->duration_ns > y->duration_ns;
    return x->kernel_count < y->kernel_count; /* external ids count calls: the outer comes first */
}

static bool sort_operations(habitat_trace *t) {
    habitat_operation spare;
    return sort_elements(t->operations, sizeof spare, t->operation_count, operation_before, &spare);
}

static bool is_range(const habitat_operation *o) {
    return o->form->kind == HABITAT_OPERATION_RANGE;
}

/* Does `above` contain `o`? Both on the list in order. */
static bool nests(const habitat_operation *above, const habitat_operation *o) {
    return above->form->thread == o->form->thread && end_of(above) > o->start_ns &&
           end_of(above) + NESTING_SLACK_NS >= end_of(o);
}

/* Parents by nesting. An operation that only overlaps the one before it replaces it: whatever
 * starts later and lies in both lies in the later one. */
static void find_parents_of_all(habitat_trace *t) {
    uint32_t top = HABITAT_NONE, depth = 0; /* of top: 0 none, 1 outermost */
    for (uint32_t i = 0; i < t->operation_count; i++) {
        while (top != HABITAT_NONE &&
               (depth == NESTING_MOST || !nests(&t->operations[top], &t->operations[i]))) {
            top = t->operations[top].parent;
            depth--;
        }
        t->operations[i].parent = top;
        top = i;
        depth++;
    }
}

/* Ranges are drawn by the user, anywhere: they must not come between operations, nor cut one off
 * from what is around it. The parent of an operation is an operation, or where none is around it,
 * the range found above. */
static void find_parents(habitat_trace *t) {
    uint32_t top = HABITAT_NONE, depth = 0;
    find_parents_of_all(t);
    for (uint32_t i = 0; i < t->operation_count; i++) {
        habitat_operation *o = &t->operations[i];
        if (is_range(o))
            continue;
        while (top != HABITAT_NONE && (depth == NESTING_MOST || !nests(&t->operations[top], o))) {
            top = trace_outwards(t, top);
            depth--;
        }
        if (top != HABITAT_NONE ||
            (o->parent != HABITAT_NONE && !is_range(&t->operations[o->parent])))
            o->parent = top;
        top = i;
        depth++;
    }
}

/* --- kernels ------------------------------------------------------------------------------- */

static bool kernel_before(const void *context, uint32_t a, uint32_t b) {
    const habitat_kernel *x = (const habitat_kernel *)context + a;
    const habitat_kernel *y = (const habitat_kernel *)context + b;
    if (x->form->device != y->form->device)
        return x->form->device < y->form->device;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns;
    return x->form->stream < y->form->stream;
}

static bool sort_kernels(habitat_trace *t) {
    habitat_kernel spare;
    return sort_elements(t->kernels, sizeof spare, t->kernel_count, kernel_before, &spare);
}

static bool external_before(const void *context, uint32_t a, uint32_t b) {
    const habitat_operation *o = context;
    return o[a].kernel_count < o[b].kernel_count;
}

/* The operation with this external id, or HABITAT_NONE; `order` is sorted by it. */
static uint32_t with_external(const habitat_trace *t, const uint32_t *order, uint32_t external) {
    size_t low = 0;
    LIST_FIRST_NOT(low, t->operation_count, t->operations[order[middle]].kernel_count < external);
    bool found =
        low < t->operation_count && t->operations[order[low]].kernel_count == external && external;
    return found ? order[low] : HABITAT_NONE;
}

/* Kernels lie in the operation of their call; those whose call was not recorded, in the operation
 * with their external id, which shared the field. */
static bool link_operations(habitat_trace *t) {
    uint32_t *order = NULL;
    if (t->info.trace_unlinked_kernels && t->operation_count) {
        order = malloc(t->operation_count * sizeof *order);
        if (!order || !sort_order(order, t->operation_count, external_before, t->operations)) {
            free(order);
            return false;
        }
    }
    for (size_t i = 0; i < t->kernel_count; i++) {
        habitat_kernel *k = &t->kernels[i];
        k->operation = k->call != HABITAT_NONE ? t->calls[k->call].operation
                       : order                 ? with_external(t, order, k->operation)
                                               : HABITAT_NONE;
        k->earlier = k->earlier && k->operation == HABITAT_NONE;
        t->info.trace_unlinked_kernels -= k->earlier;
    }
    free(order);
    return true;
}

/* Kernels of each operation and everything inside it. Children come after their parents. */
static void count_kernels(habitat_trace *t) {
    for (size_t i = 0; i < t->operation_count; i++)
        t->operations[i].kernel_count = 0;
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].operation != HABITAT_NONE)
            t->operations[t->kernels[i].operation].kernel_count++;
    for (size_t i = t->operation_count; i-- > 0;)
        if (t->operations[i].parent != HABITAT_NONE)
            t->operations[t->operations[i].parent].kernel_count += t->operations[i].kernel_count;
}

/* --- the trace as a whole ------------------------------------------------------------------ */

static bool any_module(const habitat_trace *t) {
    for (size_t i = 0; i < t->operation_count; i++)
        if (t->operations[i].form->kind == HABITAT_OPERATION_MODULE)
            return true;
    return false;
}

/* Modules: of the operation itself, else of the forward operation it belongs to. */
static void list_modules(const habitat_trace *t, uint32_t *of) {
    for (size_t i = 0; i < t->operation_count; i++) {
        uint32_t parent = t->operations[i].parent;
        bool inside = parent != HABITAT_NONE;
        of[i] = inside && t->operations[parent].form->kind == HABITAT_OPERATION_MODULE ? parent
                : inside                                                               ? of[parent]
                         : HABITAT_NONE;
    }
    for (size_t i = 0; i < t->operation_count; i++)
        if (of[i] == HABITAT_NONE && t->operations[i].forward != HABITAT_NONE)
            of[i] = of[t->operations[i].forward];
}

/* Counts the runs, and with room for them writes them. */
static size_t put_module_runs(const uint32_t *of, size_t count, trace_module_run *out) {
    size_t runs = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && of[i] == of[i - 1])
            continue;
        if (out)
            out[runs] = (trace_module_run){(uint32_t)i, of[i]};
        runs++;
    }
    return runs;
}

/* Neighbours are mostly of one module, so runs are kept. Most traces have none at all. */
static bool find_modules(habitat_trace *t) {
    if (!any_module(t))
        return true;
    uint32_t *of = malloc(t->operation_count * sizeof *of);
    if (!of)
        return false;
    list_modules(t, of);
    t->module_run_count = put_module_runs(of, t->operation_count, NULL);
    t->modules = malloc(t->module_run_count * sizeof *t->modules);
    if (t->modules)
        put_module_runs(of, t->operation_count, t->modules);
    free(of);
    return t->modules != NULL;
}

static bool alike(const habitat_device_facts *a, const habitat_device_facts *b) {
    return same_text(a->name, b->name) && a->memory_bytes == b->memory_bytes &&
           a->sm_count == b->sm_count && a->compute_capability == b->compute_capability;
}

static bool any_kernel_on(const habitat_trace *t, int64_t device) {
    for (size_t i = 0; i < t->kernel_count; i++)
        if ((int64_t)t->kernels[i].form->device == device)
            return true;
    return false;
}

/* The description of a device: that of its number. Some profilers number kernels otherwise than
 * they number what they describe (ROCm with some GPUs hidden); then all that are described must be
 * alike - one, or several of a kind - and none have kernels under its number, unless of a kind. */
static const trace_device *describe(const trace_builder *b, uint32_t device) {
    const trace_device *first = b->devices;
    for (size_t i = 0; i < b->device_count; i++)
        if (b->devices[i].id == (int64_t)device)
            return &b->devices[i];
    for (size_t i = 1; i < b->device_count; i++)
        if (!alike(&first->facts, &b->devices[i].facts))
            return NULL;
    return b->device_count > 1 || (b->device_count && !any_kernel_on(b->trace, first->id)) ? first
                                                                                           : NULL;
}

/* Kernels are sorted by device: one run each. Returns the GPU time of that device [ns]. */
static uint64_t find_main_device(trace_builder *b) {
    habitat_trace *t = b->trace;
    uint64_t most = 0;
    for (size_t i = 0; i < t->kernel_count;) {
        uint32_t device = t->kernels[i].form->device;
        uint64_t sum = 0;
        for (; i < t->kernel_count && t->kernels[i].form->device == device; i++)
            sum += t->kernels[i].duration_ns;
        if (t->info.device_count++ == 0 || sum > most) {
            most = sum;
            t->info.device = device;
        }
    }
    const trace_device *described = t->kernel_count ? describe(b, t->info.device) : NULL;
    if (described)
        t->info.device_facts = described->facts;
    for (size_t i = 0; described && i < t->kernel_count; i++) {
        const trace_device *other = describe(b, t->kernels[i].form->device);
        t->info.devices_differ |= other && !alike(&other->facts, &described->facts);
    }
    return most;
}

static habitat_status no_kernels(const trace_builder *b, habitat_error *err) {
    const habitat_trace *t = b->trace;
    if (t->operation_count || t->call_count)
        return habitat_fail_at(err, HABITAT_E_NO_GPU, t->info.file, UINT64_MAX, 0,
                               "no GPU activity in this trace (%zu operations on the CPU); record "
                               "it again on a machine with a GPU, with ProfilerActivity.CUDA among "
                               "the profiler's activities, or with 'habitat record'; without a GPU "
                               "with 'habitat record --no-gpu'",
                               t->operation_count);
    if (b->device_count)
        return habitat_fail_at(err, HABITAT_E_FORMAT, t->info.file, UINT64_MAX, 0,
                               "no operation and no kernel in it, though a profiler names a GPU: "
                               "it was exported before its schedule had recorded a step, or after "
                               "it had begun anew; say repeat=1 and run the loop long enough, or "
                               "use 'habitat record'");
    if (t->info.trace_skipped_events)
        return habitat_fail_at(err, HABITAT_E_FORMAT, t->info.file, UINT64_MAX, 0,
                               "no operation and no kernel among its %" PRIu64
                               " events, which are not torch.profiler's; what JAX, TensorFlow and "
                               "others run is recorded with 'nsys profile' and 'nsys export --type "
                               "sqlite', or 'habitat record -- COMMAND'",
                               t->info.trace_skipped_events);
    return habitat_fail_at(err, HABITAT_E_FORMAT, t->info.file, UINT64_MAX, 0,
                           "no operation and no kernel in it; export it with torch.profiler or "
                           "'habitat record'");
}

/* Copies and sets that last are no measurement of kernels that do not. */
static bool kernels_last(const habitat_trace *t) {
    size_t kernels = 0;
    for (size_t i = 0; i < t->kernel_count; i++) {
        habitat_kernel_kind kind = t->kernels[i].form->kind;
        bool is_kernel = kind == HABITAT_KERNEL_COMPUTE || kind == HABITAT_KERNEL_COLLECTIVE;
        if (is_kernel && t->kernels[i].duration_ns)
            return true;
        kernels += is_kernel;
    }
    return kernels == 0;
}

/* Kernels that were launched before the recording began are of no iteration. */
static bool any_in_iterations(const habitat_trace *t) {
    for (size_t i = 0; i < t->kernel_count; i++)
        if (t->kernels[i].iteration != HABITAT_NONE && t->kernels[i].form->device == t->info.device)
            return true;
    return t->kernel_count == 0;
}

habitat_status trace_link(trace_builder *b, habitat_error *err) {
    habitat_trace *t = b->trace;
    habitat_status paired = trace_finish_pairs(b, err);
    if (paired != HABITAT_OK)
        return paired;
    bool allowed = b->options.without_gpu || t->info.without_gpu;
    if (!t->kernel_count && !(allowed && t->operation_count))
        return no_kernels(b, err);
    rebase(b);
    if (!sort_operations(t))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    find_parents(t);
    if (!sort_kernels(t) || !trace_link_calls(b) || !link_operations(t) || !trace_link_forward(b) ||
        !trace_link_closures(b))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    count_kernels(t);
    if (!find_modules(t))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if ((!find_main_device(b) || !kernels_last(t)) && t->kernel_count)
        return habitat_fail_at(err, HABITAT_E_FORMAT, t->info.file, UINT64_MAX, 0,
                               "every kernel in it lasts 0 ns: nothing was measured; record it "
                               "again");
    habitat_status status = trace_split_iterations(b, err);
    if (status != HABITAT_OK)
        return status;
    if (!any_in_iterations(t))
        return habitat_fail_at(err, HABITAT_E_NO_GPU, t->info.file, UINT64_MAX, 0,
                               "every kernel in it was launched before the recording began: no "
                               "step was measured; record it again");
    for (size_t i = 0; i < t->operation_count; i++)
        t->info.has_operations |= t->operations[i].form->kind == HABITAT_OPERATION_FRAMEWORK;
    t->info.has_shapes = b->has_shapes;
    return HABITAT_OK;
}
