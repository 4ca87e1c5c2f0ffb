/* habitat choose TRACE..: which GPU to take, and why. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "results.h"
#include "timeline.h"

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
        return cli_fail(CLI_USAGE, "--deadline", "\"%s\" is no time; write it like 24h or 3d",
                        text);
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
    out->vendor = from->vendor;
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

/* "2" and "02" are one number, as where they are read. */
static bool is_same(const char *a, const char *b) {
    double x, y;
    return strcmp(a, b) == 0 || (habitat_is_number(a, &x) && habitat_is_number(b, &y) && x == y);
}

static bool has_several(const cli_list *list) {
    for (size_t i = 1; i < list->count; i++)
        if (!is_same(list->items[i], list->items[0]))
            return true;
    return false;
}

/* What has no meaning where several batch sizes, numbers of GPUs or recordings are compared. */
static int check_compared(const cli_request *request) {
    bool several = has_several(&request->batches) || has_several(&request->gpu_counts);
    if (several && request->steps > 0)
        return cli_fail(CLI_USAGE, "--steps",
                        "as many steps at another batch size, or on more GPUs, are of more "
                        "samples; give --samples");
    if (request->batch_from && request->operands->count > 1)
        return cli_fail(CLI_USAGE, "--batch-from",
                        "tells of one recording which sizes change; give one TRACE");
    return CLI_DONE;
}

static bool is_there(const char *file) {
    return strcmp(file, "-") == 0 || access(file, F_OK) == 0;
}

/* "TRACE:WEIGHT", or a file of that very name. Which one is meant where both are there, nobody can
 * tell: the wrong one would be read without a word. */
static int split_weight(char *operand, double *weight) {
    char *colon = strrchr(operand, ':');
    double number = 1;
    *weight = 1;
    if (!colon || !habitat_is_number(colon + 1, &number))
        return CLI_DONE;
    bool whole = is_there(operand);
    *colon = '\0';
    bool before = is_there(operand);
    *colon = ':';
    if (whole && before)
        return cli_fail(CLI_USAGE, operand,
                        "is a file, and so is %.*s; write %s:1 for the first, or rename one",
                        (int)(colon - operand), operand, operand);
    if (whole)
        return CLI_DONE;
    if (!(number > 0 && number < 1e12))
        return cli_fail(CLI_USAGE, operand, "a weight must be more than 0");
    *weight = number;
    *colon = '\0';
    return CLI_DONE;
}

/* What is chosen by: recordings with their weights, or ranks that are one. */
typedef struct subjects {
    cli_input inputs[TRACES_MAX];
    const habitat_answer *answers[TRACES_MAX];
    double weights[TRACES_MAX];
    size_t count;
} subjects;

static int open_trace(const cli_request *request, const char *operand, subjects *s) {
    size_t i = s->count++;
    s->inputs[i].number = i;
    char *file = strdup(operand);
    if (!file)
        return cli_fail(CLI_FAILED, NULL, "out of memory");
    int code = split_weight(file, &s->weights[i]);
    if (code == CLI_DONE)
        code = i ? cli_input_open_more(request, file, &s->inputs[0], &s->inputs[i])
                 : cli_input_open(request, file, true, &s->inputs[i]);
    free(file);
    s->answers[i] = s->inputs[i].answer;
    return code;
}

static int open_all(const cli_request *request, subjects *s) {
    int code = CLI_DONE;
    if (request->ranks.count) {
        s->count = 1;
        s->weights[0] = 1;
        code = cli_input_open(request, request->ranks.items[0], true, &s->inputs[0]);
        s->answers[0] = s->inputs[0].answer;
        return code;
    }
    for (size_t i = 0; code == CLI_DONE && i < request->operands->count; i++)
        code = open_trace(request, request->operands->items[i], s);
    return code;
}

static void close_all(subjects *s) {
    for (size_t i = s->count; i-- > 0;)
        cli_input_free(&s->inputs[i]);
}

/* The GPU that is recommended, of the first recording. */
static int show(const cli_request *request, const habitat_choice *choice, cli_input *first) {
    if (!choice->recommended)
        return cli_fail(CLI_FAILED, "--timeline",
                        "no GPU can be taken, so there is none to show; leave it out to see why");
    return cli_input_show(request, choice->recommended->key.gpu, first);
}

