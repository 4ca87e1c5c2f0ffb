/* Nsight Systems' SQLite export (`nsys export --type sqlite`) into a trace.
 *
 * Tables are made by `nsys` only when there is something in them, and their columns come and go
 * with its versions: every query asks for the columns that exist and takes the rest as unknown.
 * Format: "SQLite Export Schema Reference" in the Nsight Systems documentation. */
#include <string.h>

#include "base/error.h"
#include "base/list.h"
#include "trace/readers.h"

#ifdef HABITAT_HAVE_SQLITE

#include <inttypes.h>
#include <stdlib.h>

#include "trace/nsys.h"

enum {
    ACTIVITY_TABLES = 4, /* the first ones of read_tables() */
    NVTX_PUSH_POP = 59,
    NVTX_START_END = 60,
};

/* --- tables --------------------------------------------------------------------------------- */

static const char *const text_columns[] = {"id", "value"};

static habitat_status read_text(nsys_row *r) {
    nsys *n = r->n;
    bool fine;
    if (sqlite3_column_type(r->statement, 1) != SQLITE_TEXT)
        return HABITAT_OK;
    nsys_text *texts =
        list_grow(n->texts, n->text_count, &n->text_capacity, 256, SIZE_MAX, sizeof *texts);
    if (!texts)
        return nsys_no_memory(n);
    n->texts = texts;
    const char *text = nsys_take_text(r, 1, &fine);
    if (!text)
        return nsys_no_memory(n);
    n->texts[n->text_count++] = (nsys_text){sqlite3_column_int64(r->statement, 0), text};
    return HABITAT_OK;
}

static int by_id(const void *a, const void *b) {
    const nsys_text *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return strcmp(x->text, y->text);
}

static habitat_status read_texts(nsys *n) {
    habitat_status status = READ_TABLE(n, "StringIds", text_columns, 2, read_text);
    if (n->text_count)
        qsort(n->texts, n->text_count, sizeof *n->texts, by_id);
    return status;
}

#define ACTIVITY "start", "end", "deviceId", "streamId", "correlationId", "globalPid"

static const char *const kernel_columns[] = {
    ACTIVITY,
    "demangledName",
    "shortName",
    "registersPerThread",
    "staticSharedMemory",
    "dynamicSharedMemory",
    "gridX",
    "gridY",
    "gridZ",
    "blockX",
    "blockY",
    "blockZ",
    "graphNodeId",
};
static const char *const copy_columns[] = {ACTIVITY, "bytes", "copyKind", "graphNodeId"};
static const char *const set_columns[] = {ACTIVITY, "bytes", "graphNodeId"};
static const char *const graph_columns[] = {ACTIVITY, "graphId"};

/* What all activities on the GPU share. */
typedef struct activity {
    habitat_kernel_form form;
    uint64_t start_ns, duration_ns, correlation;
    bool open; /* it never ended: left out */
    bool in_graph;
} activity;

static habitat_status take_activity(nsys_row *r, habitat_kernel_kind kind, activity *out) {
    uint64_t correlation, process;
    trace_begin_kernel_form(&out->form);
    out->duration_ns = 0;
    if (!nsys_take_interval(r, &out->start_ns, &out->duration_ns, &out->open) ||
        !nsys_take_small(r, 2, &out->form.device) || !nsys_take_small(r, 3, &out->form.stream) ||
        !nsys_take(r, 4, UINT64_MAX, &correlation) || !nsys_take(r, 5, UINT64_MAX, &process))
        return r->n->err->code;
    out->form.kind = kind;
    out->correlation = nsys_correlation(r->n, process, correlation);
    return HABITAT_OK;
}

static habitat_status add_activity(nsys_row *r, const activity *a) {
    habitat_kernel *k = trace_add_kernel(r->n->b, &a->form);
    if (!k)
        return nsys_no_memory(r->n);
    k->start_ns = a->start_ns;
    k->duration_ns = a->duration_ns;
    trace_set_correlation(k, a->correlation);
    k->in_graph = a->in_graph;
    return HABITAT_OK;
}

/* take_rest: name and what else a kind of activity has, from a row that ended. */
static habitat_status read_activity(nsys_row *r, habitat_kernel_kind kind,
                                    habitat_status (*take_rest)(nsys_row *r, activity *a)) {
    activity a;
    habitat_status status = take_activity(r, kind, &a);
    if (status == HABITAT_OK && a.open) {
        r->n->b->trace->info.trace_skipped_events++;
        return HABITAT_OK;
    }
    if (status == HABITAT_OK)
        status = take_rest(r, &a);
    return status == HABITAT_OK ? add_activity(r, &a) : status;
}

