/* Rows of a report; see split.h. */
#include "report/split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "formula/rates.h"
#include "workload/workload.h"

enum { DETAIL_BYTES = 160, PATH_BYTES = 512, TENSORS_SHOWN = 3, PATH_PARTS = 32 };

typedef struct builder {
    split *s;
    const habitat_trace *trace;
    const habitat_operation *ops;
    size_t op_count;
    const habitat_workload *with;        /* workload, or one made from it that has more kernels */
    size_t kernel_count, recorded_count; /* of `with`, of the workload */
    habitat_table table;                 /* of rows, by (name, detail) */
    uint32_t *row_of_group;              /* SPLIT_OP, SPLIT_MODULE: row of each group, or NONE */
    bool failed;
} builder;

/* What was recorded is as it was recorded; what another format added stands behind it. */
static const habitat_workload_kernel *kernel_at(const builder *b, size_t i) {
    return i < b->recorded_count ? &b->s->workload->kernels[i] : &b->with->kernels[i];
}

static const habitat_workload_group *group_at(const builder *b, size_t g) {
    return g < b->s->workload->group_count ? &b->s->workload->groups[g] : &b->with->groups[g];
}

/* ---- names ---- */

static void append_shape(char *text, size_t size, const habitat_input *input) {
    size_t used = strlen(text);
    for (uint8_t d = 0; d < input->rank && used < size; d++) {
        int n = snprintf(text + used, size - used, "%s%lld",
                         d      ? ","
                         : used ? " ["
                                : "[",
                         (long long)input->dims[d]);
        used += n > 0 ? (size_t)n : 0;
    }
    if (used < size)
        snprintf(text + used, size - used, "]");
}

/* "[32,64,56,56] [64,64,3,3] bf16": the first tensors with dimensions, and the number format. */
static void describe_shapes(const habitat_workload_group *group, char *text, size_t size) {
    const habitat_operation *op = group->operation;
    int shown = 0;
    text[0] = '\0';
    for (uint32_t i = 0; op && i < op->form->input_count && shown < TENSORS_SHOWN; i++) {
        const habitat_input *input = &op->form->inputs[i];
        if (input->is_list && input->list_count > 0) {
            size_t used = strlen(text);
            snprintf(text + used, size - used, "%s[%u tensors]", used ? " " : "",
                     input->list_count);
            shown = TENSORS_SHOWN;
        } else if (!input->is_list && input->is_tensor && input->rank > 0 && input->dims) {
            append_shape(text, size, input);
            shown++;
        }
    }
    habitat_dtype dtype = group->work->dtype;
    size_t used = strlen(text);
    if (shown > 0 && dtype != HABITAT_DTYPE_UNKNOWN && used < size)
        snprintf(text + used, size - used, " %s", habitat_dtype_name(dtype));
}

static const char *short_module(const char *name) {
    static const char prefix[] = "nn.Module: ";
    size_t length = sizeof prefix - 1;
    return strncmp(name, prefix, length) == 0 ? name + length : name;
}

/* Where an operation is in its trace; NONE: it was not recorded. */
static uint32_t place_of(const builder *b, const habitat_operation *op) {
    bool there = op && (uintptr_t)op >= (uintptr_t)b->ops &&
                 (uintptr_t)op < (uintptr_t)(b->ops + b->op_count);
    return there ? (uint32_t)(op - b->ops) : HABITAT_NONE;
}

/* Module that an operation's work belongs to: its own, else that of the forward operation which it
 * or an operation around it is the backward of. */
static uint32_t find_module(const builder *b, const habitat_operation *op) {
    uint32_t at = place_of(b, op);
    for (; at < b->op_count; at = b->ops[at].parent) {
        if (b->ops[at].form->kind == HABITAT_OPERATION_MODULE)
            return at;
        uint32_t module = habitat_trace_module(b->trace, at), forward = b->ops[at].forward;
        if (module == HABITAT_NONE && forward < b->op_count)
            module = habitat_trace_module(b->trace, forward);
        if (module < b->op_count)
            return module;
    }
    return HABITAT_NONE;
}

