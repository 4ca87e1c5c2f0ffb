/* Operations that a calibration measured: read from its file, refused with file and line, and what
 * they do to the models' answers and to predictions of a trace. */
#include <stdlib.h>

#include <habitat/models.h>
#include <habitat/predict.h>

#include "models/calibrated.h"

#include "ask/warnings.h"
#include "check.h"
#include "gpu/gpu.h"

static habitat_gpu_table *fresh(void) {
    habitat_gpu_table *table = NULL;
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    return table;
}

static const habitat_gpu *named(const habitat_gpu_table *table, const char *name) {
    const habitat_gpu *gpu = NULL;
    CHECK_INT(habitat_gpu_find(table, name, &gpu, NULL, NULL), HABITAT_OK);
    return gpu;
}

/* ---- the file ---- */

/* A calibration of a T4 with these operations, from line 3 on. */
static const char *calibration(const char *operations) {
    static char text[4096];
    snprintf(text, sizeof text,
             "{\"schema\": 1, \"calibration_of\": \"T4\",\n \"operations\": [\n%s\n ],\n"
             " \"sources\": {\"mine\": {\"covers\": [\"operations\"], \"title\": \"calibrate\",\n"
             "  \"publisher\": \"me\", \"date\": \"2026-01-02\"}}}\n",
             operations);
    return text;
}

static habitat_status add(habitat_gpu_table *table, const char *operations, const habitat_gpu **out,
                          habitat_error *err) {
    const char *text = calibration(operations);
    return habitat_gpu_table_add_text(table, text, strlen(text), "cal.json", out, err);
}

#define GEMM "{\"op\": \"linear\", \"dtype\": \"fp32\", \"shape\": \"m=4096 n=4096 k=4096\", "

static void check_read(void) {
    habitat_gpu_table *table = fresh();
    const habitat_gpu *gpu = NULL;
    habitat_error err = {0};
    CHECK_INT(add(table,
                  GEMM "\"latency_ms\": 30.5},\n"
                       "{\"op\": \"conv2d\", \"pass\": \"backward_input\", \"dtype\": \"fp32\",\n"
                       " \"shape\": \"batch=1 padding=0\", \"latency_ms\": 2, \"timing\": "
                       "\"event\"}",
                  &gpu, &err),
              HABITAT_OK);
    CHECK_INT(gpu->operation_count, 2);
    const habitat_gpu_operation *o = gpu->operations;
    CHECK_TEXT(o[0].op, "linear");
    CHECK_TEXT(o[0].pass, "forward"); /* the usual, where the file is silent */
    CHECK_TEXT(o[0].timing, "graph");
    CHECK_TEXT(o[0].shape, "m=4096 n=4096 k=4096");
    CHECK(o[0].dtype == HABITAT_DTYPE_FP32 && o[0].ms == 30.5 && o[0].line == 3);
    CHECK_TEXT(o[1].pass, "backward_input");
    CHECK_TEXT(o[1].timing, "event");
    CHECK(o[1].ms == 2 && o[1].line == 4);
    CHECK_TEXT(habitat_gpu_source_of(gpu, "operations")->id, "mine");
    static const char rates[] = "{\"schema\": 1, \"calibration_of\": \"T4\", \"launch_floor_ns\": "
                                "2000, \"sources\": {}}";
    CHECK_INT(habitat_gpu_table_add_text(table, rates, strlen(rates), "r", &gpu, &err), HABITAT_OK);
    CHECK_INT(gpu->operation_count, 2); /* a later one without a list leaves the list alone */
    habitat_gpu unmeasured;
    habitat_gpu_unmeasured(gpu, &unmeasured);
    CHECK(unmeasured.operation_count == 0 && unmeasured.operations == NULL);
    CHECK_INT(named(table, "V100")->operation_count, 0);
    habitat_gpu_table_free(table);
    check_case("operations of a calibration are read; other GPUs have none");
}

