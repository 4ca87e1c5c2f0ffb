/* The structure of Chrome-trace JSON: a state machine on yajl's callbacks.
 *
 * The callbacks run for every token, so they do little: values of known keys go into one event
 * record, everything else is skipped by counting brackets. The order of an event's keys does not
 * matter; in Kineto's (ph, cat, name, ... args) the arguments of an event that nobody needs are
 * skipped unread. */
#include "trace/reader.h"

#include <inttypes.h>

/* --- callbacks ------------------------------------------------------------------------------ */

static int not_root(reader *r) {
    return STOP(r, HABITAT_E_FORMAT, "JSON, but no trace (no \"traceEvents\"); %s", reader_advice);
}

/* A value of the wrong kind where a whole structure is expected. */
static int wrong_value(reader *r) {
    switch (r->at) {
    case AT_START:
        return not_root(r);
    case AT_ROOT:
        if (r->key == KEY_EVENTS)
            return STOP(r, HABITAT_E_FORMAT, "\"traceEvents\" is not an array; %s", reader_advice);
        return 1;
    case AT_EVENTS:
        return STOP(r, HABITAT_E_FORMAT,
                    "event %" PRIu64 " of \"traceEvents\" is not an object; %s", r->event_count,
                    reader_advice);
    default:
        return 1;
    }
}

/* 0: the key's value is of another kind than what it says it is. Of a GPU numbers in quotes are
 * numbers. */
static int check_kind(reader *r, value_kind given) {
    const known_key *due = known_key_of(r->at, r->key);
    if (!due || due->kind == VALUE_ANY || due->kind == given ||
        (r->at == AT_DEVICE && given == VALUE_TEXT))
        return 1;
    return reader_wrong_kind(r, due);
}

static int on_number(void *context, const char *text, size_t length) {
    reader *r = context;
    r->progress = true;
    switch (r->at) {
    case AT_SKIP:
        return 1;
    case AT_LIST:
        inputs_number(r->b->inputs, text, length);
        return 1;
    case AT_EVENT:
        reader_event_number(r, text, length);
        return 1;
    case AT_ARGS:
        reader_argument_number(r, text, length);
        return 1;
    case AT_TRIPLE:
        reader_add_side(r, r->triple, text, length);
        return 1;
    case AT_DEVICE:
        return reader_device_number(r, text, length);
    case AT_HABITAT:
        return check_kind(r, VALUE_NUMBER) && reader_habitat_number(r, text, length);
    case AT_DISTRIBUTED:
        reader_distributed_number(r, text, length);
        return 1;
    case AT_ROOT:
        return r->key == KEY_BASE_TIME ? reader_base_time(r, text, length)
                                       : check_kind(r, VALUE_NUMBER) && wrong_value(r);
    case AT_TIMES:
        return reader_habitat_time(r, text, length);
    case AT_MEMORY:
        return check_kind(r, VALUE_NUMBER) && reader_memory_number(r, text, length);
    case AT_FORMATS:
        return check_kind(r, VALUE_NUMBER);
    case AT_SIZES:
        return reader_parameter_number(r, text, length);
    default:
        return wrong_value(r);
    }
}

/* null, true, false: of no use to any key; in lists they keep the place of an element. */
static int on_other(reader *r) {
    r->progress = true;
    return r->at == AT_START || r->at == AT_EVENTS || r->at == AT_ROOT ? wrong_value(r) : 1;
}

/* Not known: as if it were left out, but for what no event can do without. */
static int on_null(void *context) {
    reader *r = context;
    if (r->at == AT_LIST)
        inputs_null(r->b->inputs);
    else if (r->at == AT_TRIPLE || (r->at == AT_EVENT && (r->key == KEY_TS || r->key == KEY_DUR)))
        reader_wrong_value(r);
    return on_other(r);
}

static int on_string(void *context, const unsigned char *bytes, size_t length) {
    reader *r = context;
    const char *text = (const char *)bytes;
    r->progress = true;
    switch (r->at) {
    case AT_SKIP:
        return 1;
    case AT_LIST:
        inputs_string(r->b->inputs, bytes, length);
        return 1;
    case AT_EVENT:
        return reader_event_string(r, text, length);
    case AT_ARGS:
        reader_argument_string(r, text, length);
        return 1;
    case AT_DEVICE:
        if (r->key == KEY_DEVICE_NAME) {
            r->device.facts.name = reader_keep_text(r, text, length);
            return r->device.facts.name ? 1 : reader_stop_memory(r);
        }
        return reader_device_number(r, text, length);
    case AT_HABITAT:
        return check_kind(r, VALUE_TEXT) && reader_habitat_string(r, text, length);
    case AT_TRIPLE:
        return on_number(context, text, length);
    default:
        return check_kind(r, VALUE_TEXT) && wrong_value(r);
    }
}

