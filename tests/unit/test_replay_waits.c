/* Pauses of the CPU that are no work, worked by hand; see src/replay/pauses.c. Times in
 * microseconds. */
#include "replay/rule.h"
#include "replay_subject.h"

/* A loader's 40 ms, then a launch each 20 us: 60 us of work, 39.99 ms of waiting. */
static const char loader[] = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";
static const event loaded[] = {
    {'o', loader, 10, 39980, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 40000, 5, 1, 0, 1, NULL},
    {'c', "cudaLaunchKernel", 40020, 5, 1, 0, 2, NULL},
    {'k', "a", 40010, 100, 0, 7, 1, NULL},
    {'k', "b", 40111, 100, 0, 7, 2, NULL},
};
enum { STEP = 40040 };

static void test_loader(void) {
    char text[400];
    subject s = SUBJECT(loaded, STEP, "", 0);
    double work = s.info->cpu_ms - s.info->wait_ms;
    CHECK_NEAR(s.info->wait_ms, 39.98, 1e-9);
    CHECK_NEAR(s.info->profiled_cpu_ms, 40.04, 1e-9);
    CHECK(work > 0.0 && work <= 0.060); /* by rule, of the 60 us that are not waiting */
    CHECK_NEAR(run(&s, 1.0).iteration_ms, s.info->cpu_ms, 1e-9);
    CHECK_NEAR(run(&s, 1.0).gpu_ms, 0.2021, 1e-9); /* without the loader: 2 x 100, 1.1, 1 */
    CHECK_INT(run(&s, 1.0).bound_by, HABITAT_BY_CPU);
    CHECK(s.info->loader_waits);
    CHECK(habitat_replay_wait_note(s.r, text, sizeof text));
    CHECK_TEXT(text, "40 ms of an iteration the CPU waits for its data loader: taken as long as "
                     "that on every GPU and host, at every precision; what loads or makes data "
                     "grows with the batch");
    done(&s);
    check_case("a data loader's wait stays when the rule shortens the rest");
    s = SUBJECT(loaded, STEP, "", .cpu_scale = 4.0);
    CHECK_NEAR(s.info->cpu_ms, 39.98 + 4.0 * work, 1e-9);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 39.98 + 4.0 * work, 1e-9);
    done(&s);
    check_case("--cpu-scale leaves it");
}

static void test_recorded_wait(void) {
    char text[400];
    static const char whole[] = "\"habitat\": {\"iteration_ms\": 40.500},";
    static const char shorter[] = "\"habitat\": {\"iteration_ms\": 10.000},";
    static const char none[] = "\"habitat\": {\"iteration_ms\": 0.2021},";
    subject s = SUBJECT(loaded, STEP, whole, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RECORDED);
    CHECK_NEAR(s.info->wait_ms, 39.98, 1e-9);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 40.5, 1e-6);
    done(&s);
    check_case("a recorded time with room for the wait sets what is left");
    s = SUBJECT(loaded, STEP, shorter, 0);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 10.0, 1e-6);
    CHECK(s.info->wait_ms > 9.9 && s.info->wait_ms < 10.0);
    CHECK(habitat_replay_wait_note(s.r, text, sizeof text));
    CHECK(strstr(text, "ms of an iteration (40 ms under the profiler) the CPU waits") != NULL);
    done(&s);
    check_case("one without that room shortens the wait, and says so");
    s = SUBJECT(loaded, STEP, none, 0);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.2021, 1e-6);
    CHECK(s.info->wait_ms < 0.21);
    CHECK_INT(run(&s, 1.0).bound_by, HABITAT_BY_GPU);
    done(&s);
    check_case("to nothing where the GPU bound the recorded iteration");
}

/* 12 ms without a name between two operations; 8 ms before them; a wait for the GPU is none. */
static const event slept[] = {
    {'o', "aten::a", 8000, 10, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 8002, 5, 1, 0, 1, NULL},
    {'o', "aten::b", 20010, 20, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 20012, 5, 1, 0, 2, NULL},
    {'c', "cudaDeviceSynchronize", 20040, 30000, 1, 0, 3, NULL},
    {'k', "a", 8010, 100, 0, 7, 1, NULL},
    {'k', "b", 20020, 30000, 0, 7, 2, NULL},
};

