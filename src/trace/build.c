/* Growing arrays and small tables of a trace under construction. */
#include "trace/build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/inputs.h"
#include "trace/link.h"

/* Room for one more element in an array that grows by half. UINT32_MAX elements is the most that
 * index fields can name. */
static void *add(void **array, size_t *count, size_t *capacity, size_t element_bytes) {
    if (*count == *capacity) {
        size_t larger = *capacity ? *capacity + *capacity / 2 : 256;
        void *grown = larger >= HABITAT_NONE ? NULL : realloc(*array, larger * element_bytes);
        if (!grown)
            return NULL;
        *array = grown;
        *capacity = larger;
    }
    void *element = (unsigned char *)*array + *count * element_bytes;
    memset(element, 0, element_bytes);
    ++*count;
    return element;
}

bool trace_begin(trace_builder *b, const char *name) {
    memset(b, 0, sizeof *b);
    b->last_thread = HABITAT_NONE;
    b->trace = calloc(1, sizeof *b->trace);
    b->inputs = calloc(1, sizeof *b->inputs);
    if (!b->trace || !b->inputs)
        return false;
    habitat_trace_info *info = &b->trace->info;
    info->iteration_ms = NAN;
    info->peak_memory_bytes = NAN;
    info->format = "kineto";
    info->file = habitat_strings_intern(&b->trace->strings, name, strlen(name));
    return info->file != NULL;
}

habitat_operation *trace_add_operation(trace_builder *b) {
    habitat_trace *t = b->trace;
    habitat_operation *o = add((void **)&t->operations, &t->operation_count, &t->operation_capacity,
                               sizeof *t->operations);
    if (o) {
        o->name = "";
        o->parent = o->forward = o->iteration = HABITAT_NONE;
        o->sequence = -1;
    }
    return o;
}

habitat_kernel *trace_add_kernel(trace_builder *b) {
    habitat_trace *t = b->trace;
    habitat_kernel *k =
        add((void **)&t->kernels, &t->kernel_count, &t->kernel_capacity, sizeof *t->kernels);
    if (k) {
        k->name = "";
        k->iteration = k->launch_thread = HABITAT_NONE;
        k->dram_bytes = k->flop = NAN;
    }
    return k;
}

trace_launch *trace_add_launch(trace_builder *b) {
    return add((void **)&b->launches, &b->launch_count, &b->launch_capacity, sizeof *b->launches);
}

trace_flow *trace_add_flow(trace_builder *b) {
    return add((void **)&b->flows, &b->flow_count, &b->flow_capacity, sizeof *b->flows);
}

trace_device *trace_add_device(trace_builder *b) {
    return add((void **)&b->devices, &b->device_count, &b->device_capacity, sizeof *b->devices);
}

bool trace_add_range(trace_builder *b, const char *name, uint64_t start_ns, uint64_t duration_ns) {
    trace_range *range =
        add((void **)&b->ranges, &b->range_count, &b->range_capacity, sizeof *b->ranges);
    if (range)
        *range = (trace_range){start_ns, start_ns + duration_ns, *name == 'h'};
    return range != NULL;
}

static size_t thread_slot(const trace_builder *b, uint64_t process, uint64_t thread) {
    uint64_t hash = (process ^ (thread * 0x9e3779b97f4a7c15u)) * 0xd6e8feb86659fd93u;
    size_t mask = b->thread_slot_count - 1, at = (hash >> 32) & mask;
    while (b->thread_slots[at]) {
        const trace_thread *t = &b->threads[b->thread_slots[at] - 1];
        if (t->process == process && t->thread == thread)
            break;
        at = (at + 1) & mask;
    }
    return at;
}

static bool grow_thread_slots(trace_builder *b) {
    size_t larger = b->thread_slot_count ? b->thread_slot_count * 2 : 64;
    uint32_t *slots = calloc(larger, sizeof *slots);
    if (!slots)
        return false;
    free(b->thread_slots);
    b->thread_slots = slots;
    b->thread_slot_count = larger;
    for (size_t i = 0; i < b->thread_count; i++)
        slots[thread_slot(b, b->threads[i].process, b->threads[i].thread)] = (uint32_t)i + 1;
    return true;
}

uint32_t trace_thread_index(trace_builder *b, uint64_t process, uint64_t thread) {
    if (b->last_thread != HABITAT_NONE) {
        const trace_thread *last = &b->threads[b->last_thread];
        if (last->process == process && last->thread == thread)
            return b->last_thread;
    }
    if (b->thread_count * 2 >= b->thread_slot_count && !grow_thread_slots(b))
        return HABITAT_NONE;
    size_t at = thread_slot(b, process, thread);
    if (!b->thread_slots[at]) {
        trace_thread *added =
            add((void **)&b->threads, &b->thread_count, &b->thread_capacity, sizeof *b->threads);
        if (!added)
            return HABITAT_NONE;
        *added = (trace_thread){process, thread, HABITAT_NONE};
        b->thread_slots[at] = (uint32_t)b->thread_count;
    }
    b->last_thread = b->thread_slots[at] - 1;
    return b->last_thread;
}

bool trace_name_is_collective(const char *name) {
    return strstr(name, "nccl") != NULL || strstr(name, "rccl") != NULL;
}

bool trace_name_is_iteration(const char *name) {
    return !strncmp(name, "ProfilerStep#", 13) || !strncmp(name, "habitat_iteration", 17);
}

static void free_scratch(trace_builder *b) {
    free(b->launches);
    free(b->flows);
    free(b->ranges);
    free(b->threads);
    free(b->thread_slots);
    free(b->devices);
    if (b->inputs)
        inputs_free(b->inputs);
    free(b->inputs);
    memset(b, 0, sizeof *b);
}

void trace_discard(trace_builder *b) {
    habitat_trace_free(b->trace);
    free_scratch(b);
}

/* Give back the room that growing left over. */
static void shrink(habitat_trace *t) {
    void *smaller;
    if (t->operation_count &&
        (smaller = realloc(t->operations, t->operation_count * sizeof *t->operations)))
        t->operations = smaller;
    if (t->kernel_count && (smaller = realloc(t->kernels, t->kernel_count * sizeof *t->kernels)))
        t->kernels = smaller;
}

habitat_status trace_finish(trace_builder *b, habitat_trace **out, habitat_error *err) {
    inputs_free(b->inputs); /* first: linking needs memory, and this can be much */
    habitat_status status = trace_link(b, err);
    if (status != HABITAT_OK)
        return status;
    shrink(b->trace);
    *out = b->trace;
    b->trace = NULL;
    free_scratch(b);
    return HABITAT_OK;
}