/* Blocks, threads, registers and shared memory. */
static habitat_status take_sizes(nsys_row *r, habitat_kernel_form *k) {
    uint32_t fixed, dynamic;
    if (!nsys_take_small(r, 8, &k->registers_per_thread) || !nsys_take_small(r, 9, &fixed) ||
        !nsys_take_small(r, 10, &dynamic))
        return r->n->err->code;
    for (int i = 0; i < 3; i++)
        if (!nsys_take_small(r, 11 + i, &k->grid[i]) || !nsys_take_small(r, 14 + i, &k->block[i]))
            return r->n->err->code;
    k->shared_memory_bytes = fixed > UINT32_MAX - dynamic ? UINT32_MAX : fixed + dynamic;
    const char *absurd = trace_absurd_size(k);
    if (absurd)
        return habitat_fail_at(r->n->err, HABITAT_E_RANGE, r->n->path, UINT64_MAX, 0,
                               "table %s, row %" PRIu64 ": the kernel's %s is absurdly large; "
                               "export it again",
                               r->table, r->number, absurd);
    return HABITAT_OK;
}

static habitat_status take_kernel(nsys_row *r, activity *a) {
    bool fine;
    habitat_status status = take_sizes(r, &a->form);
    if (status != HABITAT_OK)
        return status;
    const char *name = nsys_take_text(r, 6, &fine);
    if (!name && fine)
        name = nsys_take_text(r, 7, &fine);
    if (!fine)
        return nsys_no_memory(r->n);
    a->form.name = name ? name : "unnamed kernel";
    if (trace_name_is_collective(r->n->b, a->form.name))
        a->form.kind = HABITAT_KERNEL_COLLECTIVE;
    a->in_graph = sqlite3_column_int64(r->statement, 17) != 0;
    return HABITAT_OK;
}

static habitat_status read_kernel(nsys_row *r) {
    return read_activity(r, HABITAT_KERNEL_COMPUTE, take_kernel);
}

/* CUPTI's CUpti_ActivityMemcpyKind. */
static const char *const copy_kinds[] = {NULL,   "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                         "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};

static habitat_status take_copy(nsys_row *r, activity *a) {
    uint64_t kind;
    if (!nsys_take(r, 6, TRACE_BYTES_LIMIT, &a->form.bytes) || !nsys_take(r, 7, UINT64_MAX, &kind))
        return r->n->err->code;
    if (kind < sizeof copy_kinds / sizeof *copy_kinds)
        a->form.copy_kind = copy_kinds[kind];
    a->form.name = "Memcpy";
    a->in_graph = sqlite3_column_int64(r->statement, 8) != 0;
    return HABITAT_OK;
}

static habitat_status read_copy(nsys_row *r) {
    return read_activity(r, HABITAT_KERNEL_MEMCPY, take_copy);
}

static habitat_status take_set(nsys_row *r, activity *a) {
    if (!nsys_take(r, 6, TRACE_BYTES_LIMIT, &a->form.bytes))
        return r->n->err->code;
    a->form.name = "Memset";
    a->in_graph = sqlite3_column_int64(r->statement, 7) != 0;
    return HABITAT_OK;
}

static habitat_status read_set(nsys_row *r) {
    return read_activity(r, HABITAT_KERNEL_MEMSET, take_set);
}

/* With --cuda-graph-trace=graph, nsys' default, a CUDA graph is one activity without kernels. */
static habitat_status take_graph(nsys_row *r, activity *a) {
    (void)r;
    a->form.name = "CUDA graph (its kernels were not traced)";
    a->in_graph = true;
    return HABITAT_OK;
}

static habitat_status read_graph(nsys_row *r) {
    return read_activity(r, HABITAT_KERNEL_COMPUTE, take_graph);
}

/* Times count from where a report begins. What a CPU began before it (--capture-range begins in the
 * middle of a program) is not wholly in it, and is left out. */
static bool began_before(const nsys_row *r) {
    bool before = sqlite3_column_type(r->statement, 0) == SQLITE_INTEGER &&
                  sqlite3_column_int64(r->statement, 0) < 0;
    r->n->b->trace->info.trace_skipped_events += before;
    return before;
}

static const char *const call_columns[] = {"start",         "end",    "globalTid",
                                           "correlationId", "nameId", "eventClass"};

