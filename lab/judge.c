/* The judgements of recordings: each collects its cases and prints them, as Markdown or as CSV. */
#include "base/error.h"
#include "lab/algorithms.h"
#include "lab/ddp_tables.h"
#include "lab/e2e_tables.h"
#include "lab/memory_tables.h"
#include "lab/pairs_tables.h"
#include "lab/replay.h"
#include "lab/replay_tables.h"
#include "lab/scale_tables.h"
#include "lab/shapes_tables.h"

static habitat_status nothing_given(habitat_error *err) {
    return habitat_fail(err, HABITAT_E_ARG, "no table, folder or sink given");
}

habitat_status habitat_evaluate_pairs(const habitat_gpu_table *gpus, const char *folder, bool csv,
                                      habitat_text_sink sink, void *context, habitat_error *err) {
    pair_set set = {0};
    report_text text = {sink, context, false, false};
    if (!gpus || !folder || !sink)
        return nothing_given(err);
    habitat_status status = pairs_collect(gpus, folder, false, &set, err);
    if (status == HABITAT_OK)
        (csv ? pairs_print_cases : pairs_print_tables)(&set, &text);
    pairs_free(&set);
    return report_end(&text, status, err);
}

habitat_status habitat_evaluate_replay(const habitat_gpu_table *gpus, const char *folder, bool csv,
                                       habitat_text_sink sink, void *context, habitat_error *err) {
    replay_set set = {0};
    report_text text = {sink, context, false, false};
    if (!gpus || !folder || !sink)
        return nothing_given(err);
    habitat_status status = replay_collect(gpus, folder, &set, err);
    if (status == HABITAT_OK)
        (csv ? replay_print_cases : replay_print_tables)(&set, &text);
    replay_free(&set);
    return report_end(&text, status, err);
}

habitat_status habitat_evaluate_scale(const habitat_gpu_table *gpus, const char *folder, bool csv,
                                      habitat_text_sink sink, void *context, habitat_error *err) {
    scale_set set = {0};
    report_text text = {sink, context, false, false};
    if (!gpus || !folder || !sink)
        return nothing_given(err);
    habitat_status status = scale_collect(gpus, folder, &set, err);
    if (status == HABITAT_OK)
        (csv ? scale_print_cases : scale_print_tables)(&set, &text);
    scale_free(&set);
    return report_end(&text, status, err);
}

habitat_status habitat_evaluate_shapes(const habitat_gpu_table *gpus, const char *measurements,
                                       const char *folder, bool csv, habitat_text_sink sink,
                                       void *context, habitat_error *err) {
    shapes_set set = {0};
    report_text text = {sink, context, false, false};
    if (!gpus || !measurements || !folder || !sink)
        return nothing_given(err);
    habitat_status status = shapes_collect(gpus, measurements, folder, &set, err);
    if (status == HABITAT_OK)
        (csv ? shapes_print_cases : shapes_print_page)(&set, &text);
    shapes_free(&set);
    return report_end(&text, status, err);
}

habitat_status habitat_evaluate_memory(const habitat_gpu_table *gpus, const char *measurements,
                                       const char *folder, bool csv, habitat_text_sink sink,
                                       void *context, habitat_error *err) {
    memory_set set = {0};
    algorithm_set algorithms = {0};
    report_text text = {sink, context, false, false};
    if (!gpus || !measurements || !folder || !sink)
        return nothing_given(err);
    habitat_status status = memory_collect(gpus, folder, &set, err);
    if (status == HABITAT_OK)
        status = memory_read_failures(folder, &set, err);
    if (status == HABITAT_OK && !csv)
        status = algorithms_read(gpus, measurements, &algorithms, err);
    if (status == HABITAT_OK)
        (csv ? memory_print_cases : memory_print_tables)(&set, &text);
    if (status == HABITAT_OK)
        algorithms_print(&algorithms, &text);
    algorithms_free(&algorithms);
    memory_free(&set);
    return report_end(&text, status, err);
}

habitat_status habitat_evaluate_ddp(const habitat_gpu_table *gpus, const char *folder, bool csv,
                                    habitat_text_sink sink, void *context, habitat_error *err) {
    ddp_result result = {0};
    report_text text = {sink, context, false, false};
    if (!gpus || !folder || !sink)
        return nothing_given(err);
    habitat_status status = ddp_collect(gpus, folder, &result, err);
    if (status == HABITAT_OK)
        (csv ? ddp_print_cases : ddp_print_tables)(&result, &text);
    ddp_free(&result);
    return report_end(&text, status, err);
}

habitat_status habitat_evaluate_iterations(const habitat_gpu_table *gpus, bool networks,
                                           const char *measurements, const char *recordings,
                                           bool csv, habitat_text_sink sink, void *context,
                                           habitat_error *err) {
    habitat_error local = {0};
    e2e_set set = {0};
    report_text text = {sink, context, false, false};
    if (!gpus || !measurements || !recordings || !sink)
        return nothing_given(err);
    habitat_status status = e2e_collect(gpus, networks ? "ryujaehun" : "neusight", measurements,
                                        recordings, false, &set, err ? err : &local);
    if (status == HABITAT_OK)
        (csv ? e2e_print_cases : networks ? e2e_print_networks : e2e_print_tables)(&set, &text);
    e2e_free(&set);
    return report_end(&text, status, err);
}
