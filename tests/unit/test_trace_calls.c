/* Calls into the runtime: their kinds, the kernels and operations they belong to, what they wait
 * for. Small hand-made traces in both ways of reading, and recordings. */
#include <stdio.h>
#include <stdlib.h>

#include <habitat/trace.h>

#include "trace/build.h"
#include "trace/calls.h"
#include "trace/read.h"

#include "check.h"

/* --- kinds ----------------------------------------------------------------------------------- */

static void check_kinds(void) {
    static const struct {
        const char *name;
        habitat_call_kind kind;
    } cases[] = {
        {"cudaLaunchKernel", HABITAT_CALL_LAUNCH},
        {"cudaLaunchKernel_v7000", HABITAT_CALL_LAUNCH},
        {"cudaLaunchKernel_ptsz_v7000", HABITAT_CALL_LAUNCH},
        {"cudaLaunchKernelExC", HABITAT_CALL_LAUNCH},
        {"cuLaunchKernelEx", HABITAT_CALL_LAUNCH},
        {"cudaLaunchCooperativeKernel", HABITAT_CALL_LAUNCH},
        {"hipExtModuleLaunchKernel", HABITAT_CALL_LAUNCH},
        {"hipLaunchKernel_spt", HABITAT_CALL_LAUNCH},
        {"cudaGraphLaunch_v10000", HABITAT_CALL_LAUNCH_GRAPH},
        {"cuGraphLaunch", HABITAT_CALL_LAUNCH_GRAPH},
        {"cudaMemcpyAsync_v3020", HABITAT_CALL_COPY},
        {"cuMemcpyHtoDAsync_v2", HABITAT_CALL_COPY},
        {"hipMemcpyWithStream", HABITAT_CALL_COPY},
        {"cudaMemsetAsync", HABITAT_CALL_SET},
        {"cuMemsetD32Async", HABITAT_CALL_SET},
        {"cudaDeviceSynchronize", HABITAT_CALL_SYNCHRONISE_DEVICE},
        {"cuCtxSynchronize", HABITAT_CALL_SYNCHRONISE_DEVICE},
        {"hipStreamSynchronize", HABITAT_CALL_SYNCHRONISE_STREAM},
        {"cudaEventSynchronize", HABITAT_CALL_SYNCHRONISE_EVENT},
        {"cudaEventRecordWithFlags_v11010", HABITAT_CALL_RECORD_EVENT},
        {"cuEventRecord_ptsz", HABITAT_CALL_RECORD_EVENT},
        {"cudaStreamWaitEvent_v3020", HABITAT_CALL_WAIT_EVENT},
        {"hipMalloc", HABITAT_CALL_ALLOCATE},
        {"cuMemAlloc_v2", HABITAT_CALL_ALLOCATE},
        {"cudaFreeHost", HABITAT_CALL_FREE},
        /* names that only begin like one, and names of others */
        {"cudaLaunchKernels", HABITAT_CALL_OTHER},
        {"cudaLaunchKernel_v", HABITAT_CALL_OTHER},
        {"cudaLaunchHostFunc", HABITAT_CALL_OTHER},
        {"cudaEventRecordings", HABITAT_CALL_OTHER},
        {"cudaMallocator", HABITAT_CALL_OTHER},
        {"cudaGetErrorString", HABITAT_CALL_OTHER},
        {"LaunchKernel", HABITAT_CALL_OTHER},
        {"cudaGraphAddMemcpyNode", HABITAT_CALL_OTHER},
        {"", HABITAT_CALL_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (trace_call_kind(cases[i].name) != cases[i].kind)
            printf("# %s\n", cases[i].name);
        CHECK_INT(trace_call_kind(cases[i].name), cases[i].kind);
    }
    check_case("the kind of a call is told by its name, its version aside");
    CHECK_TEXT(habitat_call_kind_name(HABITAT_CALL_OTHER), "other");
    CHECK_TEXT(habitat_call_kind_name(HABITAT_CALL_SYNCHRONISE_STREAM), "synchronise stream");
    CHECK_TEXT(habitat_call_kind_name((habitat_call_kind)-1), "other");
    CHECK_TEXT(habitat_call_kind_name((habitat_call_kind)HABITAT_CALL_KINDS), "other");
    for (int i = 0; i < HABITAT_CALL_KINDS; i++)
        for (int j = 0; j < i; j++)
            CHECK(strcmp(habitat_call_kind_name((habitat_call_kind)i),
                         habitat_call_kind_name((habitat_call_kind)j)) != 0);
    check_case("each kind has a word of its own");
}

/* --- a hand-made trace ----------------------------------------------------------------------- */

#define CALL(name, tid, ts, dur, correlation)                                                      \
    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"" name                                 \
    "\", \"pid\": 1, \"tid\": " #tid ", \"ts\": " #ts ", \"dur\": " #dur                           \
    ", \"args\": {\"correlation\": " #correlation "}},\n"
#define ACTIVITY(cat, name, stream, ts, correlation)                                               \
    "{\"ph\": \"X\", \"cat\": \"" cat "\", \"name\": \"" name "\", \"pid\": 0, \"tid\": " #stream  \
    ", \"ts\": " #ts ", \"dur\": 1, \"args\": {\"device\": 0, \"stream\": " #stream                \
    ", \"correlation\": " #correlation "}},\n"
#define SYNC(name, ts, args)                                                                       \
    "{\"ph\": \"X\", \"cat\": \"cuda_sync\", \"name\": \"" name                                    \
    "\", \"pid\": 0, \"tid\": 1, \"ts\": " #ts ", \"dur\": 1, \"args\": {\"cuda_sync_kind\": "     \
    "\"" name "\", " args "}},\n"
#define OPERATION(name, tid, ts, dur)                                                              \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" name "\", \"pid\": 1, \"tid\": " #tid      \
    ", \"ts\": " #ts ", \"dur\": " #dur "},\n"

/* Thread 1 launches on stream 7, puts an event there and makes stream 13 wait for it; thread 2
 * launches on stream 13 and waits for everything. Events are in no order. */
static const char made[] = "{\"traceEvents\": [\n" OPERATION("aten::mm", 1, 90, 40)
    OPERATION("aten::add", 2, 200, 30) CALL("cudaDeviceSynchronize", 2, 300, 50, 9) CALL(
        "cudaLaunchKernel", 1, 100, 5, 1) CALL("cudaEventRecord", 1, 110, 2,
                                               2) CALL("cudaStreamWaitEvent", 1, 120, 2, 3)
        CALL("cudaMemcpyAsync", 2, 210, 5, 4) CALL("cudaMemsetAsync", 2, 220, 5, 5) CALL(
            "cudaGraphLaunch", 2, 240, 5, 6) CALL("cudaMalloc", 1, 130.5, 3, 7)
            CALL("cudaFuncGetAttributes", 1, 140, 1,
                 0) "{\"ph\": \"X\", \"cat\": \"cuda_driver\", \"name\": \"cuLaunchKernel\", "
                    "\"pid\": 1, \"tid\": "
                    "2, \"ts\": 260, \"dur\": 3, \"args\": {\"correlation\": 8}},\n"
                    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"cudaFree\", "
                    "\"pid\": 1, \"tid\": 1},\n" ACTIVITY("kernel", "gemm", 7, 150, 1)
                        ACTIVITY("gpu_memcpy", "Memcpy HtoD (A -> B)", 13,
                                 250, 4) ACTIVITY("gpu_memset", "Memset (Device)", 13,
                                                  255, 5) ACTIVITY("kernel", "first", 13, 260, 6)
                            ACTIVITY("kernel", "second", 21, 265,
                                     6) ACTIVITY("kernel", "triton", 13, 270, 8)
                                ACTIVITY("kernel", "stray", 7, 280, 77)
                                    SYNC("Stream Wait Event", 121,
                                         "\"wait_on_stream\": 7, "
                                         "\"wait_on_cuda_event_record_corr_id\": 2,"
                                         " \"wait_on_cuda_event_id\": 31, \"stream\": 13, "
                                         "\"correlation\": 3, \"device\": 0")
                                        SYNC("Context Sync", 305,
                                             "\"stream\": -1, \"correlation\": 9, \"device\": 0")
                                            SYNC("Stream Sync", 305,
                                                 "\"stream\": 7, \"correlation\": 55, \"device\": "
                                                 "0") "{\"ph\": \"M\", \"name\": \"end\"}]}";

static habitat_trace *read_text(const char *text, bool slow_only) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    habitat_status status = trace_read_memory_as(text, strlen(text), "made", slow_only, &t, &err);
    if (status != HABITAT_OK)
        printf("# %s\n", err.message);
    CHECK_INT(status, HABITAT_OK);
    return t;
}

