/* The recorder's declarations of CUPTI's records against the vendor's headers; built only where a
 * machine has them (tests/recorder.cmake). A difference is a compile error, so running it only says
 * so. The newest version of each record is compared: CUPTI appends. */
#include <cuda.h>
#include <cupti.h>
#if CUPTI_API_VERSION >= 24
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#endif

#include "check.h"
#include "cupti_abi.h"
#include "cupti_profiler_abi.h"

#define SAME(ours, field, theirs, name)                                                            \
    _Static_assert(offsetof(ours, field) == offsetof(theirs, name), #field " lies elsewhere");     \
    _Static_assert(sizeof(((ours *)0)->field) >= sizeof(((theirs *)0)->name), #field " is wider")

#if CUPTI_API_VERSION >= 130000
typedef CUpti_ActivityKernel10 kernel;
#elif CUPTI_API_VERSION >= 19
typedef CUpti_ActivityKernel9 kernel;
#else
typedef CUpti_ActivityKernel8 kernel;
#endif
SAME(cupti_kernel, registers, kernel, registersPerThread);
SAME(cupti_kernel, start_ns, kernel, start);
SAME(cupti_kernel, end_ns, kernel, end);
SAME(cupti_kernel, device, kernel, deviceId);
SAME(cupti_kernel, context, kernel, contextId);
SAME(cupti_kernel, stream, kernel, streamId);
SAME(cupti_kernel, grid[0], kernel, gridX);
SAME(cupti_kernel, grid[2], kernel, gridZ);
SAME(cupti_kernel, block[0], kernel, blockX);
SAME(cupti_kernel, block[2], kernel, blockZ);
SAME(cupti_kernel, static_shared_bytes, kernel, staticSharedMemory);
SAME(cupti_kernel, dynamic_shared_bytes, kernel, dynamicSharedMemory);
SAME(cupti_kernel, correlation, kernel, correlationId);
SAME(cupti_kernel, name, kernel, name);
SAME(cupti_kernel, graph_node_id, kernel, graphNodeId);
SAME(cupti_kernel, graph_id, kernel, graphId);
SAME(cupti_kernel, cluster[0], kernel, clusterX);
SAME(cupti_kernel, cluster[2], kernel, clusterZ);

SAME(cupti_memcpy, copy_kind, CUpti_ActivityMemcpy5, copyKind);
SAME(cupti_memcpy, dst_kind, CUpti_ActivityMemcpy5, dstKind);
SAME(cupti_memcpy, flags, CUpti_ActivityMemcpy5, flags);
SAME(cupti_memcpy, bytes, CUpti_ActivityMemcpy5, bytes);
SAME(cupti_memcpy, end_ns, CUpti_ActivityMemcpy5, end);
SAME(cupti_memcpy, device, CUpti_ActivityMemcpy5, deviceId);
SAME(cupti_memcpy, correlation, CUpti_ActivityMemcpy5, correlationId);
SAME(cupti_memcpy, graph_id, CUpti_ActivityMemcpy5, graphId);

SAME(cupti_memcpy2, bytes, CUpti_ActivityMemcpyPtoP4, bytes);
SAME(cupti_memcpy2, stream, CUpti_ActivityMemcpyPtoP4, streamId);
SAME(cupti_memcpy2, src_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
SAME(cupti_memcpy2, dst_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId);
SAME(cupti_memcpy2, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME(cupti_memcpy2, graph_id, CUpti_ActivityMemcpyPtoP4, graphId);

SAME(cupti_memset, value, CUpti_ActivityMemset4, value);
SAME(cupti_memset, bytes, CUpti_ActivityMemset4, bytes);
SAME(cupti_memset, stream, CUpti_ActivityMemset4, streamId);
SAME(cupti_memset, memory_kind, CUpti_ActivityMemset4, memoryKind);
SAME(cupti_memset, graph_id, CUpti_ActivityMemset4, graphId);

SAME(cupti_api, cbid, CUpti_ActivityAPI, cbid);
SAME(cupti_api, start_ns, CUpti_ActivityAPI, start);
SAME(cupti_api, pid, CUpti_ActivityAPI, processId);
SAME(cupti_api, tid, CUpti_ActivityAPI, threadId);
SAME(cupti_api, correlation, CUpti_ActivityAPI, correlationId);
SAME(cupti_api, return_value, CUpti_ActivityAPI, returnValue);

SAME(cupti_device, bandwidth_kb_per_s, CUpti_ActivityDevice4, globalMemoryBandwidth);
SAME(cupti_device, memory_bytes, CUpti_ActivityDevice4, globalMemorySize);
SAME(cupti_device, l2_bytes, CUpti_ActivityDevice4, l2CacheSize);
SAME(cupti_device, core_clock_khz, CUpti_ActivityDevice4, coreClockRate);
SAME(cupti_device, sm_count, CUpti_ActivityDevice4, numMultiprocessors);
SAME(cupti_device, max_warps_per_sm, CUpti_ActivityDevice4, maxWarpsPerMultiprocessor);
SAME(cupti_device, max_shared_per_sm_bytes, CUpti_ActivityDevice4,
     maxSharedMemoryPerMultiprocessor);
SAME(cupti_device, max_registers_per_block, CUpti_ActivityDevice4, maxRegistersPerBlock);
SAME(cupti_device, cc_major, CUpti_ActivityDevice4, computeCapabilityMajor);
SAME(cupti_device, id, CUpti_ActivityDevice4, id);
SAME(cupti_device, name, CUpti_ActivityDevice4, name);

SAME(cupti_context, context, CUpti_ActivityContext, contextId);
SAME(cupti_context, device, CUpti_ActivityContext, deviceId);
SAME(cupti_marker, flags, CUpti_ActivityMarker2, flags);
SAME(cupti_marker, timestamp_ns, CUpti_ActivityMarker2, timestamp);
SAME(cupti_marker, id, CUpti_ActivityMarker2, id);
SAME(cupti_marker, pid, CUpti_ActivityMarker2, objectId.pt.processId);
SAME(cupti_marker, tid, CUpti_ActivityMarker2, objectId.pt.threadId);
SAME(cupti_marker, name, CUpti_ActivityMarker2, name);
SAME(cupti_marker, domain, CUpti_ActivityMarker2, domain);
SAME(cupti_overhead, overhead_kind, CUpti_ActivityOverhead, overheadKind);
SAME(cupti_overhead, start_ns, CUpti_ActivityOverhead, start);
SAME(cupti_sync, type, CUpti_ActivitySynchronization, type);
SAME(cupti_sync, correlation, CUpti_ActivitySynchronization, correlationId);
SAME(cupti_sync, event, CUpti_ActivitySynchronization, cudaEventId);
SAME(cupti_external, external_id, CUpti_ActivityExternalCorrelation, externalId);
SAME(cupti_external, correlation, CUpti_ActivityExternalCorrelation, correlationId);

SAME(cupti_callback_data, symbol_name, CUpti_CallbackData, symbolName);
SAME(cupti_callback_data, context, CUpti_CallbackData, context);
SAME(cupti_callback_data, correlation, CUpti_CallbackData, correlationId);
SAME(cuda_launch_params, function, cuLaunchKernel_params, f);
SAME(cuda_launch_params, grid[0], cuLaunchKernel_params, gridDimX);
SAME(cuda_launch_params, block[2], cuLaunchKernel_params, blockDimZ);
SAME(cuda_launch_params, dynamic_shared_bytes, cuLaunchKernel_params, sharedMemBytes);
SAME(cuda_launch_params, dynamic_shared_bytes, cuLaunchCooperativeKernel_params, sharedMemBytes);
SAME(cuda_launch_ex_params, config, cuLaunchKernelEx_params, config);
SAME(cuda_launch_ex_params, function, cuLaunchKernelEx_params, f);
SAME(cuda_launch_params, stream, cuLaunchKernel_params, hStream);
SAME(cuda_launch_params, stream, cuLaunchCooperativeKernel_params, hStream);
SAME(cuda_launch_config, stream, CUlaunchConfig, hStream);
SAME(cuda_launch_config, grid[0], CUlaunchConfig, gridDimX);
SAME(cuda_launch_config, block[0], CUlaunchConfig, blockDimX);
SAME(cuda_launch_config, dynamic_shared_bytes, CUlaunchConfig, sharedMemBytes);

#define NUMBER(ours, theirs)                                                                       \
    _Static_assert((int)(ours) == (int)(theirs), #theirs " has another number")
NUMBER(CUPTI_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY);
NUMBER(CUPTI_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET);
NUMBER(CUPTI_KIND_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER);
NUMBER(CUPTI_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME);
NUMBER(CUPTI_KIND_DEVICE, CUPTI_ACTIVITY_KIND_DEVICE);
NUMBER(CUPTI_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_CONTEXT);
NUMBER(CUPTI_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
NUMBER(CUPTI_KIND_MARKER, CUPTI_ACTIVITY_KIND_MARKER);
NUMBER(CUPTI_KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD);
NUMBER(CUPTI_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2);
NUMBER(CUPTI_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
NUMBER(CUPTI_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
NUMBER(CUPTI_DOMAIN_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API);
NUMBER(CUPTI_DOMAIN_RUNTIME, CUPTI_CB_DOMAIN_RUNTIME_API);
NUMBER(CUPTI_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel);
NUMBER(CUPTI_CBID_cuLaunchKernel_ptsz, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz);
NUMBER(CUPTI_CBID_cuLaunchCooperativeKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel);
NUMBER(CUPTI_CBID_cuLaunchCooperativeKernel_ptsz,
       CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz);
NUMBER(CUPTI_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx);
NUMBER(CUPTI_CBID_cuLaunchKernelEx_ptsz, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz);
NUMBER(CUPTI_E_MAX_LIMIT_REACHED, CUPTI_ERROR_MAX_LIMIT_REACHED);
NUMBER(CUPTI_E_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
NUMBER(CUPTI_E_VIRTUALIZED_PRIVILEGES, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
NUMBER(CUPTI_E_MULTIPLE_SUBSCRIBERS, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
NUMBER(CUPTI_FLAG_MARKER_START, CUPTI_ACTIVITY_FLAG_MARKER_START);
NUMBER(CUPTI_FLAG_MARKER_END, CUPTI_ACTIVITY_FLAG_MARKER_END);
NUMBER(CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
NUMBER(CUPTI_THREAD_ID_SYSTEM, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
NUMBER(CUDA_ATTR_SHARED_PER_BLOCK_OPTIN, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
NUMBER(CUDA_FUNC_ATTR_SHARED_BYTES, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
NUMBER(CUDA_FUNC_ATTR_REGISTERS, CU_FUNC_ATTRIBUTE_NUM_REGS);

#if CUPTI_API_VERSION >= 24
/* The last field of each also fixes the size that CUPTI is told. */
SAME(profiler_initialize_params, priv, CUpti_Profiler_Initialize_Params, pPriv);
_Static_assert(PROFILER_SIZE(profiler_initialize_params, priv) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_Profiler_Initialize_Params, pPriv),
               "size told");
SAME(profiler_chip_params, device, CUpti_Device_GetChipName_Params, deviceIndex);
SAME(profiler_chip_params, chip, CUpti_Device_GetChipName_Params, pChipName);
_Static_assert(PROFILER_SIZE(profiler_chip_params, chip) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_Device_GetChipName_Params, pChipName),
               "size told");
SAME(profiler_availability_params, context, CUpti_Profiler_GetCounterAvailability_Params, ctx);
SAME(profiler_availability_params, image_bytes, CUpti_Profiler_GetCounterAvailability_Params,
     counterAvailabilityImageSize);
SAME(profiler_availability_params, image, CUpti_Profiler_GetCounterAvailability_Params,
     pCounterAvailabilityImage);
_Static_assert(PROFILER_SIZE(profiler_availability_params, image) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_Profiler_GetCounterAvailability_Params,
                                              pCounterAvailabilityImage),
               "size told");
SAME(profiler_host_params, type, CUpti_Profiler_Host_Initialize_Params, profilerType);
SAME(profiler_host_params, chip, CUpti_Profiler_Host_Initialize_Params, pChipName);
SAME(profiler_host_params, availability, CUpti_Profiler_Host_Initialize_Params,
     pCounterAvailabilityImage);
SAME(profiler_host_params, host, CUpti_Profiler_Host_Initialize_Params, pHostObject);
_Static_assert(PROFILER_SIZE(profiler_host_params, host) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_Profiler_Host_Initialize_Params, pHostObject),
               "size told");
SAME(profiler_base_metrics_params, host, CUpti_Profiler_Host_GetBaseMetrics_Params, pHostObject);
SAME(profiler_base_metrics_params, type, CUpti_Profiler_Host_GetBaseMetrics_Params, metricType);
SAME(profiler_base_metrics_params, names, CUpti_Profiler_Host_GetBaseMetrics_Params, ppMetricNames);
SAME(profiler_base_metrics_params, count, CUpti_Profiler_Host_GetBaseMetrics_Params, numMetrics);
_Static_assert(PROFILER_SIZE(profiler_base_metrics_params, count) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_Profiler_Host_GetBaseMetrics_Params,
                                              numMetrics),
               "size told");
SAME(profiler_add_params, host, CUpti_Profiler_Host_ConfigAddMetrics_Params, pHostObject);
SAME(profiler_add_params, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames);
SAME(profiler_add_params, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics);
_Static_assert(PROFILER_SIZE(profiler_add_params, count) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_Profiler_Host_ConfigAddMetrics_Params,
                                              numMetrics),
               "size told");
SAME(profiler_config_size_params, host, CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject);
SAME(profiler_config_size_params, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params,
     configImageSize);
_Static_assert(PROFILER_SIZE(profiler_config_size_params, bytes) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_Profiler_Host_GetConfigImageSize_Params,
                                              configImageSize),
               "size told");
SAME(profiler_config_params, host, CUpti_Profiler_Host_GetConfigImage_Params, pHostObject);
SAME(profiler_config_params, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize);
SAME(profiler_config_params, config, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage);
_Static_assert(PROFILER_SIZE(profiler_config_params, config) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_Profiler_Host_GetConfigImage_Params,
                                              pConfigImage),
               "size told");
SAME(profiler_passes_params, bytes, CUpti_Profiler_Host_GetNumOfPasses_Params, configImageSize);
SAME(profiler_passes_params, config, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage);
SAME(profiler_passes_params, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses);
_Static_assert(PROFILER_SIZE(profiler_passes_params, passes) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_Profiler_Host_GetNumOfPasses_Params,
                                              numOfPasses),
               "size told");
SAME(profiler_evaluate_params, host, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pHostObject);
SAME(profiler_evaluate_params, data, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
     pCounterDataImage);
SAME(profiler_evaluate_params, data_bytes, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
     counterDataImageSize);
SAME(profiler_evaluate_params, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex);
SAME(profiler_evaluate_params, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
     ppMetricNames);
SAME(profiler_evaluate_params, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics);
SAME(profiler_evaluate_params, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params,
     pMetricValues);
_Static_assert(PROFILER_SIZE(profiler_evaluate_params, values) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_Profiler_Host_EvaluateToGpuValues_Params,
                                              pMetricValues),
               "size told");
SAME(range_enable_params, context, CUpti_RangeProfiler_Enable_Params, ctx);
SAME(range_enable_params, range_profiler, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject);
_Static_assert(PROFILER_SIZE(range_enable_params, range_profiler) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_RangeProfiler_Enable_Params,
                                              pRangeProfilerObject),
               "size told");
SAME(range_object_params, range_profiler, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject);
_Static_assert(PROFILER_SIZE(range_object_params, range_profiler) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_RangeProfiler_Start_Params,
                                              pRangeProfilerObject),
               "size told");
SAME(range_push_params, range_profiler, CUpti_RangeProfiler_PushRange_Params, pRangeProfilerObject);
SAME(range_push_params, name, CUpti_RangeProfiler_PushRange_Params, pRangeName);
_Static_assert(PROFILER_SIZE(range_push_params, name) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_RangeProfiler_PushRange_Params, pRangeName),
               "size told");
SAME(range_stop_params, range_profiler, CUpti_RangeProfiler_Stop_Params, pRangeProfilerObject);
SAME(range_stop_params, pass, CUpti_RangeProfiler_Stop_Params, passIndex);
SAME(range_stop_params, nesting_level, CUpti_RangeProfiler_Stop_Params, targetNestingLevel);
SAME(range_stop_params, all_passes_submitted, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted);
_Static_assert(PROFILER_SIZE(range_stop_params, all_passes_submitted) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted),
               "size told");
SAME(range_decode_params, range_profiler, CUpti_RangeProfiler_DecodeData_Params,
     pRangeProfilerObject);
SAME(range_decode_params, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped);
_Static_assert(PROFILER_SIZE(range_decode_params, dropped) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_RangeProfiler_DecodeData_Params,
                                              numOfRangeDropped),
               "size told");
