/* Workloads and predictions of small made traces, worked by hand.
 *
 * o: 100 SMs, 1.0 GHz, 1000 GB/s, 10 TFLOP/s; d: 50 SMs, 2.0 GHz, 500 GB/s, 8 TFLOP/s, fp32. */
#include <habitat/predict.h>

#include "ask_operation.h"
#include "check.h"
#include "made_gpu.h"
#include "made_trace.h"

static habitat_gpu o, d;

static habitat_workload *workload_of(const habitat_trace *trace) {
    habitat_workload *w = NULL;
    habitat_error err = {0};
    if (!trace || habitat_workload_create(trace, &o, &w, &err) != HABITAT_OK)
        printf("# no workload: %s\n", err.message);
    return w;
}

static habitat_prediction *predicted(const habitat_workload *w, const habitat_gpu *dest,
                                     habitat_method method) {
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    if (habitat_predict(w, dest, method, &p, &err) != HABITAT_OK)
        printf("# no prediction: %s\n", err.message);
    return p;
}

static const made_kernel three[] = {
    /* 400 blocks of 1024 threads: W_o = 200, W_d = 100; no work known: g = 1.
     * eq. 1: 4/2 x (2 x 1/2) = 2 */
    {"some_kernel", NULL, 100000, 10000, 7, 400, 1024, 32, 0, 0, NULL, NULL, false, 0},
    /* a copy has no blocks: the fallback, the ratio of bandwidths = 2 */
    {"Memcpy DtoD (Device -> Device)", "gpu_memcpy", 120000, 3000, 7, 0, 0, 0, 0, 1000000, NULL,
     NULL, false, 0},
    /* 100 blocks are exactly o's SMs: persistent, equation 2 with g = 1: 1000/500 = 2; equation 1
     * would say 1/1 x (2 x 1/2) = 1 */
    {"some_kernel", NULL, 130000, 7000, 7, 100, 1024, 32, 0, 0, NULL, NULL, false, 0},
};

