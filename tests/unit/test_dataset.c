/* Tables of measurements: schemas, checks, and training from them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <habitat/habitat.h>

#include "check.h"
#include "gpu/gpu.h"
#include "lab/dataset.h"
#include "operator/operator.h"
#include "text_sink.h"

static habitat_gpu_table *table;
static char path[] = "/tmp/habitat-dataset-XXXXXX";

static habitat_status add(habitat_dataset *data, const char *text, habitat_error *err) {
    FILE *file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
    return habitat_dataset_add(data, path, err);
}

static habitat_dataset *fresh(void) {
    habitat_dataset *data = NULL;
    CHECK_INT(habitat_dataset_create(table, &data, NULL), HABITAT_OK);
    return data;
}

static void test_schemas(void) {
    habitat_dataset *data = fresh();
    habitat_error err = {0};
    CHECK_INT(add(data,
                  "gpu,op,dtype,B,M,N,K,latency_ms,kernel,split,flag,source\n"
                  "T4,bmm,fp32,2,8,16,32,0.5,\"a,\"\"b\"\"\",train,,neusight\n"
                  "V100 PCIE 32GB,linear,fp32,1,8,16,32,0.25,k,test,,neusight\n",
                  &err),
              HABITAT_OK);
    CHECK_INT(add(data,
                  "gpu,op,pass,dtype,shape,latency_ms,timing,source\n"
                  "H200,linear,forward,tf32,m=8 n=16 k=32,0.125,graph,x\n"
                  "H200,gelu,forward,fp32,columns=8,0.125,wall,x\n",
                  &err),
              HABITAT_OK);
    size_t count = 0;
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    CHECK_INT(count, 3);
    /* N is the reduction there, K the width: (2, 8, 16) x (2, 16, 32) */
    CHECK_NEAR(rows[0].work.shape.gemm.k, 16, 0);
    CHECK_NEAR(rows[0].work.shape.gemm.n, 32, 0);
    CHECK_NEAR(rows[0].work.flop, 2.0 * 2 * 8 * 16 * 32, 0);
    CHECK_INT(rows[0].work.op_class, HABITAT_CLASS_BMM);
    CHECK_TEXT(rows[1].gpu, "V100-PCIE-32GB");
    CHECK(rows[1].test && !rows[0].test && rows[1].timing == HABITAT_TIMING_EAGER);
    CHECK_INT(rows[2].arithmetic, HABITAT_DTYPE_TF32);
    CHECK_INT(rows[2].work.dtype, HABITAT_DTYPE_FP32);
    habitat_dataset_free(data);
    check_case("rows of several schemas become the same operations");
}

/* Rows of `habitat collect` that memory bounds: classes, passes and bytes. */
static void test_collected(void) {
    habitat_dataset *data = fresh();
    habitat_error err = {0};
    CHECK_INT(add(data,
                  "gpu,op,pass,dtype,shape,latency_ms,timing,source\n"
                  "H200,copy,forward,bf16,columns=8,0.125,graph,x\n"
                  "H200,copy,forward,bf16,columns=8,0.125,event,x\n"
                  "H200,relu,backward,fp32,columns=8,0.125,graph,x\n"
                  "H200,batch_norm,backward,fp32,batch=3 c_in=5 in=7,0.125,graph,x\n"
                  "H200,add,backward,fp32,columns=8,0.125,graph,x\n",
                  &err),
              HABITAT_OK);
    size_t count = 0;
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    CHECK_INT(count, 3);
    /* add has no kernel of its own backward, and in a graph another engine copies: left out */
    CHECK_INT(rows[0].work.op_class, HABITAT_CLASS_COPY);
    CHECK_NEAR(rows[0].work.read_bytes + rows[0].work.write_bytes, 2 * 8 * 2, 0);
    CHECK_INT(rows[1].work.op_class, HABITAT_CLASS_ELEMENTWISE);
    CHECK_INT(rows[1].work.pass, HABITAT_PASS_BACKWARD);
    CHECK_NEAR(rows[1].work.read_bytes, 2 * 8 * 4, 0);
    CHECK_TEXT(rows[2].work.kind, "batch_norm");
    CHECK_NEAR(rows[2].work.shape.rows.rows, 5, 0);
    CHECK_NEAR(rows[2].work.shape.rows.columns, 3 * 7 * 7, 0);
    habitat_dataset_free(data);
    check_case("collected copies, gradients and batch norms");
}

