/* A CUPTI without a GPU: hands over canned activity records in whatever way a scenario asks for
 * (short buffers, records dropped, out of order, several devices, hostile names), so that the
 * recorder can be tested anywhere.
 *
 * Times are nanoseconds after T0. Records are built with the recorder's own declarations: that
 * those match the vendor's is test_recorder_abi.c's business. */
#include "cupti_abi.h"
#include "cupti_profiler_abi.h"
#include "fake_cupti.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))
#define T0       1700000000123456789u

enum { RECORD_BYTES = 224, MAX_RECORDS = 20000 };

typedef struct {
    _Alignas(8) unsigned char bytes[RECORD_BYTES]; /* every record takes the largest kind's room */
} slot;

static cupti_buffer_requested request;
static cupti_buffer_completed complete;
static slot *pending;
static size_t n_pending, dropped_next;
static bool enabled[64], hold_buffers;
static uint8_t *volatile held; /* kept in sight of leak checkers */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define PUBLIC(name) EXPORTED cupti_result name
PUBLIC(cuptiGetVersion)(uint32_t *version);
PUBLIC(cuptiActivityRegisterCallbacks)(cupti_buffer_requested r, cupti_buffer_completed c);
PUBLIC(cuptiActivityEnable)(uint32_t kind);
PUBLIC(cuptiActivityFlushAll)(uint32_t flag);
PUBLIC(cuptiActivityGetNextRecord)(uint8_t *buffer, size_t valid, cupti_record **record);
PUBLIC(cuptiActivityGetNumDroppedRecords)(void *context, uint32_t stream, size_t *dropped);
PUBLIC(cuptiGetCallbackName)(uint32_t domain, uint32_t cbid, const char **name);
PUBLIC(cuptiGetResultString)(cupti_result code, const char **text);
EXPORTED int fake_cupti_emit(const char *scenario);

cupti_result cuptiGetVersion(uint32_t *version) {
    const char *text = getenv("FAKE_CUPTI_VERSION");
    *version = text ? (uint32_t)strtoul(text, NULL, 10) : 130001;
    return CUPTI_OK;
}

cupti_result cuptiActivityRegisterCallbacks(cupti_buffer_requested r, cupti_buffer_completed c) {
    if (getenv("FAKE_CUPTI_BUSY"))
        return CUPTI_E_MULTIPLE_SUBSCRIBERS;
    request = r;
    complete = c;
    return CUPTI_OK;
}

cupti_result cuptiActivityEnable(uint32_t kind) {
    if (kind < 64)
        enabled[kind] = true;
    return CUPTI_OK;
}

cupti_result cuptiGetResultString(cupti_result code, const char **text) {
    *text = code == CUPTI_E_MULTIPLE_SUBSCRIBERS ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                                                 : "CUPTI_ERROR";
    return CUPTI_OK;
}

cupti_result cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name) {
    if (domain == CUPTI_DOMAIN_RUNTIME && cbid == 211)
        *name = "cudaLaunchKernel_v7000";
    else if (domain == CUPTI_DOMAIN_RUNTIME && cbid == 214)
        *name = "cudaLaunchKernel_ptsz_v7000";
    else if (domain == CUPTI_DOMAIN_RUNTIME && cbid == 165)
        *name = "cudaDeviceSynchronize_v3020";
    else if (domain == CUPTI_DOMAIN_DRIVER && cbid == CUPTI_CBID_cuLaunchKernel)
        *name = "cuLaunchKernel";
    else if (domain == CUPTI_DOMAIN_DRIVER && cbid == 1)
        *name = "cuInit";
    else
        return 1;
    return CUPTI_OK;
}

cupti_result cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *dropped) {
    (void)context, (void)stream;
    pthread_mutex_lock(&lock);
    *dropped = dropped_next;
    dropped_next = 0;
    pthread_mutex_unlock(&lock);
    return CUPTI_OK;
}

cupti_result cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, cupti_record **record) {
    uint8_t *at = *record ? (uint8_t *)*record + RECORD_BYTES : buffer;
    if (at + RECORD_BYTES > buffer + valid)
        return CUPTI_E_MAX_LIMIT_REACHED;
    *record = (cupti_record *)(void *)at;
    return CUPTI_OK;
}

