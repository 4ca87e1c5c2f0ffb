/* Keys and categories that matter; all others are skipped. */
#include "trace/reader.h"

#include <string.h>

key key_of_event(const char *text, size_t length) {
    switch (length) {
    case 2:
        return IS("ph") ? KEY_PH : IS("ts") ? KEY_TS : IS("id") ? KEY_ID : KEY_NONE;
    case 3:
        return IS("cat")   ? KEY_CAT
               : IS("pid") ? KEY_PID
               : IS("tid") ? KEY_TID
               : IS("dur") ? KEY_DUR
                           : KEY_NONE;
    case 4:
        return IS("name") ? KEY_NAME : IS("args") ? KEY_ARGS : KEY_NONE;
    default:
        return KEY_NONE;
    }
}

static key lookup(const known_key *table, size_t count, const char *text, size_t length) {
    for (size_t i = 0; i < count; i++)
        if (!strncmp(table[i].text, text, length) && !table[i].text[length])
            return table[i].key;
    return KEY_NONE;
}

/* Kernels' keys that end a long list of others, by length to keep each miss cheap. */
key key_of_argument(const char *text, size_t length) {
    switch (length) {
    case 4:
        return IS("grid")   ? KEY_GRID
               : IS("flop") ? KEY_FLOP
               : IS("nvtx") ? KEY_NVTX
               : IS("Copy") ? KEY_COPY
                            : KEY_NONE;
    case 5:
        return IS("block")   ? KEY_BLOCK
               : IS("bytes") ? KEY_BYTES
               : IS("Bytes") ? KEY_MEMORY_BYTES
               : IS("dtype") ? KEY_ELEMENT_TYPE
                             : KEY_NONE;
    case 6:
        return IS("device") ? KEY_DEVICE : IS("stream") ? KEY_STREAM : KEY_NONE;
    case 8:
        return IS("graph id") ? KEY_GRAPH : KEY_NONE;
    case 9:
        return IS("Device Id") ? KEY_MEMORY_DEVICE : KEY_NONE;
    case 10:
        return IS("Input type")   ? KEY_TYPES
               : IS("Input Dims") ? KEY_DIMS
               : IS("dram bytes") ? KEY_DRAM
               : IS("Input dims") ? KEY_DIMS
               : IS("Group size") ? KEY_GROUP_SIZE
                                  : KEY_NONE;
    case 11:
        return IS("External id") || IS("external id") ? KEY_EXTERNAL
               : IS("correlation")                    ? KEY_CORRELATION
               : IS("Device Type")                    ? KEY_MEMORY_KIND
                                                      : KEY_NONE;
    case 13:
        return IS("Input Strides")   ? KEY_STRIDES
               : IS("Fwd thread id") ? KEY_FORWARD_THREAD
               : IS("shared memory") ? KEY_SHARED
               : IS("graph node id") ? KEY_GRAPH
               : IS("In msg nelems") ? KEY_ELEMENTS_IN
                                     : KEY_NONE;
    case 14:
        return IS("Out msg nelems")   ? KEY_ELEMENTS_OUT
               : IS("wait_on_stream") ? KEY_WAIT_STREAM
               : IS("Total Reserved") ? KEY_RESERVED
                                      : KEY_NONE;
    case 15:
        return IS("Concrete Inputs")   ? KEY_VALUES
               : IS("limitingFactors") ? KEY_LIMITED
               : IS("Total Allocated") ? KEY_ALLOCATED
               : IS("Sequence number") ? KEY_SEQUENCE
               : IS("Collective name") ? KEY_COLLECTIVE
                                       : KEY_NONE;
    case 20:
        return IS("registers per thread") ? KEY_REGISTERS : KEY_NONE;
    case 21:
        return IS("wait_on_cuda_event_id") ? KEY_WAIT_EVENT : KEY_NONE;
    case 25:
        return IS("est. achieved occupancy %") ? KEY_OCCUPANCY : KEY_NONE;
    case 29:
        return IS("activeBlocksPerMultiprocessor") ? KEY_RESIDENT : KEY_NONE;
    case 33:
        return IS("wait_on_cuda_event_record_corr_id") ? KEY_WAIT_RECORD : KEY_NONE;
    default:
        return KEY_NONE;
    }
}

