/* Each of the library's own allocations fails once, in one process (base/memory.h): the call ends
 * in HABITAT_E_MEMORY with its outputs untouched, or in the usual answer, and the next call gives
 * the usual answer. Built with sanitizers too, which see what the ways out of a failure lose or
 * use again; test_alloc.c cannot be. Thinned, but for HABITAT_ALLOC_LOOP=all. */
#include <stdlib.h>
#include <string.h>

#include <habitat/habitat.h>

#include "base/memory.h"
#include "check.h"
#include "made_events.h"
#include "rescale/scale.h"

static unsigned long counted, fail_at;
static bool fail_rest;

static bool refuse(void) {
    unsigned long n = ++counted;
    return n == fail_at || (fail_rest && n > fail_at);
}

typedef habitat_status question(habitat_gpu_table *gpus, char **out, habitat_error *err);

static const char path[] =
    HABITAT_SOURCE_DIR "/tests/golden/traces/two_steps_forward_backward_modules.json";

static habitat_status ask_predict(habitat_gpu_table *gpus, char **out, habitat_error *err) {
    const habitat_gpu *to[2] = {NULL, NULL}, *origin = NULL;
    habitat_trace *trace = NULL;
    habitat_status status = habitat_gpu_find(gpus, "V100-PCIE-32GB", &to[0], NULL, err);
    if (status == HABITAT_OK)
        status = habitat_gpu_find(gpus, "MI300X", &to[1], NULL, err);
    if (status == HABITAT_OK)
        status = habitat_gpu_find(gpus, "H200", &origin, NULL, err);
    if (status == HABITAT_OK)
        status = habitat_trace_read(path, &trace, err);
    habitat_request asked = {
        .trace = trace, .gpus = gpus, .origin = origin, .destinations = to, .destination_count = 2};
    if (status == HABITAT_OK)
        status = habitat_json_answer(&asked, "op", false, out, err);
    habitat_trace_free(trace);
    return status;
}

static habitat_status ask_info(habitat_gpu_table *gpus, char **out, habitat_error *err) {
    habitat_trace *trace = NULL;
    habitat_status status = habitat_trace_read(path, &trace, err);
    if (status == HABITAT_OK)
        status = habitat_json_answer(
            &(habitat_request){.trace = trace, .gpus = gpus, .no_predictions = true}, NULL, false,
            out, err);
    habitat_trace_free(trace);
    return status;
}

/* One parameter of nine elements, two passes of two samples, all in the step of an optimiser. */
static const char accumulated[] =
    "{\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA H200\"}],\"habitat\":{\"batch_size\":4,"
    "\"memory\":{\"parameter_sizes\":{\"float32\":[9]}}},\"traceEvents\":[{\"ph\":\"X\",\"cat\":"
    "\"user_annotation\",\"name\":\"Optimizer.step#SGD.step\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":"
    "90}," OP("aten::relu", 1, 11, 8, INPUTS("[[2,9,9]]", "[\"float\"]") FORWARD(1))
        OP(NODE "torch::autograd::AccumulateGrad", 2, 30, 8, "")
            OP(NODE "torch::autograd::AccumulateGrad", 2, 40, 8, "") KERNEL "]}";

static habitat_status scaled(const habitat_trace *trace, const habitat_gpu *gpu, char **out,
                             habitat_error *err) {
    habitat_workload *w = NULL, *half = NULL;
    habitat_status status = habitat_workload_create(trace, gpu, &w, err);
    if (status == HABITAT_OK)
        status = habitat_workload_scale(w, &(habitat_scale){.batch_size = 2}, NULL, &half, err);
    char text[64] = "";
    if (status == HABITAT_OK)
        snprintf(text, sizeof text, "%.0f", half->groups[0].work->read_bytes);
    habitat_workload_free(half);
    habitat_workload_free(w);
    if (status != HABITAT_OK)
        return status;
    *out = strdup(text);
    return HABITAT_OK;
}

static habitat_status ask_parts(habitat_gpu_table *gpus, char **out, habitat_error *err) {
    habitat_trace *trace = NULL;
    const habitat_gpu *gpu = NULL;
    habitat_status status = habitat_gpu_find(gpus, "H200-SXM5-141GB", &gpu, NULL, err);
    if (status == HABITAT_OK)
        status = habitat_trace_read_memory(accumulated, strlen(accumulated), "made", &trace, err);
    if (status == HABITAT_OK)
        status = scaled(trace, gpu, out, err);
    habitat_trace_free(trace);
    return status;
}

