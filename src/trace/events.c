/* Chrome-trace JSON into a trace builder: a state machine on yajl's callbacks.
 *
 * The callbacks run for every token of files with millions of them, so they do little: values of
 * the keys below go into one event record, everything else is skipped by counting brackets. The
 * order of an event's keys does not matter; Kineto's (ph, cat, name, ... args) is the fast one,
 * since the arguments of an event that nobody needs are then skipped unread. */
#include "trace/events.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_parse.h>

#include "base/error.h"
#include "trace/inputs.h"
#include "trace/number.h"

enum {
    DEPTH_MAX = 512,
    NAME_BYTES_MAX = 1 << 20,
    TOKEN_BYTES_MAX = 1 << 24, /* longest string or blank */
    TIMES_MAX = 1 << 20,
};

/* Where in the file we are. */
typedef enum place {
    AT_START,
    AT_ROOT,    /* {"traceEvents": ..., ...} */
    AT_EVENTS,  /* [event, ...] */
    AT_EVENT,   /* {"ph": ..., ...} */
    AT_ARGS,    /* "args": {...} */
    AT_LIST,    /* one of the four input lists */
    AT_TRIPLE,  /* "grid": [x, y, z] */
    AT_DEVICES, /* "deviceProperties": [...] */
    AT_DEVICE,
    AT_HABITAT, /* "habitat": {...} */
    AT_TIMES,   /* "iteration_ms_all": [...] */
    AT_SKIP,
    AT_END,
} place;

typedef enum key {
    KEY_NONE = 0,
    /* root */
    KEY_EVENTS,
    KEY_DEVICES,
    KEY_HABITAT,
    /* event */
    KEY_PH,
    KEY_CAT,
    KEY_NAME,
    KEY_TS,
    KEY_DUR,
    KEY_PID,
    KEY_TID,
    KEY_ID,
    KEY_ARGS,
    /* arguments */
    KEY_EXTERNAL,
    KEY_SEQUENCE,
    KEY_FORWARD_THREAD,
    KEY_CORRELATION,
    KEY_DEVICE,
    KEY_STREAM,
    KEY_REGISTERS,
    KEY_SHARED,
    KEY_GRID,
    KEY_BLOCK,
    KEY_BYTES,
    KEY_GRAPH,
    KEY_DRAM,
    KEY_FLOP,
    KEY_DIMS,
    KEY_TYPES,
    KEY_STRIDES,
    KEY_VALUES,
    /* device */
    KEY_DEVICE_ID,
    KEY_DEVICE_NAME,
    KEY_DEVICE_MEMORY,
    KEY_DEVICE_MAJOR,
    KEY_DEVICE_MINOR,
    KEY_DEVICE_SMS,
    KEY_DEVICE_THREADS,
    KEY_DEVICE_REGISTERS,
    KEY_DEVICE_SHARED,
    KEY_DEVICE_OPTIN,
    /* habitat */
    KEY_SCHEMA,
    KEY_ITERATION_MS,
    KEY_ITERATION_MS_ALL,
    KEY_BATCH,
    KEY_MODEL,
    KEY_FRAMEWORK,
    KEY_COMMAND,
    KEY_RECORDER,
    KEY_PEAK_MEMORY,
    KEY_DROPPED,
} key;

typedef enum category {
    CAT_UNSEEN = 0,
    CAT_UNNEEDED,
    CAT_OPERATION,
    CAT_RANGE,
    CAT_PYTHON,
    CAT_KERNEL,
    CAT_MEMCPY,
    CAT_MEMSET,
    CAT_RUNTIME,
    CAT_DRIVER,
    CAT_FLOW,
} category;

/* Numbers of an event that are missing or out of range are noticed when it turns out to matter. */
typedef enum number_state {
    MISSING = 0,
    PRESENT,
    NEGATIVE,
    TOO_LARGE,
    NOT_A_NUMBER,
} number_state;

typedef struct measured {
    uint64_t value;
    number_state state;
} measured;

typedef struct event {
    char phase; /* 0: none */
    category cat;
    size_t name_bytes;
    bool has_name;
    measured time, duration, pid, tid, id;
    measured external, correlation, device, stream, registers, shared, bytes, graph;
    measured grid[3], block[3];
    int64_t sequence;
    bool backward_known;
    uint64_t forward_thread;
    double dram_bytes, flop;
} event;

typedef struct reader {
    trace_builder *b;
    yajl_handle yajl;
    habitat_error *err;
    habitat_status status;
    uint64_t piece_start; /* offset of the piece that yajl has */
    bool progress;        /* a token came out of this piece */
    place at, resume;     /* resume: where skipping or a list goes back to */
    key key;
    uint32_t depth; /* of brackets inside AT_SKIP and AT_LIST */
    uint32_t open;  /* brackets in all */
    bool in_array;  /* the file is a bare array of events */
    bool seen_events;
    uint64_t event_count;
    uint64_t bad_byte; /* where the first bad number of this event stands; 0 = none */
    event e;
    char *name;
    size_t name_capacity;
    measured *triple;
    uint32_t triple_count;
    trace_device device;
    measured device_id, device_major, device_minor;
    double *times;
    size_t time_count, time_capacity;
} reader;

/* --- failing ------------------------------------------------------------------------------- */

static uint64_t position(const reader *r) {
    return r->piece_start + yajl_get_bytes_consumed(r->yajl);
}

/* Stop with an error here. Callbacks return this: 0 stops yajl. */
static int stop_memory(reader *r) {
    r->status = habitat_fail(r->err, HABITAT_E_MEMORY, "out of memory");
    return 0;
}

