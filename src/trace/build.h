/* Building a trace: readers add events, finish.h sorts and links them.
 *
 * Operations and kernels are kept in their public structures from the start and sorted in place.
 * While building, some of their fields hold what linking needs; the comments below say which. */
#ifndef HABITAT_TRACE_BUILD_H
#define HABITAT_TRACE_BUILD_H

#include "base/table.h"
#include "trace/trace.h"

#define TRACE_DURATION_LIMIT_NS ((uint64_t)1 << 53) /* 104 days: longer is absurd */
#define TRACE_BYTES_LIMIT       ((uint64_t)1 << 50) /* of one copy, and of a GPU's memory */
#define TRACE_BATCH_LIMIT       ((uint64_t)1 << 40) /* samples in one iteration */
#define TRACE_TIME_LIMIT_NS     ((uint64_t)INT64_MAX)

/* What the profiler noted of an event or a synchronisation, beside the call itself. Numbers are
 * HABITAT_NONE and ids 0 where it did not. */
typedef struct trace_wait {
    uint64_t correlation; /* of the call */
    uint64_t time_ns;     /* when it waited; UINT64_MAX unknown */
    uint32_t device, stream, event;
    uint32_t on_stream; /* the stream that the event was put into */
    uint64_t record;    /* correlation of the call that put it there */
    uint64_t pair;      /* the same number for that call and all that wait for it */
    bool records;       /* it is that call */
} trace_wait;

/* What the profiler noted of the autograd node that an operation makes or runs. While a trace is
 * built it is kept where `forward` and `iteration` will be: 0 for none, else the sequence number
 * plus 1, and below it a bit for `backward`. The largest number, 2^63 - 1, counts as none. */
typedef struct trace_node {
    bool numbered;
    bool backward; /* the operation runs the node: it names the thread that made it */
    uint64_t sequence;
} trace_node;

static inline trace_node trace_get_node(const habitat_operation *o) {
    uint64_t packed = (uint64_t)o->forward << 32 | o->iteration;
    if (packed >> 1 == 0)
        return (trace_node){0};
    return (trace_node){true, packed & 1, (packed >> 1) - 1};
}

static inline void trace_set_node(habitat_operation *o, trace_node node) {
    uint64_t packed = node.numbered ? (node.sequence + 1) << 1 | node.backward : 0;
    o->forward = (uint32_t)(packed >> 32);
    o->iteration = (uint32_t)packed;
}

/* The correlation of a kernel. While a trace is built it is kept where `iteration` and `call` will
 * be; afterwards it is the call's. */
static inline uint64_t trace_get_correlation(const habitat_kernel *k) {
    return (uint64_t)k->iteration << 32 | k->call;
}

static inline void trace_set_correlation(habitat_kernel *k, uint64_t correlation) {
    k->iteration = (uint32_t)(correlation >> 32);
    k->call = (uint32_t)correlation;
}

/* Room for one more element in an array that grows by half; zeroed. NULL when out of memory. */
void *trace_add(void **array, size_t *count, size_t *capacity, size_t element_bytes);

/* Kinds of names met before, by where the name is stored. */
enum { CALL_NAMES = 64 };
typedef struct trace_call_name {
    const char *name;
    habitat_call_kind kind;
} trace_call_name;

/* Whether kernels of names met before are collectives. */
enum { KERNEL_NAMES = 256 };
typedef struct trace_kernel_name {
    const char *name;
    bool collective;
} trace_kernel_name;

/* One end of an arrow from a forward to a backward operation. */
typedef struct trace_flow {
    uint64_t id;
    uint64_t time_ns;
    uint32_t thread;
    bool finish;
} trace_flow;

typedef struct trace_range {
    uint64_t start_ns;
    uint64_t end_ns;
    uint8_t rank; /* only those of the highest rank count */
} trace_range;

/* A CPU thread: numbers as recorded (or hashes of their names), and the innermost open B event. */
typedef struct trace_thread {
    uint64_t process, thread;
    uint32_t open; /* in `opens` */
} trace_thread;

