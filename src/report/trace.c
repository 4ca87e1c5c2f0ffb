/* habitat info: what is in a trace, where its time goes, what is missing and what to do about it.
 * Here the facts, and what JSON and CSV hold; trace_text.c has the text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/memory.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "report/device_rows.h"
#include "report/rank_rows.h"
#include "report/shared_pieces.h"
#include "report/trace_missing.h"
#include "report/trace_text.h"
#include "trace/gradients.h"
#include "workload/workload.h"

enum { FACTS_MAX = 64 };

/* One fact, in the form JSON and CSV hold it. */
typedef enum fact_kind { FACT_TEXT, FACT_NUMBER, FACT_INTEGER, FACT_KNOWN, FACT_BOOLEAN } fact_kind;
typedef struct fact {
    const char *key;
    fact_kind kind;
    const char *text;
    double number;
    uint64_t integer; /* FACT_KNOWN: 0 is unknown */
} fact;

/* The parts of its memory; all NaN where they are not known. */
static habitat_status find_memory(trace_subject *s, habitat_error *err) {
    const habitat_workload *w = s->what->workload;
    const habitat_memory *known = w && w->trace == s->what->trace ? w->memory : NULL;
    habitat_memory *memory = NULL;
    habitat_status status =
        known ? HABITAT_OK
              : habitat_memory_create(s->what->trace, w ? w->info.origin : NULL, &memory, err);
    s->memory = (habitat_memory_parts){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    if (status == HABITAT_OK)
        (void)habitat_memory_predict(known ? known : memory, 1, HABITAT_MEMORY_RECORDED,
                                     &s->memory);
    habitat_memory_free(memory);
    return status;
}

/* Sums of gradients are for one GPU's step: with collectives it is of several already. */
static habitat_status find_gradients(trace_subject *s, habitat_error *err) {
    trace_gradients found;
    habitat_status status = trace_gradients_of(s->what->trace, &found, err);
    s->gradients = found.source;
    s->gradients_unsized = found.shown && !found.source && !s->n.collectives;
    trace_gradients_free(&found);
    return status;
}

/* Where the peak is from; NULL: not known. */
static const char *memory_basis(const trace_subject *s) {
    switch (s->memory.basis) {
    case HABITAT_MEMORY_MEASURED:
        return s->trace->memory.peak_from_events ? "profile" : "recorded";
    case HABITAT_MEMORY_SHAPES:
        return "shapes";
    case HABITAT_MEMORY_TENSORS:
        return "tensors";
    case HABITAT_MEMORY_SCALED:
    case HABITAT_MEMORY_UNKNOWN:
        break;
    }
    return NULL;
}

static void count_kernels(trace_subject *s) {
    size_t count;
    const habitat_kernel *kernels = habitat_trace_kernels(s->what->trace, &count);
    uint32_t seen[64] = {0};
    for (size_t i = 0; i < count; i++) {
        const habitat_kernel_form *k = kernels[i].form;
        if (k->device != s->trace->device)
            continue;
        s->n.kernels += k->kind == HABITAT_KERNEL_COMPUTE || k->kind == HABITAT_KERNEL_COLLECTIVE;
        s->n.copies += k->kind == HABITAT_KERNEL_MEMCPY;
        s->n.sets += k->kind == HABITAT_KERNEL_MEMSET;
        s->n.collectives += k->kind == HABITAT_KERNEL_COLLECTIVE;
        s->n.graph_kernels += kernels[i].in_graph;
        size_t at = 0;
        while (at < s->n.streams && seen[at] != k->stream)
            at++;
        if (at == s->n.streams && at < sizeof seen / sizeof seen[0])
            seen[s->n.streams++] = k->stream;
    }
}

static void count_all(trace_subject *s) {
    size_t count;
    const habitat_operation *ops = habitat_trace_operations(s->what->trace, &count);
    for (size_t i = 0; i < count; i++)
        s->n.modules += ops[i].form->kind == HABITAT_OPERATION_MODULE;
    s->n.operations = count_operations(s->what->trace);
    count_kernels(s);
    const habitat_iteration *iterations = habitat_trace_iterations(s->what->trace, &count);
    for (size_t i = 0; i < count; i++) {
        s->kernel_ms += iterations[i].kernel_ms / (double)count;
        s->copy_ms += iterations[i].copy_ms / (double)count;
        s->busy_ms += iterations[i].busy_ms / (double)count;
    }
    if (s->workload) {
        s->kernel_ms = s->workload->kernel_ms;
        s->copy_ms = s->workload->copy_ms;
        s->busy_ms = s->workload->busy_ms;
    }
    if (!s->trace->device_count) /* of the CPU alone: a GPU's times are unknown, not 0 */
        s->kernel_ms = s->copy_ms = s->busy_ms = NAN;
}

static const char *bound_text(const trace_subject *s) {
    habitat_bound_by by = s->workload ? s->workload->bound_by : HABITAT_BY_UNKNOWN;
    return by == HABITAT_BY_GPU ? "gpu" : by == HABITAT_BY_CPU ? "cpu" : NULL;
}

static const char *iterations_by(const trace_subject *s) {
    switch (s->trace->iterations_by) {
    case HABITAT_ITERATIONS_WHOLE:
        return "whole";
    case HABITAT_ITERATIONS_MARKED:
        return "marked";
    case HABITAT_ITERATIONS_RANGE:
        return "range";
    case HABITAT_ITERATIONS_COUNTED:
        return "counted";
    }
    return NULL;
}

/* Without a peak nothing tells the parts from nothing. */
static double part_of(const trace_subject *s, double bytes) {
    return isfinite(s->memory.peak_bytes) ? bytes : (double)NAN;
}

static size_t list_facts(const trace_subject *s, fact *out) {
    const habitat_trace_info *t = s->trace;
    const habitat_device_facts *d = &t->device_facts;
    const fact all[] = {
        {.key = "file", .text = t->file},
        {.key = "sha256", .text = s->sha256[0] ? s->sha256 : NULL},
        {.key = "format", .text = t->format},
        {.key = "file_bytes", FACT_KNOWN, .integer = t->file_bytes},
        {.key = "json_bytes", FACT_KNOWN, .integer = t->json_bytes},
        {.key = "gpu", .text = s->workload ? s->workload->origin->name : NULL},
        {.key = "device_name", .text = d->name},
        {.key = "device_memory_bytes", FACT_KNOWN, .integer = d->memory_bytes},
        {.key = "device_sm_count", FACT_KNOWN, .integer = d->sm_count},
        {.key = "devices", FACT_INTEGER, .integer = t->device_count},
        {.key = "streams", FACT_INTEGER, .integer = s->n.streams},
        {.key = "iterations", FACT_INTEGER, .integer = t->iteration_count},
        {.key = "iterations_by", .text = iterations_by(s)},
        {.key = "iteration_ms", FACT_NUMBER, .number = trace_subject_iteration_ms(s)},
        {.key = "iteration_source", .text = isfinite(t->iteration_ms) ? "recorded" : "trace"},
        {.key = "kernel_ms", FACT_NUMBER, .number = s->kernel_ms},
        {.key = "copy_ms", FACT_NUMBER, .number = s->copy_ms},
        {.key = "busy_ms", FACT_NUMBER, .number = s->busy_ms},
        {.key = "waiting_share",
         FACT_NUMBER,
         .number = s->workload ? s->workload->waiting_share : (double)NAN},
        {.key = "bound_by", .text = bound_text(s)},
        {.key = "kernels", FACT_INTEGER, .integer = s->n.kernels},
        {.key = "copies", FACT_INTEGER, .integer = s->n.copies},
        {.key = "sets", FACT_INTEGER, .integer = s->n.sets},
        {.key = "collectives", FACT_INTEGER, .integer = s->n.collectives},
        {.key = "graph_kernels", FACT_INTEGER, .integer = s->n.graph_kernels},
        {.key = "operations", FACT_INTEGER, .integer = s->n.operations},
        {.key = "modules", FACT_INTEGER, .integer = s->n.modules},
        {.key = "batch_size", FACT_KNOWN, .integer = t->batch_size},
        {.key = "batch_size_source", .text = batch_source_name(t)},
        {.key = "gradients_source", .text = trace_gradients_source_name(s->gradients)},
        {.key = "peak_memory_bytes", FACT_NUMBER, .number = s->memory.peak_bytes},
        {.key = "peak_memory_source", .text = memory_basis(s)},
        {.key = "reserved_memory_bytes", FACT_NUMBER, .number = t->memory.reserved_bytes},
        {.key = "parameters_bytes", FACT_NUMBER, .number = part_of(s, s->memory.parameters_bytes)},
        {.key = "gradients_bytes", FACT_NUMBER, .number = part_of(s, s->memory.gradients_bytes)},
        {.key = "optimizer_bytes", FACT_NUMBER, .number = part_of(s, s->memory.optimizer_bytes)},
        {.key = "activations_bytes", FACT_NUMBER, .number = s->memory.activations_bytes},
        {.key = "workspace_bytes", FACT_NUMBER, .number = part_of(s, s->memory.workspace_bytes)},
        {.key = "model", .text = t->model},
        {.key = "framework", .text = t->framework},
        {.key = "cuda_version", .text = t->cuda_version},
        {.key = "hip_version", .text = t->hip_version},
        {.key = "cudnn_version", FACT_KNOWN, .integer = t->cudnn_version},
        {.key = "driver_version", .text = t->driver_version},
        {.key = "command", .text = t->command},
        {.key = "dropped_records", FACT_INTEGER, .integer = t->trace_dropped_records},
        {.key = "skipped_events", FACT_INTEGER, .integer = t->trace_skipped_events},
        {.key = "unlinked_kernels", FACT_INTEGER, .integer = t->trace_unlinked_kernels},
        {.key = "has_operations", FACT_BOOLEAN, .integer = t->has_operations},
        {.key = "has_shapes", FACT_BOOLEAN, .integer = t->has_shapes},
        {.key = "has_counters", FACT_BOOLEAN, .integer = t->has_counters},
    };
    _Static_assert(sizeof all <= FACTS_MAX * sizeof *all, "a list of facts has room for all");
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof all[0];
}

/* ---- JSON and CSV ---- */

static void json_fact(writer *w, const fact *f) {
    switch (f->kind) {
    case FACT_TEXT:
        json_text(w, f->key, f->text);
        return;
    case FACT_NUMBER:
        json_number(w, f->key, f->number);
        return;
    case FACT_INTEGER:
        json_integer(w, f->key, f->integer);
        return;
    case FACT_KNOWN:
        json_known_integer(w, f->key, f->integer);
        return;
    case FACT_BOOLEAN:
        json_boolean(w, f->key, f->integer != 0);
        return;
    }
}

static void write_json(writer *w, const trace_subject *s, const split *classes,
                       const size_t *order) {
    fact facts[FACTS_MAX];
    missing gaps[MISSING_MAX];
    size_t count = list_facts(s, facts), gap_count = trace_subject_missing(s, gaps);
    json_start(w);
    json_map(w, NULL);
    json_integer(w, "schema", 1);
    json_text(w, "habitat", habitat_version());
    json_map(w, "trace");
    for (size_t i = 0; i < count; i++)
        json_fact(w, &facts[i]);
    json_array(w, "iteration_ms_all");
    for (size_t i = 0; i < s->trace->iteration_ms_count; i++)
        json_number(w, NULL, s->trace->iteration_ms_all[i]);
    json_end_array(w);
    json_end_map(w);
    json_array(w, "by_class");
    for (size_t i = 0; i < classes->row_count; i++) {
        const split_row *row = &classes->rows[order[i]];
        json_map(w, NULL);
        json_text(w, "class", row->name);
        json_number(w, "kernels", (double)row->kernels / classes->iterations);
        json_number(w, "ms", row->origin_ms);
        json_end_map(w);
    }
    json_end_array(w);
    json_device_rows(w, s->what->device_count, s->what->devices);
    json_rank_rows(w, s->what);
    json_array(w, "missing");
    for (size_t i = 0; i < gap_count; i++) {
        json_map(w, NULL);
        json_text(w, "what", gaps[i].what);
        json_text(w, "remedy", gaps[i].remedy);
        json_end_map(w);
    }
    json_end_array(w);
    json_warnings(w, s->what, HABITAT_ABOUT_NOTE, HABITAT_ABOUT_RECORDING);
    json_end_map(w);
}

static void write_csv(writer *w, const trace_subject *s, const split *classes,
                      const size_t *order) {
    static const char *const header[] = {"field", "value"};
    fact facts[FACTS_MAX];
    size_t count = list_facts(s, facts);
    csv_header(w, header, 2);
    for (size_t i = 0; i < count; i++) {
        const fact *f = &facts[i];
        csv_text(w, f->key);
        if (f->kind == FACT_TEXT)
            csv_text(w, f->text);
        else if (f->kind == FACT_NUMBER)
            csv_number(w, f->number);
        else if (f->kind == FACT_BOOLEAN)
            csv_text(w, f->integer ? "true" : "false");
        else if (f->kind == FACT_KNOWN && f->integer == 0)
            csv_text(w, NULL);
        else
            csv_integer(w, f->integer);
        csv_end_row(w);
    }
    for (size_t i = 0; i < classes->row_count; i++) {
        char key[64];
        snprintf(key, sizeof key, "class.%s_ms", classes->rows[order[i]].name);
        csv_text(w, key);
        csv_number(w, classes->rows[order[i]].origin_ms);
        csv_end_row(w);
    }
    csv_device_rows(w, s->what);
    csv_rank_rows(w, s->what);
}

habitat_status habitat_report_trace(const habitat_answer *what,
                                    const habitat_report_options *options, habitat_error *err) {
    writer w;
    split classes = {0};
    size_t *order = NULL;
    habitat_status status = writer_start(&w, options, err);
    if (status != HABITAT_OK)
        return status;
    if (!what || !what->trace)
        return habitat_fail(err, HABITAT_E_ARG, "no trace given");
    trace_subject s = {.what = what, .trace = habitat_trace_get_info(what->trace)};
    if (what->workload) {
        s.workload = habitat_workload_get_info(what->workload);
        status =
            split_create(what->trace, what->workload, what->workload, SPLIT_CLASS, &classes, err);
        order = status == HABITAT_OK ? calloc(classes.row_count + 1, sizeof *order) : NULL;
        if (order)
            status = split_order(&classes, NULL, order, err);
        else if (status == HABITAT_OK)
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    }
    count_all(&s);
    if (status == HABITAT_OK)
        status = find_memory(&s, err);
    if (status == HABITAT_OK)
        status = find_gradients(&s, err);
    if (status == HABITAT_OK) {
        if (options->format != HABITAT_REPORT_TEXT &&
            habitat_trace_sha256(what->trace, s.sha256, NULL) != HABITAT_OK)
            s.sha256[0] = '\0';
        if (options->format == HABITAT_REPORT_JSON)
            write_json(&w, &s, &classes, order);
        else if (options->format == HABITAT_REPORT_CSV)
            write_csv(&w, &s, &classes, order);
        else
            trace_text(&w, &s, &classes, order);
    }
    split_free(&classes);
    free(order);
    habitat_status written = writer_finish(&w, err);
    return status != HABITAT_OK ? status : written;
}
