/* See trace_text.h. */
#include "report/trace_text.h"

#include <math.h>
#include <stdio.h>

#include <habitat/text.h>

#include "gpu/gpu.h"
#include "report/device_rows.h"
#include "report/rank_rows.h"
#include "report/shared_pieces.h"
#include "report/table.h"

enum { TEXT_BYTES = 512, BAR_COLUMNS = 36 };

/* "Label      text", wrapped below the text. */
static void line(writer *w, const char *label, const char *text) {
    char first[32], clean[2 * TEXT_BYTES];
    snprintf(first, sizeof first, "%-12s", label);
    clean_text(clean, sizeof clean, text);
    wrapped_text(w, first, 12, clean);
}

static void bytes_text(uint64_t bytes, char *text, size_t size) {
    double value = (double)bytes, unit = value < 1e6 ? 1e3 : value < 1e9 ? 1e6 : 1e9;
    habitat_format(text, size, "%.*f %s", unit < 1e6 ? 0 : 1, value / unit,
                   unit < 1e6   ? "kB"
                   : unit < 1e9 ? "MB"
                                : "GB");
}

static void text_file(writer *w, const trace_subject *s) {
    const habitat_trace_info *t = s->trace;
    char text[2 * TEXT_BYTES], name[FILE_NAME_BYTES], stored[32], json[32];
    file_name(s->what->trace, name);
    bytes_text(t->file_bytes, stored, sizeof stored);
    bytes_text(t->json_bytes, json, sizeof json);
    bool packed = t->json_bytes && t->json_bytes != t->file_bytes;
    snprintf(text, sizeof text, "%s (%s, %s%s%s%s)", name, t->format ? t->format : "?", stored,
             packed ? ", " : "", packed ? json : "", packed ? " unpacked" : "");
    line(w, "File", text);
}

/* "NAME ("as recorded", 132 SMs, 150.1 GB)", each as far as it is known. */
static void text_gpu(writer *w, const trace_subject *s) {
    const habitat_device_facts *d = &s->trace->device_facts;
    char text[TEXT_BYTES];
    if (!s->trace->device_count) {
        line(w, "GPU",
             s->trace->without_gpu ? "none: operations with shapes alone, to predict from"
                                   : "none: recorded on the CPU alone");
        return;
    }
    const char *quote = d->name ? "\"" : "";
    int used = snprintf(text, sizeof text, "%.120s (%s%.120s%s",
                        s->workload ? s->workload->origin->name : "unknown", quote,
                        d->name ? d->name : "not recorded", quote);
    if (d->sm_count)
        used += snprintf(text + used, sizeof text - (size_t)used, ", %u SMs", d->sm_count);
    if (d->memory_bytes)
        used += (int)habitat_format(text + used, sizeof text - (size_t)used, ", %.1f GB",
                                    (double)d->memory_bytes / HABITAT_GB);
    snprintf(text + used, sizeof text - (size_t)used, ")");
    line(w, "GPU", text);
    text_devices(w, s->what);
}

static void text_memory(writer *w, const trace_subject *s) {
    const habitat_memory_parts *m = &s->memory;
    char text[TEXT_BYTES];
    if (!isfinite(m->peak_bytes))
        return;
    habitat_format(text, sizeof text, "%.2f GB at its peak%s", m->peak_bytes / HABITAT_GB,
                   m->basis == HABITAT_MEMORY_SHAPES    ? ", from shapes"
                   : m->basis == HABITAT_MEMORY_TENSORS ? ", of its tensors"
                                                        : "");
    line(w, "Memory", text);
    if (!isfinite(m->activations_bytes))
        return;
    habitat_format(text, sizeof text,
                   "GB: weights %.2f, gradients %.2f, optimiser %.2f, activations %.2f",
                   m->parameters_bytes / HABITAT_GB, m->gradients_bytes / HABITAT_GB,
                   m->optimizer_bytes / HABITAT_GB, m->activations_bytes / HABITAT_GB);
    line(w, "", text);
}

/* "CUDA 13.0, cuDNN 9.19.0, driver 580.159.04": what is known of them. cuDNN counts 91900 since its
 * version 9, 8907 before. */
static void versions_text(const habitat_trace_info *t, char *text, size_t size) {
    unsigned long long c = t->cudnn_version, unit = c >= 10000 ? 10000 : 1000;
    char cudnn[64] = "";
    if (c)
        snprintf(cudnn, sizeof cudnn, "%llu.%llu.%llu", c / unit, c % unit / 100, c % 100);
    const char *const parts[][2] = {{"CUDA", t->cuda_version},
                                    {"HIP", t->hip_version},
                                    {"cuDNN", *cudnn ? cudnn : NULL},
                                    {"driver", t->driver_version}};
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i][1] && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s %.80s", used ? ", " : "",
                                     parts[i][0], parts[i][1]);
}

static void text_recording(writer *w, const trace_subject *s) {
    const habitat_trace_info *t = s->trace;
    char text[TEXT_BYTES];
    if (t->model)
        line(w, "Model", t->model);
    if (t->framework)
        line(w, "Framework", t->framework);
    versions_text(t, text, sizeof text);
    if (*text)
        line(w, "Libraries", text);
    if (t->command)
        line(w, "Command", t->command);
    if (t->batch_size) {
        snprintf(text, sizeof text, "%llu%s", (unsigned long long)t->batch_size,
                 t->batch_size_said ? ", as said" : "");
        line(w, "Batch size", text);
    }
    text_memory(w, s);
}

