/* Replays worked by hand. Times in microseconds; the recorded host's CPU is taken as it is
 * (cpu_ms = the recorded time) unless a case says otherwise. Where a recording has too few of them,
 * a pause is 1.1 us, 2.2 us behind another stream, and a launch 1 us. */
#include "replay/rule.h"
#include "replay_steps.h"

static void test_stream(void) {
    subject s = SUBJECT(plain, 60, "", .cpu_ms = 0.060);
    habitat_replay_result result = run(&s, 1.0);
    CHECK_NEAR(s.info->profiled_cpu_ms, 0.060, 1e-9);
    CHECK_NEAR(result.iteration_ms, 0.3031, 1e-9); /* 3 x 100, pauses 1.1, 1, 1 */
    CHECK_NEAR(result.gpu_ms, 0.3031, 1e-9);
    CHECK_INT(result.bound_by, HABITAT_BY_GPU);
    CHECK_NEAR(result.margin, 303.1 / 60.0 - 1.0, 1e-9);
    CHECK_NEAR(result.path_kernel_ms, 0.300, 1e-9);
    CHECK_NEAR(result.path_gap_ms, 0.0031, 1e-9);
    CHECK_NEAR(result.idle_ms, 0.0031, 1e-9);
    check_case("a stream that is never short of work: kernels and pauses");
    result = run(&s, 0.1);
    CHECK_NEAR(result.iteration_ms, 0.060, 1e-9); /* 33.1 of GPU */
    CHECK_INT(result.bound_by, HABITAT_BY_CPU);
    CHECK_NEAR(result.path_cpu_ms, 0.060, 1e-9);
    CHECK_NEAR(result.idle_ms, 0.030, 1e-9);
    check_case("on a GPU ten times as fast the CPU sets the time");
    done(&s);
    s = SUBJECT(plain, 60, "", .cpu_ms = 0.060, .cpu_scale = 10.0);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.600, 1e-9);
    done(&s);
    check_case("--cpu-scale stretches the CPU's side");
}

static void test_blocking(void) {
    subject s = SUBJECT(blocking, 320, "", .cpu_ms = 0.053);
    CHECK_NEAR(s.info->profiled_cpu_ms, 0.053, 1e-9);   /* 45, 3 after the last kernel, 5 */
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.316, 1e-9); /* 5 + 1, 302, 3, 5 */
    CHECK_NEAR(run(&s, 2.0).iteration_ms, 0.616, 1e-9);
    CHECK_NEAR(run(&s, 0.0).iteration_ms, 0.054, 1e-9); /* c at 40 + 5 + 1, then 3 and 5 */
    CHECK_INT(s.info->trace_wait_count, 1);
    done(&s);
    check_case("a call that waits goes on when the GPU is done");
    s = SUBJECT(blocking, 0, "", .cpu_ms = 0.045);
    CHECK_INT(s.info->trace_wait_count, 0);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.3031, 1e-9);
    done(&s);
    check_case("the wait behind the last launch of a trace without marks is the profiler's own");
}