static const habitat_call *find_call(const habitat_trace *t, const char *name) {
    size_t count;
    const habitat_call *c = habitat_trace_calls(t, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(c[i].form->name, name))
            return &c[i];
    printf("# no call %s\n", name);
    check_case_failed = 1;
    return c;
}

static const habitat_call_wait *wait_of(const habitat_trace *t, const habitat_call *c) {
    return habitat_trace_call_wait(t, (uint32_t)(c - habitat_trace_calls(t, &(size_t){0})));
}

static const char *kernel_of(const habitat_trace *t, const habitat_call *c, uint32_t i) {
    size_t count;
    const habitat_kernel *k = habitat_trace_kernels(t, &count);
    const uint32_t *own = habitat_trace_call_kernels(t, c);
    return i < c->kernel_count && own[i] < count ? k[own[i]].form->name : "none";
}

static void check_order(const habitat_trace *t) {
    static const char *const names[] = {
        "cudaLaunchKernel",      "cudaEventRecord",      "cudaStreamWaitEvent", "cudaMalloc",
        "cudaFuncGetAttributes", "cudaMemcpyAsync",      "cudaMemsetAsync",     "cudaGraphLaunch",
        "cuLaunchKernel",        "cudaDeviceSynchronize"};
    size_t count, operations;
    const habitat_call *c = habitat_trace_calls(t, &count);
    const habitat_operation *o = habitat_trace_operations(t, &operations);
    CHECK_INT(count, 10);
    for (size_t i = 0; i < count && i < 10; i++)
        CHECK_TEXT(c[i].form->name, names[i]);
    CHECK(c[0].form->thread == c[4].form->thread && c[5].form->thread == c[9].form->thread &&
          c[0].form->thread != c[9].form->thread);
    CHECK(c[0].form->thread == o[0].form->thread && c[9].form->thread == o[1].form->thread);
    CHECK(c[0].start_ns == 10000 && c[0].duration_ns == 5000); /* the first event is at 90 us */
    CHECK(c[3].start_ns == 40500 && c[9].start_ns == 210000 && c[9].duration_ns == 50000);
    CHECK(c[8].form->driver && !c[7].form->driver && c[8].correlation == 8 &&
          c[4].correlation == 0);
    check_case("calls of a thread come in the order of their start, with its operations' number");
    CHECK(c[0].operation == 0 && c[2].operation == 0 && c[3].operation == HABITAT_NONE);
    CHECK(c[5].operation == 1 && c[7].operation == HABITAT_NONE && c[9].operation == HABITAT_NONE);
    for (size_t i = 0; i < count; i++)
        CHECK_INT(c[i].iteration, 0);
    check_case("calls know the operation and the iteration they begin in");
}

