/* CUPTI activity records into the store. Driver calls are kept only where they put work on the GPU:
 * a runtime call makes several others that say nothing. */
#include "records.h"

#include <stdio.h>
#include <string.h>

static void add_kernel(store *s, const cupti_kernel *r) {
    if (r->start_ns == 0 || r->end_ns < r->start_ns) {
        s->incomplete++;
        return;
    }
    uint32_t name = store_string(s, r->name);
    event *e = name == UINT32_MAX ? (s->dropped++, (event *)NULL) : store_event(s);
    if (!e)
        return;
    e->type = EVENT_KERNEL;
    e->name = name;
    e->start_ns = r->start_ns;
    e->end_ns = r->end_ns;
    e->correlation = r->correlation;
    e->u.kernel.device = r->device;
    e->u.kernel.context = r->context;
    e->u.kernel.stream = r->stream;
    e->u.kernel.registers = r->registers;
    e->u.kernel.shared_bytes = (uint32_t)(r->static_shared_bytes + r->dynamic_shared_bytes);
    e->u.kernel.graph_id = r->graph_id;
    e->u.kernel.graph_node_id = r->graph_node_id;
    memcpy(e->u.kernel.grid, r->grid, sizeof r->grid);
    memcpy(e->u.kernel.block, r->block, sizeof r->block);
    memcpy(e->u.kernel.cluster, r->cluster, sizeof r->cluster);
}

static event *gpu_event(store *s, event_type type, uint64_t start_ns, uint64_t end_ns,
                        uint32_t correlation) {
    if (start_ns == 0 || end_ns < start_ns) {
        s->incomplete++;
        return NULL;
    }
    event *e = store_event(s);
    if (!e)
        return NULL;
    e->type = (uint32_t)type;
    e->start_ns = start_ns;
    e->end_ns = end_ns;
    e->correlation = correlation;
    return e;
}

static void add_memcpy(store *s, const cupti_memcpy *r) {
    event *e = gpu_event(s, EVENT_MEMCPY, r->start_ns, r->end_ns, r->correlation);
    if (!e)
        return;
    e->u.copy.bytes = r->bytes;
    e->u.copy.device = e->u.copy.src_device = e->u.copy.dst_device = r->device;
    e->u.copy.context = r->context;
    e->u.copy.stream = r->stream;
    e->u.copy.graph_id = r->graph_id;
    e->u.copy.kind = r->copy_kind;
    e->u.copy.src = r->src_kind;
    e->u.copy.dst = r->dst_kind;
    e->u.copy.async = r->flags & 1u;
}

static void add_memcpy2(store *s, const cupti_memcpy2 *r) {
    event *e = gpu_event(s, EVENT_MEMCPY, r->start_ns, r->end_ns, r->correlation);
    if (!e)
        return;
    e->u.copy.bytes = r->bytes;
    e->u.copy.device = r->device;
    e->u.copy.src_device = r->src_device;
    e->u.copy.dst_device = r->dst_device;
    e->u.copy.context = r->context;
    e->u.copy.stream = r->stream;
    e->u.copy.graph_id = r->graph_id;
    e->u.copy.kind = r->copy_kind;
    e->u.copy.src = r->src_kind;
    e->u.copy.dst = r->dst_kind;
    e->u.copy.async = r->flags & 1u;
}

static void add_memset(store *s, const cupti_memset *r) {
    event *e = gpu_event(s, EVENT_MEMSET, r->start_ns, r->end_ns, r->correlation);
    if (!e)
        return;
    e->u.copy.bytes = r->bytes;
    e->u.copy.value = r->value;
    e->u.copy.device = e->u.copy.src_device = e->u.copy.dst_device = r->device;
    e->u.copy.context = r->context;
    e->u.copy.stream = r->stream;
    e->u.copy.graph_id = r->graph_id;
    e->u.copy.dst = (uint8_t)r->memory_kind;
    e->u.copy.async = r->flags & 1u;
}

/* CUPTI's names carry the version a function came in and its per-thread-stream variant:
 * cudaLaunchKernel_ptsz_v7000. Kineto writes cudaLaunchKernel. */