static const known_key root_keys[] = {
    {"traceEvents", KEY_EVENTS, VALUE_ANY},
    {"deviceProperties", KEY_DEVICES, VALUE_ANY},
    {"habitat", KEY_HABITAT, VALUE_OBJECT},
    {"habitat_prediction", KEY_PREDICTION, VALUE_ANY},
    {"distributedInfo", KEY_DISTRIBUTED, VALUE_ANY},
    {"baseTimeNanoseconds", KEY_BASE_TIME, VALUE_ANY},
};

static const known_key device_keys[] = {
    {"id", KEY_DEVICE_ID, VALUE_NUMBER},
    {"name", KEY_DEVICE_NAME, VALUE_ANY},
    {"totalGlobalMem", KEY_DEVICE_MEMORY, VALUE_NUMBER},
    {"computeMajor", KEY_DEVICE_MAJOR, VALUE_NUMBER},
    {"computeMinor", KEY_DEVICE_MINOR, VALUE_NUMBER},
    {"numSms", KEY_DEVICE_SMS, VALUE_NUMBER},
    {"maxThreadsPerMultiprocessor", KEY_DEVICE_THREADS, VALUE_NUMBER},
    {"regsPerMultiprocessor", KEY_DEVICE_REGISTERS, VALUE_NUMBER},
    {"sharedMemPerMultiprocessor", KEY_DEVICE_SHARED, VALUE_NUMBER},
    {"sharedMemPerBlockOptin", KEY_DEVICE_OPTIN, VALUE_NUMBER},
};

static const known_key habitat_keys[] = {
    {"schema", KEY_SCHEMA, VALUE_NUMBER},
    {"iteration_ms", KEY_ITERATION_MS, VALUE_NUMBER},
    {"iteration_ms_all", KEY_ITERATION_MS_ALL, VALUE_NUMBERS},
    {"iteration_ms_groups", KEY_ITERATION_GROUPS, VALUE_NUMBERS},
    {"iteration_spread", KEY_ITERATION_SPREAD, VALUE_NUMBER},
    {"cpu_ms", KEY_CPU_MS, VALUE_NUMBER},
    {"cpu_ms_parts", KEY_CPU_PARTS, VALUE_NUMBER},
    {"cpu_ms_gradients", KEY_CPU_GRADIENTS, VALUE_NUMBER},
    {"cpu_data_ms", KEY_CPU_DATA, VALUE_NUMBER},
    {"batch_size", KEY_BATCH, VALUE_NUMBER},
    {"model", KEY_MODEL, VALUE_TEXT},
    {"framework", KEY_FRAMEWORK, VALUE_TEXT},
    {"command", KEY_COMMAND, VALUE_TEXT},
    {"cuda_version", KEY_CUDA_VERSION, VALUE_TEXT},
    {"hip_version", KEY_HIP_VERSION, VALUE_TEXT},
    {"cudnn_version", KEY_CUDNN_VERSION, VALUE_NUMBER},
    {"driver_version", KEY_DRIVER_VERSION, VALUE_TEXT},
    {"recorder", KEY_RECORDER, VALUE_TEXT},
    {"gpu", KEY_NOTED_GPU, VALUE_TEXT},
    {"peak_memory_bytes", KEY_PEAK_MEMORY, VALUE_NUMBER},
    {"peak_memory_reserved_bytes", KEY_PEAK_RESERVED, VALUE_NUMBER},
    {"peak_passes_moments_bytes", KEY_PASSES_MOMENTS, VALUE_NUMBERS},
    {"peak_steps_moments_bytes", KEY_STEPS_MOMENTS, VALUE_NUMBERS},
    {"weights_in_parts", KEY_WEIGHTS_IN_PARTS, VALUE_BOOLEAN},
    {"dropped_records", KEY_DROPPED, VALUE_NUMBER},
    {"memory", KEY_MEMORY, VALUE_OBJECT},
    {"rank", KEY_RANK, VALUE_NUMBER},
    {"world_size", KEY_WORLD_SIZE, VALUE_NUMBER},
    {"recorded_without_gpu", KEY_WITHOUT_GPU, VALUE_BOOLEAN},
    {"matmul_allow_tf32", KEY_MATMUL_TF32, VALUE_BOOLEAN},
    {"cudnn_allow_tf32", KEY_CONVOLUTION_TF32, VALUE_BOOLEAN},
    {"cudnn_benchmark", KEY_CUDNN_BENCHMARK, VALUE_BOOLEAN},
    {"autocast", KEY_AUTOCAST, VALUE_TEXT},
    {"parameter_dtype", KEY_PARAMETER_DTYPE, VALUE_TEXT},
};

