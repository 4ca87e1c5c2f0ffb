/* Groups: the kernels that one operation launched, and what that operation computes. */
#include "workload/group.h"

#include <stdlib.h>
#include <string.h>

#include "work/class.h"
#include "work/container.h"
#include "workload/works.h"

/* What is known of an operation. */
typedef enum knowledge { NOTHING, RECOGNISED, KNOWN } knowledge;

typedef struct builder {
    habitat_workload *w;
    const habitat_operation *ops;
    size_t op_count;
    works works;
    uint32_t *work_of; /* shape (op_count): 1 + index into works, or 0: not asked for */
    bool out_of_memory;
    uint32_t *group_of; /* shape (op_count): 1 + the group whose operation it is, or 0 */
    bool *climbed;      /* shape (kernel_count groups): owner found above the innermost one */
    uint32_t *beside;   /* shape (op_count): its kernels that do none of what it computes */
} builder;

/* The work of an entry; NULL where nothing is known, or when out of memory. */
static const habitat_work *entry(builder *b, uint32_t index) {
    b->out_of_memory |= index == HABITAT_NONE;
    return index == HABITAT_NONE ? NULL : b->works.all[index].work;
}

/* What an operation computes, worked out once for each. `kernel` is one that it launched: its name
 * tells the format of lists of tensors. */
static const habitat_work *work_of(builder *b, uint32_t op, const habitat_kernel *kernel) {
    if (!b->work_of[op]) {
        uint32_t at = works_of_operation(&b->works, &b->ops[op],
                                         habitat_kernel_tensor_dtype(kernel->form->name));
        if (!entry(b, at) && b->out_of_memory)
            return NULL;
        b->work_of[op] = at + 1;
    }
    return b->works.all[b->work_of[op] - 1].work;
}

static knowledge ask(builder *b, uint32_t op, const habitat_kernel *kernel) {
    const habitat_work *work = work_of(b, op, kernel);
    return !work ? NOTHING : work->known ? KNOWN : RECOGNISED;
}

/* The nearest operation, from the innermost outwards, that is at least this well known. */
static uint32_t climb(builder *b, const habitat_kernel *kernel, knowledge wanted) {
    uint32_t op = kernel->operation;
    while (op < b->op_count && ask(b, op, kernel) < wanted)
        op = b->ops[op].parent;
    return op < b->op_count ? op : HABITAT_NONE;
}

/* Backward of an operation whose own shapes were not recorded: told from the forward one. What is
 * recognised and is no product, as the sum that makes a bias's gradient, does none of a product's
 * work. */
static const habitat_work *from_forward(builder *b, const habitat_kernel *kernel,
                                        uint32_t recognised, uint32_t *owner) {
    const habitat_work *inner = recognised == HABITAT_NONE ? NULL : work_of(b, recognised, kernel);
    for (uint32_t op = kernel->operation; op < b->op_count; op = b->ops[op].parent) {
        uint32_t forward = b->ops[op].forward;
        const habitat_work *work = forward < b->op_count ? work_of(b, forward, kernel) : NULL;
        if (!work || work->op_class == HABITAT_CLASS_OTHER)
            continue;
        if (inner && class_of(work->op_class)->product && !class_of(inner->op_class)->product) {
            b->beside[op]++;
            return NULL;
        }
        *owner = op;
        return entry(b, works_backward(&b->works, work));
    }
    return NULL;
}

/* A collective belongs to an operation of its class alone: its time, waiting included, is no part
 * of what a product or a sum takes. */
static const habitat_work *find_collective_owner(builder *b, const habitat_kernel *kernel,
                                                 uint32_t *owner) {
    uint32_t found = climb(b, kernel, RECOGNISED);
    const habitat_work *own = entry(b, works_of_kernel(&b->works, kernel));
    const habitat_work *work = found == HABITAT_NONE ? NULL : work_of(b, found, kernel);
    if (!work || !own || work->op_class != own->op_class)
        return NULL;
    *owner = found;
    return work;
}

/* The operation whose work a kernel does part of, and that work; NULL where none is known. What
 * lies around the launch of a CUDA graph did not launch the graph's kernels one by one. */