static void test_refusals(void) {
    static const struct {
        const char *text;
        habitat_status status;
        unsigned line;
    } cases[] = {
        {"", HABITAT_E_FORMAT, 1},
        {"gpu,op,dtype,latency_ms\nT4,x,fp32,1\n", HABITAT_E_FORMAT, 1},
        {"gpu,op,dtype,m,n,k,latency_ms\nT4,gemm,bf16,1,2\n", HABITAT_E_PARSE, 2},
        {"gpu,op,dtype,m,n,k,latency_ms\nT4,gemm,bf16,1,-2,3,1\n", HABITAT_E_RANGE, 2},
        {"gpu,op,dtype,m,n,k,latency_ms\nT4,gemm,bf16,1,x,3,1\n", HABITAT_E_RANGE, 2},
        {"gpu,op,dtype,m,n,k,latency_ms\nT4,gemm,bf16,1,2,3,0\n", HABITAT_E_RANGE, 2},
        {"gpu,op,dtype,m,n,k,latency_ms\nGTX9,gemm,bf16,1,2,3,1\n", HABITAT_E_UNKNOWN_GPU, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        habitat_dataset *data = fresh();
        habitat_error err = {0};
        CHECK_INT(add(data, cases[i].text, &err), cases[i].status);
        CHECK_INT(err.line, cases[i].line);
        CHECK_TEXT(err.file, path);
        size_t count = 1;
        habitat_dataset_rows(data, &count);
        CHECK_INT(count, 0);
        habitat_dataset_free(data);
    }
    check_case("a bad table is refused with file and line, and adds nothing");
}

static void test_contradictions(void) {
    habitat_error err = {0};
    habitat_dataset *data = fresh();
    /* 2 * 1024^3 flop in 0.01 ms: 215 Tflop/s of fp32 on a T4 */
    CHECK_INT(add(data,
                  "gpu,op,dtype,B,M,N,K,latency_ms,split,source\n"
                  "T4,bmm,fp32,1,1024,1024,1024,0.01,train,neusight\n",
                  &err),
              HABITAT_OK);
    CHECK_INT(habitat_dataset_check(data, &err), HABITAT_E_RANGE);
    CHECK(strstr(err.message, "T4") && strstr(err.message, "peak"));
    habitat_dataset_free(data);
    data = fresh();
    CHECK_INT(add(data,
                  "gpu,op,dtype,B,M,N,K,latency_ms,split,source\n"
                  "T4,bmm,fp32,1,1024,1024,1024,1,train,neusight\n"
                  "T4,bmm,fp32,1,1024,1024,1024,20,train,neusight\n",
                  &err),
              HABITAT_OK);
    CHECK_INT(habitat_dataset_check(data, &err), HABITAT_E_RANGE);
    CHECK(strstr(err.message, "contradicts") != NULL);
    habitat_dataset_free(data);
    check_case("a set above the peak, or at odds with itself, is refused");
}

/* An eager batched product shows 31 us at least: a measurement below twice that tells the time of
 * its launch. */
static void test_residuals(void) {
    habitat_dataset *data = fresh();
    habitat_error err = {0};
    CHECK_INT(add(data,
                  "gpu,op,dtype,B,M,N,K,latency_ms,split,source\n"
                  "T4,bmm,fp32,2,256,256,256,0.050,train,neusight\n"
                  "T4,bmm,fp32,2,256,256,260,0.080,train,neusight\n"
                  "T4,bmm,fp32,2,256,256,264,0.160,train,neusight\n",
                  &err),
              HABITAT_OK);
    size_t count = 0;
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    const habitat_gpu *gpu = NULL;
    CHECK_INT(count, 3);
    CHECK_INT(habitat_gpu_find(table, "T4", &gpu, NULL, NULL), HABITAT_OK);
    double first = 7, second = 7, third = 7;
    CHECK(!dataset_residual(&rows[0], gpu, &first) && first == 7);
    CHECK(dataset_residual(&rows[1], gpu, &second) && dataset_residual(&rows[2], gpu, &third));
    CHECK(fabs(third - second - log(2)) < 0.05); /* twice the time of nearly the same product */
    habitat_dataset_free(data);
    check_case("a measurement near its launch says nothing of the kernel");
}

/* Rows of three invented GPUs' rates on a known law: time = 2 * flop / rate. */
static void write_law(FILE *file) {
    static const struct {
        const char *gpu;
        double rate;
    } gpus[] = {{"T4", 4.2e12}, {"V100-PCIE-32GB", 13.9e12}, {"P100-PCIE-16GB", 7.2e12}};
    fputs("gpu,op,dtype,B,M,N,K,latency_ms,split,source\n", file);
    for (size_t g = 0; g < 3; g++)
        for (int i = 0; i < 400; i++) {
            double m = 256 + 64 * (i % 20), n = 256 + 96 * (i / 20), k = 512 + 8 * i;
            fprintf(file, "%s,bmm,fp32,4,%g,%g,%g,%.6g,%s,neusight\n", gpus[g].gpu, m, k, n,
                    2e3 * 2 * 4 * m * n * k / gpus[g].rate, i % 4 ? "train" : "test");
        }
}

static void test_training(void) {
    FILE *file = fopen(path, "w");
    CHECK(file != NULL);
    if (file) {
        write_law(file);
        fclose(file);
    }
    habitat_dataset *data = fresh();
    habitat_models *models[2] = {NULL, NULL};
    CHECK_INT(habitat_dataset_add(data, path, NULL), HABITAT_OK);
    CHECK_INT(habitat_dataset_check(data, NULL), HABITAT_OK);
    char names[2][sizeof path + 8], command[256];
    habitat_train_options options = {.seed = 3, .all_rows = true};
    for (int i = 0; i < 2; i++) {
        snprintf(names[i], sizeof names[i], "%s-%d", path, i);
        CHECK_INT(habitat_train(data, table, &options, &models[i], NULL), HABITAT_OK);
        CHECK_INT(habitat_models_save(models[i], names[i], NULL), HABITAT_OK);
    }
    snprintf(command, sizeof command, "cmp -s %s %s", names[0], names[1]);
    CHECK_INT(system(command), 0);
    /* A GPU that was left out follows the law: half the sustained rate. */
    const habitat_gpu *gpu = NULL;
    CHECK_INT(habitat_gpu_find(table, "A100-PCIE-40GB", &gpu, NULL, NULL), HABITAT_OK);
    habitat_work work;
    habitat_gemm_shape shape = {.b = 4, .m = 1024, .n = 1024, .k = 1024};
    CHECK_INT(habitat_work_gemm(&shape, HABITAT_DTYPE_FP32, &work), HABITAT_OK);
    habitat_model_query query = {.work = &work, .timing = HABITAT_TIMING_EAGER};
    habitat_model_estimate out = {0};
    if (gpu && models[0])
        CHECK_INT(
            habitat_models_predict(models[0], HABITAT_MODEL_AUTO, 1, &gpu, 1, &query, &out, NULL),
            HABITAT_OK);
    double want = gpu ? 2e3 * work.flop / gpu->sustained.plain_flop_per_s[HABITAT_DTYPE_FP32] : 0;
    CHECK(out.covered && !out.seen);
    CHECK(out.low_ms < out.ms && out.ms < out.high_ms);
    CHECK_NEAR(out.ms, want, 0.15);
    for (int i = 0; i < 2; i++) {
        habitat_models_free(models[i]);
        unlink(names[i]);
    }
    habitat_dataset_free(data);
    check_case("training repeats itself byte for byte and carries a law to a GPU it never saw");
}

static void test_evaluation(void) {
    text_sink out = {0};
    FILE *file = fopen(path, "w");
    if (file) {
        write_law(file);
        fclose(file);
    }
    habitat_dataset *data = fresh();
    CHECK_INT(habitat_dataset_add(data, path, NULL), HABITAT_OK);
    CHECK_INT(habitat_evaluate(data, table, NULL, NULL, false, append, &out, NULL), HABITAT_OK);
    const char *row = strstr(out.data, "| T4 | 100 |");
    CHECK(strstr(out.data, "### bmm") != NULL && row != NULL);
    /* the spec sheet's roofline is wrong by the law's factor of two and the T4's 8.1 against 4.2:
     * 4.2 / 8.14 / 2 = 0.26 of the time, 74 % off */
    double values[8] = {0};
    int read = row ? sscanf(row, "| T4 | 100 | %lf | %lf | %lf | %lf | %lf | %lf |", &values[0],
                            &values[1], &values[2], &values[3], &values[4], &values[5])
                   : 0;
    CHECK_INT(read, 6);
    CHECK(values[0] < 10 && values[1] < 15);
    CHECK_NEAR(values[4], 50, 0.05);
    CHECK_NEAR(values[5], 74, 0.05);
    /* five measured operations tell the law's factor of two, which the spec sheet does not */
    CHECK(values[3] < 12 && values[3] < values[2]);
    text_sink_clear(&out);
    habitat_dataset_free(data);
    check_case("eval reports a known law's errors as worked out by hand");
}

/* Products of heads 64 and 128 wide in turn: of 80 a GPU, 20 are judged, 10 of them 64 wide. The
 * source's columns are those of (B, M, N) x (B, N, K). */
static void write_heads(FILE *file) {
    static const char *const gpus[] = {"T4", "V100-PCIE-32GB", "P100-PCIE-16GB"};
    fputs("gpu,op,dtype,B,M,N,K,latency_ms,split,source\n", file);
    for (size_t g = 0; g < 3; g++)
        for (int i = 0; i < 80; i++)
            fprintf(file, "%s,bmm,fp32,16,%d,%d,%d,%g,%s,neusight\n", gpus[g], 512 + 32 * i,
                    i / 4 % 2 ? 128 : 64, 1024, 5.0 + (double)(g + 1) * i / 4.0,
                    i % 4 ? "train" : "test");
}

static size_t lines_with(const char *text, const char *words) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, words)); at++)
        count++;
    return count;
}