static const known_key distributed_keys[] = {
    {"rank", KEY_RANK, VALUE_ANY},
    {"world_size", KEY_WORLD_SIZE, VALUE_ANY},
};

static const known_key memory_keys[] = {
    {"parameters_bytes", KEY_PARAMETERS, VALUE_NUMBER},
    {"buffers_bytes", KEY_BUFFERS, VALUE_NUMBER},
    {"gradients_bytes", KEY_GRADIENTS, VALUE_NUMBER},
    {"optimizer_state_bytes", KEY_OPTIMIZER, VALUE_NUMBER},
    {"allocated_between_iterations_bytes", KEY_BETWEEN, VALUE_NUMBER},
    {"parameter_sizes", KEY_SIZES, VALUE_OBJECT},
};

/* Categories, of Kineto now and before PyTorch 1.12. */
static const struct {
    const char *text;
    category cat;
} categories[] = {
    {"cpu_op", CAT_OPERATION},      {"cuda_runtime", CAT_RUNTIME},
    {"ac2g", CAT_UNNEEDED},         {"kernel", CAT_KERNEL},
    {"cuda_driver", CAT_DRIVER},    {"fwdbwd", CAT_FLOW},
    {"gpu_memcpy", CAT_MEMCPY},     {"gpu_memset", CAT_MEMSET},
    {"user_annotation", CAT_RANGE}, {"python_function", CAT_PYTHON},
    {"Operator", CAT_OPERATION},    {"Kernel", CAT_KERNEL},
    {"Memcpy", CAT_MEMCPY},         {"Memset", CAT_MEMSET},
    {"Runtime", CAT_RUNTIME},       {"forward_backward", CAT_FLOW},
    {"cuda_sync", CAT_WAIT},        {"cpu_instant_event", CAT_INSTANT},
};

category event_category(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (categories[i].text[0] == text[0] && !strncmp(categories[i].text, text, length) &&
            !categories[i].text[length])
            return categories[i].cat;
    return CAT_UNNEEDED;
}

/* ProcessGroupNCCL of PyTorch 2.2 to 2.11. */
static const struct {
    const char *text;
    habitat_collective collective;
} collectives[] = {
    {"allreduce", HABITAT_COLLECTIVE_ALL_REDUCE},
    {"allreduce_coalesced", HABITAT_COLLECTIVE_ALL_REDUCE},
    {"barrier", HABITAT_COLLECTIVE_ALL_REDUCE},
    {"all_gather", HABITAT_COLLECTIVE_ALL_GATHER},
    {"_allgather_base", HABITAT_COLLECTIVE_ALL_GATHER},
    {"allgather_into_tensor_coalesced", HABITAT_COLLECTIVE_ALL_GATHER},
    {"reduce_scatter", HABITAT_COLLECTIVE_REDUCE_SCATTER},
    {"_reduce_scatter_base", HABITAT_COLLECTIVE_REDUCE_SCATTER},
    {"reduce_scatter_tensor_coalesced", HABITAT_COLLECTIVE_REDUCE_SCATTER},
    {"all_to_all", HABITAT_COLLECTIVE_ALL_TO_ALL},
    {"all_to_allv", HABITAT_COLLECTIVE_ALL_TO_ALL},
    {"broadcast", HABITAT_COLLECTIVE_ONE_WAY},
    {"_broadcast_oop", HABITAT_COLLECTIVE_ONE_WAY},
    {"reduce", HABITAT_COLLECTIVE_ONE_WAY},
    {"_reduce_oop", HABITAT_COLLECTIVE_ONE_WAY},
    {"gather", HABITAT_COLLECTIVE_ONE_WAY},
    {"scatter", HABITAT_COLLECTIVE_ONE_WAY},
    {"send", HABITAT_COLLECTIVE_ONE_WAY},
    {"recv", HABITAT_COLLECTIVE_ONE_WAY},
};