static void test_without_name(void) {
    char text[400];
    subject s = SUBJECT(slept, 50050, "", 0);
    CHECK_NEAR(s.info->wait_ms, 12.0, 1e-9);
    CHECK(!s.info->loader_waits);
    CHECK(habitat_replay_wait_note(s.r, text, sizeof text));
    CHECK_TEXT(text, "12 ms of an iteration the CPU waits for something outside, in which no "
                     "operation and no call begins (data, a file, sleep): taken as long as that on "
                     "every GPU and host, at every batch size and precision");
    CHECK(!habitat_replay_once_note(s.r, text, sizeof text));
    CHECK_NEAR(run(&s, 1.0).iteration_ms, s.info->cpu_ms + 30.0, 0.1);
    done(&s);
    check_case("a pause without a name from 10 ms on, and no wait for the GPU");
}

/* The same beside a thread that writes a log all the while: it asks no GPU for anything. */
static void test_beside(void) {
    enum { STEPS = sizeof slept / sizeof *slept, LINES = 12 };
    event list[STEPS + LINES];
    memcpy(list, slept, sizeof slept);
    for (int i = 0; i < LINES; i++)
        list[STEPS + i] = (event){'o', "aten::line", 8020.0 + 1000.0 * i, 900, 2, 0, 0, NULL};
    subject alone = SUBJECT(slept, 50050, "", 0), beside = SUBJECT(list, 50050, "", 0);
    CHECK_NEAR(beside.info->wait_ms, 12.0, 1e-9);
    CHECK_NEAR(beside.info->cpu_ms, alone.info->cpu_ms, 1e-9);
    CHECK_NEAR(run(&beside, 2.0).iteration_ms, run(&alone, 2.0).iteration_ms, 1e-9);
    done(&alone);
    done(&beside);
    check_case("what a thread that asks no GPU does meanwhile ends no pause");
}

/* The other thread works while the first one waits for it. */
static const event handed[] = {
    {'o', "aten::a", 0, 10, 1, 0, 0, NULL},
    {'o', "autograd::x", 6000, 10, 2, 0, 0, NULL},
    {'o', "autograd::y", 13000, 10, 2, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 13002, 5, 2, 0, 1, NULL},
    {'c', "cudaDeviceSynchronize", 20000, 10, 1, 0, 3, NULL},
    {'k', "a", 13010, 100, 0, 7, 1, NULL},
};

/* Of 12.12 ms it works for 0.1, and both wait for something outside in 12. */
static void test_handed_beside_wait(void) {
    static const event list[] = {
        {'o', "aten::a", 0, 10, 1, 0, 0, NULL},
        {'c', "cudaLaunchKernel", 2, 5, 1, 0, 1, NULL},
        {'o', "autograd::x", 20, 40, 2, 0, 0, NULL},
        {'c', "cudaLaunchKernel", 22, 5, 2, 0, 2, NULL},
        {'o', "autograd::y", 12060, 60, 2, 0, 0, NULL},
        {'c', "cudaLaunchKernel", 12062, 5, 2, 0, 3, NULL},
        {'o', "aten::b", 12130, 10, 1, 0, 0, NULL},
        {'c', "cudaLaunchKernel", 12132, 5, 1, 0, 4, NULL},
        {'c', "cudaDeviceSynchronize", 12142, 4, 1, 0, 5, NULL},
        {'k', "a", 10, 5, 0, 7, 1, NULL},
        {'k', "x", 30, 5, 0, 7, 2, NULL},
        {'k', "y", 12070, 5, 0, 7, 3, NULL},
        {'k', "b", 12140, 5, 0, 7, 4, NULL},
    };
    subject s = SUBJECT(list, 12150, "", 0);
    CHECK_NEAR(s.info->wait_ms, 12.0, 1e-9);
    CHECK_INT(s.info->trace_handover_count, 2);
    done(&s);
    check_case("a wait for something outside is none for the other thread");
}

