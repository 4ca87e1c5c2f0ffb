/* The part of the CUPTI and CUDA driver ABI that the recorder uses, declared from documented facts
 * so that it builds without a CUDA toolkit. Leaves out everything the recorder does not read.
 *
 * CUPTI versions an activity record by appending fields (CUpti_ActivityKernel8 in CUDA 11.8, 9
 * in 12.x, 10 in 13.x): every field below sits at the same offset in
 * CUPTI 11.8, 12.1, 12.4, 12.6, 12.8, 12.9, 13.0 and 13.5, so one prefix a kind serves them all.
 * tests/unit/test_recorder_abi.c compares these offsets with the vendor's headers where a machine
 * has them. 64-bit only. */
#ifndef HABITAT_RECORDER_CUPTI_ABI_H
#define HABITAT_RECORDER_CUPTI_ABI_H

#include <stddef.h>
#include <stdint.h>

/* First cuptiGetVersion() value whose records have the layout below (CUDA 11.8). */
#define CUPTI_ABI_OLDEST_VERSION 18

typedef int cupti_result;
enum {
    CUPTI_OK = 0,
    CUPTI_E_MAX_LIMIT_REACHED = 12,
    CUPTI_E_INSUFFICIENT_PRIVILEGES = 35,
    CUPTI_E_MULTIPLE_SUBSCRIBERS = 39,
    CUPTI_E_VIRTUALIZED_PRIVILEGES = 40
};

typedef enum {
    CUPTI_KIND_MEMCPY = 1,
    CUPTI_KIND_MEMSET = 2,
    CUPTI_KIND_KERNEL = 3,
    CUPTI_KIND_DRIVER = 4,
    CUPTI_KIND_RUNTIME = 5,
    CUPTI_KIND_DEVICE = 8,
    CUPTI_KIND_CONTEXT = 9,
    CUPTI_KIND_CONCURRENT_KERNEL = 10,
    CUPTI_KIND_MARKER = 12,
    CUPTI_KIND_OVERHEAD = 17,
    CUPTI_KIND_MEMCPY2 = 22,
    CUPTI_KIND_SYNCHRONIZATION = 38,
    CUPTI_KIND_EXTERNAL_CORRELATION = 39
} cupti_kind;

enum { CUPTI_FLAG_MARKER_INSTANT = 1, CUPTI_FLAG_MARKER_START = 2, CUPTI_FLAG_MARKER_END = 4 };
enum { CUPTI_FLUSH_FORCED = 1 };
enum { CUPTI_OBJECT_PROCESS = 1, CUPTI_OBJECT_THREAD = 2 };
enum { CUPTI_THREAD_ID_SYSTEM = 1 };

enum { CUPTI_DOMAIN_DRIVER = 1, CUPTI_DOMAIN_RUNTIME = 2, CUPTI_DOMAIN_RESOURCE = 3 };
enum { CUPTI_SITE_ENTER = 0, CUPTI_SITE_EXIT = 1 };

/* Driver launches, from cupti_driver_cbid.h. */
enum {
    CUPTI_CBID_cuLaunchKernel = 307,
    CUPTI_CBID_cuLaunchKernel_ptsz = 442,
    CUPTI_CBID_cuLaunchCooperativeKernel = 477,
    CUPTI_CBID_cuLaunchCooperativeKernel_ptsz = 478,
    CUPTI_CBID_cuLaunchKernelEx = 652,
    CUPTI_CBID_cuLaunchKernelEx_ptsz = 653
};

typedef struct {
    uint32_t kind;
} cupti_record;

typedef struct {
    uint32_t kind;
    uint8_t cache_config, shared_config;
    uint16_t registers;
    uint32_t partitioned_requested, partitioned_executed;
    uint64_t start_ns, end_ns, completed_ns;
    uint32_t device, context, stream;
    int32_t grid[3], block[3];
    int32_t static_shared_bytes, dynamic_shared_bytes;
    uint32_t local_per_thread_bytes, local_total_bytes;
    uint32_t correlation;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued_ns, submitted_ns;
    uint8_t launch_type, carveout_requested, carveout, padding;
    uint32_t shared_executed_bytes;
    uint64_t graph_node_id;
    uint32_t shared_limit_config;
    uint32_t graph_id;
    void *access_policy;
    uint32_t channel_id, channel_type;
    uint32_t cluster[3];
} cupti_kernel;

typedef struct {
    uint32_t kind;
    uint8_t copy_kind, src_kind, dst_kind, flags;
    uint64_t bytes, start_ns, end_ns;
    uint32_t device, context, stream, correlation, runtime_correlation, pad;
    void *reserved;
    uint64_t graph_node_id;
    uint32_t graph_id;
} cupti_memcpy;

typedef struct {
    uint32_t kind;
    uint8_t copy_kind, src_kind, dst_kind, flags;
    uint64_t bytes, start_ns, end_ns;
    uint32_t device, context, stream, src_device, src_context, dst_device, dst_context, correlation;
    void *reserved;
    uint64_t graph_node_id;
    uint32_t graph_id;
} cupti_memcpy2;

typedef struct {
    uint32_t kind, value;
    uint64_t bytes, start_ns, end_ns;
    uint32_t device, context, stream, correlation;
    uint16_t flags, memory_kind;
    uint32_t pad;
    void *reserved;
    uint64_t graph_node_id;
    uint32_t graph_id;
} cupti_memset;