/* Sends `n` records in the buffers the recorder gives; what gets no buffer is dropped and counted,
 * as CUPTI does. */
static void deliver(const slot *records, size_t n) {
    while (n) {
        uint8_t *buffer = NULL;
        size_t size = 0, limit = 0;
        request(&buffer, &size, &limit);
        size_t fits = buffer ? size / RECORD_BYTES : 0;
        if (fits == 0) {
            pthread_mutex_lock(&lock);
            dropped_next += n;
            pthread_mutex_unlock(&lock);
            complete(NULL, 0, buffer, 0, 0);
            return;
        }
        if (fits > n)
            fits = n;
        memcpy(buffer, records, fits * RECORD_BYTES);
        if (hold_buffers) { /* CUPTI is slow: it keeps the buffer, and what is in it */
            hold_buffers = false;
            held = buffer;
            continue;
        }
        complete(NULL, 0, buffer, size, fits * RECORD_BYTES);
        records += fits;
        n -= fits;
    }
}

cupti_result cuptiActivityFlushAll(uint32_t flag) {
    (void)flag;
    size_t n = n_pending;
    n_pending = 0;
    if (n)
        deliver(pending, n);
    else if (complete)
        complete(NULL, 0, NULL, 0, 0); /* an empty completion, as happens */
    return CUPTI_OK;
}

/* Room for a record of `kind`, or NULL where CUPTI would not have recorded it. */
static void *add(uint32_t kind) {
    static slot scratch;
    if (!pending)
        pending = calloc(MAX_RECORDS, sizeof *pending);
    void *at =
        !enabled[kind] || !pending || n_pending == MAX_RECORDS ? &scratch : &pending[n_pending++];
    memset(at, 0, RECORD_BYTES);
    ((cupti_record *)at)->kind = kind;
    return at;
}

static void device(uint32_t id) {
    cupti_device *r = add(CUPTI_KIND_DEVICE);
    r->id = id;
    r->name = "Fake GPU";
    r->memory_bytes = 16000000000u;
    r->cc_major = 9;
    r->sm_count = 132;
    r->warp_size = 32;
    r->max_warps_per_sm = 64;
    r->max_registers_per_sm = r->max_registers_per_block = 65536;
    r->max_shared_per_block_bytes = 49152;
    r->max_shared_per_sm_bytes = 233472;
    r->max_threads_per_block = 1024;
    cupti_context *c = add(CUPTI_KIND_CONTEXT);
    c->context = id + 1;
    c->device = id;
}

static void kernel(const char *name, uint64_t start, uint64_t end, uint32_t device_id,
                   uint32_t stream, uint32_t corr) {
    cupti_kernel *r = add(CUPTI_KIND_CONCURRENT_KERNEL);
    r->name = name;
    r->start_ns = start ? T0 + start : 0;
    r->end_ns = end ? T0 + end : 0;
    r->device = device_id;
    r->context = device_id + 1;
    r->stream = stream;
    r->correlation = corr;
    r->registers = 40;
    r->static_shared_bytes = 1024;
    r->dynamic_shared_bytes = 3072;
    memcpy(r->grid, (int32_t[]){264, 2, 1}, sizeof r->grid);
    memcpy(r->block, (int32_t[]){128, 1, 1}, sizeof r->block);
}

static void api(uint32_t kind, uint32_t cbid, uint64_t start, uint64_t end, uint32_t tid,
                uint32_t corr) {
    cupti_api *r = add(kind);
    r->cbid = cbid;
    r->start_ns = T0 + start;
    r->end_ns = T0 + end;
    r->pid = 42;
    r->tid = tid;
    r->correlation = corr;
}

static void marker(uint32_t flag, const char *name, uint32_t id, uint64_t at, uint32_t tid) {
    cupti_marker *r = add(CUPTI_KIND_MARKER);
    r->flags = flag;
    r->timestamp_ns = T0 + at;
    r->id = id;
    r->object_kind = CUPTI_OBJECT_THREAD;
    r->pid = 42;
    r->tid = tid;
    r->name = name;
}