static void check_kernels(const habitat_trace *t) {
    size_t count, linked = 0;
    const habitat_kernel *k = habitat_trace_kernels(t, &count);
    const habitat_call *launch = find_call(t, "cudaLaunchKernel");
    const habitat_call *graph = find_call(t, "cudaGraphLaunch");
    CHECK_TEXT(kernel_of(t, launch, 0), "gemm");
    CHECK_INT(launch->kernel_count, 1);
    CHECK(launch->form->stream == 7 && launch->form->device == 0 &&
          wait_of(t, launch)->event == HABITAT_NONE);
    CHECK_TEXT(kernel_of(t, find_call(t, "cudaMemcpyAsync"), 0), "Memcpy HtoD (A -> B)");
    CHECK_TEXT(kernel_of(t, find_call(t, "cudaMemsetAsync"), 0), "Memset (Device)");
    CHECK_TEXT(kernel_of(t, find_call(t, "cuLaunchKernel"), 0), "triton");
    CHECK_INT(find_call(t, "cudaMemsetAsync")->form->stream, 13);
    CHECK_INT(graph->kernel_count, 2);
    CHECK_TEXT(kernel_of(t, graph, 0), "first");
    CHECK_TEXT(kernel_of(t, graph, 1), "second");
    CHECK(graph->form->device == 0 && graph->form->stream == HABITAT_NONE); /* two streams */
    CHECK_INT(find_call(t, "cudaMalloc")->kernel_count, 0);
    check_case("calls list what they launched, and the stream where it is one");
    size_t calls;
    const habitat_call *c = habitat_trace_calls(t, &calls);
    for (size_t i = 0; i < count; i++) {
        CHECK(habitat_trace_launch(t, &k[i]) == (k[i].call < calls ? &c[k[i].call] : NULL));
        CHECK((k[i].call == HABITAT_NONE) == !strcmp(k[i].form->name, "stray"));
        linked += k[i].call != HABITAT_NONE;
        CHECK(k[i].call != HABITAT_NONE || habitat_trace_correlation(t, &k[i]) == 77);
    }
    CHECK_INT(linked, 6);
    CHECK_INT(habitat_trace_get_info(t)->trace_unlinked_kernels, 1);
    check_case("kernels know the call that launched them");
}