#define STOP_AT(r, code, byte, ...)                                                                \
    ((r)->status =                                                                                 \
         habitat_fail_at((r)->err, (code), (r)->b->trace->info.file, (byte), 0, __VA_ARGS__),      \
     0)
#define STOP(r, code, ...) STOP_AT(r, code, position(r), __VA_ARGS__)

static const char not_a_trace[] = "export it with torch.profiler or 'habitat record'";

static int bad_event(reader *r, habitat_status code, const char *what, const char *problem) {
    uint64_t byte = r->bad_byte ? r->bad_byte : position(r);
    int result = STOP_AT(r, code, byte,
                         "event %" PRIu64 " of \"traceEvents\": \"%s\" %s; record it again, or "
                         "remove that event",
                         r->event_count, what, problem);
    if (r->err)
        r->err->index = (size_t)r->event_count;
    return result;
}

/* False (stopped) unless the number is there and sane. */
static bool require(reader *r, const measured *m, const char *what) {
    switch (m->state) {
    case PRESENT:
        return true;
    case MISSING:
        return bad_event(r, HABITAT_E_FORMAT, what, "is missing");
    case NEGATIVE:
        return bad_event(r, HABITAT_E_RANGE, what, "is negative");
    case TOO_LARGE:
        return bad_event(r, HABITAT_E_RANGE, what, "is absurdly large");
    case NOT_A_NUMBER:
        break;
    }
    return bad_event(r, HABITAT_E_FORMAT, what, "is not a number");
}

static bool allow_missing(reader *r, const measured *m, const char *what) {
    return m->state == MISSING || require(r, m, what);
}

/* --- keys ---------------------------------------------------------------------------------- */

typedef struct key_name {
    const char *text;
    key key;
} key_name;

#define IS(literal) (length == sizeof(literal) - 1 && !memcmp(text, literal, sizeof(literal) - 1))

static key event_key(const char *text, size_t length) {
    switch (length) {
    case 2:
        return IS("ph") ? KEY_PH : IS("ts") ? KEY_TS : IS("id") ? KEY_ID : KEY_NONE;
    case 3:
        return IS("cat")   ? KEY_CAT
               : IS("pid") ? KEY_PID
               : IS("tid") ? KEY_TID
               : IS("dur") ? KEY_DUR
                           : KEY_NONE;
    case 4:
        return IS("name") ? KEY_NAME : IS("args") ? KEY_ARGS : KEY_NONE;
    default:
        return KEY_NONE;
    }
}

static key lookup(const key_name *table, size_t count, const char *text, size_t length) {
    for (size_t i = 0; i < count; i++)
        if (!strncmp(table[i].text, text, length) && !table[i].text[length])
            return table[i].key;
    return KEY_NONE;
}

/* Kernels' keys that end a long list of others, by length to keep each miss cheap. */
static key argument_key(const char *text, size_t length) {
    switch (length) {
    case 4:
        return IS("grid") ? KEY_GRID : IS("flop") ? KEY_FLOP : KEY_NONE;
    case 5:
        return IS("block") ? KEY_BLOCK : IS("bytes") ? KEY_BYTES : KEY_NONE;
    case 6:
        return IS("device") ? KEY_DEVICE : IS("stream") ? KEY_STREAM : KEY_NONE;
    case 8:
        return IS("graph id") ? KEY_GRAPH : KEY_NONE;
    case 10:
        return IS("Input type")   ? KEY_TYPES
               : IS("Input Dims") ? KEY_DIMS
               : IS("dram bytes") ? KEY_DRAM
               : IS("Input dims") ? KEY_DIMS
                                  : KEY_NONE;
    case 11:
        return IS("External id") || IS("external id") ? KEY_EXTERNAL
               : IS("correlation")                    ? KEY_CORRELATION
                                                      : KEY_NONE;
    case 13:
        return IS("Input Strides")   ? KEY_STRIDES
               : IS("Fwd thread id") ? KEY_FORWARD_THREAD
               : IS("shared memory") ? KEY_SHARED
               : IS("graph node id") ? KEY_GRAPH
                                     : KEY_NONE;
    case 15:
        return IS("Concrete Inputs") ? KEY_VALUES : IS("Sequence number") ? KEY_SEQUENCE : KEY_NONE;
    case 20:
        return IS("registers per thread") ? KEY_REGISTERS : KEY_NONE;
    default:
        return KEY_NONE;
    }
}

static const key_name root_keys[] = {
    {"traceEvents", KEY_EVENTS},
    {"deviceProperties", KEY_DEVICES},
    {"habitat", KEY_HABITAT},
};

static const key_name device_keys[] = {
    {"id", KEY_DEVICE_ID},
    {"name", KEY_DEVICE_NAME},
    {"totalGlobalMem", KEY_DEVICE_MEMORY},
    {"computeMajor", KEY_DEVICE_MAJOR},
    {"computeMinor", KEY_DEVICE_MINOR},
    {"numSms", KEY_DEVICE_SMS},
    {"maxThreadsPerMultiprocessor", KEY_DEVICE_THREADS},
    {"regsPerMultiprocessor", KEY_DEVICE_REGISTERS},
    {"sharedMemPerMultiprocessor", KEY_DEVICE_SHARED},
    {"sharedMemPerBlockOptin", KEY_DEVICE_OPTIN},
};

static const key_name habitat_keys[] = {
    {"schema", KEY_SCHEMA},
    {"iteration_ms", KEY_ITERATION_MS},
    {"iteration_ms_all", KEY_ITERATION_MS_ALL},
    {"batch_size", KEY_BATCH},
    {"model", KEY_MODEL},
    {"framework", KEY_FRAMEWORK},
    {"command", KEY_COMMAND},
    {"recorder", KEY_RECORDER},
    {"peak_memory_bytes", KEY_PEAK_MEMORY},
    {"dropped_records", KEY_DROPPED},
};

