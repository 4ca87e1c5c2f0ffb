/* habitat calibrate: the rates this GPU sustains, measured by the Python package. */
#include "commands.h"
#include "python.h"

int cmd_calibrate(int argc, char **argv) {
    const char *output = NULL, *gpu = NULL;
    const cli_option options[] = {
        {"--output", 'o', CLI_TEXT, &output},
        {"--gpu", 0, CLI_TEXT, &gpu},
    };
    cli_arguments arguments = {.verb = "calibrate",
                               .options = options,
                               .option_count = sizeof options / sizeof options[0]};
    int code = cli_parse(&arguments, argc, argv);
    bool run = code == CLI_DONE && !arguments.finished;
    if (run)
        code = cli_expect_operands(&arguments, 0, 0, NULL);
    cli_arguments_free(&arguments);
    if (!run || code != CLI_DONE)
        return code;
    if (!output)
        return cli_fail(CLI_USAGE, "calibrate", "needs -o FILE.json, the calibration to write");
    return cli_run_python("habitat.measuring.calibrate", argc, argv);
}