/* Stream 8 waits for 7 by an event of which the profiler did not note the stream. */
static const event waits[] = {
    {'c', "cudaLaunchKernel", 0, 5, 1, 0, 1, NULL},
    {'c', "cudaEventRecord", 6, 1, 1, 0, 2, NULL},
    {'c', "cudaStreamWaitEvent", 8, 1, 1, 0, 3, NULL},
    {'w', "Stream Wait Event", 8, 1, 0, 8, 3,
     ", \"wait_on_stream\": -1, \"wait_on_cuda_event_record_corr_id\": -1, "
     "\"wait_on_cuda_event_id\": 5"},
    {'c', "cudaLaunchKernel", 10, 5, 1, 0, 4, NULL},
    {'k', "a", 6, 100, 0, 7, 1, NULL},
    {'k', "b", 109, 100, 0, 8, 4, NULL},
};
/* The same without the wait, and both at once. */
static const event apart[] = {
    {'c', "cudaLaunchKernel", 0, 5, 1, 0, 1, NULL},
    {'c', "cudaLaunchKernel", 10, 5, 1, 0, 4, NULL},
    {'k', "a", 6, 100, 0, 7, 1, NULL},
    {'k', "b", 16, 100, 0, 8, 4, NULL},
};
/* Back to stream 7, so that every iteration needs both. */
static const event round_trip[] = {
    {'c', "cudaLaunchKernel", 0, 5, 1, 0, 1, NULL},
    {'c', "cudaEventRecord", 6, 1, 1, 0, 2, NULL},
    {'c', "cudaStreamWaitEvent", 8, 1, 1, 0, 3, NULL},
    {'w', "Stream Wait Event", 8, 1, 0, 8, 3, ", \"wait_on_stream\": -1"},
    {'c', "cudaLaunchKernel", 10, 5, 1, 0, 4, NULL},
    {'c', "cudaEventRecord", 16, 1, 1, 0, 5, NULL},
    {'c', "cudaStreamWaitEvent", 18, 1, 1, 0, 6, NULL},
    {'w', "Stream Wait Event", 18, 1, 0, 7, 6, ", \"wait_on_stream\": -1"},
    {'c', "cudaLaunchKernel", 20, 5, 1, 0, 7, NULL},
    {'k', "a", 6, 100, 0, 7, 1, NULL},
    {'k', "b", 109, 100, 0, 8, 4, NULL},
    {'k', "c", 212, 100, 0, 7, 7, NULL},
};

static void test_events(void) {
    subject s = SUBJECT(apart, 20, "", .cpu_ms = 0.020);
    CHECK_INT(s.info->stream_count, 2);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.1011, 1e-9);
    /* a from 6 to 106, b from 16 to 116, again every 101.1: one fills the other's pause */
    CHECK_NEAR(run(&s, 1.0).busy_ms, 0.1011, 1e-9);
    CHECK_NEAR(run(&s, 1.0).idle_ms, 0.0, 1e-9);
    done(&s);
    check_case("streams that do not wait run side by side");
    s = SUBJECT(round_trip, 30, "", .cpu_ms = 0.030);
    CHECK_INT(s.info->trace_wait_count, 2);
    CHECK_INT(s.info->trace_guessed_waits, 2);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.3071, 1e-9); /* pauses 1.1, 3, 3 as recorded */
    CHECK_NEAR(run(&s, 1.0).busy_ms, 0.300, 1e-9);
    CHECK_NEAR(run(&s, 1.0).idle_ms, 0.0071, 1e-9);
    done(&s);
    check_case("streams that wait for one another run one after another");
    s = SUBJECT(waits, 20, "", .cpu_ms = 0.020);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.1030, 1e-9); /* the next a need not wait for b */
    /* b from 109 to 209 runs beside the next a, from 109 to 209 too: 100 of every 103 */
    CHECK_NEAR(run(&s, 1.0).busy_ms, 0.100, 1e-9);
    CHECK_NEAR(run(&s, 1.0).idle_ms, 0.003, 1e-9);
    done(&s);
    check_case("what only follows does not lengthen iterations that overlap");
    event launches[6]; /* round_trip, thinned out: its events and waits are gone */
    size_t count = 0;
    for (size_t i = 0; i < sizeof round_trip / sizeof *round_trip; i++)
        if (round_trip[i].kind == 'k' || strcmp(round_trip[i].name, "cudaLaunchKernel") == 0)
            launches[count++] = round_trip[i];
    s = SUBJECT(launches, 30, "", .cpu_ms = 0.030);
    CHECK_INT(count, 6);
    CHECK_INT(s.info->trace_wait_count, 0);
    CHECK(s.info->in_recorded_order);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.3071, 1e-9);
    char text[400] = "";
    CHECK(habitat_replay_note(s.r, text, sizeof text));
    CHECK(strstr(text, "launches on 2 streams, and no event and no synchronisation"));
    done(&s);
    check_case("without any event or synchronisation kernels keep the recorded order");
}

/* The thread that calls backward() sleeps while another works. */
static const event threads[] = {
    {'o', "aten::mm", 0, 50, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 10, 5, 1, 0, 1, NULL},
    {'o', "MmBackward0", 60, 100, 2, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 70, 5, 2, 0, 2, NULL},
    {'c', "cudaStreamSynchronize", 80, 70, 2, 0, 3, NULL},
    {'o', "aten::add_", 170, 30, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 180, 5, 1, 0, 4, NULL},
    {'k', "a", 16, 20, 0, 7, 1, NULL},
    {'k', "b", 76, 70, 0, 7, 2, NULL},
    {'k', "c", 186, 10, 0, 7, 4, NULL},
};