/* The first use of a GPU: a call of 30 ms, and a library that the first of two operations loads. */
static const event first[] = {
    {'o', "aten::to", 0, 30010, 1, 0, 0, NULL},
    {'c', "cudaFree", 5, 30000, 1, 0, 9, NULL},
    {'o', "aten::conv", 30100, 20050, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 50110, 5, 1, 0, 1, NULL},
    {'k', "a", 50120, 100, 0, 7, 1, NULL},
    {'o', "aten::conv", 50152, 8, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 50153, 5, 1, 0, 2, NULL},
    {'k', "a", 50221, 30, 0, 7, 2, NULL},
    {'c', "cudaDeviceSynchronize", 50160, 100, 1, 0, 3, NULL},
};

/* Two steps of 40.1 ms, in each a work of 20 ms in an operation that launches, and a call of 12. */
#define STEP_OF(n, at, work, block)                                                                \
    {'s', "ProfilerStep#" n, at, 40100, 1, 0, 0, NULL},                                            \
        {'o', "nms", at + 10, 20100, 1, 0, 0, NULL},                                               \
        {'c', "cudaLaunchKernel", at + 20, 5, 1, 0, 1 + at, NULL},                                 \
        {'k', "a", at + 30, 100, 0, 7, 1 + at, NULL},                                              \
        {'c', "cudaDeviceSynchronize", at + 40, 70, 1, 0, 2 + at, NULL},                           \
        {'o', work, at + 20120, 12100, 1, 0, 0, NULL},                                             \
        {'c', block, at + 20130, 12000, 1, 0, 3 + at, NULL},                                       \
        {'o', "aten::b", at + 40070, 10, 1, 0, 0, NULL},                                           \
        {'c', "cudaLaunchKernel", at + 40072, 5, 1, 0, 4 + at, NULL}, {                            \
        'k', "b", at + 40085, 10, 0, 7, 4 + at, NULL                                               \
    }
static const event twice[] = {
    STEP_OF("1", 0, "aten::pin_memory", "cudaHostAlloc"),
    STEP_OF("2", 40100, "aten::pin_memory", "cudaHostAlloc"),
};
static const event changing[] = {
    STEP_OF("1", 0, "aten::pin_memory", "cudaHostAlloc"),
    STEP_OF("2", 40100, "aten::empty", "cudaMalloc"),
};
static const event single[] = {STEP_OF("1", 0, "aten::empty", "cudaHostRegister")};
static const event single_first[] = {STEP_OF("1", 0, "aten::empty", "cuModuleLoadData")};

static void test_none(void) {
    subject s = SUBJECT(handed, 20020, "", 0);
    CHECK(s.info->wait_ms == 0.0);
    done(&s);
    check_case("threads together: what one of them does is no pause");
}

static void apply_all(const subject *s, const habitat_gpu *to, habitat_prediction **p) {
    habitat_error err = {0};
    CHECK_INT(habitat_predict(s->w, to, HABITAT_METHOD_WAVE, p, &err), HABITAT_OK);
    CHECK_INT(habitat_replay_apply(s->r, *p, &err), HABITAT_OK);
}

/* One iteration was seen, and its 12 ms may be of that one alone; a loader's come again. */
static void test_passing(void) {
    subject s = SUBJECT(slept, 50050, "", 0);
    habitat_prediction *p = NULL;
    apply_all(&s, &gpu, &p);
    CHECK(p->iteration_ms > 42.0);
    CHECK(p->low_ms < p->iteration_ms - 11.9 && p->low_ms > 20.0);
    CHECK_INT(p->interval_basis, HABITAT_INTERVAL_PASSING_WAIT);
    CHECK_TEXT(habitat_interval_name(p->interval_basis), "default");
    habitat_prediction_free(p);
    done(&s);
    s = SUBJECT(loaded, STEP, "", 0);
    apply_all(&s, &gpu, &p);
    CHECK(p->low_ms > 38.0);
    CHECK(p->interval_basis != HABITAT_INTERVAL_PASSING_WAIT);
    habitat_prediction_free(p);
    done(&s);
    static const char whole[] = "\"habitat\": {\"iteration_ms\": 42.600},";
    s = SUBJECT(slept, 50050, whole, 0);
    apply_all(&s, &gpu, &p);
    CHECK(p->low_ms > 40.0);
    habitat_prediction_free(p);
    done(&s);
    check_case("a wait that one iteration has and nothing names may be gone in the next");
}

