/* Finds the CUPTI that fits this process and its driver, and its functions. */
#ifndef HABITAT_RECORDER_CUPTI_LOAD_H
#define HABITAT_RECORDER_CUPTI_LOAD_H

#include "cupti_abi.h"

/* X(member, symbol, required, argument types): every entry is `cupti_result (*)(args)`. */
#define CUPTI_FUNCTIONS(X)                                                                         \
    X(get_version, "cuptiGetVersion", 1, (uint32_t *))                                             \
    X(register_callbacks, "cuptiActivityRegisterCallbacks", 1,                                     \
      (cupti_buffer_requested, cupti_buffer_completed))                                            \
    X(enable, "cuptiActivityEnable", 1, (uint32_t))                                                \
    X(flush_all, "cuptiActivityFlushAll", 1, (uint32_t))                                           \
    X(next_record, "cuptiActivityGetNextRecord", 1, (uint8_t *, size_t, cupti_record **))          \
    X(num_dropped, "cuptiActivityGetNumDroppedRecords", 1, (void *, uint32_t, size_t *))           \
    X(callback_name, "cuptiGetCallbackName", 1, (uint32_t, uint32_t, const char **))               \
    X(result_string, "cuptiGetResultString", 0, (cupti_result, const char **))                     \
    X(set_thread_id_type, "cuptiSetThreadIdType", 0, (uint32_t))                                   \
    X(subscribe, "cuptiSubscribe", 0, (void **, cupti_callback, void *))                           \
    X(enable_callback, "cuptiEnableCallback", 0, (uint32_t, void *, uint32_t, uint32_t))           \
    X(profiler_initialize, "cuptiProfilerInitialize", 0, (void *))                                 \
    X(device_chip_name, "cuptiDeviceGetChipName", 0, (void *))                                     \
    X(counter_availability, "cuptiProfilerGetCounterAvailability", 0, (void *))                    \
    X(host_initialize, "cuptiProfilerHostInitialize", 0, (void *))                                 \
    X(host_add_metrics, "cuptiProfilerHostConfigAddMetrics", 0, (void *))                          \
    X(host_config_size, "cuptiProfilerHostGetConfigImageSize", 0, (void *))                        \
    X(host_config, "cuptiProfilerHostGetConfigImage", 0, (void *))                                 \
    X(host_passes, "cuptiProfilerHostGetNumOfPasses", 0, (void *))                                 \
    X(host_evaluate, "cuptiProfilerHostEvaluateToGpuValues", 0, (void *))                          \
    X(range_enable, "cuptiRangeProfilerEnable", 0, (void *))                                       \
    X(range_set_config, "cuptiRangeProfilerSetConfig", 0, (void *))                                \
    X(range_start, "cuptiRangeProfilerStart", 0, (void *))                                         \
    X(range_stop, "cuptiRangeProfilerStop", 0, (void *))                                           \
    X(range_decode, "cuptiRangeProfilerDecodeData", 0, (void *))                                   \
    X(range_data_size, "cuptiRangeProfilerGetCounterDataSize", 0, (void *))                        \
    X(range_data_init, "cuptiRangeProfilerCounterDataImageInitialize", 0, (void *))                \
    X(range_push, "cuptiRangeProfilerPushRange", 0, (void *))                                      \
    X(range_pop, "cuptiRangeProfilerPopRange", 0, (void *))                                        \
    X(host_base_metrics, "cuptiProfilerHostGetBaseMetrics", 0, (void *))                           \
    X(range_data_info, "cuptiRangeProfilerGetCounterDataInfo", 0, (void *))                        \
    X(nvtx_initialize, "InitializeInjectionNvtx2", 0, (void *))

typedef struct {
#define X(member, symbol, required, args) cupti_result(*member) args;
    CUPTI_FUNCTIONS(X)
#undef X
    void *handle;
    uint32_t version;   /* cuptiGetVersion() */
    int driver_version; /* cuDriverGetVersion(), 13000 for CUDA 13.0; 0: unknown */
    char path[512];     /* the file it came from */
    char why[96];       /* which rule of the search found it */
} cupti_library;

/* Driver entry points, taken from the libcuda already in the process; any may be NULL. */
typedef struct {
    int (*driver_version)(int *);
    int (*device_attribute)(int *, int, int);
    int (*function_attribute)(int *, int, void *);
    int (*kernel_function)(void **, void *); /* CUfunction of a CUkernel */
    int (*context_device)(int *);
    int (*stream_capturing)(void *, int *);
} cuda_driver;

/** The CUDA major version a cuptiGetVersion() value belongs to: 11, 12, 13, ...; 18 came with 11.8
 * and 12.0 (11 is returned for it: the older bound). */
int cupti_cuda_major(uint32_t version);

/** Searches CUPTI (docs/cuda-recorder.md gives the order) and fills `out`.
 *  @param override a file to load and nothing else, or NULL.
 *  @param message  why not, on failure.
 *  @return 0, or -1 with `message` set; `out` is then unspecified. */
int cupti_load(const char *override, cupti_library *out, char *message, size_t message_size);

/** Looks up the driver's entry points; the process must have loaded libcuda. */
void cuda_driver_lookup(cuda_driver *out);

#endif