static void test_threads(void) {
    subject s = SUBJECT(threads, 200, "", .cpu_ms = 0.134);
    CHECK_INT(s.info->trace_handover_count, 2);
    CHECK_INT(s.info->thread_count, 2);
    CHECK_NEAR(s.info->profiled_cpu_ms, 0.134, 1e-9); /* 200 less 66 of waiting for b */
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.200, 1e-9);
    CHECK_NEAR(run(&s, 2.0).iteration_ms, 0.270, 1e-9); /* b takes 70 more, and all wait for it */
    CHECK_NEAR(run(&s, 0.0).iteration_ms, 0.134, 1e-9);
    double in_order = run(&s, 1.3).iteration_ms;
    done(&s);
    check_case("a thread that handed its work over goes on when it is done");
    enum { COUNT = sizeof threads / sizeof *threads };
    event turned[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        turned[i] = threads[COUNT - 1 - i];
    s = SUBJECT(turned, 200, "", .cpu_ms = 0.134);
    CHECK(run(&s, 1.3).iteration_ms == in_order);
    done(&s);
    check_case("the order of records in the file does not matter");
}

static void test_recorded(void) {
    static const char gpu_time[] = "\"habitat\": {\"iteration_ms\": 0.3035},";
    static const char cpu_time[] = "\"habitat\": {\"iteration_ms\": 0.400},";
    static const char quicker[] = "\"habitat\": {\"iteration_ms\": 0.290},";
    subject s = SUBJECT(plain, 60, gpu_time, 0);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.3035, 1e-6);
    CHECK_NEAR(s.info->gap_scale, 3.5 / 3.1, 1e-6);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RULE);
    CHECK_NEAR(s.info->cpu_ms, 0.8 * 0.060, 1e-9); /* without operations: four fifths */
    done(&s);
    check_case("what the GPU took beyond its pauses stretches them");
    s = SUBJECT(plain, 60, cpu_time, 0);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.400, 1e-6);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RECORDED);
    CHECK_NEAR(s.info->cpu_ms, 0.400, 1e-6);
    CHECK_INT(run(&s, 1.0).bound_by, HABITAT_BY_CPU);
    done(&s);
    check_case("much more than that was the CPU's");
    s = SUBJECT(plain, 60, quicker, 0);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.290, 1e-6);
    CHECK_NEAR(s.info->kernel_scale, 290.0 / 300.0, 1e-6);
    done(&s);
    check_case("less than the kernels: they were slower under the profiler");
    /* by rule the CPU takes 400, the GPU with its pauses 303.1: 0.9 x 0.9 x 0.9 of 400 fits */
    s = SUBJECT(plain, 500, "\"habitat\": {\"iteration_ms\": 0.3015},", 0);
    CHECK_NEAR(s.info->cpu_ms, 0.2916, 1e-9);
    CHECK_NEAR(s.info->gap_scale, 1.5 / 3.1, 1e-6);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.3015, 1e-6);
    done(&s);
    check_case("a time that only says that the CPU was not slower: the nearest to the rule");
    s = SUBJECT(plain, 60, cpu_time, .withhold = true);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.3031, 1e-6);
    done(&s);
    check_case("a recorded time that is withheld is not used");
}

/* Two streams: kernel a fills the GPU, and b, launched long before, begins when a quarter of a is
 * left. The CPU waits for both. */
static const event filling[] = {
    {'c', "cudaLaunchKernel", 0, 5, 1, 0, 1, NULL},
    {'c', "cudaLaunchKernel", 20, 5, 1, 0, 2, NULL},
    {'c', "cudaDeviceSynchronize", 40, 230, 1, 0, 3, NULL},
    {'k', "a", 10, 200, 0, 7, 1, NULL},
    {'k', "b", 160, 100, 0, 13, 2, NULL},
};