static const habitat_work *find_owner(builder *b, const habitat_kernel *kernel, uint32_t *owner) {
    if (kernel->in_graph)
        return NULL;
    if (kernel->form->kind == HABITAT_KERNEL_COLLECTIVE)
        return find_collective_owner(b, kernel, owner);
    *owner = climb(b, kernel, KNOWN);
    if (*owner == HABITAT_NONE) {
        uint32_t recognised = climb(b, kernel, RECOGNISED);
        const habitat_work *work = from_forward(b, kernel, recognised, owner);
        if (work)
            return work;
        *owner = recognised;
    }
    return *owner == HABITAT_NONE ? NULL : work_of(b, *owner, kernel);
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
    w->groups[w->group_count] = (habitat_workload_group){.operation = op, .work = work};
    return (uint32_t)w->group_count++;
}

/* The group of a kernel that its owner, or its own name alone, describes. */
static uint32_t group_for(builder *b, const habitat_kernel *kernel) {
    uint32_t owner = HABITAT_NONE;
    const habitat_work *work = find_owner(b, kernel, &owner);
    if (!work) {
        work = entry(b, works_of_kernel(&b->works, kernel));
        return work ? add_group(b->w, caller_of(b, kernel), work) : 0;
    }
    if (!b->group_of[owner])
        b->group_of[owner] = add_group(b->w, &b->ops[owner], work) + 1;
    uint32_t group = b->group_of[owner] - 1;
    if (owner != kernel->operation)
        b->climbed[group] = true;
    return group;
}

/* Kernels of one operation are a group. A kernel that only its own name describes is one alone:
 * its class is not that of its neighbours, whatever call or range is around them. */
static void assign_group(builder *b, habitat_workload_kernel *out) {
    uint32_t at = group_for(b, out->kernel);
    if (b->out_of_memory)
        return;
    out->group = at;
    habitat_workload_group *group = &b->w->groups[at];
    group->kernel_count++;
    group->origin_ms += (double)out->kernel->duration_ns / HABITAT_NS_PER_MS;
}

/* An owner that was found by climbing, while inner operations took some of its kernels for
 * themselves, did not do all of its work in the kernels that are left: how much is unknown. */
static void drop_split_work(builder *b) {
    for (size_t g = 0; g < b->w->group_count && !b->out_of_memory; g++) {
        habitat_workload_group *group = &b->w->groups[g];
        if (!b->climbed[g] || !group->operation)
            continue;
        uint32_t own = group->operation->kernel_count - b->beside[group->operation - b->ops];
        if (group->kernel_count < own)
            group->work = entry(b, works_unknown(&b->works, group->work));
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
    b->work_of = calloc(ops, sizeof *b->work_of);
    b->group_of = calloc(ops, sizeof *b->group_of);
    b->climbed = calloc(w->kernel_count, sizeof *b->climbed);
    b->beside = calloc(ops, sizeof *b->beside);
    return w->groups && b->work_of && b->group_of && b->climbed && b->beside;
}

/* There was room for a group a kernel. */
static void shrink(habitat_workload *w) {
    habitat_workload_group *smaller = realloc(w->groups, w->group_count * sizeof *smaller);
    if (smaller)
        w->groups = smaller;
}

habitat_status workload_set_groups(habitat_workload *w) {
    builder b = {.w = w, .works = {.arena = &w->arena}};
    b.ops = habitat_trace_operations(w->trace, &b.op_count);
    bool ok = allocate(&b);
    for (size_t i = 0; ok && !b.out_of_memory && i < w->kernel_count; i++)
        assign_group(&b, &w->kernels[i]);
    if (ok)
        drop_split_work(&b);
    works_free(&b.works);
    free(b.work_of);
    free(b.group_of);
    free(b.climbed);
    free(b.beside);
    if (!ok || b.out_of_memory)
        return HABITAT_E_MEMORY;
    shrink(w);
    w->group_index = calloc(w->kernel_count, sizeof *w->group_index);
    if (w->group_index)
        order_by_group(w);
    return w->group_index ? HABITAT_OK : HABITAT_E_MEMORY;
}
