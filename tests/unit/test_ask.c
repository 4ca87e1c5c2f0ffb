/* One road: the same operation asked by each door gets the same number on every GPU; requests that
 * are none; workloads from shapes alone. */
#include <math.h>

#include <habitat/json.h>

#include "gpu/gpu.h"
#include "question/measurement.h"
#include "question/query.h"

#include "check.h"

static habitat_gpu_table *table;

static const habitat_gpu *gpu_named(const char *name) {
    const habitat_gpu *gpu = NULL;
    CHECK_INT(habitat_gpu_find(table, name, &gpu, NULL, NULL), HABITAT_OK);
    return gpu;
}

/* An operation as `habitat op` makes it, and the words of a table that mean the same. */
typedef struct same {
    habitat_work work;
    const char *op, *shape, *dtype, *pass;
} same;

enum { SAME_MAX = 16 };

static size_t operations(same *out) {
    size_t n = 0;
    habitat_gemm_shape product = {.b = 1, .m = 1000, .n = 3000, .k = 700};
    habitat_gemm_shape batched = {.b = 96, .m = 384, .n = 384, .k = 64};
    habitat_attention_shape attention = {.batch = 8,
                                         .heads = 16,
                                         .kv_heads = 16,
                                         .q_len = 1024,
                                         .kv_len = 1024,
                                         .head_dim = 64,
                                         .v_head_dim = 64};
    habitat_conv_shape conv = {.dims = 2, .batch = 16, .c_in = 64, .c_out = 128, .groups = 1};
    for (int d = 0; d < 2; d++) {
        conv.in[d] = conv.out[d] = 56;
        conv.kernel[d] = 3;
        conv.stride[d] = conv.padding[d] = conv.dilation[d] = 1;
    }
    habitat_rows_shape rows = {49152, 384};
    habitat_rnn_shape lstm = {
        .gates = 4, .batch = 64, .steps = 50, .input = 512, .hidden = 1024, .layers = 2};
    static const char *const formats[] = {"fp32", "fp16", "bf16", "fp8"};
    for (size_t f = 0; f < 4; f++) {
        out[n] = (same){{0}, "gemm", "m=1000 n=3000 k=700", formats[f], "forward"};
        CHECK_INT(habitat_work_gemm(&product, habitat_dtype_from_name(formats[f]), &out[n++].work),
                  HABITAT_OK);
    }
    out[n] = (same){{0}, "bmm", "b=96 m=384 n=384 k=64", "fp32", "forward"};
    CHECK_INT(habitat_work_gemm(&batched, HABITAT_DTYPE_FP32, &out[n++].work), HABITAT_OK);
    out[n] = (same){{0},
                    "attention",
                    "batch=8 heads=16 length=1024 head_dim=64 kv_heads=16",
                    "bf16",
                    "backward"};
    CHECK_INT(habitat_work_attention(&attention, HABITAT_DTYPE_BF16, HABITAT_PASS_BACKWARD,
                                     &out[n++].work),
              HABITAT_OK);
    for (int half = 0; half < 2; half++) {
        out[n] = (same){{0},
                        "conv2d",
                        "batch=16 c_in=64 c_out=128 in=56 kernel=3 padding=1",
                        half ? "fp16" : "tf32",
                        "backward-input"};
        CHECK_INT(habitat_work_conv(&conv, half ? HABITAT_DTYPE_FP16 : HABITAT_DTYPE_FP32,
                                    HABITAT_PASS_BACKWARD_INPUT, &out[n++].work),
                  HABITAT_OK);
    }
    out[n] =
        (same){{0}, "lstm", "batch=64 steps=50 input=512 hidden=1024 layers=2", "tf32", "forward"};
    CHECK_INT(habitat_work_rnn(&lstm, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD, &out[n++].work),
              HABITAT_OK);
    out[n] = (same){{0}, "softmax", "rows=49152 columns=384", "fp32", "forward"};
    CHECK_INT(habitat_work_rows("softmax", &rows, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD,
                                &out[n++].work),
              HABITAT_OK);
    out[n] = (same){{0}, "sum", "rows=49152 columns=384", "fp32", "forward"}; /* no model */
    CHECK_INT(
        habitat_work_rows("sum", &rows, HABITAT_DTYPE_FP32, HABITAT_PASS_FORWARD, &out[n++].work),
        HABITAT_OK);
    return n;
}