static habitat_status read_call(nsys_row *r) {
    nsys *n = r->n;
    uint64_t start, duration = 0, thread, correlation;
    bool open, fine;
    if (began_before(r))
        return HABITAT_OK;
    if (!nsys_take_interval(r, &start, &duration, &open) || !nsys_take(r, 2, UINT64_MAX, &thread) ||
        !nsys_take(r, 3, UINT64_MAX, &correlation))
        return n->err->code;
    if (open)
        return HABITAT_OK;
    const char *name = nsys_take_text(r, 4, &fine);
    if (!name && fine)
        name = "";
    uint32_t index = trace_thread_index(n->b, nsys_process(thread), thread & 0xffffff);
    bool driver = name && !strncmp(name, "cu", 2) && strncmp(name, "cuda", 4) != 0;
    habitat_call *call =
        index == HABITAT_NONE || !fine ? NULL : trace_add_call(n->b, name, index, driver);
    if (!call)
        return nsys_no_memory(n);
    call->start_ns = start;
    call->duration_ns = duration;
    call->correlation = nsys_correlation(n, thread, correlation);
    return HABITAT_OK;
}

static const char *const wait_columns[] = {"correlationId", "globalPid", "deviceId",
                                           "streamId",      "eventId",   "eventSyncId"};

/* A number that may be missing; CUPTI writes -1 for that, in 32 bits. */
static uint32_t number_or_none(nsys_row *r, int column) {
    int64_t value = sqlite3_column_int64(r->statement, column);
    bool there = sqlite3_column_type(r->statement, column) == SQLITE_INTEGER && value >= 0 &&
                 value < HABITAT_NONE;
    return there ? (uint32_t)value : HABITAT_NONE;
}

/* A call that puts an event into a stream, or one that waits. Nothing here is needed to read the
 * rest, so numbers that make no sense are none. An event that is put and waited for several times
 * has another number (eventSyncId) each time. */
static habitat_status add_wait(nsys_row *r, bool records) {
    nsys *n = r->n;
    uint32_t correlation = number_or_none(r, 0), pair = number_or_none(r, 5);
    uint64_t process = (uint64_t)sqlite3_column_int64(r->statement, 1);
    if (!correlation || correlation == HABITAT_NONE) {
        n->b->trace->info.trace_skipped_events++;
        return HABITAT_OK;
    }
    trace_wait *wait = trace_add_wait(n->b);
    if (!wait)
        return nsys_no_memory(n);
    wait->correlation = nsys_correlation(n, process, correlation);
    wait->device = number_or_none(r, 2);
    wait->stream = number_or_none(r, 3);
    wait->event = number_or_none(r, 4);
    wait->pair = nsys_correlation(n, process, pair == HABITAT_NONE ? 0 : pair);
    wait->records = records;
    return HABITAT_OK;
}

static habitat_status read_wait(nsys_row *r) {
    return add_wait(r, false);
}

static habitat_status read_record(nsys_row *r) {
    return add_wait(r, true);
}

static const char *const range_columns[] = {"start", "end",    "globalTid",
                                            "text",  "textId", "eventType"};

static habitat_status read_range(nsys_row *r) {
    nsys *n = r->n;
    habitat_trace *t = n->b->trace;
    uint64_t start, duration = 0, thread;
    bool open, fine;
    int64_t type = sqlite3_column_int64(r->statement, 5);
    bool typed = sqlite3_column_type(r->statement, 5) != SQLITE_NULL;
    if (began_before(r))
        return HABITAT_OK;
    if (!nsys_take_interval(r, &start, &duration, &open) || !nsys_take(r, 2, UINT64_MAX, &thread))
        return n->err->code;
    if (open || (typed && type != NVTX_PUSH_POP && type != NVTX_START_END)) {
        t->info.trace_skipped_events++; /* marks, domains, and ranges that never ended */
        return HABITAT_OK;
    }
    const char *name = nsys_take_text(r, 3, &fine);
    if (!name && fine)
        name = nsys_take_text(r, 4, &fine);
    uint32_t index = trace_thread_index(n->b, nsys_process(thread), thread & 0xffffff);
    habitat_op_form form;
    trace_begin_op_form(&form);
    form.name = name ? name : "unnamed range";
    form.kind =
        strncmp(form.name, "nn.Module:", 10) ? HABITAT_OPERATION_RANGE : HABITAT_OPERATION_MODULE;
    form.thread = index;
    habitat_operation *o = index == HABITAT_NONE || !fine ? NULL : trace_add_operation(n->b, &form);
    if (!o)
        return nsys_no_memory(n);
    o->start_ns = start;
    o->duration_ns = duration;
    if (!trace_add_range(n->b, form.name, start, duration))
        return nsys_no_memory(n);
    return HABITAT_OK;
}