/* Categories, of Kineto now and before PyTorch 1.12. */
static const struct {
    const char *text;
    category cat;
} categories[] = {
    {"cpu_op", CAT_OPERATION},       {"cuda_runtime", CAT_RUNTIME}, {"ac2g", CAT_UNNEEDED},
    {"kernel", CAT_KERNEL},          {"cuda_driver", CAT_DRIVER},   {"fwdbwd", CAT_FLOW},
    {"gpu_memcpy", CAT_MEMCPY},      {"gpu_memset", CAT_MEMSET},    {"user_annotation", CAT_RANGE},
    {"python_function", CAT_PYTHON}, {"Operator", CAT_OPERATION},   {"Kernel", CAT_KERNEL},
    {"Memcpy", CAT_MEMCPY},          {"Memset", CAT_MEMSET},        {"Runtime", CAT_RUNTIME},
    {"forward_backward", CAT_FLOW},
};

static category category_of(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (categories[i].text[0] == text[0] && !strncmp(categories[i].text, text, length) &&
            !categories[i].text[length])
            return categories[i].cat;
    return CAT_UNNEEDED;
}

/* Does the event's kind, as far as it is known, need no arguments? */
static bool is_unneeded(const event *e) {
    if (e->cat == CAT_UNNEEDED)
        return true;
    return e->phase && e->phase != 'X' && e->phase != 'B' && e->phase != 'E' && e->phase != 's' &&
           e->phase != 'f';
}

/* --- finished events ------------------------------------------------------------------------ */

static const char *event_name(reader *r) {
    return habitat_strings_intern(&r->b->trace->strings, r->name ? r->name : "", r->e.name_bytes);
}

static bool name_starts(const reader *r, const char *prefix) {
    size_t length = strlen(prefix);
    return r->e.name_bytes >= length && !memcmp(r->name, prefix, length);
}

static uint32_t event_thread(reader *r) {
    return trace_thread_index(r->b, r->e.pid.value, r->e.tid.value);
}

static habitat_operation_kind operation_kind(const reader *r) {
    if (name_starts(r, "nn.Module:"))
        return HABITAT_OPERATION_MODULE;
    return r->e.cat == CAT_RANGE ? HABITAT_OPERATION_RANGE : HABITAT_OPERATION_FRAMEWORK;
}

static int add_operation(reader *r) {
    event *e = &r->e;
    if (e->cat == CAT_PYTHON && !name_starts(r, "nn.Module:")) {
        r->b->trace->info.skipped_events++;
        return 1;
    }
    if (!require(r, &e->time, "ts") || (e->phase == 'X' && !require(r, &e->duration, "dur")))
        return 0;
    if (r->b->inputs->overflow)
        return bad_event(r, HABITAT_E_RANGE, "args", "holds more than 4 MiB of inputs");
    uint32_t thread = event_thread(r);
    const char *name = event_name(r);
    habitat_operation *o = thread == HABITAT_NONE ? NULL : trace_add_operation(r->b);
    habitat_trace *t = r->b->trace;
    if (!o || !name || !inputs_store(r->b->inputs, &t->arena, &t->strings, o, &r->b->has_shapes))
        return stop_memory(r);
    o->name = name;
    o->kind = operation_kind(r);
    o->start_ns = e->time.value;
    o->duration_ns = e->duration.value;
    o->thread = thread;
    o->sequence = e->sequence;
    o->kernel_count = (uint32_t)e->external.value; /* until linked: see build.h */
    o->module = e->forward_thread > UINT32_MAX ? UINT32_MAX : (uint32_t)e->forward_thread;
    if (e->phase == 'B') {
        o->duration_ns = UINT64_MAX;
        o->parent = r->b->threads[thread].open;
        r->b->threads[thread].open = (uint32_t)(t->operation_count - 1);
        r->b->open_count++;
    } else if (o->kind == HABITAT_OPERATION_RANGE && trace_name_is_iteration(name) &&
               !trace_add_range(r->b, name, o->start_ns, o->duration_ns)) {
        return stop_memory(r);
    }
    return 1;
}

/* The end of the innermost B event of its thread. */
static int end_operation(reader *r) {
    if (!require(r, &r->e.time, "ts"))
        return 0;
    uint32_t thread = event_thread(r);
    if (thread == HABITAT_NONE)
        return stop_memory(r);
    uint32_t open = r->b->threads[thread].open;
    if (open == HABITAT_NONE) {
        r->b->trace->info.skipped_events++;
        return 1;
    }
    habitat_operation *o = &r->b->trace->operations[open];
    if (r->e.time.value < o->start_ns || r->e.time.value - o->start_ns > TRACE_DURATION_LIMIT_NS)
        return bad_event(r, HABITAT_E_RANGE, "ts", "ends an event before it began");
    o->duration_ns = r->e.time.value - o->start_ns;
    r->b->threads[thread].open = o->parent;
    r->b->open_count--;
    if (o->kind == HABITAT_OPERATION_RANGE && trace_name_is_iteration(o->name) &&
        !trace_add_range(r->b, o->name, o->start_ns, o->duration_ns))
        return stop_memory(r);
    return 1;
}

/* "Memcpy HtoD (Pinned -> Device)": the second word. */
static const char *copy_kind(reader *r, bool *fine) {
    const char *space = memchr(r->name, ' ', r->e.name_bytes);
    if (!space)
        return NULL;
    const char *end = memchr(space + 1, ' ', r->e.name_bytes - (size_t)(space + 1 - r->name));
    size_t length = (size_t)((end ? end : r->name + r->e.name_bytes) - space) - 1;
    const char *text = habitat_strings_intern(&r->b->trace->strings, space + 1, length);
    *fine = text != NULL;
    return length ? text : NULL;
}