static habitat_answer *ask_for(const habitat_model_query *question, const habitat_workload *w,
                               habitat_method method) {
    habitat_request request;
    habitat_answer *answer = NULL;
    habitat_error err = {0};
    habitat_request_init(&request);
    request.operations = question;
    request.operation_count = question != NULL;
    request.workload = w;
    request.gpus = table;
    request.method = method;
    CHECK_INT(habitat_ask(&request, &answer, &err), HABITAT_OK);
    if (!answer)
        printf("# %s\n", err.message);
    return answer;
}

static habitat_answer *by_workload(const same *s, habitat_workload **w) {
    habitat_untimed_operation one = {.work = s->work,
                                     .arithmetic = habitat_usual_arithmetic(&s->work)};
    CHECK_INT(habitat_workload_from_operations(1, &one, w, NULL), HABITAT_OK);
    return ask_for(NULL, *w, HABITAT_METHOD_AUTO);
}

static habitat_answer *by_row(const same *s, habitat_measurement *row) {
    static const char *const columns[] = {"op", "shape", "dtype", "pass"};
    const char *const words[] = {s->op, s->shape, s->dtype, s->pass};
    habitat_error err = {0};
    CHECK_INT(measurement_of_fields("row", 1, 4, columns, words, row, &err), HABITAT_OK);
    habitat_model_query question = question_of(row);
    return ask_for(&question, NULL, HABITAT_METHOD_AUTO);
}

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void check_doors(const same *s) {
    habitat_model_query question = {.work = &s->work,
                                    .arithmetic = habitat_usual_arithmetic(&s->work)};
    habitat_workload *w = NULL;
    habitat_measurement row;
    habitat_answer *op = ask_for(&question, NULL, HABITAT_METHOD_AUTO);
    habitat_answer *table_row = by_row(s, &row), *workload = by_workload(s, &w);
    CHECK_INT(op->row_count, habitat_gpu_count(table));
    CHECK_INT(workload->row_count, op->row_count);
    for (size_t i = 0; i < op->row_count; i++) {
        const habitat_answer_key *key = &workload->rows[i].key;
        CHECK(key->gpu == op->rows[i].key.gpu && key->gpu_count == 1 && key->batch_size == 0);
        CHECK_INT(key->precision, HABITAT_PRECISION_RECORDED);
        const habitat_operation_estimate *a = &op->rows[i].whole, *b = &table_row->rows[i].whole;
        const habitat_prediction *p = workload->rows[i].prediction;
        bool same_method = p->trace_kernels[0].method == a->estimate.method;
        bool same_number = !a->status && !b->status && near(a->estimate.ms, b->estimate.ms) &&
                           near(a->estimate.low_ms, b->estimate.low_ms) &&
                           near(p->iteration_ms, a->estimate.ms) &&
                           near(p->high_ms, a->estimate.high_ms);
        if (!same_number || !same_method || a->estimate.method != b->estimate.method)
            printf("# %s %s on %s: %g %g %g\n", s->op, s->dtype, op->rows[i].key.gpu->name,
                   a->estimate.ms, b->estimate.ms, p->iteration_ms);
        CHECK(same_number && same_method && a->estimate.method == b->estimate.method);
        CHECK(p->coverage[p->trace_kernels[0].method] == 1.0 && p->class_count == 1);
        CHECK(isnan(p->by_class[0].origin_ms) && p->bound_by == HABITAT_BY_UNKNOWN);
    }
    habitat_answer_free(op);
    habitat_answer_free(table_row);
    habitat_answer_free(workload);
    habitat_workload_free(w);
}

static void test_doors(void) {
    same all[SAME_MAX];
    size_t count = operations(all);
    for (size_t i = 0; i < count; i++)
        check_doors(&all[i]);
    check_case("an operation, a row of a table and a workload of one get one number on every GPU");
}

