/* Values of the keys that matter, into the record of the event, device or recording. */
#include "trace/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/letter.h"
#include "base/list.h"
#include "trace/number.h"

/* A sequence number leaves room for what is packed beside it: trace_set_node(). */
static const uint64_t sequence_max = UINT64_MAX / 32;

/* --- values --------------------------------------------------------------------------------- */

static void measure(reader *r, measured *m, const char *text, size_t length, int scale,
                    uint64_t limit) {
    static const number_state states[] = {PRESENT, NEGATIVE, TOO_LARGE, NOT_A_NUMBER, NOT_WHOLE};
    m->state = states[scale ? number_scaled(text, length, scale, limit, &m->value)
                            : number_whole(text, length, limit, &m->value)];
    if (m->state != PRESENT) {
        m->value = 0;
        if (!r->bad_byte)
            r->bad_byte = reader_position(r);
    }
}

void reader_add_side(reader *r, triple *sides, const char *text, size_t length) {
    if (sides->count < 3)
        measure(r, &sides->sides[sides->count], text, length, 0, UINT64_MAX);
    sides->count++;
}

/* Numbers of which -1 means "none". */
static void measure_id(reader *r, measured *m, const char *text, size_t length) {
    if (IS("-1"))
        *m = (measured){0, MISSING};
    else
        measure(r, m, text, length, 0, m == &r->e.sequence ? sequence_max : UINT64_MAX);
}

/* Numbers of which 0 is one and a negative one means "none". */
static void measure_number(reader *r, measured *m, const char *text, size_t length) {
    if (length && *text == '-')
        *m = (measured){0, MISSING};
    else
        measure(r, m, text, length, 0, UINT64_MAX);
}

/* What has a name: a number made of it, apart from all real ones. */
static uint64_t text_id(const char *text, size_t length) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash | (uint64_t)1 << 63;
}

/* Process and thread: any number, negative ones too. One that is not whole, or too long for one, is
 * told apart by its text. */
static void measure_thread(measured *m, const char *text, size_t length) {
    int64_t value;
    uint64_t whole;
    if (number_signed(text, length, &value) == NUMBER_OK)
        *m = (measured){(uint64_t)value, value < 0 ? NEGATIVE : PRESENT};
    else if (number_whole(text, length, INT64_MAX, &whole) == NUMBER_OK)
        *m = (measured){whole, PRESENT};
    else
        *m = (measured){text_id(text, length), NOT_A_NUMBER};
}

/* A hardware counter of one kernel. */
static void measure_counter(reader *r, double *out, number_state *state, const char *text,
                            size_t length) {
    static const double counter_max = 1e24; /* a year of the largest GPU */
    double value = NAN;
    number_result result = number_double(text, length, &value);
    *state = result == NUMBER_BAD                                ? NOT_A_NUMBER
             : result == NUMBER_TOO_LARGE || value > counter_max ? TOO_LARGE
             : value < 0                                         ? NEGATIVE
                                                                 : PRESENT;
    *out = *state == PRESENT ? value : NAN;
    if (*state != PRESENT && !r->bad_byte)
        r->bad_byte = reader_position(r);
}

void reader_event_number(reader *r, const char *text, size_t length) {
    event *e = &r->e;
    switch (r->key) {
    case KEY_TS:
        measure(r, &e->time, text, length, 3, TRACE_TIME_LIMIT_NS);
        break;
    case KEY_DUR:
        measure(r, &e->duration, text, length, 3, TRACE_DURATION_LIMIT_NS);
        break;
    case KEY_PID:
        measure_thread(&e->pid, text, length);
        break;
    case KEY_TID:
        measure_thread(&e->tid, text, length);
        break;
    case KEY_ID:
        if (length && *text == '-') /* of a flow: as good as any other */
            e->id = (measured){text_id(text, length), PRESENT};
        else
            measure(r, &e->id, text, length, 0, UINT64_MAX);
        break;
    default:
        reader_wrong_value(r);
    }
}

static uint32_t small_or_zero(const char *text, size_t length) {
    uint64_t value = 0;
    (void)number_scaled(text, length, 0, UINT32_MAX, &value);
    return (uint32_t)value;
}

/* "WARPS|REGISTERS" and the like: any text with these words in it, whatever stands between. A text
 * with none of them says nothing. */
static uint32_t limits_of_text(const char *text, size_t length) {
    static const struct {
        const char *word;
        uint32_t limit;
    } words[] = {
        {"warp", HABITAT_LIMITED_BY_THREADS},       {"thread", HABITAT_LIMITED_BY_THREADS},
        {"reg", HABITAT_LIMITED_BY_REGISTERS},      {"shared", HABITAT_LIMITED_BY_SHARED_MEMORY},
        {"smem", HABITAT_LIMITED_BY_SHARED_MEMORY}, {"block", HABITAT_LIMITED_BY_BLOCKS},
        {"barrier", HABITAT_LIMITED_BY_BARRIERS},
    };
    char lower[128];
    uint32_t limits = 0;
    if (length >= sizeof lower)
        return 0;
    for (size_t i = 0; i < length; i++)
        lower[i] = letter_lower(text[i]);
    lower[length] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        limits |= strstr(lower, words[i].word) ? words[i].limit : 0;
    return limits;
}