static void check_waits(const habitat_trace *t) {
    const habitat_call *all = habitat_trace_calls(t, &(size_t){0});
    const habitat_call *wait = find_call(t, "cudaStreamWaitEvent");
    const habitat_call *record = find_call(t, "cudaEventRecord");
    const habitat_call *device = find_call(t, "cudaDeviceSynchronize");
    CHECK(wait->form->stream == 13 && wait_of(t, wait)->event == 31 && wait->form->device == 0);
    CHECK(wait_of(t, wait)->waits_stream == 7 &&
          wait_of(t, wait)->waits_call == (uint32_t)(record - all));
    CHECK(record->form->stream == 7 && wait_of(t, record)->event == 31 &&
          wait_of(t, record)->waits_call == HABITAT_NONE);
    CHECK(device->form->device == 0 && device->form->stream == HABITAT_NONE);
    CHECK(wait_of(t, device)->event == HABITAT_NONE &&
          wait_of(t, device)->waits_call == HABITAT_NONE);
    /* a call without a time, one synchronisation without a call, the event of phase M */
    CHECK_INT(habitat_trace_get_info(t)->trace_skipped_events, 3);
    check_case("a wait names its stream, its event, and the call that put the event there");
}

static void check_made(bool slow_only) {
    habitat_trace *t = read_text(made, slow_only);
    if (!t)
        return;
    check_order(t);
    check_kernels(t);
    check_waits(t);
    habitat_trace_free(t);
}