SAME(range_data_size_params, range_profiler, CUpti_RangeProfiler_GetCounterDataSize_Params,
     pRangeProfilerObject);
SAME(range_data_size_params, names, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames);
SAME(range_data_size_params, count, CUpti_RangeProfiler_GetCounterDataSize_Params, numMetrics);
SAME(range_data_size_params, max_ranges, CUpti_RangeProfiler_GetCounterDataSize_Params,
     maxNumOfRanges);
SAME(range_data_size_params, max_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params,
     maxNumRangeTreeNodes);
SAME(range_data_size_params, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize);
_Static_assert(PROFILER_SIZE(range_data_size_params, bytes) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_RangeProfiler_GetCounterDataSize_Params,
                                              counterDataSize),
               "size told");
SAME(range_data_init_params, range_profiler, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
     pRangeProfilerObject);
SAME(range_data_init_params, bytes, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
     counterDataSize);
SAME(range_data_init_params, data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params,
     pCounterData);
_Static_assert(PROFILER_SIZE(range_data_init_params, data) ==
                   CUPTI_PROFILER_STRUCT_SIZE(
                       CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData),
               "size told");
SAME(range_data_info_params, data, CUpti_RangeProfiler_GetCounterDataInfo_Params,
     pCounterDataImage);