/* Three steps of 1 ms: step > forward > launch; the kernel runs after its range has ended. */
static void step(uint32_t i, bool reverse) {
    uint64_t t = 1000000u * i;
    uint32_t corr = 100 + 10 * i;
    if (reverse) {
        kernel("_Z4axpyfPKfPf", t + 500000, t + 900001, 0, 7, corr + 1);
        kernel("_ZN4gemm4tileILi64EEEvPKfPf", t + 300000, t + 400000, 0, 13, corr);
    }
    marker(CUPTI_FLAG_MARKER_START, "step", 1000 + i, t + 1000, 43);
    marker(CUPTI_FLAG_MARKER_START, "forward", 2000 + i, t + 2000, 43);
    api(CUPTI_KIND_DRIVER, CUPTI_CBID_cuLaunchKernel, t + 3100, t + 3900, 43, corr);
    api(CUPTI_KIND_RUNTIME, 211, t + 3000, t + 4000, 43, corr);
    marker(CUPTI_FLAG_MARKER_END, NULL, 2000 + i, t + 5000, 43);
    api(CUPTI_KIND_DRIVER, CUPTI_CBID_cuLaunchKernel, t + 6000, t + 7000, 43, corr + 1);
    marker(CUPTI_FLAG_MARKER_END, NULL, 1000 + i, t + 8000, 43);
    if (!reverse) {
        kernel("_ZN4gemm4tileILi64EEEvPKfPf", t + 300000, t + 400000, 0, 13, corr);
        kernel("_Z4axpyfPKfPf", t + 500000, t + 900001, 0, 7, corr + 1);
    }
}

static void basic(void) {
    device(0);
    api(CUPTI_KIND_DRIVER, 1, 10, 20, 43, 1);
    cupti_memcpy *copy = add(CUPTI_KIND_MEMCPY);
    *copy = (cupti_memcpy){.kind = CUPTI_KIND_MEMCPY,
                           .copy_kind = 1,
                           .src_kind = 1,
                           .dst_kind = 3,
                           .bytes = 4096,
                           .start_ns = T0 + 100,
                           .end_ns = T0 + 1124,
                           .context = 1,
                           .stream = 7,
                           .correlation = 50};
    cupti_memset *set = add(CUPTI_KIND_MEMSET);
    *set = (cupti_memset){.kind = CUPTI_KIND_MEMSET,
                          .bytes = 64,
                          .start_ns = T0 + 2000,
                          .end_ns = T0 + 2500,
                          .context = 1,
                          .stream = 7,
                          .correlation = 51,
                          .memory_kind = 3};
    for (uint32_t i = 0; i < 3; i++)
        step(i, false);
    cupti_sync *sync = add(CUPTI_KIND_SYNCHRONIZATION);
    *sync = (cupti_sync){.kind = CUPTI_KIND_SYNCHRONIZATION,
                         .type = 4,
                         .start_ns = T0 + 3000000,
                         .end_ns = T0 + 3000500,
                         .correlation = 60,
                         .context = 1,
                         .stream = UINT32_MAX};
    cupti_overhead *overhead = add(CUPTI_KIND_OVERHEAD);
    *overhead = (cupti_overhead){.kind = CUPTI_KIND_OVERHEAD,
                                 .overhead_kind = 7u << 16,
                                 .object_kind = 2,
                                 .pid = 42,
                                 .tid = 43,
                                 .start_ns = T0 + 30,
                                 .end_ns = T0 + 90};
    cupti_external *external = add(CUPTI_KIND_EXTERNAL_CORRELATION);
    *external = (cupti_external){.kind = CUPTI_KIND_EXTERNAL_CORRELATION,
                                 .external_kind = 3,
                                 .external_id = 77,
                                 .correlation = 100};
}

static void hostile(void) {
    device(0);
    kernel("quote\" back\\slash \n tab\t \x01 bad\xff\xc3 good\xc3\xa9", 1000, 2000, 0, 7, 1);
    kernel(NULL, 3000, 4000, 0, 7, 2);
    kernel("_Z-not-a-mangled-name", 5000, 6000, 0, 7, 3);
    kernel("never_ended", 7000, 0, 0, 7, 4);
    kernel("never_started", 0, 0, 0, 7, 5);
    kernel("backwards", 9000, 8000, 0, 7, 6);
    marker(CUPTI_FLAG_MARKER_START, "open for ever", 1, 1, 43);
    marker(CUPTI_FLAG_MARKER_END, NULL, 2, 2, 43);
    cupti_record *unknown = add(CUPTI_KIND_MEMSET);
    unknown->kind = 51;
}