static size_t edges_of(const event *list, size_t count, unsigned length) {
    subject s = subject_of(list, count, length, "", &(habitat_replay_options){.cpu_ms = 0.060});
    size_t edges = s.info->trace_edge_count;
    done(&s);
    return edges;
}

static void test_room(void) {
    enum { A = 3, B = 4, COUNT = sizeof filling / sizeof *filling };
    subject s = SUBJECT(filling, 280, "", .cpu_ms = 0.060);
    size_t edges = s.info->trace_edge_count - 1; /* without that of b to a */
    /* a 6 to 206, b from 156 to 256; the CPU 10 later, and 10 more */
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.276, 1e-9);
    CHECK_NEAR(run(&s, 1.0).path_kernel_ms, 0.250, 1e-9);
    CHECK_NEAR(run(&s, 2.0).iteration_ms, 0.526, 1e-9); /* a 6 to 406, b from 306 */
    done(&s);
    check_case("a kernel that waits for room begins when as much of the other one is left");
    event list[COUNT];
    memcpy(list, filling, sizeof list);
    list[B].start = 212;
    list[2].duration = 280; /* to 320 */
    s = SUBJECT(list, 330, "", .cpu_ms = 0.058);
    CHECK_INT(s.info->trace_edge_count, edges + 1);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.326, 1e-9); /* a 6 to 206, 2, b to 308, 8, 10 */
    done(&s);
    check_case("one that begins when the other has ended follows it, with a pause");
    list[B].start = 300; /* a ended long before, and leaves room: b waited for something else */
    list[2].duration = 370;
    list[A].more = list[B].more = ", \"grid\": [1, 1, 1], \"block\": [32, 1, 1]";
    CHECK_INT(edges_of(list, COUNT, 420), edges);
    memcpy(list, filling, sizeof list);
    list[1].start = 150; /* b is launched to 155 */
    list[2].start = 158;
    list[2].duration = 112;
    CHECK_INT(edges_of(list, COUNT, 280), edges);
    memcpy(list, filling, sizeof list);
    list[A] = (event){'n', "ncclDevKernel_AllReduce", 10, 200, 0, 7, 1, NULL};
    CHECK_INT(edges_of(list, COUNT, 280), edges);
    list[A] = filling[A];
    list[A].more = ", \"grid\": [1, 1, 1], \"block\": [32, 1, 1]";
    CHECK_INT(edges_of(list, COUNT, 280), edges);
    check_case(
        "nothing waits for room after a kernel long gone, just launched, of few blocks, or NCCL");
}

/* The profiled CPU is slow: b is launched on another stream when a is over. */
static const event apart_for_long[] = {
    {'c', "cudaLaunchKernel", 0, 5, 1, 0, 1, NULL},
    {'c', "cudaLaunchKernel", 150, 5, 1, 0, 2, NULL},
    {'c', "cudaDeviceSynchronize", 160, 110, 1, 0, 3, NULL},
    {'k', "a", 10, 100, 0, 7, 1, NULL},
    {'k', "b", 160, 100, 0, 13, 2, NULL},
};