static void text_iterations(writer *w, const trace_subject *s) {
    const habitat_trace_info *t = s->trace;
    char text[TEXT_BYTES], a[32], from[32], to[32];
    ms_text(trace_subject_iteration_ms(s), a, sizeof a);
    if (!isfinite(trace_subject_iteration_ms(s))) {
        snprintf(text, sizeof text, "%zu", t->iteration_count);
    } else if (isfinite(t->iteration_ms) && t->iteration_ms_count > 1) {
        double low = t->iteration_ms_all[0], high = low;
        for (size_t i = 1; i < t->iteration_ms_count; i++) {
            low = fmin(low, t->iteration_ms_all[i]);
            high = fmax(high, t->iteration_ms_all[i]);
        }
        ms_text(low, from, sizeof from);
        ms_text(high, to, sizeof to);
        snprintf(text, sizeof text, "%zu; %s ms without the profiler (median of %zu, %s to %s)",
                 t->iteration_count, a, t->iteration_ms_count, from, to);
    } else {
        snprintf(text, sizeof text, "%zu; %s ms %s", t->iteration_count, a,
                 t->predicted ? "as predicted: a timeline that habitat wrote, not a recording"
                 : isfinite(t->iteration_ms) ? "without the profiler"
                                             : "as profiled");
    }
    line(w, "Iterations", text);
}

static void text_times(writer *w, const trace_subject *s) {
    char text[TEXT_BYTES], a[32], b[32];
    text_iterations(w, s);
    if (!s->trace->device_count)
        return;
    ms_text(s->kernel_ms, a, sizeof a);
    ms_text(s->busy_ms, b, sizeof b);
    size_t used = (size_t)snprintf(text, sizeof text, "%s ms of kernels, busy %s ms", a, b);
    if (s->workload && isfinite(s->workload->waiting_share))
        habitat_format(text + used, sizeof text - used, ", waiting %.0f %%: bound by the %s",
                       100 * s->workload->waiting_share,
                       s->workload->bound_by == HABITAT_BY_CPU ? "CPU" : "GPU");
    line(w, "GPU time", text);
}

static void text_counts(writer *w, const trace_subject *s) {
    char text[TEXT_BYTES];
    size_t used = (size_t)snprintf(text, sizeof text, "%zu on %zu stream%s", s->n.kernels,
                                   s->n.streams, s->n.streams == 1 ? "" : "s");
    const struct {
        size_t n;
        const char *one, *many;
    } others[] = {{s->n.copies, "copy", "copies"},
                  {s->n.sets, "set", "sets"},
                  {s->n.collectives, "collective", "collectives"},
                  {s->n.graph_kernels, "from a CUDA graph", "from CUDA graphs"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].n && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, ", %zu %s", others[i].n,
                                     others[i].n == 1 ? others[i].one : others[i].many);
    char all[64] = ""; /* what is beside it is of one */
    if (s->trace->iteration_count > 1)
        snprintf(all, sizeof all, ", in all %zu iterations", s->trace->iteration_count);
    if (used < sizeof text)
        snprintf(text + used, sizeof text - used, "%s", all);
    if (s->trace->device_count)
        line(w, "Kernels", text);
    snprintf(text, sizeof text, "%zu%s%s", s->n.operations, all,
             s->trace->has_shapes ? ", with input shapes" : "");
    line(w, "Operations", text);
}

static void text_classes(writer *w, const split *classes, const size_t *order) {
    static const table_column columns[] = {{"class", false, false},
                                           {"ms", true, false},
                                           {"share", true, false},
                                           {"kernels", true, false},
                                           {"", false, false}};
    double whole = 0;
    for (size_t i = 0; i < classes->row_count; i++)
        whole += classes->rows[i].origin_ms;
    text_table t;
    table_start(&t, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < classes->row_count; i++) {
        const split_row *row = &classes->rows[order[i]];
        double share = whole > 0 ? row->origin_ms / whole : 0;
        char bar[64];
        bar_text(share, BAR_COLUMNS, bar, sizeof bar);
        table_row(&t, STYLE_PLAIN);
        table_cell(&t, 0, "%s", row->name);
        table_number(&t, 1, row->origin_ms, decimals_for(whole, 5));
        table_cell(&t, 2, "%.1f %%", 100 * share);
        double kernels = (double)row->kernels / classes->iterations;
        table_cell(&t, 3, "%.*f", kernels == floor(kernels) ? 0 : 1, kernels);
        table_cell(&t, 4, "%s", bar);
    }
    writer_text(w, "\n");
    table_write(&t, w);
}

void trace_text(writer *w, const trace_subject *s, const split *classes, const size_t *order) {
    missing gaps[MISSING_MAX];
    size_t count = trace_subject_missing(s, gaps);
    text_file(w, s);
    text_gpu(w, s);
    text_recording(w, s);
    text_times(w, s);
    text_counts(w, s);
    if (classes->row_count > 0)
        text_classes(w, classes, order);
    text_rank_rows(w, s->what);
    text_kind(w, s->what, HABITAT_WARNING_DOUBT);
    if (count > 0)
        writer_text(w, "\nNot in this trace\n");
    for (size_t i = 0; i < count; i++) {
        char first[TEXT_BYTES];
        snprintf(first, sizeof first, "  %s: ", gaps[i].what);
        wrapped_text(w, first, 4, gaps[i].remedy);
    }
}