static void test_wave(void) {
    habitat_trace *trace = made_trace(three, 3, NULL, "", 0);
    habitat_workload *w = workload_of(trace);
    const habitat_workload_info *info = habitat_workload_get_info(w);
    CHECK_INT(info->trace_kernel_count, 2);
    CHECK_INT(info->trace_copy_count, 1);
    CHECK_INT(info->iteration_count, 1);
    CHECK(info->kernel_ms == 0.017);
    CHECK(info->copy_ms == 0.003);
    CHECK(info->busy_ms == 0.020);
    CHECK(!info->iteration_recorded);
    size_t count = 0;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(w, &count);
    CHECK(!kernels[0].persistent && kernels[2].persistent);
    CHECK(kernels[1].facts.bytes == 2e6); /* read and written */
    check_case("a workload lists the kernels and their sum");

    habitat_prediction *p = predicted(w, &d, HABITAT_METHOD_WAVE);
    CHECK_NEAR(p->trace_kernels[0].ms, 0.020, 1e-12);
    CHECK_INT(p->trace_kernels[0].method, HABITAT_METHOD_WAVE);
    CHECK_NEAR(p->trace_kernels[1].ms, 0.006, 1e-12);
    CHECK_INT(p->trace_kernels[1].method, HABITAT_METHOD_FALLBACK);
    CHECK_NEAR(p->trace_kernels[2].ms, 0.014, 1e-12);
    CHECK_INT(p->trace_kernels[2].method, HABITAT_METHOD_WAVE_LARGE);
    CHECK_NEAR(p->kernel_ms, 0.034, 1e-12);
    CHECK_NEAR(p->copy_ms, 0.006, 1e-12);
    CHECK_NEAR(p->iteration_ms, 0.040, 1e-12);
    CHECK_NEAR(p->coverage[HABITAT_METHOD_WAVE], 20.0 / 34, 1e-12);
    CHECK_NEAR(p->coverage[HABITAT_METHOD_WAVE_LARGE], 14.0 / 34, 1e-12);
    check_case("wave: equation 1, fallback for a copy, equation 2 for a persistent kernel");
    /* across architectures 25 %, fallback 50 %: 34/1.25 + 6/1.5 and 34 x 1.25 + 6 x 1.5 us */
    CHECK_NEAR(p->low_ms, 0.0272 + 0.004, 1e-12);
    CHECK_NEAR(p->high_ms, 0.0425 + 0.009, 1e-12);
    CHECK(p->interval_basis == HABITAT_INTERVAL_DEFAULT);
    check_case("the default intervals are as documented");
    CHECK_TEXT(habitat_interval_name(p->interval_basis), "default");
    CHECK(strstr(habitat_interval_words(p->interval_basis), "no measurement"));
    CHECK_TEXT(habitat_interval_name(HABITAT_INTERVAL_UNKNOWN), "none");
    CHECK(!habitat_interval_words(HABITAT_INTERVAL_UNKNOWN));
    CHECK_TEXT(habitat_interval_name(HABITAT_INTERVAL_FLOOR), "calibrated");
    check_case("an interval says whether it is calibrated, and on what");
    habitat_prediction_free(p);

    p = predicted(w, &d, HABITAT_METHOD_WAVE_LARGE);
    CHECK_NEAR(p->trace_kernels[0].ms, 0.020, 1e-12);
    CHECK_INT(p->trace_kernels[0].method, HABITAT_METHOD_WAVE_LARGE);
    habitat_prediction_free(p);
    p = predicted(w, &d, HABITAT_METHOD_BANDWIDTH);
    CHECK_NEAR(p->kernel_ms, 0.034, 1e-12);
    CHECK_NEAR(p->coverage[HABITAT_METHOD_BANDWIDTH], 1.0, 1e-12);
    habitat_prediction_free(p);
    p = predicted(w, &d, HABITAT_METHOD_FLOPS); /* kernels 10/8, the copy falls back */
    CHECK_NEAR(p->kernel_ms, 0.017 * 1.25, 1e-12);
    CHECK_NEAR(p->copy_ms, 0.006, 1e-12);
    habitat_prediction_free(p);
    check_case("wave-large, bandwidth and flops");
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

static void test_not_resident(void) {
    made_kernel big = three[0];
    big.shared_bytes = 230000;
    big.block = 128;
    habitat_gpu small = d;
    small.limits.shared_memory_per_sm_bytes = 167936;
    small.limits.shared_memory_per_block_bytes = 166912;
    habitat_trace *trace = made_trace(&big, 1, NULL, "", 0);
    habitat_workload *w = workload_of(trace);
    habitat_prediction *p = predicted(w, &small, HABITAT_METHOD_WAVE);
    CHECK_INT(p->trace_kernels[0].method, HABITAT_METHOD_FALLBACK);
    CHECK_NEAR(p->kernel_ms, 0.020, 1e-12);
    CHECK_NEAR(p->coverage[HABITAT_METHOD_FALLBACK], 1.0, 1e-12);
    habitat_prediction_free(p);
    p = predicted(w, &d, HABITAT_METHOD_WAVE);
    CHECK_INT(p->trace_kernels[0].method, HABITAT_METHOD_WAVE);
    habitat_prediction_free(p);
    check_case("a block that cannot be resident takes the fallback");
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

static void test_same(void) {
    habitat_trace *trace = made_trace(three, 3, NULL, "", 0);
    habitat_workload *w = workload_of(trace);
    const habitat_workload_info *info = habitat_workload_get_info(w);
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++) {
        if (!habitat_method_askable((habitat_method)m))
            continue;
        habitat_prediction *p = predicted(w, &o, (habitat_method)m);
        CHECK(p->kernel_ms == info->kernel_ms && p->iteration_ms == info->busy_ms);
        CHECK(p->trace_kernels[1].ms == 0.003 && p->trace_kernels[1].method == HABITAT_METHOD_SAME);
        CHECK(p->busy_ms == info->busy_ms);
        CHECK_NEAR(p->low_ms, 0.020 / 1.03, 1e-12); /* equal GPUs differ by 0.4 to 4 % */
        CHECK_NEAR(p->high_ms, 0.020 * 1.03, 1e-12);
        CHECK_NEAR(p->coverage[HABITAT_METHOD_SAME], 1.0, 0);
        CHECK_INT(p->bound_by, info->bound_by);
        habitat_prediction_free(p);
    }
    check_case("the origin gives the measurement back, whatever the method");
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

static void test_overlap(void) {
    /* two streams: A 0..10 us, B 4..8 us inside it, C 20..25 alone.
     * union 15 us; all twice as slow: of A and B while both run, the first counts */
    const made_kernel list[] = {
        {"a", NULL, 100000, 10000, 7, 400, 1024, 32, 0, 0, NULL, NULL, false, 0},
        {"b", NULL, 104000, 4000, 8, 400, 1024, 32, 0, 0, NULL, NULL, false, 0},
        {"c", NULL, 120000, 5000, 7, 400, 1024, 32, 0, 0, NULL, NULL, false, 0},
    };
    habitat_trace *trace = made_trace(list, 3, NULL, "", 0);
    habitat_workload *w = workload_of(trace);
    CHECK(habitat_workload_get_info(w)->busy_ms == 0.015);
    CHECK(habitat_workload_get_info(w)->kernel_ms == 0.019);
    habitat_prediction *p = predicted(w, &d, HABITAT_METHOD_BANDWIDTH);
    CHECK_NEAR(p->kernel_ms, 0.038, 1e-12);
    CHECK_NEAR(p->iteration_ms, 0.030, 1e-12);
    CHECK_NEAR(p->trace_kernels[0].busy_ms, 0.020, 1e-12);
    CHECK_NEAR(p->trace_kernels[1].busy_ms, 0, 1e-12);
    CHECK(p->trace_kernels[2].busy_ms == p->trace_kernels[2].ms);
    check_case("overlapping kernels count once in the busy time");
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

/* A recording of 20 us busy with this object. */
static habitat_workload *recorded(const char *habitat, habitat_trace **trace) {
    *trace = made_trace(three, 3, NULL, habitat, 0);
    return workload_of(*trace);
}

static void test_samples(void) {
    habitat_trace *trace = NULL;
    habitat_workload *w = recorded("\"habitat\": {\"schema\": 1, \"iteration_ms\": 0.025, "
                                   "\"batch_size\": 4},",
                                   &trace);
    habitat_prediction *p = predicted(w, &o, HABITAT_METHOD_WAVE);
    CHECK_NEAR(p->samples_per_s, 4 / 25e-6, 1e-12); /* not 4 / 20 us: the iteration took 25 */
    habitat_prediction_free(p);
    p = predicted(w, &d, HABITAT_METHOD_WAVE); /* busy 40 us; what the CPU needs is unknown */
    CHECK(isnan(p->samples_per_s));
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("a CPU-bound recording: samples per second of its own iteration, of no other");

    w = recorded("\"habitat\": {\"schema\": 1, \"iteration_ms\": 0.022, \"batch_size\": 4},",
                 &trace);
    CHECK_INT(habitat_workload_get_info(w)->bound_by, HABITAT_BY_GPU); /* not over 110 % */
    p = predicted(w, &d, HABITAT_METHOD_WAVE);
    CHECK_NEAR(p->samples_per_s, 4 / 40e-6, 1e-12);
    habitat_prediction_free(p);
    p = predicted(w, &o, HABITAT_METHOD_WAVE);
    CHECK_NEAR(p->samples_per_s, 4 / 22e-6, 1e-12);
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("a GPU-bound one: batch over busy time, and over the recorded time on the origin");

    w = recorded("\"habitat\": {\"schema\": 1, \"iteration_ms\": 0.022},", &trace);
    p = predicted(w, &o, HABITAT_METHOD_WAVE);
    CHECK(isnan(p->samples_per_s));
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("no batch size, no samples per second");
}

/* Interval of the origin over its busy time, for these recorded times around 20 us. */
static void origin_interval(const char *times, double *low, double *high) {
    char text[256];
    habitat_trace *trace = NULL;
    snprintf(text, sizeof text,
             "\"habitat\": {\"schema\": 1, \"iteration_ms\": 0.020, \"iteration_ms_all\": [%s]},",
             times);
    habitat_workload *w = recorded(text, &trace);
    habitat_prediction *p = predicted(w, &o, HABITAT_METHOD_AUTO);
    *low = p->low_ms / p->iteration_ms;
    *high = p->high_ms / p->iteration_ms;
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

static void test_origin_interval(void) {
    double low = 0, high = 0;
    /* ten steps of eleven: the second and the tenth of the sorted times */
    origin_interval("0.020, 0.018, 0.017, 0.019, 0.020, 0.020, 0.021, 0.022, 0.025, 0.030, 0.024",
                    &low, &high);
    CHECK_NEAR(low, 0.9, 1e-12);
    CHECK_NEAR(high, 1.25, 1e-12);
    origin_interval("0.020, 0.020, 0.021", &low, &high); /* 0.0208 is 4 % more */
    CHECK_NEAR(low, 1 / 1.03, 1e-12);
    CHECK_NEAR(high, 1.04, 1e-12);
    origin_interval("0.020", &low, &high);
    CHECK_NEAR(low, 1 / 1.03, 1e-12);
    CHECK_NEAR(high, 1.03, 1e-12);
    check_case("the origin's interval is the spread of its iterations, and never below 3 %");
}

static void test_iterations(void) {
    made_kernel list[4];
    for (int i = 0; i < 4; i++)
        list[i] = three[i % 2 ? 2 : 0];
    for (uint32_t i = 0; i < 4; i++) {
        list[i].start_ns = 100000 + 50000 * i;
        list[i].iteration = i / 2;
    }
    list[3].duration_ns = 9000; /* the iterations differ: 17 and 19 us */
    habitat_trace *trace = made_trace(list, 4, NULL, "", 2);
    habitat_workload *w = workload_of(trace);
    const habitat_workload_info *info = habitat_workload_get_info(w);
    CHECK_INT(info->iteration_count, 2);
    CHECK_INT(info->trace_kernel_count, 4);
    CHECK(info->kernel_ms == 0.018);
    habitat_prediction *p = predicted(w, &d, HABITAT_METHOD_BANDWIDTH);
    CHECK_NEAR(p->kernel_ms, 0.036, 1e-12);
    CHECK_INT(p->iteration_count, 2);
    CHECK_NEAR(p->trace_kernels[3].ms, 0.018, 1e-12);
    CHECK_NEAR(p->by_class[0].ms, 0.036, 1e-12);
    check_case("an iteration is the average of the recorded ones");
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

static bool warned(const habitat_workload *w, const char *part) {
    size_t count = 0;
    const char *const *list = habitat_workload_warnings(w, &count);
    for (size_t i = 0; i < count; i++)
        if (strstr(list[i], part))
            return true;
    return false;
}

static void test_recorded(void) {
    /* busy 20 us; measured 25 us without the profiler: the GPU waits 20 %, its CPU binds */
    habitat_trace *trace = made_trace(
        three, 3, NULL,
        "\"habitat\": {\"schema\": 1, \"iteration_ms\": 0.025, \"iteration_ms_all\": [0.025], "
        "\"batch_size\": 4, \"peak_memory_bytes\": 14000000000},",
        0);
    habitat_workload *w = workload_of(trace);
    const habitat_workload_info *info = habitat_workload_get_info(w);
    CHECK(info->iteration_recorded && info->iteration_ms == 0.025);
    CHECK_NEAR(info->waiting_share, 0.2, 1e-12);
    CHECK_INT(info->bound_by, HABITAT_BY_CPU);
    CHECK(warned(w, "the GPU waited 20 %"));
    CHECK(!warned(w, "no unprofiled iteration time"));
    CHECK(!warned(w, "default width")); /* it goes with predictions */
    check_case("a CPU-bound origin is told from its unprofiled time, and warned about");

    habitat_prediction *p = predicted(w, &d, HABITAT_METHOD_BANDWIDTH); /* busy 40 us > 25 */
    CHECK_INT(p->bound_by, HABITAT_BY_GPU);
    CHECK_NEAR(p->memory_bytes, 14e9, 0);
    CHECK_INT(p->fits, 1); /* 14 GB and 1 GB reserved in 16 GB */
    habitat_prediction_free(p);
    habitat_gpu fast = d;
    fast.name = "fast";
    fast.memory_bandwidth_bytes_per_s = 2000e9;
    fast.memory_bytes = 14.5e9;
    p = predicted(w, &fast, HABITAT_METHOD_BANDWIDTH); /* busy 10 us < 25 */
    CHECK_INT(p->bound_by, HABITAT_BY_CPU);
    CHECK_INT(p->fits, 0);
    habitat_prediction_free(p);
    fast.memory_bandwidth_bytes_per_s = 900e9; /* busy 22.2 us: 25 is 12.5 % more */
    p = predicted(w, &fast, HABITAT_METHOD_BANDWIDTH);
    CHECK_INT(p->bound_by, HABITAT_BY_CPU);
    habitat_prediction_free(p);
    fast.memory_bandwidth_bytes_per_s = 850e9; /* busy 23.5 us: 6 % more */
    p = predicted(w, &fast, HABITAT_METHOD_BANDWIDTH);
    CHECK_INT(p->bound_by, HABITAT_BY_GPU);
    habitat_prediction_free(p);
    check_case("what binds the destination, and whether it fits");
    habitat_workload_free(w);
    habitat_trace_free(trace);

    trace = made_trace(three, 3, NULL, "\"habitat\": {\"iteration_spread\": 0.1},", 0);
    w = workload_of(trace);
    CHECK(!warned(w, "the time of an iteration moved"));
    habitat_workload_free(w);
    habitat_trace_free(trace);
    trace = made_trace(three, 3, NULL, "\"habitat\": {\"iteration_spread\": 0.618},", 0);
    w = workload_of(trace);
    CHECK_NEAR(habitat_trace_get_info(trace)->iteration_spread, 0.618, 0);
    CHECK(warned(w, "the time of an iteration moved by 62 % while it was recorded"));
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("times that moved by more than 10 % while recorded are warned of");

    trace = made_trace(three, 3, NULL, "", 0);
    w = workload_of(trace);
    p = predicted(w, &d, HABITAT_METHOD_BANDWIDTH);
    CHECK(isnan(p->memory_bytes) && isnan(habitat_trace_get_info(trace)->iteration_spread));
    CHECK(isnan(habitat_trace_get_info(trace)->cpu_ms));
    CHECK_INT(p->fits, -1);
    CHECK(warned(w, "no unprofiled iteration time"));
    CHECK(warned(w, "names no operations"));
    check_case("what was not recorded is unknown");
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

static void test_shares(void) {
    /* mm (64, 32) x (32, 16): 2 x 64 x 32 x 16 = 65536 flop; 4 x (2048 + 512 + 1024) = 14336 bytes.
     * Two kernels of it: the product gets both, the split-K sum computes nothing. */
    const made_kernel list[] = {
        {"ampere_sgemm_32x32_nn", NULL, 100000, 6000, 7, 400, 256, 32, 0, 0, "aten::mm",
         "[[64, 32], [32, 16]]", false, 0},
        {"splitKreduce_kernel", NULL, 110000, 2000, 7, 400, 256, 32, 0, 0, NULL, NULL, true, 0},
        {"Memset (Device)", "gpu_memset", 120000, 1000, 7, 0, 0, 0, 0, 4096, NULL, NULL, false, 0},
    };
    habitat_trace *trace = made_trace(list, 3, NULL, "", 0);
    habitat_workload *w = workload_of(trace);
    size_t count = 0, groups = 0, index_count = 0;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(w, &count);
    const habitat_workload_group *group = habitat_workload_groups(w, &groups);
    const uint32_t *index = habitat_workload_group_index(w, &index_count);
    CHECK_INT(groups, 2);
    CHECK_INT(index_count, 3);
    CHECK_TEXT(group[0].operation->form->name, "aten::mm");
    CHECK_INT(group[0].kernel_count, 2);
    CHECK_INT(index[group[0].first_kernel + 1], 1);
    CHECK_NEAR(group[0].origin_ms, 0.008, 1e-12);
    CHECK_INT(kernels[0].op_class, HABITAT_CLASS_GEMM);
    CHECK(kernels[0].main && kernels[0].varying && !kernels[1].main);
    CHECK_NEAR(kernels[0].facts.flop, 65536, 0);
    CHECK_NEAR(kernels[0].facts.bytes, 14336, 0);
    CHECK_NEAR(kernels[1].facts.flop, 0, 0);
    CHECK(isnan(kernels[1].facts.bytes));
    CHECK_NEAR(kernels[2].facts.bytes, 4096, 0);
    CHECK(group[1].operation == NULL);
    check_case("an operation's arithmetic goes to its product, its helpers move data");
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

/* Helpers whose names hold the name of what they help: cuDNN's for gradients of weights, CUTLASS's
 * sum of parts, what PyTorch prepares for products by group, and a recurrent layer's beginning. */
static void test_named_helpers(void) {
    static const char *const helpers[] = {
        "cask_plugin__5x_cudnn::init_device_workspace_kernel<implicit_gemm::wgrad_indexed::x>(x)",
        "void cudnn::cnn::reduce_wgrad_nchw_helper<float>(x)",
        "void cutlass::Kernel<cutlass::reduction::kernel::ReduceSplitK<x> >(x)",
        "void at::cuda::detail::prepare_grouped_gemm_data<cutlass::bfloat16_t>(x)",
        "RNN_init_4x4(uint2*, int, unsigned int)",
        "void persistRNN_init_negMax<float>(x)",
    };
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++) {
        const made_kernel list[] = {
            {"ampere_sgemm_32x32_nn", NULL, 100000, 2000, 7, 400, 256, 32, 0, 0, "aten::mm",
             "[[64, 32], [32, 16]]", false, 0},
            {helpers[i], NULL, 110000, 6000, 7, 400, 256, 32, 0, 0, NULL, NULL, true, 0},
        };
        habitat_trace *trace = made_trace(list, 2, NULL, "", 0);
        habitat_workload *w = workload_of(trace);
        size_t count = 0;
        const habitat_workload_kernel *kernels = habitat_workload_kernels(w, &count);
        CHECK(kernels[0].main && !kernels[1].main);
        CHECK_NEAR(kernels[0].facts.flop, 65536, 0);
        CHECK_NEAR(kernels[1].facts.flop, 0, 0);
        habitat_workload_free(w);
        habitat_trace_free(trace);
    }
    check_case("a helper named after what it helps computes nothing");
}

static void test_unknown_work(void) {
    /* Nobody counted this product's work, but its name says what it is: roofline 10/8. The second
     * kernel is bound by memory: 2. auto: of 10 us 2.2 are floor. The rest, 7.8 us, comes to its
     * pace in 2.5 floors: 7.8 x 7.8 / (7.8 + 5.5) = 4.5744 us of work, of which the product does
     * 95 %: 4.34571 us at the roof. On d they are 10/8 as long, what is left (3.45429 us) goes with
     * SMs times clock, half on d by the blocks' room, and the floor is 1.1 us.
     *
     * The second reads and writes in order: 95 % again. Repeated, (b - 2.04 MB) / 0.45 of b bytes
     * would miss its cache of 4 MB, at 800 GB/s, and the rest take 1/3800 GB/s; a step has 0.59 of
     * that time and 0.41 of b / 800 GB/s: b = 3.560923 MB, 3.379829 MB of them missing. On d, at
     * 400 GB/s and 3800: 0.59 x 8.497228 + 0.41 x 8.902307 = 8.663311 us. */
    const made_kernel list[] = {
        {"ampere_sgemm_128x64_nn", NULL, 100000, 10000, 7, 400, 256, 32, 0, 0, NULL, NULL, false,
         0},
        {"vectorized_elementwise_kernel", NULL, 120000, 10000, 7, 400, 256, 32, 0, 0, NULL, NULL,
         false, 0},
    };
    habitat_trace *trace = made_trace(list, 2, NULL, "", 0);
    habitat_workload *w = workload_of(trace);
    habitat_prediction *p = predicted(w, &d, HABITAT_METHOD_ROOFLINE);
    CHECK_NEAR(p->trace_kernels[0].ms, 0.0125, 1e-12);
    CHECK_NEAR(p->trace_kernels[1].ms, 0.020, 1e-12);
    habitat_prediction_free(p);
    p = predicted(w, &d, HABITAT_METHOD_AUTO);
    CHECK_NEAR(p->trace_kernels[0].ms, 1e-3 * (1.1 + 4.345714 * 1.25 + 3.454286 / 2), 1e-6);
    CHECK_NEAR(p->trace_kernels[1].ms, 1e-3 * (1.1 + 8.663311 + 3.454286 / 2), 2e-6);
    habitat_prediction_free(p);
    check_case("of unknown work name, grid and time say how much of it was work");
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

/* An optimiser's kernel beside them makes other kernels those of a training step. */
static const made_kernel optimiser = {
    "multi_tensor_apply_kernel", NULL, 130000, 2000, 7, 400, 256, 32, 0, 0,
    "aten::_foreach_add_",       "[]", false,  0};

static void test_few_blocks(void) {
    /* The product of test_auto() in 70 blocks, d's limits unknown (as AMD's are): one block keeps a
     * multiprocessor busy on both. 70 of o's 100 SMs are, all 50 of d, which have twice the clock:
     * what the product takes beyond its roofline becomes 70 / 100 of it. */
    const made_kernel list[] = {{"ampere_sgemm_32x32_nn", NULL, 100000, 6000, 7, 70, 256, 32, 0, 0,
                                 "aten::mm", "[[64, 32], [32, 16]]", false, 0},
                                optimiser};
    habitat_gpu unknown = d;
    unknown.limits = (habitat_sm_limits){0};
    habitat_trace *trace = made_trace(list, 2, NULL, "", 0);
    habitat_workload *w = workload_of(trace);
    habitat_prediction *p = predicted(w, &unknown, HABITAT_METHOD_AUTO);
    CHECK_NEAR(p->trace_kernels[0].ms, 1e-3 * (1.1 + 0.01692025263 + (3.8 - 0.00957305263) * 0.7),
               1e-11);
    habitat_prediction_free(p);
    check_case("auto: few blocks leave multiprocessors idle, on GPUs of unknown limits, too");

    /* Room for one block on each of d's multiprocessors, for eight on o's, which had one each: they
     * were no slower for that. */
    habitat_gpu narrow = d;
    narrow.limits.threads_per_sm = 256;
    p = predicted(w, &narrow, HABITAT_METHOD_AUTO);
    CHECK_NEAR(p->trace_kernels[0].ms, 1e-3 * (1.1 + 0.01692025263 + (3.8 - 0.00957305263) * 0.7),
               1e-11);
    habitat_prediction_free(p);
    check_case("auto: a block is no faster where fewer of them fit");
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

static void test_forward_alone(void) {
    /* A relu of 128 x 1024: 1048576 bytes, which fit the L2 caches: 275.941 ns from there, 1310.72
     * ns from o's memory, 2621.44 from d's. A forward pass has 0.88 of the first: M_o = 400.115 ns,
     * M_d = 557.401. A training step has 0.59: 700.200 and 1237.596. T_d = 1.1 + M_d + (3.8 - M_o)
     * / 2 us. A kernel whose operation nobody recorded does not say which it is of: training. */
    const made_kernel list[] = {{"vectorized_elementwise_kernel", NULL, 100000, 6000, 7, 400, 256,
                                 32, 0, 0, "aten::relu", "[[128, 1024]]", false, 0},
                                optimiser};
    const double expected_ms[] = {3.35734367e-3, 3.88749541e-3};
    for (size_t count = 1; count <= 2; count++) {
        habitat_trace *trace = made_trace(list, count, NULL, "", 0);
        habitat_workload *w = workload_of(trace);
        habitat_prediction *p = predicted(w, &d, HABITAT_METHOD_AUTO);
        CHECK_NEAR(p->trace_kernels[0].ms, expected_ms[count - 1], 1e-8);
        habitat_prediction_free(p);
        habitat_workload_free(w);
        habitat_trace_free(trace);
    }
    check_case("auto: a forward pass alone finds more in the cache than a training step");
}

static void test_auto(void) {
    /* Nothing is known of the first kernel: floor 2200 cycles, 2.2 us on o and 1.1 on d; the rest,
     * 7.8 us, do 70 % of 4.5744 us at the roof: 2.977932 MB as in test_unknown_work(), of which
     * 2.084293 would miss: 0.59 x 5.445900 + 0.41 x 7.444830 = 6.265461 us on d; the other 4.597895
     * us as long on d: 50 SMs of 2 GHz. */
    habitat_trace *trace = made_trace(three, 1, NULL, "", 0);
    habitat_workload *w = workload_of(trace);
    habitat_prediction *p = predicted(w, &d, HABITAT_METHOD_AUTO);
    CHECK_NEAR(p->kernel_ms, 1e-3 * (1.1 + 6.265461 + 4.597895), 3e-6);
    CHECK_INT(p->trace_kernels[0].method, HABITAT_METHOD_ROOFLINE);
    check_case(
        "auto: floor by clock, usual work by sustained bandwidth, the rest by SMs and clock");
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);

    /* mm (64, 32) x (32, 16) of test_shares(), 65536 flop and 14336 bytes, which fit the L2 caches:
     * from which 14336 / (38 x 100 SMs x 1 GHz) = 3.773 ns; from memory 17.92 ns on o, 35.84 on d.
     * Of the first a step has 0.59, of the second 0.41: M_o = 9.573 ns, more than the 8.192 of
     * arithmetic at 8 T, and M_d = 16.920 (10.24). Beyond the floor of 2.2 us are 3.8 us of the
     * product and nothing of its helper. What the product takes beyond M_o goes with SMs times
     * clock, half on d: 1.1 + M_d + (3.8 - M_o) / 2 us; helper 2.0 us x 1/2 by clock. Names say
     * nothing. */
    const made_kernel list[] = {
        {"ampere_sgemm_32x32_nn", NULL, 100000, 6000, 7, 400, 256, 32, 0, 0, "aten::mm",
         "[[64, 32], [32, 16]]", false, 0},
        {"splitKreduce_kernel", NULL, 110000, 2000, 7, 400, 256, 32, 0, 0, NULL, NULL, true, 0},
        optimiser,
    };
    trace = made_trace(list, 3, NULL, "", 0);
    w = workload_of(trace);
    p = predicted(w, &d, HABITAT_METHOD_AUTO);
    const double expected_ms = 1e-3 * (1.1 + 0.01692025263 + (3.8 - 0.00957305263) / 2);
    CHECK_NEAR(p->trace_kernels[0].ms, expected_ms, 1e-11);
    CHECK_NEAR(p->trace_kernels[1].ms, 0.001, 1e-12);
    habitat_prediction_free(p);
    habitat_gpu alike = d;
    alike.architecture = "o";
    p = predicted(w, &alike, HABITAT_METHOD_AUTO);
    CHECK_NEAR(p->trace_kernels[0].ms, expected_ms, 1e-11);
    habitat_prediction_free(p);
    /* Twice the bandwidth is next to nothing to what is far from it: its arithmetic, 10.24 ns,
     * takes the place of 16.920 ns of memory. */
    habitat_gpu other = d;
    other.memory_bandwidth_bytes_per_s *= 2;
    other.sustained_bandwidth_bytes_per_s *= 2;
    p = predicted(w, &other, HABITAT_METHOD_AUTO);
    CHECK_NEAR(p->trace_kernels[0].ms, 1e-3 * (1.1 + 0.01024 + (3.8 - 0.00957305263) / 2), 1e-11);
    habitat_prediction_free(p);
    check_case("auto: what a kernel takes beyond its roofline goes with clock and SMs");
    habitat_workload_free(w);
    habitat_trace_free(trace);

    /* The same product on o's matrix units in TF32: less arithmetic, M_o = 9.573 ns of memory
     * still. d has no such units and computes at its plain rate in 10.24 ns, which counts beside
     * twice its bandwidth. */
    made_kernel tf32[] = {list[0], optimiser};
    tf32[0].name = "cutlass_80_tensorop_s1688gemm_64x64_32x3_nn_align4";
    o.peak.matrix_flop_per_s[HABITAT_DTYPE_TF32] = 80e12;
    trace = made_trace(tf32, 2, NULL, "", 0);
    w = workload_of(trace);
    p = predicted(w, &other, HABITAT_METHOD_AUTO);
    CHECK_NEAR(p->trace_kernels[0].ms, 1e-3 * (1.1 + 0.01024 + (3.8 - 0.00957305263) / 2), 1e-11);
    check_case("auto: a destination without the unit computes on the one it has");
    o.peak.matrix_flop_per_s[HABITAT_DTYPE_TF32] = NAN;
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

/* An operation on a CPU thread, and a kernel with its launch, as members of traceEvents. */
#define OP(name, tid, ts, dur, args)                                                               \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"" name "\",\"pid\":1,\"tid\":" tid ",\"ts\":" ts  \
    ",\"dur\":" dur ",\"args\":{" args "}},"
#define KERNEL(name, tid, launch, correlation, ts, dur)                                            \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":" tid  \
    ",\"ts\":" launch ",\"dur\":0.5,\"args\":{\"correlation\":" correlation "}},"                  \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts        \
    ",\"dur\":" dur ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" correlation            \
    ",\"grid\":[64,1,1],\"block\":[128,1,1],\"registers per thread\":32,\"shared memory\":0}},"
#define TRACE(events)                                                                              \
    "{\"deviceProperties\":[{\"id\":0,\"name\":\"made\"}],\"traceEvents\":[" events                \
    "{\"ph\":\"M\",\"name\":\"x\",\"pid\":1}]}"
#define SHAPES "\"Input type\":[\"float\",\"float\"],\"Input Dims\":[[64,32],[32,16]]"

#define LINEAR_SHAPES "\"Input type\":[\"float\",\"float\"],\"Input Dims\":[[64,32],[16,32]]"

static habitat_workload *workload_of_text(const char *text, habitat_trace **trace) {
    habitat_error err = {0};
    *trace = NULL;
    if (habitat_trace_read_memory(text, strlen(text), "made", trace, &err) != HABITAT_OK)
        printf("# does not read: %s\n", err.message);
    return workload_of(*trace);
}

/* A range of the user, and a kernel out of a CUDA graph: its launch is that of the graph. */
#define RANGE(name, tid, ts, dur)                                                                  \
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"" name "\",\"pid\":1,\"tid\":" tid       \
    ",\"ts\":" ts ",\"dur\":" dur "},"
#define GRAPH_LAUNCH(tid, ts, correlation)                                                         \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaGraphLaunch\",\"pid\":1,\"tid\":" tid   \
    ",\"ts\":" ts ",\"dur\":0.5,\"args\":{\"correlation\":" correlation "}},"
#define GRAPH_KERNEL(name, correlation, ts, dur)                                                   \
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"pid\":0,\"tid\":7,\"ts\":" ts        \
    ",\"dur\":" dur ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" correlation            \
    ",\"grid\":[64,1,1],\"block\":[128,1,1],\"registers per thread\":32,\"shared memory\":0}},"

/* Each kernel's class, in the order of their start, and that it is a group of its own without
 * counted work. */
static void check_alone(const char *text, size_t expected, const habitat_class *classes) {
    habitat_trace *trace = NULL;
    size_t count = 0, groups = 0;
    habitat_workload *w = workload_of_text(text, &trace);
    const habitat_workload_kernel *kernels = habitat_workload_kernels(w, &count);
    const habitat_workload_group *group = habitat_workload_groups(w, &groups);
    CHECK_INT(count, expected);
    CHECK_INT(groups, expected);
    for (size_t i = 0; i < count; i++) {
        CHECK_TEXT(habitat_class_name(kernels[i].op_class), habitat_class_name(classes[i]));
        CHECK(!group[kernels[i].group].work->known && !group[kernels[i].group].operation);
    }
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

static void test_containers(void) {
    check_alone(TRACE(OP("Torch-Compiled Region: 0/0", "1", "10", "30", "") RANGE(
                    "## Call CompiledFxGraph abc ##", "1", "11", "28") GRAPH_LAUNCH("1", "12", "1")
                          GRAPH_KERNEL("nvjet_sm90_tst_128x64_64x4_TNT", "1", "100", "5")
                              GRAPH_KERNEL("flash_fwd_kernel<x>", "1", "110", "5")
                                  GRAPH_KERNEL("cublasLt::splitKreduce_kernel<1>", "1", "120", "5")
                                      GRAPH_KERNEL("triton_poi_fused_addmm_1", "1", "130", "5")),
                4,
                (const habitat_class[]){HABITAT_CLASS_GEMM, HABITAT_CLASS_ATTENTION,
                                        HABITAT_CLASS_GEMM, HABITAT_CLASS_ELEMENTWISE});
    check_case("kernels of a graph in a compiled region go by their own names");

    /* an operation with shapes around the launch of a graph did not launch the graph's kernels */
    check_alone(TRACE(OP("aten::mm", "1", "10", "30", SHAPES) GRAPH_LAUNCH("1", "12", "1")
                          GRAPH_KERNEL("softmax_warp_forward", "1", "100", "5")),
                1, (const habitat_class[]){HABITAT_CLASS_SOFTMAX});
    check_case("what is around the launch of a graph says nothing of its kernels");

    check_alone(
        TRACE(OP("CompiledFunction", "1", "10", "20", "\"Sequence number\":7")
                  KERNEL("triton_poi_fused_relu_0", "1", "11", "1", "100", "5")
                      OP("autograd::engine::evaluate_function: CompiledFunctionBackward", "2",
                         "200", "40", "\"Sequence number\":7,\"Fwd thread id\":1")
                          OP("CompiledFunctionBackward", "2", "201", "38",
                             "\"Sequence number\":7,\"Fwd thread id\":1")
                              KERNEL("triton_red_fused_native_layer_norm_backward_3", "2", "205",
                                     "2", "300", "5")
                                  KERNEL("triton_tem_fused_mm_4", "2", "210", "3", "310", "5")),
        3,
        (const habitat_class[]){HABITAT_CLASS_ELEMENTWISE, HABITAT_CLASS_NORM, HABITAT_CLASS_GEMM});
    check_case("backward kernels of compiled functions go by their own names");

    check_alone(TRACE(RANGE("step", "1", "5", "90") RANGE("ProfilerStep#5", "1", "4", "92")
                          KERNEL("embedding_kernel", "1", "11", "1", "100",
                                 "5") KERNEL("ampere_sgemm_128x64_nn", "1", "13", "2", "110", "5")
                              KERNEL("vectorized_elementwise_kernel", "1", "15", "3", "120", "5")),
                3,
                (const habitat_class[]){HABITAT_CLASS_EMBEDDING, HABITAT_CLASS_GEMM,
                                        HABITAT_CLASS_ELEMENTWISE});
    check_case("a range gives its kernels no class");
}

/* The same gemm and attention, alone and in a graph of a compiled region: roofline 10/8. */
static void test_graph_times(void) {
    static const char *const texts[] = {
        TRACE(KERNEL("ampere_sgemm_128x64_nn", "1", "11", "1", "100", "10")
                  KERNEL("fmha_cutlassF_f32_aligned_64x64_rf_sm75", "1", "13", "2", "120", "10")),
        TRACE(OP("Torch-Compiled Region: 0/0", "1", "10", "30", "") GRAPH_LAUNCH("1", "12", "1")
                  GRAPH_KERNEL("ampere_sgemm_128x64_nn", "1", "100", "10")
                      GRAPH_KERNEL("fmha_cutlassF_f32_aligned_64x64_rf_sm75", "1", "120", "10"))};
    for (size_t i = 0; i < 2; i++) {
        habitat_trace *trace = NULL;
        habitat_workload *w = workload_of_text(texts[i], &trace);
        habitat_prediction *p = predicted(w, &d, HABITAT_METHOD_ROOFLINE);
        CHECK_NEAR(p->kernel_ms, 0.025, 1e-12);
        habitat_prediction_free(p);
        habitat_workload_free(w);
        habitat_trace_free(trace);
    }
    check_case("a product in a compiled region's graph scales by arithmetic");
}

/* An unknown call's kernels are told apart too, under its name; a helper among them moves data. */
static void test_unknown_call(void) {
    habitat_trace *trace = NULL;
    size_t count = 0, groups = 0;
    habitat_workload *w =
        workload_of_text(TRACE(OP("my::fused", "1", "10", "30", "") KERNEL("softmax_kernel", "1",
                                                                           "11", "1", "100", "10")
                                   KERNEL("ampere_sgemm_128x64_nn", "1", "13", "2", "120", "10")
                                       KERNEL("splitKreduce_kernel", "1", "15", "3", "140", "10")),
                         &trace);
    const habitat_workload_group *group = habitat_workload_groups(w, &groups);
    const habitat_workload_kernel *kernels = habitat_workload_kernels(w, &count);
    CHECK_INT(groups, 3);
    for (size_t i = 0; i < groups; i++)
        CHECK_TEXT(group[i].operation->form->name, "my::fused");
    CHECK_INT(kernels[0].op_class, HABITAT_CLASS_SOFTMAX);
    CHECK_INT(kernels[1].op_class, HABITAT_CLASS_GEMM);
    CHECK(kernels[1].main && !kernels[2].main);
    habitat_prediction *p = predicted(w, &d, HABITAT_METHOD_ROOFLINE);
    CHECK_NEAR(p->trace_kernels[0].ms, 0.020, 1e-12);
    CHECK_NEAR(p->trace_kernels[1].ms, 0.0125, 1e-12);
    CHECK_NEAR(p->trace_kernels[2].ms, 0.020, 1e-12);
    check_case("kernels of an unknown call keep the classes of their own names");
    habitat_prediction_free(p);
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

static void test_owners(void) {
    /* A kernel of an unknown operation goes to the product around it, which is known, and takes its
     * flop; when the product's own kernel took it already, how much is left is unknown. */
    habitat_trace *trace = NULL;
    size_t count = 0;
    habitat_workload *w = workload_of_text(
        TRACE(OP("aten::mm", "1", "10", "30", SHAPES) OP("my::inner", "1", "12", "10", "")
                  KERNEL("a_gemm", "1", "13", "1", "100", "5")),
        &trace);
    const habitat_workload_group *group = habitat_workload_groups(w, &count);
    CHECK_INT(count, 1);
    CHECK_TEXT(group[0].operation->form->name, "aten::mm");
    CHECK(group[0].work->known);
    CHECK_NEAR(habitat_workload_kernels(w, &count)[0].facts.flop, 65536, 0);
    habitat_workload_free(w);
    habitat_trace_free(trace);

    w = workload_of_text(
        TRACE(OP("aten::linear", "1", "10", "30", LINEAR_SHAPES) OP(
            "aten::mm", "1", "12", "5", SHAPES) KERNEL("a_gemm", "1", "13", "1", "100", "5")
                  OP("my::inner", "1", "20", "5", "") KERNEL("b_gemm", "1", "21", "2", "110", "5")),
        &trace);
    group = habitat_workload_groups(w, &count);
    const habitat_workload_kernel *kernels = habitat_workload_kernels(w, &count);
    CHECK_NEAR(kernels[0].facts.flop, 65536, 0);
    CHECK(isnan(kernels[1].facts.flop));
    CHECK(!group[kernels[1].group].work->known);
    CHECK_INT(kernels[1].op_class, HABITAT_CLASS_GEMM);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    check_case("work goes to the innermost operation that knows it, and is not given twice");

    /* a backward node without shapes: twice the forward operation's product */
    w = workload_of_text(TRACE(OP("aten::mm", "1", "10", "5", SHAPES ",\"Sequence number\":7")
                                   KERNEL("a_gemm", "1", "11", "1", "100", "5")
                                       OP("autograd::engine::evaluate_function: MmBackward0", "2",
                                          "200", "20", "\"Sequence number\":7,\"Fwd thread id\":1")
                                           KERNEL("b_gemm", "2", "205", "2", "300", "5")),
                         &trace);
    kernels = habitat_workload_kernels(w, &count);
    CHECK_INT(count, 2);
    CHECK_NEAR(kernels[1].facts.flop, 2 * 65536, 0);
    CHECK_INT(kernels[1].op_class, HABITAT_CLASS_GEMM);
    check_case("a backward node without shapes does what its forward operation says");
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

static void test_refusals(void) {
    habitat_trace *trace = made_trace(three, 3, NULL, "", 0);
    habitat_workload *w = workload_of(trace);
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_predict(w, &d, HABITAT_METHOD_FALLBACK, &p, &err), HABITAT_E_ARG);
    CHECK_INT(habitat_predict(NULL, &d, HABITAT_METHOD_WAVE, &p, &err), HABITAT_E_ARG);
    habitat_gpu unknown = d;
    unknown.name = "unknown";
    unknown.memory_bandwidth_bytes_per_s = NAN;
    CHECK_INT(habitat_predict(w, &unknown, HABITAT_METHOD_WAVE, &p, &err), HABITAT_E_NO_SPEC);
    CHECK(p == NULL);
    habitat_method method = HABITAT_METHOD_WAVE;
    CHECK_INT(habitat_method_from_name("wave-large", &method, &err), HABITAT_OK);
    CHECK_INT(method, HABITAT_METHOD_WAVE_LARGE);
    CHECK_INT(habitat_method_from_name("fallback", &method, &err), HABITAT_E_UNKNOWN_METHOD);
    CHECK(strstr(err.message, "wave-large") != NULL);
    CHECK_INT(method, HABITAT_METHOD_WAVE_LARGE);
    check_case("refusals name what there is and write nothing");
    habitat_workload_free(w);
    habitat_trace_free(trace);
}

static void test_operation(void) {
    habitat_gemm_shape shape = {.b = 1, .m = 4096, .n = 4096, .k = 4096};
    habitat_work work;
    habitat_estimate e = {0};
    habitat_error err = {0};
    CHECK_INT(habitat_work_gemm(&shape, HABITAT_DTYPE_FP32, &work), HABITAT_OK);
    /* 2 x 4096^3 = 137.4 Gflop at 8 TFLOP/s; 3 x 4096^2 x 4 = 201.3 MB at 500 GB/s */
    CHECK_INT(ask_operation(&work, &d, HABITAT_METHOD_FLOPS, &e, &err), HABITAT_OK);
    CHECK_NEAR(e.ms, 17.179869184, 1e-9);
    CHECK_INT(ask_operation(&work, &d, HABITAT_METHOD_BANDWIDTH, &e, &err), HABITAT_OK);
    CHECK_NEAR(e.ms, 0.402653184, 1e-9);
    CHECK_INT(ask_operation(&work, &d, HABITAT_METHOD_ROOFLINE, &e, &err), HABITAT_OK);
    CHECK_NEAR(e.ms, 17.179869184, 1e-9);
    CHECK_INT(e.bound, HABITAT_BOUND_COMPUTE);
    CHECK_INT(ask_operation(&work, &d, HABITAT_METHOD_AUTO, &e, &err), HABITAT_OK);
    CHECK(e.ms > 17.179869184 / 0.8 && e.low_ms < e.ms && e.ms < e.high_ms);
    CHECK_INT(ask_operation(&work, &d, HABITAT_METHOD_WAVE, &e, &err), HABITAT_E_UNSUPPORTED);
    CHECK(strstr(err.message, "measured") != NULL);
    work.known = false;
    CHECK_INT(ask_operation(&work, &d, HABITAT_METHOD_AUTO, &e, &err), HABITAT_E_UNSUPPORTED);
    check_case("one operation without a trace");
}

static void test_words(void) {
    habitat_error err = {0};
    habitat_assemble assemble = HABITAT_ASSEMBLE_USUAL;
    CHECK_TEXT(habitat_assemble_name(assemble), "replay"); /* as usual */
    CHECK_INT(habitat_assemble_from_name("both", &assemble, &err), HABITAT_E_ARG);
    CHECK_TEXT(err.message,
               "\"both\" is no way to put an iteration together; choose one of: sum, replay");
    CHECK_INT(assemble, HABITAT_ASSEMBLE_USUAL);
    CHECK_INT(habitat_assemble_from_name("sum", &assemble, &err), HABITAT_OK);
    CHECK_INT(assemble, HABITAT_ASSEMBLE_SUM);
    CHECK_TEXT(habitat_assemble_name(assemble), "sum");
    CHECK_TEXT(habitat_assemble_name((habitat_assemble)9), "unknown");
    check_case("ways to put an iteration together are words of one table");
}

int main(void) {
    o = made_gpu("o", 100, 1.0, 1000, 10);
    d = made_gpu("d", 50, 2.0, 500, 8);
    test_wave();
    test_not_resident();
    test_same();
    test_overlap();
    test_samples();
    test_origin_interval();
    test_iterations();
    test_recorded();
    test_shares();
    test_named_helpers();
    test_unknown_work();
    test_few_blocks();
    test_forward_alone();
    test_auto();
    test_containers();
    test_graph_times();
    test_unknown_call();
    test_owners();
    test_refusals();
    test_operation();
    test_words();
    return check_done();
}
