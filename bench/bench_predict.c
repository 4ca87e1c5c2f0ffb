/* Time of predicting a trace onto every GPU, beyond reading it: the library alone, one thread.
 *
 * usage: bench_predict TRACE [KERNELS]
 * The prediction of each method is checked first (every GPU covered, origin given back). Reported:
 * the workload's set-up, ns per kernel and GPU, and the CPU of all GPUs for KERNELS kernels (2500:
 * the trace's own cost, scaled), with its budget. */
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
    fprintf(stderr, "bench_predict: %s\n", err->message);
    exit(1);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values) {
    qsort(values, RUNS, sizeof *values, by_value);
    return values[RUNS / 2];
}

/* Sum over all GPUs, so that no call can be left out; checks each prediction. */
static double predict_all(const habitat_workload *w, const habitat_gpu_table *table,
                          habitat_method method) {
    double sum_ms = 0;
    const habitat_workload_info *info = habitat_workload_get_info(w);
    habitat_error err = {0};
    habitat_predictor *ready = NULL;
    if (habitat_predictor_create(w, method, NULL, &ready, &err) != HABITAT_OK)
        fail(&err);
    for (size_t i = 0; i < habitat_gpu_count(table); i++) {
        habitat_prediction *p = NULL;
        const habitat_gpu *gpu = habitat_gpu_at(table, i);
        if (habitat_predictor_predict(ready, gpu, &p, &err) != HABITAT_OK)
            fail(&err);
        bool same = gpu != info->origin || p->kernel_ms == info->kernel_ms;
        if (!(p->kernel_ms > 0) || !same) {
            fprintf(stderr, "bench_predict: wrong result for %s\n", habitat_gpu_name(gpu));
            exit(1);
        }
        sum_ms += p->kernel_ms;
        habitat_prediction_free(p);
    }
    habitat_predictor_free(ready);
    return sum_ms;
}

int main(int argc, char **argv) {
    static const struct {
        habitat_method method;
        double budget_ms; /* for 2500 kernels onto every GPU; 0 = none */
    } methods[] = {{HABITAT_METHOD_WAVE, 50},    {HABITAT_METHOD_AUTO, 300},
                   {HABITAT_METHOD_ROOFLINE, 0}, {HABITAT_METHOD_WAVE_LARGE, 0},
                   {HABITAT_METHOD_FLOPS, 0},    {HABITAT_METHOD_BANDWIDTH, 0}};
    if (argc < 2) {
        fprintf(stderr, "usage: bench_predict TRACE [KERNELS]\n");
        return 2;
    }
    double scale_to = argc > 2 ? atof(argv[2]) : 2500;
    habitat_error err = {0};
    habitat_gpu_table *table = NULL;
    habitat_trace *trace = NULL;
    habitat_workload *w = NULL;
    const habitat_gpu *origin = NULL;
    if (habitat_gpu_table_create(NULL, &table, &err) != HABITAT_OK ||
        habitat_trace_read(argv[1], &trace, &err) != HABITAT_OK ||
        habitat_gpu_match(table, &habitat_trace_get_info(trace)->device_facts, &origin, &err) !=
            HABITAT_OK)
        fail(&err);

    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        habitat_workload_free(w);
        double begun = cpu_ms();
        if (habitat_workload_create(trace, origin, &w, &err) != HABITAT_OK)
            fail(&err);
        times[run] = cpu_ms() - begun;
    }
    size_t kernels = 0, gpus = habitat_gpu_count(table);
    habitat_workload_kernels(w, &kernels);
    double setup_ms = median(times) * scale_to / (double)kernels;
    printf("%zu kernels and copies, %zu GPUs; set-up %.0f ns a kernel\n", kernels, gpus,
           setup_ms * 1e6 / scale_to);
    printf("%-12s %16s %22s %12s\n", "method", "ns/kernel/GPU", "CPU ms, all GPUs", "budget ms");
    int over = 0;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        predict_all(w, table, methods[m].method);
        for (int run = 0; run < RUNS; run++) {
            double begun = cpu_ms();
            predict_all(w, table, methods[m].method);
            times[run] = cpu_ms() - begun;
        }
        double per_kernel_ns = median(times) * 1e6 / (double)kernels / (double)gpus;
        double all_ms = setup_ms + per_kernel_ns * scale_to * (double)gpus / 1e6;
        printf("%-12s %16.1f %22.1f", habitat_method_name(methods[m].method), per_kernel_ns,
               all_ms);
        if (methods[m].budget_ms > 0) {
            printf(" %12.0f", methods[m].budget_ms);
            over += all_ms > methods[m].budget_ms;
        }
        printf("\n");
    }
    habitat_workload_free(w);
    habitat_trace_free(trace);
    habitat_gpu_table_free(table);
    return over ? 1 : 0;
}