/* What the profiler says is not known, and numbers that are absurd, are unknown: no error. */
static void check_unknown_partners(bool slow_only) {
    habitat_trace *t = read_text(
        "{\"traceEvents\": [\n" CALL("cudaEventRecord", 1, 100, 1, 1)
            CALL("cudaStreamWaitEvent", 1, 110, 1, 2) CALL("cudaStreamWaitEvent", 1, 120, 1, 3)
                CALL("cudaEventSynchronize", 1, 130, 1, 4) ACTIVITY("kernel", "k", 7, 150, 99)
                    SYNC("Stream Wait Event", 111,
                         "\"wait_on_stream\": -1, \"wait_on_cuda_event_record_corr_id\": -1, "
                         "\"wait_on_cuda_event_id\": 0, \"stream\": 0, \"correlation\": 2")
                        SYNC("Stream Wait Event", 121,
                             "\"wait_on_stream\": 1e30, \"wait_on_cuda_event_record_corr_id\": 88, "
                             "\"wait_on_cuda_event_id\": \"x\", \"stream\": 4294967295, "
                             "\"correlation\": 3") SYNC("Event Sync", 131,
                                                        "\"wait_on_cuda_event_id\": \"5\", "
                                                        "\"correlation\": 4") "{\"ph\": \"M\"}]}",
        slow_only);
    size_t count;
    if (!t)
        return;
    const habitat_call *c = habitat_trace_calls(t, &count);
    CHECK_INT(count, 4);
    CHECK(wait_of(t, &c[1])->event == 0 && c[1].form->stream == 0 &&
          wait_of(t, &c[1])->waits_stream == HABITAT_NONE);
    CHECK(wait_of(t, &c[1])->waits_call == HABITAT_NONE &&
          wait_of(t, &c[0])->event == HABITAT_NONE);
    CHECK(wait_of(t, &c[2])->event == HABITAT_NONE && c[2].form->stream == HABITAT_NONE);
    CHECK(wait_of(t, &c[2])->waits_call == HABITAT_NONE &&
          wait_of(t, &c[2])->waits_stream == HABITAT_NONE);
    CHECK(wait_of(t, &c[3])->event == 5 && c[3].form->kind == HABITAT_CALL_SYNCHRONISE_EVENT);
    habitat_trace_free(t);
    check_case("partners that the profiler does not name stay unknown");
}

/* --- recordings ------------------------------------------------------------------------------ */

/* Counts by kind, worked out of the same files by Python's json module and a list of names. */
typedef struct expected {
    const char *file;
    size_t counts[HABITAT_CALL_KINDS];
    size_t waits; /* calls with a number of an event */
} expected;

static const expected recordings[] = {
    {"gnmt_b32_fp32_h200.json.gz", {0, 2133, 0, 2, 482, 1, 0, 0, 1298, 598, 0, 0}, 438},
    {"bert_b8_amp_fp16_h100.json.gz", {0, 2673, 0, 4, 264, 1, 1, 0, 0, 0, 0, 0}, 0},
    {"inception_v3_b32_fp32_h200.json.gz", {0, 1369, 0, 0, 40, 1, 0, 0, 114, 251, 0, 0}, 197},
};

static bool before_or_same(const habitat_call *a, const habitat_call *b) {
    return a->form->thread < b->form->thread ||
           (a->form->thread == b->form->thread && a->start_ns <= b->start_ns);
}

static void check_recording(const expected *e) {
    char path[4096];
    habitat_trace *t = NULL;
    size_t count, kernel_count, listed = 0, waits = 0, counts[HABITAT_CALL_KINDS] = {0};
    snprintf(path, sizeof path, HABITAT_SOURCE_DIR "/data/recordings/%s", e->file);
    CHECK_INT(habitat_trace_read(path, &t, NULL), HABITAT_OK);
    if (!t)
        return;
    const habitat_call *c = habitat_trace_calls(t, &count);
    const habitat_kernel *k = habitat_trace_kernels(t, &kernel_count);
    for (size_t i = 0; i < count; i++) {
        CHECK(!i || before_or_same(&c[i - 1], &c[i]));
        const uint32_t *own = habitat_trace_call_kernels(t, &c[i]);
        for (uint32_t j = 0; j < c[i].kernel_count; j++)
            CHECK(k[own[j]].call == i && k[own[j]].operation == c[i].operation);
        counts[c[i].form->kind]++;
        listed += c[i].kernel_count;
        waits += wait_of(t, &c[i])->event != HABITAT_NONE;
    }
    for (size_t i = 0; i < kernel_count; i++)
        CHECK(k[i].call < count && c[k[i].call].correlation == habitat_trace_correlation(t, &k[i]));
    CHECK_INT(listed, kernel_count);
    for (int i = 0; i < HABITAT_CALL_KINDS; i++)
        CHECK_INT(counts[i], e->counts[i]);
    CHECK_INT(waits, e->waits);
    habitat_trace_free(t);
    check_case(e->file);
}

