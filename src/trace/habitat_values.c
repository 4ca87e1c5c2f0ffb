/* Values of the `habitat` object: what is noted of the recording, into its facts. */
#include "trace/reader.h"

#include <math.h>
#include <string.h>

#include "base/list.h"
#include "trace/number.h"

/* False where it is no number of ranks. */
static bool take_rank(reader *r, const char *text, size_t length) {
    habitat_trace_info *info = &r->b->trace->info;
    uint64_t whole = 0;
    if (number_whole(text, length, RANKS_MAX, &whole) != NUMBER_OK)
        return false;
    *(r->key == KEY_RANK ? &info->rank : &info->world_size) = (uint32_t)whole;
    return true;
}

/* PyTorch's own: what is no number says nothing. */
void reader_distributed_number(reader *r, const char *text, size_t length) {
    if (r->key == KEY_RANK || r->key == KEY_WORLD_SIZE)
        (void)take_rank(r, text, length);
}

static int read_schema(reader *r, const char *text, size_t length) {
    double value = 0;
    int shown = length > 20 ? 20 : (int)length;
    if (number_double(text, length, &value) != NUMBER_OK || value < 1 || value != floor(value))
        return STOP(r, HABITAT_E_FORMAT,
                    "there is no schema %.*s of \"habitat\" (this one reads 1); record it again",
                    shown, text);
    return value == 1 || STOP(r, HABITAT_E_VERSION,
                              "written by a newer habitat (schema %.*s, this one reads 1); update "
                              "habitat",
                              shown, text);
}

static int read_batch_size(reader *r, const char *text, size_t length) {
    double value = 0;
    if (number_double(text, length, &value) != NUMBER_OK || value < 0 ||
        value > (double)TRACE_BATCH_LIMIT)
        return reader_bad_habitat(r, "batch_size");
    if (value < 1 || value != floor(value))
        return STOP(r, HABITAT_E_RANGE,
                    "\"batch_size\" in \"habitat\" is no whole number from 1 on; record it again, "
                    "or leave it out");
    r->b->trace->info.batch_size = (uint64_t)value;
    return 1;
}

/* What the recorder's clock says. value < 0, whole 0: no such number. */
static int read_clock(reader *r, double value, uint64_t whole) {
    habitat_trace_info *info = &r->b->trace->info;
    switch (r->key) {
    case KEY_CPU_MS:
        if (value <= 0 || value > 1e9)
            return reader_bad_habitat(r, "cpu_ms");
        info->cpu_ms = value;
        return 1;
    case KEY_CPU_DATA:
        if (value <= 0 || value > 1e9)
            return reader_bad_habitat(r, "cpu_data_ms");
        info->cpu_data_ms = value;
        return 1;
    case KEY_CPU_PARTS:
        if (whole < 1 || whole > 1000)
            return reader_bad_habitat(r, "cpu_ms_parts");
        info->cpu_parts = (uint32_t)whole;
        return 1;
    default:
        if (whole < 1 || whole > 1000000)
            return reader_bad_habitat(r, "cpu_ms_gradients");
        info->cpu_gradients = (uint32_t)whole;
        return 1;
    }
}

/* Most that was held at once. value < 0: no such number. */
static int read_peak(reader *r, double value) {
    habitat_trace_info *info = &r->b->trace->info;
    double *out =
        r->key == KEY_PEAK_MEMORY ? &info->peak_memory_bytes : &info->memory.reserved_bytes;
    if (value < 0.0 || value > (double)TRACE_BYTES_LIMIT)
        return reader_bad_habitat(r, known_key_of(AT_HABITAT, r->key)->text);
    *out = value;
    return 1;
}

int reader_habitat_number(reader *r, const char *text, size_t length) {
    habitat_trace_info *info = &r->b->trace->info;
    double value = 0;
    uint64_t whole = 0;
    bool number = number_double(text, length, &value) == NUMBER_OK && value >= 0;
    bool counted = number_whole(text, length, UINT64_MAX, &whole) == NUMBER_OK;
    switch (r->key) {
    case KEY_SCHEMA:
        return read_schema(r, text, length);
    case KEY_ITERATION_MS:
        if (!number || value <= 0 || value > 1e9)
            return reader_bad_habitat(r, "iteration_ms");
        info->iteration_ms = value;
        return 1;
    case KEY_ITERATION_SPREAD:
        if (!number || value > 1e9)
            return reader_bad_habitat(r, "iteration_spread");
        info->iteration_spread = value;
        return 1;
    case KEY_CPU_MS:
    case KEY_CPU_PARTS:
    case KEY_CPU_GRADIENTS:
    case KEY_CPU_DATA:
        return read_clock(r, number ? value : -1.0, counted ? whole : 0);
    case KEY_BATCH:
        return read_batch_size(r, text, length);
    case KEY_PEAK_MEMORY:
    case KEY_PEAK_RESERVED:
        return read_peak(r, number ? value : -1.0);
    case KEY_CUDNN_VERSION:
        if (!counted)
            return reader_bad_habitat(r, "cudnn_version");
        info->cudnn_version = whole;
        return 1;
    case KEY_RANK:
    case KEY_WORLD_SIZE:
        return take_rank(r, text, length) ||
               STOP(r, HABITAT_E_RANGE,
                    "\"%s\" in \"habitat\" is no whole number from 0 on; record it again",
                    known_key_of(AT_HABITAT, r->key)->text);
    case KEY_DROPPED:
        if (!counted)
            return reader_bad_habitat(r, "dropped_records");
        info->trace_dropped_records = whole;
        return 1;
    default:
        return 1;
    }
}