static bool take_triple(reader *r, const measured from[3], uint32_t to[3], const char *what) {
    for (int i = 0; i < 3; i++) {
        if (!allow_missing(r, &from[i], what))
            return false;
        if (from[i].value > UINT32_MAX)
            return bad_event(r, HABITAT_E_RANGE, what, "is absurdly large");
        to[i] = (uint32_t)from[i].value;
    }
    return true;
}

static bool take_small(reader *r, const measured *from, uint32_t *to, const char *what) {
    if (!allow_missing(r, from, what))
        return false;
    if (from->value > UINT32_MAX)
        return bad_event(r, HABITAT_E_RANGE, what, "is absurdly large");
    *to = (uint32_t)from->value;
    return true;
}

static int add_kernel(reader *r) {
    event *e = &r->e;
    if (!require(r, &e->time, "ts") || !require(r, &e->duration, "dur"))
        return 0;
    const char *name = event_name(r);
    habitat_kernel *k = trace_add_kernel(r->b);
    bool fine = true;
    if (!name || !k)
        return stop_memory(r);
    if (e->cat == CAT_KERNEL) {
        k->kind =
            trace_name_is_collective(name) ? HABITAT_KERNEL_COLLECTIVE : HABITAT_KERNEL_COMPUTE;
    } else {
        k->kind = e->cat == CAT_MEMCPY ? HABITAT_KERNEL_MEMCPY : HABITAT_KERNEL_MEMSET;
        if (e->cat == CAT_MEMCPY && r->name)
            k->copy_kind = copy_kind(r, &fine);
        if (!fine)
            return stop_memory(r);
        if (!allow_missing(r, &e->bytes, "bytes"))
            return 0;
        k->bytes = e->bytes.value;
    }
    k->name = name;
    k->start_ns = e->time.value;
    k->duration_ns = e->duration.value;
    /* Kineto names device and stream in the arguments, and uses them as pid and tid too */
    if (!take_small(r, e->device.state ? &e->device : &e->pid, &k->device, "device") ||
        !take_small(r, e->stream.state ? &e->stream : &e->tid, &k->stream, "stream") ||
        !take_small(r, &e->registers, &k->registers_per_thread, "registers per thread") ||
        !take_small(r, &e->shared, &k->shared_memory_bytes, "shared memory") ||
        !take_triple(r, e->grid, k->grid, "grid") || !take_triple(r, e->block, k->block, "block"))
        return 0;
    k->correlation = e->correlation.value;
    k->operation = (uint32_t)e->external.value; /* until linked: see build.h */
    k->in_graph = e->graph.value != 0;
    k->dram_bytes = e->dram_bytes;
    k->flop = e->flop;
    if (!isnan(k->dram_bytes) || !isnan(k->flop))
        r->b->trace->info.has_counters = true;
    return 1;
}

static int add_launch(reader *r) {
    event *e = &r->e;
    if (!e->correlation.value) /* launches nothing */
        return 1;
    if (!require(r, &e->time, "ts") || !require(r, &e->duration, "dur"))
        return 0;
    uint32_t thread = event_thread(r);
    trace_launch *launch = thread == HABITAT_NONE ? NULL : trace_add_launch(r->b);
    if (!launch)
        return stop_memory(r);
    *launch = (trace_launch){e->correlation.value,
                             e->time.value,
                             e->duration.value,
                             thread,
                             name_starts(r, "cudaGraphLaunch") || name_starts(r, "cuGraphLaunch") ||
                                 name_starts(r, "hipGraphLaunch"),
                             e->cat == CAT_DRIVER};
    return 1;
}

static int add_flow(reader *r) {
    event *e = &r->e;
    if (!require(r, &e->time, "ts") || !require(r, &e->id, "id"))
        return 0;
    uint32_t thread = event_thread(r);
    trace_flow *flow = thread == HABITAT_NONE ? NULL : trace_add_flow(r->b);
    if (!flow)
        return stop_memory(r);
    *flow = (trace_flow){e->id.value, e->time.value, thread, e->phase == 'f'};
    return 1;
}

static int finish_event(reader *r) {
    event *e = &r->e;
    category cat = e->cat;
    if (e->phase == 'X' && cat > CAT_UNNEEDED && cat != CAT_FLOW) {
        if (cat == CAT_KERNEL || cat == CAT_MEMCPY || cat == CAT_MEMSET)
            return add_kernel(r);
        if (cat == CAT_RUNTIME || cat == CAT_DRIVER)
            return add_launch(r);
        return add_operation(r);
    }
    if (cat == CAT_FLOW && (e->phase == 's' || e->phase == 'f'))
        return add_flow(r);
    if (e->phase == 'B' && (cat == CAT_OPERATION || cat == CAT_RANGE || cat == CAT_PYTHON))
        return add_operation(r);
    if (e->phase == 'E') /* often without a category */
        return end_operation(r);
    r->b->trace->info.skipped_events++;
    return 1;
}

static void clear_event(reader *r) {
    memset(&r->e, 0, sizeof r->e);
    r->e.sequence = -1;
    r->e.dram_bytes = r->e.flop = NAN;
    r->bad_byte = 0;
    inputs_clear(r->b->inputs);
}

/* --- values --------------------------------------------------------------------------------- */

static void measure(reader *r, measured *m, const char *text, size_t length, int scale,
                    uint64_t limit) {
    static const number_state states[] = {PRESENT, NEGATIVE, TOO_LARGE, NOT_A_NUMBER};
    m->state = states[number_scaled(text, length, scale, limit, &m->value)];
    if (m->state != PRESENT) {
        m->value = 0;
        if (!r->bad_byte)
            r->bad_byte = position(r);
    }
}