/* As `slept`, with the gradient of one parameter. */
static const event slept_in_training[] = {
    {'o', "aten::a", 8000, 10, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 8002, 5, 1, 0, 1, NULL},
    {'o', "aten::b", 20010, 20, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 20012, 5, 1, 0, 2, NULL},
    {'o', "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", 20032, 2, 1, 0, 0,
     NULL},
    {'c', "cudaDeviceSynchronize", 20040, 30000, 1, 0, 3, NULL},
    {'k', "a", 8010, 100, 0, 7, 1, NULL},
    {'k', "b", 20020, 30000, 0, 7, 2, NULL},
};

static void test_passing_on_several(void) {
    static const char sizes[] =
        "\"habitat\": {\"memory\": {\"parameter_sizes\": {\"float32\": [250000]}}},";
    subject s = SUBJECT(slept_in_training, 50050, sizes, 0);
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    gpu.nvlink_bytes_per_s = 200e9;
    CHECK_INT(habitat_predict(s.w, &gpu, HABITAT_METHOD_BANDWIDTH, &p, &err), HABITAT_OK);
    CHECK_INT(habitat_replay_apply_parallel(s.r, 2, p, &err), HABITAT_OK);
    CHECK(p->iteration_ms > 42.0);
    CHECK(p->low_ms < p->iteration_ms - 11.9 && p->low_ms > 20.0);
    CHECK_INT(p->interval_basis, HABITAT_INTERVAL_PASSING_WAIT);
    habitat_prediction_free(p);
    done(&s);
    gpu.nvlink_bytes_per_s = NAN;
    check_case("nor need several GPUs wait so");
}

static void test_once(void) {
    char text[400];
    subject s = SUBJECT(first, 50300, "", 0);
    CHECK_NEAR(s.info->trace_once_ms, 30.0 + 20.01, 1e-9);
    CHECK(s.info->wait_ms == 0.0);
    CHECK(s.info->profiled_cpu_ms > 0.15 && s.info->profiled_cpu_ms < 0.30);
    CHECK(habitat_replay_once_note(s.r, text, sizeof text));
    CHECK_TEXT(text, "50 ms an iteration of the recorded CPU times are left out: cudaFree and "
                     "others took longer than any iteration needs, as what sets a GPU or a library "
                     "up when it is first used; record a later iteration, or name its range: the "
                     "rest of the CPU's time is less than that and may be slow for the same "
                     "reason, so intervals reach down to the GPU's own");
    habitat_prediction *p = NULL;
    apply_all(&s, &gpu, &p);
    CHECK(p->iteration_ms > 0.15);
    CHECK(p->low_ms <= 0.1321 &&
          p->low_ms > 0.1);                     /* the GPU's 100 and 30 us, one launch's latency */
    CHECK(p->high_ms > 1.09 * p->iteration_ms); /* the rule reaches up to 1.28 of its part */
    CHECK_INT(p->interval_basis, HABITAT_INTERVAL_FIRST_USE);
    CHECK_TEXT(habitat_interval_name(p->interval_basis), "default");
    habitat_prediction_free(p);
    CHECK(!habitat_replay_wait_note(s.r, text, sizeof text));
    done(&s);
    check_case("what happens once is left out, and told");
}