static void check_refused(void) {
    static const struct {
        const char *operations;
        habitat_status status;
        unsigned line;
        const char *says;
    } rows[] = {
        {"3", HABITAT_E_FORMAT, 0, "operations[0].operation: must be an object"},
        {"{\"op\": \"linear\"}", HABITAT_E_FORMAT, 3, "operations[0].dtype: is missing"},
        {GEMM "\"latency_ms\": 1},\n{\"op\": \"{\", \"dtype\": \"fp32\", \"latency_ms\": 1}",
         HABITAT_E_FORMAT, 4, "operations[1].shape: is missing"},
        {GEMM "\"x\": 1}", HABITAT_E_FORMAT, 3, "operations[0].x: unknown key; known: op pass"},
        {GEMM "\"latency_ms\": 1, \"latency_ms\": 2}", HABITAT_E_FORMAT, 3, "occurs twice"},
        {GEMM "\"latency_ms\": \"1\"}", HABITAT_E_FORMAT, 3,
         "latency_ms: must be a number; write it like 1.5, without quotes"},
        {GEMM "\"latency_ms\": 0}", HABITAT_E_RANGE, 3, "latency_ms: 0 is outside"},
        {GEMM "\"latency_ms\": -1}", HABITAT_E_RANGE, 3, "is outside"},
        {GEMM "\"latency_ms\": 1e99}", HABITAT_E_RANGE, 3, "is outside"},
        {GEMM "\"latency_ms\": 1, \"pass\": \"forwards\"}", HABITAT_E_FORMAT, 3,
         "pass: must be one of: forward, backward, backward-input, backward-weight, fwd"},
        {GEMM "\"latency_ms\": 1, \"timing\": 7}", HABITAT_E_FORMAT, 3,
         "timing: must be one of: kernel, event, eager, graph, serving, session"},
        {"{\"op\": 1}", HABITAT_E_FORMAT, 3, "op: must be a text"},
        {"{\"dtype\": \"fp23\"}", HABITAT_E_FORMAT, 3, "dtype: unknown number format"},
        {"{\"shape\": \"m\"}", HABITAT_E_FORMAT, 3, "shape: must be sizes such as"},
        {"{\"shape\": \"m=\"}", HABITAT_E_FORMAT, 3, "shape: must be sizes such as"},
        {"{\"shape\": \"m=1 \"}", HABITAT_E_FORMAT, 3, "shape: must be sizes such as"},
        {"{\"shape\": \"m=1;n=2\"}", HABITAT_E_FORMAT, 3, "shape: must be sizes such as"},
        {"{\"shape\": \"m=-1\"}", HABITAT_E_FORMAT, 3, "shape: must be sizes such as"},
        {"{\"shape\": \"m=nan\"}", HABITAT_E_FORMAT, 3, "shape: must be sizes such as"},
    };
    habitat_gpu_table *table = fresh();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        habitat_error err = {0};
        const habitat_gpu *gpu = NULL;
        CHECK_INT(add(table, rows[i].operations, &gpu, &err), rows[i].status);
        CHECK(gpu == NULL);
        CHECK_TEXT(err.file, "cal.json");
        CHECK_INT(err.line, rows[i].line);
        if (!strstr(err.message, rows[i].says))
            CHECK_TEXT(err.message, rows[i].says);
    }
    /* behind the list, an error is the file's own again: without the last operation's name */
    static const char after[] =
        "{\"schema\": 1, \"calibration_of\": \"T4\", \"operations\": [\n" GEMM
        "\"latency_ms\": 1}\n],\n \"launch_floor_ns\": -1}";
    const habitat_gpu *gpu = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_gpu_table_add_text(table, after, strlen(after), "cal.json", &gpu, &err),
              HABITAT_E_RANGE);
    CHECK_INT(err.line, 4);
    CHECK(strncmp(err.message, "launch_floor_ns: ", strlen("launch_floor_ns: ")) == 0);
    CHECK_INT(named(table, "T4")->operation_count, 0);
    habitat_gpu_table_free(table);
    check_case("bad operations are refused: file, line, which and why");
}

/* ---- the host ---- */

#define COSTS                                                                                      \
    "\"launch_ns\": 4100.5, \"launch_spread\": 0, \"forward_ns\": 21000, \"forward_spread\": "     \
    "0.1, "