typedef enum trace_open_kind {
    OPEN_SKIPPED, /* an event that nobody needs: its E is not another one's */
    OPEN_OPERATION,
    OPEN_KERNEL,
    OPEN_CALL,
} trace_open_kind;

/* A B event of which the E is still to come. */
typedef struct trace_open {
    const char *name; /* in the trace's strings */
    uint64_t start_ns;
    uint32_t index;  /* among operations, kernels or calls */
    uint32_t around; /* the one around it, of its thread; of a free place the next free one */
    trace_open_kind kind;
} trace_open;

typedef struct trace_device {
    int64_t id;
    habitat_device_facts facts;
} trace_device;

typedef struct trace_builder {
    habitat_trace *trace;
    habitat_read_options options;
    trace_wait *waits;
    size_t wait_count, wait_capacity;
    trace_call_name call_names[CALL_NAMES];
    trace_kernel_name kernel_names[KERNEL_NAMES];
    trace_flow *flows;
    size_t flow_count, flow_capacity;
    trace_range *ranges; /* iterations */
    size_t range_count, range_capacity;
    trace_range *steps; /* where ranges were asked for: what the trace itself marks */
    size_t step_count, step_capacity;
    trace_thread *threads;
    size_t thread_count, thread_capacity;
    habitat_table thread_table;
    uint32_t last_thread;
    trace_device *devices;
    size_t device_count, device_capacity;
    uint64_t base_time_ns; /* what the file's times are counted from, since 1970; 0 unknown */
    trace_open *opens;     /* B events without their E so far, and places for others */
    size_t open_total, open_capacity;
    uint32_t open_free; /* the first place that is free, or HABITAT_NONE */
    bool has_shapes;
    struct input_lists *inputs;
    uint64_t correlation_bits; /* those that were recorded; the reader uses the others to tell
                                  processes apart. 0: all */
} trace_builder;

/* Start a trace. False when out of memory. */
bool trace_begin(trace_builder *builder, const char *name);

/* The one copy of a form; NULL when out of memory. */
const void *trace_store_form(habitat_trace *trace, const void *form, size_t size_bytes);

/* A form to fill: zeroed to its last byte, so that equal ones are found by their bytes; the name
 * "", counters NaN. */
void trace_begin_op_form(habitat_op_form *form);
void trace_begin_kernel_form(habitat_kernel_form *form);

/* Room for one more; zeroed, index fields NONE; the form is stored. NULL when out of memory. */
habitat_operation *trace_add_operation(trace_builder *builder, const habitat_op_form *form);
habitat_kernel *trace_add_kernel(trace_builder *builder, const habitat_kernel_form *form);
/* The kind follows from the name, which is stored; device and stream from what it launches. */
habitat_call *trace_add_call(trace_builder *builder, const char *name, uint32_t thread,
                             bool driver);
trace_wait *trace_add_wait(trace_builder *builder);
trace_flow *trace_add_flow(trace_builder *builder);
trace_device *trace_add_device(trace_builder *builder);

/* Note a range of the user, if it is that of an iteration. False when out of memory. */
bool trace_add_range(trace_builder *builder, const char *name, uint64_t start_ns,
                     uint64_t duration_ns);

/* Index of a thread, added when new; HABITAT_NONE when out of memory. */
uint32_t trace_thread_index(trace_builder *builder, uint64_t process, uint64_t thread);

/* Kind of a GPU activity, from its name. */
bool trace_name_is_collective(trace_builder *builder, const char *name);

/* The first size of a kernel that no GPU could launch, in words ("grid"), or NULL. */
const char *trace_absurd_size(const habitat_kernel_form *form);

/* Free what only linking forward operations, and calls, needs. */
void trace_drop_flows(trace_builder *builder);
void trace_drop_waits(trace_builder *builder);

/* Free everything. */
void trace_discard(trace_builder *builder);

#endif