static void test_recurs(void) {
    char text[400];
    subject s = SUBJECT(twice, 0, "", 0);
    CHECK_INT(s.info->once_count, 0);
    CHECK(!habitat_replay_once_note(s.r, text, sizeof text));
    CHECK_NEAR(s.info->wait_ms, 12.0, 1e-9);
    CHECK(s.info->cpu_ms >= 32.0 && s.info->cpu_ms <= 40.1);
    CHECK(run(&s, 1.0).iteration_ms >= 32.0);
    CHECK(habitat_replay_wait_note(s.r, text, sizeof text));
    CHECK_TEXT(text, "12 ms of an iteration the CPU waits for cudaHostAlloc: taken as long as that "
                     "on every GPU and host, at every batch size and precision");
    double work = s.info->cpu_ms - 12.0;
    done(&s);
    s = SUBJECT(twice, 0, "", .cpu_scale = 2.0);
    CHECK_NEAR(s.info->cpu_ms, 12.0 + 2.0 * work, 1e-9);
    done(&s);
    check_case("what is slow in two iterations stays: work is the CPU's, a call as it is");
    s = SUBJECT(changing, 0, "", 0);
    CHECK_INT(s.info->once_count, 2);
    CHECK_NEAR(s.info->trace_once_ms, 24.0, 1e-9);
    CHECK(s.info->wait_ms == 0.0 && s.info->cpu_ms >= 20.0);
    CHECK(habitat_replay_once_note(s.r, text, sizeof text));
    CHECK(strstr(text, "12 ms an iteration of the recorded CPU times are left out: ") == text);
    done(&s);
    check_case("calls of one iteration each are left out, told as ms an iteration");
}

/* 5 ms of the CPU inside an operation, and 1.5 ms inside another, which the rule covers. */
static const event sorted[] = {
    {'o', "aten::sort", 0, 5010, 1, 0, 0, NULL},
    {'o', "aten::a", 5020, 1510, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 6525, 5, 1, 0, 1, NULL},
    {'k', "a", 6530, 100, 0, 7, 1, NULL},
    {'c', "cudaDeviceSynchronize", 6540, 100, 1, 0, 3, NULL},
};

static void test_short_work(void) {
    subject s = SUBJECT(sorted, 6640, "", 0);
    CHECK_INT(s.info->once_count, 0);
    CHECK(s.info->wait_ms == 0.0);
    CHECK(s.info->cpu_ms >= 5.01 && s.info->cpu_ms < 5.3);
    double work = s.info->cpu_ms;
    done(&s);
    s = SUBJECT(sorted, 6640, "", .cpu_scale = 2.0);
    CHECK_NEAR(s.info->cpu_ms, 2.0 * work, 1e-9);
    done(&s);
    check_case("from 2 ms on a pause inside an operation is its work");
}

static void test_one_iteration(void) {
    subject s = SUBJECT(single, 0, "", 0);
    CHECK_INT(s.info->once_count, 0);
    CHECK_NEAR(s.info->wait_ms, 12.0, 1e-9);
    CHECK(s.info->cpu_ms >= 32.0);
    done(&s);
    check_case("one iteration does not tell: what is no known first use stays");
    s = SUBJECT(single_first, 0, "", 0);
    CHECK_INT(s.info->once_count, 1);
    CHECK_TEXT(s.info->once_name, "cuModuleLoadData");
    CHECK_NEAR(s.info->trace_once_ms, 12.0, 1e-9);
    CHECK(s.info->wait_ms == 0.0 && s.info->cpu_ms >= 20.0);
    done(&s);
    check_case("a known one is left out");
}

/* Kernels alone: the GPU waits 200 us of 401. */
static const event alone[] = {
    {'k', "a", 0, 100, 0, 7, 1, NULL},
    {'k', "b", 301, 100, 0, 7, 2, NULL},
};

static void test_held(void) {
    static const char known[] = "\"habitat\": {\"iteration_ms\": 0.350},";
    char text[400];
    habitat_prediction *p = NULL;
    subject s = SUBJECT(alone, 0, "", 0);
    CHECK_NEAR(run(&s, 1.0).gpu_ms, 0.2021, 0.01);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.8 * 0.401, 1e-6); /* of the length under the profiler */
    CHECK_NEAR(run(&s, 10.0).iteration_ms, run(&s, 10.0).gpu_ms, 1e-9);
    CHECK_INT(run(&s, 1.0).bound_by, HABITAT_BY_UNKNOWN);
    CHECK(habitat_replay_note(s.r, text, sizeof text));
    CHECK(strstr(text, "nothing tells whether the program or the profiler made it wait") != NULL);
    apply_all(&s, &gpu, &p);
    CHECK(p->low_ms <= 0.2021);
    CHECK(p->high_ms >= 0.401);
    CHECK_INT(p->interval_basis, HABITAT_INTERVAL_HELD);
    CHECK_TEXT(habitat_interval_name(p->interval_basis), "default");
    habitat_prediction_free(p);
    done(&s);
    s = SUBJECT(alone, 0, "", .cpu_scale = 2.0);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.8 * 0.401, 1e-6);
    CHECK(habitat_replay_note(s.r, text, sizeof text));
    CHECK(strstr(text, ". --cpu-scale is ignored: there is no CPU time to scale") != NULL);
    done(&s);
    check_case("kernels alone whose GPU waited: from the GPU's time to all that was recorded");
    s = SUBJECT(alone, 0, known, 0);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.350, 1e-9);
    CHECK_NEAR(run(&s, 0.5).iteration_ms, 0.350, 1e-9);
    CHECK(run(&s, 2.0).iteration_ms >= 0.401);
    done(&s);
    check_case("with a recorded time no other kernels are answered shorter");
}