static const habitat_gpu *with_host(habitat_gpu_table *table, const char *host,
                                    habitat_status wanted, habitat_error *err) {
    char text[512];
    const habitat_gpu *gpu = NULL;
    snprintf(
        text, sizeof text,
        "{\"schema\": 1, \"calibration_of\": \"T4\",\n\"host\": {%s},\n\"sources\": {\"mine\": "
        "{\"covers\": [\"host\"], \"title\": \"t\", \"publisher\": \"me\", \"date\": \"2026\"}}}",
        host);
    CHECK_INT(habitat_gpu_table_add_text(table, text, strlen(text), "cal.json", &gpu, err), wanted);
    return gpu;
}

static void check_host(void) {
    habitat_error err = {0};
    habitat_gpu_table *table = fresh();
    CHECK(named(table, "T4")->host.launch_ns == 0.0);
    const habitat_gpu *gpu = with_host(
        table, COSTS "\"backward_ns\": 30500, \"backward_spread\": 0.2", HABITAT_OK, &err);
    CHECK(gpu->host.launch_ns == 4100.5 && gpu->host.launch_spread == 0.0);
    CHECK(gpu->host.forward_ns == 21000 && gpu->host.forward_spread == 0.1);
    CHECK(gpu->host.backward_ns == 30500 && gpu->host.backward_spread == 0.2);
    CHECK_TEXT(habitat_gpu_source_of(gpu, "host")->id, "mine");
    static const char later[] =
        "{\"schema\": 1, \"calibration_of\": \"T4\", \"launch_floor_ns\": 2000, \"sources\": {}}";
    CHECK_INT(habitat_gpu_table_add_text(table, later, strlen(later), "r", &gpu, &err), HABITAT_OK);
    CHECK(gpu->host.launch_ns == 4100.5); /* a later one without it leaves it alone */
    habitat_gpu unmeasured;
    habitat_gpu_unmeasured(gpu, &unmeasured);
    CHECK(unmeasured.host.launch_ns == 0.0);
    CHECK(named(table, "V100")->host.launch_ns == 0.0);
    habitat_gpu_table_free(table);
    check_case("what a host takes is read from a calibration; older ones lack it");
}

static void check_host_refused(void) {
    static const struct {
        const char *host;
        habitat_status status;
        const char *says;
    } rows[] = {
        {COSTS "\"backward_ns\": 30500", HABITAT_E_FORMAT, "host: lacks backward_spread"},
        {"", HABITAT_E_FORMAT, "host: lacks launch_ns"},
        {"\"lunch_ns\": 1", HABITAT_E_FORMAT,
         "lunch_ns: unknown key in host; did you mean launch_ns?"},
        {"\"launch_ns\": 0", HABITAT_E_RANGE, "launch_ns: 0 is outside"},
        {"\"launch_ns\": \"4\"", HABITAT_E_FORMAT,
         "launch_ns: must be a number; write it like 1.5, without quotes"},
        {"\"launch_spread\": -0.1", HABITAT_E_RANGE, "launch_spread: -0.1 is outside"},
        {"\"launch_ns\": 1, \"launch_ns\": 2", HABITAT_E_FORMAT, "occurs twice"},
    };
    habitat_gpu_table *table = fresh();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        habitat_error err = {0};
        CHECK(!with_host(table, rows[i].host, rows[i].status, &err));
        CHECK_INT(err.line, 2);
        if (!strstr(err.message, rows[i].says))
            CHECK_TEXT(err.message, rows[i].says);
    }
    CHECK(named(table, "T4")->host.launch_ns == 0.0);
    habitat_gpu_table_free(table);
    check_case("bad costs of a host are refused");
}