/* 100,352 pixels of 64 channels, in order and otherwise; 33.5 us: docs/formulas.md#operation. */
static void test_norms(void) {
    habitat_rows_shape rows = {64, 100352};
    habitat_work works[3];
    habitat_model_query questions[3];
    const habitat_gpu *h200 = gpu_named("H200-SXM5-141GB");
    for (int i = 0; i < 3; i++) {
        CHECK_INT(habitat_work_rows("batch_norm", &rows, HABITAT_DTYPE_BF16, HABITAT_PASS_FORWARD,
                                    &works[i]),
                  HABITAT_OK);
        questions[i] = (habitat_model_query){.work = &works[i]};
    }
    works[1].channels_last = true;
    works[2].scaled_images = works[2].images = 32;
    habitat_request r = {.operations = questions,
                         .operation_count = 3,
                         .destinations = &h200,
                         .destination_count = 1};
    habitat_answer *answer = NULL;
    CHECK_INT(habitat_ask(&r, &answer, NULL), HABITAT_OK);
    const habitat_operation_estimate *found = answer->rows[0].operations;
    CHECK_INT(found[0].estimate.method, HABITAT_METHOD_LEARNED);
    CHECK_INT(found[1].estimate.method, HABITAT_METHOD_ROOFLINE);
    CHECK_INT(found[2].estimate.method, HABITAT_METHOD_ROOFLINE);
    CHECK_NEAR(found[1].estimate.ms, (59820 + 3 * 2200) / 1.98e6, 1e-9);
    habitat_answer_free(answer);
    check_case("batch norms by other kernels than the models learned go by the rule");
}

/* Two operations that nobody timed, asked for as one iteration. */
static habitat_workload *two_operations(habitat_untimed_operation *out) {
    habitat_rows_shape rows = {4096, 1024};
    habitat_gemm_shape product = {.b = 1, .m = 4096, .n = 4096, .k = 4096};
    habitat_workload *w = NULL;
    memset(out, 0, 2 * sizeof *out);
    CHECK_INT(habitat_work_gemm(&product, HABITAT_DTYPE_BF16, &out[0].work), HABITAT_OK);
    CHECK_INT(
        habitat_work_rows("sum", &rows, HABITAT_DTYPE_BF16, HABITAT_PASS_FORWARD, &out[1].work),
        HABITAT_OK);
    CHECK_INT(habitat_workload_from_operations(2, out, &w, NULL), HABITAT_OK);
    return w;
}

static void test_untimed(void) {
    habitat_untimed_operation operations[2];
    habitat_workload *w = two_operations(operations);
    const habitat_workload_info *info = habitat_workload_get_info(w);
    CHECK(!info->origin && isnan(info->busy_ms) && isnan(info->iteration_ms));
    habitat_model_query questions[2] = {{.work = &operations[0].work},
                                        {.work = &operations[1].work}};
    const habitat_gpu *v100 = gpu_named("V100-SXM2-16GB"), *a100 = gpu_named("A100-SXM4-80GB");
    const habitat_gpu *both[] = {v100, a100};
    habitat_request r = {.operations = questions,
                         .operation_count = 2,
                         .destinations = both,
                         .destination_count = 2};
    habitat_answer *parts = NULL, *whole = NULL;
    CHECK_INT(habitat_ask(&r, &parts, NULL), HABITAT_OK);
    r = (habitat_request){.workload = w, .destinations = both, .destination_count = 2};
    CHECK_INT(habitat_ask(&r, &whole, NULL), HABITAT_OK);
    for (size_t i = 0; i < 2; i++) {
        const habitat_prediction *p = whole->rows[i].prediction;
        const habitat_answer_row *row = &parts->rows[i];
        CHECK_NEAR(p->iteration_ms, row->operations[0].estimate.ms + row->operations[1].estimate.ms,
                   1e-12);
        CHECK_NEAR(p->iteration_ms, row->whole.estimate.ms, 1e-12);
        CHECK_INT(p->class_count, 2);
        CHECK(isnan(p->memory_bytes) && p->fits == -1 && isnan(p->samples_per_s));
        CHECK(p->interval_basis == HABITAT_INTERVAL_DEFAULT && p->low_ms < p->iteration_ms);
    }
    const habitat_operation_estimate *alone = parts->rows[1].operations;
    CHECK_INT(alone[0].estimate.interval_basis, HABITAT_INTERVAL_OPERATIONS);
    CHECK_INT(alone[1].estimate.interval_basis, HABITAT_INTERVAL_DEFAULT);
    CHECK_INT(parts->rows[1].whole.estimate.interval_basis, HABITAT_INTERVAL_DEFAULT);
    check_case("an operation says what its interval was made from; a sum is as sure as its least "
               "sure part");
    CHECK_INT(whole->rows[1].prediction->trace_kernels[0].method, HABITAT_METHOD_LEARNED);
    CHECK_INT(whole->rows[1].prediction->trace_kernels[1].method, HABITAT_METHOD_ROOFLINE);
    CHECK(whole->warning_count >= 1 &&
          strstr(whole->warnings[0].text, "no bf16 matrix units on V100"));
    CHECK_INT(whole->warnings[0].kind, HABITAT_WARNING_NO_BF16);
    CHECK_INT(whole->rows[0].warning_kinds[0], HABITAT_WARNING_NO_BF16);
    CHECK_INT(whole->rows[1].warning_count, 1); /* the intervals */
    CHECK_INT(whole->rows[1].warning_kinds[0], HABITAT_WARNING_WIDTH);
    habitat_answer_free(parts);
    habitat_answer_free(whole);
    habitat_workload_free(w);
    check_case("an iteration from shapes is the sum of its operations");
}