static void describe_module(const builder *b, const habitat_operation *op, char *text,
                            size_t size) {
    uint32_t parts[PATH_PARTS];
    size_t count = 0, used = 0;
    for (uint32_t at = find_module(b, op); at < b->op_count && count < PATH_PARTS;
         at = habitat_trace_module(b->trace, at))
        parts[count++] = at;
    snprintf(text, size, "(no module)");
    while (count > 0 && used < size) {
        const char *name = short_module(b->ops[parts[--count]].form->name);
        /* "net.block.0" inside "net" is the whole path already */
        if (used && strncmp(name, text, used) == 0 && name[used] == '.')
            used = 0;
        int n = snprintf(text + used, size - used, "%s%s", used ? "/" : "", name);
        used += n > 0 ? (size_t)n : 0;
    }
}

/* ---- rows ---- */

static uint32_t new_row(builder *b, const char *name, const char *detail) {
    split *s = b->s;
    s->rows[s->row_count] = (split_row){.name = name,
                                        .detail = detail,
                                        .flop = NAN,
                                        .bytes = NAN,
                                        .compute_share = NAN,
                                        .memory_share = NAN};
    return (uint32_t)s->row_count++;
}

static bool is_row(const void *elements, uint32_t index, const void *key) {
    const split_row *have = (const split_row *)elements + index, *want = key;
    return have->name == want->name && have->detail == want->detail;
}

/* Row of a (name, detail), both interned: compared by address. */
static uint32_t find_row(builder *b, const char *name, const char *detail) {
    split_row wanted = {.name = name, .detail = detail};
    uint64_t hash = habitat_hash_number(0, (uintptr_t)name);
    hash = habitat_hash_number(hash, (uintptr_t)detail);
    uint32_t at = habitat_table_find(&b->table, hash, is_row, b->s->rows, &wanted);
    if (at == HABITAT_NONE) {
        at = new_row(b, name, detail);
        b->failed |= !habitat_table_put(&b->table, hash, at); /* there is room for all */
    }
    return at;
}

static uint32_t interned_row(builder *b, const char *name, const char *detail) {
    const char *kept = habitat_strings_intern(&b->s->strings, name, strlen(name));
    const char *kept_detail = habitat_strings_intern(&b->s->strings, detail, strlen(detail));
    if (!kept || !kept_detail) {
        b->failed = true;
        return 0;
    }
    return find_row(b, kept, kept_detail);
}

/* Kernels outside every operation go by their own names. */
static bool is_anonymous(const habitat_workload_group *group) {
    return !group->operation;
}

static const char *operation_name(const habitat_workload_group *group) {
    return is_anonymous(group) ? "" : group->operation->form->name;
}

/* What is around a kernel, for its module: a range or a compiled region will do. */
static const habitat_operation *caller(const builder *b, const habitat_workload_kernel *kernel) {
    const habitat_operation *op = group_at(b, kernel->group)->operation;
    uint32_t around = kernel->kernel->operation;
    return op ? op : around < b->op_count ? &b->ops[around] : NULL;
}

static uint32_t row_for_group(builder *b, const habitat_workload_kernel *kernel) {
    const habitat_workload_group *group = group_at(b, kernel->group);
    char text[PATH_BYTES];
    if (b->s->by == SPLIT_MODULE || b->s->by == SPLIT_BLOCKS) {
        describe_module(b, caller(b, kernel), text, sizeof text);
        return interned_row(b, text, "");
    }
    describe_shapes(group, text, DETAIL_BYTES);
    return interned_row(b, operation_name(group), text);
}

static uint32_t row_for(builder *b, size_t i) {
    const habitat_workload_kernel *kernel = kernel_at(b, i);
    const habitat_workload_group *group = group_at(b, kernel->group);
    switch (b->s->by) {
    case SPLIT_LAUNCH:
        return new_row(b, kernel->kernel->form->name, operation_name(group));
    case SPLIT_KERNEL:
        return interned_row(b, kernel->kernel->form->name, "");
    case SPLIT_CLASS:
        return interned_row(
            b, habitat_is_copy(kernel->kernel) ? "memcpy" : habitat_class_name(kernel->op_class),
            "");
    case SPLIT_OP:
    case SPLIT_MODULE:
    case SPLIT_BLOCKS:
        if (b->s->by == SPLIT_OP && is_anonymous(group))
            return interned_row(b, kernel->kernel->form->name, "");
        if (b->row_of_group[kernel->group] == HABITAT_NONE)
            b->row_of_group[kernel->group] = row_for_group(b, kernel);
        return b->row_of_group[kernel->group];
    }
    return 0;
}