/* 8 = 2 x 4 x 1 of one host in another: the geometric mean is 2. */
static void check_compare(void) {
    habitat_gpu slow = {.host = {8000, 40000, 9000, 0.1, 0.3, 0.2}}, none = {.host = {0}};
    habitat_gpu quick = {.host = {4000, 10000, 9000, 0.4, 0, 0}};
    habitat_error err = {0};
    habitat_host_ratio ratio = {.scale = 7.0};
    CHECK_INT(habitat_host_compare(&quick, &slow, &ratio, &err), HABITAT_OK);
    CHECK_NEAR(ratio.scale, 2.0, 1e-12);
    CHECK(ratio.launch == 2.0 && ratio.forward == 4.0 && ratio.backward == 1.0);
    CHECK_NEAR(ratio.doubt, 2.0, 1e-12); /* as far as 4 and 1 are from it */
    CHECK(ratio.spread == 0.4);
    CHECK_INT(habitat_host_compare(&slow, &quick, &ratio, &err), HABITAT_OK);
    CHECK_NEAR(ratio.scale, 0.5, 1e-12);
    CHECK_NEAR(ratio.doubt, 2.0, 1e-12);
    CHECK_INT(habitat_host_compare(&quick, &quick, &ratio, &err), HABITAT_OK);
    CHECK(ratio.scale == 1.0 && ratio.doubt == 1.2);
    CHECK_INT(habitat_host_compare(&slow, &quick, &ratio, &err), HABITAT_OK);
    CHECK_INT(habitat_host_compare(&none, &quick, &ratio, &err), HABITAT_E_FORMAT);
    CHECK_INT(err.index, 0);
    CHECK_INT(habitat_host_compare(&slow, &none, &ratio, &err), HABITAT_E_FORMAT);
    CHECK_INT(err.index, 1);
    CHECK_INT(habitat_host_compare(&slow, NULL, &ratio, &err), HABITAT_E_ARG);
    CHECK_NEAR(ratio.scale, 0.5, 1e-12); /* left alone */
    check_case("one host beside another: the geometric mean of three ratios");
    habitat_gpu twice = {.host = {11700, 53800, 189000, 0.1, 0.1, 0.1}};
    CHECK_INT(habitat_host_compare(NULL, &twice, &ratio, &err), HABITAT_OK);
    CHECK_NEAR(ratio.scale, 2.0, 1e-12); /* constants_recordings.h: 5850, 26900, 94500 */
    CHECK(ratio.doubt == 1.2);
    CHECK_INT(habitat_host_compare(NULL, &none, &ratio, &err), HABITAT_E_FORMAT);
    CHECK_INT(err.index, 1);
    check_case("a host beside the middle of hosts");
}

/* ---- the models ---- */

enum { MOST = 16 };

/* Questions of the tests: two products, a softmax, a layer norm, an addition. */
static const habitat_gpu_operation usual[] = {
    {"linear", "forward", "m=4096 n=4096 k=1024", "kernel", HABITAT_DTYPE_FP32, 1, 1},
    {"linear", "forward", "m=8192 n=1024 k=4096", "kernel", HABITAT_DTYPE_FP32, 1, 2},
    {"softmax", "forward", "rows=65536 columns=512", "kernel", HABITAT_DTYPE_FP32, 1, 3},
    {"layer_norm", "forward", "rows=65536 columns=512", "kernel", HABITAT_DTYPE_FP32, 1, 4},
    {"add", "forward", "columns=67108864", "kernel", HABITAT_DTYPE_FP32, 1, 5},
};
enum { USUAL = sizeof usual / sizeof *usual };

static void answers_of(const habitat_models *models, const habitat_gpu *gpu,
                       const habitat_gpu_operation *operations, size_t count, double *ms) {
    habitat_gpu asked = *gpu;
    asked.operations = operations;
    asked.operation_count = count;
    calibrated read;
    CHECK_INT(calibrated_read(&asked, &read, NULL), HABITAT_OK);
    CHECK_INT(read.count, count);
    for (size_t i = 0; i < read.count; i++) {
        habitat_model_query query = {.work = &read.rows[i].work, .timing = read.rows[i].timing};
        habitat_model_estimate answer = {0};
        CHECK_INT(habitat_models_predict(models, HABITAT_MODEL_TRANSFER, 1, &gpu, 1, &query,
                                         &answer, NULL),
                  HABITAT_OK);
        CHECK(answer.covered);
        ms[i] = answer.ms;
    }
    calibrated_free(&read);
}

