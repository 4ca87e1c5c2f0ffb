/* habitat info TRACE: what is in a trace and what is missing. With --ranks: what each rank did. */
#include "commands.h"
#include "input.h"

int cmd_info(int argc, char **argv) {
    cli_request request = {0};
    const cli_option options[] = {
        {"--ranks", 0, CLI_LIST, &request.ranks},
        CLI_TRACE_OPTIONS(request),
    };
    cli_arguments arguments = {
        .verb = "info", .options = options, .option_count = sizeof options / sizeof options[0]};
    cli_input input = {0};
    int code = cli_parse(&arguments, argc, argv);
    if (code == CLI_DONE && !arguments.finished) {
        const char *file = NULL;
        code = cli_input_first(&request, &arguments, &file);
        if (code == CLI_DONE)
            code = cli_input_open(&request, file, false, &input);
        if (code == CLI_DONE) {
            habitat_error error = {0};
            code = cli_report_result(habitat_report_trace(input.answer, &input.report, &error),
                                     &error);
        }
    }
    cli_input_free(&input);
    cli_arguments_free(&arguments);
    return code;
}
