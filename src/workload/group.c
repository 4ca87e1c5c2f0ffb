/* Groups: the kernels that one operation launched, and what that operation computes. */
#include "workload/group.h"

#include <stdlib.h>
#include <string.h>

#include "work/container.h"

/* What is known of an operation, worked out at most once each. */
typedef enum knowledge { NOT_ASKED = 0, NOTHING, RECOGNISED, KNOWN } knowledge;

typedef struct builder {
    habitat_workload *w;
    const habitat_operation *ops;
    size_t op_count;
    uint8_t *knowledge;  /* shape (op_count) */
    uint32_t *work_of;   /* shape (op_count): index into works where RECOGNISED or KNOWN */
    habitat_work *works; /* shape (work_count): few operations of a trace are asked for */
    size_t work_count, work_capacity;
    bool out_of_memory;
    uint32_t *group_of; /* shape (op_count): group whose operation it is, or NONE */
    bool *climbed;      /* shape (kernel_count groups): owner found above the innermost one */
} builder;

static bool keep_work(builder *b, uint32_t op, const habitat_work *work) {
    if (b->work_count == b->work_capacity) {
        size_t capacity = b->work_capacity ? 2 * b->work_capacity : 256;
        habitat_work *grown = realloc(b->works, capacity * sizeof *grown);
        if (!grown)
            return false;
        b->works = grown;
        b->work_capacity = capacity;
    }
    b->work_of[op] = (uint32_t)b->work_count;
    b->works[b->work_count++] = *work;
    return true;
}

/* `kernel` is one that the operation launched: its name tells the format of lists of tensors. */
static knowledge ask(builder *b, uint32_t op, const habitat_kernel *kernel) {
    if (b->knowledge[op] == NOT_ASKED) {
        habitat_work work;
        bool found = b->ops[op].form->kind == HABITAT_OPERATION_FRAMEWORK &&
                     habitat_operation_work_typed(&b->ops[op],
                                                  habitat_kernel_tensor_dtype(kernel->form->name),
                                                  &work) == HABITAT_OK;
        if (found && !keep_work(b, op, &work)) {
            b->out_of_memory = true;
            found = false;
        }
        b->knowledge[op] = !found ? NOTHING : work.known ? KNOWN : RECOGNISED;
    }
    return (knowledge)b->knowledge[op];
}

/* The nearest operation, from the innermost outwards, that is at least this well known. */
static uint32_t climb(builder *b, const habitat_kernel *kernel, knowledge wanted) {
    uint32_t op = kernel->operation;
    while (op < b->op_count && ask(b, op, kernel) < wanted)
        op = b->ops[op].parent;
    return op < b->op_count ? op : HABITAT_NONE;
}

/* Backward of an operation whose own shapes were not recorded: the forward operation's class, and
 * for matrix work twice its flop and bytes (one product of the same size for each gradient). */
static bool from_forward(builder *b, const habitat_kernel *kernel, uint32_t *owner,
                         habitat_work *out) {
    for (uint32_t op = kernel->operation; op < b->op_count; op = b->ops[op].parent) {
        uint32_t forward = b->ops[op].forward;
        if (forward >= b->op_count || ask(b, forward, kernel) < RECOGNISED ||
            b->works[b->work_of[forward]].op_class == HABITAT_CLASS_OTHER)
            continue;
        *owner = op;
        *out = b->works[b->work_of[forward]];
        out->pass = HABITAT_PASS_BACKWARD;
        out->known = out->known && out->varying;
        out->flop *= 2.0;
        out->read_bytes *= 2.0;
        out->write_bytes *= 2.0;
        return true;
    }
    return false;
}

/* A collective belongs to an operation of its class alone: its time, waiting included, is no part
 * of what a product or a sum takes. */
static uint32_t find_collective_owner(builder *b, const habitat_kernel *kernel,
                                      habitat_work *work) {
    uint32_t owner = climb(b, kernel, RECOGNISED);
    habitat_work own;
    habitat_kernel_work(kernel, &own);
    if (owner == HABITAT_NONE || b->works[b->work_of[owner]].op_class != own.op_class)
        return HABITAT_NONE;
    *work = b->works[b->work_of[owner]];
    return owner;
}

/* The operation whose work a kernel does part of, and that work; HABITAT_NONE where none is known.
 * What lies around the launch of a CUDA graph did not launch the graph's kernels one by one. */
static uint32_t find_owner(builder *b, const habitat_kernel *kernel, habitat_work *work) {
    if (kernel->in_graph)
        return HABITAT_NONE;
    if (kernel->form->kind == HABITAT_KERNEL_COLLECTIVE)
        return find_collective_owner(b, kernel, work);
    uint32_t owner = climb(b, kernel, KNOWN);
    if (owner == HABITAT_NONE && from_forward(b, kernel, &owner, work))
        return owner;
    if (owner == HABITAT_NONE)
        owner = climb(b, kernel, RECOGNISED);
    if (owner != HABITAT_NONE)
        *work = b->works[b->work_of[owner]];
    return owner;
}

