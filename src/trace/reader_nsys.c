/* Nsight Systems' SQLite export (`nsys export --type sqlite`) into a trace.
 *
 * Tables are made by `nsys` only when there is something in them, and their columns come and go
 * with its versions: every query asks for the columns that exist and takes the rest as unknown.
 * Format: "SQLite Export Schema Reference" in the Nsight Systems documentation. */
#include <string.h>

#include "base/error.h"
#include "trace/readers.h"

#ifdef HABITAT_HAVE_SQLITE

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sqlite3.h>

enum {
    QUERY_BYTES = 1024,
    ACTIVITY_TABLES = 4, /* the first ones of read_tables() */
    NVTX_PUSH_POP = 59,
    NVTX_START_END = 60,
};

typedef struct text_entry {
    int64_t id;
    const char *text;
} text_entry;

typedef struct nsys {
    sqlite3 *db;
    const char *path;
    trace_builder *b;
    habitat_error *err;
    text_entry *texts; /* StringIds, sorted by id */
    size_t text_count, text_capacity;
    bool any_known;  /* a table of Nsight Systems was found */
    bool by_process; /* activities say which process they are of */
} nsys;

/* One row of a query, and where it is from, for messages. */
typedef struct row {
    nsys *n;
    sqlite3_stmt *statement;
    const char *table;
    const char *const *columns;
    uint64_t number;
} row;

typedef habitat_status (*row_reader)(row *r);

static habitat_status database_error(nsys *n) {
    int code = sqlite3_errcode(n->db) & 0xff;
    if (code == SQLITE_NOMEM)
        return habitat_fail(n->err, HABITAT_E_MEMORY, "out of memory");
    if (code == SQLITE_CANTOPEN || code == SQLITE_IOERR || code == SQLITE_BUSY)
        return habitat_fail_at(n->err, HABITAT_E_IO, n->path, UINT64_MAX, 0,
                               "cannot read the database: %s; check the file and try again",
                               sqlite3_errmsg(n->db));
    return habitat_fail_at(n->err, HABITAT_E_PARSE, n->path, UINT64_MAX, 0,
                           "damaged SQLite database (%s); export it again", sqlite3_errmsg(n->db));
}

static habitat_status no_memory(nsys *n) {
    return habitat_fail(n->err, HABITAT_E_MEMORY, "out of memory");
}

/* --- values of a row ------------------------------------------------------------------------ */

/* A whole number of at most `limit`, 0 where there is none. False (error filled) if it is not. */
static bool take(row *r, int column, uint64_t limit, uint64_t *out) {
    int type = sqlite3_column_type(r->statement, column);
    int64_t value = sqlite3_column_int64(r->statement, column);
    if (type == SQLITE_NULL || (type == SQLITE_INTEGER && value >= 0 && (uint64_t)value <= limit)) {
        *out = type == SQLITE_NULL ? 0 : (uint64_t)value;
        return true;
    }
    bool number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    habitat_fail_at(r->n->err, number ? HABITAT_E_RANGE : HABITAT_E_FORMAT, r->n->path, UINT64_MAX,
                    0, "table %s, row %" PRIu64 ": \"%s\" is %s; export it again", r->table,
                    r->number, r->columns[column],
                    !number     ? "not a number"
                    : value < 0 ? "negative"
                                : "absurdly large");
    return false;
}

