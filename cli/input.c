/* From a trace file and options to a workload and predictions; see input.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"

static int read_options(const cli_request *request, cli_input *in) {
    habitat_error error = {0};
    habitat_report_format format = HABITAT_REPORT_TEXT;
    int code = cli_format(request->json, request->csv, &format);
    if (code != CLI_DONE)
        return code;
    in->report = cli_report_options(format);
    in->report.top = request->top;
    if (request->by &&
        habitat_report_by_from_name(request->by, &in->report.by, &error) != HABITAT_OK)
        return cli_fail_error(&error, "--by");
    if (request->method &&
        habitat_method_from_name(request->method, &in->method, &error) != HABITAT_OK)
        return cli_fail_error(&error, "--method");
    if (request->nvtx_range && request->iterations)
        return cli_fail(
            CLI_USAGE, "--iterations",
            "does not go with --nvtx-range, whose ranges are the iterations; choose one");
    return cli_open_gpus_noting(&request->gpu_files, &in->table, &in->notes);
}

/* What --from says, unless the recording proves it wrong. */
static int named_origin(const cli_request *request, const habitat_device_facts *facts,
                        cli_input *in) {
    char note[512];
    habitat_error error = {0};
    const habitat_gpu *gpu = NULL;
    int code = cli_find_gpu(in->table, request->from, &gpu, &in->notes);
    if (code != CLI_DONE)
        return code;
    if (habitat_gpu_check_origin(in->table, gpu, facts, note, sizeof note, &error) != HABITAT_OK)
        return cli_fail_error(&error, "--from");
    if (*note)
        cli_note(&in->notes, "--from: %s", note);
    in->origin = gpu;
    return CLI_DONE;
}

/* The GPU a trace was recorded on: what --from says, else what the trace says. */
static int find_origin(const cli_request *request, const char *file, bool required, cli_input *in) {
    habitat_error error = {0};
    const habitat_device_facts *facts = &habitat_trace_get_info(in->trace)->device_facts;
    if (request->from)
        return named_origin(request, facts, in);
    if (habitat_gpu_match(in->table, facts, &in->origin, &error) == HABITAT_OK)
        return CLI_DONE;
    if (!required && error.code != HABITAT_E_MEMORY)
        return cli_note(&in->notes, "%s", error.message);
    return cli_fail_error(&error, file);
}

static int predict(const habitat_gpu *const *gpus, size_t count, cli_input *in) {
    habitat_error error = {0};
    in->predictions = calloc(count ? count : 1, sizeof *in->predictions);
    if (!in->predictions)
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    for (size_t i = 0; i < count; i++) {
        habitat_prediction *made = NULL;
        habitat_status status = habitat_predictor_predict(in->predictor, gpus[i], &made, &error);
        /* A GPU whose specification has a gap is left out of many, and an error when it is all. */
        if (status == HABITAT_E_NO_SPEC && count > 1) {
            if (cli_note(&in->notes, "%s: left out: %s", habitat_gpu_name(gpus[i]),
                         error.message) != CLI_DONE)
                return CLI_FAILED;
            continue;
        }
        if (status != HABITAT_OK)
            return cli_fail_error(&error, habitat_gpu_name(gpus[i]));
        in->predictions[in->count++] = made;
    }
    return CLI_DONE;
}

/* "-" is standard input; a file of that name is "./-". */
static habitat_status read_trace(const char *file, const habitat_read_options *options,
                                 habitat_trace **out, habitat_error *error) {
    return strcmp(file, "-") == 0
               ? habitat_trace_read_descriptor(STDIN_FILENO, "standard input", options, out, error)
               : habitat_trace_read_with(file, options, out, error);
}

static int open_trace(const cli_request *request, const char *file, bool required, cli_input *in) {
    habitat_error error = {0};
    habitat_read_options options = {request->nvtx_range, request->iterations, !required};
    if (read_trace(file, &options, &in->trace, &error) != HABITAT_OK)
        return cli_fail_error(&error, file);
    file = habitat_trace_get_info(in->trace)->file;
    if (!habitat_trace_get_info(in->trace)->device_count)
        /* of the CPU alone: nothing to predict; a name that is given must be one all the same */
        return request->from ? find_origin(request, file, required, in) : CLI_DONE;
    int code = find_origin(request, file, required, in);
    if (code != CLI_DONE || !in->origin)
        return code;
    habitat_status status = habitat_workload_create(in->trace, in->origin, &in->workload, &error);
    if (status == HABITAT_OK && required)
        status = habitat_predictor_create(in->workload, in->method, &in->predictor, &error);
    if (status != HABITAT_OK)
        return cli_fail_error(&error, file);
    return code;
}

int cli_input_open(const cli_request *request, const char *file, bool destinations, cli_input *in) {
    const habitat_gpu **gpus = NULL;
    size_t count = 0;
    int code = read_options(request, in);
    if (code == CLI_DONE && destinations)
        code = cli_find_gpus(in->table, &request->to, &gpus, &count, &in->notes);
    if (code == CLI_DONE)
        code = open_trace(request, file, destinations, in);
    if (code == CLI_DONE && destinations)
        code = predict(gpus, count, in);
    free(gpus);
    return code;
}

habitat_report_predictions cli_input_predictions(const cli_input *in) {
    return (habitat_report_predictions){
        .trace = in->trace,
        .workload = in->workload,
        .method = in->method,
        .count = in->count,
        .predictions = (const habitat_prediction *const *)in->predictions,
        .warning_count = in->notes.count,
        .warnings = (const char *const *)in->notes.lines,
    };
}

void cli_input_warn(const cli_input *in) {
    size_t count = 0;
    if (in->report.format != HABITAT_REPORT_CSV || !in->workload)
        return;
    const char *const *warnings = habitat_workload_warnings(in->workload, &count);
    for (size_t i = 0; i < count; i++)
        cli_warn("%s", warnings[i]);
    for (int d = 0; d < HABITAT_DTYPE_COUNT; d++) {
        char line[400];
        if (habitat_format_warning(in->workload, (const habitat_prediction *const *)in->predictions,
                                   in->count, (habitat_dtype)d, line, sizeof line))
            cli_warn("%s", line);
    }
    const char *vendor = habitat_vendor_warning(
        in->workload, (const habitat_prediction *const *)in->predictions, in->count);
    if (vendor)
        cli_warn("%s", vendor);
    char note[400];
    if (habitat_calibration_note((const habitat_prediction *const *)in->predictions, in->count,
                                 note, sizeof note))
        cli_warn("%s", note);
    for (size_t i = 0; i < in->count; i++)
        if (!in->predictions[i]->intervals_calibrated) {
            cli_warn("%s", habitat_default_interval_warning());
            break;
        }
}

void cli_input_free(cli_input *in) {
    for (size_t i = 0; i < in->count; i++)
        habitat_prediction_free(in->predictions[i]);
    free(in->predictions);
    habitat_predictor_free(in->predictor);
    habitat_workload_free(in->workload);
    habitat_trace_free(in->trace);
    habitat_gpu_table_free(in->table);
    cli_notes_free(&in->notes);
}
