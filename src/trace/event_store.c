/* Finished events into the builder, with everything checked that will be relied on. */
#include "trace/reader.h"

#include <math.h>
#include <string.h>

static bool require_state(reader *r, number_state state, const char *what) {
    switch (state) {
    case PRESENT:
        return true;
    case MISSING:
        return reader_bad_event(r, HABITAT_E_FORMAT, what, "is missing");
    case NEGATIVE:
        return reader_bad_event(r, HABITAT_E_RANGE, what, "is negative");
    case TOO_LARGE:
        return reader_bad_event(r, HABITAT_E_RANGE, what, "is absurdly large");
    case NOT_WHOLE:
        return reader_bad_event(r, HABITAT_E_FORMAT, what, "is no whole number");
    case NOT_A_NUMBER:
        break;
    }
    return reader_bad_event(r, HABITAT_E_FORMAT, what, "is not a number");
}

/* False (stopped) unless the number is there and sane. */
static bool require(reader *r, const measured *m, const char *what) {
    return require_state(r, m->state, what);
}

static bool allow_missing(reader *r, const measured *m, const char *what) {
    return m->state == MISSING || require(r, m, what);
}

static bool allow_counters(reader *r) {
    const event *e = &r->e;
    return (!e->dram_state || require_state(r, e->dram_state, "dram bytes")) &&
           (!e->flop_state || require_state(r, e->flop_state, "flop"));
}

/* --- finished events ------------------------------------------------------------------------ */

static bool name_starts(const reader *r, const char *prefix) {
    size_t length = strlen(prefix);
    return r->e.name_bytes >= length && !memcmp(r->name, prefix, length);
}

static uint32_t event_thread(reader *r) {
    return trace_thread_index(r->b, r->e.pid.value, r->e.tid.value);
}

/* A whole event says how long it lasts, one in two parts when it ends. */
static bool has_length(const event *e) {
    return e->phase == 'B' || e->duration.state == PRESENT;
}

static bool require_times(reader *r) {
    return require(r, &r->e.time, "ts") && (r->e.phase == 'B' || require(r, &r->e.duration, "dur"));
}

static habitat_operation_kind operation_kind(const reader *r) {
    if (name_starts(r, "nn.Module:"))
        return HABITAT_OPERATION_MODULE;
    return r->e.cat == CAT_RANGE || r->e.nvtx ? HABITAT_OPERATION_RANGE
                                              : HABITAT_OPERATION_FRAMEWORK;
}

/* The lists of inputs could not be stored. */
static int bad_inputs(reader *r) {
    static const char *const names[] = {[INPUT_DIMS] = "Input Dims",
                                        [INPUT_TYPES] = "Input type",
                                        [INPUT_STRIDES] = "Input Strides",
                                        [INPUT_VALUES] = "Concrete Inputs"};
    const input_lists *l = r->b->inputs;
    if (!l->problem)
        return reader_stop_memory(r);
    if (!r->bad_byte)
        r->bad_byte = r->list_byte;
    return reader_bad_event(r, l->out_of_range ? HABITAT_E_RANGE : HABITAT_E_FORMAT,
                            names[l->problem_field], l->problem);
}

/* The E of what is skipped ends nothing else. */
static int skip_event(reader *r) {
    r->b->trace->info.trace_skipped_events++;
    return r->e.phase != 'B' || pair_begin(r, event_thread(r), OPEN_SKIPPED, 0);
}