static bool take_small(row *r, int column, uint32_t *out) {
    uint64_t value = 0;
    if (!take(r, column, UINT32_MAX, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

/* start and end in the first two columns; *open if the end is missing. */
static bool take_interval(row *r, uint64_t *start_ns, uint64_t *duration_ns, bool *open) {
    uint64_t end;
    *open = sqlite3_column_type(r->statement, 1) == SQLITE_NULL;
    if (!take(r, 0, TRACE_TIME_LIMIT_NS, start_ns) || !take(r, 1, TRACE_TIME_LIMIT_NS, &end))
        return false;
    if (*open)
        return true;
    if (end < *start_ns || end - *start_ns > TRACE_DURATION_LIMIT_NS) {
        habitat_fail_at(r->n->err, HABITAT_E_RANGE, r->n->path, UINT64_MAX, 0,
                        "table %s, row %" PRIu64 ": the duration is %s; export it again", r->table,
                        r->number, end < *start_ns ? "negative" : "absurdly large");
        return false;
    }
    *duration_ns = end - *start_ns;
    return true;
}

/* The text of a StringIds id, or of the column itself; NULL if there is none. */
static const char *take_text(row *r, int column, bool *fine) {
    nsys *n = r->n;
    int type = sqlite3_column_type(r->statement, column);
    *fine = true;
    if (type == SQLITE_TEXT) {
        const char *text = (const char *)sqlite3_column_text(r->statement, column);
        size_t length = (size_t)sqlite3_column_bytes(r->statement, column);
        text = text ? habitat_strings_intern(&n->b->trace->strings, text, length) : NULL;
        *fine = text != NULL;
        return text;
    }
    if (type != SQLITE_INTEGER)
        return NULL;
    int64_t id = sqlite3_column_int64(r->statement, column);
    size_t low = 0, high = n->text_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (n->texts[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n->text_count && n->texts[low].id == id ? n->texts[low].text : NULL;
}

/* Nsight packs hardware, VM, process (24 bits) and thread (24 bits) into one number. */
static uint64_t process_of(uint64_t global) {
    return global >> 24 & 0xffffff;
}

/* Correlations count in each process: made unique here, and cut back at the end. */
static uint64_t correlation_of(const nsys *n, uint64_t global, uint64_t correlation) {
    uint64_t process = n->by_process ? process_of(global) : 0;
    return correlation ? process << 32 | (correlation & UINT32_MAX) : 0;
}

/* --- queries -------------------------------------------------------------------------------- */

static bool has_table(nsys *n, const char *table) {
    return sqlite3_table_column_metadata(n->db, NULL, table, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

static bool has_column(nsys *n, const char *table, const char *column) {
    return sqlite3_table_column_metadata(n->db, NULL, table, column, NULL, NULL, NULL, NULL,
                                         NULL) == SQLITE_OK;
}

/* Add to the query: the column, or NULL in its place. False if a needed one is missing. */
static bool add_column(nsys *n, const char *table, const char *column, bool needed, char *query) {
    size_t length = strlen(query);
    const char *comma = length > strlen("SELECT ") ? ", " : "";
    bool there = has_column(n, table, column);
    if (there)
        snprintf(query + length, QUERY_BYTES - length, "%s\"%s\"", comma, column);
    else
        snprintf(query + length, QUERY_BYTES - length, "%sNULL", comma);
    return there || !needed;
}

/* Read all rows of a table, if there is one. The first `needed` columns must exist. */
static habitat_status read_table(nsys *n, const char *table, const char *const *columns,
                                 size_t count, size_t needed, row_reader reader) {
    char query[QUERY_BYTES] = "SELECT ";
    if (!has_table(n, table))
        return HABITAT_OK;
    n->any_known = true;
    for (size_t i = 0; i < count; i++)
        if (!add_column(n, table, columns[i], i < needed, query))
            return habitat_fail_at(n->err, HABITAT_E_FORMAT, n->path, UINT64_MAX, 0,
                                   "table %s has no column \"%s\"; export it again with a newer "
                                   "nsys",
                                   table, columns[i]);
    size_t length = strlen(query);
    snprintf(query + length, sizeof query - length, " FROM \"%s\"", table);
    row r = {.n = n, .table = table, .columns = columns};
    if (sqlite3_prepare_v2(n->db, query, -1, &r.statement, NULL) != SQLITE_OK)
        return database_error(n);
    habitat_status status = HABITAT_OK;
    int step = SQLITE_DONE;
    while (status == HABITAT_OK && (step = sqlite3_step(r.statement)) == SQLITE_ROW) {
        r.number++;
        status = reader(&r);
    }
    if (status == HABITAT_OK && step != SQLITE_DONE)
        status = database_error(n);
    sqlite3_finalize(r.statement);
    return status;
}

#define READ_TABLE(n, table, columns, needed, reader)                                              \
    read_table(n, table, columns, sizeof(columns) / sizeof *(columns), needed, reader)

/* --- tables --------------------------------------------------------------------------------- */

static const char *const text_columns[] = {"id", "value"};

static habitat_status read_text(row *r) {
    nsys *n = r->n;
    bool fine;
    if (sqlite3_column_type(r->statement, 1) != SQLITE_TEXT)
        return HABITAT_OK;
    if (n->text_count == n->text_capacity) {
        size_t larger = n->text_capacity ? n->text_capacity * 2 : 256;
        text_entry *grown = realloc(n->texts, larger * sizeof *grown);
        if (!grown)
            return no_memory(n);
        n->texts = grown;
        n->text_capacity = larger;
    }
    const char *text = take_text(r, 1, &fine);
    if (!text)
        return no_memory(n);
    n->texts[n->text_count++] = (text_entry){sqlite3_column_int64(r->statement, 0), text};
    return HABITAT_OK;
}

static int by_id(const void *a, const void *b) {
    const text_entry *x = a, *y = b;
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

/* What all activities on the GPU share. NULL if the row is bad (status filled) or unfinished. */
static habitat_kernel *add_activity(row *r, habitat_kernel_kind kind, habitat_status *status) {
    uint64_t start, duration = 0, correlation, process;
    uint32_t device, stream;
    bool open;
    *status = HABITAT_E_RANGE;
    if (!take_interval(r, &start, &duration, &open) || !take_small(r, 2, &device) ||
        !take_small(r, 3, &stream) || !take(r, 4, UINT64_MAX, &correlation) ||
        !take(r, 5, UINT64_MAX, &process)) {
        if (r->n->err)
            *status = r->n->err->code;
        return NULL;
    }
    if (open) {
        r->n->b->trace->info.skipped_events++;
        *status = HABITAT_OK;
        return NULL;
    }
    habitat_kernel *k = trace_add_kernel(r->n->b);
    if (!k) {
        *status = no_memory(r->n);
        return NULL;
    }
    k->kind = kind;
    k->start_ns = start;
    k->duration_ns = duration;
    k->device = device;
    k->stream = stream;
    k->correlation = correlation_of(r->n, process, correlation);
    *status = HABITAT_OK;
    return k;
}

static habitat_status read_kernel(row *r) {
    habitat_status status;
    bool fine;
    habitat_kernel *k = add_activity(r, HABITAT_KERNEL_COMPUTE, &status);
    if (!k)
        return status;
    uint32_t fixed, dynamic;
    if (!take_small(r, 8, &k->registers_per_thread) || !take_small(r, 9, &fixed) ||
        !take_small(r, 10, &dynamic))
        return r->n->err->code;
    for (int i = 0; i < 3; i++)
        if (!take_small(r, 11 + i, &k->grid[i]) || !take_small(r, 14 + i, &k->block[i]))
            return r->n->err->code;
    k->shared_memory_bytes = fixed > UINT32_MAX - dynamic ? UINT32_MAX : fixed + dynamic;
    const char *absurd = trace_absurd_size(k);
    if (absurd)
        return habitat_fail_at(r->n->err, HABITAT_E_RANGE, r->n->path, UINT64_MAX, 0,
                               "table %s, row %" PRIu64 ": the kernel's %s is absurdly large; "
                               "export it again",
                               r->table, r->number, absurd);
    k->in_graph = sqlite3_column_int64(r->statement, 17) != 0;
    const char *name = take_text(r, 6, &fine);
    if (!name && fine)
        name = take_text(r, 7, &fine);
    if (!fine)
        return no_memory(r->n);
    k->name = name ? name : "unnamed kernel";
    if (trace_name_is_collective(k->name))
        k->kind = HABITAT_KERNEL_COLLECTIVE;
    return HABITAT_OK;
}

/* CUPTI's CUpti_ActivityMemcpyKind. */
static const char *const copy_kinds[] = {NULL,   "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                         "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"};

static habitat_status read_copy(row *r) {
    habitat_status status;
    habitat_kernel *k = add_activity(r, HABITAT_KERNEL_MEMCPY, &status);
    if (!k)
        return status;
    uint64_t kind;
    if (!take(r, 6, TRACE_BYTES_LIMIT, &k->bytes) || !take(r, 7, UINT64_MAX, &kind))
        return r->n->err->code;
    if (kind < sizeof copy_kinds / sizeof *copy_kinds)
        k->copy_kind = copy_kinds[kind];
    k->name = "Memcpy";
    k->in_graph = sqlite3_column_int64(r->statement, 8) != 0;
    return HABITAT_OK;
}

static habitat_status read_set(row *r) {
    habitat_status status;
    habitat_kernel *k = add_activity(r, HABITAT_KERNEL_MEMSET, &status);
    if (!k)
        return status;
    if (!take(r, 6, TRACE_BYTES_LIMIT, &k->bytes))
        return r->n->err->code;
    k->name = "Memset";
    k->in_graph = sqlite3_column_int64(r->statement, 7) != 0;
    return HABITAT_OK;
}

/* With --cuda-graph-trace=graph, nsys' default, a CUDA graph is one activity without kernels. */
static habitat_status read_graph(row *r) {
    habitat_status status;
    habitat_kernel *k = add_activity(r, HABITAT_KERNEL_COMPUTE, &status);
    if (!k)
        return status;
    k->name = "CUDA graph (its kernels were not traced)";
    k->in_graph = true;
    return HABITAT_OK;
}

static const char *const call_columns[] = {"start",         "end",    "globalTid",
                                           "correlationId", "nameId", "eventClass"};

static habitat_status read_call(row *r) {
    nsys *n = r->n;
    uint64_t start, duration = 0, thread, correlation;
    bool open, fine;
    if (!take_interval(r, &start, &duration, &open) || !take(r, 2, UINT64_MAX, &thread) ||
        !take(r, 3, UINT64_MAX, &correlation))
        return n->err->code;
    if (open)
        return HABITAT_OK;
    const char *name = take_text(r, 4, &fine);
    if (!name && fine)
        name = "";
    uint32_t index = trace_thread_index(n->b, process_of(thread), thread & 0xffffff);
    habitat_call *call = index == HABITAT_NONE || !fine ? NULL : trace_add_call(n->b, name);
    if (!call)
        return no_memory(n);
    call->start_ns = start;
    call->duration_ns = duration;
    call->correlation = correlation_of(n, thread, correlation);
    call->thread = index;
    call->driver = !strncmp(name, "cu", 2) && strncmp(name, "cuda", 4) != 0;
    return HABITAT_OK;
}

static const char *const wait_columns[] = {"correlationId", "globalPid", "deviceId",
                                           "streamId",      "eventId",   "eventSyncId"};

/* A number that may be missing; CUPTI writes -1 for that, in 32 bits. */
static uint32_t number_or_none(row *r, int column) {
    int64_t value = sqlite3_column_int64(r->statement, column);
    bool there = sqlite3_column_type(r->statement, column) == SQLITE_INTEGER && value >= 0 &&
                 value < HABITAT_NONE;
    return there ? (uint32_t)value : HABITAT_NONE;
}

/* A call that puts an event into a stream, or one that waits. Nothing here is needed to read the
 * rest, so numbers that make no sense are none. An event that is put and waited for several times
 * has another number (eventSyncId) each time. */
static habitat_status add_wait(row *r, bool records) {
    nsys *n = r->n;
    uint32_t correlation = number_or_none(r, 0), pair = number_or_none(r, 5);
    uint64_t process = (uint64_t)sqlite3_column_int64(r->statement, 1);
    if (!correlation || correlation == HABITAT_NONE) {
        n->b->trace->info.skipped_events++;
        return HABITAT_OK;
    }
    trace_wait *wait = trace_add_wait(n->b);
    if (!wait)
        return no_memory(n);
    wait->correlation = correlation_of(n, process, correlation);
    wait->device = number_or_none(r, 2);
    wait->stream = number_or_none(r, 3);
    wait->event = number_or_none(r, 4);
    wait->pair = correlation_of(n, process, pair == HABITAT_NONE ? 0 : pair);
    wait->records = records;
    return HABITAT_OK;
}

static habitat_status read_wait(row *r) {
    return add_wait(r, false);
}

static habitat_status read_record(row *r) {
    return add_wait(r, true);
}

static const char *const range_columns[] = {"start", "end",    "globalTid",
                                            "text",  "textId", "eventType"};

static habitat_status read_range(row *r) {
    nsys *n = r->n;
    habitat_trace *t = n->b->trace;
    uint64_t start, duration = 0, thread;
    bool open, fine;
    int64_t type = sqlite3_column_int64(r->statement, 5);
    bool typed = sqlite3_column_type(r->statement, 5) != SQLITE_NULL;
    if (!take_interval(r, &start, &duration, &open) || !take(r, 2, UINT64_MAX, &thread))
        return n->err->code;
    if (open || (typed && type != NVTX_PUSH_POP && type != NVTX_START_END)) {
        t->info.skipped_events++; /* marks, domains, and ranges that never ended */
        return HABITAT_OK;
    }
    const char *name = take_text(r, 3, &fine);
    if (!name && fine)
        name = take_text(r, 4, &fine);
    uint32_t index = trace_thread_index(n->b, process_of(thread), thread & 0xffffff);
    habitat_operation *o = index == HABITAT_NONE || !fine ? NULL : trace_add_operation(n->b);
    if (!o)
        return no_memory(n);
    o->name = name ? name : "unnamed range";
    o->kind =
        strncmp(o->name, "nn.Module:", 10) ? HABITAT_OPERATION_RANGE : HABITAT_OPERATION_MODULE;
    o->start_ns = start;
    o->duration_ns = duration;
    o->thread = index;
    if (!trace_add_range(n->b, o->name, start, duration))
        return no_memory(n);
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

/* Facts are known by the GPU's number until read_device() says which CUDA device it is. */
static habitat_status read_gpu(row *r) {
    nsys *n = r->n;
    habitat_device_facts f = {0};
    uint64_t id;
    uint32_t major, minor, warps, lanes;
    bool fine;
    if (!take(r, 0, UINT32_MAX, &id) || !take(r, 2, UINT64_MAX, &f.memory_bytes) ||
        !take_small(r, 3, &f.sm_count) || !take_small(r, 4, &major) || !take_small(r, 5, &minor) ||
        !take_small(r, 6, &warps) || !take_small(r, 7, &lanes) ||
        !take_small(r, 8, &f.registers_per_sm) ||
        !take_small(r, 9, &f.shared_memory_per_sm_bytes) ||
        !take_small(r, 10, &f.shared_memory_per_block_bytes))
        return n->err->code;
    f.compute_capability = major < 1000 && minor < 10 ? 10 * major + minor : 0;
    f.threads_per_sm = warps <= 1024 && lanes <= 64 ? warps * lanes : 0;
    f.name = take_text(r, 1, &fine);
    trace_device *device = fine ? trace_add_device(n->b) : NULL;
    if (!device)
        return no_memory(n);
    *device = (trace_device){.id = (int64_t)id, .facts = f};
    return HABITAT_OK;
}

static const char *const device_columns[] = {"gpuId", "cudaId"};

/* Processes may number the GPUs differently; the first one to name a device decides. New entries
 * go behind the GPUs, as negative numbers until all are read. */
static habitat_status read_device(row *r) {
    nsys *n = r->n;
    uint64_t gpu, cuda;
    if (!take(r, 0, UINT32_MAX, &gpu) || !take(r, 1, UINT32_MAX, &cuda))
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
        return no_memory(n);
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
        row_reader reader;
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
            !has_table(n, tables[i].table) || has_column(n, tables[i].table, "globalPid");
    if (status == HABITAT_OK)
        status = read_devices(n);
    for (size_t i = 0; status == HABITAT_OK && i < sizeof tables / sizeof *tables; i++)
        status = read_table(n, tables[i].table, tables[i].columns, tables[i].count,
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
        return no_memory(n);
    if (sqlite3_open_v2(n->path, &n->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return n->db ? database_error(n) : no_memory(n);
    /* a damaged file shows at the first query */
    if (sqlite3_exec(n->db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL) != SQLITE_OK)
        return database_error(n);
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

/* --- reports -------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && strcmp(text + length - tail, end) == 0;
}

/* What Nsight Systems itself writes has no published format. Its name tells it; a trace that was
 * only given such a name begins as a trace does. */
static bool is_report(const trace_source *source, const char *name) {
    size_t size, i = 0;
    const unsigned char *head = source_peek(source, &size);
    while (i < size && head[i] && strchr(" \t\r\n", head[i]))
        i++;
    bool json = i == size || head[i] == '{' || head[i] == '[';
    return !json && !source_is_gzip(source) &&
           (ends_with(name, ".nsys-rep") || ends_with(name, ".qdrep"));
}

static habitat_status refuse_report(trace_builder *b, const trace_input *input,
                                    habitat_error *err) {
    (void)b;
    return habitat_fail_at(err, HABITAT_E_FORMAT, input->name, UINT64_MAX, 0,
                           "a report of Nsight Systems, which its own tools alone can read; "
                           "export it with `nsys export --type sqlite` and give the .sqlite");
}

const trace_reader trace_reader_nsys_report = {is_report, refuse_report};
