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
    return cli_run_measuring(&arguments, argc, argv, &output,
                             "-o FILE.json, the calibration to write",
                             "habitat.measuring.calibrate");
}