typedef struct {
    uint32_t kind, cbid;
    uint64_t start_ns, end_ns;
    uint32_t pid, tid, correlation, return_value;
} cupti_api;

typedef struct {
    uint32_t kind, flags;
    uint64_t bandwidth_kb_per_s, memory_bytes;
    uint32_t constant_bytes, l2_bytes, warp_size, core_clock_khz, copy_engines, sm_count, max_ipc,
        max_warps_per_sm, max_blocks_per_sm, max_shared_per_sm_bytes, max_registers_per_sm,
        max_registers_per_block, max_shared_per_block_bytes, max_threads_per_block,
        max_block_dim[3], max_grid_dim[3], cc_major, cc_minor, id, ecc;
    uint8_t uuid[16];
    const char *name;
} cupti_device;

typedef struct {
    uint32_t kind, context, device;
    uint16_t api_kind, null_stream;
} cupti_context;

typedef struct {
    uint32_t kind, flags;
    uint64_t timestamp_ns;
    uint32_t id, object_kind;
    uint32_t pid, tid, unused; /* the object id; a process and a thread for object_kind 2 */
    uint32_t pad;
    const char *name, *domain;
} cupti_marker;

typedef struct {
    uint32_t kind, overhead_kind, object_kind;
    uint32_t pid, tid, unused;
    uint64_t start_ns, end_ns;
} cupti_overhead;

typedef struct {
    uint32_t kind, type;
    uint64_t start_ns, end_ns;
    uint32_t correlation, context, stream, event;
} cupti_sync;

typedef struct {
    uint32_t kind, external_kind;
    uint64_t external_id;
    uint32_t correlation;
} cupti_external;

#define CUPTI_ABI_AT(type, field, at)                                                              \
    _Static_assert(offsetof(type, field) == (at), "CUPTI lays out " #type "." #field " elsewhere")
CUPTI_ABI_AT(cupti_kernel, registers, 6);
CUPTI_ABI_AT(cupti_kernel, start_ns, 16);
CUPTI_ABI_AT(cupti_kernel, grid, 52);
CUPTI_ABI_AT(cupti_kernel, static_shared_bytes, 76);
CUPTI_ABI_AT(cupti_kernel, correlation, 92);
CUPTI_ABI_AT(cupti_kernel, name, 104);
CUPTI_ABI_AT(cupti_kernel, queued_ns, 120);
CUPTI_ABI_AT(cupti_kernel, shared_executed_bytes, 140);
CUPTI_ABI_AT(cupti_kernel, graph_node_id, 144);
CUPTI_ABI_AT(cupti_kernel, graph_id, 156);
CUPTI_ABI_AT(cupti_kernel, cluster, 176);
CUPTI_ABI_AT(cupti_memcpy, correlation, 44);
CUPTI_ABI_AT(cupti_memcpy, graph_node_id, 64);
CUPTI_ABI_AT(cupti_memcpy2, dst_device, 52);
CUPTI_ABI_AT(cupti_memcpy2, correlation, 60);
CUPTI_ABI_AT(cupti_memcpy2, graph_node_id, 72);
CUPTI_ABI_AT(cupti_memset, memory_kind, 50);
CUPTI_ABI_AT(cupti_memset, graph_node_id, 64);
CUPTI_ABI_AT(cupti_api, return_value, 36);
CUPTI_ABI_AT(cupti_device, max_shared_per_sm_bytes, 60);
CUPTI_ABI_AT(cupti_device, cc_major, 104);
CUPTI_ABI_AT(cupti_device, id, 112);
CUPTI_ABI_AT(cupti_device, name, 136);
CUPTI_ABI_AT(cupti_context, null_stream, 14);
CUPTI_ABI_AT(cupti_marker, pid, 24);
CUPTI_ABI_AT(cupti_marker, name, 40);
CUPTI_ABI_AT(cupti_overhead, start_ns, 24);
CUPTI_ABI_AT(cupti_sync, correlation, 24);
CUPTI_ABI_AT(cupti_external, correlation, 16);
#undef CUPTI_ABI_AT

/* Callbacks. */
typedef void (*cupti_buffer_requested)(uint8_t **buffer, size_t *size, size_t *max_records);
typedef void (*cupti_buffer_completed)(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                                       size_t valid);
typedef void (*cupti_callback)(void *user, uint32_t domain, uint32_t cbid, const void *data);

/* Prefix of CUpti_CallbackData. */
typedef struct {
    uint32_t site;
    const char *function_name;
    const void *params;
    void *return_value;
    const char *symbol_name;
    void *context;
    uint32_t context_uid;
    uint64_t *correlation_data;
    uint32_t correlation;
} cupti_callback_data;

/* Driver launch parameters as callbacks hand them over (cuLaunchKernel_params;
 * cuLaunchCooperativeKernel has the same leading fields) and CUlaunchConfig as cuLaunchKernelEx
 * takes it. */
typedef struct {
    void *function;
    uint32_t grid[3], block[3], dynamic_shared_bytes;
    void *stream;
} cuda_launch_params;

typedef struct {
    uint32_t grid[3], block[3], dynamic_shared_bytes;
    void *stream;
} cuda_launch_config;

typedef struct {
    const cuda_launch_config *config;
    void *function;
} cuda_launch_ex_params;

enum {
    CUDA_ATTR_SHARED_PER_BLOCK_OPTIN = 97,
    CUDA_FUNC_ATTR_SHARED_BYTES = 1,
    CUDA_FUNC_ATTR_REGISTERS = 4
};

#endif