static void test_turns(void) {
    enum { A = 3, B = 4, COUNT = sizeof apart_for_long / sizeof *apart_for_long };
    /* 170 of the CPU: 160 to the wait, 10 behind it, a tenth of all without the profiler */
    const habitat_replay_options quick = {.cpu_ms = 0.017};
    event list[COUNT];
    memcpy(list, apart_for_long, sizeof list);
    subject s = subject_of(list, COUNT, 270, "", &quick);
    /* a from 1.5 to 101.5, then b, and the last call's 1 */
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.2025, 1e-9);
    CHECK_NEAR(run(&s, 2.0).iteration_ms, 0.4025, 1e-9);
    done(&s);
    s = subject_of(list, COUNT, 270, "", &(habitat_replay_options){.cpu_ms = 0.170});
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.266, 1e-9); /* b from 156, as its launch has it */
    done(&s);
    check_case("kernels that fill the GPU take turns where a quicker CPU lets them meet");
    list[A].more = list[B].more = ", \"grid\": [1, 1, 1], \"block\": [256, 1, 1]";
    s = subject_of(list, COUNT, 270, "", &quick);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.1175, 1e-9); /* b from 16.5 */
    done(&s);
    list[A].more = NULL;
    s = subject_of(list, COUNT, 270, "", &quick);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.2025, 1e-9); /* a leaves no room for even one block */
    done(&s);
    list[A].more = list[B].more;
    list[B].more = NULL; /* a has one of ten SMs: b loses a tenth of a's time */
    s = subject_of(list, COUNT, 270, "", &quick);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.1175, 1e-9);
    CHECK_NEAR(run(&s, 2.0).iteration_ms, 0.2225, 1e-9); /* b from 21.5 */
    done(&s);
    memcpy(list, apart_for_long, sizeof list);
    list[B].more = ", \"grid\": [1, 1, 1], \"block\": [256, 1, 1]";
    list[A].more = list[B].more;
    size_t edges = edges_of(list, COUNT, 270);
    memcpy(list, apart_for_long, sizeof list);
    CHECK_INT(edges_of(list, COUNT, 270), edges + 1);
    list[1].start = 12, list[B].start = 20; /* side by side as recorded: they take that long */
    CHECK_INT(edges_of(list, COUNT, 270), edges);
    check_case("they do not where there is room for both, or both were seen together");
}

/* Kernels of 100 us, the first five launched just in time and 1 us apart; and 3 us apart once the
 * GPU is 1 ms behind its CPU. */
static void test_far_behind(void) {
    enum { KERNELS = 40 };
    event list[2 * KERNELS];
    double at = 10.0;
    for (unsigned i = 0; i < KERNELS; i++) {
        double launch = 4.0 * i;
        bool far = at > launch + 2.0 + 1000.0;
        at += i == 0 ? 0.0 : far ? 3.0 : 1.0;
        list[i] = (event){'c', "cudaLaunchKernel", launch, 2, 1, 0, i + 1, NULL};
        list[KERNELS + i] = (event){'k', "a", at, 100, 0, 7, i + 1, NULL};
        at += 100.0;
    }
    subject s = SUBJECT(list, 200, "", .cpu_ms = 0.200);
    CHECK_NEAR(s.info->gap_ns, 3000.0, 1e-9);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 4.120, 1e-9); /* 40 x 103 */
    done(&s);
    check_case("pauses far behind the CPU count for the kernels that followed it closely");
}

/* Sixty of them, launched in 240 us. Far behind, the first ones are 2 us apart; from the 39th on a
 * kernel of another stream is waiting too, and they are 4 us apart. One of that stream is launched
 * just in time beside the sixth. */
static void test_beside(void) {
    enum { KERNELS = 60, BESIDE = 38, MORE = 2 * KERNELS };
    event list[MORE + 5];
    double at = 10.0, launched = 0.0;
    for (unsigned i = 0; i < KERNELS; i++) {
        double launch = 4.0 * i, pause = i >= BESIDE ? 4.0 : at > launch + 1002.0 ? 2.0 : 1.0;
        at += i == 0 ? 0.0 : pause;
        launched = i == BESIDE ? at - 50.0 : launched;
        list[i] = (event){'c', "cudaLaunchKernel", launch, 2, 1, 0, i + 1, NULL};
        list[KERNELS + i] = (event){'k', "a", at, 100, 0, 7, i + 1, NULL};
        at += 100.0;
    }
    list[MORE] = (event){'c', "cudaLaunchKernel", launched, 2, 1, 0, MORE, NULL};
    list[MORE + 1] = (event){'k', "b", at + 2.0, 5, 0, 13, MORE, NULL};
    list[MORE + 2] = (event){'c', "cudaLaunchKernel", 518, 2, 1, 0, MORE + 1, NULL};
    list[MORE + 3] = (event){'k', "b", 522, 5, 0, 13, MORE + 1, NULL};
    list[MORE + 4] = (event){'c', "cudaEventRecord", 242, 1, 1, 0, MORE + 2, NULL};
    subject s = SUBJECT(list, 5000, "", .cpu_ms = 0.300);
    CHECK_NEAR(s.info->gap_ns, 4000.0, 1e-9);
    /* 22 and the first six as beside others, 32 as far behind */
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 6.000 + 28 * 0.004 + 32 * 0.002, 1e-9);
    done(&s);
    list[MORE].start = 6300.0; /* launched when all else is done: nothing begins beside it */
    list[MORE + 1].start = 6310.0;
    s = SUBJECT(list, 6330, "", .cpu_ms = 0.300);
    CHECK_NEAR(s.info->gap_ns, 2000.0, 1e-9); /* most of those far behind */
    done(&s);
    check_case("pauses are longer where another stream's work waits too");
}

