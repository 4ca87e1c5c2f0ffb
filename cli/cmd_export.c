/* habitat export --timeline|--chakra TRACE --to GPU: the predicted iteration for other tools. */
#include "chakra.h"
#include "commands.h"
#include "timeline.h"

typedef struct wanted {
    bool timeline, chakra;
    const char *output;
} wanted;

static int check(const wanted *w, cli_request *request) {
    if (w->timeline && w->chakra)
        return cli_fail(CLI_USAGE, "--chakra", "does not go with --timeline; choose one");
    if (!w->timeline && !w->chakra)
        return cli_fail(CLI_USAGE, "export", "needs --timeline or --chakra: what to write");
    if (w->chakra)
        return cli_chakra_check(request, w->output);
    request->timeline = w->output;
    return cli_timeline_check(request);
}

int cmd_export(int argc, char **argv) {
    cli_request request = {0};
    wanted w = {.output = "-"};
    const cli_option options[] = {
        {"--timeline", 0, CLI_FLAG, &w.timeline},
        {"--chakra", 0, CLI_FLAG, &w.chakra},
        {"--to", 0, CLI_LIST, &request.to},
        {"--from", 0, CLI_TEXT, &request.from},
        {"--method", 0, CLI_TEXT, &request.method},
        {"--cpu-scale", 0, CLI_POSITIVE, &request.cpu_scale},
        {"--gpus", 0, CLI_COUNT, &request.gpus},
        {"--sharded", 0, CLI_FLAG, &request.sharded},
        {"--gpu-file", 0, CLI_LIST, &request.gpu_files},
        {"--nvtx-range", 0, CLI_TEXT, &request.nvtx_range},
        {"--iterations", 0, CLI_COUNT, &request.iterations},
        {"--output", 'o', CLI_TEXT, &w.output},
    };
    cli_arguments arguments = {
        .verb = "export", .options = options, .option_count = sizeof options / sizeof options[0]};
    cli_input input = {0};
    int code = cli_parse(&arguments, argc, argv);
    if (code == CLI_DONE && !arguments.finished) {
        request.operands = &arguments.operands;
        code = cli_expect_operands(&arguments, 1, 1, "a TRACE");
        if (code == CLI_DONE)
            code = check(&w, &request);
        if (code == CLI_DONE)
            code = cli_input_open(&request, arguments.operands.items[0], true, &input);
        if (code == CLI_DONE)
            code = w.chakra ? cli_chakra_write(&request, &input, w.output)
                            : cli_timeline_write(&request, &input);
    }
    cli_input_free(&input);
    cli_arguments_free(&arguments);
    return code;
}