static void check_hand_worked(void) {
    habitat_models *models = NULL;
    habitat_gpu_table *table = fresh();
    CHECK_INT(habitat_models_load_default(&models, NULL), HABITAT_OK);
    const habitat_gpu *t4 = named(table, "T4");
    double plain[USUAL], moved[USUAL];
    answers_of(models, t4, usual, USUAL, plain);
    /* products measured at 1.1 and 1.44 of the model: median residual log sqrt(1.1 * 1.44), two
     * operations against eight in doubt; softmax at 0.5, one against two */
    habitat_gpu_operation measured[USUAL];
    memcpy(measured, usual, sizeof usual);
    for (size_t i = 0; i < USUAL; i++)
        measured[i].ms = plain[i];
    measured[0].ms *= 1.1;
    measured[1].ms *= 1.44;
    measured[2].ms *= 0.5;
    habitat_gpu calibrated_t4 = *t4;
    calibrated_t4.operations = measured;
    calibrated_t4.operation_count = 3;
    answers_of(models, &calibrated_t4, usual, USUAL, moved);
    CHECK_NEAR(moved[0] / plain[0], pow(1.1 * 1.44, 0.5 * 2 / 10), 1e-12);
    CHECK_NEAR(moved[1] / plain[1], pow(1.1 * 1.44, 0.5 * 2 / 10), 1e-12);
    CHECK_NEAR(moved[2] / plain[2], cbrt(0.5), 1e-12);
    CHECK(moved[3] == plain[3] && moved[4] == plain[4]);
    check_case("answers move by the shrunken median of their class, others not at all");

    habitat_class_offset offsets[MOST];
    size_t count = MOST, unused = 99;
    CHECK_INT(habitat_models_offsets(models, &calibrated_t4, offsets, &count, &unused, NULL),
              HABITAT_OK);
    CHECK_INT(count, 2);
    CHECK_INT(unused, 0);
    CHECK_TEXT(offsets[0].name, "gemm");
    CHECK_INT(offsets[0].operations, 2);
    CHECK_NEAR(offsets[0].ratio, sqrt(1.1 * 1.44), 1e-12);
    CHECK_NEAR(offsets[0].weight, 0.2, 1e-12);
    CHECK_TEXT(offsets[1].name, "warm-softmax");
    check_case("what operations say of each class is told");

    /* unknown to the models, too short, from the cache (less than twice a T4's 4 MiB), of a format
     * without a model, thinner than any layer */
    const habitat_gpu_operation odd[] = {
        {"fold", "forward", "m=1", "graph", HABITAT_DTYPE_FP32, 1, 1},
        {"linear", "forward", "m=8 n=8 k=8", "graph", HABITAT_DTYPE_FP32, 1, 2},
        {"softmax", "forward", "rows=1000 columns=1000", "graph", HABITAT_DTYPE_FP32, 1, 3},
        {"linear", "forward", "m=4096 n=4096 k=1024", "graph", HABITAT_DTYPE_FP64, 1, 4},
        {"bmm", "forward", "b=64 m=4096 n=63 k=4096", "graph", HABITAT_DTYPE_FP32, 1, 5},
        {"conv2d", "forward", "batch=64 c_in=3 c_out=64 in=224 kernel=7 stride=2 padding=3",
         "graph", HABITAT_DTYPE_FP32, 1, 6}};
    calibrated_t4.operations = odd;
    calibrated_t4.operation_count = sizeof odd / sizeof *odd;
    count = MOST;
    CHECK_INT(habitat_models_offsets(models, &calibrated_t4, offsets, &count, &unused, NULL),
              HABITAT_OK);
    CHECK_INT(count, 0);
    CHECK_INT(unused, sizeof odd / sizeof *odd);
    answers_of(models, &calibrated_t4, usual, USUAL, moved);
    CHECK(memcmp(moved, plain, sizeof plain) == 0);
    check_case("operations that say nothing of a training step are left out and counted");

    habitat_gpu_operation bad = usual[0];
    bad.shape = "m=4096 n=4096";
    bad.line = 17;
    calibrated_t4.operations = &bad;
    calibrated_t4.operation_count = 1;
    calibrated_t4.file = "cal.json";
    habitat_error err = {0};
    CHECK_INT(habitat_models_offsets(models, &calibrated_t4, offsets, &count, NULL, &err),
              HABITAT_E_RANGE);
    CHECK_TEXT(err.file, "cal.json");
    CHECK_INT(err.line, 17);
    CHECK(strstr(
        err.message,
        "operations[0].shape: linear with \"m=4096 n=4096\": shape: no k given; add k=NUMBER"));
    CHECK_INT(habitat_models_offsets(models, NULL, offsets, &count, NULL, &err), HABITAT_E_ARG);
    const habitat_gpu *two[] = {t4, &calibrated_t4};
    habitat_work work = {.known = true, .op_class = HABITAT_CLASS_GEMM};
    habitat_model_query query = {.work = &work};
    habitat_model_estimate out[2] = {{.ms = 5}, {.ms = 5}};
    CHECK_INT(habitat_models_predict(models, HABITAT_MODEL_TRANSFER, 2, two, 1, &query, out, &err),
              HABITAT_E_RANGE);
    CHECK(out[0].ms == 5 && out[1].ms == 5);
    check_case("a known operation without its sizes is an error, and nothing is answered");
    habitat_models_free(models);
    habitat_gpu_table_free(table);
}

