/* A workload from operations with shapes and no times. Every group has one kernel, which stands for
 * all that the operation would launch: what reads a workload needs no second way through it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "workload/recorded_format.h"
#include "workload/workload.h"

static habitat_status check(size_t count, const habitat_untimed_operation *operations,
                            habitat_error *err) {
    if (!count || !operations || count >= UINT32_MAX / 2)
        return habitat_fail(err, HABITAT_E_ARG, "a workload needs operations");
    for (size_t i = 0; i < count; i++) {
        const habitat_work *work = &operations[i].work;
        if (work->known && isfinite(work->flop + work->read_bytes + work->write_bytes))
            continue;
        habitat_fail(err, HABITAT_E_UNSUPPORTED, "flop and bytes of operation %zu are unknown", i);
        if (err)
            err->index = i;
        return HABITAT_E_UNSUPPORTED;
    }
    return HABITAT_OK;
}

/* What stands for an operation's kernels. */
typedef struct stand_in {
    habitat_kernel kernel;
    habitat_kernel_form form;
    habitat_work work;
} stand_in;

static void set_kernel(stand_in *out, const habitat_untimed_operation *from, const char *name) {
    bool crosses = from->work.host_memory != HABITAT_HOST_MEMORY_NONE;
    out->form =
        (habitat_kernel_form){.name = from->operation ? from->operation->form->name : name,
                              .kind = crosses ? HABITAT_KERNEL_MEMCPY : HABITAT_KERNEL_COMPUTE,
                              .copy_kind = crosses ? "HtoD" : NULL,
                              .bytes = crosses ? (uint64_t)from->work.write_bytes : 0,
                              .dram_bytes = NAN,
                              .flop = NAN};
    out->kernel =
        (habitat_kernel){.form = &out->form, .operation = HABITAT_NONE, .call = HABITAT_NONE};
}

static bool allocate(habitat_workload *w, size_t count, stand_in **kernels) {
    w->kernels = calloc(count, sizeof *w->kernels);
    w->groups = calloc(count, sizeof *w->groups);
    w->group_index = calloc(count, sizeof *w->group_index);
    *kernels = habitat_arena_alloc(&w->arena, count * sizeof **kernels);
    return w->kernels && w->groups && w->group_index && *kernels;
}

static void add(habitat_workload *w, size_t i, const habitat_untimed_operation *from,
                stand_in *kernel) {
    const habitat_work *work = &kernel->work;
    kernel->work = from->work;
    w->groups[i] = (habitat_workload_group){.operation = from->operation,
                                            .work = work,
                                            .first_kernel = (uint32_t)i,
                                            .kernel_count = 1,
                                            .origin_ms = NAN};
    w->group_index[i] = (uint32_t)i;
    set_kernel(kernel, from, work->kind[0] ? work->kind : habitat_class_name(work->op_class));
    w->kernels[i] = (habitat_workload_kernel){
        .kernel = &kernel->kernel,
        .group = (uint32_t)i,
        .launch = HABITAT_NONE,
        .op_class = work->op_class,
        .varying = work->varying,
        .main = true,
        .facts = {.time_ns = NAN,
                  .flop = work->flop,
                  .bytes = work->read_bytes + work->write_bytes,
                  .dtype = (habitat_dtype)(from->arithmetic ? from->arithmetic : work->dtype)}};
}

habitat_status habitat_workload_from_operations(size_t count,
                                                const habitat_untimed_operation *operations,
                                                habitat_workload **out, habitat_error *err) {
    stand_in *kernels = NULL;
    if (!out)
        return habitat_fail(err, HABITAT_E_ARG, "no place for the workload given");
    habitat_status status = check(count, operations, err);
    if (status != HABITAT_OK)
        return status;
    habitat_workload *made = calloc(1, sizeof *made);
    if (!made || !allocate(made, count, &kernels)) {
        habitat_workload_free(made);
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    made->kernel_count = made->group_count = count;
    for (size_t i = 0; i < count; i++)
        add(made, i, &operations[i], &kernels[i]);
    made->low_share = made->high_share = NAN;
    made->info = (habitat_workload_info){.iteration_count = 1,
                                         .trace_kernel_count = count,
                                         .iteration_ms = NAN,
                                         .kernel_ms = NAN,
                                         .copy_ms = NAN,
                                         .busy_ms = NAN,
                                         .waiting_share = NAN};
    recorded_format_tell(made);
    *out = made;
    return HABITAT_OK;
}
