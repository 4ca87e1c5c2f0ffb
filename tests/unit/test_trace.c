/* The reader of Chrome traces on small hand-made files: tests/golden/traces/, whose names say what
 * they show, and texts below. */
#include <stdlib.h>

#include <habitat/trace.h>

#include "trace/number.h"
#include "trace/read.h"
#include "trace/sha256.h"
#include "trace/sort.h"

#include "check.h"

#define GOLDEN HABITAT_SOURCE_DIR "/tests/golden/traces/"

/* Read a golden file in both ways; NULL after a failure. */
static habitat_trace *golden(const char *name, bool slow_only) {
    char path[4096];
    habitat_trace *t = NULL;
    habitat_error err = {0};
    snprintf(path, sizeof path, GOLDEN "%s", name);
    habitat_status status = trace_read_limited(path, UINT64_MAX, slow_only, &t, &err);
    if (status != HABITAT_OK)
        printf("# %s: %s\n", name, err.message);
    CHECK_INT(status, HABITAT_OK);
    return t;
}

static uint32_t find_operation(const habitat_trace *t, const char *name) {
    size_t count;
    const habitat_operation *o = habitat_trace_operations(t, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(o[i].form->name, name))
            return i;
    printf("# no operation %s\n", name);
    check_case_failed = 1;
    return 0;
}

static const habitat_kernel *find_kernel(const habitat_trace *t, const char *name) {
    size_t count;
    const habitat_kernel *k = habitat_trace_kernels(t, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(k[i].form->name, name))
            return &k[i];
    printf("# no kernel %s\n", name);
    check_case_failed = 1;
    return k;
}

/* When a kernel was launched; 0 where that was not recorded. */
static uint64_t launch_of(const habitat_trace *t, const char *name) {
    const habitat_call *call = habitat_trace_launch(t, find_kernel(t, name));
    return call ? call->start_ns : 0;
}

static const char *operation_of(const habitat_trace *t, const char *kernel) {
    size_t count;
    uint32_t at = find_kernel(t, kernel)->operation;
    return at == HABITAT_NONE ? "none" : habitat_trace_operations(t, &count)[at].form->name;
}

/* --- numbers and sorting --------------------------------------------------------------------- */

static uint64_t scaled(const char *text, int scale) {
    uint64_t value = 12345;
    number_result result = number_scaled(text, strlen(text), scale, UINT64_MAX, &value);
    return result == NUMBER_OK ? value : 1000000 + (uint64_t)result;
}

static void check_numbers(void) {
    CHECK_INT(scaled("4371707016397.204", 3), 4371707016397204);
    CHECK_INT(scaled("4371707016397.2", 3), 4371707016397200);
    CHECK_INT(scaled("0.0004", 3), 0);
    CHECK_INT(scaled("0.0005", 3), 1);        /* half up */
    CHECK_INT(scaled("0.00049999999", 3), 0); /* once, not digit by digit */
    CHECK_INT(scaled("1.5e3", 3), 1500000);
    CHECK_INT(scaled("1500e-3", 3), 1500);
    CHECK_INT(scaled("1E+2", 0), 100);
    CHECK_INT(scaled("0e400", 0), 0);
    CHECK_INT(scaled("1e-400", 3), 0);
    CHECK_INT(scaled("-0.0", 3), 0);
    CHECK_INT(scaled("18446744073709551615", 0), (long long)UINT64_MAX);
    CHECK_INT(scaled("1650000000000010", 3), 1650000000000010000);
    CHECK_INT(scaled("9999999999999999999", 0), (long long)9999999999999999999U);
    CHECK_INT(scaled("1234567890123456.789", 3), 1234567890123456789); /* 20 characters */
    CHECK_INT(scaled("12345678901234567890", 0), (long long)12345678901234567890U);
    CHECK_INT(scaled("0.1234567890123456789012345", 3), 123);
    check_case("decimal text becomes whole nanoseconds, rounded once");
    CHECK_INT(scaled("-1", 3), 1000000 + NUMBER_NEGATIVE);
    CHECK_INT(scaled("1e300", 3), 1000000 + NUMBER_TOO_LARGE);
    CHECK_INT(scaled("18446744073709551616", 0), 1000000 + NUMBER_TOO_LARGE);
    CHECK_INT(scaled("12x", 3), 1000000 + NUMBER_BAD);
    CHECK_INT(scaled("1e", 3), 1000000 + NUMBER_BAD);
    CHECK_INT(scaled("", 3), 1000000 + NUMBER_BAD);
    CHECK_INT(scaled(".", 3), 1000000 + NUMBER_BAD);
    check_case("what is no number, negative or too large is told apart");
}

