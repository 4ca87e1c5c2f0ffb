/* Time of the paper's networks: every kernel-varying operation of an iteration onto every GPU, in
 * one call, one thread. Reading the built-in models is timed apart: it happens once a process.
 *
 * usage: bench_models TRACE
 * Exit 1 when the call is over its budget of 100 ms. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <habitat/habitat.h>

enum { RUNS = 9 };

static double cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void fail(const habitat_error *err) {
    fprintf(stderr, "bench_models: %s\n", err->message);
    exit(1);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t questions_of(const habitat_workload *w, habitat_model_query *out) {
    size_t count, n = 0;
    const habitat_workload_group *groups = habitat_workload_groups(w, &count);
    for (size_t i = 0; i < count; i++)
        if (groups[i].work->known && groups[i].work->varying)
            out[n++] = (habitat_model_query){.work = groups[i].work};
    return n;
}

int main(int argc, char **argv) {
    const double budget_ms = 100;
    habitat_error err = {0};
    habitat_gpu_table *table = NULL;
    habitat_trace *trace = NULL;
    habitat_workload *w = NULL;
    habitat_models *models = NULL;
    const habitat_gpu *origin = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: bench_models TRACE\n");
        return 2;
    }
    double begun = cpu_ms();
    if (habitat_models_load_default(&models, &err) != HABITAT_OK)
        fail(&err);
    double reading_ms = cpu_ms() - begun;
    if (habitat_gpu_table_create(NULL, &table, &err) != HABITAT_OK ||
        habitat_trace_read(argv[1], &trace, &err) != HABITAT_OK ||
        habitat_gpu_match(table, &habitat_trace_get_info(trace)->device_facts, &origin, &err) !=
            HABITAT_OK ||
        habitat_workload_create(trace, origin, &w, &err) != HABITAT_OK)
        fail(&err);
    size_t groups, gpu_count = habitat_gpu_count(table), covered = 0;
    habitat_workload_groups(w, &groups);
    habitat_model_query *queries = calloc(groups, sizeof *queries);
    const habitat_gpu **gpus = calloc(gpu_count, sizeof *gpus);
    if (!queries || !gpus)
        return 1;
    size_t n = questions_of(w, queries);
    for (size_t g = 0; g < gpu_count; g++)
        gpus[g] = habitat_gpu_at(table, g);
    habitat_model_estimate *out = calloc(n * gpu_count + 1, sizeof *out);
    double times[RUNS];
    for (int run = 0; out && run < RUNS; run++) {
        begun = cpu_ms();
        if (habitat_models_predict(models, HABITAT_MODEL_PAPER, gpu_count, gpus, n, queries, out,
                                   &err) != HABITAT_OK)
            fail(&err);
        times[run] = cpu_ms() - begun;
    }
    for (size_t i = 0; out && i < n * gpu_count; i++)
        covered += out[i].covered;
    qsort(times, RUNS, sizeof *times, by_value);
    printf("networks of method mlp: %zu kernel-varying operations onto %zu GPUs, %zu answers, in "
           "%.1f ms (budget %.0f); reading the models %.1f ms, once\n",
           n, gpu_count, covered, times[RUNS / 2], budget_ms, reading_ms);
    bool over = times[RUNS / 2] > budget_ms || covered == 0;
    free(out);
    free(queries);
    free(gpus);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    habitat_gpu_table_free(table);
    habitat_models_free(models);
    return over ? 1 : 0;
}
