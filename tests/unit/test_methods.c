/* The table of methods: every one complete, listed in messages, and the same number from a
 * predictor as from a single call. */
#include <string.h>

#include <habitat/predict.h>

#include "ask_operation.h"
#include "check.h"
#include "gpu/gpu.h"
#include "predict/method.h"

#define TRACE HABITAT_SOURCE_DIR "/tests/golden/traces/resnet50_b4_first_layers.json.gz"

static void test_table(void) {
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++) {
        const method_plug *plug = method_of((habitat_method)m);
        habitat_method found = HABITAT_METHOD_COUNT;
        CHECK(plug && plug->name && *plug->name);
        CHECK_TEXT(habitat_method_name((habitat_method)m), plug->name);
        habitat_status status = habitat_method_from_name(plug->name, &found, NULL);
        CHECK_INT(status, plug->askable ? HABITAT_OK : HABITAT_E_UNKNOWN_METHOD);
        CHECK_INT(found, plug->askable ? m : HABITAT_METHOD_COUNT);
        CHECK(!plug->askable || plug->kernel || plug->factor || plug->groups);
        CHECK(plug->askable ||
              (!plug->kernel && !plug->factor && !plug->groups && !plug->operation));
        CHECK(!plug->kernel || !plug->factor);
        CHECK(!plug->prepare == !plug->free && !plug->calibrated == !plug->binding);
        CHECK(plug->asks_models || !plug->needs_models);
        /* what the models of a method answer bears one mark, whichever method asks */
        if (plug->asks_models)
            CHECK_INT(method_marked(plug->models), plug->marked);
        /* operator models are read by prepare() and groups() alone */
        CHECK(plug->asks_models || (!plug->prepare && !plug->groups));
    }
    CHECK(method_of((habitat_method)HABITAT_METHOD_COUNT) == NULL);
    CHECK(!habitat_method_askable((habitat_method)-1));
    CHECK_TEXT(habitat_method_name((habitat_method)-1), "unknown");
    check_case("a method has a name of its own and all that belongs together");
}

static bool of_w(const method_plug *plug) {
    return plug->name[0] == 'w';
}

static bool none(const method_plug *plug) {
    (void)plug;
    return false;
}

static void test_lists(void) {
    char text[METHOD_LIST_BYTES];
    method_list(NULL, " or ", text, sizeof text);
    CHECK_TEXT(text, "auto, habitat, mlp, wave, wave-large, flops, bandwidth or roofline");
    method_list(of_w, " or ", text, sizeof text);
    CHECK_TEXT(text, "wave or wave-large");
    method_list(none, " or ", text, sizeof text);
    CHECK_TEXT(text, "");
    method_list(NULL, " or ", text, 12); /* cut off, no byte further */
    CHECK_TEXT(text, "auto, habit");
    check_case("lists of methods come from the table");

    habitat_error err = {0};
    habitat_model_use use = HABITAT_MODEL_AUTO;
    CHECK_INT(habitat_method_models(HABITAT_METHOD_HABITAT, &use, &err), HABITAT_OK);
    CHECK_INT(use, HABITAT_MODEL_PAPER);
    CHECK_TEXT(habitat_model_use_name(use), "mlp");
    CHECK_TEXT(habitat_model_use_name(HABITAT_MODEL_TRANSFER), "transfer");
    CHECK_TEXT(habitat_model_use_name((habitat_model_use)9), "unknown");
    CHECK_INT(method_marked(HABITAT_MODEL_SEEN), HABITAT_METHOD_LEARNED);
    CHECK_INT(habitat_method_models(HABITAT_METHOD_WAVE, &use, &err), HABITAT_E_UNSUPPORTED);
    CHECK_TEXT(err.message, "method wave asks no operator models; choose auto, habitat or mlp");
    CHECK_INT(use, HABITAT_MODEL_PAPER);
    check_case("which operator models a method asks");

    habitat_gpu gpu = {.name = "G", .vendor = "NVIDIA"};
    habitat_work work = {.known = true, .flop = 1, .read_bytes = 1, .op_class = HABITAT_CLASS_NORM};
    habitat_estimate e = {0};
    CHECK_INT(ask_operation(&work, &gpu, HABITAT_METHOD_HABITAT, &e, &err), HABITAT_E_UNSUPPORTED);
    CHECK_TEXT(err.message,
               "method habitat scales a measured time, and a single operation has none; use auto, "
               "flops, bandwidth or roofline, or predict from a recording on a GPU");
    CHECK_INT(ask_operation(&work, &gpu, HABITAT_METHOD_SAME, &e, &err), HABITAT_E_ARG);
    check_case("a method that needs a recording names those that do not");
}

/* One predictor, all GPUs: each number that of a call of its own, to the bit. */
static void test_predictors(const habitat_gpu_table *table, const habitat_workload *w) {
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++) {
        habitat_predictor *ready = NULL;
        habitat_status status = habitat_predictor_create(w, (habitat_method)m, NULL, &ready, NULL);
        CHECK_INT(status, habitat_method_askable((habitat_method)m) ? HABITAT_OK : HABITAT_E_ARG);
        for (size_t i = 0; ready && i < habitat_gpu_count(table); i += 5) {
            const habitat_gpu *gpu = habitat_gpu_at(table, i);
            habitat_prediction *a = NULL, *b = NULL;
            CHECK_INT(habitat_predictor_predict(ready, gpu, &a, NULL), HABITAT_OK);
            CHECK_INT(habitat_predict(w, gpu, (habitat_method)m, &b, NULL), HABITAT_OK);
            CHECK(a && b && a->method == b->method && a->iteration_ms == b->iteration_ms &&
                  a->low_ms == b->low_ms && a->high_ms == b->high_ms);
            habitat_prediction_free(a);
            habitat_prediction_free(b);
        }
        habitat_predictor_free(ready);
    }
    habitat_predictor_free(NULL);
    check_case("a predictor answers as single calls do");
}

int main(void) {
    habitat_gpu_table *table = NULL;
    habitat_trace *trace = NULL;
    habitat_workload *w = NULL;
    const habitat_gpu *origin = NULL;
    test_table();
    test_lists();
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    CHECK_INT(habitat_trace_read(TRACE, &trace, NULL), HABITAT_OK);
    CHECK_INT(habitat_gpu_match(table, &habitat_trace_get_info(trace)->device_facts, &origin, NULL),
              HABITAT_OK);
    CHECK_INT(habitat_workload_create(trace, origin, &w, NULL), HABITAT_OK);
    test_predictors(table, w);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    habitat_gpu_table_free(table);
    return check_done();
}
