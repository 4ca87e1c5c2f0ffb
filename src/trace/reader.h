/* The Chrome-trace reader's inside: what is known of the file while its tokens go by.
 *
 * Parts: event_keys.c (which keys matter), event_values.c (their values into the event record),
 * habitat_values.c (what is noted of all), event_kinds.c (values of a wrong kind), event_store.c
 * (finished events into the builder), events.c (structure: yajl's callbacks), scan.c (the fast way
 * through ordinary events), feed.c (driving both). */
#ifndef HABITAT_TRACE_READER_H
#define HABITAT_TRACE_READER_H

#include <string.h>

#include "base/json.h"

#include "base/error.h"
#include "trace/build.h"
#include "trace/inputs.h"
#include "trace/source.h"

enum {
    DEPTH_MAX = 512,
    NAME_BYTES_MAX = 1 << 20,
    TOKEN_BYTES_MAX = 1 << 24, /* longest string or blank */
    TIMES_MAX = 1 << 20,
    TIME_GROUPS = 8, /* the recorder has three */
    RANKS_MAX = 1 << 30,
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
    AT_HABITAT,     /* "habitat": {...} */
    AT_TIMES,       /* "iteration_ms_all": [...], and other lists of numbers */
    AT_MEMORY,      /* "memory": {...} of "habitat" */
    AT_FORMATS,     /* "parameter_sizes": {"float32": [...], ...} */
    AT_SIZES,       /* one of its lists */
    AT_DISTRIBUTED, /* "distributedInfo": {...} */
    AT_SKIP,
    AT_END,
} place;

typedef enum key {
    KEY_NONE = 0,
    /* root */
    KEY_EVENTS,
    KEY_DEVICES,
    KEY_HABITAT,
    KEY_PREDICTION,
    KEY_DISTRIBUTED,
    KEY_BASE_TIME,
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
    KEY_RESIDENT,
    KEY_OCCUPANCY,
    KEY_LIMITED,
    KEY_GRID,
    KEY_BLOCK,
    KEY_BYTES,
    KEY_GRAPH,
    KEY_DRAM,
    KEY_FLOP,
    KEY_NVTX,
    KEY_DIMS,
    KEY_TYPES,
    KEY_STRIDES,
    KEY_VALUES,
    KEY_COPY,
    KEY_COLLECTIVE,
    KEY_ELEMENTS_IN,
    KEY_ELEMENTS_OUT,
    KEY_ELEMENT_TYPE,
    KEY_GROUP_SIZE,
    KEY_WAIT_STREAM,
    KEY_WAIT_RECORD,
    KEY_WAIT_EVENT,
    KEY_ALLOCATED,
    KEY_RESERVED,
    KEY_MEMORY_BYTES,
    KEY_MEMORY_DEVICE,
    KEY_MEMORY_KIND,
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
    KEY_ITERATION_GROUPS,
    KEY_ITERATION_SPREAD,
    KEY_CPU_MS,
    KEY_CPU_PARTS,
    KEY_CPU_GRADIENTS,
    KEY_CPU_DATA,
    KEY_PASSES_MOMENTS,
    KEY_STEPS_MOMENTS,
    KEY_WEIGHTS_IN_PARTS,
    KEY_BATCH,
    KEY_MODEL,
    KEY_FRAMEWORK,
    KEY_COMMAND,
    KEY_CUDA_VERSION,
    KEY_HIP_VERSION,
    KEY_CUDNN_VERSION,
    KEY_DRIVER_VERSION,
    KEY_RECORDER,
    KEY_NOTED_GPU,
    KEY_PEAK_MEMORY,
    KEY_PEAK_RESERVED,
    KEY_DROPPED,
    KEY_WITHOUT_GPU,
    KEY_MATMUL_TF32,
    KEY_CONVOLUTION_TF32,
    KEY_CUDNN_BENCHMARK,
    KEY_AUTOCAST,
    KEY_PARAMETER_DTYPE,
    KEY_MEMORY,
    /* of "habitat" and of "distributedInfo" */
    KEY_RANK,
    KEY_WORLD_SIZE,
    /* its memory */
    KEY_PARAMETERS,
    KEY_BUFFERS,
    KEY_GRADIENTS,
    KEY_OPTIMIZER,
    KEY_BETWEEN,
    KEY_SIZES,
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
    CAT_WAIT,
    CAT_FLOW,
    CAT_INSTANT, /* of the CPU: `[memory]` events among them */
} category;