void reader_habitat_boolean(reader *r, bool value) {
    habitat_trace_info *info = &r->b->trace->info;
    trace_formats *formats = &r->b->trace->formats;
    trace_setting setting = value ? TRACE_ON : TRACE_OFF;
    if (r->key == KEY_WITHOUT_GPU)
        info->without_gpu = value;
    if (r->key == KEY_WEIGHTS_IN_PARTS)
        info->memory.weights_in_parts = value;
    else if (r->key == KEY_MATMUL_TF32)
        info->matmul_tf32 = value, formats->matmul_tf32 = setting;
    else if (r->key == KEY_CONVOLUTION_TF32)
        info->convolution_tf32 = value, formats->convolution_tf32 = setting;
    else if (r->key == KEY_CUDNN_BENCHMARK)
        info->cudnn_benchmark = value;
}

habitat_dtype reader_format(const char *text, size_t length) {
    char name[16] = "";
    if (length < sizeof name)
        memcpy(name, text, length);
    return habitat_dtype_from_name(name);
}

static bool is_narrow(habitat_dtype format) {
    return format == HABITAT_DTYPE_FP16 || format == HABITAT_DTYPE_BF16;
}

/* Several formats at once ("bfloat16+float32") are none that one word could stand for. The first
 * narrow one among them, or UNKNOWN. */
static habitat_dtype narrow_among(const char *text, size_t length) {
    for (size_t begin = 0, end = 0; begin < length; begin = end + 1) {
        const char *plus = memchr(text + begin, '+', length - begin);
        end = plus ? (size_t)(plus - text) : length;
        habitat_dtype format = reader_format(text + begin, end - begin);
        if (is_narrow(format) && end - begin < length)
            return format;
    }
    return HABITAT_DTYPE_UNKNOWN;
}

static void keep_format(reader *r, const char *text, size_t length) {
    trace_formats *formats = &r->b->trace->formats;
    habitat_dtype format = reader_format(text, length);
    if (r->key == KEY_PARAMETER_DTYPE) {
        formats->parameters = format;
        formats->some_parameters = narrow_among(text, length);
    } else if (is_narrow(format)) {
        formats->autocast = format;
    }
}

int reader_open_numbers(reader *r) {
    habitat_trace_memory *memory = &r->b->trace->info.memory;
    switch (r->key) {
    case KEY_ITERATION_MS_ALL:
        r->time_count = 0;
        break;
    case KEY_ITERATION_GROUPS:
        r->group_count = 0;
        break;
    case KEY_PASSES_MOMENTS:
    case KEY_STEPS_MOMENTS:
        (r->key == KEY_PASSES_MOMENTS ? &memory->passes : &memory->steps)->count = 0;
        r->moment_numbers = 0;
        break;
    default:
        return 0;
    }
    r->at = AT_TIMES;
    return 1;
}

/* Pairs: what is kept, what grows. One without its other is none. */
static int read_moment(reader *r, const char *text, size_t length) {
    habitat_trace_memory *memory = &r->b->trace->info.memory;
    habitat_memory_moments *out = r->key == KEY_PASSES_MOMENTS ? &memory->passes : &memory->steps;
    double value;
    size_t at = r->moment_numbers++;
    if (number_double(text, length, &value) != NUMBER_OK || value < 0 ||
        value > (double)TRACE_BYTES_LIMIT || at >= 2 * HABITAT_MOMENTS_MAX)
        return reader_bad_habitat(r, known_key_of(AT_TIMES, r->key)->text);
    *(at % 2 ? &out->all[at / 2].grown_bytes : &out->all[at / 2].kept_bytes) = value;
    out->count = (at + 1) / 2;
    return 1;
}

int reader_habitat_time(reader *r, const char *text, size_t length) {
    double value;
    bool group = r->key == KEY_ITERATION_GROUPS;
    if (r->key == KEY_PASSES_MOMENTS || r->key == KEY_STEPS_MOMENTS)
        return read_moment(r, text, length);
    if (number_double(text, length, &value) != NUMBER_OK || value < 0 || value > 1e9)
        return reader_bad_habitat(r, group ? "iteration_ms_groups" : "iteration_ms_all");
    if (group) { /* more of them than there is room for are of no recorder */
        if (r->group_count < TIME_GROUPS)
            r->groups[r->group_count] = value;
        r->group_count++;
        return 1;
    }
    double *times =
        list_grow(r->times, r->time_count, &r->time_capacity, 64, TIMES_MAX, sizeof *times);
    if (!times)
        return reader_stop_memory(r);
    r->times = times;
    r->times[r->time_count++] = value;
    return 1;
}

int reader_habitat_string(reader *r, const char *text, size_t length) {
    habitat_trace_info *info = &r->b->trace->info;
    const char **field = r->key == KEY_MODEL            ? &info->model
                         : r->key == KEY_FRAMEWORK      ? &info->framework
                         : r->key == KEY_COMMAND        ? &info->command
                         : r->key == KEY_CUDA_VERSION   ? &info->cuda_version
                         : r->key == KEY_HIP_VERSION    ? &info->hip_version
                         : r->key == KEY_DRIVER_VERSION ? &info->driver_version
                         : r->key == KEY_NOTED_GPU      ? &info->noted_gpu
                                                        : NULL;
    if (r->key == KEY_RECORDER && IS("cupti"))
        info->format = "cupti";
    if (r->key == KEY_AUTOCAST || r->key == KEY_PARAMETER_DTYPE) {
        keep_format(r, text, length);
        return 1;
    }
    if (!field || !length)
        return 1;
    *field = reader_keep_text(r, text, length);
    return *field ? 1 : reader_stop_memory(r);
}