static void test_untimed_methods(void) {
    habitat_untimed_operation operations[2];
    habitat_workload *w = two_operations(operations);
    const habitat_gpu *v100 = gpu_named("V100-SXM2-16GB");
    static const habitat_method scaling[] = {HABITAT_METHOD_WAVE, HABITAT_METHOD_WAVE_LARGE,
                                             HABITAT_METHOD_HABITAT};
    habitat_request r = {.workload = w, .destinations = &v100, .destination_count = 1};
    habitat_answer *answer = NULL;
    habitat_error err = {0};
    for (size_t i = 0; i < sizeof scaling / sizeof *scaling; i++) {
        r.method = scaling[i];
        CHECK_INT(habitat_ask(&r, &answer, &err), HABITAT_E_UNSUPPORTED);
        CHECK(strstr(err.message, "scales a measured time") != NULL);
        CHECK(err.index == SIZE_MAX); /* no destination is to blame */
        CHECK(answer == NULL);
    }
    r.method = HABITAT_METHOD_MLP; /* its networks know fp32 products; rows are none of theirs */
    CHECK_INT(habitat_ask(&r, &answer, &err), HABITAT_OK);
    if (answer) {
        const habitat_prediction *p = answer->rows[0].prediction;
        const habitat_estimate *rows = &p->trace_kernels[1];
        double bytes = operations[1].work.read_bytes + operations[1].work.write_bytes;
        CHECK_INT(rows->method, HABITAT_METHOD_FALLBACK);
        double floor_s = 2200 / v100->boost_clock_hz; /* what any kernel takes */
        CHECK_NEAR(rows->ms, 1e3 * (bytes / v100->memory_bandwidth_bytes_per_s + floor_s), 1e-12);
        CHECK_NEAR(rows->high_ms, 1.5 * rows->ms, 1e-12);
    }
    habitat_answer_free(answer);
    habitat_workload_free(w);
    check_case(
        "methods that scale a measurement refuse shapes; what networks lack is the fallback's");

    operations[1].work.known = false;
    w = NULL;
    CHECK_INT(habitat_workload_from_operations(2, operations, &w, &err), HABITAT_E_UNSUPPORTED);
    CHECK_INT(err.index, 1);
    CHECK_INT(habitat_workload_from_operations(0, operations, &w, &err), HABITAT_E_ARG);
    CHECK(w == NULL);
    check_case("an operation whose work is unknown makes no workload");
}

static void refused(habitat_request r, const char *why) {
    habitat_answer *answer = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_ask(&r, &answer, &err), HABITAT_E_ARG);
    CHECK(answer == NULL && strstr(err.message, why));
}

static void test_requests(void) {
    habitat_work work = {.known = true, .op_class = HABITAT_CLASS_COPY, .read_bytes = 4e6};
    habitat_model_query question = {.work = &work};
    const habitat_gpu *t4 = gpu_named("T4"), *none = NULL;
    habitat_request r = {.operations = &question, .operation_count = 1, .gpus = table};
    habitat_request other = {.gpus = table};
    refused(other, "one of them");
    other = r;
    other.operation_count = 0;
    refused(other, "one of them");
    other = r;
    other.destinations = &t4; /* and a count of 0 */
    refused(other, "no destinations");
    other = r;
    other.gpus = NULL;
    refused(other, "no GPU table");
    other = r;
    other.destinations = &none;
    other.destination_count = 1;
    refused(other, "destination 0 is NULL");
    other = r;
    other.method = HABITAT_METHOD_FALLBACK;
    refused(other, "not a method");
    other = r;
    other.size_bytes = sizeof r - 8;
    refused(other, "two versions");
    other = r;
    other.gpu_counts = (const uint32_t[]){1, 0};
    refused(other, "a number of GPUs is given, or a list of them"); /* of no number */
    other.gpu_counts_count = 2;
    refused(other, "one from 1 on");
    other.gpu_counts = (const uint32_t[]){1, 4};
    refused(other, "only a replayed iteration can be shared among GPUs");
    other.gpu_count = 1;
    refused(other, "a number of GPUs is given, or a list of them");
    habitat_request_init(&other);
    CHECK(other.size_bytes == sizeof r && !other.trace && other.method == HABITAT_METHOD_AUTO);
    check_case("requests that ask nothing, too much or nobody are refused");
}

