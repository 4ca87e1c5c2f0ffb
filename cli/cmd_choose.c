/* habitat choose TRACE..: which GPU to take, and why. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "html.h"

enum { TRACES_MAX = 64 };

/* What is chosen by; hours of a deadline as text: "24", "24h", "3d". */
typedef struct wishes {
    const char *objective, *deadline, *vendor;
    double max_usd_hour;
    bool must_fit;
} wishes;

static int read_deadline(const char *text, double *hours) {
    size_t used = habitat_read_number(text, hours);
    const char *unit = text + used;
    double scale = strcmp(unit, "d") == 0 ? 24 : !*unit || strcmp(unit, "h") == 0 ? 1 : 0;
    if (!used || scale == 0 || !(*hours > 0 && *hours < 1e6))
        return cli_fail(CLI_USAGE, "--deadline", "\"%s\" is no time like 24h or 3d", text);
    *hours *= scale;
    return CLI_DONE;
}

static int read_wishes(const wishes *from, const cli_request *request,
                       habitat_choice_options *out) {
    habitat_error error = {0};
    int code = CLI_DONE;
    out->max_usd_per_hour = from->max_usd_hour;
    out->must_fit = from->must_fit;
    out->other_vendors = request->to.count > 0; /* named ones are meant */
    if (from->vendor && strcmp(from->vendor, "any") != 0)
        return cli_fail(CLI_USAGE, "--vendor", "\"%s\" is not \"any\"", from->vendor);
    out->other_vendors |= from->vendor != NULL;
    if (from->objective &&
        habitat_objective_from_name(from->objective, &out->objective, &error) != HABITAT_OK)
        return cli_fail(CLI_USAGE, "--objective", "%s", error.message);
    if (from->deadline)
        code = read_deadline(from->deadline, &out->deadline_hours);
    if (code == CLI_DONE && from->deadline && !(request->steps > 0 || request->samples > 0))
        return cli_fail(CLI_USAGE, "--deadline",
                        "needs the length of the training: --steps or --samples");
    return code;
}

/* "TRACE:WEIGHT"; a file of that very name comes first only where no number follows the colon. */
static int split_weight(char *operand, double *weight) {
    char *colon = strrchr(operand, ':');
    *weight = 1;
    if (!colon || !habitat_is_number(colon + 1, weight))
        return CLI_DONE;
    if (!(*weight > 0 && *weight < 1e12))
        return cli_fail(CLI_USAGE, operand, "a weight must be more than 0");
    *colon = '\0';
    return CLI_DONE;
}

static int open_traces(const cli_request *request, const cli_list *operands, cli_input *inputs,
                       double *weights, const habitat_answer **answers) {
    for (size_t i = 0; i < operands->count; i++) {
        char *file = strdup(operands->items[i]);
        if (!file)
            return cli_fail(CLI_FAILED, NULL, "out of memory");
        int code = split_weight(file, &weights[i]);
        if (code == CLI_DONE)
            code = i ? cli_input_open_more(request, file, &inputs[0], &inputs[i])
                     : cli_input_open(request, file, true, &inputs[i]);
        free(file);
        if (code != CLI_DONE)
            return code;
        answers[i] = inputs[i].answer;
    }
    return CLI_DONE;
}

static habitat_status page(const void *of, const habitat_report_options *options,
                           habitat_error *err) {
    return habitat_report_choice(of, options, err);
}

static int choose(const cli_request *request, const habitat_choice_options *options,
                  const cli_list *operands) {
    cli_input inputs[TRACES_MAX] = {{0}};
    double weights[TRACES_MAX];
    const habitat_answer *answers[TRACES_MAX];
    habitat_choice *choice = NULL;
    habitat_error error = {0};
    int code = open_traces(request, operands, inputs, weights, answers);
    if (code == CLI_DONE &&
        habitat_choose(answers, weights, operands->count, options, &choice, &error) != HABITAT_OK)
        code = cli_fail_error(&error, NULL);
    if (code == CLI_DONE && request->html)
        code = cli_html_write(request, &inputs[0], page, choice);
    if (code == CLI_DONE && !cli_html_alone(request))
        code = cli_report_result(habitat_report_choice(choice, &inputs[0].report, &error), &error);
    habitat_choice_free(choice);
    for (size_t i = operands->count; i-- > 0;)
        cli_input_free(&inputs[i]);
    return code;
}

int cmd_choose(int argc, char **argv) {
    cli_request request = {.cpu_scale = 1.0};
    wishes wished = {0};
    habitat_choice_options options = {0};
    const cli_option list[] = {
        {"--objective", 0, CLI_TEXT, &wished.objective},
        {"--max-usd-hour", 0, CLI_POSITIVE, &wished.max_usd_hour},
        {"--deadline", 0, CLI_TEXT, &wished.deadline},
        {"--must-fit", 0, CLI_FLAG, &wished.must_fit},
        {"--vendor", 0, CLI_TEXT, &wished.vendor},
        CLI_PRICE_OPTIONS(request),
        {"--to", 0, CLI_LIST, &request.to},
        {"--from", 0, CLI_TEXT, &request.from},
        {"--method", 0, CLI_TEXT, &request.method},
        {"--assemble", 0, CLI_TEXT, &request.assemble},
        {"--cpu-scale", 0, CLI_POSITIVE, &request.cpu_scale},
        {"--top", 0, CLI_COUNT, &request.top},
        {"--html", 0, CLI_TEXT, &request.html},
        {"--gpu-file", 0, CLI_LIST, &request.gpu_files},
        {"--json", 0, CLI_FLAG, &request.json},
        {"--csv", 0, CLI_FLAG, &request.csv},
    };
    cli_arguments arguments = {
        .verb = "choose", .options = list, .option_count = sizeof list / sizeof list[0]};
    int code = cli_parse(&arguments, argc, argv);
    if (code == CLI_DONE && !arguments.finished) {
        request.operands = &arguments.operands;
        code = cli_expect_operands(&arguments, 1, TRACES_MAX, "TRACEs");
        if (code == CLI_DONE)
            code = cli_html_check(&request);
        if (code == CLI_DONE)
            code = read_wishes(&wished, &request, &options);
        if (code == CLI_DONE)
            code = choose(&request, &options, &arguments.operands);
    }
    cli_arguments_free(&arguments);
    return code;
}
