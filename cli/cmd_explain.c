/* habitat explain TRACE --to GPU: where the time goes on both GPUs. */
#include "commands.h"
#include "results.h"

static habitat_status report(const void *of, const habitat_report_options *options,
                             habitat_error *err) {
    return habitat_report_explanation(of, options, err);
}

int cmd_explain(int argc, char **argv) {
    cli_request request = {0};
    const cli_option options[] = {
        {"--to", 0, CLI_LIST, &request.to},     {"--method", 0, CLI_TEXT, &request.method},
        {"--by", 0, CLI_TEXT, &request.by},     {"--top", 0, CLI_COUNT, &request.top},
        {"--html", 0, CLI_TEXT, &request.html}, CLI_TRACE_OPTIONS(request),
    };
    cli_arguments arguments = {
        .verb = "explain", .options = options, .option_count = sizeof options / sizeof options[0]};
    cli_input input = {0};
    int code = cli_parse(&arguments, argc, argv);
    if (code == CLI_DONE && !arguments.finished) {
        request.operands = &arguments.operands;
        code = cli_expect_operands(&arguments, 1, 1, "a TRACE");
        if (code == CLI_DONE && request.to.count != 1)
            code = cli_fail(CLI_USAGE, "explain",
                            "needs --to with one GPU; `habitat gpus` lists "
                            "them, `habitat predict` takes several");
        if (code == CLI_DONE)
            code = cli_html_check(&request);
        request.notes_below = !cli_html_alone(&request);
        if (code == CLI_DONE)
            code = cli_input_open(&request, arguments.operands.items[0], true, &input);
        if (code == CLI_DONE && input.answer->row_count != 1)
            code = cli_fail(CLI_USAGE, "--to",
                            "explain takes one GPU, not all; `habitat predict` "
                            "takes several");
        if (code == CLI_DONE)
            code = cli_results_write(&request, &input, report, input.answer);
    }
    cli_input_free(&input);
    cli_arguments_free(&arguments);
    return code;
}
