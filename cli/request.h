/* What a command line asks for, and what was opened for it. */
#ifndef HABITAT_CLI_REQUEST_H
#define HABITAT_CLI_REQUEST_H

#include "common.h"

/* What the command line says; the commands point their options at it. */
typedef struct cli_request {
    cli_list to, gpu_files, batches;
    cli_list recorded_batches; /* of each recording that does not note it; or one for all */
    const char *batch_from, *precision;
    const char *from, *method, *by, *nvtx_range, *assemble, *timeline, *html;
    double cpu_scale;                 /* 0: not said */
    const char *host, *recorded_host; /* calibrations; cpu_scale from what their hosts take */
    cli_list prices, price;           /* files; "GPU=2.49" */
    size_t top, iterations;
    double steps, samples; /* of the whole training; 0: not said */
    cli_list columns;
    const char *sort, *vendor, *since;
    double min_memory_gib;
    bool json, csv, spot, all;
    bool filtered; /* GPUs too small or too old are not asked; else only a text table lacks them */
    size_t gpus;   /* 0: one */
    bool sharded;  /* several keep weights, gradients and states in parts */
    cli_list gpu_counts;      /* several numbers, in place of gpus */
    cli_list ranks;           /* files, one a rank; with it operands are more of them */
    const cli_list *operands; /* what the command line names without an option */
    bool totals;              /* nothing that is asked for needs times of single kernels */
    bool notes_below;         /* the text report tells all there is to say: nothing on stderr */
} cli_request;

/* Options about prices and the length of the training. */
#define CLI_PRICE_OPTIONS(request)                                                                 \
    {"--price", 0, CLI_LIST, &(request).price}, {"--prices", 0, CLI_LIST, &(request).prices},      \
        {"--spot", 0, CLI_FLAG, &(request).spot}, {"--steps", 0, CLI_WHOLE, &(request).steps}, {   \
        "--samples", 0, CLI_WHOLE, &(request).samples                                              \
    }

/* Options about how the iteration is put together, and at which batch size and precision. */
#define CLI_ITERATION_OPTIONS(request)                                                             \
    {"--assemble", 0, CLI_TEXT, &(request).assemble},                                              \
        {"--cpu-scale", 0, CLI_POSITIVE, &(request).cpu_scale},                                    \
        {"--host", 0, CLI_TEXT, &(request).host},                                                  \
        {"--recorded-host", 0, CLI_TEXT, &(request).recorded_host},                                \
        {"--batch", 0, CLI_LIST, &(request).batches},                                              \
        {"--batch-from", 0, CLI_TEXT, &(request).batch_from},                                      \
        {"--precision", 0, CLI_TEXT, &(request).precision}, {                                      \
        "--ranks", 0, CLI_LIST, &(request).ranks                                                   \
    }

/* Options about the recording and the form of the report. */
#define CLI_TRACE_OPTIONS(request)                                                                 \
    {"--from", 0, CLI_TEXT, &(request).from}, {"--gpu-file", 0, CLI_LIST, &(request).gpu_files},   \
        {"--json", 0, CLI_FLAG, &(request).json}, {"--csv", 0, CLI_FLAG, &(request).csv},          \
        {"--nvtx-range", 0, CLI_TEXT, &(request).nvtx_range},                                      \
        {"--iterations", 0, CLI_COUNT, &(request).iterations}, {                                   \
        "--recorded-batch", 0, CLI_LIST, &(request).recorded_batches                               \
    }

/* All that was opened, in the order it is needed. */
typedef struct cli_input {
    size_t number; /* of this recording among those of `choose`, from 0 on: before it is opened */
    bool borrowed; /* table and prices are another input's */
    habitat_gpu_table *table;
    habitat_prices *prices;
    char today[16];
    habitat_trace *trace, *batch_from;
    habitat_trace **ranks; /* shape (rank_count): the first one is `trace` */
    size_t rank_count;
    uint64_t *batch_sizes; /* shape (batch_size_count), each once */
    size_t batch_size_count;
    uint32_t *gpu_counts; /* shape (gpu_counts_count), each once */
    size_t gpu_counts_count;
    habitat_precision precision;
    habitat_assemble assemble;
    double cpu_scale, cpu_scale_doubt; /* as habitat_request has them */
    bool cpu_scale_of_middle;
    habitat_answer *answer;
    habitat_answer *shown; /* what --timeline shows, of one GPU; NULL: answer */
    habitat_report_options report;
    habitat_method method;
    cli_notes notes;
} cli_input;

#endif