/* ---- predictions of a trace ---- */

typedef struct recorded {
    habitat_trace *trace;
    habitat_workload *w;
    const habitat_gpu *origin;
} recorded;

static bool load(const habitat_gpu_table *table, const habitat_gpu *origin, recorded *out) {
    static const char path[] =
        HABITAT_SOURCE_DIR "/data/recordings/bert_large_training_s512_b8_fp32_h200.json.gz";
    *out = (recorded){.origin = origin ? origin : named(table, "H200")};
    bool ok = habitat_trace_read(path, &out->trace, NULL) == HABITAT_OK &&
              habitat_workload_create(out->trace, out->origin, &out->w, NULL) == HABITAT_OK;
    CHECK(ok);
    return ok;
}

static void done(recorded *r) {
    habitat_workload_free(r->w);
    habitat_trace_free(r->trace);
}

static double iteration(const recorded *r, const habitat_gpu *dest, size_t *operations) {
    habitat_prediction *p = NULL;
    CHECK_INT(habitat_predict(r->w, dest, HABITAT_METHOD_AUTO, &p, NULL), HABITAT_OK);
    double ms = p ? p->iteration_ms : NAN;
    if (p && operations)
        *operations = p->calibrated_operations;
    habitat_prediction_free(p);
    return ms;
}

static void check_same_gpu(void) {
    habitat_gpu_table *table = fresh();
    const habitat_gpu *h200 = NULL;
    recorded r;
    size_t operations = 9;
    CHECK_INT(habitat_gpu_table_add_file(
                  table, HABITAT_SOURCE_DIR "/data/calibrations/H200-SXM5-141GB.json", &h200, NULL),
              HABITAT_OK);
    CHECK(h200->operation_count > 20);
    if (!load(table, h200, &r))
        return;
    double busy_ms = habitat_workload_get_info(r.w)->busy_ms;
    CHECK(iteration(&r, h200, &operations) == busy_ms);
    CHECK_INT(operations, 0);
    /* the same card with another memory goes through the models, and comes out the same */
    habitat_gpu twin = *h200;
    twin.memory_bytes += 1;
    CHECK_NEAR(iteration(&r, &twin, &operations), busy_ms, 1e-9);
    CHECK(operations > 0);
    /* without operations of its own it is of one architecture with the origin, and the origin's say
     * nothing of it */
    twin.operation_count = 0;
    CHECK_NEAR(iteration(&r, &twin, &operations), busy_ms, 1e-9);
    CHECK_INT(operations, 0);
    done(&r);
    habitat_gpu_table_free(table);
    check_case("a calibrated GPU gives the measurement back, to the bit and through the models");
}

