/* Growing arrays and small tables of a trace under construction. */
#include "trace/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "trace/calls.h"
#include "trace/inputs.h"

/* UINT32_MAX elements is the most that index fields can name. */
void *trace_add(void **array, size_t *count, size_t *capacity, size_t element_bytes) {
    void *grown = list_grow_by_half(*array, *count, capacity, 256, HABITAT_NONE - 1, element_bytes);
    if (!grown)
        return NULL;
    *array = grown;
    void *element = (unsigned char *)*array + *count * element_bytes;
    memset(element, 0, element_bytes);
    ++*count;
    return element;
}

bool trace_begin(trace_builder *b, const char *name) {
    memset(b, 0, sizeof *b);
    b->last_thread = b->open_free = HABITAT_NONE;
    b->trace = calloc(1, sizeof *b->trace);
    b->inputs = calloc(1, sizeof *b->inputs);
    if (!b->trace || !b->inputs)
        return false;
    habitat_trace_info *info = &b->trace->info;
    info->iteration_ms = NAN;
    info->rank = HABITAT_NONE;
    info->iteration_spread = info->cpu_ms = info->cpu_data_ms = NAN;
    info->peak_memory_bytes = NAN;
    info->doubted_iteration_ms = info->doubted_shown_ms = info->several_share = NAN;
    info->doubted_cpu_ms = NAN;
    info->doubted_peak_bytes = info->doubted_kept_bytes = info->ungraphed_peak_bytes = NAN;
    info->doubted_gpu_bytes = info->doubted_reserved_bytes = NAN;
    info->memory = (habitat_trace_memory){.parameters_bytes = NAN,
                                          .buffers_bytes = NAN,
                                          .gradients_bytes = NAN,
                                          .optimizer_bytes = NAN,
                                          .between_bytes = NAN,
                                          .reserved_bytes = NAN};
    info->format = "kineto";
    info->file = habitat_strings_intern(&b->trace->strings, name, strlen(name));
    return info->file != NULL;
}

void trace_begin_op_form(habitat_op_form *form) {
    memset(form, 0, sizeof *form);
    form->name = "";
}

void trace_begin_kernel_form(habitat_kernel_form *form) {
    memset(form, 0, sizeof *form);
    form->name = "";
    form->dram_bytes = form->flop = NAN;
}

const void *trace_store_form(habitat_trace *t, const void *form, size_t size_bytes) {
    return habitat_strings_intern(&t->forms, form, size_bytes);
}

habitat_operation *trace_add_operation(trace_builder *b, const habitat_op_form *form) {
    habitat_trace *t = b->trace;
    const habitat_op_form *stored = trace_store_form(t, form, sizeof *form);
    habitat_operation *o = !stored ? NULL
                                   : trace_add((void **)&t->operations, &t->operation_count,
                                               &t->operation_capacity, sizeof *t->operations);
    if (o) {
        o->form = stored;
        o->parent = HABITAT_NONE;
        trace_set_node(o, (trace_node){0});
    }
    return o;
}

habitat_kernel *trace_add_kernel(trace_builder *b, const habitat_kernel_form *form) {
    habitat_trace *t = b->trace;
    const habitat_kernel_form *stored = trace_store_form(t, form, sizeof *form);
    habitat_kernel *k = !stored ? NULL
                                : trace_add((void **)&t->kernels, &t->kernel_count,
                                            &t->kernel_capacity, sizeof *t->kernels);
    if (k) {
        k->form = stored;
        trace_set_correlation(k, 0);
    }
    return k;
}

/* Traces hold thousands of calls by a few dozen names. */
static habitat_call_kind kind_of(trace_builder *b, const char *name) {
    trace_call_name *known = &b->call_names[(uintptr_t)name / 16 % CALL_NAMES];
    if (known->name != name)
        *known = (trace_call_name){name, trace_call_kind(name)};
    return known->kind;
}

