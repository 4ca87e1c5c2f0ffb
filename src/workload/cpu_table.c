/* See cpu_table.h. Most of what a parameter takes the CPU is Python that walks over all of them:
 * its gradient is set to none, accumulated, clipped, and the optimiser puts it into its lists. */
#include "workload/cpu_table.h"

#include <string.h>

#include <habitat/text.h>

#include "base/constants_reports.h"
#include "base/constants_recordings.h"
#include "base/list.h"
#include "trace/gradients.h"
#include "trace/names.h"
#include "work/table_gradient.h"
#include "workload/rnn_calls.h"
#include "workload/scaler.h"

/* What the recorder noted of autograd: its nodes, and which operation each is of. */
typedef struct noted_nodes {
    bool some, linked;
} noted_nodes;

static noted_nodes nodes_of(const habitat_operation *ops, size_t count) {
    noted_nodes found = {0};
    for (size_t i = 0; i < count && !found.linked; i++)
        if (name_is_engine(ops[i].form->name))
            found = (noted_nodes){true, ops[i].forward != HABITAT_NONE};
    return found;
}

/* Launched from inside other operations mostly. */
static bool is_copy(const habitat_operation *op) {
    const char *name = name_bare(op->form->name);
    return !strcmp(name, "_to_copy") || !strcmp(name, "copy_") || !strcmp(name, "clone");
}

/* The scaler of fp16 walks over the gradients in Python before it asks for this. */
static double scaled_gradients(const habitat_operation *op) {
    bool scales = workload_is_scaler(op) && op->form->input_count && op->form->inputs[0].is_list;
    return scales ? (double)op->form->inputs[0].list_count : 0.0;
}

/* Goes over many tensors at once, as an optimiser does; not what makes one of a list. */
static bool takes_lists(const habitat_operation *op) {
    static const char *const begins[] = {"_foreach_", "_amp_foreach_", "_fused_ad", "_fused_sgd"};
    const char *name = name_bare(op->form->name);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(name, begins[i], strlen(begins[i])))
            return true;
    return false;
}

/* A node of autograd is around it, or an operation that is made of others. */
static bool is_inside(const habitat_operation *ops, const habitat_operation *op) {
    return op->parent != HABITAT_NONE && ops[op->parent].form->kind == HABITAT_OPERATION_FRAMEWORK;
}

static double seconds_of(const habitat_operation *ops, const habitat_operation *op,
                         noted_nodes nodes) {
    if (is_copy(op))
        return fitted_cpu_copy_s;
    if (!nodes.some)
        return fitted_cpu_operation_all_s;
    double scaled_s = fitted_cpu_scaled_gradient_s * scaled_gradients(op);
    if (takes_lists(op))
        return fitted_cpu_list_s + scaled_s;
    bool followed = !nodes.linked || is_inside(ops, op);
    return (followed ? fitted_cpu_operation_s : fitted_cpu_plain_s) + scaled_s;
}

/* How many of the operations begin with `op` or before it. */
static size_t until(const habitat_untimed_operation *operations, size_t count,
                    const habitat_operation *op) {
    size_t first = 0;
    LIST_FIRST_NOT(first, count, operations[middle].operation <= op);
    return first;
}

/* The operation whose gradient a node asks for is followed by autograd. */
static void follow(const habitat_untimed_operation *operations, size_t count,
                   const habitat_operation *forward, cpu_need *out) {
    size_t behind = until(operations, count, forward);
    if (behind && operations[behind - 1].operation == forward &&
        out[behind - 1].launch_s == fitted_cpu_plain_s)
        out[behind - 1].launch_s = fitted_cpu_operation_s;
}

/* Half of it is in the forward pass, before the operation that reads the parameter is launched. */
static void add_gradient(const habitat_untimed_operation *operations, size_t count,
                         const habitat_operation *ops, uint32_t i, uint32_t maker, cpu_need *out) {
    uint32_t forward = maker == HABITAT_NONE ? HABITAT_NONE : ops[maker].forward;
    size_t behind = until(operations, count, &ops[i]);
    size_t reads = forward == HABITAT_NONE ? 0 : until(operations, count, &ops[forward]);
    if (behind)
        out[behind - 1].after_s += fitted_cpu_gradient_s / 2;
    if (reads)
        out[reads - 1].launch_s += fitted_cpu_gradient_s / 2;
    else if (behind)
        out[behind - 1].after_s += fitted_cpu_gradient_s / 2;
}