/* Two operations, one inside the first, and two calls. */
static const event ruled[] = {
    {'o', "aten::linear", 0, 20, 1, 0, 0, NULL},
    {'o', "aten::addmm", 5, 5, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 6, 2, 1, 0, 1, NULL},
    {'o', "aten::relu", 30, 10, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 32, 2, 1, 0, 2, NULL},
    {'k', "a", 10, 5, 0, 7, 1, NULL},
    {'k', "b", 36, 5, 0, 7, 2, NULL},
};

static void test_rule(void) {
    double features[REPLAY_FEATURES], sum_ns = 0.0;
    replay_more more;
    habitat_error err = {0};
    subject s = SUBJECT(ruled, 50, "", 0);
    CHECK_INT(replay_features(s.w, features, &more, &err), HABITAT_OK);
    CHECK_NEAR(features[0], 20e3, 1e-9); /* ten points: steps 5 1 2 2 10 10 2 2 6, median 2 */
    CHECK_NEAR(features[1], 2.0, 1e-9);
    CHECK_NEAR(features[2], 2.0, 1e-9);
    CHECK_NEAR(more.cast[0], 12 * 0.54 * 2e3,
               1e-9); /* its begins and ends, shorter than 2 us each */
    CHECK(more.cast[1] == 1.0 && more.cast[2] == 0.5);
    CHECK_NEAR(more.call[0], 2 * 2e3, 1e-9);
    CHECK(more.call[1] == 1.0 && more.call[2] == 0.0);
    for (int i = 0; i < REPLAY_FEATURES; i++)
        sum_ns += replay_rule_weights[i] * features[i];
    CHECK_NEAR(s.info->profiled_cpu_ms, 0.050, 1e-9);
    CHECK_NEAR(s.info->cpu_ms, 0.96 * sum_ns / 1e6, 1e-9);
    CHECK_NEAR(s.info->cpu_high / s.info->cpu_low, 1.5, 1e-3);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RULE);
    done(&s);
    check_case("the CPU's side by rule: usual steps, calls, operations inside no other");
}

static void test_apply(void) {
    subject s =
        SUBJECT(plain, 60, "\"habitat\": {\"iteration_ms\": 0.3035, \"batch_size\": 2},", 0);
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_predict(s.w, &gpu, HABITAT_METHOD_WAVE, &p, &err), HABITAT_OK);
    CHECK_INT(p->assembled, HABITAT_ASSEMBLE_SUM);
    CHECK(isnan(p->cpu_ms));
    CHECK_INT(habitat_replay_apply(s.r, p, &err), HABITAT_OK);
    CHECK(p->iteration_ms == 0.3035);
    CHECK_NEAR(p->busy_ms, 0.300, 1e-9);
    CHECK_NEAR(p->low_ms, 0.3035 / 1.03, 1e-9);
    CHECK_NEAR(p->samples_per_s, 2.0 / 0.3035e-3, 1e-9);
    CHECK_NEAR(p->path_kernel_ms, 0.300, 1e-9);
    CHECK_NEAR(p->path_cpu_ms + p->path_kernel_ms + p->path_gap_ms, p->iteration_ms, 1e-12);
    CHECK_INT(habitat_replay_apply(s.r, p, &err), HABITAT_E_ARG);
    habitat_prediction_free(p);
    check_case("the origin's iteration is the recorded one, to the bit");
    char text[400];
    CHECK(!habitat_replay_note(s.r, text, sizeof text));
    done(&s);
}

