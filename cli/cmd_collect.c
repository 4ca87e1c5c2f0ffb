/* habitat collect: a sweep of operations on this GPU, measured by the Python package. */
#include "commands.h"
#include "python.h"

int cmd_collect(int argc, char **argv) {
    const char *output = NULL, *gpu = NULL;
    size_t count = 0, seed = 0;
    double budget = 0;
    bool allow_cpu = false;
    const cli_option options[] = {
        {"--output", 'o', CLI_TEXT, &output},     {"--count", 0, CLI_COUNT, &count},
        {"--budget", 0, CLI_NUMBER, &budget},     {"--seed", 0, CLI_COUNT, &seed},
        {"--allow-cpu", 0, CLI_FLAG, &allow_cpu}, {"--gpu", 0, CLI_TEXT, &gpu},
    };
    cli_arguments arguments = {
        .verb = "collect", .options = options, .option_count = sizeof options / sizeof options[0]};
    return cli_run_measuring(&arguments, argc, argv, &output,
                             "-o FILE.csv.gz, the dataset to write or continue",
                             "habitat.measuring.collect");
}
