/* From a trace file and options to a workload and predictions: the front half of info, predict and
 * explain. */
#ifndef HABITAT_CLI_INPUT_H
#define HABITAT_CLI_INPUT_H

#include "common.h"

/* What the command line says; the commands point their options at it. */
typedef struct cli_request {
    cli_list to, gpu_files;
    const char *from, *method, *by, *nvtx_range;
    size_t top, iterations;
    bool json, csv;
} cli_request;

/* All that was opened, in the order it is needed. */
typedef struct cli_input {
    habitat_gpu_table *table;
    habitat_trace *trace;
    const habitat_gpu *origin;
    habitat_workload *workload;
    habitat_predictor *predictor; /* of `method`; NULL without destinations */
    habitat_report_options report;
    habitat_method method;
    size_t count;
    habitat_prediction **predictions; /* shape (count) */
    cli_notes notes;
} cli_input;

/* Check the options of `request` and read the trace. The names of methods and GPUs are looked up
 * before the file is read: a typing error should not cost a long read.
 * @param destinations whether there are any to predict for.
 * @return CLI_DONE, or an exit code after a message. Free in every case. */
int cli_input_open(const cli_request *request, const char *file, bool destinations, cli_input *out);

/* What a report takes. */
habitat_report_predictions cli_input_predictions(const cli_input *input);

/* CSV has no room for warnings: they go to stderr. */
void cli_input_warn(const cli_input *input);

void cli_input_free(cli_input *input);

#endif