void cpu_table_of(const habitat_trace *trace, const habitat_untimed_operation *operations,
                  size_t count, cpu_need *out) {
    size_t op_count = 0;
    uint32_t maker = HABITAT_NONE; /* the last node of a backward pass */
    const habitat_operation *ops = habitat_trace_operations(trace, &op_count);
    noted_nodes nodes = nodes_of(ops, op_count);
    for (size_t i = 0; i < count; i++)
        out[i] = (cpu_need){.launch_s = seconds_of(ops, operations[i].operation, nodes)};
    for (uint32_t i = 0; nodes.linked && i < op_count; i++)
        if (ops[i].forward != HABITAT_NONE && name_is_engine(ops[i].form->name))
            follow(operations, count, &ops[ops[i].forward], out);
    for (uint32_t i = 0; i < op_count; i++)
        if (ops[i].iteration == 0 && trace_adds_gradient(ops, i))
            add_gradient(operations, count, ops, i, maker, out);
        else if (name_is_engine(ops[i].form->name))
            maker = i;
}

/* Calls of CUDA within one operation, where they are many. */
static double calls_within(const habitat_workload_group *group, const habitat_gpu *gpu) {
    return work_sorts_rows(group->work) ? fitted_sorted_table_calls
                                        : workload_group_rnn_calls(group, gpu);
}

static double calls_of(const habitat_workload *w, const habitat_gpu *gpu) {
    double calls = 0.0;
    for (size_t g = 0; g < w->group_count; g++)
        calls += calls_within(&w->groups[g], gpu);
    return calls;
}

/* What the CPU needs to draw the random numbers of a step, as the recorder has it by rule. */
double workload_table_data_ms(const habitat_workload *w) {
    double ms = habitat_trace_get_info(w->trace)->cpu_data_ms;
    return ms > 0.0 ? ms : 0.0;
}

double workload_table_launch_ms(const habitat_workload *w, size_t i) {
    return w->cpu[i].launch_s * 1e3;
}

double workload_table_operation_ms(const habitat_workload *w, size_t i, const habitat_gpu *gpu) {
    double calls_s = calls_within(&w->groups[i], gpu) * fitted_cpu_call_s;
    return (w->cpu[i].launch_s + w->cpu[i].after_s + calls_s) * 1e3;
}

double workload_table_cpu_ms(const habitat_workload *w, const habitat_gpu *gpu) {
    double ms = workload_table_data_ms(w);
    for (size_t i = 0; i < w->kernel_count; i++)
        ms += workload_table_operation_ms(w, i, gpu);
    return ms;
}

void workload_table_words(const habitat_workload *w, char *text, size_t size) {
    char within[64] = "", drawn[96] = "";
    bool some = calls_of(w, NULL) > 0.0; /* which way a library goes hangs on the GPU */
    if (some)
        habitat_format(within, sizeof within, ", %.1f each of %.0f calls within layers",
                       fitted_cpu_call_s * 1e6, calls_of(w, NULL));
    if (workload_table_data_ms(w) >= chosen_said_data_ms)
        habitat_format(drawn, sizeof drawn, ", %.3g ms of it for random numbers that it draws",
                       workload_table_data_ms(w));
    habitat_format(text, size,
                   "by rule the CPU needs %s%.1f ms for its %zu operations (on average %.0f us "
                   "each%s%s; within a factor of %.2f on hosts as those recorded): a GPU that is "
                   "done sooner waits for it",
                   some ? "up to " : "", workload_table_cpu_ms(w, NULL), w->kernel_count,
                   (workload_table_cpu_ms(w, NULL) - workload_table_data_ms(w) -
                    calls_of(w, NULL) * fitted_cpu_call_s * 1e3) /
                       (double)w->kernel_count * 1e3,
                   within, drawn, fitted_cpu_table_factor);
}