SAME(range_data_info_params, bytes, CUpti_RangeProfiler_GetCounterDataInfo_Params,
     counterDataImageSize);
SAME(range_data_info_params, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges);
_Static_assert(PROFILER_SIZE(range_data_info_params, ranges) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_RangeProfiler_GetCounterDataInfo_Params,
                                              numTotalRanges),
               "size told");
SAME(range_config_params, range_profiler, CUpti_RangeProfiler_SetConfig_Params,
     pRangeProfilerObject);
SAME(range_config_params, config_bytes, CUpti_RangeProfiler_SetConfig_Params, configSize);
SAME(range_config_params, config, CUpti_RangeProfiler_SetConfig_Params, pConfig);
SAME(range_config_params, data_bytes, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize);
SAME(range_config_params, data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage);
SAME(range_config_params, range_mode, CUpti_RangeProfiler_SetConfig_Params, range);
SAME(range_config_params, replay_mode, CUpti_RangeProfiler_SetConfig_Params, replayMode);
SAME(range_config_params, max_ranges_per_pass, CUpti_RangeProfiler_SetConfig_Params,
     maxRangesPerPass);
SAME(range_config_params, nesting_levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels);
SAME(range_config_params, min_nesting_level, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel);
SAME(range_config_params, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex);
SAME(range_config_params, target_nesting_level, CUpti_RangeProfiler_SetConfig_Params,
     targetNestingLevel);
_Static_assert(PROFILER_SIZE(range_config_params, target_nesting_level) ==
                   CUPTI_PROFILER_STRUCT_SIZE(CUpti_RangeProfiler_SetConfig_Params,
                                              targetNestingLevel),
               "size told");
NUMBER(PROFILER_AUTO_RANGE, CUPTI_AutoRange);
NUMBER(PROFILER_KERNEL_REPLAY, CUPTI_KernelReplay);
NUMBER(PROFILER_TYPE_RANGE, CUPTI_PROFILER_TYPE_RANGE_PROFILER);
NUMBER(PROFILER_METRIC_COUNTER, CUPTI_METRIC_TYPE_COUNTER);
#endif

int main(void) {
    printf("# compared with CUPTI version %d\n", CUPTI_API_VERSION);
    check_case("records, callbacks and numbers lie where the vendor's headers put them");
    return check_done();
}
