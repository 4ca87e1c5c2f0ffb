/* The CPU's side by the recorder's clock (`cpu_ms`). Times in microseconds, as in test_replay.c: a
 * pause is 1.1 us, a launch 1 us; a trace without operations has four fifths of its CPU times by
 * rule. */
#include <math.h>

#include "replay_steps.h"

/* What is made of the clock and the rule. */
static double of_both(double clock_ms, double rule_ms) {
    return pow(clock_ms, 0.6) * pow(rule_ms, 0.4);
}

/* What the rule says of a step whose times are withheld. */
#define RULE_MS(list, length, noted) rule_of(SUBJECT(list, length, noted, .withhold = true))
static double rule_of(subject s) {
    double ms = s.info->cpu_ms;
    done(&s);
    return ms;
}

static void test_told(void) {
    static const char noted[] = "\"habitat\": {\"iteration_ms\": 0.3035, \"cpu_ms\": 0.150},";
    subject s = SUBJECT(plain, 60, noted, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_CLOCK);
    double both_ms = of_both(0.150, 0.048);
    CHECK_NEAR(both_ms, 0.0951, 1e-4);
    CHECK_NEAR(s.info->cpu_ms, both_ms, 1e-9);
    CHECK_NEAR(s.info->cpu_low, 1.0 / 1.16, 1e-9);
    CHECK_NEAR(s.info->cpu_high, 1.16, 1e-9);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.3035, 1e-6);
    CHECK_NEAR(s.info->gap_scale, 3.5 / 3.1, 1e-6); /* the GPU bound it: 303.5 of 303.1 */
    check_case("where the GPU bound a step the clock tells the CPU's side");
    CHECK_NEAR(run(&s, 0.1).iteration_ms, both_ms, 1e-9);
    CHECK_INT(run(&s, 0.1).bound_by, HABITAT_BY_CPU);
    done(&s);
    check_case("on a GPU ten times as fast it sets the time");
    s = SUBJECT(plain, 60, noted, .cpu_scale = 2.0);
    CHECK_NEAR(run(&s, 0.1).iteration_ms, 2.0 * both_ms, 1e-9);
    done(&s);
    check_case("--cpu-scale stretches it");
    s = SUBJECT(plain, 60, noted, .withhold = true);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RULE);
    CHECK_NEAR(s.info->cpu_ms, 0.048, 1e-9);
    done(&s);
    check_case("a recording whose times are withheld has none");
}

static void test_bound_by_cpu(void) {
    static const char slower[] = "\"habitat\": {\"iteration_ms\": 0.400, \"cpu_ms\": 0.390},";
    static const char quicker[] = "\"habitat\": {\"iteration_ms\": 0.400, \"cpu_ms\": 0.420},";
    subject s = SUBJECT(plain, 60, slower, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RECORDED);
    CHECK_NEAR(s.info->cpu_ms, 0.400, 1e-6);
    done(&s);
    s = SUBJECT(plain, 60, quicker, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RECORDED);
    CHECK_NEAR(s.info->cpu_ms, 0.400, 1e-6);
    done(&s);
    check_case("where the CPU bound it, the step's time is the measure: 3 and 5 % from the clock");
}

static void test_kernels(void) {
    static const char noted[] = "\"habitat\": {\"iteration_ms\": 0.330, \"cpu_ms\": 0.150},";
    static const char far[] = "\"habitat\": {\"iteration_ms\": 0.400, \"cpu_ms\": 0.150},";
    subject s = SUBJECT(plain, 60, noted, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_CLOCK);
    CHECK_NEAR(s.info->cpu_ms, of_both(0.150, 0.048), 1e-9);
    CHECK_NEAR(s.info->gap_scale, 2.2, 1e-9);
    CHECK_NEAR(s.info->kernel_scale, (330.0 - 2.2 * 3.1) / 300.0, 1e-6);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.330, 1e-6);
    done(&s);
    check_case("what pauses do not explain is not the CPU's where the clock says it was done");
    s = SUBJECT(plain, 60, far, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RECORDED);
    CHECK_NEAR(s.info->cpu_ms, 0.400, 1e-6);
    CHECK_NEAR(s.info->kernel_scale, 1.0, 1e-9);
    done(&s);
    check_case("more than kernels take is: iterations in a row differ from those of the clock");
}