/* Operations whose launches were not recorded count as many launches as kernels. */
static void test_unseen_launches(void) {
    static const event seen[] = {
        {'o', "aten::a", 0, 100, 1, 0, 0, NULL},
        {'c', "cudaLaunchKernel", 50, 100, 1, 0, 1, NULL},
        {'k', "a", 60, 10, 0, 7, 1, NULL},
    };
    static const event unseen[] = {
        {'o', "aten::a", 0, 100, 1, 0, 0, NULL},
        {'k', "a", 60, 10, 0, 7, 1, NULL},
    };
    double with[REPLAY_FEATURES], without[REPLAY_FEATURES];
    subject s = SUBJECT(seen, 200, "", 0), t = SUBJECT(unseen, 200, "", 0);
    CHECK_INT(replay_features(s.w, with, NULL, NULL), HABITAT_OK);
    CHECK_INT(replay_features(t.w, without, NULL, NULL), HABITAT_OK);
    CHECK_NEAR(with[0], 4 * 50.0 * 1e3, 1e-9);     /* four points, 50 us apart */
    CHECK_NEAR(without[0], 4 * 100.0 * 1e3, 1e-9); /* the same four, the two known 100 us apart */
    CHECK_NEAR(with[1], 1.0, 0.0);
    CHECK_NEAR(without[1], 1.0, 0.0);
    done(&s);
    done(&t);
    check_case("launches without a call count in the rule");
}

/* Operations of three steps with a call of one inside, a step apart; a step takes 1 us, and 4 us
 * once the thread is held up. */
static void test_usual(void) {
    enum { STEPS = 500, QUICK = 200 };
    event list[2 * STEPS + 1];
    double at = 0.0, features[REPLAY_FEATURES];
    for (unsigned i = 0; i < STEPS; i++) {
        double step = i < QUICK ? 1.0 : 4.0;
        list[2 * i] = (event){'o', "aten::a", at, 3 * step, 2, 0, 0, NULL};
        list[2 * i + 1] = (event){'c', "cudaLaunchKernel", at + step, step, 2, 0, i + 1, NULL};
        at += 4 * step;
    }
    list[2 * STEPS] = (event){'k', "a", 10, 1, 0, 7, 1, NULL};
    subject s = SUBJECT(list, at, "", 0);
    CHECK_INT(replay_features(s.w, features, NULL, NULL), HABITAT_OK);
    CHECK_NEAR(features[0], 4 * STEPS * 1e3,
               1e-6); /* 4 us by the median, 1 us in two of five windows */
    done(&s);
    check_case("steps count as on a core of their own");
    for (unsigned i = 0; i < 2 * STEPS; i++) /* the quick ones on another thread */
        list[i].thread = i / 2 < QUICK ? 1 : 2;
    s = SUBJECT(list, at, "", 0);
    CHECK_INT(replay_features(s.w, features, NULL, NULL), HABITAT_OK);
    CHECK_NEAR(features[0], 4 * STEPS * 4e3, 1e-6); /* the median of 800 steps of 1 and 1200 of 4 */
    done(&s);
    check_case("a thread is compared with itself alone");
}

/* 100 us of kernels behind 10 us of the CPU, and an optimiser. */
static const event scaled[] = {
    {'o', "aten::a", 0, 10, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 2, 2, 1, 0, 1, NULL},
    {'s', "Optimizer.step#SGD.step", 20, 20, 1, 0, 0, NULL},
    {'o', "aten::b", 22, 8, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 24, 2, 1, 0, 2, NULL},
    {'k', "a", 5, 100, 0, 7, 1, NULL},
    {'k', "b", 106, 10, 0, 7, 2, NULL},
};