static int on_boolean(void *context, int value) {
    reader *r = context;
    if (!check_kind(r, VALUE_BOOLEAN))
        return 0;
    if (r->at == AT_ARGS && r->key == KEY_NVTX)
        r->e.nvtx = value != 0;
    else if (r->at == AT_EVENT || r->at == AT_ARGS || r->at == AT_TRIPLE)
        reader_wrong_value(r);
    else if (r->at == AT_LIST)
        inputs_other(r->b->inputs);
    else if (r->at == AT_HABITAT)
        reader_habitat_boolean(r, value != 0);
    return on_other(r);
}

static int on_key(void *context, const unsigned char *bytes, size_t length) {
    reader *r = context;
    const char *text = (const char *)bytes;
    r->progress = true;
    switch (r->at) {
    case AT_EVENT:
        r->key = key_of_event(text, length);
        break;
    case AT_ARGS:
        r->key = key_of_argument(text, length);
        break;
    case AT_ROOT:
        r->key = key_of_root(text, length);
        break;
    case AT_DEVICE:
        r->key = key_of_device(text, length);
        break;
    case AT_HABITAT:
        r->key = key_of_habitat(text, length);
        break;
    case AT_DISTRIBUTED:
        r->key = key_of_distributed(text, length);
        break;
    case AT_MEMORY:
        r->key = key_of_memory(text, length);
        break;
    case AT_FORMATS:
        r->parameter_dtype = reader_format(text, length);
        break;
    default:
        break;
    }
    return 1;
}

static int opened(reader *r) {
    r->progress = true;
    if (++r->open > DEPTH_MAX)
        return STOP(r, HABITAT_E_FORMAT, "brackets nested deeper than %d levels: not a trace; %s",
                    DEPTH_MAX, reader_advice);
    return 1;
}

static int skip(reader *r) {
    r->resume = r->at;
    r->at = AT_SKIP;
    r->depth = 1;
    return 1;
}

/* A second member of the same name: two files in one, of which neither is whole. */
static int only_once(reader *r, bool *seen, const char *name) {
    if (*seen)
        return STOP(r, HABITAT_E_FORMAT,
                    "a second \"%s\": which one holds is not said; remove one, or record it again",
                    name);
    *seen = true;
    return 1;
}

static int on_open_map(void *context) {
    reader *r = context;
    if (!opened(r) || !check_kind(r, VALUE_OBJECT))
        return 0;
    switch (r->at) {
    case AT_SKIP:
        r->depth++;
        return 1;
    case AT_LIST: /* no list holds objects: skipped, with the place kept */
        inputs_other(r->b->inputs);
        return skip(r);
    case AT_START:
        r->at = AT_ROOT;
        return 1;
    case AT_ROOT:
        if (r->key == KEY_EVENTS)
            return wrong_value(r);
        if (r->key == KEY_DISTRIBUTED) {
            r->at = AT_DISTRIBUTED;
            r->key = KEY_NONE;
            return 1;
        }
        if (r->key != KEY_HABITAT && r->key != KEY_PREDICTION)
            return skip(r);
        /* a timeline notes its iteration as a recording does: without a profiler */
        r->b->trace->info.predicted |= r->key == KEY_PREDICTION;
        r->at = AT_HABITAT;
        return only_once(r, &r->seen_habitat, "habitat");
    case AT_EVENTS:
        reader_clear_event(r);
        r->at = AT_EVENT;
        r->key = KEY_NONE;
        return 1;
    case AT_EVENT:
        if (r->key != KEY_ARGS)
            reader_wrong_value(r);
        if (r->key != KEY_ARGS || event_is_unneeded(&r->e))
            return skip(r);
        r->at = AT_ARGS;
        r->key = KEY_NONE;
        return 1;
    case AT_ARGS:
    case AT_TRIPLE:
        reader_wrong_value(r);
        return skip(r);
    case AT_HABITAT:
    case AT_MEMORY:
        if (r->key != (r->at == AT_HABITAT ? KEY_MEMORY : KEY_SIZES))
            return skip(r);
        r->at = r->at == AT_HABITAT ? AT_MEMORY : AT_FORMATS;
        r->key = KEY_NONE;
        return 1;
    case AT_DEVICES:
        r->device = (trace_device){.id = -1};
        r->device_major = r->device_minor = (measured){0, MISSING};
        r->at = AT_DEVICE;
        return 1;
    default:
        return skip(r);
    }
}