/* Models that know one class alone: what they do not know has no answer, or the rule's. */
static void test_models(void) {
    same all[SAME_MAX];
    operations(all);
    habitat_models *models = NULL;
    const habitat_gpu *gpus[] = {gpu_named("T4"), gpu_named("MI300X")};
    habitat_model_query questions[2] = {{.work = &all[0].work}, {.work = &all[10].work}};
    CHECK_INT(habitat_models_load_default(&models, NULL), HABITAT_OK);
    habitat_request r = {.operations = questions,
                         .operation_count = 2,
                         .destinations = gpus,
                         .destination_count = 2,
                         .models = models,
                         .models_name = "mine",
                         .models_only = true};
    habitat_answer *answer = NULL;
    const char *notes[] = {"said before"};
    r.notes = notes;
    r.note_count = 1;
    CHECK_INT(habitat_ask(&r, &answer, NULL), HABITAT_OK);
    for (size_t i = 0; answer && i < 2; i++) {
        const habitat_answer_row *row = &answer->rows[i];
        CHECK_INT(row->operations[0].estimate.method, HABITAT_METHOD_LEARNED);
        CHECK_INT(row->operations[1].status, HABITAT_E_UNSUPPORTED);
        CHECK(isnan(row->operations[1].estimate.ms) && isnan(row->whole.estimate.ms));
        CHECK_INT(row->whole.status, HABITAT_E_UNSUPPORTED);
    }
    CHECK_TEXT(answer->rows[0].whole.reason, "mine: no model for reduce in fp32 on T4");
    CHECK_TEXT(answer->warnings[0].text, "said before");
    CHECK_INT(answer->warnings[0].about, HABITAT_ABOUT_NOTE);
    habitat_answer_free(answer);
    answer = NULL;
    r.models_only = false;
    CHECK_INT(habitat_ask(&r, &answer, NULL), HABITAT_OK);
    CHECK_INT(answer->rows[0].operations[0].estimate.method, HABITAT_METHOD_LEARNED);
    CHECK_INT(answer->rows[0].operations[1].estimate.method, HABITAT_METHOD_ROOFLINE);
    CHECK_INT(answer->rows[1].operations[0].estimate.method, HABITAT_METHOD_LEARNED);
    habitat_answer_free(answer);
    habitat_models_free(models);
    check_case("models of a request answer; alone if it says so");
}

/* Of an AMD GPU no measurement checks the built-in models' interval: half of the time either way,
 * but no less than the peak allows. */
static void test_other_vendor(void) {
    same all[SAME_MAX];
    operations(all);
    habitat_model_query question = {.work = &all[0].work};
    habitat_answer *answer = ask_for(&question, NULL, HABITAT_METHOD_AUTO);
    const habitat_gpu *mi210 = gpu_named("MI210");
    for (size_t i = 0; answer && i < answer->row_count; i++) {
        const habitat_estimate *e = &answer->rows[i].operations[0].estimate;
        if (answer->rows[i].key.gpu != mi210)
            continue;
        CHECK_INT(e->method, HABITAT_METHOD_LEARNED);
        CHECK_INT(e->interval_basis, HABITAT_INTERVAL_DEFAULT);
        CHECK_NEAR(e->high_ms / e->ms, 1.5, 1e-12);
        CHECK(e->low_ms >= e->ms / 1.5 && e->low_ms < e->ms);
    }
    habitat_answer_free(answer);
    check_case("another vendor's GPU: the models answer, with an interval that says default");
}

