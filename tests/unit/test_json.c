/* Requests answered as JSON: what a language binding gets. */
#include <habitat/json.h>

#include "check.h"
#include "gpu/gpu.h"

static habitat_gpu_table *table;
static habitat_trace *trace;

static const habitat_gpu *gpu_named(const char *name) {
    const habitat_gpu *gpu = NULL;
    CHECK_INT(habitat_gpu_find(table, name, &gpu, NULL, NULL), HABITAT_OK);
    return gpu;
}

static bool holds(const char *answer, const char *part) {
    if (answer && strstr(answer, part))
        return true;
    printf("# \"%s\" is not in %.200s\n", part, answer ? answer : "(no answer)");
    return false;
}

/* How often `part` stands in the answer. */
static size_t times(const char *answer, const char *part) {
    size_t count = 0;
    for (const char *at = answer; at && (at = strstr(at, part)); at++)
        count++;
    return count;
}

static void test_gpus(void) {
    char *one = NULL, *all = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_json_gpus(table, gpu_named("T4"), &one, &err), HABITAT_OK);
    CHECK(holds(one, "\"T4\"") && holds(one, "\"schema\": 1"));
    CHECK_INT(habitat_json_gpus(table, NULL, &all, &err), HABITAT_OK);
    CHECK(holds(all, "\"T4\"") && holds(all, "\"H200-SXM5-141GB\""));
    CHECK(strlen(all) > strlen(one));
    char *kept = one;
    CHECK_INT(habitat_json_gpus(NULL, NULL, &one, &err), HABITAT_E_ARG);
    CHECK(one == kept);
    habitat_json_free(one);
    habitat_json_free(all);
    check_case("GPUs: one or all");
}

static void test_trace(void) {
    char *answer = NULL;
    habitat_error err = {0};
    habitat_request r = {.trace = trace, .gpus = table, .no_predictions = true};
    CHECK_INT(habitat_json_answer(&r, NULL, false, &answer, &err), HABITAT_OK);
    CHECK(holds(answer, "\"gpu\": \"H200-SXM5-141GB\"") && holds(answer, "\"kernels\": 6"));
    CHECK(holds(answer, "\"batch_size\": 32"));
    habitat_json_free(answer);
    check_case("a trace as `info --json` describes it");
}

static void test_prediction(void) {
    const habitat_gpu *two[2] = {gpu_named("T4"), gpu_named("V100-SXM2-32GB")};
    const char *const warnings[] = {"a warning of the caller's"};
    habitat_request r = {.trace = trace,
                         .gpus = table,
                         .destination_count = 2,
                         .destinations = two,
                         .method = HABITAT_METHOD_BANDWIDTH,
                         .note_count = 1,
                         .notes = warnings};
    char *answer = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_json_answer(&r, NULL, false, &answer, &err), HABITAT_OK);
    CHECK(holds(answer, "\"T4\"") && holds(answer, "\"V100-SXM2-32GB\""));
    CHECK(holds(answer, "\"method\": \"bandwidth\"") && holds(answer, warnings[0]));
    habitat_json_free(answer);
    answer = NULL;
    CHECK_INT(habitat_json_answer(&r, NULL, true, &answer, &err), HABITAT_OK);
    CHECK(holds(answer, "\"T4\"") && holds(answer, "aten::addmm"));
    habitat_json_free(answer);
    check_case("a prediction and an explanation, with the caller's warnings");

    /* a destination without bandwidth is left out of several, and an error alone */
    answer = NULL;
    habitat_gpu gap = *two[0];
    gap.name = "gap";
    gap.memory_bandwidth_bytes_per_s = NAN;
    const habitat_gpu *with_gap[2] = {&gap, two[1]};
    r.destinations = with_gap;
    r.note_count = 0;
    CHECK_INT(habitat_json_answer(&r, NULL, false, &answer, &err), HABITAT_OK);
    CHECK(holds(answer, "gap: left out") && times(answer, "\"low_ms\"") == 1);
    habitat_json_free(answer);
    answer = NULL;
    r.destination_count = 1;
    CHECK_INT(habitat_json_answer(&r, NULL, false, &answer, &err), HABITAT_E_NO_SPEC);
    CHECK(answer == NULL);
    check_case("a destination with a gap is left out with a warning, unless it is the only one");

    r = (habitat_request){.trace = trace, .gpus = table, .method = HABITAT_METHOD_SAME};
    CHECK_INT(habitat_json_answer(&r, NULL, false, &answer, &err), HABITAT_E_ARG);
    r.method = HABITAT_METHOD_AUTO;
    CHECK_INT(habitat_json_answer(&r, "colour", false, &answer, &err), HABITAT_E_ARG);
    r.trace = NULL;
    CHECK_INT(habitat_json_answer(&r, NULL, false, &answer, &err), HABITAT_E_ARG);
    CHECK(answer == NULL);
    check_case("refusals leave the answer alone");
}

int main(void) {
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    CHECK_INT(habitat_trace_read(HABITAT_SOURCE_DIR "/tests/cli/fixtures/step.json", &trace, NULL),
              HABITAT_OK);
    test_gpus();
    test_trace();
    test_prediction();
    habitat_trace_free(trace);
    habitat_gpu_table_free(table);
    return check_done();
}