/* What to call a kernel of which no operation is known: the innermost call around its launch, if
 * that is one and not a range, a module or another container. A collective inside an operation that
 * does other work is not called by that. */
static const habitat_operation *caller_of(builder *b, const habitat_kernel *kernel) {
    if (kernel->in_graph || kernel->operation >= b->op_count)
        return NULL;
    if (kernel->form->kind == HABITAT_KERNEL_COLLECTIVE &&
        climb(b, kernel, RECOGNISED) != HABITAT_NONE)
        return NULL;
    const habitat_operation *op = &b->ops[kernel->operation];
    return op->form->kind == HABITAT_OPERATION_FRAMEWORK && !work_is_container(op->form->name)
               ? op
               : NULL;
}

static uint32_t add_group(habitat_workload *w, const habitat_operation *op,
                          const habitat_work *work) {
    w->groups[w->group_count] = (habitat_workload_group){.operation = op, .work = *work};
    return (uint32_t)w->group_count++;
}

/* Kernels of one operation are a group. A kernel that only its own name describes is one alone:
 * its class is not that of its neighbours, whatever call or range is around them. */
static void assign_group(builder *b, habitat_workload_kernel *out) {
    habitat_work work;
    memset(&work, 0, sizeof work);
    uint32_t owner = find_owner(b, out->kernel, &work);
    if (owner == HABITAT_NONE) {
        habitat_kernel_work(out->kernel, &work);
        out->group = add_group(b->w, caller_of(b, out->kernel), &work);
    } else {
        if (b->group_of[owner] == HABITAT_NONE)
            b->group_of[owner] = add_group(b->w, &b->ops[owner], &work);
        out->group = b->group_of[owner];
        if (owner != out->kernel->operation)
            b->climbed[out->group] = true;
    }
    habitat_workload_group *group = &b->w->groups[out->group];
    group->kernel_count++;
    group->origin_ms += (double)out->kernel->duration_ns / HABITAT_NS_PER_MS;
}

/* An owner that was found by climbing, while inner operations took some of its kernels for
 * themselves, did not do all of its work in the kernels that are left: how much is unknown. */
static void drop_split_work(builder *b) {
    for (size_t g = 0; g < b->w->group_count; g++) {
        habitat_workload_group *group = &b->w->groups[g];
        if (b->climbed[g] && group->operation &&
            group->kernel_count < group->operation->kernel_count)
            group->work.known = false;
    }
}

static void order_by_group(habitat_workload *w) {
    uint32_t first = 0;
    for (size_t g = 0; g < w->group_count; g++) {
        w->groups[g].first_kernel = first;
        first += w->groups[g].kernel_count;
        w->groups[g].kernel_count = 0; /* counted up again below */
    }
    for (size_t i = 0; i < w->kernel_count; i++) {
        habitat_workload_group *group = &w->groups[w->kernels[i].group];
        w->group_index[group->first_kernel + group->kernel_count++] = (uint32_t)i;
    }
}

static bool allocate(builder *b) {
    habitat_workload *w = b->w;
    size_t ops = b->op_count ? b->op_count : 1;
    w->groups = calloc(w->kernel_count, sizeof *w->groups);
    w->group_index = calloc(w->kernel_count, sizeof *w->group_index);
    b->knowledge = calloc(ops, sizeof *b->knowledge);
    b->work_of = calloc(ops, sizeof *b->work_of);
    b->group_of = calloc(ops, sizeof *b->group_of);
    b->climbed = calloc(w->kernel_count, sizeof *b->climbed);
    if (!w->groups || !w->group_index || !b->knowledge || !b->work_of || !b->group_of ||
        !b->climbed)
        return false;
    memset(b->group_of, 0xff, b->op_count * sizeof *b->group_of);
    return true;
}

habitat_status workload_set_groups(habitat_workload *w) {
    builder b = {.w = w};
    b.ops = habitat_trace_operations(w->trace, &b.op_count);
    bool ok = allocate(&b);
    for (size_t i = 0; ok && i < w->kernel_count; i++)
        assign_group(&b, &w->kernels[i]);
    if (ok) {
        drop_split_work(&b);
        order_by_group(w);
    }
    free(b.knowledge);
    free(b.works);
    free(b.work_of);
    free(b.group_of);
    free(b.climbed);
    return ok && !b.out_of_memory ? HABITAT_OK : HABITAT_E_MEMORY;
}