habitat_call *trace_add_call(trace_builder *b, const char *name, uint32_t thread, bool driver) {
    habitat_trace *t = b->trace;
    habitat_call_form form;
    memset(&form, 0, sizeof form); /* to its last byte: see trace_begin_op_form() */
    form.name = name;
    form.kind = kind_of(b, name);
    form.thread = thread;
    form.device = form.stream = HABITAT_NONE;
    form.driver = driver;
    const habitat_call_form *stored = trace_store_form(t, &form, sizeof form);
    habitat_call *c = !stored ? NULL
                              : trace_add((void **)&t->calls, &t->call_count, &t->call_capacity,
                                          sizeof *t->calls);
    if (c) {
        c->form = stored;
        c->operation = c->iteration = HABITAT_NONE;
    }
    return c;
}

trace_wait *trace_add_wait(trace_builder *b) {
    trace_wait *w =
        trace_add((void **)&b->waits, &b->wait_count, &b->wait_capacity, sizeof *b->waits);
    if (w) {
        w->time_ns = UINT64_MAX;
        w->device = w->stream = w->event = w->on_stream = HABITAT_NONE;
    }
    return w;
}

trace_flow *trace_add_flow(trace_builder *b) {
    return trace_add((void **)&b->flows, &b->flow_count, &b->flow_capacity, sizeof *b->flows);
}

trace_device *trace_add_device(trace_builder *b) {
    return trace_add((void **)&b->devices, &b->device_count, &b->device_capacity,
                     sizeof *b->devices);
}

/* Is it NAME and a number: "step 3", "step#3", "step_3", "step3"? */
static bool is_numbered(const char *name, const char *wanted) {
    size_t length = strlen(wanted);
    if (strncmp(name, wanted, length) != 0)
        return false;
    name += length + strspn(name + length, " #_:-");
    size_t digits = strspn(name, "0123456789");
    return digits && !name[digits];
}

/* 0: no iteration. A name that was asked for counts before the same with a number. */
static uint8_t asked_rank(const char *wanted, const char *name) {
    return !strcmp(name, wanted) ? 2 : is_numbered(name, wanted);
}

/* Our own recorder's ranges count before the profiler's steps, in which they may lie. */
static uint8_t step_rank(const char *name) {
    return !strncmp(name, "habitat_iteration", 17) ? 2 : !strncmp(name, "ProfilerStep#", 13);
}

static bool keep_range(trace_range **list, size_t *count, size_t *capacity, trace_range made) {
    if (!made.rank)
        return true;
    trace_range *range = trace_add((void **)list, count, capacity, sizeof *range);
    if (range)
        *range = made;
    return range != NULL;
}

bool trace_add_range(trace_builder *b, const char *name, uint64_t start_ns, uint64_t duration_ns) {
    const char *wanted = b->options.range;
    trace_range made = {start_ns, start_ns + duration_ns, step_rank(name)};
    if (wanted && !keep_range(&b->steps, &b->step_count, &b->step_capacity, made))
        return false;
    made.rank = wanted ? asked_rank(wanted, name) : made.rank;
    return keep_range(&b->ranges, &b->range_count, &b->range_capacity, made);
}

static bool is_thread(const void *elements, uint32_t index, const void *key) {
    const trace_thread *have = (const trace_thread *)elements + index, *want = key;
    return have->process == want->process && have->thread == want->thread;
}

uint32_t trace_thread_index(trace_builder *b, uint64_t process, uint64_t thread) {
    if (b->last_thread != HABITAT_NONE) {
        const trace_thread *last = &b->threads[b->last_thread];
        if (last->process == process && last->thread == thread)
            return b->last_thread;
    }
    trace_thread wanted = {process, thread, HABITAT_NONE};
    uint64_t hash = habitat_hash_number(habitat_hash_number(0, process), thread);
    uint32_t at = habitat_table_find(&b->thread_table, hash, is_thread, b->threads, &wanted);
    if (at == HABITAT_NONE) {
        at = (uint32_t)b->thread_count;
        if (!habitat_table_put(&b->thread_table, hash, at))
            return HABITAT_NONE;
        trace_thread *added = trace_add((void **)&b->threads, &b->thread_count, &b->thread_capacity,
                                        sizeof *b->threads);
        if (!added)
            return HABITAT_NONE;
        *added = wanted;
    }
    b->last_thread = at;
    return at;
}

