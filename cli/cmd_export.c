/* habitat export --timeline TRACE --to GPU: the predicted iteration for other tools. */
#include "commands.h"
#include "timeline.h"

int cmd_export(int argc, char **argv) {
    cli_request request = {.cpu_scale = 1.0};
    bool timeline = false;
    const char *output = "-";
    const cli_option options[] = {
        {"--timeline", 0, CLI_FLAG, &timeline},
        {"--to", 0, CLI_LIST, &request.to},
        {"--from", 0, CLI_TEXT, &request.from},
        {"--method", 0, CLI_TEXT, &request.method},
        {"--cpu-scale", 0, CLI_POSITIVE, &request.cpu_scale},
        {"--gpu-file", 0, CLI_LIST, &request.gpu_files},
        {"--nvtx-range", 0, CLI_TEXT, &request.nvtx_range},
        {"--iterations", 0, CLI_COUNT, &request.iterations},
        {"--output", 'o', CLI_TEXT, &output},
    };
    cli_arguments arguments = {
        .verb = "export", .options = options, .option_count = sizeof options / sizeof options[0]};
    cli_input input = {0};
    int code = cli_parse(&arguments, argc, argv);
    if (code == CLI_DONE && !arguments.finished) {
        code = cli_expect_operands(&arguments, 1, 1, "a TRACE");
        if (code == CLI_DONE && !timeline)
            code = cli_fail(CLI_USAGE, "export", "needs --timeline: what to write");
        request.timeline = output;
        if (code == CLI_DONE)
            code = cli_timeline_check(&request);
        if (code == CLI_DONE)
            code = cli_input_open(&request, arguments.operands.items[0], true, &input);
        if (code == CLI_DONE)
            code = cli_timeline_write(&request, &input);
    }
    cli_input_free(&input);
    cli_arguments_free(&arguments);
    return code;
}