/* Is this the first kernel of its call? `counted`: shape (op_count). */
static bool begins_call(const builder *b, const habitat_workload_kernel *kernel, bool *counted) {
    uint32_t op = place_of(b, group_at(b, kernel->group)->operation);
    if (op == HABITAT_NONE)
        return true;
    bool first = !counted[op];
    counted[op] = true;
    return first;
}

static void add_known(double *sum, double *unknown, double value, double ns) {
    if (isfinite(value))
        *sum = isnan(*sum) ? value : *sum + value;
    else
        *unknown += ns;
}

/* Layouts changed within an operation whose bytes are counted are no work of its own. */
static bool helps_counted(const builder *b, const habitat_workload_kernel *kernel) {
    bool by_kernel = b->s->by == SPLIT_LAUNCH || b->s->by == SPLIT_KERNEL;
    return !by_kernel && !kernel->main && group_at(b, kernel->group)->work->known;
}

/* What a kernel did on the origin; the shares are times [ms] until all are added. */
static void add_work(const builder *b, const habitat_workload_kernel *kernel, split_row *row) {
    const split *s = b->s;
    const habitat_kernel_facts *facts = &kernel->facts;
    const habitat_gpu *gpu = habitat_workload_get_info(s->workload)->origin;
    double flop = facts->flop / s->iterations, bytes = facts->bytes / s->iterations;
    double rate = habitat_arithmetic_rate(gpu, facts->dtype, facts->matrix_unit, true, NULL, NULL);
    double ns = gpu ? facts->time_ns : (double)INFINITY;
    double moving_ns = helps_counted(b, kernel) ? 0.0 : ns;
    add_known(&row->flop, &row->no_flop_ms, flop, ns);
    add_known(&row->bytes, &row->no_bytes_ms, bytes, moving_ns);
    add_known(&row->compute_share, &row->no_compute_ms, 1e3 * flop / rate, flop == 0 ? 0.0 : ns);
    add_known(&row->memory_share, &row->no_memory_ms, 1e3 * bytes / habitat_memory_rate(gpu, true),
              moving_ns);
}

/* Whole nanoseconds are added and then divided, as for the totals of a prediction (totals.c): a sum
 * of parts of a millisecond may lie on the other side of a half, and be rounded to another digit.
 */
static double ms_of(const split *s, double ns) {
    return ns / s->iterations / HABITAT_NS_PER_MS;
}

static void set_times(split *s) {
    for (size_t r = 0; r < s->row_count; r++) {
        split_row *row = &s->rows[r];
        row->origin_ms = ms_of(s, row->origin_ms);
        row->no_flop_ms = ms_of(s, row->no_flop_ms);
        row->no_bytes_ms = ms_of(s, row->no_bytes_ms);
        row->no_compute_ms = ms_of(s, row->no_compute_ms);
        row->no_memory_ms = ms_of(s, row->no_memory_ms);
        row->compute_share = row->origin_ms > 0.0 ? row->compute_share / row->origin_ms : NAN;
        row->memory_share = row->origin_ms > 0.0 ? row->memory_share / row->origin_ms : NAN;
    }
}

/* class_ns: shape (kernel_count), zero; counted: shape (op_count), false. */
static void fill_rows(builder *b, double *class_ns, bool *counted) {
    split *s = b->s;
    for (size_t i = 0; i < b->kernel_count && !b->failed; i++) {
        uint32_t at = row_for(b, i);
        split_row *row = &s->rows[at];
        const habitat_workload_kernel *kernel = kernel_at(b, i);
        double ns = i < b->recorded_count ? kernel->facts.time_ns : 0.0;
        s->row_of[i] = at;
        /* the class of its longest kernel; of its last where none has a time (NaN) */
        if (!(ns < class_ns[at])) {
            class_ns[at] = ns;
            row->op_class = habitat_is_copy(kernel->kernel) ? HABITAT_CLASS_COPY : kernel->op_class;
        }
        if (i >= b->recorded_count)
            continue;
        if (row->kernels++ == 0)
            row->iteration = kernel->kernel->iteration;
        row->origin_ms += ns; /* set_times() */
        add_work(b, kernel, row);
        row->calls += begins_call(b, kernel, counted);
    }
    set_times(s);
}