static const struct {
    const char *text;
    uint32_t bytes;
} element_types[] = {
    {"Float", 4},
    {"BFloat16", 2},
    {"Half", 2},
    {"Double", 8},
    {"Byte", 1},
    {"Char", 1},
    {"Short", 2},
    {"Int", 4},
    {"Long", 8},
    {"Bool", 1},
    {"ComplexFloat", 8},
    {"ComplexDouble", 16},
    {"Float8_e4m3fn", 1},
    {"Float8_e5m2", 1},
    {"ComplexHalf", 4},
    {"UInt16", 2},
    {"Float8_e4m3fnuz", 1},
    {"Float8_e5m2fnuz", 1},
    {"UInt32", 4},
    {"UInt64", 8},
};

static bool is_word(const char *word, const char *text, size_t length) {
    return !strncmp(word, text, length) && !word[length];
}

habitat_collective collective_of_name(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (is_word(collectives[i].text, text, length))
            return collectives[i].collective;
    return HABITAT_COLLECTIVE_UNKNOWN;
}

uint32_t element_bytes_of_type(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof element_types / sizeof *element_types; i++)
        if (is_word(element_types[i].text, text, length))
            return element_types[i].bytes;
    return 0;
}

bool event_is_unneeded(const event *e) {
    if (e->cat == CAT_UNNEEDED)
        return true;
    if (e->cat == CAT_INSTANT)
        return false;
    return e->phase && e->phase != 'X' && e->phase != 'B' && e->phase != 'E' && e->phase != 's' &&
           e->phase != 'f';
}

#define LOOKUP(table, text, length) lookup(table, sizeof(table) / sizeof *(table), text, length)

key key_of_root(const char *text, size_t length) {
    return LOOKUP(root_keys, text, length);
}

key key_of_device(const char *text, size_t length) {
    return LOOKUP(device_keys, text, length);
}

key key_of_memory(const char *text, size_t length) {
    return LOOKUP(memory_keys, text, length);
}

key key_of_distributed(const char *text, size_t length) {
    return LOOKUP(distributed_keys, text, length);
}

key key_of_habitat(const char *text, size_t length) {
    return LOOKUP(habitat_keys, text, length);
}

static const known_key *entry_in(const known_key *table, size_t count, key k) {
    for (size_t i = 0; i < count; i++)
        if (table[i].key == k)
            return &table[i];
    return NULL;
}

#define ENTRY_IN(table, k) entry_in(table, sizeof(table) / sizeof *(table), k)

const known_key *known_key_of(place at, key k) {
    static const known_key a_time = {"iteration_ms_all", KEY_ITERATION_MS_ALL, VALUE_NUMBER};
    static const known_key a_group = {"iteration_ms_groups", KEY_ITERATION_GROUPS, VALUE_NUMBER};
    static const known_key moments[] = {
        {"peak_passes_moments_bytes", KEY_PASSES_MOMENTS, VALUE_NUMBER},
        {"peak_steps_moments_bytes", KEY_STEPS_MOMENTS, VALUE_NUMBER}};
    static const known_key sizes = {"parameter_sizes", KEY_SIZES, VALUE_NUMBERS};
    static const known_key a_size = {"parameter_sizes", KEY_SIZES, VALUE_NUMBER};
    switch (at) {
    case AT_ROOT:
        return k == KEY_HABITAT ? ENTRY_IN(root_keys, k) : NULL;
    case AT_DEVICE:
        return ENTRY_IN(device_keys, k);
    case AT_HABITAT:
        return ENTRY_IN(habitat_keys, k);
    case AT_MEMORY:
        return ENTRY_IN(memory_keys, k);
    case AT_TIMES:
        return k == KEY_ITERATION_MS_ALL   ? &a_time
               : k == KEY_ITERATION_GROUPS ? &a_group
                                           : ENTRY_IN(moments, k);
    case AT_FORMATS:
        return &sizes;
    case AT_SIZES:
        return &a_size;
    default:
        return NULL;
    }
}