/* Of a `[memory]` event. What cannot be read is missing: add_memory() leaves it out. */
static void memory_argument(reader *r, const char *text, size_t length) {
    event *e = &r->e;
    if (r->key == KEY_ALLOCATED || r->key == KEY_RESERVED) {
        measured *m = r->key == KEY_ALLOCATED ? &e->allocated : &e->reserved;
        m->state = number_scaled(text, length, 0, TRACE_BYTES_LIMIT, &m->value) == NUMBER_OK
                       ? PRESENT
                       : NOT_A_NUMBER;
        return;
    }
    int64_t *field = r->key == KEY_MEMORY_BYTES    ? &e->allocation_bytes
                     : r->key == KEY_MEMORY_DEVICE ? &e->memory_device
                                                   : &e->memory_kind;
    int64_t value;
    if (number_signed(text, length, &value) == NUMBER_OK)
        *field = value;
}

/* Of synchronisations, collectives, and what profilers say of a kernel's occupancy. */
static void rare_number(reader *r, const char *text, size_t length) {
    event *e = &r->e;
    switch (r->key) {
    case KEY_RESIDENT:
        e->resident_blocks = small_or_zero(text, length);
        break;
    case KEY_OCCUPANCY:
        e->occupancy_percent = small_or_zero(text, length);
        break;
    case KEY_LIMITED:
        e->limited_by = small_or_zero(text, length);
        break;
    case KEY_WAIT_STREAM:
        measure_number(r, &e->wait_stream, text, length);
        break;
    case KEY_WAIT_RECORD:
        measure_number(r, &e->wait_record, text, length);
        break;
    case KEY_WAIT_EVENT:
        measure_number(r, &e->wait_event, text, length);
        break;
    case KEY_ELEMENTS_IN:
        measure_id(r, &e->elements_in, text, length);
        break;
    case KEY_ELEMENTS_OUT:
        measure_id(r, &e->elements_out, text, length);
        break;
    case KEY_GROUP_SIZE:
        measure_id(r, &e->group_size, text, length);
        break;
    case KEY_ALLOCATED:
    case KEY_RESERVED:
    case KEY_MEMORY_BYTES:
    case KEY_MEMORY_DEVICE:
    case KEY_MEMORY_KIND:
        memory_argument(r, text, length);
        break;
    default: /* a list is due, if anybody minds */
        reader_wrong_value(r);
    }
}

void reader_argument_number(reader *r, const char *text, size_t length) {
    event *e = &r->e;
    switch (r->key) {
    case KEY_EXTERNAL:
        measure_id(r, &e->external, text, length);
        break;
    case KEY_CORRELATION:
        measure_id(r, &e->correlation, text, length);
        break;
    case KEY_SEQUENCE:
        measure_id(r, &e->sequence, text, length);
        break;
    case KEY_FORWARD_THREAD:
        measure_id(r, &e->forward_thread, text, length);
        break;
    case KEY_DEVICE:
        measure(r, &e->device, text, length, 0, UINT64_MAX);
        break;
    case KEY_STREAM:
        measure(r, &e->stream, text, length, 0, UINT64_MAX);
        break;
    case KEY_REGISTERS:
        measure(r, &e->registers, text, length, 0, UINT64_MAX);
        break;
    case KEY_SHARED:
        measure(r, &e->shared, text, length, 0, UINT64_MAX);
        break;
    case KEY_BYTES:
        measure(r, &e->bytes, text, length, 0, UINT64_MAX);
        break;
    case KEY_GRAPH:
        measure_id(r, &e->graph, text, length);
        break;
    case KEY_DRAM:
        measure_counter(r, &e->dram_bytes, &e->dram_state, text, length);
        break;
    case KEY_FLOP:
        measure_counter(r, &e->flop, &e->flop_state, text, length);
        break;
    default:
        rare_number(r, text, length);
    }
}

void reader_argument_string(reader *r, const char *text, size_t length) {
    if (r->key == KEY_COLLECTIVE)
        r->e.collective = collective_of_name(length ? text : "", length);
    else if (r->key == KEY_ELEMENT_TYPE)
        r->e.element_bytes = element_bytes_of_type(length ? text : "", length);
    else if (r->key == KEY_LIMITED)
        r->e.limited_by = limits_of_text(length ? text : "", length);
    else /* numbers in quotes are numbers */
        reader_argument_number(r, text, length);
}

static int bad_device(reader *r, const char *problem) {
    return STOP(r, HABITAT_E_RANGE,
                "\"%s\" of a GPU in \"deviceProperties\" %s; record it again, or leave it out",
                known_key_of(AT_DEVICE, r->key)->text, problem);
}