static void devices(void) {
    device(0);
    device(1);
    kernel("on0", 1000, 2000, 0, 7, 1);
    kernel("on1", 1500, 2500, 1, 7, 2);
    cupti_memcpy2 *copy = add(CUPTI_KIND_MEMCPY2);
    *copy = (cupti_memcpy2){.kind = CUPTI_KIND_MEMCPY2,
                            .copy_kind = 10,
                            .src_kind = 3,
                            .dst_kind = 3,
                            .bytes = 1000,
                            .start_ns = T0 + 2600,
                            .end_ns = T0 + 2700,
                            .device = 0,
                            .context = 1,
                            .stream = 9,
                            .src_device = 0,
                            .dst_device = 1,
                            .dst_context = 2,
                            .correlation = 3};
    /* A range that ends on another thread than it began on, its end handed over first. */
    marker(CUPTI_FLAG_MARKER_END, NULL, 5, 4000, 44);
    marker(CUPTI_FLAG_MARKER_START, "across", 5, 500, 43);
}

static void *emit_from_thread(void *number) {
    uint32_t base = *(uint32_t *)number * 1000;
    slot *mine = calloc(1000, sizeof *mine);
    if (!mine)
        return NULL;
    for (uint32_t i = 0; i < 1000; i++) {
        cupti_kernel *r = (void *)&mine[i];
        *r = (cupti_kernel){.kind = CUPTI_KIND_CONCURRENT_KERNEL,
                            .name = i % 2 ? "odd" : "even",
                            .start_ns = T0 + base + i,
                            .end_ns = T0 + base + i + 1,
                            .stream = 7,
                            .correlation = base + i,
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1}};
    }
    deliver(mine, 1000);
    free(mine);
    return NULL;
}