/* --- kernels of the step before -------------------------------------------------------------- */

#define KERNEL(name, ts, dur, correlation, external)                                               \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" #ts       \
    ",\"dur\":" #dur ",\"args\":{\"device\":0,\"stream\":7,\"External id\":" #external             \
    ",\"correlation\":" #correlation "}},"
#define IN_FLIGHT                                                                                  \
    "{\"traceEvents\":[" KERNEL("before", 105, 20, 40, 40) KERNEL(                                 \
        "last_before", 125, 15, 41,                                                                \
        41) "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::relu\",\"pid\":1,\"tid\":1,\"ts\":" \
            "108,"                                                                                 \
            "\"dur\":10,\"args\":{\"External id\":9}},"                                            \
            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,"      \
            "\"tid\":1,"                                                                           \
            "\"ts\":110,\"dur\":1,\"args\":{\"correlation\":50}}," KERNEL("own", 150, 10, 50, 9)
#define MARK                                                                                       \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#4\",\"pid\":1,\"tid\":1,"   \
    "\"ts\":100,\"dur\":50,\"args\":{}}]}"

#define LATER_CALL                                                                                 \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaEventRecord\",\"pid\":1,\"tid\":1,"     \
    "\"ts\":112,\"dur\":1,\"args\":{\"correlation\":60}},"

/* Text, kernels that are earlier, those without a launch record besides, ns of the iteration. */
static const struct {
    const char *says, *text;
    size_t earlier, unlinked, iteration_ns, start_ns;
} in_flight[] = {
    {"kernels in flight when the recording began are of no step", IN_FLIGHT MARK, 2, 0, 10000, 0},
    {"nor of the whole", IN_FLIGHT "{\"ph\":\"M\",\"name\":\"x\"}]}", 2, 0, 10000, 3000},
    {"a call that is missing later may be missing first",
     IN_FLIGHT KERNEL("lost", 141, 5, 55, 55) MARK, 0, 3, 50000, 0},
    {"also where later ones were recorded",
     IN_FLIGHT KERNEL("lost", 141, 5, 55, 55) LATER_CALL MARK, 0, 3, 50000, 0},
    {"calls that launched nothing are no beginning",
     "{\"traceEvents\":[" KERNEL("a", 105, 1, 40, 40) LATER_CALL MARK, 0, 1, 1000, 0},
    {"an operation of the recording has its kernels", IN_FLIGHT KERNEL("known", 103, 1, 42, 9) MARK,
     2, 1, 11000, 0},
    {"a recording of the GPU alone has no begin",
     "{\"traceEvents\":[" KERNEL("a", 5, 1, 40, 40) KERNEL("b", 7, 1, 41, 41) MARK, 0, 2, 2000, 0},
};

static void check_in_flight(bool slow_only) {
    for (size_t i = 0; i < sizeof in_flight / sizeof *in_flight; i++) {
        size_t count, iterations, earlier = 0;
        habitat_trace *t = read_text(in_flight[i].text, slow_only);
        const habitat_kernel *k = habitat_trace_kernels(t, &count);
        const habitat_iteration *all = habitat_trace_iterations(t, &iterations);
        for (size_t j = 0; j < count; j++) {
            earlier += k[j].earlier;
            CHECK((k[j].iteration == HABITAT_NONE) == k[j].earlier);
        }
        CHECK_INT(earlier, in_flight[i].earlier);
        CHECK_INT(habitat_trace_get_info(t)->trace_unlinked_kernels, in_flight[i].unlinked);
        CHECK_INT(iterations, 1);
        CHECK_NEAR(all[0].kernel_ms, (double)in_flight[i].iteration_ns / 1e6, 1e-12);
        CHECK_INT(all[0].start_ns, in_flight[i].start_ns);
        habitat_trace_free(t);
        check_case(in_flight[i].says);
    }
}