static int bad_fact(reader *r, number_result why) {
    static const char *const problems[] = {"", "is negative", "is absurdly large",
                                           "is not a number", "is no whole number"};
    return bad_device(r, problems[why]);
}

/* Which GPU it is must be said; what else is negative was not known to the profiler. */
static bool is_not_known(const reader *r, number_result why) {
    return why == NUMBER_NEGATIVE && r->key != KEY_DEVICE_ID;
}

int reader_device_number(reader *r, const char *text, size_t length) {
    habitat_device_facts *d = &r->device.facts;
    uint64_t whole = 0;
    uint32_t *field = r->key == KEY_DEVICE_SMS         ? &d->sm_count
                      : r->key == KEY_DEVICE_THREADS   ? &d->threads_per_sm
                      : r->key == KEY_DEVICE_REGISTERS ? &d->registers_per_sm
                      : r->key == KEY_DEVICE_SHARED    ? &d->shared_memory_per_sm_bytes
                      : r->key == KEY_DEVICE_OPTIN     ? &d->shared_memory_per_block_bytes
                                                       : NULL;
    number_result why = NUMBER_OK;
    switch (r->key) {
    case KEY_NONE:
    case KEY_DEVICE_NAME:
        return 1;
    case KEY_DEVICE_MEMORY:
        why = number_whole(text, length, TRACE_BYTES_LIMIT, &d->memory_bytes);
        return why == NUMBER_OK || is_not_known(r, why) ? 1 : bad_fact(r, why);
    default:
        break;
    }
    why = number_whole(text, length, UINT32_MAX, &whole);
    if (is_not_known(r, why))
        return 1;
    if (why != NUMBER_OK)
        return bad_fact(r, why);
    if (field)
        *field = (uint32_t)whole;
    else if (r->key == KEY_DEVICE_ID)
        r->device.id = (int64_t)whole;
    else if (r->key == KEY_DEVICE_MAJOR)
        r->device_major = (measured){whole, PRESENT};
    else if (r->key == KEY_DEVICE_MINOR)
        r->device_minor = (measured){whole, PRESENT};
    return 1;
}

int reader_bad_habitat(reader *r, const char *name) {
    return STOP(r, HABITAT_E_RANGE,
                "\"%s\" in \"habitat\" is no number, negative or absurdly large; record it again",
                name);
}

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

/* What every time of the file is counted from. One that is no time is no reason to refuse the file.
 */
int reader_base_time(reader *r, const char *text, size_t length) {
    uint64_t ns = 0;
    if (number_scaled(text, length, 0, UINT64_MAX / 2, &ns) == NUMBER_OK)
        r->b->base_time_ns = ns;
    return 1;
}

int reader_wrong_kind(reader *r, const known_key *due) {
    static const char *const not_this[] = {[VALUE_TEXT] = "no text",
                                           [VALUE_BOOLEAN] = "neither true nor false",
                                           [VALUE_OBJECT] = "no object"};
    if (r->at == AT_DEVICE)
        return bad_device(r, "is not a number");
    if (due->kind == VALUE_NUMBER || due->kind == VALUE_NUMBERS)
        return reader_bad_habitat(r, due->text);
    return STOP(r, HABITAT_E_FORMAT, "\"%s\"%s is %s; record it again, or leave it out", due->text,
                r->at == AT_ROOT ? "" : " in \"habitat\"", not_this[due->kind]);
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

static int store_name(reader *r, const char *text, size_t length) {
    if (length > NAME_BYTES_MAX)
        return reader_bad_event(r, HABITAT_E_RANGE, "name", "is longer than 1 MiB");
    char *name = list_reserve(r->name, length, &r->name_capacity, 1024, NAME_BYTES_MAX, 1);
    if (!name)
        return reader_stop_memory(r);
    r->name = name;
    if (length)
        memcpy(r->name, text, length);
    r->e.name_bytes = length;
    r->e.has_name = true;
    return 1;
}

int reader_event_string(reader *r, const char *text, size_t length) {
    event *e = &r->e;
    switch (r->key) {
    case KEY_PH:
        e->phase = length == 1 ? *text : '?';
        return 1;
    case KEY_CAT:
        e->cat = event_category(length ? text : "", length);
        return 1;
    case KEY_NAME:
        return store_name(r, text, length);
    case KEY_PID:
        e->pid = (measured){text_id(text, length), NOT_A_NUMBER};
        return 1;
    case KEY_TID:
        e->tid = (measured){text_id(text, length), NOT_A_NUMBER};
        return 1;
    case KEY_ID: /* other writers use texts: any value does, the same for the same text */
        e->id = (measured){text_id(text, length), PRESENT};
        return 1;
    default: /* numbers in quotes are numbers */
        reader_event_number(r, text, length);
        return 1;
    }
}

const char *reader_keep_text(reader *r, const char *text, size_t length) {
    return habitat_strings_intern(&r->b->trace->strings, text, length);
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