static int close_device(reader *r) {
    habitat_device_facts *facts = &r->device.facts;
    uint64_t capability = 10 * r->device_major.value + r->device_minor.value;
    bool known = r->device_major.state == PRESENT && r->device_minor.state == PRESENT;
    facts->compute_capability = !known || capability > 10000 ? 0 : (uint32_t)capability;
    trace_device *device = trace_add_device(r->b);
    if (!device)
        return reader_stop_memory(r);
    *device = r->device;
    r->at = AT_DEVICES;
    return 1;
}

static int on_close_map(void *context) {
    reader *r = context;
    r->progress = true;
    r->open--;
    switch (r->at) {
    case AT_SKIP:
        if (--r->depth == 0)
            r->at = r->resume;
        return 1;
    case AT_ARGS:
        r->at = AT_EVENT;
        return 1;
    case AT_EVENT:
        if (!reader_finish_event(r))
            return 0;
        r->event_count++;
        r->after_event = true;
        r->at = AT_EVENTS;
        return 1;
    case AT_DEVICE:
        return close_device(r);
    case AT_HABITAT:
    case AT_DISTRIBUTED:
        r->at = AT_ROOT;
        return 1;
    case AT_MEMORY:
        r->at = AT_HABITAT;
        return 1;
    case AT_FORMATS:
        r->at = AT_MEMORY;
        return 1;
    case AT_ROOT:
        r->at = AT_END;
        return r->seen_events ? 1 : not_root(r);
    default:
        return 1;
    }
}

static int open_argument(reader *r) {
    switch (r->key) {
    case KEY_DIMS:
        inputs_field(r->b->inputs, INPUT_DIMS);
        break;
    case KEY_TYPES:
        inputs_field(r->b->inputs, INPUT_TYPES);
        break;
    case KEY_STRIDES:
        inputs_field(r->b->inputs, INPUT_STRIDES);
        break;
    case KEY_VALUES:
        inputs_field(r->b->inputs, INPUT_VALUES);
        break;
    case KEY_GRID:
    case KEY_BLOCK:
        r->triple = r->key == KEY_GRID ? &r->e.grid : &r->e.block;
        *r->triple = (triple){.given = true};
        r->at = AT_TRIPLE;
        return 1;
    default:
        reader_wrong_value(r);
        return skip(r);
    }
    inputs_open(r->b->inputs);
    r->list_byte = reader_position(r);
    r->at = AT_LIST;
    r->list_depth = 1;
    return 1;
}

static int on_open_array(void *context) {
    reader *r = context;
    if (!opened(r) || !check_kind(r, VALUE_NUMBERS))
        return 0;
    switch (r->at) {
    case AT_SKIP:
        r->depth++;
        return 1;
    case AT_LIST:
        r->list_depth++;
        inputs_open(r->b->inputs);
        return 1;
    case AT_START:
        r->in_array = r->seen_events = true;
        r->at = AT_EVENTS;
        return 1;
    case AT_ROOT:
        if (r->key == KEY_EVENTS) {
            r->at = AT_EVENTS;
            return only_once(r, &r->seen_events, "traceEvents");
        }
        if (r->key != KEY_DEVICES)
            return skip(r);
        r->at = AT_DEVICES;
        return only_once(r, &r->seen_devices, "deviceProperties");
    case AT_EVENTS:
        return wrong_value(r);
    case AT_EVENT:
    case AT_TRIPLE:
        reader_wrong_value(r);
        return skip(r);
    case AT_ARGS:
        return open_argument(r);
    case AT_HABITAT:
        return reader_open_numbers(r) || skip(r);
    case AT_FORMATS:
        r->at = AT_SIZES;
        return 1;
    default:
        return skip(r);
    }
}

static int on_close_array(void *context) {
    reader *r = context;
    r->progress = true;
    r->open--;
    switch (r->at) {
    case AT_SKIP:
        if (--r->depth == 0)
            r->at = r->resume;
        return 1;
    case AT_LIST:
        inputs_close(r->b->inputs);
        if (--r->list_depth == 0)
            r->at = AT_ARGS;
        return 1;
    case AT_TRIPLE:
        r->at = AT_ARGS;
        return 1;
    case AT_EVENTS:
        r->at = r->in_array ? AT_END : AT_ROOT;
        return 1;
    case AT_DEVICES:
        r->at = AT_ROOT;
        return 1;
    case AT_TIMES:
        r->at = AT_HABITAT;
        return 1;
    case AT_SIZES:
        r->at = AT_FORMATS;
        return 1;
    default:
        return 1;
    }
}

const yajl_callbacks reader_callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_map_key = on_key,
    .yajl_start_map = on_open_map,
    .yajl_end_map = on_close_map,
    .yajl_start_array = on_open_array,
    .yajl_end_array = on_close_array,
};