/* Time with the scaler's wait [us]. */
static double waiting_us(const event *list, size_t count, const char *name, replay_path *path) {
    event changed[8];
    double ns = -1.0;
    memcpy(changed, list, count * sizeof *list);
    changed[3].name = name;
    subject s = subject_of(changed, count, 50, "", &(habitat_replay_options){.cpu_ms = 0.050});
    replay_times times = replay_times_of(s.r, NULL);
    CHECK_INT(replay_scaler_ns(s.r, &times, &ns, path, NULL), HABITAT_OK);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.1121, 1e-9); /* 100, 10, pauses of 1.1 and 1 */
    done(&s);
    return ns / 1e3;
}

static void test_scaler(void) {
    const size_t count = sizeof scaled / sizeof *scaled;
    replay_path path;
    /* 40 from the end of the first operation to that of the step, 4 to the launch's end, 1, 100 */
    CHECK_NEAR(waiting_us(scaled, count, "aten::b", &path), 145.0, 1e-6);
    CHECK_NEAR(path.cpu_ns, 44e3, 1e-9);
    CHECK_NEAR(path.kernel_ns, 100e3, 1e-9);
    CHECK_NEAR(path.gap_ns, 1e3, 1e-9);
    check_case("a scaler's wait: the optimiser and the next iteration begin on an idle GPU");
    CHECK_NEAR(waiting_us(scaled, count, "aten::_fused_adamw_", &path), 0.0, 0.0);
    check_case("none where one kernel looks itself");
    CHECK_NEAR(waiting_us(scaled, count, "Optimizer.step#Adam.step", &path), 145.0, 1e-6);
    check_case("one for a step of an optimiser inside another's");
}

/* Two such iterations, 50 us of the CPU each. */
static void test_scaler_again(void) {
    enum { EACH = sizeof scaled / sizeof *scaled };
    event list[2 * EACH + 2];
    double ns = 0.0;
    replay_path path;
    for (size_t i = 0; i < EACH; i++) {
        list[i] = list[EACH + i] = scaled[i];
        list[EACH + i].start += scaled[i].kind == 'k' ? 112 : 50;
        list[EACH + i].correlation += scaled[i].correlation ? 2 : 0;
    }
    list[2 * EACH] = (event){'s', "ProfilerStep#1", 0, 50, 1, 0, 0, NULL};
    list[2 * EACH + 1] = (event){'s', "ProfilerStep#2", 50, 50, 1, 0, 0, NULL};
    subject s = SUBJECT(list, 0, "", .cpu_ms = 0.050);
    replay_times times = replay_times_of(s.r, NULL);
    CHECK_INT(replay_scaler_ns(s.r, &times, &ns, &path, NULL), HABITAT_OK);
    CHECK_NEAR(path.kernel_ns, 200e3, 1e-9);
    CHECK_NEAR(ns / 1e3, 2 * 145.0, 1e-6);
    s.r->scaler_waits = true;
    habitat_replay_result result = run(&s, 1.0);
    CHECK_NEAR(result.iteration_ms, 0.145, 1e-9);
    CHECK_NEAR(result.path_kernel_ms, 0.1, 1e-9);
    CHECK_NEAR(result.path_cpu_ms, 0.044, 1e-9);
    done(&s);
    check_case("a scaler waits in each of several iterations");
}