/* Numbers of an event that are missing or out of range are noticed when it turns out to matter. */
typedef enum number_state {
    MISSING = 0,
    PRESENT,
    NEGATIVE,
    TOO_LARGE,
    NOT_A_NUMBER,
    NOT_WHOLE,
} number_state;

typedef struct measured {
    uint64_t value;
    number_state state;
} measured;

/* "grid" and "block". */
typedef struct triple {
    measured sides[3];
    uint32_t count; /* elements of the list; 3 or it is none */
    bool given;
} triple;

/* The bit of a key of the event itself, KEY_PH to KEY_ARGS. */
#define WRONG(key) (1u << ((key)-KEY_PH))

typedef struct event {
    char phase; /* 0: none */
    category cat;
    size_t name_bytes;
    bool has_name;
    bool nvtx; /* a range that our CUDA recorder wrote as an operation */
    measured time, duration, pid, tid, id;
    measured external, correlation, device, stream, registers, shared, bytes, graph;
    triple grid, block;
    measured wait_stream, wait_record, wait_event; /* of a synchronisation */
    measured allocated, reserved;                  /* of a `[memory]` event: totals after it */
    int64_t allocation_bytes, memory_device, memory_kind;
    measured sequence, forward_thread;
    unsigned wrong; /* WRONG() of the keys whose value is of another kind */
    double dram_bytes, flop;
    habitat_host_memory host_memory; /* of a copy, in a recording without a GPU */
    habitat_collective collective;
    measured elements_in, elements_out, group_size; /* of a collective */
    uint32_t element_bytes;
    uint32_t resident_blocks, occupancy_percent, limited_by; /* of a kernel; 0 unknown */
    number_state dram_state, flop_state;
} event;

typedef struct reader {
    trace_builder *b;
    json_parser json;
    habitat_error *err;
    habitat_status status;
    uint64_t piece_start; /* offset of the piece that yajl has */
    bool progress;        /* a token came out of this piece */
    place at, resume;     /* resume: where skipping or a list goes back to */
    key key;
    uint32_t depth, list_depth; /* of brackets inside AT_SKIP; inside AT_LIST, which may skip */
    uint32_t open;              /* brackets in all */
    bool in_array;              /* the file is a bare array of events */
    bool seen_events;
    bool seen_devices, seen_habitat;
    bool after_event; /* the last token closed an event */
    bool slow_only;
    uint64_t idle_since; /* where the last token ended */
    uint64_t event_count;
    uint64_t bad_byte; /* where the first bad number of this event stands; 0 = none */
    event e;
    char *name;
    size_t name_capacity;
    triple *triple;
    uint64_t list_byte; /* where the list of inputs that was read last begins */
    trace_device device;
    measured device_id, device_major, device_minor;
    double *times;
    size_t time_count, time_capacity;
    double groups[TIME_GROUPS]; /* times in each of them */
    size_t group_count;
    size_t moment_numbers; /* of the list that is read */
    habitat_parameter *parameters;
    size_t parameter_count, parameter_capacity;
    habitat_dtype parameter_dtype; /* of the list that is read */
    uint64_t memory_from_ns;       /* start of the first `[memory]` event */
    double memory_first_bytes;     /* given out before it */
    double memory_peak_bytes, memory_reserved_bytes;
} reader;

/* reading.c. Failing: each returns 0, which makes a yajl callback stop. */

extern const char reader_advice[]; /* how to get a proper trace */

uint64_t reader_position(const reader *r);
int reader_stop_memory(reader *r);
int reader_bad_event(reader *r, habitat_status code, const char *what, const char *problem);
int reader_bad_habitat(reader *r, const char *name);

/* The stored name of the event, "" without one, and any text; NULL when out of memory. */
const char *event_name(reader *r);
const char *reader_keep_text(reader *r, const char *text, size_t length);

