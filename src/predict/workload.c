/* From a trace to a workload: the kernels of the main device, what operation each belongs to, and
 * that operation's work. GPU-independent but for the origin's waves. */
#include "predict/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "predict/collective.h"
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
    uint32_t *slots;    /* hash of distinct launches */
    size_t slot_count;  /* power of two */
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
        bool found =
            b->ops[op].kind == HABITAT_OPERATION_FRAMEWORK &&
            habitat_operation_work_typed(&b->ops[op], habitat_kernel_tensor_dtype(kernel->name),
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
    if (kernel->kind == HABITAT_KERNEL_COLLECTIVE)
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
    if (kernel->kind == HABITAT_KERNEL_COLLECTIVE && climb(b, kernel, RECOGNISED) != HABITAT_NONE)
        return NULL;
    const habitat_operation *op = &b->ops[kernel->operation];
    return op->kind == HABITAT_OPERATION_FRAMEWORK && !work_is_container(op->name) ? op : NULL;
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

/* ---- launches ---- */

static uint64_t product(const uint32_t size[3]) {
    return (uint64_t)size[0] * size[1] * size[2];
}

static size_t slot_for(const builder *b, const habitat_launch *launch) {
    uint64_t hash = launch->threads_per_block;
    hash = hash * 0x9E3779B97F4A7C15u + launch->registers_per_thread;
    hash = hash * 0x9E3779B97F4A7C15u + launch->shared_memory_bytes;
    hash *= 0x9E3779B97F4A7C15u;
    size_t slot = (size_t)(hash >> 20) & (b->slot_count - 1);
    while (b->slots[slot] != HABITAT_NONE) {
        const habitat_launch *other = &b->w->launches[b->slots[slot]];
        if (other->threads_per_block == launch->threads_per_block &&
            other->registers_per_thread == launch->registers_per_thread &&
            other->shared_memory_bytes == launch->shared_memory_bytes)
            break;
        slot = (slot + 1) & (b->slot_count - 1);
    }
    return slot;
}

static void set_launch(builder *b, habitat_workload_kernel *out) {
    const habitat_kernel *kernel = out->kernel;
    uint64_t threads = product(kernel->block);
    out->facts.blocks = product(kernel->grid);
    out->launch = HABITAT_NONE;
    out->facts.launch = (habitat_launch){
        .threads_per_block = threads <= UINT32_MAX ? (uint32_t)threads : 0,
        .registers_per_thread = kernel->registers_per_thread,
        .shared_memory_bytes = kernel->shared_memory_bytes,
    };
    if (!out->facts.blocks || !out->facts.launch.threads_per_block)
        return;
    size_t slot = slot_for(b, &out->facts.launch);
    if (b->slots[slot] == HABITAT_NONE) {
        b->slots[slot] = (uint32_t)b->w->launch_count;
        b->w->launches[b->w->launch_count++] = out->facts.launch;
    }
    out->launch = b->slots[slot];
}

void habitat_workload_waves(const habitat_workload *w, const habitat_gpu *gpu, uint64_t *out) {
    for (size_t i = 0; i < w->launch_count; i++) {
        uint32_t per_sm = 0;
        habitat_status status = habitat_occupancy_blocks(gpu, &w->launches[i], &per_sm, NULL);
        out[i] = status == HABITAT_OK ? (uint64_t)per_sm * gpu->sm_count : 0;
    }
}

/* A grid that was sized by the origin: one block per SM, or as many as are resident, on every SM;
 * or a kernel known to size its grid so. docs/formulas.md#persistent */
static bool is_persistent(const habitat_workload *w, const habitat_workload_kernel *kernel) {
    static const char *const names[] = {"nvjet",         "persistent", "cooperative", "grid_stride",
                                        "fused_dropout", "streamk",    "stream_k"};
    uint64_t blocks = kernel->facts.blocks, sms = w->origin->sm_count;
    if (kernel->launch == HABITAT_NONE || !sms || kernel->kernel->kind != HABITAT_KERNEL_COMPUTE)
        return false;
    uint64_t wave = w->origin_waves[kernel->launch];
    if (blocks == sms || (wave && blocks == wave))
        return true;
    if (wave && blocks > wave)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(kernel->kernel->name, names[i]))
            return true;
    return false;
}

/* ---- building ---- */