/* Ids of which a negative one means "none". */
static void measure_id(reader *r, measured *m, const char *text, size_t length) {
    if (length && *text == '-')
        *m = (measured){0, PRESENT};
    else
        measure(r, m, text, length, 0, UINT64_MAX);
}

/* Process and thread: any number, negative ones too. */
static void measure_thread(measured *m, const char *text, size_t length) {
    int64_t value;
    if (number_signed(text, length, &value) == NUMBER_OK)
        *m = (measured){(uint64_t)value, value < 0 ? NEGATIVE : PRESENT};
}

static double number_or_nan(const char *text, size_t length) {
    double value;
    return number_double(text, length, &value) == NUMBER_OK && value >= 0 ? value : NAN;
}

static void event_number(reader *r, const char *text, size_t length) {
    event *e = &r->e;
    switch (r->key) {
    case KEY_TS:
        measure(r, &e->time, text, length, 3, TRACE_TIME_LIMIT_NS);
        break;
    case KEY_DUR:
        measure(r, &e->duration, text, length, 3, TRACE_DURATION_LIMIT_NS);
        break;
    case KEY_PID:
        measure_thread(&e->pid, text, length);
        break;
    case KEY_TID:
        measure_thread(&e->tid, text, length);
        break;
    case KEY_ID:
        measure_id(r, &e->id, text, length);
        break;
    default:
        break;
    }
}

static void argument_number(reader *r, const char *text, size_t length) {
    event *e = &r->e;
    int64_t value;
    switch (r->key) {
    case KEY_EXTERNAL:
        measure_id(r, &e->external, text, length);
        break;
    case KEY_CORRELATION:
        measure_id(r, &e->correlation, text, length);
        break;
    case KEY_SEQUENCE:
        e->sequence = number_signed(text, length, &value) == NUMBER_OK && value >= 0 ? value : -1;
        break;
    case KEY_FORWARD_THREAD:
        e->forward_thread =
            number_signed(text, length, &value) == NUMBER_OK && value > 0 ? (uint64_t)value : 0;
        break;
    case KEY_DEVICE:
        measure(r, &e->device, text, length, 0, UINT64_MAX);
        break;
    case KEY_STREAM:
        measure(r, &e->stream, text, length, 0, UINT64_MAX);
        break;
    case KEY_REGISTERS:
        measure(r, &e->registers, text, length, 0, UINT64_MAX);
        break;
    case KEY_SHARED:
        measure(r, &e->shared, text, length, 0, UINT64_MAX);
        break;
    case KEY_BYTES:
        measure(r, &e->bytes, text, length, 0, UINT64_MAX);
        break;
    case KEY_GRAPH:
        measure_id(r, &e->graph, text, length);
        break;
    case KEY_DRAM:
        e->dram_bytes = number_or_nan(text, length);
        break;
    case KEY_FLOP:
        e->flop = number_or_nan(text, length);
        break;
    default:
        break;
    }
}

static uint64_t whole_or_zero(const char *text, size_t length) {
    uint64_t value = 0;
    (void)number_scaled(text, length, 0, UINT64_MAX, &value);
    return value;
}

static uint32_t small_or_zero(const char *text, size_t length) {
    uint64_t value = 0;
    (void)number_scaled(text, length, 0, UINT32_MAX, &value);
    return (uint32_t)value;
}

static void device_number(reader *r, const char *text, size_t length) {
    habitat_device_facts *d = &r->device.facts;
    switch (r->key) {
    case KEY_DEVICE_ID:
        if (number_signed(text, length, &r->device.id) != NUMBER_OK)
            r->device.id = -1;
        break;
    case KEY_DEVICE_MEMORY:
        d->memory_bytes = whole_or_zero(text, length);
        break;
    case KEY_DEVICE_MAJOR:
        r->device_major.value = small_or_zero(text, length);
        break;
    case KEY_DEVICE_MINOR:
        r->device_minor.value = small_or_zero(text, length);
        break;
    case KEY_DEVICE_SMS:
        d->sm_count = small_or_zero(text, length);
        break;
    case KEY_DEVICE_THREADS:
        d->threads_per_sm = small_or_zero(text, length);
        break;
    case KEY_DEVICE_REGISTERS:
        d->registers_per_sm = small_or_zero(text, length);
        break;
    case KEY_DEVICE_SHARED:
        d->shared_memory_per_sm_bytes = small_or_zero(text, length);
        break;
    case KEY_DEVICE_OPTIN:
        d->shared_memory_per_block_bytes = small_or_zero(text, length);
        break;
    default:
        break;
    }
}

static int bad_habitat(reader *r, const char *name) {
    return STOP(r, HABITAT_E_RANGE,
                "\"%s\" in \"habitat\" is not a time, size or count; record it again", name);
}

static int habitat_number(reader *r, const char *text, size_t length) {
    habitat_trace_info *info = &r->b->trace->info;
    double value = 0;
    uint64_t whole = 0;
    bool number = number_double(text, length, &value) == NUMBER_OK && value >= 0;
    bool counted = number_scaled(text, length, 0, UINT64_MAX, &whole) == NUMBER_OK;
    switch (r->key) {
    case KEY_SCHEMA:
        if (!counted || whole != 1)
            return STOP(r, HABITAT_E_VERSION,
                        "written by a newer habitat (schema %.*s, this one reads 1); update "
                        "habitat",
                        length > 20 ? 20 : (int)length, text);
        return 1;
    case KEY_ITERATION_MS:
        if (!number || value <= 0 || value > 1e9)
            return bad_habitat(r, "iteration_ms");
        info->iteration_ms = value;
        return 1;
    case KEY_BATCH:
        if (!counted)
            return bad_habitat(r, "batch_size");
        info->batch_size = whole;
        return 1;
    case KEY_PEAK_MEMORY:
        if (!number)
            return bad_habitat(r, "peak_memory_bytes");
        info->peak_memory_bytes = value;
        return 1;
    case KEY_DROPPED:
        if (!counted)
            return bad_habitat(r, "dropped_records");
        info->dropped_records = whole;
        return 1;
    default:
        return 1;
    }
}