static const char *const gpu_columns[] = {
    "id",
    "name",
    "totalMemory",
    "smCount",
    "computeMajor",
    "computeMinor",
    "maxWarpsPerSm",
    "threadsPerWarp",
    "maxRegistersPerSm",
    "maxShmemPerSm",
    "maxShmemPerBlockOptin",
};

/* What is negative was not known to the profiler, as NULL is not. */
static bool is_not_known(const nsys_row *r, int column) {
    return sqlite3_column_type(r->statement, column) == SQLITE_INTEGER &&
           sqlite3_column_int64(r->statement, column) < 0;
}

static bool take_fact(nsys_row *r, int column, uint32_t *out) {
    *out = 0;
    return is_not_known(r, column) || nsys_take_small(r, column, out);
}

/* Facts are known by the GPU's number until read_device() says which CUDA device it is. */
static habitat_status read_gpu(nsys_row *r) {
    nsys *n = r->n;
    habitat_device_facts f = {0};
    uint64_t id;
    uint32_t major, minor, warps, lanes;
    bool fine;
    if (!nsys_take(r, 0, UINT32_MAX, &id) ||
        (!is_not_known(r, 2) && !nsys_take(r, 2, UINT64_MAX, &f.memory_bytes)) ||
        !take_fact(r, 3, &f.sm_count) || !take_fact(r, 4, &major) || !take_fact(r, 5, &minor) ||
        !take_fact(r, 6, &warps) || !take_fact(r, 7, &lanes) ||
        !take_fact(r, 8, &f.registers_per_sm) || !take_fact(r, 9, &f.shared_memory_per_sm_bytes) ||
        !take_fact(r, 10, &f.shared_memory_per_block_bytes))
        return n->err->code;
    if (major && major < 1000 && minor < 10 && !is_not_known(r, 5))
        f.compute_capability = 10 * major + minor;
    f.threads_per_sm = warps <= 1024 && lanes <= 64 ? warps * lanes : 0;
    f.name = nsys_take_text(r, 1, &fine);
    trace_device *device = fine ? trace_add_device(n->b) : NULL;
    if (!device)
        return nsys_no_memory(n);
    *device = (trace_device){.id = (int64_t)id, .facts = f};
    return HABITAT_OK;
}

static const char *const device_columns[] = {"gpuId", "cudaId"};

/* Processes may number the GPUs differently; the first one to name a device decides. New entries
 * go behind the GPUs, as negative numbers until all are read. */
static habitat_status read_device(nsys_row *r) {
    nsys *n = r->n;
    uint64_t gpu, cuda;
    if (!nsys_take(r, 0, UINT32_MAX, &gpu) || !nsys_take(r, 1, UINT32_MAX, &cuda))
        return n->err->code;
    const trace_device *found = NULL;
    for (size_t i = 0; i < n->b->device_count; i++) {
        if (n->b->devices[i].id == -1 - (int64_t)cuda)
            return HABITAT_OK;
        if (n->b->devices[i].id == (int64_t)gpu)
            found = &n->b->devices[i];
    }
    if (!found)
        return HABITAT_OK;
    habitat_device_facts facts = found->facts;
    trace_device *device = trace_add_device(n->b);
    if (!device)
        return nsys_no_memory(n);
    *device = (trace_device){.id = -1 - (int64_t)cuda, .facts = facts};
    return HABITAT_OK;
}

static habitat_status read_devices(nsys *n) {
    habitat_status status = READ_TABLE(n, "TARGET_INFO_GPU", gpu_columns, 2, read_gpu);
    size_t gpus = n->b->device_count;
    if (status == HABITAT_OK)
        status = READ_TABLE(n, "TARGET_INFO_CUDA_DEVICE", device_columns, 2, read_device);
    if (status != HABITAT_OK || n->b->device_count == gpus)
        return status;
    for (size_t i = 0; i < gpus; i++)
        n->b->devices[i].id = -1; /* no CUDA device */
    for (size_t i = gpus; i < n->b->device_count; i++)
        n->b->devices[i].id = -1 - n->b->devices[i].id;
    return HABITAT_OK;
}

