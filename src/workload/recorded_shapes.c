/* From a trace without a GPU to a workload. A GPU would launch at least one kernel for each
 * operation that reads or writes something; how many more is not known, so each counts as one. */
#include "workload/recorded_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>

#include "base/constants_recordings.h"
#include "base/error.h"
#include "trace/calls.h"
#include "work/class.h"
#include "work/container.h"
#include "workload/cpu_table.h"
#include "workload/recorded_format.h"
#include "workload/workload.h"

enum { NAMES_SHOWN = 4, LINE_BYTES = 480 };

/* Operations of which no work is known, and names of the first ones. */
typedef struct left_out {
    size_t count, named;
    char names[LINE_BYTES / 2];
} left_out;

typedef struct collecting {
    const habitat_trace *trace;
    const habitat_operation *ops;
    size_t op_count;
    bool *taken;  /* shape (op_count): it, or an operation around it, is in the list */
    bool *parent; /* shape (op_count): there are operations inside */
    habitat_untimed_operation *found;
    size_t count;
    size_t trace_count; /* of all iterations; the workload is the first */
    left_out out;
} collecting;

static habitat_dtype arithmetic(const habitat_trace_info *info, const habitat_work *work) {
    const class_facts *facts = class_of(work->op_class);
    bool rounds = facts->tf32_by_default ? info->convolution_tf32 : info->matmul_tf32;
    bool product = facts->product && work->op_class != HABITAT_CLASS_ATTENTION;
    return product && rounds && work->dtype == HABITAT_DTYPE_FP32 ? HABITAT_DTYPE_TF32
                                                                  : HABITAT_DTYPE_UNKNOWN;
}

static void leave_out(left_out *l, const char *name) {
    l->count++;
    if (l->named == NAMES_SHOWN || strstr(l->names, name) || strlen(name) > 48)
        return;
    size_t used = strlen(l->names);
    snprintf(l->names + used, sizeof l->names - used, "%s%s", used ? ", " : "", name);
    l->named++;
}

/* An operation that nothing around it stands for. */
static void look_at(collecting *c, size_t i) {
    habitat_work work;
    const habitat_operation *op = &c->ops[i];
    bool framework =
        op->form->kind == HABITAT_OPERATION_FRAMEWORK && !work_is_container(op->form->name);
    habitat_status status = framework ? habitat_operation_work(op, &work) : HABITAT_E_UNSUPPORTED;
    if (status == HABITAT_OK && work.known) {
        c->taken[i] = true;
        if (work.flop + work.read_bytes + work.write_bytes <= 0)
            return;
        c->trace_count++;
        if (op->iteration == 0)
            c->found[c->count++] = (habitat_untimed_operation){
                op, work, arithmetic(habitat_trace_get_info(c->trace), &work)};
    } else if (framework && !c->parent[i] && op->iteration == 0) {
        leave_out(&c->out, op->form->name);
    }
}

static void collect(collecting *c) {
    for (size_t i = 0; i < c->op_count; i++)
        if (c->ops[i].parent < c->op_count)
            c->parent[c->ops[i].parent] = true;
    for (size_t i = 0; i < c->op_count; i++) {
        uint32_t around = c->ops[i].parent;
        c->taken[i] = around < c->op_count && c->taken[around];
        if (!c->taken[i] && c->ops[i].iteration != HABITAT_NONE)
            look_at(c, i);
    }
}

static size_t waits_of(const habitat_trace *trace) {
    size_t count = 0, waits = 0;
    const habitat_call *calls = habitat_trace_calls(trace, &count);
    for (size_t i = 0; i < count; i++)
        waits += trace_call_waits(&calls[i]) && calls[i].iteration == 0;
    return waits;
}

static habitat_status say(const left_out *l, habitat_workload *w, habitat_error *err) {
    char line[4][LINE_BYTES];
    size_t count = 2, waits = waits_of(w->trace);
    snprintf(line[0], sizeof line[0],
             "recorded without a GPU: every time is a model's, none is a measurement that was "
             "scaled; each operation counts as one kernel");
    workload_table_words(w, line[1], sizeof line[1]);
    if (waits)
        snprintf(line[count++], sizeof line[2],
                 "its CPU waits for the GPU %zu time%s an iteration (a value that it reads, a copy "
                 "from or to the host's memory): the GPU is idle then until it is asked for more%s",
                 waits, waits == 1 ? "" : "s",
                 (double)waits < chosen_waits_of_loop
                     ? ""
                     : "; so many may be of a loop that ends by what it reads, and without a GPU "
                       "values are made up: it may end far sooner, and the iteration with it");
    if (l->count)
        snprintf(line[count++], sizeof line[3],
                 "%zu operation%s of unknown work left out, so the iteration is too short: %s",
                 l->count, l->count == 1 ? "" : "s", l->names);
    w->warnings = habitat_arena_alloc(&w->arena, count * sizeof *w->warnings);
    for (size_t i = 0; w->warnings && i < count; i++) {
        w->warnings[i] = habitat_arena_string(&w->arena, line[i], strlen(line[i]));
        if (!w->warnings[i])
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        w->warning_count++;
    }
    return w->warnings ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

static habitat_status tell_cpu(const collecting *c, habitat_workload *w, habitat_error *err) {
    cpu_need *cpu = habitat_arena_alloc(&w->arena, c->count * sizeof *cpu);
    w->cpu = cpu;
    if (!cpu)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    cpu_table_of(c->trace, c->found, c->count, cpu);
    return HABITAT_OK;
}

static habitat_status make(const collecting *c, habitat_workload **out, habitat_error *err) {
    habitat_workload *made = NULL;
    if (!c->count)
        return habitat_fail(err, HABITAT_E_NO_GPU,
                            "recorded without a GPU, and the work of none of its operations is "
                            "known; record shapes with 'habitat record --no-gpu'");
    habitat_status status = habitat_workload_from_operations(c->count, c->found, &made, err);
    if (status != HABITAT_OK)
        return status;
    made->trace = c->trace;
    made->batch_size = habitat_trace_get_info(c->trace)->batch_size;
    made->info.trace_kernel_count = c->trace_count;
    made->left_out_count = c->out.count;
    recorded_format_tell(made);
    status = tell_cpu(c, made, err);
    if (status == HABITAT_OK)
        status = say(&c->out, made, err);
    if (status == HABITAT_OK)
        *out = made;
    else
        habitat_workload_free(made);
    return status;
}

habitat_status workload_from_shapes_of(const habitat_trace *trace, habitat_workload **out,
                                       habitat_error *err) {
    collecting c = {.trace = trace};
    c.ops = habitat_trace_operations(trace, &c.op_count);
    c.taken = calloc(c.op_count + 1, sizeof *c.taken);
    c.parent = calloc(c.op_count + 1, sizeof *c.parent);
    c.found = calloc(c.op_count + 1, sizeof *c.found);
    habitat_status status = HABITAT_OK;
    if (c.taken && c.parent && c.found) {
        collect(&c);
        status = make(&c, out, err);
    } else {
        status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    free(c.taken);
    free(c.parent);
    free(c.found);
    return status;
}