static int habitat_time(reader *r, const char *text, size_t length) {
    double value;
    if (number_double(text, length, &value) != NUMBER_OK || value < 0 || value > 1e9)
        return bad_habitat(r, "iteration_ms_all");
    if (r->time_count == r->time_capacity) {
        size_t larger = r->time_capacity ? r->time_capacity * 2 : 64;
        double *grown = larger > TIMES_MAX ? NULL : realloc(r->times, larger * sizeof *grown);
        if (!grown)
            return stop_memory(r);
        r->times = grown;
        r->time_capacity = larger;
    }
    r->times[r->time_count++] = value;
    return 1;
}

/* --- callbacks ------------------------------------------------------------------------------ */

static int not_root(reader *r) {
    return STOP(r, HABITAT_E_FORMAT, "JSON, but no trace (no \"traceEvents\"); %s", not_a_trace);
}

/* A value of the wrong kind where a whole structure is expected. */
static int wrong_value(reader *r) {
    switch (r->at) {
    case AT_START:
        return not_root(r);
    case AT_ROOT:
        if (r->key == KEY_EVENTS)
            return STOP(r, HABITAT_E_FORMAT, "\"traceEvents\" is not an array; %s", not_a_trace);
        return 1;
    case AT_EVENTS:
        return STOP(r, HABITAT_E_FORMAT,
                    "event %" PRIu64 " of \"traceEvents\" is not an object; %s", r->event_count,
                    not_a_trace);
    default:
        return 1;
    }
}

static int on_number(void *context, const char *text, size_t length) {
    reader *r = context;
    r->progress = true;
    switch (r->at) {
    case AT_SKIP:
        return 1;
    case AT_LIST:
        inputs_number(r->b->inputs, text, length);
        return 1;
    case AT_EVENT:
        event_number(r, text, length);
        return 1;
    case AT_ARGS:
        argument_number(r, text, length);
        return 1;
    case AT_TRIPLE:
        if (r->triple_count < 3)
            measure(r, &r->triple[r->triple_count++], text, length, 0, UINT64_MAX);
        return 1;
    case AT_DEVICE:
        device_number(r, text, length);
        return 1;
    case AT_HABITAT:
        return habitat_number(r, text, length);
    case AT_TIMES:
        return habitat_time(r, text, length);
    default:
        return wrong_value(r);
    }
}

static int store_name(reader *r, const char *text, size_t length) {
    if (length > NAME_BYTES_MAX)
        return bad_event(r, HABITAT_E_RANGE, "name", "is longer than 1 MiB");
    if (length > r->name_capacity) {
        size_t larger = length < 1024 ? 1024 : length * 2;
        char *grown = realloc(r->name, larger);
        if (!grown)
            return stop_memory(r);
        r->name = grown;
        r->name_capacity = larger;
    }
    if (length)
        memcpy(r->name, text, length);
    r->e.name_bytes = length;
    r->e.has_name = true;
    return 1;
}

/* A process or thread with a name: a number made of it, apart from all real ones. */
static uint64_t text_id(const char *text, size_t length) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash | (uint64_t)1 << 63;
}

static int event_string(reader *r, const char *text, size_t length) {
    event *e = &r->e;
    switch (r->key) {
    case KEY_PH:
        e->phase = length == 1 ? *text : '?';
        return 1;
    case KEY_CAT:
        e->cat = category_of(length ? text : "", length);
        return 1;
    case KEY_NAME:
        return store_name(r, text, length);
    case KEY_PID:
        e->pid = (measured){text_id(text, length), NOT_A_NUMBER};
        return 1;
    case KEY_TID:
        e->tid = (measured){text_id(text, length), NOT_A_NUMBER};
        return 1;
    case KEY_ID: /* other writers use texts: any value does, the same for the same text */
        e->id = (measured){text_id(text, length), PRESENT};
        return 1;
    default: /* numbers in quotes are numbers */
        event_number(r, text, length);
        return 1;
    }
}

static const char *keep_text(reader *r, const char *text, size_t length) {
    return habitat_strings_intern(&r->b->trace->strings, text, length);
}

static int habitat_string(reader *r, const char *text, size_t length) {
    habitat_trace_info *info = &r->b->trace->info;
    const char **field = r->key == KEY_MODEL       ? &info->model
                         : r->key == KEY_FRAMEWORK ? &info->framework
                         : r->key == KEY_COMMAND   ? &info->command
                                                   : NULL;
    if (r->key == KEY_RECORDER && IS("cupti"))
        info->format = "cupti";
    if (!field)
        return r->key == KEY_RECORDER || r->key == KEY_NONE ? 1 : habitat_number(r, text, length);
    if (!length)
        return 1;
    *field = keep_text(r, text, length);
    return *field ? 1 : stop_memory(r);
}