/* 12 ms outside before the optimiser: the GPU works meanwhile. */
static void test_scaler_outside(void) {
    enum { EACH = sizeof scaled / sizeof *scaled };
    event list[EACH + 1];
    replay_path path;
    for (int longer = 0; longer < 2; longer++) {
        double ns = -1.0;
        memcpy(list, scaled, sizeof scaled);
        for (size_t i = 2; i < EACH; i++)
            if (list[i].kind != 'k' || list[i].name[0] == 'b')
                list[i].start += 12000 + (longer && list[i].kind == 'k' ? 8000 : 0);
        list[5].duration = longer ? 20000 : 100;
        list[EACH] = (event){'c', "cudaDeviceSynchronize", 12042, 1, 1, 0, 3, NULL};
        subject s = SUBJECT(list, 12050, "", 0);
        replay_times times = replay_times_of(s.r, NULL);
        times.cpu_scale = 1.0;
        CHECK_NEAR(s.info->wait_ms, 12.012, 1e-9);
        CHECK_INT(replay_scaler_ns(s.r, &times, &ns, &path, NULL), HABITAT_OK);
        /* 28 from the end of the pause to that of the step; then 10 of the first operation and the
         * pause, or 4, 1 and the kernel */
        CHECK_NEAR(ns / 1e3, longer ? 28 + 5 + 20000 : 28 + 10 + 12012, 1e-6);
        CHECK_NEAR((path.cpu_ns + path.kernel_ns + path.gap_ns) / ns, 1.0, 1e-9);
        done(&s);
    }
    check_case("what the CPU waits for outside before the scaler does, the GPU has to work");
}

/* A rank that was recorded alone. Its first message waits: the second, alike, takes 20 us of the
 * first one's 300. Of 523.3 us kernels take 240, waiting 280, pauses of 1.1 the rest. */
static void test_other_ranks(void) {
    static const event rank[] = {
        {'c', "cudaLaunchKernel", 0, 1, 1, 0, 1, NULL},
        {'c', "cudaLaunchKernel", 1, 1, 1, 0, 2, NULL},
        {'c', "cudaLaunchKernel", 2, 1, 1, 0, 3, NULL},
        {'c', "cudaLaunchKernel", 3, 1, 1, 0, 4, NULL},
        {'k', "a", 10, 100, 0, 7, 1, NULL},
        {'n', "ncclDevKernel_AllReduce", 111.1, 300, 0, 7, 2, NULL},
        {'k', "b", 412.2, 100, 0, 7, 3, NULL},
        {'n', "ncclDevKernel_AllReduce", 513.3, 20, 0, 7, 4, NULL},
    };
    enum { LENGTH = 6 };
    static const char room[] = "\"habitat\": {\"iteration_ms\": 0.400},";
    static const char all[] = "\"habitat\": {\"iteration_ms\": 0.600},";
    static const char busy[] = "\"habitat\": {\"iteration_ms\": 0.245},";
    static const char less[] = "\"habitat\": {\"iteration_ms\": 0.230},";
    subject s = SUBJECT(rank, LENGTH, room, 0);
    CHECK_NEAR(s.r->others_gone, (524.4 - 400.0) / 280.0, 1e-3);
    CHECK_NEAR(s.info->kernel_scale, 1.0, 0.0);
    CHECK_NEAR(s.info->gap_scale, 1.0, 1e-3);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.4, 1e-6);
    done(&s);
    check_case("a rank waits as long for others as the recorded iteration has room for");
    s = SUBJECT(rank, LENGTH, busy, 0);
    CHECK_NEAR(s.r->others_gone, 1.0, 0.0);
    CHECK_NEAR(s.info->kernel_scale, 1.0, 0.0);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.245, 1e-6);
    done(&s);
    check_case("where pauses explain it, not at all");
    s = SUBJECT(rank, LENGTH, all, 0);
    CHECK_NEAR(s.r->others_gone, 0.0, 0.0);
    done(&s);
    s = SUBJECT(rank, LENGTH, less, 0);
    CHECK_NEAR(s.r->others_gone, 1.0, 1e-6);
    CHECK_NEAR(s.info->kernel_scale, 230.0 / 240.0, 1e-3);
    done(&s);
    check_case("all of it, or none; then kernels were quicker");
}

int main(void) {
    gpu = made_gpu("made", 10, 1.0, 1000, 10);
    test_loader();
    test_recorded_wait();
    test_without_name();
    test_beside();
    test_handed_beside_wait();
    test_none();
    test_passing();
    test_passing_on_several();
    test_once();
    test_recurs();
    test_short_work();
    test_one_iteration();
    test_held();
    test_unseen_launches();
    test_usual();
    test_scaler();
    test_scaler_again();
    test_scaler_outside();
    test_other_ranks();
    return check_done();
}