/* What `auto` says of a recorded product on a T4 with these models; NULL: the library's own. */
static double learned_share(const habitat_trace *trace, const habitat_models *models, double *ms) {
    const habitat_gpu *t4 = gpu_named("T4");
    habitat_request r = {.trace = trace,
                         .gpus = table,
                         .models = models,
                         .destinations = &t4,
                         .destination_count = 1};
    habitat_answer *answer = NULL;
    CHECK_INT(habitat_ask(&r, &answer, NULL), HABITAT_OK);
    double share = NAN;
    if (answer) {
        share = answer->rows[0].prediction->coverage[HABITAT_METHOD_LEARNED];
        *ms = answer->rows[0].prediction->iteration_ms;
    }
    habitat_answer_free(answer);
    return share;
}

static void test_models_of_an_iteration(void) {
    habitat_trace *trace = NULL;
    habitat_models *trees = NULL, *networks = NULL;
    double own = NAN, read = NAN, without = NAN;
    CHECK_INT(habitat_trace_read(HABITAT_SOURCE_DIR "/tests/cli/fixtures/step.json", &trace, NULL),
              HABITAT_OK);
    CHECK_INT(habitat_models_load(HABITAT_SOURCE_DIR "/data/models/operators.habitat-models",
                                  &trees, NULL),
              HABITAT_OK);
    CHECK_INT(habitat_models_load(HABITAT_SOURCE_DIR "/data/models/paper.habitat-models", &networks,
                                  NULL),
              HABITAT_OK);
    CHECK(learned_share(trace, NULL, &own) > 0.5);
    CHECK(learned_share(trace, trees, &read) > 0.5);
    CHECK(learned_share(trace, networks, &without) == 0.0);
    CHECK(own == read && own != without);
    habitat_models_free(trees);
    habitat_models_free(networks);
    habitat_trace_free(trace);
    check_case("an iteration goes by the models of its request");
}

/* Of a GPU that nobody knows there is no prediction; what is recorded can be told. */
static void test_recording(void) {
    habitat_trace *trace = NULL;
    habitat_answer *answer = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_trace_read(HABITAT_SOURCE_DIR "/tests/cli/fixtures/step.json", &trace, NULL),
              HABITAT_OK);
    habitat_request r = {.trace = trace, .gpus = table, .origin = gpu_named("T4")};
    r.origin_word = "--from";
    CHECK_INT(habitat_ask(&r, &answer, &err), HABITAT_E_ARG);
    CHECK_TEXT(err.file, "--from");
    r.origin = gpu_named("H200-NVL-141GB");
    r.no_predictions = true;
    CHECK_INT(habitat_ask(&r, &answer, &err), HABITAT_OK);
    if (answer) {
        CHECK_INT(answer->row_count, 0);
        CHECK(answer->workload != NULL && answer->trace == trace);
        CHECK_INT(answer->warnings[0].about, HABITAT_ABOUT_REQUEST);
        CHECK(strstr(answer->warnings[0].text, "--from: the recording names H200-SXM5-141GB") !=
              NULL);
    }
    habitat_answer_free(answer);
    habitat_trace_free(trace);
    check_case("an origin that the recording contradicts is refused, another name is said");
}

/* The file and the caller's own word for the origin stand in the error, and no option of a command
 * where nobody said one. */
static void test_nameless(void) {
    static const char text[] = "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\","
                               "\"ts\":5,\"dur\":1,\"args\":{\"device\":0,\"stream\":7}}]}";
    habitat_trace *trace = NULL;
    habitat_answer *answer = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_trace_read_memory(text, sizeof text - 1, "t.json", &trace, NULL), HABITAT_OK);
    habitat_request r = {.trace = trace, .gpus = table};
    CHECK_INT(habitat_ask(&r, &answer, &err), HABITAT_E_UNKNOWN_GPU);
    CHECK_TEXT(err.file, "t.json");
    CHECK_TEXT(err.message, "the recording does not name its GPU; name it with origin");
    r.origin_word = "--from";
    CHECK_INT(habitat_ask(&r, &answer, &err), HABITAT_E_UNKNOWN_GPU);
    CHECK_TEXT(err.message, "the recording does not name its GPU; name it with --from");
    habitat_trace_free(trace);
    check_case("a recording that does not name its GPU is named in the error");
}

/* Two products of 2 m n k flop each; gelu counts five operations an element, relu's gradient is a
 * kernel of another name; fp32 is strict, tf32 are fp32 tensors. */