static void test_rows(void) {
    text_sink out = {0};
    FILE *file = fopen(path, "w");
    if (file) {
        write_heads(file);
        fclose(file);
    }
    habitat_dataset *data = fresh();
    CHECK_INT(habitat_dataset_add(data, path, NULL), HABITAT_OK);
    CHECK_INT(habitat_evaluate(data, table, NULL, NULL, false, append, &out, NULL), HABITAT_OK);
    const char *narrow = strstr(out.data, "### bmm, 64-wide heads");
    CHECK(strstr(out.data, "\n| T4 | 20 |") != NULL);
    CHECK(narrow && strstr(narrow, "\n| T4 | 10 |") != NULL);
    text_sink_clear(&out);
    CHECK_INT(habitat_evaluate(data, table, NULL, NULL, true, append, &out, NULL), HABITAT_OK);
    CHECK(strncmp(out.data, "class,gpu,source,kind,pass,dtype,batch,m,k,n,flop,bytes,measured_ms,",
                  68) == 0);
    CHECK_INT(lines_with(out.data, "\nbmm,T4,neusight,bmm,forward,fp32,16,"), 20);
    CHECK_INT(lines_with(out.data, ",64,1024,"), 30); /* of all three GPUs */
    CHECK(strchr(out.data, '|') == NULL);
    /* 2 b m n k; 4 b (m k + k n + m n) bytes; its own time, then what six methods say */
    const char *row = strstr(out.data, "\nbmm,T4,neusight,bmm,forward,fp32,16,512,64,1024,");
    double flop = 0, bytes = 0, measured = 0, seen = 0;
    int read =
        row ? sscanf(row, "\nbmm,T4,neusight,bmm,forward,fp32,16,512,64,1024,%lf,%lf,%lf,%lf",
                     &flop, &bytes, &measured, &seen)
            : 0;
    CHECK_INT(read, 4);
    CHECK_NEAR(flop, 1073741824, 1e-8);
    CHECK_NEAR(bytes, 39845888, 0);
    CHECK_NEAR(measured, 5, 0);
    CHECK(seen > 0);
    text_sink_clear(&out);
    habitat_dataset_free(data);
    check_case("eval gives narrow heads a table, and every row as CSV");
}