static void plain_api_name(const char *name, char *out, size_t size) {
    snprintf(out, size, "%s", name);
    char *v = strrchr(out, '_');
    if (v && v[1] == 'v' && v[2] >= '0' && v[2] <= '9' &&
        strspn(v + 2, "0123456789") == strlen(v + 2)) {
        if (strlen(v + 2) >= 4)
            *v = '\0'; /* cuMemAlloc_v2 keeps its name, cudaMalloc_v3020 loses the version */
    }
    char *variant = strrchr(out, '_');
    if (variant && (strcmp(variant, "_ptsz") == 0 || strcmp(variant, "_ptds") == 0))
        *variant = '\0';
}

static bool driver_call_is_work(const char *name) {
    static const char *const work[] = {"cuLaunch", "cuGraphLaunch", "cuMemcpy", "cuMemset"};
    for (size_t i = 0; i < sizeof work / sizeof *work; i++)
        if (strncmp(name, work[i], strlen(work[i])) == 0)
            return true;
    return false;
}

static void add_api(store *s, const cupti_library *cupti, const cupti_api *r, bool driver) {
    const char *full = NULL;
    char name[128] = "";
    uint32_t domain = driver ? CUPTI_DOMAIN_DRIVER : CUPTI_DOMAIN_RUNTIME;
    if (cupti->callback_name(domain, r->cbid, &full) == CUPTI_OK && full)
        plain_api_name(full, name, sizeof name);
    else
        snprintf(name, sizeof name, "%s call %u", driver ? "CUDA driver" : "CUDA runtime",
                 (unsigned)r->cbid);
    if (driver && !driver_call_is_work(name))
        return;
    if (r->end_ns < r->start_ns || r->start_ns == 0) {
        s->incomplete++;
        return;
    }
    uint32_t id = store_string(s, name);
    event *e = id == UINT32_MAX ? (s->dropped++, (event *)NULL) : store_event(s);
    if (!e)
        return;
    e->type = EVENT_API;
    e->name = id;
    e->start_ns = r->start_ns;
    e->end_ns = r->end_ns;
    e->correlation = r->correlation;
    e->u.api.cbid = r->cbid;
    e->u.api.pid = r->pid;
    e->u.api.tid = r->tid;
    e->u.api.result = r->return_value;
    e->u.api.driver = driver;
}

static void add_range(store *s, const range_half *begin, const range_half *end) {
    if (end->at_ns < begin->at_ns) {
        s->incomplete++;
        return;
    }
    event *e = store_event(s);
    if (!e)
        return;
    e->type = EVENT_RANGE;
    e->name = begin->name;
    e->start_ns = begin->at_ns;
    e->end_ns = end->at_ns;
    e->u.range.pid = begin->pid;
    e->u.range.tid = begin->tid;
    e->u.range.domain = begin->domain;
    e->u.range.other_thread = begin->tid != end->tid;
}

static void add_marker(store *s, const cupti_marker *r) {
    bool is_end = (r->flags & CUPTI_FLAG_MARKER_END) != 0;
    if (!is_end && !(r->flags & CUPTI_FLAG_MARKER_START))
        return; /* instants mark no operation */
    range_half other,
        half = {.at_ns = r->timestamp_ns, .id = r->id, .pid = r->pid, .tid = r->tid, .end = is_end};
    if (!is_end) {
        half.name = store_string(s, r->name);
        half.domain = store_string(s, r->domain);
        if (half.name == UINT32_MAX || half.domain == UINT32_MAX) {
            s->dropped++;
            return;
        }
    }
    if (!store_take_half(s, r->id, !is_end, &other)) {
        if (!store_keep_half(s, half))
            s->dropped++;
    } else {
        add_range(s, is_end ? &other : &half, is_end ? &half : &other);
    }
}

static void add_sync(store *s, const cupti_sync *r) {
    event *e = gpu_event(s, EVENT_SYNC, r->start_ns, r->end_ns, r->correlation);
    if (!e)
        return;
    e->u.sync.context = r->context;
    e->u.sync.stream = r->stream;
    e->u.sync.event = r->event;
    e->u.sync.kind = r->type;
}