static habitat_status report(const void *of, const habitat_report_options *options,
                             habitat_error *err) {
    return habitat_report_choice(of, options, err);
}

/* The library calls an option by its name without dashes. */
static int refuse(const habitat_error *error) {
    static const char vendor[] = "vendor: ";
    if (strncmp(error->message, vendor, strlen(vendor)) == 0)
        return cli_fail(CLI_USAGE, "--vendor", "%s", error->message + strlen(vendor));
    return cli_fail_error(error, NULL);
}

static int choose(const cli_request *request, const habitat_choice_options *options) {
    subjects all = {.count = 0};
    habitat_choice *choice = NULL;
    habitat_error error = {0};
    int code = open_all(request, &all);
    if (code == CLI_DONE &&
        habitat_choose(all.answers, all.weights, all.count, options, &choice, &error) != HABITAT_OK)
        code = refuse(&error);
    if (code == CLI_DONE && request->timeline)
        code = show(request, choice, &all.inputs[0]);
    if (code == CLI_DONE)
        code = cli_results_write(request, &all.inputs[0], report, choice);
    habitat_choice_free(choice);
    close_all(&all);
    return code;
}

/* Checks in the order in which a user would see them; then the work. */
static int check_and_choose(cli_request *request, const cli_arguments *arguments,
                            const wishes *wished) {
    habitat_choice_options options = {0};
    request->operands = &arguments->operands;
    int code =
        request->ranks.count ? CLI_DONE : cli_expect_operands(arguments, 1, TRACES_MAX, "TRACEs");
    if (code == CLI_DONE)
        code = cli_timeline_check_beside(request, false);
    if (code == CLI_DONE)
        code = cli_html_check(request);
    if (code == CLI_DONE)
        code = read_wishes(wished, request, &options);
    if (code == CLI_DONE)
        code = check_compared(request);
    return code == CLI_DONE ? choose(request, &options) : code;
}

int cmd_choose(int argc, char **argv) {
    cli_request request = {0};
    wishes wished = {0};
    const cli_option list[] = {
        {"--objective", 0, CLI_TEXT, &wished.objective},
        {"--max-usd-hour", 0, CLI_POSITIVE, &wished.max_usd_hour},
        {"--deadline", 0, CLI_TEXT, &wished.deadline},
        {"--must-fit", 0, CLI_FLAG, &wished.must_fit},
        {"--vendor", 0, CLI_TEXT, &wished.vendor},
        CLI_PRICE_OPTIONS(request),
        {"--to", 0, CLI_LIST, &request.to},
        {"--method", 0, CLI_TEXT, &request.method},
        CLI_ITERATION_OPTIONS(request),
        {"--gpus", 0, CLI_COUNTS, &request.gpu_counts},
        {"--sharded", 0, CLI_FLAG, &request.sharded},
        {"--top", 0, CLI_COUNT, &request.top},
        {"--sort", 0, CLI_TEXT, &request.sort},
        {"--all", 0, CLI_FLAG, &request.all},
        {"--min-memory", 0, CLI_NUMBER, &request.min_memory_gib},
        {"--since", 0, CLI_TEXT, &request.since},
        {"--html", 0, CLI_TEXT, &request.html},
        {"--columns", 0, CLI_LIST, &request.columns},
        {"--timeline", 0, CLI_TEXT, &request.timeline},
        CLI_TRACE_OPTIONS(request),
    };
    static const cli_elsewhere elsewhere[] = {
        {"by", "belongs to `habitat predict` and `habitat explain`"}};
    cli_arguments arguments = {.verb = "choose",
                               .options = list,
                               .option_count = sizeof list / sizeof list[0],
                               .elsewhere = elsewhere,
                               .elsewhere_count = sizeof elsewhere / sizeof *elsewhere};
    int code = cli_parse(&arguments, argc, argv);
    request.totals = !request.html;
    request.filtered = true;
    if (request.all && !request.top)
        request.top = SIZE_MAX;
    if (code == CLI_DONE && !arguments.finished)
        code = check_and_choose(&request, &arguments, &wished);
    cli_arguments_free(&arguments);
    return code;
}