/* --- operations nested without end ------------------------------------------------------------ */

enum { NESTED = 2500, NESTED_MOST = 1000, EVENT_BYTES = 160 };

/* Each begins a microsecond after the one around it and ends one before; then one beside them. */
static char *nested_text(const char *cat) {
    size_t size = (NESTED + 4) * (size_t)EVENT_BYTES, used;
    char *text = malloc(size);
    if (!text)
        return NULL;
    used = (size_t)snprintf(text, size, "{\"traceEvents\":[");
    for (int i = 0; i < NESTED; i++)
        used +=
            (size_t)snprintf(text + used, size - used,
                             "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"o%d\",\"pid\":1,\"tid\":1,"
                             "\"ts\":%d,\"dur\":%d,\"args\":{}},",
                             cat, i, i, 2 * (NESTED - i) + 1);
    snprintf(
        text + used, size - used,
        "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"beside\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,"
        "\"args\":{}}," KERNEL("k", 1, 2, 3, 4) "{}]}",
        cat, 2 * NESTED + 10);
    return text;
}

/* Every walk outwards ends after so many steps, whatever the file nests. */
static void check_nested(const char *cat, bool slow_only) {
    char *text = nested_text(cat);
    habitat_trace *t = text ? read_text(text, slow_only) : NULL;
    size_t count = 0, deepest = 0;
    const habitat_operation *o = t ? habitat_trace_operations(t, &count) : NULL;
    uint32_t *depth = calloc(NESTED + 1, sizeof *depth);
    CHECK_INT(count, NESTED + 1);
    for (size_t i = 0; depth && i < count; i++) {
        bool outermost = o[i].parent == HABITAT_NONE;
        CHECK(outermost ? i == 0 || i == NESTED : o[i].parent < i);
        CHECK(outermost || i >= NESTED_MOST || o[i].parent == i - 1);
        depth[i] = outermost ? 1 : depth[o[i].parent] + 1;
        deepest = depth[i] > deepest ? depth[i] : deepest;
    }
    CHECK_INT(deepest, NESTED_MOST);
    free(depth);
    free(text);
    habitat_trace_free(t);
    check_case("operations nested thousands deep have a thousand around them at most");
}

/* --- kernels that wait for other GPUs --------------------------------------------------------- */

static void check_collectives(void) {
    static const struct {
        const char *name;
        bool collective;
    } names[] = {
        {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)", true},
        {"mscclKernel_Sum_half_LL_rccl", true},
        {"void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(x)", true},
        {"void dpsk::ep::internode::cached_notify<false>(int)", true},
        {"void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(x)", true},
        {"void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(x)", false}, /* of its own GPU */
        {"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(x)", true},
        {"void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<float, 16, 8>(x)", true},
        {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 4>(x)", true},
        {"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<x>",
         true},
        {"userbuffers_fp16_sum_inplace_gpu_rw_ag", true},
        {"void at::native::reduce_kernel<512, 1, ReduceOp<float>>(x)", false},
        {"void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*>>(x)", false},
        {"groupnorm_kernel_dispatch_down", false},
        {"paged_attention_ll4mi_reduce_kernel", false},
    };
    trace_builder *b = calloc(1, sizeof *b);
    for (size_t i = 0; b && i < sizeof names / sizeof *names; i++)
        for (int again = 0; again < 2; again++)
            CHECK_INT(trace_name_is_collective(b, names[i].name), names[i].collective);
    CHECK(b != NULL);
    free(b);
    check_case("kernels that wait for other GPUs are told by the names of their libraries");
}

int main(void) {
    check_kinds();
    check_collectives();
    for (int slow_only = 0; slow_only < 2; slow_only++) {
        check_made(slow_only);
        check_unknown_partners(slow_only);
        check_in_flight(slow_only);
        check_nested("cpu_op", slow_only);
        check_nested("user_annotation", slow_only);
    }
    for (size_t i = 0; i < sizeof recordings / sizeof *recordings; i++)
        check_recording(&recordings[i]);
    return check_done();
}