/* Analytic time [ms] of a half-precision convolution of 3 x 3, channels last, on a GPU. */
static double analytic_ms(const char *name, double batch, double channels, habitat_pass pass) {
    const habitat_gpu *gpu = NULL;
    habitat_conv_shape shape = {.dims = 2,
                                .batch = batch,
                                .c_in = channels,
                                .c_out = channels,
                                .groups = 1,
                                .in = {28, 28},
                                .out = {28, 28},
                                .kernel = {3, 3},
                                .stride = {1, 1},
                                .padding = {1, 1},
                                .dilation = {1, 1},
                                .channels_last = true};
    habitat_work work = {0};
    operator_gpu facts;
    operator_view view;
    CHECK_INT(habitat_gpu_find(table, name, &gpu, NULL, NULL), HABITAT_OK);
    CHECK_INT(habitat_work_conv(&shape, HABITAT_DTYPE_FP16, pass, &work), HABITAT_OK);
    CHECK(operator_gpu_facts(gpu, OPERATOR_CONV_MATRIX, HABITAT_DTYPE_FP16, &facts));
    habitat_model_query query = {.work = &work};
    operator_look(&query, OPERATOR_CONV_MATRIX, &facts, &view);
    return view.base_ms;
}

/* Half-precision convolutions, in three passes; a quarter are test rows. Each GPU takes a time
 * that is the same multiple of the analytic one (`v100`: the V100's), and up to 1.35
 * times (A100: 1.47) more or less by channels, each GPU for others. */
