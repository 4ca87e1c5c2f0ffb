/* habitat predict TRACE: one iteration on other GPUs. */
#include "commands.h"
#include "results.h"
#include "timeline.h"

static habitat_status report(const void *of, const habitat_report_options *options,
                             habitat_error *err) {
    return habitat_report_prediction(of, options, err);
}

int cmd_predict(int argc, char **argv) {
    cli_request request = {0};
    const cli_option options[] = {
        {"--to", 0, CLI_LIST, &request.to},
        {"--method", 0, CLI_TEXT, &request.method},
        {"--by", 0, CLI_TEXT, &request.by},
        CLI_ITERATION_OPTIONS(request),
        {"--gpus", 0, CLI_COUNTS, &request.gpu_counts},
        {"--sharded", 0, CLI_FLAG, &request.sharded},
        {"--timeline", 0, CLI_TEXT, &request.timeline},
        {"--html", 0, CLI_TEXT, &request.html},
        CLI_PRICE_OPTIONS(request),
        {"--top", 0, CLI_COUNT, &request.top},
        {"--all", 0, CLI_FLAG, &request.all},
        {"--sort", 0, CLI_TEXT, &request.sort},
        {"--columns", 0, CLI_LIST, &request.columns},
        {"--vendor", 0, CLI_TEXT, &request.vendor},
        {"--min-memory", 0, CLI_NUMBER, &request.min_memory_gib},
        {"--since", 0, CLI_TEXT, &request.since},
        CLI_TRACE_OPTIONS(request),
    };
    cli_arguments arguments = {
        .verb = "predict", .options = options, .option_count = sizeof options / sizeof options[0]};
    cli_input input = {0};
    int code = cli_parse(&arguments, argc, argv);
    if (code == CLI_DONE && !arguments.finished) {
        const char *file = NULL;
        code = cli_input_first(&request, &arguments, &file);
        if (code == CLI_DONE)
            code = cli_timeline_check_beside(&request, true);
        if (code == CLI_DONE)
            code = cli_html_check(&request);
        request.totals = !request.by && !request.timeline && !request.html;
        request.notes_below = !cli_html_alone(&request);
        if (code == CLI_DONE)
            code = cli_input_open(&request, file, true, &input);
        if (code == CLI_DONE)
            code = cli_results_write(&request, &input, report, input.answer);
    }
    cli_input_free(&input);
    cli_arguments_free(&arguments);
    return code;
}
