/* What one recording holds in memory: events and interned strings, within a byte limit. Not locked:
 * the caller is. */
#ifndef HABITAT_RECORDER_STORE_H
#define HABITAT_RECORDER_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    EVENT_KERNEL,
    EVENT_MEMCPY,
    EVENT_MEMSET,
    EVENT_API,
    EVENT_RANGE,
    EVENT_SYNC,
    EVENT_OVERHEAD
} event_type;

/* One finished activity. Names are ids of store_string(). */
typedef struct {
    uint64_t start_ns, end_ns;
    uint32_t type, name, correlation;
    union {
        struct {
            uint32_t device, context, stream, registers, shared_bytes, graph_id;
            uint64_t graph_node_id;
            int32_t grid[3], block[3];
            uint32_t cluster[3];
        } kernel;
        struct {
            uint64_t bytes;
            uint32_t device, context, stream, src_device, dst_device, graph_id, value;
            uint8_t kind, src, dst, async;
        } copy; /* memcpy and memset; src and dst are memory kinds */
        struct {
            uint32_t cbid, pid, tid, result;
            bool driver;
        } api;
        struct {
            uint32_t pid, tid, domain;
            bool other_thread; /* ended on another thread than it began on */
        } range;
        struct {
            uint32_t context, stream, event, kind;
        } sync;
        struct {
            uint32_t pid, tid;
        } overhead;
    } u;
} event;

typedef struct {
    uint32_t id, sm_count, warp_size, cc_major, cc_minor, max_warps_per_sm, registers_per_sm,
        registers_per_block, shared_per_block_bytes, shared_per_sm_bytes, max_threads_per_block,
        max_blocks_per_sm, l2_bytes, core_clock_khz, shared_optin_bytes; /* 0: unknown */
    uint64_t memory_bytes, bandwidth_kb_per_s;
    uint32_t name;
} device_info;

typedef struct {
    uint32_t context, device;
} context_info;

typedef struct {
    uint32_t correlation, kind;
    uint64_t id;
} external_info;

/* One half of a range whose other half has not come yet. Halves may arrive in either order: a range
 * that ends on another thread has its end in another buffer. */
typedef struct {
    uint64_t at_ns;
    uint32_t id, name, domain, pid, tid;
    bool end;
} range_half;

#define STORE_MAX_DEVICES  64
#define STORE_MAX_CONTEXTS 256

typedef struct {
    event **chunks;
    size_t n_events, n_chunks, cap_chunks;
    char **strings;
    uint32_t n_strings, cap_strings;
    uint32_t *table; /* open addressing, string id + 1 */
    uint32_t table_size;
    external_info *externals;
    size_t n_externals, cap_externals;
    range_half *open;
    size_t n_open, cap_open;
    device_info devices[STORE_MAX_DEVICES];
    size_t n_devices;
    context_info contexts[STORE_MAX_CONTEXTS];
    size_t n_contexts;
    size_t bytes, limit_bytes;
    uint64_t dropped;    /* records that did not fit */
    uint64_t incomplete; /* records without a start or end, ranges without a begin or end */
    uint64_t unknown;    /* records of kinds not asked for */
} store;

void store_init(store *s, size_t limit_bytes);

/** The id of a copy of `text` (NULL counts as ""); UINT32_MAX when memory or the limit is used up.
 */
uint32_t store_string(store *s, const char *text);

/** Room for one more event, zeroed; NULL (and `dropped` counted) when memory or the limit is used
 * up. */
event *store_event(store *s);
event *store_at(const store *s, size_t i);

void store_external(store *s, uint32_t correlation, uint32_t kind, uint64_t id);
bool store_keep_half(store *s, range_half half);
/** Takes out the kept half of range `id` that is an end (or a beginning); false when there is none.
 */
bool store_take_half(store *s, uint32_t id, bool end, range_half *out);

#endif