static int on_string(void *context, const unsigned char *bytes, size_t length) {
    reader *r = context;
    const char *text = (const char *)bytes;
    r->progress = true;
    switch (r->at) {
    case AT_SKIP:
        return 1;
    case AT_LIST:
        inputs_string(r->b->inputs, bytes, length);
        return 1;
    case AT_EVENT:
        return event_string(r, text, length);
    case AT_ARGS:
        argument_number(r, text, length);
        return 1;
    case AT_DEVICE:
        if (r->key == KEY_DEVICE_NAME) {
            r->device.facts.name = keep_text(r, text, length);
            return r->device.facts.name ? 1 : stop_memory(r);
        }
        device_number(r, text, length);
        return 1;
    case AT_HABITAT:
        return habitat_string(r, text, length);
    case AT_TRIPLE:
        return on_number(context, text, length);
    case AT_TIMES:
        return bad_habitat(r, "iteration_ms_all");
    default:
        return wrong_value(r);
    }
}

/* null, true, false: of no use to any key; in lists they keep the place of an element. */
static int on_other(reader *r) {
    r->progress = true;
    if (r->at == AT_LIST)
        inputs_other(r->b->inputs);
    return r->at == AT_START || r->at == AT_EVENTS || r->at == AT_ROOT ? wrong_value(r) : 1;
}

static int on_null(void *context) {
    return on_other(context);
}

static int on_boolean(void *context, int value) {
    (void)value;
    return on_other(context);
}

static int on_key(void *context, const unsigned char *bytes, size_t length) {
    reader *r = context;
    const char *text = (const char *)bytes;
    r->progress = true;
    switch (r->at) {
    case AT_EVENT:
        r->key = event_key(text, length);
        break;
    case AT_ARGS:
        r->key = argument_key(text, length);
        break;
    case AT_ROOT:
        r->key = lookup(root_keys, sizeof root_keys / sizeof *root_keys, text, length);
        break;
    case AT_DEVICE:
        r->key = lookup(device_keys, sizeof device_keys / sizeof *device_keys, text, length);
        break;
    case AT_HABITAT:
        r->key = lookup(habitat_keys, sizeof habitat_keys / sizeof *habitat_keys, text, length);
        break;
    default:
        break;
    }
    return 1;
}

static int opened(reader *r) {
    r->progress = true;
    if (++r->open > DEPTH_MAX)
        return STOP(r, HABITAT_E_FORMAT, "brackets nested deeper than %d levels: not a trace; %s",
                    DEPTH_MAX, not_a_trace);
    return 1;
}

static int skip(reader *r) {
    r->resume = r->at;
    r->at = AT_SKIP;
    r->depth = 1;
    return 1;
}

static int on_open_map(void *context) {
    reader *r = context;
    if (!opened(r))
        return 0;
    switch (r->at) {
    case AT_SKIP:
        r->depth++;
        return 1;
    case AT_LIST: /* no list holds objects: skipped, with the place kept */
        inputs_other(r->b->inputs);
        return skip(r);
    case AT_START:
        r->at = AT_ROOT;
        return 1;
    case AT_ROOT:
        if (r->key == KEY_HABITAT)
            r->at = AT_HABITAT;
        else if (r->key == KEY_EVENTS)
            return wrong_value(r);
        else
            return skip(r);
        return 1;
    case AT_EVENTS:
        clear_event(r);
        r->at = AT_EVENT;
        r->key = KEY_NONE;
        return 1;
    case AT_EVENT:
        if (r->key != KEY_ARGS || is_unneeded(&r->e))
            return skip(r);
        r->at = AT_ARGS;
        r->key = KEY_NONE;
        return 1;
    case AT_DEVICES:
        r->device = (trace_device){.id = -1};
        r->device_major.value = r->device_minor.value = 0;
        r->at = AT_DEVICE;
        return 1;
    default:
        return skip(r);
    }
}

static int close_device(reader *r) {
    habitat_device_facts *facts = &r->device.facts;
    uint64_t capability = 10 * r->device_major.value + r->device_minor.value;
    facts->compute_capability = capability > 10000 ? 0 : (uint32_t)capability;
    trace_device *device = trace_add_device(r->b);
    if (!device)
        return stop_memory(r);
    *device = r->device;
    r->at = AT_DEVICES;
    return 1;
}

static int on_close_map(void *context) {
    reader *r = context;
    r->progress = true;
    r->open--;
    switch (r->at) {
    case AT_SKIP:
        if (--r->depth == 0)
            r->at = r->resume;
        return 1;
    case AT_ARGS:
        r->at = AT_EVENT;
        return 1;
    case AT_EVENT:
        if (!finish_event(r))
            return 0;
        r->event_count++;
        r->at = AT_EVENTS;
        return 1;
    case AT_DEVICE:
        return close_device(r);
    case AT_HABITAT:
        r->at = AT_ROOT;
        return 1;
    case AT_ROOT:
        r->at = AT_END;
        return r->seen_events ? 1 : not_root(r);
    default:
        return 1;
    }
}

static int open_argument(reader *r) {
    switch (r->key) {
    case KEY_DIMS:
        inputs_field(r->b->inputs, INPUT_DIMS);
        break;
    case KEY_TYPES:
        inputs_field(r->b->inputs, INPUT_TYPES);
        break;
    case KEY_STRIDES:
        inputs_field(r->b->inputs, INPUT_STRIDES);
        break;
    case KEY_VALUES:
        inputs_field(r->b->inputs, INPUT_VALUES);
        break;
    case KEY_GRID:
    case KEY_BLOCK:
        r->triple = r->key == KEY_GRID ? r->e.grid : r->e.block;
        r->triple_count = 0;
        r->at = AT_TRIPLE;
        return 1;
    default:
        return skip(r);
    }
    inputs_open(r->b->inputs);
    r->at = AT_LIST;
    r->depth = 1;
    return 1;
}