static void write_convolutions(FILE *file, double v100) {
    static const char *const gpus[] = {"V100-PCIE-32GB", "A100-PCIE-40GB", "H200"};
    static const char *const passes[] = {"forward", "backward_input", "backward_weight"};
    static const habitat_pass numbers[] = {HABITAT_PASS_FORWARD, HABITAT_PASS_BACKWARD_INPUT,
                                           HABITAT_PASS_BACKWARD_WEIGHT};
    static const int steps[] = {1, 3, 7}; /* channels in another order on each GPU */
    fputs("gpu,op,pass,dtype,shape,latency_ms,timing,source,split\n", file);
    for (size_t g = 0; g < 3; g++)
        for (int i = 0; i < 300; i++) {
            int channels = 64 + 32 * (i % 10), batch = 16 + 8 * (i / 10);
            double place = i % 10 * steps[g] % 10 - 4.5, factor = g == 0 ? v100 : 1;
            double own = (g == 1 ? .019 : .015) * place * fabs(place);
            fprintf(file,
                    "%s,conv2d,%s,fp16,batch=%d c_in=%d c_out=%d in=28 kernel=3 padding=1 "
                    "channels_last=1,%.6g,kernel,x,%s\n",
                    gpus[g], passes[i % 3], batch, channels, channels,
                    factor * exp(own) * analytic_ms(gpus[g], batch, channels, numbers[i % 3]),
                    i % 4 ? "train" : "test");
        }
}

/* Numbers of a table's row after its first two cells; NaN for "-". */
static int cells_of(const char *row, double *out, int room) {
    int count = 0;
    for (int cell = 0; row && row[0] && row[1] != '\n'; cell++) {
        const char *text = row + 1, *end = strchr(text, '|');
        if (!end)
            break;
        if (cell >= 2 && count < room && sscanf(text, "%lf", &out[count]) != 1)
            out[count] = NAN;
        count += cell >= 2;
        row = end;
    }
    return count;
}

