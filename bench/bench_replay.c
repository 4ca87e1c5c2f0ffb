/* Replaying traces onto every GPU: CPU time of rebuilding and calibrating the graph, and of the
 * replays, against the budget of the design (500 ms for 2,500 kernels on one core, prediction by
 * `auto` included); the least of 5 runs. usage: bench_replay TRACE... */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <habitat/habitat.h>

enum { RUNS = 5 };
static const double budget_ms = 500, budget_kernels = 2500;

static void fail(const habitat_error *err) {
    fprintf(stderr, "bench_replay: %s\n", err->message);
    exit(1);
}

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* A busy neighbour of the core only adds. */
static double least(const double *times) {
    double best = times[0];
    for (int i = 1; i < RUNS; i++)
        best = times[i] < best ? times[i] : best;
    return best;
}

/* CPU time of answering for every GPU of the table. */
static double ask_ms(const habitat_trace *trace, const habitat_gpu_table *table,
                     habitat_assemble assemble) {
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        habitat_request request;
        habitat_answer *answer = NULL;
        habitat_error err = {0};
        habitat_request_init(&request);
        request.trace = trace;
        request.gpus = table;
        request.assemble = assemble;
        double begun = cpu_ms();
        if (habitat_ask(&request, &answer, &err) != HABITAT_OK)
            fail(&err);
        times[run] = cpu_ms() - begun;
        habitat_answer_free(answer);
    }
    return least(times);
}

static void describe(const habitat_trace *trace, const habitat_gpu_table *table) {
    habitat_error err = {0};
    habitat_workload *w = NULL;
    habitat_replay *r = NULL;
    const habitat_gpu *origin = NULL;
    double times[RUNS];
    if (habitat_gpu_match(table, &habitat_trace_get_info(trace)->device_facts, &origin, &err) !=
            HABITAT_OK ||
        habitat_workload_create(trace, origin, &w, &err) != HABITAT_OK)
        fail(&err);
    for (int run = 0; run < RUNS; run++) {
        habitat_replay_free(r);
        double begun = cpu_ms();
        if (habitat_replay_create(w, NULL, &r, &err) != HABITAT_OK)
            fail(&err);
        times[run] = cpu_ms() - begun;
    }
    const habitat_replay_info *info = habitat_replay_get_info(r);
    printf("replay: %zu points, %zu edges, %zu streams; graph and calibration %.1f ms, %.0f ns a "
           "point\n",
           info->trace_node_count, info->trace_edge_count, info->stream_count, least(times),
           least(times) * 1e6 / (double)info->trace_node_count);
    habitat_replay_free(r);
    habitat_workload_free(w);
}

/* Without copies and sets. */
static size_t kernels_of(const habitat_trace *trace) {
    size_t count = 0, kernels = 0;
    const habitat_kernel *all = habitat_trace_kernels(trace, &count);
    for (size_t i = 0; i < count; i++)
        kernels += all[i].form->kind == HABITAT_KERNEL_COMPUTE ||
                   all[i].form->kind == HABITAT_KERNEL_COLLECTIVE;
    return kernels;
}

/* Whether the trace is within the budget. */
static bool bench(const char *path, const habitat_gpu_table *table) {
    habitat_error err = {0};
    habitat_trace *trace = NULL;
    if (habitat_trace_read(path, &trace, &err) != HABITAT_OK)
        fail(&err);
    size_t kernels = kernels_of(trace);
    printf("%s\n", path);
    describe(trace, table);
    double sum = ask_ms(trace, table, HABITAT_ASSEMBLE_SUM);
    double all = ask_ms(trace, table, HABITAT_ASSEMBLE_REPLAY);
    double scaled = all * budget_kernels / (double)kernels;
    printf("auto onto %zu GPUs, CPU ms: sum %.1f, replay %.1f of %zu kernels, %.1f of %.0f, budget "
           "%.0f: %s\n",
           habitat_gpu_count(table), sum, all, kernels, scaled, budget_kernels, budget_ms,
           scaled > budget_ms ? "MISSED" : "met");
    habitat_trace_free(trace);
    return scaled <= budget_ms;
}

int main(int argc, char **argv) {
    habitat_error err = {0};
    habitat_gpu_table *table = NULL;
    bool met = true;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_replay TRACE...\n");
        return 2;
    }
    if (habitat_gpu_table_create(NULL, &table, &err) != HABITAT_OK)
        fail(&err);
    for (int i = 1; i < argc; i++)
        met &= bench(argv[i], table);
    habitat_gpu_table_free(table);
    return !met;
}