static int add_operation(reader *r) {
    event *e = &r->e;
    if (e->cat == CAT_PYTHON && !name_starts(r, "nn.Module:"))
        return skip_event(r);
    if (!require_times(r))
        return 0;
    if (!allow_missing(r, &e->external, "External id") ||
        !allow_missing(r, &e->sequence, "Sequence number") ||
        !allow_missing(r, &e->forward_thread, "Fwd thread id"))
        return 0;
    if (r->b->inputs->no_memory)
        return reader_stop_memory(r);
    if (r->b->inputs->overflow)
        return reader_bad_event(r, HABITAT_E_RANGE, "args", "holds more than 4 MiB of inputs");
    uint32_t thread = event_thread(r);
    habitat_trace *t = r->b->trace;
    habitat_op_form form;
    trace_begin_op_form(&form);
    form.name = event_name(r);
    form.kind = operation_kind(r);
    form.thread = thread;
    form.host_memory = e->host_memory;
    if (thread == HABITAT_NONE || !form.name)
        return reader_stop_memory(r);
    if (!inputs_store(r->b->inputs, &t->arena, &t->strings, &form, &r->b->has_shapes))
        return bad_inputs(r);
    habitat_operation *o = trace_add_operation(r->b, &form);
    if (!o)
        return reader_stop_memory(r);
    o->start_ns = e->time.value;
    o->duration_ns = e->duration.value;
    trace_set_node(o, (trace_node){e->sequence.state == PRESENT, e->forward_thread.value != 0,
                                   e->sequence.value});
    o->kernel_count = (uint32_t)e->external.value; /* until linked: see build.h */
    if (e->phase == 'B') {
        o->duration_ns = UINT64_MAX;
        return pair_begin(r, thread, OPEN_OPERATION, t->operation_count - 1);
    }
    if (form.kind == HABITAT_OPERATION_RANGE &&
        !trace_add_range(r->b, form.name, o->start_ns, o->duration_ns))
        return reader_stop_memory(r);
    return 1;
}

/* "Memcpy HtoD (Pinned -> Device)": the second word. */
static const char *copy_kind(reader *r, bool *fine) {
    const char *space = memchr(r->name, ' ', r->e.name_bytes);
    if (!space)
        return NULL;
    const char *end = memchr(space + 1, ' ', r->e.name_bytes - (size_t)(space + 1 - r->name));
    size_t length = (size_t)((end ? end : r->name + r->e.name_bytes) - space) - 1;
    const char *text = habitat_strings_intern(&r->b->trace->strings, space + 1, length);
    *fine = text != NULL;
    return length ? text : NULL;
}

static bool take_triple(reader *r, const triple *from, uint32_t to[3], const char *what) {
    if (!from->given)
        return true;
    if (from->count != 3)
        return reader_bad_event(r, HABITAT_E_FORMAT, what, "is no list of three numbers");
    for (int i = 0; i < 3; i++) {
        if (!require(r, &from->sides[i], what))
            return false;
        if (from->sides[i].value > UINT32_MAX)
            return reader_bad_event(r, HABITAT_E_RANGE, what, "is absurdly large");
        if (from->sides[i].value == 0 && r->e.cat == CAT_KERNEL)
            return reader_bad_event(r, HABITAT_E_RANGE, what, "has a side of 0");
        to[i] = (uint32_t)from->sides[i].value;
    }
    return true;
}

static bool take_small(reader *r, const measured *from, uint32_t *to, const char *what) {
    if (!allow_missing(r, from, what))
        return false;
    if (from->value > UINT32_MAX)
        return reader_bad_event(r, HABITAT_E_RANGE, what, "is absurdly large");
    *to = (uint32_t)from->value;
    return true;
}

/* What a collective sends: the larger of what goes in and what comes out. What is not there stays
 * unknown. */
static bool take_message(reader *r, habitat_kernel_form *k) {
    enum { ELEMENTS_MAX_BITS = 48 };
    const event *e = &r->e;
    uint64_t in = e->elements_in.value, out = e->elements_out.value, elements = in > out ? in : out;
    if (!allow_missing(r, &e->elements_in, "In msg nelems") ||
        !allow_missing(r, &e->elements_out, "Out msg nelems") ||
        !take_small(r, &e->group_size, &k->group_size, "Group size"))
        return false;
    if (elements >> ELEMENTS_MAX_BITS)
        return reader_bad_event(r, HABITAT_E_RANGE, in > out ? "In msg nelems" : "Out msg nelems",
                                "is absurdly large");
    k->collective = e->collective;
    k->bytes = elements * e->element_bytes;
    return true;
}

/* What the kinds of kernels have of their own. */
static int take_kind(reader *r, habitat_kernel_form *k) {
    event *e = &r->e;
    bool fine = true;
    if (e->cat == CAT_KERNEL) {
        bool collective = trace_name_is_collective(r->b, k->name);
        k->kind = collective ? HABITAT_KERNEL_COLLECTIVE : HABITAT_KERNEL_COMPUTE;
        return !collective || take_message(r, k);
    }
    k->kind = e->cat == CAT_MEMCPY ? HABITAT_KERNEL_MEMCPY : HABITAT_KERNEL_MEMSET;
    if (e->cat == CAT_MEMCPY && r->name)
        k->copy_kind = copy_kind(r, &fine);
    if (!fine)
        return reader_stop_memory(r);
    if (!allow_missing(r, &e->bytes, "bytes"))
        return 0;
    if (e->bytes.value > TRACE_BYTES_LIMIT)
        return reader_bad_event(r, HABITAT_E_RANGE, "bytes", "is absurdly large");
    k->bytes = e->bytes.value;
    return 1;
}