static int on_open_array(void *context) {
    reader *r = context;
    if (!opened(r))
        return 0;
    switch (r->at) {
    case AT_SKIP:
        r->depth++;
        return 1;
    case AT_LIST:
        r->depth++;
        inputs_open(r->b->inputs);
        return 1;
    case AT_START:
        r->in_array = r->seen_events = true;
        r->at = AT_EVENTS;
        return 1;
    case AT_ROOT:
        if (r->key == KEY_EVENTS) {
            r->seen_events = true;
            r->at = AT_EVENTS;
        } else if (r->key == KEY_DEVICES) {
            r->at = AT_DEVICES;
        } else {
            return skip(r);
        }
        return 1;
    case AT_EVENTS:
        return wrong_value(r);
    case AT_ARGS:
        return open_argument(r);
    case AT_HABITAT:
        if (r->key != KEY_ITERATION_MS_ALL)
            return skip(r);
        r->time_count = 0;
        r->at = AT_TIMES;
        return 1;
    default:
        return skip(r);
    }
}

static int on_close_array(void *context) {
    reader *r = context;
    r->progress = true;
    r->open--;
    switch (r->at) {
    case AT_SKIP:
        if (--r->depth == 0)
            r->at = r->resume;
        return 1;
    case AT_LIST:
        inputs_close(r->b->inputs);
        if (--r->depth == 0)
            r->at = AT_ARGS;
        return 1;
    case AT_TRIPLE:
        r->at = AT_ARGS;
        return 1;
    case AT_EVENTS:
        r->at = r->in_array ? AT_END : AT_ROOT;
        return 1;
    case AT_DEVICES:
        r->at = AT_ROOT;
        return 1;
    case AT_TIMES:
        r->at = AT_HABITAT;
        return 1;
    default:
        return 1;
    }
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_map_key = on_key,
    .yajl_start_map = on_open_map,
    .yajl_end_map = on_close_map,
    .yajl_start_array = on_open_array,
    .yajl_end_array = on_close_array,
};

/* --- driving -------------------------------------------------------------------------------- */

/* yajl stopped by itself: the text is not JSON. Its message's first line says why. */
static habitat_status not_json(reader *r) {
    unsigned char *text = yajl_get_error(r->yajl, 0, NULL, 0);
    char why[128] = "malformed";
    if (text) {
        const char *from = strstr((char *)text, ": ");
        size_t length = strcspn(from ? from + 2 : (char *)text, "\n");
        if (length >= sizeof why)
            length = sizeof why - 1;
        memcpy(why, from ? from + 2 : (char *)text, length);
        why[length] = '\0';
        yajl_free_error(r->yajl, text);
    }
    for (size_t end = strlen(why); end && why[end - 1] == ' ';)
        why[--end] = '\0';
    return habitat_fail_at(r->err, HABITAT_E_PARSE, r->b->trace->info.file, position(r), 0,
                           "not valid JSON here (%s); copy or record it again", why);
}

static habitat_status cut_off(reader *r, uint64_t bytes) {
    if (r->at == AT_START)
        return habitat_fail_at(r->err, HABITAT_E_FORMAT, r->b->trace->info.file, bytes, 0,
                               "the file is empty; %s", not_a_trace);
    if (r->at == AT_EVENTS || r->open > 2)
        return habitat_fail_at(r->err, HABITAT_E_PARSE, r->b->trace->info.file, bytes, 0,
                               "cut off after %" PRIu64 " events; copy or record it again",
                               r->event_count);
    return habitat_fail_at(r->err, HABITAT_E_PARSE, r->b->trace->info.file, bytes, 0,
                           "cut off in the middle; copy or record it again");
}

static habitat_status feed(reader *r, const unsigned char *data, size_t size) {
    r->progress = false;
    yajl_status status = yajl_parse(r->yajl, data, size);
    if (status == yajl_status_client_canceled)
        return r->status;
    return status == yajl_status_ok ? HABITAT_OK : not_json(r);
}

static habitat_status feed_all(reader *r, trace_source *source) {
    uint64_t idle_since = 0;
    for (;;) {
        const unsigned char *data;
        size_t size;
        habitat_status status = source_next(source, &data, &size, r->err);
        if (status != HABITAT_OK || size == 0)
            return status;
        size_t mark = r->piece_start == 0 && size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3) ? 3 : 0;
        r->piece_start += mark;
        status = feed(r, data + mark, size - mark);
        if (status != HABITAT_OK)
            return status;
        r->piece_start += size - mark;
        if (r->progress)
            idle_since = r->piece_start;
        else if (r->piece_start - idle_since > TOKEN_BYTES_MAX)
            return habitat_fail_at(r->err, HABITAT_E_RANGE, r->b->trace->info.file, idle_since, 0,
                                   "a string or blank of more than 16 MiB; %s", not_a_trace);
    }
}

static habitat_status complete(reader *r) {
    if (r->at == AT_END)
        return HABITAT_OK;
    yajl_status status = yajl_complete_parse(r->yajl);
    if (status == yajl_status_client_canceled)
        return r->status;
    return cut_off(r, r->piece_start);
}

habitat_status events_read(trace_builder *builder, trace_source *source, habitat_error *err) {
    reader r = {.b = builder, .err = err, .at = AT_START};
    r.yajl = yajl_alloc(&callbacks, NULL, &r);
    if (!r.yajl)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    yajl_config(r.yajl, yajl_dont_validate_strings, 1); /* names are shown, never interpreted */
    habitat_status status = feed_all(&r, source);
    if (status == HABITAT_OK)
        status = complete(&r);
    if (status == HABITAT_OK) {
        habitat_trace_info *info = &builder->trace->info;
        info->json_bytes = r.piece_start;
        if (r.time_count) {
            info->iteration_ms_all = builder->trace->iteration_ms_all = r.times;
            info->iteration_ms_count = r.time_count;
            r.times = NULL;
        }
    }
    free(r.times);
    free(r.name);
    yajl_free(r.yajl);
    return status;
}