/* A full calibration of an A100 whose rate `raised` is 1.3 times what was measured. */
static const habitat_gpu *raised_a100(habitat_gpu_table *table, int raised, double slower) {
    static char text[2048];
    const habitat_gpu *gpu = NULL;
    habitat_error err = {0};
    double rates[] = {16.4, 110, 1351};
    if (raised >= 0)
        rates[raised] *= 1.3;
    snprintf(text, sizeof text,
             "{\"schema\": 1, \"calibration_of\": \"A100-PCIE-40GB\", \"sustained\": {"
             "\"plain_tflop_per_s\": {\"fp32\": %g}, \"matrix_tflop_per_s\": {\"tf32\": %g}, "
             "\"dram_gb_per_s\": %g}, \"operations\": ["
             "{\"op\": \"linear\", \"dtype\": \"fp32\", \"shape\": \"m=4096 n=4096 k=1024\","
             " \"latency_ms\": %g},"
             "{\"op\": \"bmm\", \"dtype\": \"fp32\", \"shape\": \"b=64 m=512 n=512 k=64\","
             " \"latency_ms\": %g},"
             "{\"op\": \"softmax\", \"dtype\": \"fp32\", \"shape\": \"rows=65536 columns=512\","
             " \"latency_ms\": %g},"
             "{\"op\": \"layer_norm\", \"dtype\": \"fp32\", \"shape\": \"rows=65536 columns=512\","
             " \"latency_ms\": %g}], \"sources\": {}}",
             rates[0], rates[1], rates[2], 2.1 * slower, 0.17 * slower, 0.2 * slower,
             0.21 * slower);
    CHECK_INT(habitat_gpu_table_add_text(table, text, strlen(text), "a100.json", &gpu, &err),
              HABITAT_OK);
    return gpu;
}

/* Kernels that take longer on `dest` than in `base`. */
static size_t slower_kernels(const recorded *r, const habitat_gpu *dest,
                             const habitat_prediction *base) {
    habitat_prediction *p = NULL;
    size_t slower = 0;
    CHECK_INT(habitat_predict(r->w, dest, HABITAT_METHOD_AUTO, &p, NULL), HABITAT_OK);
    for (size_t i = 0; p && i < p->trace_kernel_count; i++)
        slower += p->trace_kernels[i].ms > base->trace_kernels[i].ms * (1 + 1e-12);
    habitat_prediction_free(p);
    return slower;
}

static void check_monotonic(void) {
    habitat_gpu_table *table = fresh();
    recorded r;
    if (!load(table, NULL, &r))
        return;
    size_t operations = 0;
    double base = iteration(&r, raised_a100(table, -1, 1), &operations);
    CHECK_INT(operations, 4);
    habitat_prediction *kernels = NULL;
    CHECK_INT(habitat_predict(r.w, raised_a100(table, -1, 1), HABITAT_METHOD_AUTO, &kernels, NULL),
              HABITAT_OK);
    for (int rate = 0; kernels && rate < 3; rate++)
        CHECK_INT(slower_kernels(&r, raised_a100(table, rate, 1), kernels), 0);
    habitat_prediction_free(kernels);
    double slow = iteration(&r, raised_a100(table, -1, 1.2), NULL);
    CHECK(slow > base && slow < 1.2 * base);
    done(&r);
    habitat_gpu_table_free(table);
    check_case("no rate raised in a calibration slows a kernel; slower operations do");
}

static void check_note(void) {
    habitat_gpu v100 = {.name = "V100"}, t4 = {.name = "T4"};
    habitat_prediction some = {.gpu = &v100, .calibrated_operations = 12}, none = {.gpu = &t4};
    const habitat_prediction *both[] = {&none, &some}, *only[] = {&none};
    char text[WARNING_BYTES] = "";
    CHECK(!warn_of_calibration(only, 1, text) && !*text);
    CHECK(warn_of_calibration(both, 2, text));
    CHECK_TEXT(text, "operations that a calibration measured move what the operator models say of "
                     "V100 (12)");
    check_case("a note says whose operations were used");
}

int main(void) {
    check_read();
    check_refused();
    check_host();
    check_host_refused();
    check_compare();
    check_hand_worked();
    check_same_gpu();
    check_monotonic();
    check_note();
    return check_done();
}
