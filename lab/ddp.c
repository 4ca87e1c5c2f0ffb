/* Iterations of several GPUs, predicted from a recording on one, against measurements of the same
 * step on the same host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/csv.h>
#include <habitat/predict.h>
#include <habitat/replay.h>
#include <habitat/trace.h>

#include "base/error.h"
#include "lab/evaluate.h"

/* One measured step. Times per iteration [ms]. */
typedef struct ddp_case {
    char name[96]; /* "resnet50_b64_tf32" */
    uint32_t gpus;
    double measured_ms, one_ms, predicted_ms, low_ms, high_ms, communication_ms, exposed_ms;
    bool gpu_binds;
} ddp_case;

typedef struct ddp_set {
    ddp_case *cases;
    size_t count;
} ddp_set;

/* "resnet50", 64, "amp-bf16": the recording is resnet50_b64_amp_bf16_h200.json.gz. */
static void name_of(const habitat_csv_reader *table, char *out, size_t size) {
    const char *model = habitat_csv_text(table, "model");
    const char *precision = habitat_csv_text(table, "precision");
    const char *batch = habitat_csv_text(table, "batch");
    snprintf(out, size, "%s_b%s_%s", model ? model : "", batch ? batch : "",
             precision ? precision : "");
    for (char *c = out; *c; c++)
        *c = *c == '-' ? '_' : *c;
}

static habitat_status predict(const habitat_gpu_table *gpus, const char *folder, ddp_case *c,
                              habitat_error *err) {
    char path[4096];
    habitat_trace *trace = NULL;
    habitat_workload *w = NULL;
    habitat_replay *r = NULL;
    habitat_prediction *p = NULL;
    const habitat_gpu *gpu = NULL;
    snprintf(path, sizeof path, "%s/two_gpus/%s_h200.json.gz", folder, c->name);
    habitat_status status = habitat_trace_read(path, &trace, err);
    if (status == HABITAT_OK)
        status = habitat_gpu_match(gpus, &habitat_trace_get_info(trace)->device_facts, &gpu, err);
    if (status == HABITAT_OK)
        status = habitat_workload_create(trace, gpu, &w, err);
    if (status == HABITAT_OK)
        status = habitat_replay_create(w, NULL, &r, err);
    if (status == HABITAT_OK)
        status = habitat_predict(w, gpu, HABITAT_METHOD_AUTO, &p, err);
    if (status == HABITAT_OK)
        status = habitat_replay_apply_parallel(r, c->gpus, p, err);
    if (status == HABITAT_OK) {
        c->one_ms = habitat_workload_get_info(w)->iteration_ms;
        c->predicted_ms = p->iteration_ms;
        c->low_ms = p->low_ms;
        c->high_ms = p->high_ms;
        c->communication_ms = p->communication_ms;
        c->exposed_ms = p->exposed_ms;
        c->gpu_binds = habitat_workload_get_info(w)->bound_by == HABITAT_BY_GPU;
    }
    habitat_prediction_free(p);
    habitat_replay_free(r);
    habitat_workload_free(w);
    habitat_trace_free(trace);
    return status;
}

static habitat_status collect(const habitat_gpu_table *gpus, const char *folder, ddp_set *out,
                              habitat_error *err) {
    char path[4096];
    habitat_csv_reader *table = NULL;
    const char *record = NULL;
    snprintf(path, sizeof path, "%s/two_gpus/measured_ddp.csv", folder);
    habitat_status status = habitat_csv_open(path, &table, err);
    while (status == HABITAT_OK) {
        status = habitat_csv_next(table, &record, err);
        if (status != HABITAT_OK || !record)
            break;
        ddp_case *grown = realloc(out->cases, (out->count + 1) * sizeof *grown);
        if (!grown) {
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
            break;
        }
        out->cases = grown;
        ddp_case *c = &grown[out->count++];
        *c = (ddp_case){.gpus = (uint32_t)habitat_csv_number(table, "gpus"),
                        .measured_ms = habitat_csv_number(table, "iteration_ms")};
        name_of(table, c->name, sizeof c->name);
        status = predict(gpus, folder, c, err);
    }
    habitat_csv_close(table);
    return status;
}

/* ---- tables ---- */

/* The GPU sets the step on one GPU, by a fifth: the others hang on the host. */
static bool is_listed_apart(const ddp_case *c) {
    return !c->gpu_binds;
}

static void print_mean(const ddp_set *set, report_text *text, bool apart, const char *title) {
    double sum = 0.0, worst = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const ddp_case *c = &set->cases[i];
        if (is_listed_apart(c) != apart)
            continue;
        double error = fabs(c->predicted_ms / c->measured_ms - 1.0);
        sum += error;
        worst = fmax(worst, error);
        count++;
    }
    if (count)
        report_print(text, "%s: mean %.2f %%, worst %.2f %% of %zu steps.\n", title,
                     100.0 * sum / (double)count, 100.0 * worst, count);
}

static void print_table(const ddp_set *set, report_text *text) {
    report_print(text,
                 "## Several GPUs: DistributedDataParallel from one GPU\n\nms. One GPU: as "
                 "recorded without the profiler; predicted: the same step on all GPUs.\n\n"
                 "| step | GPUs | one GPU | measured | predicted | interval | error %% | messages "
                 "| exposed |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < set->count; i++) {
        const ddp_case *c = &set->cases[i];
        report_print(
            text, "| %s%s | %u | %.2f | %.2f | %.2f | %.2f..%.2f | %+.2f | %.2f | %.2f |\n",
            c->name, is_listed_apart(c) ? " (CPU)" : "", c->gpus, c->one_ms, c->measured_ms,
            c->predicted_ms, c->low_ms, c->high_ms,
            100.0 * (c->predicted_ms / c->measured_ms - 1.0), c->communication_ms, c->exposed_ms);
    }
    report_print(text, "\n");
    print_mean(set, text, false, "Where the GPU binds");
    print_mean(set, text, true, "Where the CPU binds on one GPU");
}

static void print_csv(const ddp_set *set, report_text *text) {
    report_print(text, "step,gpus,one_ms,measured_ms,predicted_ms,low_ms,high_ms,communication_ms,"
                       "exposed_communication_ms,cpu_bound\n");
    for (size_t i = 0; i < set->count; i++) {
        const ddp_case *c = &set->cases[i];
        report_print(text, "%s,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d\n", c->name, c->gpus,
                     c->one_ms, c->measured_ms, c->predicted_ms, c->low_ms, c->high_ms,
                     c->communication_ms, c->exposed_ms, is_listed_apart(c));
    }
}

habitat_status habitat_evaluate_ddp(const habitat_gpu_table *gpus, const char *folder, bool csv,
                                    habitat_text_sink sink, void *context, habitat_error *err) {
    if (!gpus || !folder || !sink)
        return habitat_fail(err, HABITAT_E_ARG, "no table, folder or sink given");
    ddp_set set = {0};
    report_text text = {sink, context, false, false};
    habitat_status status = collect(gpus, folder, &set, err);
    if (status == HABITAT_OK)
        (csv ? print_csv : print_table)(&set, &text);
    if (status == HABITAT_OK && text.failed)
        status = habitat_fail(err, HABITAT_E_IO, "the output was refused");
    free(set.cases);
    return status;
}