static size_t select_kernels(habitat_workload *w) {
    size_t count = 0, kept = 0;
    uint32_t device = habitat_trace_get_info(w->trace)->device;
    const habitat_kernel *kernels = habitat_trace_kernels(w->trace, &count);
    for (size_t i = 0; i < count; i++) {
        if (kernels[i].device != device)
            continue;
        if (kernels[i].iteration == HABITAT_NONE) {
            w->outside_count++;
            continue;
        }
        if (w->kernels) {
            w->kernels[kept] = (habitat_workload_kernel){.kernel = &kernels[i]};
            w->kernels[kept].facts.time_ns = (double)kernels[i].duration_ns;
            *(habitat_is_copy(&kernels[i]) ? &w->copy_ns : &w->kernel_ns) += kernels[i].duration_ns;
            w->info.copy_count += habitat_is_copy(&kernels[i]);
            w->collective_count += kernels[i].kind == HABITAT_KERNEL_COLLECTIVE;
        }
        kept++;
    }
    return kept;
}

/* Memory for n elements, and for one where n is 0; NULL on overflow or when there is none. */
static void *elements(size_t n, size_t size) {
    return calloc(n ? n : 1, size);
}

static bool allocate(builder *b, size_t kernel_count) {
    habitat_workload *w = b->w;
    w->kernels = elements(kernel_count, sizeof *w->kernels);
    w->groups = elements(kernel_count, sizeof *w->groups);
    w->group_index = elements(kernel_count, sizeof *w->group_index);
    w->launches = elements(kernel_count, sizeof *w->launches);
    w->origin_waves = elements(kernel_count, sizeof *w->origin_waves);
    b->knowledge = elements(b->op_count, sizeof *b->knowledge);
    b->work_of = elements(b->op_count, sizeof *b->work_of);
    b->group_of = elements(b->op_count, sizeof *b->group_of);
    b->climbed = elements(kernel_count, sizeof *b->climbed);
    for (b->slot_count = 64; b->slot_count < 2 * kernel_count;)
        b->slot_count *= 2;
    b->slots = elements(b->slot_count, sizeof *b->slots);
    if (!w->kernels || !w->groups || !w->group_index || !w->launches || !w->origin_waves ||
        !b->knowledge || !b->work_of || !b->group_of || !b->climbed || !b->slots)
        return false;
    memset(b->group_of, 0xff, b->op_count * sizeof *b->group_of);
    memset(b->slots, 0xff, b->slot_count * sizeof *b->slots);
    return true;
}

static void describe_kernels(builder *b) {
    habitat_workload *w = b->w;
    for (size_t i = 0; i < w->kernel_count; i++) {
        assign_group(b, &w->kernels[i]);
        set_launch(b, &w->kernels[i]);
    }
    drop_split_work(b);
    order_by_group(w);
    habitat_workload_waves(w, w->origin, w->origin_waves);
    for (size_t i = 0; i < w->kernel_count; i++) {
        habitat_workload_kernel *kernel = &w->kernels[i];
        const habitat_work *work = &w->groups[kernel->group].work;
        kernel->op_class = work->op_class;
        kernel->varying = work->varying;
        kernel->facts.dtype =
            habitat_kernel_arithmetic(kernel->kernel->name, work, &kernel->facts.matrix_unit);
        kernel->persistent = is_persistent(w, kernel);
    }
    habitat_workload_share(w);
}

/* Time between the starts of two iterations as the trace itself shows it: from the ranges where
 * there are several, else the longer of the CPU's range and the GPU's span. A CPU that runs ahead
 * of its GPU starts iterations faster than they are done: see summarise(). */
static double traced_iteration_ms(const habitat_trace *trace) {
    size_t count = 0;
    const habitat_iteration *iterations = habitat_trace_iterations(trace, &count);
    if (!count)
        return NAN;
    if (count > 1)
        return (double)(iterations[count - 1].start_ns - iterations[0].start_ns) /
               (double)(count - 1) / HABITAT_NS_PER_MS;
    double range_ms = (double)iterations[0].duration_ns / HABITAT_NS_PER_MS;
    return range_ms > iterations[0].span_ms ? range_ms : iterations[0].span_ms;
}