static int take_form(reader *r, habitat_kernel_form *k) {
    event *e = &r->e;
    trace_begin_kernel_form(k);
    k->name = event_name(r);
    if (!k->name)
        return reader_stop_memory(r);
    /* Kineto names device and stream in the arguments, and uses them as pid and tid too */
    if (!take_kind(r, k) ||
        !take_small(r, e->device.state ? &e->device : &e->pid, &k->device, "device") ||
        !take_small(r, e->stream.state ? &e->stream : &e->tid, &k->stream, "stream") ||
        !take_small(r, &e->registers, &k->registers_per_thread, "registers per thread") ||
        !take_small(r, &e->shared, &k->shared_memory_bytes, "shared memory") ||
        !take_triple(r, &e->grid, k->grid, "grid") || !take_triple(r, &e->block, k->block, "block"))
        return 0;
    const char *absurd = trace_absurd_size(k);
    if (absurd)
        return reader_bad_event(r, HABITAT_E_RANGE, absurd, "is absurdly large");
    if (!allow_counters(r))
        return 0;
    k->dram_bytes = e->dram_bytes;
    k->flop = e->flop;
    k->resident_blocks = e->resident_blocks;
    k->occupancy_percent = e->occupancy_percent;
    k->limited_by = e->limited_by;
    return 1;
}

static int add_kernel(reader *r) {
    event *e = &r->e;
    habitat_kernel_form form;
    if (!require_times(r) || !take_form(r, &form) ||
        !allow_missing(r, &e->correlation, "correlation") ||
        !allow_missing(r, &e->external, "External id") || !allow_missing(r, &e->graph, "graph id"))
        return 0;
    habitat_kernel *k = trace_add_kernel(r->b, &form);
    if (!k)
        return reader_stop_memory(r);
    k->start_ns = e->time.value;
    k->duration_ns = e->duration.value;
    trace_set_correlation(k, e->correlation.value);
    k->operation = (uint32_t)e->external.value; /* until linked: see build.h */
    k->in_graph = e->graph.value != 0;
    if (!isnan(form.dram_bytes) || !isnan(form.flop))
        r->b->trace->info.has_counters = true;
    return e->phase != 'B' ||
           pair_begin(r, event_thread(r), OPEN_KERNEL, r->b->trace->kernel_count - 1);
}

static int add_call(reader *r) {
    event *e = &r->e;
    bool timed = e->time.state == PRESENT && has_length(e);
    if (!allow_missing(r, &e->correlation, "correlation"))
        return 0;
    if (!e->correlation.value && !timed) /* launches nothing, and nothing says when */
        return skip_event(r);
    if (!require_times(r))
        return 0;
    uint32_t thread = event_thread(r);
    const char *name = event_name(r);
    habitat_call *call = thread == HABITAT_NONE || !name
                             ? NULL
                             : trace_add_call(r->b, name, thread, e->cat == CAT_DRIVER);
    if (!call)
        return reader_stop_memory(r);
    call->start_ns = e->time.value;
    call->duration_ns = e->duration.value;
    call->correlation = e->correlation.value;
    return e->phase != 'B' || pair_begin(r, thread, OPEN_CALL, r->b->trace->call_count - 1);
}

/* A number that may be anything: what is no small number is none. */
static uint32_t small_or_none(const measured *m) {
    return m->state == PRESENT && m->value < HABITAT_NONE ? (uint32_t)m->value : HABITAT_NONE;
}

/* What a synchronisation waited for. Its call is an event of its own, with the same correlation. */
static int add_wait(reader *r) {
    const event *e = &r->e;
    if (!allow_missing(r, &e->correlation, "correlation"))
        return 0;
    if (!e->correlation.value) {
        r->b->trace->info.trace_skipped_events++;
        return 1;
    }
    trace_wait *wait = trace_add_wait(r->b);
    if (!wait)
        return reader_stop_memory(r);
    wait->correlation = e->correlation.value;
    if (e->time.state == PRESENT)
        wait->time_ns = e->time.value;
    wait->device = small_or_none(&e->device);
    wait->stream = small_or_none(&e->stream);
    wait->event = small_or_none(&e->wait_event);
    wait->on_stream = small_or_none(&e->wait_stream);
    wait->record = e->wait_record.value;
    return 1;
}