static const char *overhead_name(uint32_t kind) {
    switch (kind) {
    case 1:
        return "Driver Compiler";
    case 1u << 16:
        return "Buffer Flush";
    case 2u << 16:
        return "Instrumentation";
    case 3u << 16:
        return "Resource";
    case 4u << 16:
        return "Runtime Triggered Module Loading";
    case 5u << 16:
        return "Lazy Function Loading";
    case 6u << 16:
        return "Command Buffer Full";
    case 7u << 16:
        return "Activity Buffer Request";
    case 8u << 16:
        return "UVM Activity Init";
    default:
        return "Overhead";
    }
}

static void add_overhead(store *s, const cupti_overhead *r) {
    event *e = gpu_event(s, EVENT_OVERHEAD, r->start_ns, r->end_ns, 0);
    if (!e)
        return;
    uint32_t name = store_string(s, overhead_name(r->overhead_kind));
    e->name = name == UINT32_MAX ? 0 : name;
    e->u.overhead.pid = r->pid;
    e->u.overhead.tid = r->tid;
}

static void add_device(store *s, const cupti_device *r) {
    for (size_t i = 0; i < s->n_devices; i++)
        if (s->devices[i].id == r->id)
            return;
    if (s->n_devices == STORE_MAX_DEVICES)
        return;
    uint32_t name = store_string(s, r->name);
    if (name == UINT32_MAX)
        return;
    s->devices[s->n_devices++] =
        (device_info){.id = r->id,
                      .sm_count = r->sm_count,
                      .warp_size = r->warp_size,
                      .cc_major = r->cc_major,
                      .cc_minor = r->cc_minor,
                      .max_warps_per_sm = r->max_warps_per_sm,
                      .registers_per_sm = r->max_registers_per_sm,
                      .registers_per_block = r->max_registers_per_block,
                      .shared_per_block_bytes = r->max_shared_per_block_bytes,
                      .shared_per_sm_bytes = r->max_shared_per_sm_bytes,
                      .max_threads_per_block = r->max_threads_per_block,
                      .max_blocks_per_sm = r->max_blocks_per_sm,
                      .l2_bytes = r->l2_bytes,
                      .core_clock_khz = r->core_clock_khz,
                      .memory_bytes = r->memory_bytes,
                      .bandwidth_kb_per_s = r->bandwidth_kb_per_s,
                      .name = name};
}

static void add_context(store *s, const cupti_context *r) {
    for (size_t i = 0; i < s->n_contexts; i++)
        if (s->contexts[i].context == r->context) {
            s->contexts[i].device = r->device;
            return;
        }
    if (s->n_contexts < STORE_MAX_CONTEXTS)
        s->contexts[s->n_contexts++] = (context_info){r->context, r->device};
}

void records_add(store *s, const cupti_library *cupti, const cupti_record *record) {
    const void *r = record;
    switch (record->kind) {
    case CUPTI_KIND_KERNEL:
    case CUPTI_KIND_CONCURRENT_KERNEL:
        add_kernel(s, r);
        break;
    case CUPTI_KIND_MEMCPY:
        add_memcpy(s, r);
        break;
    case CUPTI_KIND_MEMCPY2:
        add_memcpy2(s, r);
        break;
    case CUPTI_KIND_MEMSET:
        add_memset(s, r);
        break;
    case CUPTI_KIND_DRIVER:
        add_api(s, cupti, r, true);
        break;
    case CUPTI_KIND_RUNTIME:
        add_api(s, cupti, r, false);
        break;
    case CUPTI_KIND_MARKER:
        add_marker(s, r);
        break;
    case CUPTI_KIND_SYNCHRONIZATION:
        add_sync(s, r);
        break;
    case CUPTI_KIND_OVERHEAD:
        add_overhead(s, r);
        break;
    case CUPTI_KIND_DEVICE:
        add_device(s, r);
        break;
    case CUPTI_KIND_CONTEXT:
        add_context(s, r);
        break;
    case CUPTI_KIND_EXTERNAL_CORRELATION: {
        const cupti_external *x = r;
        store_external(s, x->correlation, x->external_kind, x->external_id);
        break;
    }
    default:
        s->unknown++;
    }
}