/* One end of the interval of the recorded kernels beside a CPU so many times as slow. */
static void ends_with(double cpu_scale, double *low, double *high) {
    subject s =
        SUBJECT(plain, 60, "\"habitat\": {\"iteration_ms\": 0.3035},", .cpu_scale = cpu_scale);
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_predict(s.w, &gpu, HABITAT_METHOD_WAVE, &p, &err), HABITAT_OK);
    CHECK_INT(habitat_replay_apply(s.r, p, &err), HABITAT_OK);
    *low = p->low_ms;
    *high = p->high_ms;
    habitat_prediction_free(p);
    done(&s);
}

static void test_scaled_ends(void) {
    static const double scales[] = {0.1, 0.5, 0.99, 1.0, 1.01, 2.0, 10.0};
    double low[7], high[7];
    for (size_t i = 0; i < 7; i++) {
        ends_with(scales[i], &low[i], &high[i]);
        CHECK(i == 0 || (low[i] >= 0.999999 * low[i - 1] && high[i] >= 0.999999 * high[i - 1]));
    }
    check_case("a slower CPU never lowers an end of the interval");
}

/* Two operations with two launches each: 12 begins and ends, usually 2 us apart, 4 calls and 2
 * operations inside no other are by rule 0.4019 x 24 + 5.948 x 4 + 6.785 x 2 = 47.0076 us. */
static const event launched[] = {
    {'o', "aten::mm", 0, 50, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 2, 2, 1, 0, 1, NULL},
    {'c', "cudaLaunchKernel", 6, 2, 1, 0, 2, NULL},
    {'o', "aten::mm", 60, 50, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 62, 2, 1, 0, 3, NULL},
    {'c', "cudaLaunchKernel", 66, 2, 1, 0, 4, NULL},
    {'k', "a", 9, 1, 0, 7, 1, NULL},
    {'k', "b", 12, 1, 0, 7, 2, NULL},
    {'k', "c", 69, 1, 0, 7, 3, NULL},
    {'k', "d", 72, 1, 0, 7, 4, NULL},
};

/* `added` casts more, the first `gone` kernels no more, `calls` of CUDA more in operations that
 * stay.
 */
static void check_casts(const subject *s, size_t added, size_t gone, double calls, double cpu_ms) {
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_predict(s->w, &gpu, HABITAT_METHOD_WAVE, &p, &err), HABITAT_OK);
    CHECK_NEAR(p->cpu_doubt, 1.0, 0.0);
    habitat_estimate *all = calloc(p->trace_kernel_count + added, sizeof *all);
    CHECK(all != NULL);
    for (size_t i = 0; all && i < p->trace_kernel_count; i++) {
        all[i] = p->trace_kernels[i];
        all[i].ms = i < gone ? 0.0 : all[i].ms;
    }
    free(p->trace_kernels);
    p->trace_kernels = all;
    p->trace_kernel_count += added;
    p->cpu_doubt = 1.1;
    p->calls_more = calls;
    CHECK_INT(habitat_replay_apply(s->r, p, &err), HABITAT_OK);
    CHECK_NEAR(p->cpu_ms, cpu_ms, 1e-9);
    CHECK_NEAR(p->iteration_ms, cpu_ms, 1e-9);
    CHECK_NEAR(p->low_ms, cpu_ms / 1.21, 1e-9); /* given times: 1.1 either way */
    CHECK_NEAR(p->high_ms, cpu_ms * 1.21, 1e-9);
    habitat_prediction_free(p);
}

static void test_casts(void) {
    subject s = SUBJECT(launched, 120, "", .cpu_ms = 0.1);
    /* 12 times 0.54 of 2 us, a call, and half an operation inside no other */
    const double cast = (0.4019 * 12.96 + 5.948 + 6.785 * 0.5) / 47.0076;
    check_casts(&s, 1, 0, 0.0, 0.1 * (1.0 + cast));
    check_casts(&s, 5, 0, 0.0, 0.1 * (1.0 + 5.0 * cast));
    check_case("casts that were not recorded are launched by the CPU, too");
    check_casts(&s, 0, 1, 0.0, 0.1 * (1.0 - cast));
    check_casts(&s, 2, 2, 0.0, 0.1);
    check_case("casts that are gone are launched no more");
    const double call = (0.4019 * 4.0 + 5.948) / 47.0076; /* it begins and ends */
    check_casts(&s, 0, 0, 3.0, 0.1 * (1.0 + 3.0 * call));
    check_casts(&s, 1, 0, -2.0, 0.1 * (1.0 + cast - 2.0 * call));
    check_case("a library that launches more or fewer kernels takes the CPU longer or shorter");
    done(&s);
}