static int add_flow(reader *r) {
    event *e = &r->e;
    if (!require(r, &e->time, "ts") || !require(r, &e->id, "id"))
        return 0;
    uint32_t thread = event_thread(r);
    trace_flow *flow = thread == HABITAT_NONE ? NULL : trace_add_flow(r->b);
    if (!flow)
        return reader_stop_memory(r);
    *flow = (trace_flow){e->id.value, e->time.value, thread, e->phase == 'f'};
    return 1;
}

enum { KIND_CUDA = 1, KIND_HIP = 6 }; /* PyTorch's DeviceType */

/* Totals of the GPU that gave out most: of one rank's GPU, then. What cannot be read is no total.
 */
static int add_memory(reader *r) {
    const event *e = &r->e;
    r->b->trace->info.trace_skipped_events++;
    bool gpu = e->memory_kind == KIND_CUDA || e->memory_kind == KIND_HIP;
    if (!gpu || e->allocated.state != PRESENT || e->time.state != PRESENT)
        return 1;
    double allocated = (double)e->allocated.value;
    if (!(r->memory_peak_bytes > 0) || e->time.value < r->memory_from_ns) {
        r->memory_from_ns = e->time.value;
        r->memory_first_bytes = allocated - (double)e->allocation_bytes;
    }
    r->memory_peak_bytes = fmax(r->memory_peak_bytes, allocated);
    if (e->reserved.state == PRESENT)
        r->memory_reserved_bytes = fmax(r->memory_reserved_bytes, (double)e->reserved.value);
    return 1;
}

/* Of an event that counts. */
static int bad_kind(reader *r) {
    static const char *const names[] = {"ph",  "cat", "name", "ts",  "dur",
                                        "pid", "tid", "id",   "args"};
    unsigned at = 0;
    while (!(r->e.wrong >> at & 1))
        at++;
    key wrong = (key)(KEY_PH + at);
    return reader_bad_event(r, HABITAT_E_FORMAT, names[at],
                            wrong == KEY_ARGS                      ? "is no object"
                            : wrong == KEY_PID || wrong == KEY_TID ? "is neither number nor text"
                                                                   : "is no text");
}

int reader_finish_event(reader *r) {
    event *e = &r->e;
    category cat = e->cat;
    bool counts = cat > CAT_UNNEEDED && cat < CAT_INSTANT;
    bool unsaid = e->wrong & WRONG(KEY_CAT) && (e->phase == 'X' || e->phase == 'B');
    if (e->wrong && (counts || unsaid || e->phase == 'E'))
        return bad_kind(r);
    if (counts && !e->phase)
        return reader_bad_event(r, HABITAT_E_FORMAT, "ph", "is missing");
    bool begins = e->phase == 'X' || e->phase == 'B';
    if (begins && (cat == CAT_KERNEL || cat == CAT_MEMCPY || cat == CAT_MEMSET))
        return add_kernel(r);
    if (begins && (cat == CAT_RUNTIME || cat == CAT_DRIVER))
        return add_call(r);
    if (begins && (cat == CAT_OPERATION || cat == CAT_RANGE || cat == CAT_PYTHON))
        return add_operation(r);
    if (begins && cat == CAT_WAIT)
        return add_wait(r) && (e->phase == 'X' || pair_begin(r, event_thread(r), OPEN_SKIPPED, 0));
    if (cat == CAT_INSTANT && r->e.name_bytes == 8 && name_starts(r, "[memory]"))
        return add_memory(r);
    if (cat == CAT_FLOW && (e->phase == 's' || e->phase == 'f'))
        return add_flow(r);
    if (e->phase == 'E') /* often without a category */
        return require(r, &e->time, "ts") && pair_end(r, event_thread(r));
    return skip_event(r);
}

void reader_clear_event(reader *r) {
    memset(&r->e, 0, sizeof r->e);
    r->e.dram_bytes = r->e.flop = NAN;
    r->bad_byte = 0;
    inputs_clear(r->b->inputs);
}