static habitat_status build(builder *b, habitat_error *err) {
    split *s = b->s;
    size_t n = b->kernel_count ? b->kernel_count : 1, groups = b->with->group_count + 1;
    s->rows = calloc(n, sizeof *s->rows);
    s->row_of = calloc(n, sizeof *s->row_of);
    b->row_of_group = malloc(groups * sizeof *b->row_of_group);
    double *class_ns = calloc(n, sizeof *class_ns);
    bool *counted = calloc(b->op_count ? b->op_count : 1, sizeof *counted);
    b->failed = !s->rows || !s->row_of || !b->row_of_group || !class_ns || !counted ||
                !habitat_table_reserve(&b->table, n);
    if (!b->failed) {
        memset(b->row_of_group, 0xff, groups * sizeof *b->row_of_group);
        fill_rows(b, class_ns, counted);
    }
    habitat_table_free(&b->table);
    free(b->row_of_group);
    free(class_ns);
    free(counted);
    return b->failed ? habitat_fail(err, HABITAT_E_MEMORY, "out of memory") : HABITAT_OK;
}

habitat_status split_create(const habitat_trace *trace, const habitat_workload *workload,
                            const habitat_workload *with, split_by by, split *out,
                            habitat_error *err) {
    *out = (split){.by = by, .workload = workload};
    builder b = {.s = out, .trace = trace, .with = with};
    b.ops = habitat_trace_operations(trace, &b.op_count);
    b.kernel_count = with->kernel_count;
    b.recorded_count = workload->kernel_count;
    out->iterations =
        by == SPLIT_LAUNCH ? 1.0 : (double)habitat_workload_get_info(workload)->iteration_count;
    return build(&b, err);
}

void split_free(split *s) {
    free(s->rows);
    free(s->row_of);
    habitat_strings_free(&s->strings);
    *s = (split){0};
}

/* ---- sums ---- */

typedef struct shares {
    double by_method[HABITAT_METHOD_COUNT];
    double by_bound[HABITAT_BOUND_LAUNCH + 1];
} shares;

static size_t largest(const double *values, size_t count) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[best])
            best = i;
    return best;
}

habitat_status split_sum(const split *s, const habitat_prediction *prediction, split_total *totals,
                         habitat_error *err) {
    if (!prediction->trace_kernels)
        return habitat_fail(err, HABITAT_E_ARG, "the answer holds no times of single kernels");
    shares *parts = calloc(s->row_count ? s->row_count : 1, sizeof *parts);
    if (!parts)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    memset(totals, 0, s->row_count * sizeof *totals);
    for (size_t i = 0; i < prediction->trace_kernel_count; i++) {
        const habitat_estimate *estimate = &prediction->trace_kernels[i];
        size_t row = s->row_of[i];
        totals[row].kernels++;
        totals[row].ms += estimate->ms * HABITAT_NS_PER_MS;
        totals[row].low_ms += estimate->low_ms * HABITAT_NS_PER_MS;
        totals[row].high_ms += estimate->high_ms * HABITAT_NS_PER_MS;
        parts[row].by_method[estimate->method] += estimate->ms;
        parts[row].by_bound[estimate->bound] += estimate->ms;
    }
    for (size_t r = 0; r < s->row_count; r++) {
        totals[r].ms = ms_of(s, totals[r].ms);
        totals[r].low_ms = ms_of(s, totals[r].low_ms);
        totals[r].high_ms = ms_of(s, totals[r].high_ms);
        totals[r].method = (habitat_method)largest(parts[r].by_method, HABITAT_METHOD_COUNT);
        totals[r].bound = (habitat_bound)largest(parts[r].by_bound, HABITAT_BOUND_LAUNCH + 1);
    }
    free(parts);
    return HABITAT_OK;
}

/* qsort() takes no context: what to compare travels with the index. */
typedef struct ranked {
    double ms;
    size_t row;
} ranked;

static int by_time_then_row(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->ms != y->ms)
        return x->ms > y->ms ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

habitat_status split_order(const split *s, const split_total *totals, size_t *order,
                           habitat_error *err) {
    bool sorted = s->by != SPLIT_LAUNCH && s->row_count > 0;
    ranked *ranks = sorted ? malloc(s->row_count * sizeof *ranks) : NULL;
    if (sorted && !ranks)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t r = 0; r < s->row_count; r++) {
        order[r] = r;
        if (ranks)
            ranks[r] = (ranked){totals ? totals[r].ms : s->rows[r].origin_ms, r};
    }
    if (ranks) {
        qsort(ranks, s->row_count, sizeof *ranks, by_time_then_row);
        for (size_t r = 0; r < s->row_count; r++)
            order[r] = ranks[r].row;
    }
    free(ranks);
    return HABITAT_OK;
}