/* As `plain`, the second kernel on a stream of its own. */
static const event two_streams[] = {
    {'c', "cudaLaunchKernel", 0, 5, 1, 0, 1, NULL},
    {'c', "cudaLaunchKernel", 20, 5, 1, 0, 2, NULL},
    {'c', "cudaLaunchKernel", 40, 5, 1, 0, 3, NULL},
    {'k', "a", 10, 100, 0, 7, 1, NULL},
    {'k', "b", 111, 100, 0, 8, 2, NULL},
    {'k', "c", 212, 100, 0, 7, 3, NULL},
};

/* The GPU is busy for 300 us: it waits for its CPU in more than 330. */
static void test_waited(void) {
    static const char clocked[] = "\"habitat\": {\"iteration_ms\": 0.340, \"cpu_ms\": 0.150},";
    static const char bare[] = "\"habitat\": {\"iteration_ms\": 0.340},";
    subject s = SUBJECT(plain, 60, clocked, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RECORDED);
    CHECK_NEAR(s.info->cpu_ms, 0.340, 1e-6);
    CHECK_NEAR(s.info->kernel_scale, 1.0, 1e-9);
    CHECK_INT(run(&s, 1.0).bound_by, HABITAT_BY_CPU);
    done(&s);
    check_case("where the GPU of one stream waited, longer kernels do not explain it");
    s = SUBJECT(two_streams, 60, clocked, 0);
    CHECK_INT(s.info->stream_count, 2);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_CLOCK);
    CHECK_NEAR(s.info->cpu_ms, of_both(0.150, 0.048), 1e-9);
    CHECK_NEAR(s.info->gap_scale, 2.2, 1e-9);
    CHECK(s.info->kernel_scale > 1.1);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.340, 1e-6);
    done(&s);
    check_case("of two streams they do: these overlap less than they might");
    s = SUBJECT(two_streams, 60, bare, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RECORDED);
    CHECK_NEAR(s.info->cpu_ms, 0.340, 1e-6);
    done(&s);
    check_case("not without a clock, which alone says that the CPU was done");
}

/* 300 us of the CPU, 240 by rule, 384 within it. */
static const event near[] = {
    {'c', "cudaLaunchKernel", 0, 5, 1, 0, 1, NULL},
    {'c', "cudaLaunchKernel", 140, 5, 1, 0, 2, NULL},
    {'c', "cudaLaunchKernel", 280, 5, 1, 0, 3, NULL},
    {'k', "a", 10, 100, 0, 7, 1, NULL},
    {'k', "b", 150, 100, 0, 7, 2, NULL},
    {'k', "c", 290, 100, 0, 7, 3, NULL},
};

static void test_without_clock(void) {
    static const char noted[] = "\"habitat\": {\"iteration_ms\": 0.325},";
    static const char waited[] = "\"habitat\": {\"iteration_ms\": 0.335},";
    subject s = SUBJECT(plain, 60, noted, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RULE);
    CHECK_NEAR(s.info->cpu_ms, 0.048, 1e-9);
    CHECK_NEAR(s.info->gap_scale, 2.2, 1e-9);
    CHECK_NEAR(s.info->kernel_scale, (325.0 - 2.2 * 3.1) / 300.0, 1e-6);
    CHECK_NEAR(run(&s, 1.0).iteration_ms, 0.325, 1e-6);
    done(&s);
    check_case("where the GPU hardly waited kernels were longer, not the CPU seven times its rule");
    s = SUBJECT(plain, 60, waited, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RECORDED);
    CHECK_NEAR(s.info->cpu_ms, 0.335, 1e-6);
    done(&s);
    check_case("where it waited for more than a tenth it was the CPU");
    s = SUBJECT(near, 300, noted, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RECORDED);
    CHECK_NEAR(s.info->cpu_ms, 0.325, 1e-6);
    CHECK_NEAR(s.info->kernel_scale, 1.0, 1e-9);
    done(&s);
    check_case("and where the rule's interval reaches as far");
}