/* Kernels that wait for other GPUs, by the libraries that have them: each pattern was seen in a
 * trace, or in the source that is named. */
static const char *const collective_names[] = {
    "nccl",
    "rccl",
    "::intranode::", /* DeepEP: deep_ep::intranode::dispatch, dpsk::ep::internode::combine */
    "::internode::",
    "::internode_ll::",
    "multimem_all_", /* PyTorch's symmetric memory: multimem_all_reduce_kernel */
    "multimem_one_shot_all_reduce",
    "one_shot_all_reduce_kernel",
    "two_shot_all_reduce_kernel",
    "oneShotAllReduceKernel", /* TensorRT-LLM */
    "twoShotAllReduceKernel",
    "allreduce_fusion_kernel", /* its fused ones, and FlashInfer's */
    "cross_device_reduce_",    /* vLLM, SGLang, AITER */
    "quickreduce::allreduce",  /* vLLM on AMD's */
    "userbuffers_fp16_sum_",   /* Transformer Engine */
};

static bool waits_for_others(const char *name) {
    for (size_t i = 0; i < sizeof collective_names / sizeof *collective_names; i++)
        if (strstr(name, collective_names[i]))
            return true;
    return false;
}

bool trace_name_is_collective(trace_builder *b, const char *name) {
    trace_kernel_name *known = &b->kernel_names[(uintptr_t)name / 16 % KERNEL_NAMES];
    if (known->name != name)
        *known = (trace_kernel_name){name, waits_for_others(name)};
    return known->collective;
}

/* No GPU launches more than 2^31 - 1 blocks along one side or 1024 threads a block; the others are
 * far beyond CUDA and HIP (255 registers a thread, 512 on AMD; 228 KiB of shared memory). */
enum { SIDE_MAX = INT32_MAX, THREADS_MAX = 1024, REGISTERS_MAX = 1 << 16 };
static const double blocks_max = 0x1p48; /* a quarter of an hour of nothing but starting blocks */
static const uint32_t shared_max_bytes = 1u << 30;

static double volume(const uint32_t size[3]) {
    return (double)size[0] * size[1] * size[2];
}

const char *trace_absurd_size(const habitat_kernel_form *k) {
    for (int i = 0; i < 3; i++)
        if (k->grid[i] > SIDE_MAX)
            return "grid";
    return volume(k->grid) > blocks_max                ? "grid"
           : volume(k->block) > THREADS_MAX            ? "block"
           : k->registers_per_thread > REGISTERS_MAX   ? "registers per thread"
           : k->shared_memory_bytes > shared_max_bytes ? "shared memory"
                                                       : NULL;
}

void trace_drop_flows(trace_builder *b) {
    free(b->flows);
    b->flows = NULL;
    b->flow_count = b->flow_capacity = 0;
}

void trace_drop_waits(trace_builder *b) {
    free(b->waits);
    b->waits = NULL;
    b->wait_count = b->wait_capacity = 0;
}

void trace_discard(trace_builder *b) {
    habitat_trace_free(b->trace);
    trace_drop_flows(b);
    trace_drop_waits(b);
    free(b->ranges);
    free(b->steps);
    free(b->threads);
    free(b->opens);
    habitat_table_free(&b->thread_table);
    free(b->devices);
    if (b->inputs)
        inputs_free(b->inputs);
    free(b->inputs);
    memset(b, 0, sizeof *b);
}