static habitat_status ask_gpus(habitat_gpu_table *gpus, char **out, habitat_error *err) {
    return habitat_json_gpus(gpus, NULL, out, err);
}

/* From the files to the answer; everything but the answer is freed. */
static habitat_status ask(question *what, char **out, habitat_error *err) {
    static const char calibration[] = HABITAT_SOURCE_DIR "/data/calibrations/H200-SXM5-141GB.json";
    habitat_gpu_table *gpus = NULL;
    habitat_status status = habitat_gpu_table_create(NULL, &gpus, err);
    if (status == HABITAT_OK)
        status = habitat_gpu_table_add_file(gpus, calibration, NULL, err);
    if (status == HABITAT_OK)
        status = what(gpus, out, err);
    habitat_gpu_table_free(gpus);
    return status;
}

/* @return whether there was an n-th allocation. */
static bool fail_once(question *what, unsigned long n, const char *want) {
    char *first = NULL, *second = NULL;
    habitat_error err = {0};
    counted = 0;
    fail_at = n;
    habitat_alloc_refuses = refuse;
    habitat_status status = ask(what, &first, &err);
    habitat_alloc_refuses = NULL;
    bool reached = counted >= n;
    if (status == HABITAT_OK ? !first || strcmp(first, want) != 0
                             : status != HABITAT_E_MEMORY || first || !err.message[0])
        printf("# allocation %lu: status %d: %s\n", n, (int)status, err.message);
    CHECK(status == HABITAT_OK ? first && strcmp(first, want) == 0
                               : status == HABITAT_E_MEMORY && !first && err.message[0]);
    status = ask(what, &second, &err);
    CHECK(status == HABITAT_OK && second && strcmp(second, want) == 0);
    habitat_json_free(first);
    habitat_json_free(second);
    return reached;
}

static void test_all(question *what, bool rest, const char *name) {
    char *want = NULL;
    habitat_error err = {0};
    unsigned long tried = 0;
    bool every = getenv("HABITAT_ALLOC_LOOP") && !strcmp(getenv("HABITAT_ALLOC_LOOP"), "all");
    fail_rest = rest;
    CHECK_INT(ask(what, &want, &err), HABITAT_OK);
    for (unsigned long n = 1; want && fail_once(what, n, want); n += every ? 1 : 1 + n / 8)
        tried++;
    CHECK(tried > 10); /* the hook is there */
    printf("# %lu tried\n", tried);
    habitat_json_free(want);
    check_case(name);
}

/* Every allocation, for they are few: what only such steps need is in between. */
static void test_parts(void) {
    habitat_gpu_table *gpus = NULL;
    char *want = NULL;
    unsigned long n = 0;
    bool reached = true;
    CHECK_INT(habitat_gpu_table_create(NULL, &gpus, NULL), HABITAT_OK);
    CHECK_INT(ask_parts(gpus, &want, NULL), HABITAT_OK);
    CHECK_TEXT(want, "324"); /* a sample of 81 elements */
    fail_rest = false;
    while (want && reached) {
        char *text = NULL;
        counted = 0;
        fail_at = ++n;
        habitat_alloc_refuses = refuse;
        habitat_status status = ask_parts(gpus, &text, NULL);
        habitat_alloc_refuses = NULL;
        reached = counted >= n;
        CHECK(status == HABITAT_OK ? text && !strcmp(text, want)
                                   : reached && status == HABITAT_E_MEMORY && !text);
        free(text);
    }
    CHECK(n > 50);
    printf("# %lu tried\n", n);
    free(want);
    habitat_gpu_table_free(gpus);
    check_case("a step of several passes in a closure at another batch size: each allocation");
}

int main(void) {
    test_all(ask_gpus, false, "gpus: one allocation fails");
    test_all(ask_info, false, "info: one allocation fails");
    test_all(ask_info, true, "info: all allocations from one on fail");
    test_all(ask_predict, false, "predict: one allocation fails");
    test_all(ask_predict, true, "predict: all allocations from one on fail");
    test_parts();
    return check_done();
}
