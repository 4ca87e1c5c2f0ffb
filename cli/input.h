/* From a trace file and options to an answer: the front half of info, predict and
 * explain. */
#ifndef HABITAT_CLI_INPUT_H
#define HABITAT_CLI_INPUT_H

#include "common.h"

/* What the command line says; the commands point their options at it. */
typedef struct cli_request {
    cli_list to, gpu_files;
    const char *from, *method, *by, *nvtx_range, *assemble, *timeline;
    double cpu_scale;
    size_t top, iterations;
    bool json, csv;
} cli_request;

/* All that was opened, in the order it is needed. */
typedef struct cli_input {
    habitat_gpu_table *table;
    habitat_trace *trace;
    habitat_answer *answer;
    habitat_report_options report;
    habitat_method method;
    cli_notes notes;
} cli_input;

/* Check the options of `request`, read the trace and ask. What a text or JSON report would not say,
 * or not on stderr, is printed there. The names of methods and GPUs are looked up before the file
 * is read: a typing error should not cost a long read.
 * @param destinations whether there are any to predict for.
 * @return CLI_DONE, or an exit code after a message. Free in every case. */
int cli_input_open(const cli_request *request, const char *file, bool destinations, cli_input *out);

void cli_input_free(cli_input *input);

#endif