static void threads(void) {
    pthread_t ids[4];
    uint32_t numbers[4] = {0, 1, 2, 3};
    for (int i = 0; i < 4; i++)
        pthread_create(&ids[i], NULL, emit_from_thread, &numbers[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
}

/* The Range Profiler. FAKE_CUPTI_COUNTERS: "denied" (no permission), "push" (ranges count only when
 * pushed), "old" (the chip has fewer metrics), "hang" (the second kernel's launch does). Counters
 * read are 1000 times the metric's place in `chip_metrics`, plus the grid's width. */
static cupti_callback launch_callback;
static struct {
    bool enabled, started, pushed, launched;
    int grid_x;
    size_t ranges;
} profiler;
static const char *chip_metrics[] = {"dram__bytes_read",
                                     "dram__bytes_write",
                                     "sm__sass_thread_inst_executed_op_fadd_pred_on",
                                     "sm__sass_thread_inst_executed_op_fmul_pred_on",
                                     "sm__sass_thread_inst_executed_op_ffma_pred_on",
                                     "sm__ops_path_tensor_src_fp16",
                                     "something__else"};

static bool counters_are(const char *way) {
    const char *text = getenv("FAKE_CUPTI_COUNTERS");
    return text && strcmp(text, way) == 0;
}

#define PROFILER(name)                                                                             \
    PUBLIC(name)(void *params);                                                                    \
    cupti_result name(void *params)

PUBLIC(cuptiSubscribe)(void **subscriber, cupti_callback callback, void *user);
PUBLIC(cuptiEnableCallback)(uint32_t on, void *subscriber, uint32_t domain, uint32_t cbid);

cupti_result cuptiSubscribe(void **subscriber, cupti_callback callback, void *user) {
    (void)user;
    *subscriber = &profiler;
    launch_callback = callback;
    return CUPTI_OK;
}

cupti_result cuptiEnableCallback(uint32_t on, void *subscriber, uint32_t domain, uint32_t cbid) {
    (void)on, (void)subscriber, (void)domain, (void)cbid;
    return CUPTI_OK;
}

PROFILER(cuptiProfilerInitialize) {
    return ((profiler_initialize_params *)params)->size == 16 ? CUPTI_OK : 1;
}

PROFILER(cuptiDeviceGetChipName) {
    ((profiler_chip_params *)params)->chip = "FAKE100";
    return CUPTI_OK;
}

PROFILER(cuptiProfilerGetCounterAvailability) {
    profiler_availability_params *p = params;
    if (counters_are("denied"))
        return CUPTI_E_INSUFFICIENT_PRIVILEGES;
    if (p->image)
        memset(p->image, 7, p->image_bytes);
    p->image_bytes = 8;
    return CUPTI_OK;
}

PROFILER(cuptiProfilerHostInitialize) {
    profiler_host_params *p = params;
    p->host = &profiler;
    return p->size == 48 && p->availability && p->availability[0] == 7 ? CUPTI_OK : 1;
}

PROFILER(cuptiProfilerHostGetBaseMetrics) {
    profiler_base_metrics_params *p = params;
    p->names = chip_metrics;
    p->count = sizeof chip_metrics / sizeof *chip_metrics - (counters_are("old") ? 2 : 0);
    return CUPTI_OK;
}

PROFILER(cuptiProfilerHostConfigAddMetrics) {
    return ((profiler_add_params *)params)->count >= 5 ? CUPTI_OK : 1;
}

PROFILER(cuptiProfilerHostGetConfigImageSize) {
    ((profiler_config_size_params *)params)->bytes = 16;
    return CUPTI_OK;
}

PROFILER(cuptiProfilerHostGetConfigImage) {
    profiler_config_params *p = params;
    memset(p->config, 5, p->bytes);
    return CUPTI_OK;
}

PROFILER(cuptiProfilerHostGetNumOfPasses) {
    ((profiler_passes_params *)params)->passes = 3;
    return CUPTI_OK;
}

PROFILER(cuptiRangeProfilerEnable) {
    ((range_enable_params *)params)->range_profiler = &profiler;
    profiler.enabled = true;
    return CUPTI_OK;
}

PROFILER(cuptiRangeProfilerGetCounterDataSize) {
    ((range_data_size_params *)params)->bytes = 32;
    return profiler.enabled ? CUPTI_OK : 1;
}

PROFILER(cuptiRangeProfilerCounterDataImageInitialize) {
    range_data_init_params *p = params;
    memset(p->data, 3, p->bytes);
    return CUPTI_OK;
}

PROFILER(cuptiRangeProfilerSetConfig) {
    range_config_params *p = params;
    return p->size == 90 && p->config[0] == 5 && p->data[0] == 3 ? CUPTI_OK : 1;
}

PROFILER(cuptiRangeProfilerStart) {
    (void)params;
    if (profiler.started)
        return 1;
    profiler.started = true;
    profiler.pushed = profiler.launched = false;
    return CUPTI_OK;
}

PROFILER(cuptiRangeProfilerPushRange) {
    (void)params;
    profiler.pushed = true;
    return profiler.started ? CUPTI_OK : 1;
}

PROFILER(cuptiRangeProfilerPopRange) {
    (void)params;
    return profiler.pushed ? CUPTI_OK : 1;
}

PROFILER(cuptiRangeProfilerStop) {
    (void)params;
    if (!profiler.started)
        return 1;
    profiler.started = false;
    profiler.ranges = profiler.launched && (profiler.pushed || !counters_are("push"));
    return CUPTI_OK;
}

PROFILER(cuptiRangeProfilerDecodeData) {
    ((range_decode_params *)params)->dropped = 0;
    return CUPTI_OK;
}

PROFILER(cuptiRangeProfilerGetCounterDataInfo) {
    ((range_data_info_params *)params)->ranges = profiler.ranges;
    return CUPTI_OK;
}

PROFILER(cuptiProfilerHostEvaluateToGpuValues) {
    profiler_evaluate_params *p = params;
    for (size_t i = 0; i < p->count; i++) {
        size_t place = 0;
        while (strncmp(p->names[i], chip_metrics[place], strlen(chip_metrics[place])) != 0)
            place++;
        p->values[i] = 1000.0 * (double)(place + 1) + profiler.grid_x;
    }
    return CUPTI_OK;
}

/* A driver launch with the callbacks CUPTI makes around it. */
static void launch(const char *name, uint32_t grid_x, bool extended) {
    cuda_launch_config config = {
        .grid = {grid_x, 2, 1}, .block = {128, 1, 1}, .dynamic_shared_bytes = 4096};
    cuda_launch_ex_params ex = {.config = &config, .function = (void *)(uintptr_t)name};
    cuda_launch_params plain = {.function = ex.function, .dynamic_shared_bytes = 4096};
    memcpy(plain.grid, config.grid, sizeof plain.grid);
    memcpy(plain.block, config.block, sizeof plain.block);
    cupti_callback_data data = {
        .symbol_name = name, .context = &profiler, .params = extended ? (void *)&ex : &plain};
    uint32_t cbid = extended ? CUPTI_CBID_cuLaunchKernelEx : CUPTI_CBID_cuLaunchKernel;
    data.site = CUPTI_SITE_ENTER;
    launch_callback(NULL, CUPTI_DOMAIN_DRIVER, cbid, &data);
    profiler.grid_x = (int)grid_x;
    profiler.launched = true;
    if (profiler.started) { /* the replay launches the kernel again, inside */
        launch_callback(NULL, CUPTI_DOMAIN_DRIVER, cbid, &data);
        data.site = CUPTI_SITE_EXIT;
        launch_callback(NULL, CUPTI_DOMAIN_DRIVER, cbid, &data);
        if (!profiler.started)
            abort();
    }
    data.site = CUPTI_SITE_EXIT;
    launch_callback(NULL, CUPTI_DOMAIN_DRIVER, cbid, &data);
}

/* A launch that never comes back. Its thread is gone between the enter and the exit callback, which
 * looks the same to the recorder and leaves nothing running at the program's end. */
static void *begin_launch(void *unused) {
    (void)unused;
    static const char name[] = "_Z4axpyfPKfPf";
    cuda_launch_params plain = {.function = (void *)(uintptr_t)name,
                                .grid = {264, 2, 1},
                                .block = {128, 1, 1},
                                .dynamic_shared_bytes = 4096};
    cupti_callback_data data = {
        .site = CUPTI_SITE_ENTER, .symbol_name = name, .context = &profiler, .params = &plain};
    launch_callback(NULL, CUPTI_DOMAIN_DRIVER, CUPTI_CBID_cuLaunchKernel, &data);
    return NULL;
}

static void hang_in_launch(void) {
    pthread_t thread;
    launch("_ZN4gemm4tileILi64EEEvPKfPf", 264, true);
    if (pthread_create(&thread, NULL, begin_launch, NULL) == 0)
        pthread_join(thread, NULL);
}

/* The kernels of `basic`, three steps of them. */
static void launches(void) {
    if (counters_are("hang")) {
        hang_in_launch();
        return;
    }
    for (int i = 0; i < 3; i++) {
        launch("_ZN4gemm4tileILi64EEEvPKfPf", 264, true);
        launch("_Z4axpyfPKfPf", 264, false);
        launch("not_in_the_trace", 1, false);
    }
}

int fake_cupti_emit(const char *scenario) {
    if (launch_callback)
        launches();
    if (!request || strcmp(scenario, "nothing") == 0)
        return 0;
    if (strcmp(scenario, "basic") == 0) {
        basic();
    } else if (strcmp(scenario, "disorder") == 0) {
        for (uint32_t i = 3; i-- > 0;)
            step(i, true);
        device(0);
    } else if (strcmp(scenario, "dropped") == 0) {
        basic();
        dropped_next = 7;
    } else if (strcmp(scenario, "held") == 0) {
        hold_buffers = true;
        basic();
    } else if (strcmp(scenario, "many") == 0) {
        device(0);
        for (uint32_t i = 0; i < 15000; i++)
            kernel("many", 1000 + 10 * i, 1005 + 10 * i, 0, 7, i);
    } else if (strcmp(scenario, "hostile") == 0) {
        hostile();
    } else if (strcmp(scenario, "devices") == 0) {
        devices();
    } else if (strcmp(scenario, "threads") == 0) {
        threads();
    } else {
        return -1;
    }
    return 0;
}
