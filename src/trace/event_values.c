/* Values of the keys that matter, into the record of the event, device or recording. */
#include "trace/reader.h"

#include <math.h>
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

/* "HtoD (Pageable -> Device)": any text with the word in it. */
static habitat_host_memory host_memory_of_text(const char *text, size_t length) {
    static const char pinned[] = "Pinned", pageable[] = "Pageable";
    for (size_t i = 0; i < length; i++)
        if (length - i >= sizeof pinned - 1 && !memcmp(text + i, pinned, sizeof pinned - 1))
            return HABITAT_HOST_MEMORY_PINNED;
        else if (length - i >= sizeof pageable - 1 &&
                 !memcmp(text + i, pageable, sizeof pageable - 1))
            return HABITAT_HOST_MEMORY_PAGEABLE;
    return HABITAT_HOST_MEMORY_NONE;
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
    else if (r->key == KEY_COPY)
        r->e.host_memory = host_memory_of_text(length ? text : "", length);
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
