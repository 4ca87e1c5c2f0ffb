/* Replaying one trace onto every GPU: CPU time of rebuilding and calibrating the graph, and of the
 * replays, against the budget of the design (500 ms for BERT-Large on one core, prediction by
 * `auto` included). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <habitat/habitat.h>

enum { RUNS = 5 };
static const double budget_ms = 500;

static void fail(const habitat_error *err) {
    fprintf(stderr, "bench_replay: %s\n", err->message);
    exit(1);
}

static double cpu_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double *times) {
    qsort(times, RUNS, sizeof *times, compare);
    return times[RUNS / 2];
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
    return median(times);
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
           info->trace_node_count, info->trace_edge_count, info->stream_count, median(times),
           median(times) * 1e6 / (double)info->trace_node_count);
    habitat_replay_free(r);
    habitat_workload_free(w);
}

int main(int argc, char **argv) {
    habitat_error err = {0};
    habitat_gpu_table *table = NULL;
    habitat_trace *trace = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_replay TRACE\n");
        return 2;
    }
    if (habitat_gpu_table_create(NULL, &table, &err) != HABITAT_OK ||
        habitat_trace_read(argv[1], &trace, &err) != HABITAT_OK)
        fail(&err);
    describe(trace, table);
    double sum = ask_ms(trace, table, HABITAT_ASSEMBLE_SUM);
    double all = ask_ms(trace, table, HABITAT_ASSEMBLE_REPLAY);
    printf("auto onto %zu GPUs, CPU ms: sum %.1f, replay %.1f, budget %.0f\n",
           habitat_gpu_count(table), sum, all, budget_ms);
    habitat_trace_free(trace);
    habitat_gpu_table_free(table);
    return all > budget_ms;
}
