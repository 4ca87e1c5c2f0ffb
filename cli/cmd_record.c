/* habitat record: `record SCRIPT.py` hands over to the recorder in Python, `record -- COMMAND` runs
 * any CUDA program under the CUDA recorder. Options are checked here, so that a typing error is
 * told before anything is run; their meaning is the recorders'. */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "common.h"
#include "python.h"
#ifdef HABITAT_HAVE_RECORDER
#include "launch.h"
#endif

typedef struct record {
    const char *output, *boundary, *model, *module, *nvtx_range, *cupti;
    size_t warmup, iterations, batch_size;
    double timed, pause, percentile;
    bool go_on, compact, no_modules, allow_cpu, no_gpu, quiet, counters, no_command;
} record;

/* Which of the two recorders an option is for. */
typedef enum reach { BOTH, SCRIPT, COMMAND } reach;

static int wrong_recorder(const char *option, reach r) {
    return cli_fail(CLI_USAGE, option,
                    r == SCRIPT ? "is for PyTorch scripts: `habitat record SCRIPT.py`, without --"
                                : "is for CUDA programs: `habitat record -- COMMAND`");
}

/* ---- PyTorch scripts ---- */

/* Tells the package where the CUDA recorder is, for --counters. */
static void name_recorder(void) {
#ifdef HABITAT_HAVE_RECORDER
    char library[4096];
    if (habitat_launch_find_library(library, sizeof library))
        setenv("HABITAT_RECORDER", library, 0);
#endif
}

/* Hands over for good: returns on failure only. */
static int run_script(int argc, char **argv) {
    name_recorder();
    return cli_run_python("habitat.recording", argc, argv);
}

/* ---- any CUDA program ---- */

#ifdef HABITAT_HAVE_RECORDER
static int run_command(const record *r, const cli_list *command) {
    char **argv = calloc(command->count + 1, sizeof *argv);
    habitat_launch_result result;
    if (!argv)
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    for (size_t i = 0; i < command->count; i++)
        argv[i] = (char *)(size_t)(const void *)command->items[i];
    habitat_launch_options options = {.argv = argv,
                                      .out = r->output ? r->output : "step.json.gz",
                                      .cupti = r->cupti,
                                      .nvtx_range = r->nvtx_range,
                                      .no_command = r->no_command,
                                      .warmup = (unsigned)r->warmup,
                                      .iterations = (unsigned)r->iterations,
                                      .counters = r->counters,
                                      .counters_percentile = r->percentile};
    fflush(stdout);
    cli_restore_signals();
    int code = habitat_launch_run(&options, &result);
    cli_start_output();
    free(argv);
    if (code != CLI_DONE)
        return cli_fail(code, command->items[0], "%s", result.message);
    if (result.message[0])
        cli_warn("%s", result.message);
    if (!r->quiet)
        fprintf(stderr, "habitat: %s: %llu kernels in %llu iteration%s; see `habitat info %s`\n",
                options.out, (unsigned long long)result.kernels,
                (unsigned long long)result.iterations, result.iterations == 1 ? "" : "s",
                options.out);
    return CLI_DONE;
}

#else
static int run_command(const record *r, const cli_list *command) {
    (void)r;
    return cli_fail(CLI_FAILED, command->items[0],
                    "this habitat was built without the CUDA "
                    "recorder; build with HABITAT_RECORDER=ON");
}
#endif

/* ---- the command line ---- */

static int choose(const record *r, const cli_arguments *arguments, int argc, char **argv) {
    if (r->percentile >= 0 && !r->counters)
        return cli_fail(CLI_USAGE, "--counters-percentile",
                        "goes with --counters, which counts the kernels that it selects");
    if (arguments->separated) {
        if (arguments->operands.count == 0)
            return cli_fail(CLI_USAGE, "record", "nothing after --; habitat record -- COMMAND");
        const char *wrong = r->boundary     ? "--boundary"
                            : r->model      ? "--model"
                            : r->timed >= 0 ? "--timed"
                            : r->pause >= 0 ? "--pause"
                            : r->batch_size ? "--batch-size"
                            : r->go_on      ? "--continue"
                            : r->compact    ? "--compact"
                            : r->no_modules ? "--no-modules"
                            : r->allow_cpu  ? "--allow-cpu"
                            : r->no_gpu     ? "--no-gpu"
                                            : NULL;
        return wrong ? wrong_recorder(wrong, SCRIPT) : run_command(r, &arguments->operands);
    }
    if (arguments->operands.count == 0)
        return cli_fail(CLI_USAGE, "record",
                        "needs SCRIPT.py or -- COMMAND; `habitat record "
                        "--help` shows examples");
    const char *wrong = r->nvtx_range ? "--nvtx-range" : r->cupti ? "--cupti" : NULL;
    return wrong ? wrong_recorder(wrong, COMMAND) : run_script(argc, argv);
}

int cmd_record(int argc, char **argv) {
    record r = {.timed = -1, .pause = -1, .percentile = -1};
    const cli_option options[] = {
        {"--output", 'o', CLI_TEXT, &r.output},
        {"--warmup", 0, CLI_COUNT, &r.warmup},
        {"--iterations", 0, CLI_COUNT, &r.iterations},
        {"--quiet", 0, CLI_FLAG, &r.quiet},
        {"--no-command", 0, CLI_FLAG, &r.no_command},
        {"--timed", 0, CLI_NUMBER, &r.timed},
        {"--pause", 0, CLI_NUMBER, &r.pause},
        {"--boundary", 0, CLI_TEXT, &r.boundary},
        {"--continue", 0, CLI_FLAG, &r.go_on},
        {"--batch-size", 0, CLI_COUNT, &r.batch_size},
        {"--model", 0, CLI_TEXT, &r.model},
        {"--compact", 0, CLI_FLAG, &r.compact},
        {"--no-modules", 0, CLI_FLAG, &r.no_modules},
        {"--allow-cpu", 0, CLI_FLAG, &r.allow_cpu},
        {"--no-gpu", 0, CLI_FLAG, &r.no_gpu},
        {"-m", 'm', CLI_REST, &r.module},
        {"--nvtx-range", 0, CLI_TEXT, &r.nvtx_range},
        {"--counters", 0, CLI_FLAG, &r.counters},
        {"--counters-percentile", 0, CLI_NUMBER, &r.percentile},
        {"--cupti", 0, CLI_TEXT, &r.cupti},
    };
    cli_arguments arguments = {.verb = "record",
                               .options = options,
                               .option_count = sizeof options / sizeof options[0],
                               .stop_at_operand = true};
    int code = cli_parse(&arguments, argc, argv);
    if (code == CLI_DONE && !arguments.finished)
        code = choose(&r, &arguments, argc, argv);
    cli_arguments_free(&arguments);
    return code;
}