static bool before(const void *context, uint32_t a, uint32_t b) {
    return ((const int *)context)[a] < ((const int *)context)[b];
}

static void check_sorting(void) {
    /* stable: the two 3s and the two 1s keep their order */
    int values[] = {5, 3, 9, 1, 3, 1, 7};
    uint32_t order[7], want[] = {3, 5, 1, 4, 0, 6, 2};
    int spare;
    CHECK(sort_order(order, 7, before, values));
    CHECK(!memcmp(order, want, sizeof want));
    sort_apply(values, sizeof *values, order, 7, &spare);
    for (int i = 1; i < 7; i++)
        CHECK(values[i - 1] <= values[i]);
    CHECK(sort_order(order, 0, before, values));
    check_case("sorting is stable, and moving in place follows it");
}

static void sha256_bytes(const char *data, size_t size_bytes, char out[65]) {
    sha256_sum *sum = sha256_begin();
    sha256_add(sum, data, size_bytes);
    sha256_end(sum, out);
    sha256_free(sum);
}

static void check_sha256(void) {
    /* FIPS 180-4's examples, the empty text, and a million times "a" */
    char hex[65];
    sha256_bytes("abc", 3, hex);
    CHECK_TEXT(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    sha256_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, hex);
    CHECK_TEXT(hex, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    sha256_bytes("", 0, hex);
    CHECK_TEXT(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    char *million = malloc(1000000);
    memset(million, 'a', 1000000);
    sha256_bytes(million, 1000000, hex);
    CHECK_TEXT(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
    check_case("SHA-256 of known texts");
}

/* --- golden files ---------------------------------------------------------------------------- */

static void check_steps(bool slow_only) {
    habitat_trace *t = golden("two_steps_forward_backward_modules.json", slow_only);
    size_t count;
    if (!t)
        return;
    const habitat_operation *o = habitat_trace_operations(t, &count);
    uint32_t linear = find_operation(t, "aten::linear"), addmm = find_operation(t, "aten::addmm");
    uint32_t module = find_operation(t, "nn.Module: net.fc");
    uint32_t mm = find_operation(t, "aten::mm");
    CHECK_INT(count, 12);
    CHECK(o[addmm].parent == linear && o[linear].parent == module);
    CHECK(o[module].form->kind == HABITAT_OPERATION_MODULE &&
          habitat_trace_module(t, addmm) == module);
    CHECK_INT(o[o[module].parent].form->kind, HABITAT_OPERATION_RANGE);
    /* the first event that is kept is ProfilerStep#3 at 1000 us */
    CHECK_INT(o[linear].start_ns, 12000);
    CHECK_INT(o[linear].duration_ns, 20000);
    CHECK(o[linear].kernel_count == 1 && o[module].kernel_count == 1 && o[mm].kernel_count == 2);
    check_case("parents, modules, kernels below each operation");
    CHECK_INT(o[find_operation(t, "AddmmBackward0")].forward, addmm);
    CHECK_INT(o[mm].forward, addmm);
    CHECK_INT(habitat_trace_module(t, mm), module);
    CHECK_INT(o[find_operation(t, "autograd::engine::evaluate_function: TBackward0")].forward,
              find_operation(t, "aten::t"));
    CHECK_INT(o[linear].forward, HABITAT_NONE);
    check_case("backward operations and all inside them have their forward operation");
    CHECK_INT(o[linear].form->input_count, 3);
    const habitat_input *in = o[linear].form->inputs;
    CHECK(in[0].is_tensor && in[0].dtype == HABITAT_DTYPE_FP32 && in[0].rank == 2);
    CHECK(in[0].dims[0] == 32 && in[0].dims[1] == 8 && in[0].strides[0] == 8);
    CHECK(in[2].rank == 1 && in[2].dims[0] == 4 && !in[0].value);
    in = o[addmm].form->inputs;
    CHECK(!in[3].is_tensor && !strcmp(in[3].type, "Scalar") && !strcmp(in[3].value, "1"));
    CHECK(!in[0].strides);
    check_case("inputs: number formats, shapes, strides, values");
    habitat_trace_free(t);
}

static void check_step_kernels(bool slow_only) {
    habitat_trace *t = golden("two_steps_forward_backward_modules.json", slow_only);
    size_t count;
    if (!t)
        return;
    const habitat_kernel *k = find_kernel(t, "sgemm_32x32");
    CHECK_TEXT(operation_of(t, "sgemm_32x32"), "aten::addmm");
    CHECK(k->start_ns == 30001 && k->duration_ns == 10002 &&
          habitat_trace_correlation(t, k) == 100);
    CHECK(k->form->grid[0] == 2 && k->form->grid[1] == 3 && k->form->grid[2] == 4 &&
          k->form->block[0] == 128);
    CHECK(k->form->registers_per_thread == 64 && k->form->shared_memory_bytes == 4096 &&
          k->form->stream == 7);
    const habitat_call *launch = habitat_trace_launch(t, k);
    CHECK(launch && launch->start_ns == 20000 && launch->duration_ns == 5500 && k->iteration == 0);
    /* the runtime call of correlation 101, not the driver call inside it */
    CHECK_INT(launch_of(t, "sgemm_64x32"), 57000);
    CHECK_TEXT(operation_of(t, "overlapping"), "aten::mm");
    CHECK_INT(find_kernel(t, "sgemm_64x32")->iteration, 0); /* launched on another thread */
    CHECK_INT(find_kernel(t, "after_all_steps")->iteration, HABITAT_NONE);
    k = find_kernel(t, "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
    CHECK(k->form->kind == HABITAT_KERNEL_COLLECTIVE && k->iteration == 1 &&
          k->operation == HABITAT_NONE);
    CHECK(k->form->collective == HABITAT_COLLECTIVE_ALL_GATHER &&
          k->form->bytes == 16000); /* bf16, gathered */
    CHECK_INT(k->form->group_size, 8);
    k = find_kernel(t, "Memcpy HtoD (Pinned -> Device)");
    CHECK(k->form->kind == HABITAT_KERNEL_MEMCPY && k->form->bytes == 4096);
    CHECK_TEXT(k->form->copy_kind, "HtoD");
    check_case("kernels: launch, operation, geometry, kind");
    const habitat_iteration *it = habitat_trace_iterations(t, &count);
    CHECK_INT(count, 2); /* ProfilerStep#5 launched nothing */
    CHECK(it[0].kernel_count == 3 && it[0].copy_count == 0 && it[1].copy_count == 2);
    /* 10.002 + 20 + 30 us; 1070-1090 and 1080-1110 overlap by 10; 1030.001 to 1110 */
    CHECK_NEAR(it[0].kernel_ms, 0.060002, 1e-12);
    CHECK_NEAR(it[0].busy_ms, 0.050002, 1e-12);
    CHECK_NEAR(it[0].span_ms, 0.079999, 1e-12);
    CHECK_NEAR(it[1].kernel_ms, 0.007, 1e-12);
    CHECK_NEAR(it[1].copy_ms, 0.0015, 1e-12);
    CHECK(it[1].start_ns == 100000 && it[1].duration_ns == 100000);
    check_case("iterations: by launch, overlap counted once");
    const habitat_trace_info *info = habitat_trace_get_info(t);
    CHECK_TEXT(info->format, "kineto");
    CHECK_NEAR(info->iteration_ms, 0.125, 0);
    CHECK(info->iteration_ms_count == 3 && info->iteration_ms_all[1] == 0.15);
    CHECK(info->batch_size == 32 && info->trace_dropped_records == 3);
    CHECK_NEAR(info->peak_memory_bytes, 1048576, 0);
    CHECK_TEXT(info->model, "tiny \"net\"");
    CHECK_TEXT(info->command, "python train.py");
    CHECK_TEXT(info->device_facts.name, "NVIDIA H200");
    CHECK(info->device_facts.sm_count == 132 && info->device_facts.compute_capability == 90);
    CHECK_INT(info->trace_skipped_events,
              6); /* process_name, 2 ac2g, gpu annotation, Trace, window */
    check_case("facts of the recording and its device");
    habitat_trace_free(t);
}

static void check_small_files(bool slow_only) {
    size_t count;
    habitat_trace *t = golden("graph_kernels_without_operation.json", slow_only);
    if (t) {
        CHECK_TEXT(operation_of(t, "triton_poi_fused_relu_0"), "none");
        CHECK(find_kernel(t, "triton_poi_fused_relu_0")->in_graph);
        CHECK(find_kernel(t, "triton_red_fused_sum_1")->in_graph); /* by its launch */
        CHECK_INT(launch_of(t, "triton_red_fused_sum_1"), 10000);
        CHECK_INT(habitat_trace_get_info(t)->trace_unlinked_kernels, 0);
    }
    habitat_trace_free(t);
    check_case("kernels of a CUDA graph share a launch and have no operation");

    t = golden("newer_kineto_lanes_and_occupancy.json", slow_only);
    if (t) {
        const habitat_kernel *eager = find_kernel(t, "relu_kernel");
        const habitat_kernel *lane = find_kernel(t, "lane_1");
        CHECK(eager->form->stream == 7 && !eager->in_graph); /* "graph node id": 0 is none */
        CHECK_TEXT(operation_of(t, "relu_kernel"), "aten::relu");
        CHECK(find_kernel(t, "lane_0")->form->stream == 7 && find_kernel(t, "lane_0")->in_graph);
        CHECK(lane->form->stream == 7 &&
              lane->in_graph); /* of its arguments: the track is a lane */
        CHECK_INT(launch_of(t, "lane_1"), 10000);
        CHECK_INT(habitat_trace_get_info(t)->trace_unlinked_kernels, 0);
    }
    habitat_trace_free(t);
    check_case("newer exports: lanes of a graph, occupancy as an object, ids of no graph");

    t = golden("lost_launches_linked_by_external_id.json", slow_only);
    if (t) {
        CHECK_TEXT(operation_of(t, "relu_kernel"), "aten::relu");
        CHECK_TEXT(operation_of(t, "nobody"), "none");
        CHECK_INT(habitat_trace_get_info(t)->trace_unlinked_kernels, 2);
    }
    habitat_trace_free(t);
    check_case("kernels without a launch record: by external id");

    t = golden("two_processes_same_correlation.json", slow_only);
    if (t) {
        CHECK_TEXT(operation_of(t, "kernel_of_first"), "aten::first");
        CHECK_TEXT(operation_of(t, "kernel_of_second"), "aten::second");
        CHECK(habitat_trace_get_info(t)->device_count == 2 &&
              habitat_trace_get_info(t)->device == 1); /* 30 us against 10 */
    }
    habitat_trace_free(t);
    check_case("a bare array; one correlation in two processes; the main device");

    t = golden("old_names_whole_microseconds.json", slow_only);
    if (t) {
        const habitat_operation *o = habitat_trace_operations(t, &count);
        CHECK(count == 2 && o[1].parent == 0); /* ends a microsecond after its parent */
        CHECK_TEXT(operation_of(t, "implicit_gemm"), "aten::convolution");
        CHECK_INT(o[0].form->inputs[1].dims[3], 3);
        CHECK_INT(find_kernel(t, "implicit_gemm")->start_ns, 20000);
        CHECK_TEXT(find_kernel(t, "Memcpy DtoH (Device -> Pageable)")->form->copy_kind, "DtoH");
    }
    habitat_trace_free(t);
    check_case("categories, whole microseconds and numbers in quotes of old traces");

    t = golden("begin_end_pairs.json", slow_only);
    if (t) {
        const habitat_operation *o = habitat_trace_operations(t, &count);
        CHECK_INT(count, 3);
        CHECK(o[2].parent == 1 && o[2].duration_ns == 3000 && o[0].duration_ns == 10000);
        CHECK_TEXT(operation_of(t, "k"), "inner");
        CHECK_INT(habitat_trace_get_info(t)->trace_skipped_events,
                  2); /* an E too many, an open B */
        CHECK_INT(habitat_trace_iterations(t, &count)->duration_ns, 10000);
    }
    habitat_trace_free(t);
    check_case("B and E events pair up on their thread");

    t = golden("occupancy_of_kernels.json", slow_only);
    if (t) {
        const habitat_kernel *k = find_kernel(t, "as_by_rule");
        CHECK(k->form->resident_blocks == 4 && k->form->occupancy_percent == 50);
        CHECK_INT(k->form->limited_by, HABITAT_LIMITED_BY_REGISTERS);
        CHECK_INT(find_kernel(t, "other_limit")->form->limited_by,
                  HABITAT_LIMITED_BY_THREADS | HABITAT_LIMITED_BY_SHARED_MEMORY);
        CHECK_INT(find_kernel(t, "other_blocks")->form->limited_by, HABITAT_LIMITED_BY_REGISTERS);
        k = find_kernel(t, "not_said");
        CHECK(k->form->resident_blocks == 0 && k->form->occupancy_percent == 0 &&
              k->form->limited_by == 0);
    }
    habitat_trace_free(t);
    check_case("a kernel's occupancy and what limits it, as newer Kineto writes them");

    t = golden("cupti_with_counters.json", slow_only);
    if (t) {
        const habitat_trace_info *info = habitat_trace_get_info(t);
        CHECK_TEXT(info->format, "cupti");
        CHECK(info->has_counters && !info->has_shapes);
        CHECK_NEAR(find_kernel(t, "counted")->form->dram_bytes, 1.5e6, 0);
        CHECK_NEAR(find_kernel(t, "counted")->form->flop, 2e6, 0);
        CHECK(isnan(find_kernel(t, "not counted")->form->flop));
        CHECK_INT(info->iteration_count, 2); /* ours, not the profiler's step around them */
    }
    habitat_trace_free(t);
    check_case("our recorder's traces: counters, its own iterations");
}

/* --- shapes that are out of the ordinary ------------------------------------------------------ */

#define KERNEL                                                                                     \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"ts\": 5, \"dur\": 1, \"args\": "      \
    "{\"device\": 0, \"stream\": 7}}"

static habitat_trace *text(const char *json, bool slow_only) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    habitat_status status = trace_read_memory_as(json, strlen(json), "text", slow_only, &t, &err);
    if (status != HABITAT_OK)
        printf("# %s\n", err.message);
    CHECK_INT(status, HABITAT_OK);
    return t;
}

static void check_inputs(bool slow_only) {
    habitat_trace *t = text(
        "[" KERNEL ", {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::cat\", \"ts\": 1, "
        "\"dur\": 1, \"args\": {"
        "\"Input Dims\": [[[2, 3], [4]], [], [], [7], [[1, 2], 3], [\"s0\"], [5]],"
        "\"Input Strides\": [[[3, 1], [1]], [], [], [1, 2], [], [], [1]],"
        "\"Input type\": [\"TensorList\", \"Scalar\", \"float\", \"long int\", \"TensorList\", "
        "\"float\", \"c10::BFloat16\"],"
        "\"Concrete Inputs\": [\"\", \"1\", \"\", null, true, \"\", \"\"]}}]",
        slow_only);
    size_t count;
    if (!t)
        return;
    const habitat_operation *o = habitat_trace_operations(t, &count);
    const habitat_input *in = o[0].form->inputs;
    static const int64_t groups[] = {2, 2, 3, 1, 4}, steps[] = {2, 3, 1, 1, 1};
    CHECK_INT(o[0].form->input_count, 7);
    CHECK(in[0].is_list && !in[0].is_tensor && in[0].list_count == 2);
    CHECK(!memcmp(in[0].dims, groups, sizeof groups));
    CHECK(!memcmp(in[0].strides, steps, sizeof steps));
    CHECK(!in[1].is_tensor && !in[1].dims && !strcmp(in[1].value, "1"));
    CHECK(in[2].is_tensor && in[2].rank == 0); /* a tensor of no dimensions */
    CHECK(in[3].rank == 1 && !in[3].strides);  /* strides of another shape are not trusted */
    CHECK(in[4].is_list && in[4].list_count == 0 && !in[4].dims);
    CHECK(in[5].is_tensor && in[5].rank == 0 && !in[5].dims);
    CHECK(in[6].dtype == HABITAT_DTYPE_BF16 && in[6].dims[0] == 5 && in[6].strides[0] == 1);
    habitat_trace_free(t);
    check_case("lists of tensors, scalars, symbols and mismatched strides");
}

static void check_tolerance(bool slow_only) {
    /* a mark before it, keys in another order, an unknown everything, escapes, empty events */
    habitat_trace *t = text(
        "\xef\xbb\xbf{\"traceEvents\": [{}, {\"args\": {\"deep\": {\"er\": [[{}]]}}, \"ph\": "
        "\"Q\"}, {\"args\": {\"stream\": 3, \"device\": 2, \"new\": null}, \"dur\": 2.5, \"ts\": "
        "1.5e1, \"name\": \"caf\\u00e9 \\\"}\", \"cat\": \"kernel\", \"ph\": \"X\", \"x\": true}, "
        "{\"ph\": \"X\", \"cat\": \"newcat\", \"ts\": -5}], \"other\": [1, {\"a\": \"]\"}]}",
        slow_only);
    size_t count;
    if (!t)
        return;
    const habitat_kernel *k = habitat_trace_kernels(t, &count);
    CHECK(count == 1 && k->form->device == 2 && k->form->stream == 3 && k->duration_ns == 2500);
    CHECK_TEXT(k->form->name, "caf\xc3\xa9 \"}");
    CHECK_INT(habitat_trace_get_info(t)->trace_skipped_events, 3);
    CHECK(!habitat_trace_get_info(t)->has_operations);
    habitat_trace_free(t);
    check_case("unknown keys, kinds and orders are skipped; names keep their escapes");
}

/* --- bad input -------------------------------------------------------------------------------- */

typedef struct bad {
    const char *json;
    habitat_status code;
    const char *message;
} bad;

#define ADVICE "export it with torch.profiler or 'habitat record'"
#define OTHERS                                                                                     \
    "which are not torch.profiler's; what JAX, TensorFlow and others run is recorded with 'nsys "  \
    "profile' and 'nsys export --type sqlite', or 'habitat record -- COMMAND'"

static const bad bads[] = {
    {"", HABITAT_E_FORMAT, "line 1, byte 0: the file is empty; " ADVICE},
    {" \n ", HABITAT_E_FORMAT, "line 2, byte 3: the file is empty; " ADVICE},
    {"hello", HABITAT_E_PARSE,
     "line 1, byte 1: not valid JSON here (invalid char in json text.); copy or record it again"},
    {"{\"a\": 1}", HABITAT_E_FORMAT,
     "line 1, byte 8: JSON, but no trace (no \"traceEvents\"); " ADVICE},
    {"42 ", HABITAT_E_FORMAT, "line 1, byte 2: JSON, but no trace (no \"traceEvents\"); " ADVICE},
    {"[1, 2]", HABITAT_E_FORMAT,
     "line 1, byte 2: event 0 of \"traceEvents\" is not an object; " ADVICE},
    {"{\"traceEvents\": 5}", HABITAT_E_FORMAT,
     "line 1, byte 17: \"traceEvents\" is not an array; " ADVICE},
    {"{\"traceEvents\": {}}", HABITAT_E_FORMAT,
     "line 1, byte 17: \"traceEvents\" is not an array; " ADVICE},
    {"[]", HABITAT_E_FORMAT, "no operation and no kernel in it; " ADVICE},
    {"[{\"ph\": \"M\"}]", HABITAT_E_FORMAT,
     "no operation and no kernel among its 1 events, " OTHERS},
    {"[{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"/device:GPU:0\"}},"
     "{\"ph\":\"X\",\"pid\":1,\"tid\":14,\"ts\":10,\"dur\":20,\"name\":\"loop_add_fusion\","
     "\"args\":{"
     "\"hlo_op\":\"fusion.1\",\"kernel_details\":\"regs:16 grid:80,1,1 block:128,1,1\"}}]",
     HABITAT_E_FORMAT, "no operation and no kernel among its 2 events, " OTHERS},
    {"[{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"ts\": 1, \"dur\": 2}]",
     HABITAT_E_NO_GPU,
     "no GPU activity in this trace (1 operations on the CPU); record it again on a machine with a "
     "GPU, with ProfilerActivity.CUDA among the profiler's activities, or with 'habitat record'; "
     "without a GPU with 'habitat record --no-gpu'"},
    {"[" KERNEL ",\n" KERNEL ",\n{\"ph\": \"X\", \"cat\"", HABITAT_E_PARSE,
     "line 3, byte 214: cut off after 2 events; copy or record it again"},
    {"{\"deviceProperties\": [{\"id\": 0", HABITAT_E_PARSE,
     "line 1, byte 30: cut off before the first event; copy or record it again"},
    {"{\"schemaVersion\"", HABITAT_E_PARSE,
     "line 1, byte 16: cut off before the first event; copy or record it again"},
    {"[" KERNEL "] x", HABITAT_E_PARSE,
     "line 1, byte 100: not valid JSON here (trailing garbage); copy or record it again"},
    {"[" KERNEL ",]", HABITAT_E_PARSE,
     "line 1, byte 99: not valid JSON here (unallowed token at this point in JSON text); copy or "
     "record it again"},
    {"[" KERNEL ", {\"a\": [1,,2]}]", HABITAT_E_PARSE,
     "line 1, byte 109: not valid JSON here (unallowed token at this point in JSON text); copy or "
     "record it again"},
    {"[" KERNEL ",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":-2}]", HABITAT_E_RANGE,
     "line 2, byte 139: event 1 of \"traceEvents\": \"dur\" is negative; record it again, or "
     "remove "
     "that event"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1e300,\"dur\":2}]", HABITAT_E_RANGE,
     "line 1, byte 36: event 0 of \"traceEvents\": \"ts\" is absurdly large; record it again, or "
     "remove that event"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":1e16}]", HABITAT_E_RANGE,
     "line 1, byte 43: event 0 of \"traceEvents\": \"dur\" is absurdly large; record it again, or "
     "remove that event"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":\"soon\",\"dur\":2}]", HABITAT_E_FORMAT,
     "line 1, byte 37: event 0 of \"traceEvents\": \"ts\" is not a number; record it again, or "
     "remove that event"},
    {"[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"ts\":1}]", HABITAT_E_FORMAT,
     "line 1, byte 33: event 0 of \"traceEvents\": \"dur\" is missing; record it again, or remove "
     "that event"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":2,\"args\":{\"device\":0,\"stream\":7,"
     "\"grid\":[1,-1,1]}}]",
     HABITAT_E_RANGE,
     "line 1, byte 83: event 0 of \"traceEvents\": \"grid\" is negative; record it again, or "
     "remove "
     "that event"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":2,\"args\":{\"device\":0,\"stream\":7,"
     "\"shared memory\":5000000000}}]",
     HABITAT_E_RANGE,
     "line 1, byte 99: event 0 of \"traceEvents\": \"shared memory\" is absurdly large; record it "
     "again, or remove that event"},
    {"{\"habitat\": {\"schema\": 2}, \"traceEvents\": [" KERNEL "]}", HABITAT_E_VERSION,
     "line 1, byte 24: written by a newer habitat (schema 2, this one reads 1); update habitat"},
    {"{\"habitat\": {\"iteration_ms\": -3}, \"traceEvents\": [" KERNEL "]}", HABITAT_E_RANGE,
     "line 1, byte 31: \"iteration_ms\" in \"habitat\" is no number, negative or absurdly large; "
     "record it again"},
    {"{\"habitat\": {\"batch_size\": 18446744073709551615}, \"traceEvents\": [" KERNEL "]}",
     HABITAT_E_RANGE,
     "line 1, byte 47: \"batch_size\" in \"habitat\" is no number, negative or absurdly large; "
     "record it again"},
    {"{\"habitat\": {\"peak_memory_bytes\": 1e30}, \"traceEvents\": [" KERNEL "]}", HABITAT_E_RANGE,
     "line 1, byte 38: \"peak_memory_bytes\" in \"habitat\" is no number, negative or absurdly "
     "large; record it again"},
    {"{\"traceEvents\": [" KERNEL "],\n\"traceEvents\": [" KERNEL "]}", HABITAT_E_FORMAT,
     "line 2, byte 132: a second \"traceEvents\": which one holds is not said; remove one, or "
     "record "
     "it again"},
    {"{\"habitat\": {\"schema\": 1}, \"habitat\": {}, \"traceEvents\": [" KERNEL "]}",
     HABITAT_E_FORMAT,
     "line 1, byte 39: a second \"habitat\": which one holds is not said; remove one, or record it "
     "again"},
    {"{\"deviceProperties\": [], \"deviceProperties\": [], \"traceEvents\": [" KERNEL "]}",
     HABITAT_E_FORMAT,
     "line 1, byte 46: a second \"deviceProperties\": which one holds is not said; remove one, or "
     "record it again"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":2,\"args\":{\"device\":0,\"stream\":7,"
     "\"grid\":[4294967295,4294967295,4294967295]}}]",
     HABITAT_E_RANGE,
     "line 1, byte 114: event 0 of \"traceEvents\": \"grid\" is absurdly large; record it again, "
     "or "
     "remove that event"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":2,\"args\":{\"device\":0,\"stream\":7,"
     "\"block\":[1024,1024,1]}}]",
     HABITAT_E_RANGE,
     "line 1, byte 94: event 0 of \"traceEvents\": \"block\" is absurdly large; record it again, "
     "or "
     "remove that event"},
    {"[{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD\",\"ts\":1,\"dur\":2,\"args\":{"
     "\"device\":0,\"stream\":7,\"bytes\":18446744073709551615}}]",
     HABITAT_E_RANGE,
     "line 1, byte 126: event 0 of \"traceEvents\": \"bytes\" is absurdly large; record it again, "
     "or "
     "remove that event"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":2,\"args\":{\"device\":0,\"stream\":7,"
     "\"dram bytes\":-5}}]",
     HABITAT_E_RANGE,
     "line 1, byte 86: event 0 of \"traceEvents\": \"dram bytes\" is negative; record it again, or "
     "remove that event"},
    {"[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1,\"dur\":2,\"args\":{\"device\":0,\"stream\":7,"
     "\"flop\":1e300}}]",
     HABITAT_E_RANGE,
     "line 1, byte 83: event 0 of \"traceEvents\": \"flop\" is absurdly large; record it again, or "
     "remove that event"},
    {"{\"habitat\": {\"iteration_spread\": -0.1}, \"traceEvents\": [" KERNEL "]}", HABITAT_E_RANGE,
     "line 1, byte 37: \"iteration_spread\" in \"habitat\" is no number, negative or absurdly "
     "large; record it "
     "again"},
    {"{\"habitat\": {\"cpu_ms_parts\": 0.5}, \"traceEvents\": [" KERNEL "]}", HABITAT_E_RANGE,
     "line 1, byte 32: \"cpu_ms_parts\" in \"habitat\" is no number, negative or absurdly large; "
     "record it again"},
    {"{\"habitat\": {\"cpu_data_ms\": -1}, \"traceEvents\": [" KERNEL "]}", HABITAT_E_RANGE,
     "line 1, byte 30: \"cpu_data_ms\" in \"habitat\" is no number, negative or absurdly large; "
     "record it again"},
    {"{\"habitat\": {\"peak_steps_moments_bytes\": [1, -1]}, \"traceEvents\": [" KERNEL "]}",
     HABITAT_E_RANGE,
     "line 1, byte 47: \"peak_steps_moments_bytes\" in \"habitat\" is no number, negative or "
     "absurdly large; record it again"},
    {"{\"habitat\": {\"cpu_ms_gradients\": 0}, \"traceEvents\": [" KERNEL "]}", HABITAT_E_RANGE,
     "line 1, byte 34: \"cpu_ms_gradients\" in \"habitat\" is no number, negative or absurdly "
     "large; "
     "record it again"},
    {"{\"habitat\": {\"cpu_ms\": 0}, \"traceEvents\": [" KERNEL "]}", HABITAT_E_RANGE,
     "line 1, byte 24: \"cpu_ms\" in \"habitat\" is no number, negative or absurdly large; record "
     "it again"},
};

static void check_bad(const bad *b, bool slow_only) {
    habitat_trace *t = NULL;
    habitat_error err = {0};
    habitat_status status =
        trace_read_memory_as(b->json, strlen(b->json), "bad.json", slow_only, &t, &err);
    CHECK_TEXT(habitat_status_name(status), habitat_status_name(b->code));
    CHECK_TEXT(err.message, b->message);
    CHECK_TEXT(err.file, "bad.json");
    CHECK(t == NULL);
    if (check_case_failed)
        printf("# in: %s\n", b->json);
}

/* Every cut of a good trace is an error; none crashes or is taken for a shorter trace. */
static void check_every_cut(bool slow_only) {
    static const char whole[] =
        "{\"traceEvents\": [" KERNEL ", {\"ph\": \"M\", \"args\": [\"\\u0041\", 1.5e3, true]}]}";
    for (size_t length = 0; length < sizeof whole - 1; length++) {
        habitat_trace *t = NULL;
        habitat_error err = {0};
        char *copy = malloc(length ? length : 1);
        memcpy(copy, whole, length);
        habitat_status status = trace_read_memory_as(copy, length, "cut", slow_only, &t, &err);
        CHECK(status == HABITAT_E_PARSE || (status == HABITAT_E_FORMAT && length == 0));
        CHECK(t == NULL);
        free(copy);
    }
    habitat_trace_free(text(whole, slow_only));
    check_case("a trace cut off anywhere is an error");
}

static void check_deep(bool slow_only) {
    size_t depth = 100000;
    char *deep = malloc(depth);
    habitat_trace *t = NULL;
    habitat_error err = {0};
    memset(deep, '[', depth);
    memcpy(deep, "{\"a\":", 5);
    CHECK_INT(trace_read_memory_as(deep, depth, "deep", slow_only, &t, &err), HABITAT_E_FORMAT);
    CHECK_TEXT(err.message, "line 1, byte 517: brackets nested deeper than 512 levels: not a "
                            "trace; " ADVICE);
    memcpy(deep, "[{\"a\":", 6);
    CHECK_INT(trace_read_memory_as(deep, depth, "deep", slow_only, &t, &err), HABITAT_E_FORMAT);
    free(deep);
    check_case("brackets nested 100,000 deep");
}

static void check_long_string(bool slow_only) {
    size_t size = 40 << 20;
    char *data = malloc(size);
    habitat_trace *t = NULL;
    habitat_error err = {0};
    memset(data, 'a', size);
    memcpy(data, "[{\"name\": \"", 11);
    CHECK_INT(trace_read_memory_as(data, size, "long", slow_only, &t, &err), HABITAT_E_RANGE);
    CHECK_TEXT(err.message, "line 1, byte 131072: a string or blank of more than 16 MiB; " ADVICE);
    memcpy(data + (2 << 20), "\"}]", 3); /* 2 MiB are read, but are no name */
    CHECK_INT(trace_read_memory_as(data, (2 << 20) + 3, "long", slow_only, &t, &err),
              HABITAT_E_RANGE);
    CHECK(strstr(err.message, "event 0 of \"traceEvents\": \"name\" is longer than 1 MiB") != NULL);
    free(data);
    check_case("a string that never ends");
}

int main(void) {
    check_numbers();
    check_sorting();
    check_sha256();
    for (int slow_only = 0; slow_only < 2; slow_only++) {
        printf("# %s\n", slow_only ? "through yajl alone" : "with the fast way");
        check_steps(slow_only);
        check_step_kernels(slow_only);
        check_small_files(slow_only);
        check_inputs(slow_only);
        check_tolerance(slow_only);
        for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
            check_bad(&bads[i], slow_only);
            check_case(bads[i].message);
        }
        check_every_cut(slow_only);
        check_deep(slow_only);
        check_long_string(slow_only);
    }
    return check_done();
}