/* Four calls fewer, all in recurrent layers: half a call of the rule each where the CPU's side is
 * given, 0.7 where the rule itself says it. */
static void test_layers(void) {
    subject s = SUBJECT(launched, 120, "", .cpu_ms = 0.1);
    const double call = (0.4019 * 4.0 + 5.948) / 47.0076;
    habitat_prediction *p = NULL;
    habitat_error err = {0};
    CHECK_INT(habitat_predict(s.w, &gpu, HABITAT_METHOD_WAVE, &p, &err), HABITAT_OK);
    p->calls_more = -4.0 + 1.0; /* and one elsewhere */
    p->rnn_calls_more = -4.0;
    habitat_replay given = replay_with_casts(s.r, p), by_rule = *s.r;
    CHECK_NEAR(given.info.cpu_ms, 0.1 * (1.0 + (1.0 - 4.0 * 0.5) * call), 1e-9);
    by_rule.info.cpu_basis = HABITAT_CPU_RULE;
    by_rule = replay_with_casts(&by_rule, p);
    CHECK_NEAR(by_rule.info.cpu_ms, 0.1 * (1.0 + (1.0 - 4.0 * 0.7) * call), 1e-9);
    habitat_prediction_free(p);
    done(&s);
    check_case("calls in a row in a recurrent layer are quicker than the rule's");
}

/* Kernels without calls: a trace of the GPU alone. */
static const event bare[] = {
    {'k', "a", 0, 100, 0, 7, 0, NULL},
    {'k', "b", 101, 100, 0, 8, 0, NULL},
    {'k', "c", 202, 100, 0, 7, 0, NULL},
};

static void test_bare(void) {
    subject s = SUBJECT(bare, 0, "", 0);
    habitat_replay_result result = run(&s, 1.0);
    char text[400];
    CHECK(isnan(s.info->cpu_ms) && isnan(result.cpu_ms));
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_UNKNOWN);
    CHECK_INT(s.info->trace_unlaunched_count, 3);
    CHECK_INT(result.bound_by, HABITAT_BY_UNKNOWN);
    CHECK_NEAR(result.iteration_ms, 0.3031, 1e-9); /* kept in order, with pauses of 1.1 and 1, 1 */
    CHECK(habitat_replay_note(s.r, text, sizeof text));
    CHECK(strstr(text, "no calls of a CPU") != NULL);
    done(&s);
    check_case("without calls the order of the kernels is kept, and what is missing is said");
}

static void test_arguments(void) {
    subject s = SUBJECT(plain, 60, "", 0);
    habitat_replay *r = NULL;
    habitat_replay_result result;
    habitat_error err = {0};
    double ns[3] = {1.0, -1.0, 1.0};
    CHECK_INT(habitat_replay_create(NULL, NULL, &r, &err), HABITAT_E_ARG);
    CHECK_INT(habitat_replay_create(s.w, &(habitat_replay_options){.cpu_scale = -1}, &r, &err),
              HABITAT_E_ARG);
    CHECK_INT(habitat_replay_create(s.w, &(habitat_replay_options){.cpu_ms = NAN}, &r, &err),
              HABITAT_E_ARG);
    CHECK_INT(habitat_replay_run(s.r, ns, &result, &err), HABITAT_E_ARG);
    CHECK_TEXT(err.message, "the time of kernel 1 is no time");
    ns[1] = NAN;
    CHECK_INT(habitat_replay_run(s.r, ns, &result, &err), HABITAT_E_ARG);
    habitat_replay_free(NULL);
    done(&s);
    check_case("absurd options and times are refused");
}

int main(void) {
    gpu = made_gpu("made", 10, 1.0, 1000, 10);
    test_stream();
    test_blocking();
    test_events();
    test_threads();
    test_recorded();
    test_rule();
    test_room();
    test_turns();
    test_far_behind();
    test_beside();
    test_apply();
    test_scaled_ends();
    test_casts();
    test_layers();
    test_bare();
    test_arguments();
    return check_done();
}