/* --- all together --------------------------------------------------------------------------- */

static habitat_status read_tables(nsys *n) {
    static const struct {
        const char *table;
        const char *const *columns;
        size_t count, needed;
        nsys_row_reader reader;
    } tables[] = {
#define TABLE(name, columns, needed, reader)                                                       \
    {name, columns, sizeof(columns) / sizeof *(columns), needed, reader}
        TABLE("CUPTI_ACTIVITY_KIND_KERNEL", kernel_columns, 2, read_kernel),
        TABLE("CUPTI_ACTIVITY_KIND_MEMCPY", copy_columns, 2, read_copy),
        TABLE("CUPTI_ACTIVITY_KIND_MEMSET", set_columns, 2, read_set),
        TABLE("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", graph_columns, 2, read_graph),
        TABLE("CUPTI_ACTIVITY_KIND_RUNTIME", call_columns, 2, read_call),
        TABLE("CUPTI_ACTIVITY_KIND_DRIVER", call_columns, 2, read_call),
        TABLE("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", wait_columns, 0, read_wait),
        TABLE("CUPTI_ACTIVITY_KIND_CUDA_EVENT", wait_columns, 0, read_record),
        TABLE("NVTX_EVENTS", range_columns, 3, read_range),
    };
    habitat_status status = read_texts(n);
    n->by_process = true;
    for (size_t i = 0; i < ACTIVITY_TABLES; i++)
        n->by_process &=
            !nsys_has_table(n, tables[i].table) || nsys_has_column(n, tables[i].table, "globalPid");
    if (status == HABITAT_OK)
        status = read_devices(n);
    for (size_t i = 0; status == HABITAT_OK && i < sizeof tables / sizeof *tables; i++)
        status = nsys_read_table(n, tables[i].table, tables[i].columns, tables[i].count,
                                 tables[i].needed, tables[i].reader);
    if (status != HABITAT_OK)
        return status;
    if (!n->any_known)
        return habitat_fail_at(n->err, HABITAT_E_FORMAT, n->path, UINT64_MAX, 0,
                               "an SQLite database, but no export of Nsight Systems; make one "
                               "with 'nsys export --type sqlite'");
    if (!n->b->trace->kernel_count)
        return habitat_fail_at(n->err, HABITAT_E_NO_GPU, n->path, UINT64_MAX, 0,
                               "no GPU activity in this report; profile again on a machine with a "
                               "GPU, with 'nsys profile --trace=cuda,nvtx'");
    return HABITAT_OK;
}

static habitat_status open_database(nsys *n) {
    if (sqlite3_initialize() != SQLITE_OK) /* nothing else it does can fail */
        return nsys_no_memory(n);
    if (sqlite3_open_v2(n->path, &n->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return n->db ? nsys_database_error(n) : nsys_no_memory(n);
    /* a damaged file shows at the first query */
    if (sqlite3_exec(n->db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) != SQLITE_OK)
        return nsys_database_error(n);
    return HABITAT_OK;
}

static habitat_status read_file(trace_builder *b, const char *path, habitat_error *err) {
    nsys n = {.path = path, .b = b, .err = err};
    habitat_status status = open_database(&n);
    b->correlation_bits = UINT32_MAX;
    b->trace->info.format = "nsys-sqlite";
    if (status == HABITAT_OK)
        status = read_tables(&n);
    sqlite3_close(n.db);
    free(n.texts);
    return status;
}

#else

static habitat_status read_file(trace_builder *b, const char *path, habitat_error *err) {
    (void)b;
    return habitat_fail_at(err, HABITAT_E_UNSUPPORTED, path, UINT64_MAX, 0,
                           "an SQLite database, and this habitat was built without SQLite; build "
                           "it with libsqlite3, or export JSON with 'habitat record'");
}

#endif

static bool is_sqlite(const trace_source *source, const char *name) {
    size_t size;
    const unsigned char *head = source_peek(source, &size);
    (void)name;
    return size >= 16 && !memcmp(head, "SQLite format 3", 16);
}

static habitat_status read_sqlite(trace_builder *b, const trace_input *input, habitat_error *err) {
    if (source_is_file(input->source))
        return read_file(b, input->name, err);
    return habitat_fail_at(err, HABITAT_E_FORMAT, input->name, UINT64_MAX, 0,
                           "an SQLite export of Nsight Systems cannot be read from a pipe; "
                           "give its file by name");
}

const trace_reader trace_reader_nsys = {is_sqlite, read_sqlite};