/* Evaluates convolutions on the law. @param out  receives the report, to be cleared. */
static void evaluate_law(double v100, text_sink *out) {
    FILE *file = fopen(path, "w");
    if (file) {
        write_convolutions(file, v100);
        fclose(file);
    }
    habitat_dataset *data = fresh();
    CHECK_INT(habitat_dataset_add(data, path, NULL), HABITAT_OK);
    CHECK_INT(habitat_evaluate(data, table, NULL, NULL, false, append, out, NULL), HABITAT_OK);
    habitat_dataset_free(data);
}

/* Cells of the table of a GPU: rows, forward, backward, both gradients, seen, same architecture,
 * left out, roofline, three intervals. */
static void law_cells(const text_sink *report, const char *gpu, double cells[16]) {
    char words[64];
    snprintf(words, sizeof words, "| %s | fp16 |", gpu);
    for (int i = 0; i < 16; i++)
        cells[i] = 0;
    CHECK_INT(cells_of(strstr(report->data, words), cells, 16), 12);
}

static void test_kinds(void) {
    text_sink out = {0};
    double v[16], a100[16], h200[16], pooled[16] = {0};
    evaluate_law(1, &out); /* as the two others */
    law_cells(&out, "V100-PCIE-32GB", v);
    law_cells(&out, "A100-PCIE-40GB", a100);
    law_cells(&out, "H200-SXM5-141GB", h200);
    CHECK_NEAR(v[0], 75, 0);
    CHECK(v[1] < 10 && isnan(v[2]) && v[3] < 10 && v[4] < 10 && v[5] < 10);
    CHECK(isnan(v[6]) && isnan(v[10])); /* no other GPU of its kind */
    CHECK(v[8] > 5 && v[8] < 15);       /* waves and tiles, of which it knows nothing */
    CHECK(v[9] > 60 && v[11] > 60);     /* a known law lies within its intervals */
    CHECK(a100[9] > 60 && a100[11] > 60 && h200[9] > 60 && h200[11] > 60);
    /* Left out: all rows together, of three GPUs with as many rows each. */
    const char *intervals = strstr(out.data, "\n## Intervals on left-out GPUs\n");
    const char *line = intervals ? strstr(intervals, "| conv2d-matrix | 3 |") : NULL;
    CHECK(line != NULL);
    CHECK_INT(cells_of(line, pooled, 16), 6);
    CHECK_NEAR(pooled[0], 225, 0);
    CHECK(fabs(pooled[1] - (v[11] + a100[11] + h200[11]) / 3) < 0.11);
    CHECK(pooled[1] > 60 && pooled[3] < pooled[2]);
    CHECK(intervals && strstr(intervals, "| **convolutions** | 3 | 225 |") != NULL);
    text_sink_clear(&out);
    check_case("eval judges convolutions by pass and kind");
}

/* The V100 alone takes .78 of the analytic time: the two others, which err alike, make the
 * intervals of a V100 that is left out, and say nothing of such a bias. No rule that sees only them
 * can hold 80 % of its rows (decision 0248); a third of them is inside. What the V100 shows makes
 * the intervals of the others wide enough. */
static void test_lone_bias(void) {
    text_sink out = {0};
    double v[16], a100[16], h200[16];
    evaluate_law(.78, &out);
    law_cells(&out, "V100-PCIE-32GB", v);
    law_cells(&out, "A100-PCIE-40GB", a100);
    law_cells(&out, "H200-SXM5-141GB", h200);
    CHECK(v[7] > 2 * a100[7] && v[7] > 2 * h200[7]); /* left out it errs alone */
    CHECK(v[9] > 60 && v[11] >= 25);
    CHECK(a100[11] > 60 && h200[11] > 60);
    text_sink_clear(&out);
    check_case("a bias that one GPU alone has: outside of others' intervals, inside its own");
}

int main(void) {
    int descriptor = mkstemp(path);
    if (descriptor >= 0)
        close(descriptor);
    if (habitat_gpu_table_create(NULL, &table, NULL) != HABITAT_OK)
        return 1;
    test_schemas();
    test_collected();
    test_refusals();
    test_contradictions();
    test_residuals();
    test_training();
    test_evaluation();
    test_rows();
    test_kinds();
    test_lone_bias();
    habitat_gpu_table_free(table);
    unlink(path);
    return check_done();
}