static void test_words(void) {
    habitat_measurement parts[HABITAT_OPERATION_PARTS_MAX];
    habitat_error err = {0};
    size_t count = 0;
    CHECK_INT(habitat_operation_from_words("linear", "m=8 n=16 k=32", "tf32", "backward", parts,
                                           &count, &err),
              HABITAT_OK);
    CHECK_INT(count, 2);
    for (size_t i = 0; i < count; i++) {
        CHECK_NEAR(parts[i].work.flop, 2.0 * 8 * 16 * 32, 0);
        CHECK_INT(parts[i].work.pass, HABITAT_PASS_BACKWARD);
        CHECK_INT(parts[i].work.dtype, HABITAT_DTYPE_FP32);
        CHECK_INT(habitat_strict_query(&parts[i]).arithmetic, HABITAT_DTYPE_TF32);
    }
    /* weights are stored (16, 32): (8, 16) x (16, 32), and (16, 8) x (8, 32) from a transposed (8,
     * 16) */
    CHECK_NEAR(parts[0].work.shape.gemm.n, 32, 0);
    CHECK(!parts[0].work.shape.gemm.trans_a && !parts[0].work.shape.gemm.trans_b);
    CHECK_NEAR(parts[1].work.shape.gemm.m, 16, 0);
    CHECK(parts[1].work.shape.gemm.trans_a && !parts[1].work.shape.gemm.trans_b);
    CHECK_INT(habitat_operation_from_words("gemm", "m=8 n=16 k=32", "tf32", "backward", parts,
                                           &count, &err),
              HABITAT_OK);
    CHECK(parts[0].work.shape.gemm.trans_b);       /* (8, 16) x (16, 32) from a (32, 16) */
    CHECK_NEAR(parts[1].work.shape.gemm.m, 32, 0); /* (32, 8) x (8, 16) */
    CHECK(parts[1].work.shape.gemm.trans_a && !parts[1].work.shape.gemm.trans_b);
    /* A stored as (32, 8): its gradient too, (32, 16) x (16, 8); B's is (32, 8) x (8, 16) */
    CHECK_INT(habitat_operation_from_words("gemm", "m=8 n=16 k=32 trans_a=1", "tf32", "backward",
                                           parts, &count, &err),
              HABITAT_OK);
    CHECK_NEAR(parts[0].work.shape.gemm.m, 32, 0);
    CHECK_NEAR(parts[0].work.shape.gemm.n, 8, 0);
    CHECK(!parts[0].work.shape.gemm.trans_a && parts[0].work.shape.gemm.trans_b);
    CHECK_NEAR(parts[1].work.shape.gemm.m, 32, 0);
    CHECK(!parts[1].work.shape.gemm.trans_a && !parts[1].work.shape.gemm.trans_b);
    CHECK_INT(
        habitat_operation_from_words("gelu", "elements=10", "fp32", "forward", parts, &count, &err),
        HABITAT_OK);
    CHECK_INT(count, 1);
    CHECK_NEAR(parts[0].work.flop, 50, 0);
    CHECK_INT(habitat_strict_query(&parts[0]).arithmetic, HABITAT_DTYPE_FP32);
    CHECK_INT(habitat_operation_from_words("relu", "elements=10", "fp32", "backward", parts, &count,
                                           &err),
              HABITAT_OK);
    CHECK_TEXT(parts[0].work.kind, "threshold_backward");
    count = 7;
    CHECK_INT(
        habitat_operation_from_words("gemm", "m=8 n=8", "fp32", "backward", parts, &count, &err),
        HABITAT_E_RANGE);
    CHECK_TEXT(err.message, "shape: no k given; add k=NUMBER");
    CHECK_INT(habitat_operation_from_words("gemm", NULL, "fp32", "backward", parts, &count, &err),
              HABITAT_E_ARG);
    CHECK_INT(count, 7); /* untouched */
    check_case("an operation in words is that of a table's row");
}

int main(void) {
    CHECK_INT(habitat_gpu_table_create(NULL, &table, NULL), HABITAT_OK);
    test_doors();
    test_norms();
    test_untimed();
    test_untimed_methods();
    test_requests();
    test_models();
    test_other_vendor();
    test_models_of_an_iteration();
    test_recording();
    test_nameless();
    test_words();
    habitat_gpu_table_free(table);
    return check_done();
}