/* The CPU's side is 60 us under the profiler. */
static void test_beyond_reason(void) {
    static const struct {
        const char *noted;
        habitat_cpu_basis basis;
    } cases[] = {
        {"\"habitat\": {\"iteration_ms\": 0.3035, \"cpu_ms\": 0.005},", HABITAT_CPU_RULE},
        {"\"habitat\": {\"iteration_ms\": 0.3035, \"cpu_ms\": 0.007},", HABITAT_CPU_CLOCK},
        {"\"habitat\": {\"iteration_ms\": 0.3035, \"cpu_ms\": 0.608},", HABITAT_CPU_RULE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        subject s = SUBJECT(plain, 60, cases[i].noted, 0);
        CHECK_INT(s.info->cpu_basis, cases[i].basis);
        done(&s);
    }
    check_case("less than a tenth of the profiled CPU, or two iterations, is of something else");
}

static void test_waiting(void) {
    static const char noted[] = "\"habitat\": {\"iteration_ms\": 0.3145, \"cpu_ms\": 0.318},";
    subject s = SUBJECT(blocking, 320, noted, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RULE);
    done(&s);
    check_case("an iteration that waits for its GPU has a clock that says nothing of the CPU");
}

/* A forward pass, a backward pass and an optimiser's step, a kernel each; then the CPU waits. Where
 * the clock stops at 18 and 38, the parts end on the CPU at 0, 28 and 12 + 5 + 1 + 10 + 3 + 5. */
static const event parts[] = {
    {'c', "cudaLaunchKernel", 0, 5, 1, 0, 1, NULL},
    {'o', "autograd::engine::evaluate_function: AddBackward0", 18, 10, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 20, 5, 1, 0, 2, NULL},
    {'s', "Optimizer.step#SGD.step", 38, 190, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 40, 5, 1, 0, 3, NULL},
    {'k', "a", 10, 100, 0, 7, 1, NULL},
    {'k', "b", 111, 100, 0, 7, 2, NULL},
    {'k', "c", 212, 10, 0, 7, 3, NULL},
    {'c', "cudaDeviceSynchronize", 45, 180, 1, 0, 4, NULL},
};

static void test_parts(void) {
    static const char stopped[] =
        "\"habitat\": {\"iteration_ms\": 0.2255, \"cpu_ms\": 0.064, \"cpu_ms_parts\": 3},";
    static const char whole[] =
        "\"habitat\": {\"iteration_ms\": 0.2255, \"cpu_ms\": 0.064, \"cpu_ms_parts\": 1},";
    subject s = SUBJECT(parts, 230, stopped, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_CLOCK);
    CHECK_NEAR(s.info->cpu_ms, of_both(s.info->profiled_cpu_ms, RULE_MS(parts, 230, stopped)),
               1e-6);
    done(&s);
    check_case(
        "where the clock stopped, the GPU had caught up, and what waits in a part waits less");
    s = SUBJECT(parts, 230, whole, 0);
    CHECK(s.info->cpu_basis != HABITAT_CPU_CLOCK);
    done(&s);
    check_case("without a stop 64 us would be less than the wait alone");
}

/* A backward pass of four gradients; then the CPU waits. Stopped before it and after the second
 * gradient, the parts end on the CPU at 25 and 35 + 4 + 5; without the latter stop at 135 + 5. */
#define GRADIENT "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"
static const event gradients[] = {
    {'o', GRADIENT, 0, 5, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 10, 5, 1, 0, 1, NULL},
    {'o', GRADIENT, 20, 5, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 30, 5, 1, 0, 2, NULL},
    {'o', GRADIENT, 40, 5, 1, 0, 0, NULL},
    {'o', GRADIENT, 50, 5, 1, 0, 0, NULL},
    {'k', "a", 20, 100, 0, 7, 1, NULL},
    {'k', "b", 121, 10, 0, 7, 2, NULL},
    {'c', "cudaDeviceSynchronize", 60, 75, 1, 0, 3, NULL},
};

/* *clock_share: what the clock says, of the profiled CPU. */
static habitat_cpu_basis basis_with(const char *more, double *clock_share) {
    char noted[160];
    snprintf(noted, sizeof noted, "\"habitat\": {\"iteration_ms\": 0.1355, \"cpu_ms\": 0.069, %s},",
             more);
    subject s = SUBJECT(gradients, 140, noted, 0);
    habitat_cpu_basis basis = s.info->cpu_basis;
    double rule_ms = RULE_MS(gradients, 140, noted);
    *clock_share = pow(s.info->cpu_ms / pow(rule_ms, 0.4), 1.0 / 0.6) / s.info->profiled_cpu_ms;
    done(&s);
    return basis;
}

static void test_gradients(void) {
    double share = 0.0;
    CHECK_INT(basis_with("\"cpu_ms_parts\": 3, \"cpu_ms_gradients\": 2", &share),
              HABITAT_CPU_CLOCK);
    CHECK_NEAR(share, 1.0, 1e-6);
    check_case("where the clock stopped within the backward pass, the GPU had caught up, too");
    CHECK(basis_with("\"cpu_ms_parts\": 2", &share) != HABITAT_CPU_CLOCK);
    CHECK(basis_with("\"cpu_ms_parts\": 1, \"cpu_ms_gradients\": 2", &share) != HABITAT_CPU_CLOCK);
    CHECK(basis_with("\"cpu_ms_parts\": 3, \"cpu_ms_gradients\": 4", &share) != HABITAT_CPU_CLOCK);
    check_case("without that stop 69 us would be less than the wait alone");
}

/* Twice three gradients: of each iteration the clock stops after the second. */
static const event twice[] = {
    {'o', GRADIENT, 0, 5, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 10, 5, 1, 0, 1, NULL},
    {'o', GRADIENT, 20, 5, 1, 0, 0, NULL},
    {'o', GRADIENT, 40, 5, 1, 0, 0, NULL},
    {'k', "a", 20, 100, 0, 7, 1, NULL},
    {'c', "cudaDeviceSynchronize", 60, 65, 1, 0, 2, NULL},
    {'s', "ProfilerStep#2", 130, 130, 1, 0, 0, NULL},
    {'o', GRADIENT, 130, 5, 1, 0, 0, NULL},
    {'c', "cudaLaunchKernel", 140, 5, 1, 0, 3, NULL},
    {'o', GRADIENT, 150, 5, 1, 0, 0, NULL},
    {'o', GRADIENT, 170, 5, 1, 0, 0, NULL},
    {'k', "a", 150, 100, 0, 8, 3, NULL}, /* streams that may overlap less */
    {'c', "cudaDeviceSynchronize", 190, 65, 1, 0, 4, NULL},
};

static void test_iterations(void) {
    static const char noted[] =
        "\"habitat\": {\"iteration_ms\": 0.130, \"cpu_ms\": 0.070, \"cpu_ms_parts\": 3, "
        "\"cpu_ms_gradients\": 2},";
    subject s = SUBJECT(twice, 130, noted, 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_CLOCK);
    CHECK_NEAR(s.info->cpu_ms, of_both(s.info->profiled_cpu_ms, RULE_MS(twice, 130, noted)), 1e-6);
    done(&s);
    check_case("gradients are counted anew in every iteration");
}

/* 1,500 launches of 1 us, kernels of `kernel_us` in a row. */
enum { MANY = 1500 };
static void fill(event *list, double kernel_us) {
    for (unsigned i = 0; i < MANY; i++) {
        list[i] = (event){'c', "cudaLaunchKernel", i, 0.5, 1, 0, i + 1, NULL};
        list[MANY + i] =
            (event){'k', "a", 2.0 + i * (kernel_us + 1.0), kernel_us, 0, 7, i + 1, NULL};
    }
}

static void test_queue(void) {
    static event list[2 * MANY];
    fill(list, 9.0); /* 15 ms: 1,350 kernels are to be done after 1.5 ms, 300 after 12 */
    subject s = SUBJECT(list, MANY, "\"habitat\": {\"iteration_ms\": 15.0, \"cpu_ms\": 1.5},", 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_RULE);
    done(&s);
    check_case("where the GPU's queue was full the clock is the GPU's");
    s = SUBJECT(list, MANY, "\"habitat\": {\"iteration_ms\": 15.0, \"cpu_ms\": 12.0},", 0);
    CHECK_INT(s.info->cpu_basis, HABITAT_CPU_CLOCK);
    CHECK_NEAR(s.info->cpu_ms, of_both(12.0, 1.2), 1e-6);
    done(&s);
    check_case("where it had room it is the CPU's");
}

int main(void) {
    gpu = made_gpu("made", 10, 1.0, 1000, 10);
    test_told();
    test_bound_by_cpu();
    test_kernels();
    test_waited();
    test_without_clock();
    test_beyond_reason();
    test_waiting();
    test_parts();
    test_gradients();
    test_iterations();
    test_queue();
    return check_done();
}