/* pairs.c: the event of the reader, a B of which the E is to come (index: of what it became), or
 * an E. 0: stopped; thread may be HABITAT_NONE (no memory). */
int pair_begin(reader *r, uint32_t thread, trace_open_kind kind, size_t index);
int pair_end(reader *r, uint32_t thread);

#define STOP_AT(r, code, byte, ...)                                                                \
    ((r)->status =                                                                                 \
         habitat_fail_at((r)->err, (code), (r)->b->trace->info.file, (byte), 0, __VA_ARGS__),      \
     0)
#define STOP(r, code, ...) STOP_AT(r, code, reader_position(r), __VA_ARGS__)

/* Is the text of `length` this literal? For functions with parameters of these names. */
#define IS(literal) (length == sizeof(literal) - 1 && !memcmp(text, literal, sizeof(literal) - 1))

/* event_keys.c */
key key_of_root(const char *text, size_t length);
key key_of_event(const char *text, size_t length);
key key_of_argument(const char *text, size_t length);
key key_of_device(const char *text, size_t length);
key key_of_habitat(const char *text, size_t length);

/* What a value is; null is nobody's. */
typedef enum value_kind {
    VALUE_ANY = 0, /* nobody minds */
    VALUE_NUMBER,
    VALUE_TEXT,
    VALUE_BOOLEAN,
    VALUE_OBJECT,
    VALUE_NUMBERS, /* a list of them */
} value_kind;

typedef struct known_key {
    const char *text;
    key key;
    value_kind kind;
} known_key;

/* A key of "habitat", of what is in it or of a GPU's properties, "habitat" itself among them; NULL
 * of others. */
const known_key *known_key_of(place at, key key);
key key_of_distributed(const char *text, size_t length);
key key_of_memory(const char *text, size_t length);
category event_category(const char *text, size_t length);

/* What Kineto calls collectives and the elements of their messages; 0 (UNKNOWN) for other words. */
habitat_collective collective_of_name(const char *text, size_t length);
uint32_t element_bytes_of_type(const char *text, size_t length);

/* Does the event's kind, as far as it is known, need no arguments? */
bool event_is_unneeded(const event *e);

/* event_values.c: the value of r->key. */
void reader_event_number(reader *r, const char *text, size_t length);
int reader_event_string(reader *r, const char *text, size_t length);
void reader_argument_number(reader *r, const char *text, size_t length);
void reader_argument_string(reader *r, const char *text, size_t length);
/* The value of r->key is not of the kind that is due. */
int reader_wrong_kind(reader *r, const known_key *due);
int reader_device_number(reader *r, const char *text, size_t length);
int reader_base_time(reader *r, const char *text, size_t length);
/* A number of `sides`. */
void reader_add_side(reader *r, triple *sides, const char *text, size_t length);

/* habitat_values.c: the value of r->key. */
int reader_habitat_number(reader *r, const char *text, size_t length);
void reader_distributed_number(reader *r, const char *text, size_t length);
int reader_habitat_string(reader *r, const char *text, size_t length);
void reader_habitat_boolean(reader *r, bool value);
int reader_habitat_time(reader *r, const char *text, size_t length);

/* A list of numbers in "habitat" begins; 0: none that is read. */
int reader_open_numbers(reader *r);

/* A number format as PyTorch names it; UNKNOWN for any other word. */
habitat_dtype reader_format(const char *text, size_t length);

/* event_kinds.c: the value of r->key is of a kind that no event has there. */
void reader_wrong_value(reader *r);

/* memory.c: the "memory" object. */
int reader_memory_number(reader *r, const char *text, size_t length);
int reader_parameter_number(reader *r, const char *text, size_t length);
/* Behind the last event: what the events say where the object does not. */
habitat_status reader_finish_memory(reader *r);

/* event_store.c */
void reader_clear_event(reader *r);
int reader_finish_event(reader *r);

/* events.c */
extern const yajl_callbacks reader_callbacks;

/* scan.c: read ordinary events, each behind a comma, from text that ends with a zero byte. Returns
 * where it stopped: behind an event, or at `text`. *more is set if it was for the end of the text.
 */
const unsigned char *scan_events(reader *r, const unsigned char *text, const unsigned char *end,
                                 bool *more);

#endif