static void summarise(habitat_workload *w) {
    const habitat_trace_info *trace = habitat_trace_get_info(w->trace);
    habitat_workload_info *info = &w->info;
    double iterations = (double)info->iteration_count;
    info->origin = w->origin;
    info->kernel_count = w->kernel_count - info->copy_count;
    info->kernel_ms = (double)w->kernel_ns / iterations / HABITAT_NS_PER_MS;
    info->copy_ms = (double)w->copy_ns / iterations / HABITAT_NS_PER_MS;
    info->busy_ms = (double)w->busy_ns / iterations / HABITAT_NS_PER_MS;
    info->iteration_recorded = trace->iteration_ms > 0.0;
    info->iteration_ms = info->iteration_recorded
                             ? trace->iteration_ms
                             : fmax(traced_iteration_ms(w->trace), info->busy_ms);
    info->waiting_share = NAN;
    if (info->iteration_ms > 0.0 && info->busy_ms > 0.0) {
        info->waiting_share = fmax(0.0, 1.0 - info->busy_ms / info->iteration_ms);
        info->bound_by = habitat_waits_for_cpu(info->iteration_ms, info->busy_ms) ? HABITAT_BY_CPU
                                                                                  : HABITAT_BY_GPU;
    }
}

static habitat_status build(builder *b, habitat_error *err) {
    habitat_workload *w = b->w;
    size_t count = select_kernels(w);
    if (!count)
        return habitat_fail(err, HABITAT_E_NO_GPU,
                            w->outside_count
                                ? "no GPU kernel lies inside an iteration of the trace; record "
                                  "whole iterations, with the synchronisation inside the range"
                                : "the trace holds no GPU kernel; record it on a machine with a "
                                  "GPU and GPU activities switched on");
    if (count >= UINT32_MAX / 2)
        return habitat_fail(err, HABITAT_E_RANGE, "more kernels than can be counted");
    if (!allocate(b, count))
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    w->outside_count = 0;
    w->kernel_count = select_kernels(w);
    describe_kernels(b);
    if (b->out_of_memory || habitat_collective_prepare(w) != HABITAT_OK)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    habitat_status status = habitat_busy_prepare(w, err);
    if (status != HABITAT_OK)
        return status;
    summarise(w);
    status = habitat_spread_prepare(w, err);
    return status == HABITAT_OK ? habitat_workload_warn(w, err) : status;
}

habitat_status habitat_workload_create(const habitat_trace *trace, const habitat_gpu *origin,
                                       habitat_workload **out, habitat_error *err) {
    if (!trace || !origin || !out)
        return habitat_fail(err, HABITAT_E_ARG, "a workload needs a trace and its origin GPU");
    builder b = {.w = calloc(1, sizeof *b.w)};
    if (!b.w)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    b.w->trace = trace;
    b.w->origin = origin;
    b.ops = habitat_trace_operations(trace, &b.op_count);
    habitat_trace_iterations(trace, &b.w->info.iteration_count);
    if (!b.w->info.iteration_count)
        b.w->info.iteration_count = 1;
    habitat_status status = build(&b, err);
    free(b.knowledge);
    free(b.works);
    free(b.work_of);
    free(b.group_of);
    free(b.climbed);
    free(b.slots);
    if (status == HABITAT_OK)
        *out = b.w;
    else
        habitat_workload_free(b.w);
    return status;
}

void habitat_workload_free(habitat_workload *w) {
    if (!w)
        return;
    free(w->kernels);
    free(w->groups);
    free(w->group_index);
    free(w->launches);
    free(w->origin_waves);
    free(w->parts);
    free(w->edges);
    habitat_arena_free(&w->arena);
    free(w);
}

const habitat_workload_info *habitat_workload_get_info(const habitat_workload *w) {
    return &w->info;
}

const habitat_workload_kernel *habitat_workload_kernels(const habitat_workload *w, size_t *count) {
    *count = w->kernel_count;
    return w->kernels;
}

const habitat_workload_group *habitat_workload_groups(const habitat_workload *w, size_t *count) {
    *count = w->group_count;
    return w->groups;
}

const uint32_t *habitat_workload_group_index(const habitat_workload *w, size_t *count) {
    *count = w->kernel_count;
    return w->group_index;
}

const char *const *habitat_workload_warnings(const habitat_workload *w, size_t *count) {
    *count = w->warning_count;
    return w->warnings;
}
