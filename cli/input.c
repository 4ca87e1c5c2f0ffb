/* From a trace file and options to an answer; see input.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "input.h"
#include "prices.h"

/* What a further file shares with the first, or all that is opened once. No GPU that is asked about
 * has no price either. */
static int open_tables(const cli_request *request, bool destinations, const cli_input *first,
                       cli_input *in) {
    if (first) {
        in->borrowed = true;
        in->table = first->table;
        in->prices = first->prices;
        return CLI_DONE;
    }
    int code = cli_open_gpus_noting(&request->gpu_files, &in->table, &in->notes);
    return code == CLI_DONE && destinations ? cli_open_prices(request, in) : code;
}

/* "64": no number in another notation, nothing around it. */
static int read_batch(const char *option, const char *text, uint64_t *out) {
    char *end = NULL;
    unsigned long long size = strtoull(text, &end, 10);
    if (*text < '1' || *text > '9' || *end || size > 1ull << 40)
        return cli_fail(CLI_USAGE, option, "\"%s\" is no whole number from 1 on; write it like 32",
                        text);
    *out = size;
    return CLI_DONE;
}

/* One size for all recordings, or one for each in the order in which they are named, that of
 * --batch-from last. Of one alone, the second recording must note its own: it is another one. */
static int check_recorded_batches(const cli_request *request) {
    size_t said = request->recorded_batches.count, named = request->operands->count;
    uint64_t size;
    int code = CLI_DONE;
    if (request->ranks.count)
        named += request->ranks.count;
    named += request->batch_from != NULL;
    for (size_t i = 0; code == CLI_DONE && i < said; i++)
        code = read_batch("--recorded-batch", request->recorded_batches.items[i], &size);
    if (code == CLI_DONE && said > 1 && said != named)
        return cli_fail(CLI_USAGE, "--recorded-batch",
                        "%zu sizes for %zu recording%s; give one for all, or one for each", said,
                        named, named == 1 ? "" : "s");
    return code;
}

/* That of recording i of those named; 0: as it notes. */
static uint64_t recorded_batch(const cli_request *request, size_t i) {
    const cli_list *said = &request->recorded_batches;
    uint64_t size = 0;
    if (said->count)
        read_batch("--recorded-batch", said->items[said->count > 1 ? i : 0], &size);
    return size;
}

/* A size named twice is one row. */
static int read_batches(const cli_request *request, cli_input *in) {
    in->batch_sizes = calloc(request->batches.count + 1, sizeof *in->batch_sizes);
    if (!in->batch_sizes)
        return cli_fail(CLI_FAILED, "--batch", "out of memory");
    for (size_t i = 0; i < request->batches.count; i++) {
        uint64_t size = 0;
        bool before = false;
        int code = read_batch("--batch", request->batches.items[i], &size);
        if (code != CLI_DONE)
            return code;
        for (size_t k = 0; k < in->batch_size_count; k++)
            before |= in->batch_sizes[k] == size;
        if (!before)
            in->batch_sizes[in->batch_size_count++] = size;
    }
    return CLI_DONE;
}

/* Other batch sizes and precisions: what --by and --timeline show is of the recording. */
static int read_scale(const cli_request *request, cli_input *in) {
    habitat_error error = {0};
    bool asked = request->batches.count || request->precision;
    if (request->batch_from && !request->batches.count)
        return cli_fail(CLI_USAGE, "--batch-from", "add --batch N, the size to predict");
    if (asked && (request->by || request->timeline))
        return cli_fail(CLI_USAGE, request->by ? "--by" : "--timeline",
                        "shows the recorded iteration; leave out --batch and --precision");
    if (request->precision &&
        habitat_precision_from_name(request->precision, &in->precision, &error) != HABITAT_OK)
        return cli_fail_error(&error, "--precision");
    int code = check_recorded_batches(request);
    return code == CLI_DONE ? read_batches(request, in) : code;
}

/* As many GPUs as are asked: one number, or a list of them. */
static int read_gpus(const cli_request *request, cli_input *in) {
    size_t asked = request->gpu_counts.count;
    in->gpu_counts = calloc(asked + 1, sizeof *in->gpu_counts);
    if (!in->gpu_counts)
        return cli_fail(CLI_FAILED, "--gpus", "out of memory");
    for (size_t i = 0; i < (asked ? asked : request->gpus > 0); i++) {
        double number = (double)request->gpus;
        bool before = false;
        if (asked)
            habitat_is_number(request->gpu_counts.items[i], &number);
        if (number > 65536)
            return cli_fail(CLI_USAGE, "--gpus", "from 1 to 65536 GPUs can share an iteration");
        for (size_t k = 0; k < in->gpu_counts_count; k++)
            before |= in->gpu_counts[k] == (uint32_t)number;
        if (!before)
            in->gpu_counts[in->gpu_counts_count++] = (uint32_t)number;
    }
    return CLI_DONE;
}

/* What does not go together with several GPUs, and with recorded ranks. */
static int check_gpus(const cli_request *request, const cli_input *in) {
    bool sum = in->assemble == HABITAT_ASSEMBLE_SUM, several = false, one = false;
    for (size_t i = 0; i < in->gpu_counts_count; i++) {
        several |= in->gpu_counts[i] > 1;
        one |= in->gpu_counts[i] == 1;
    }
    if (request->sharded && !several)
        return cli_fail(CLI_USAGE, "--sharded", "is of several GPUs; say how many with --gpus");
    if (request->sharded && request->ranks.count)
        return cli_fail(CLI_USAGE, "--sharded",
                        "replays one recorded GPU; the ranks are sharded as they were recorded");
    if (several && sum)
        return cli_fail(CLI_USAGE, "--gpus",
                        "needs the order of kernels; leave out --assemble sum");
    if (request->ranks.count && request->ranks.count + request->operands->count < 2)
        return cli_fail(CLI_USAGE, "--ranks", "needs a file of each rank: two or more");
    if (request->ranks.count &&
        (request->timeline || request->batches.count || request->precision || sum))
        return cli_fail(CLI_USAGE, "--ranks",
                        "replays the ranks as they were recorded; leave out --timeline, --batch, "
                        "--precision and --assemble sum");
    if (request->ranks.count && one)
        return cli_fail(CLI_USAGE, "--gpus", "one GPU sends no messages; leave out --ranks");
    if (in->gpu_counts_count > 1 && request->by && in->report.format != HABITAT_REPORT_JSON)
        return cli_fail(CLI_USAGE, "--by",
                        "does not tell several numbers of GPUs apart; give one, or take --json");
    if (several && request->timeline)
        return cli_fail(CLI_USAGE, "--gpus", "does not go with --timeline, which shows one GPU");
    return CLI_DONE;
}

/* Prices and the length of the training, where nothing that is written tells costs: rows of --by
 * hold none but in JSON, and in text the verdict below the table of classes. */
static int check_costs(const cli_request *request, const cli_input *in) {
    bool by_class = in->report.by == HABITAT_REPORT_BY_CLASS;
    bool text = in->report.format == HABITAT_REPORT_TEXT;
    bool sorted = text && request->sort &&
                  (strcmp(request->sort, "cost") == 0 || strcmp(request->sort, "price") == 0);
    const char *length = request->steps > 0 ? "--steps" : request->samples > 0 ? "--samples" : NULL;
    const char *price = request->price.count    ? "--price"
                        : request->prices.count ? "--prices"
                        : request->spot         ? "--spot"
                                                : NULL;
    const char *wrong = length ? length : sorted ? NULL : price;
    if (!wrong || !request->by || request->html || in->report.format == HABITAT_REPORT_JSON ||
        (text && by_class))
        return CLI_DONE;
    return cli_fail(CLI_USAGE, wrong,
                    "does not go with --by %s%s, whose rows hold no costs; leave out --by, or take "
                    "--json",
                    request->by, text ? "" : " --csv");
}

static int read_options(const cli_request *request, bool destinations, const cli_input *first,
                        cli_input *in) {
    habitat_error error = {0};
    habitat_report_format format = HABITAT_REPORT_TEXT;
    int code = cli_format(request->json, request->csv, &format);
    if (code != CLI_DONE)
        return code;
    in->report = cli_report_options(format);
    in->report.top = request->top;
    in->report.shorten = !request->all && request->to.count == 0;
    in->report.sort = request->sort;
    in->report.columns = request->columns.items;
    in->report.column_count = request->columns.count;
    in->report.vendor = request->vendor;
    in->report.min_memory_bytes = request->min_memory_gib * HABITAT_GIB;
    in->report.since = request->since;
    if (request->columns.count && (request->by || format != HABITAT_REPORT_TEXT))
        return cli_fail(CLI_USAGE, "--columns",
                        "chooses those of the table; --by has columns of its own, and JSON and CSV "
                        "hold all");
    if (request->by &&
        habitat_report_by_from_name(request->by, &in->report.by, &error) != HABITAT_OK)
        return cli_fail_error(&error, "--by");
    if (request->method &&
        habitat_method_from_name(request->method, &in->method, &error) != HABITAT_OK)
        return cli_fail_error(&error, "--method");
    if (request->assemble &&
        habitat_assemble_from_name(request->assemble, &in->assemble, &error) != HABITAT_OK)
        return cli_fail_error(&error, "--assemble");
    if (request->cpu_scale > 1e9)
        return cli_fail(CLI_USAGE, "--cpu-scale", "a factor above 1e9 is no CPU's; give less");
    bool sum = in->assemble == HABITAT_ASSEMBLE_SUM;
    if (sum && request->cpu_scale > 0.0)
        return cli_fail(CLI_USAGE, "--cpu-scale",
                        "multiplies the CPU's side; leave out --assemble sum");
    code = check_costs(request, in);
    if (code == CLI_DONE)
        code = read_gpus(request, in);
    if (code == CLI_DONE)
        code = check_gpus(request, in);
    if (code != CLI_DONE)
        return code;
    if (request->nvtx_range && request->iterations)
        return cli_fail(
            CLI_USAGE, "--iterations",
            "does not go with --nvtx-range, whose ranges are the iterations; choose one");
    code = read_scale(request, in);
    if (code == CLI_DONE)
        code = cli_read_host(request, in);
    return code == CLI_DONE ? open_tables(request, destinations, first, in) : code;
}

/* "-" is standard input; a file of that name is "./-". */
static habitat_status read_trace(const char *file, const habitat_read_options *options,
                                 habitat_trace **out, habitat_error *error) {
    return strcmp(file, "-") == 0
               ? habitat_trace_read_descriptor(STDIN_FILENO, "standard input", options, out, error)
               : habitat_trace_read_with(file, options, out, error);
}

/* The first rank's file is read; operands are files of more ranks. */
static int open_ranks(const cli_request *request, habitat_read_options *options, cli_input *in) {
    const cli_list *lists[] = {&request->ranks, request->operands};
    habitat_error error = {0};
    in->ranks = calloc(request->ranks.count + request->operands->count, sizeof(habitat_trace *));
    if (!in->ranks)
        return cli_fail(CLI_FAILED, "--ranks", "out of memory");
    in->ranks[in->rank_count++] = in->trace;
    for (size_t l = 0; l < 2; l++)
        for (size_t i = l == 0; i < lists[l]->count; i++) {
            const char *file = lists[l]->items[i];
            options->batch_size = recorded_batch(request, in->rank_count);
            if (read_trace(file, options, &in->ranks[in->rank_count], &error) != HABITAT_OK)
                return cli_fail_error(&error, file);
            in->rank_count++;
        }
    return CLI_DONE;
}

static int open_trace(const cli_request *request, const char *file, bool required, cli_input *in) {
    habitat_error error = {0};
    bool no_gpu = !required && !request->ranks.count; /* ranks need what their GPUs did */
    habitat_read_options options = {request->nvtx_range, request->iterations, no_gpu,
                                    recorded_batch(request, in->number)};
    if (read_trace(file, &options, &in->trace, &error) != HABITAT_OK)
        return cli_fail_error(&error, file);
    if (request->ranks.count)
        return open_ranks(request, &options, in);
    options.batch_size = request->recorded_batches.count > 1 ? recorded_batch(request, 1) : 0;
    if (request->batch_from &&
        read_trace(request->batch_from, &options, &in->batch_from, &error) != HABITAT_OK)
        return cli_fail_error(&error, request->batch_from);
    return CLI_DONE;
}

static bool names_gpus(const cli_request *request) {
    for (size_t i = 0; i < request->to.count; i++)
        if (strcmp(request->to.items[i], "all") != 0)
            return true;
    return false;
}

/* What the answer says beside its numbers: CSV of predictions has no room for any of it. */
static void warn(const cli_request *request, const habitat_request *asked, const cli_input *in) {
    if (request->notes_below && in->report.format == HABITAT_REPORT_TEXT)
        return;
    bool csv = in->report.format == HABITAT_REPORT_CSV && !asked->no_predictions;
    for (size_t i = 0; i < in->answer->warning_count; i++) {
        const habitat_warning *warning = &in->answer->warnings[i];
        if (warning->kind == HABITAT_WARNING_LEFT_OUT && !csv && !names_gpus(request))
            continue; /* nobody asked for it; CSV holds all GPUs, and says so nowhere else */
        if (warning->about == HABITAT_ABOUT_REQUEST ||
            (csv && warning->about > HABITAT_ABOUT_REQUEST))
            cli_warn("%s", warning->text);
    }
}

static int fill(const cli_request *request, habitat_request *asked, cli_input *in) {
    if (request->from) {
        int code = cli_find_gpu(in->table, request->from, &asked->origin, &in->notes);
        if (code != CLI_DONE)
            return code;
    }
    asked->trace = in->trace;
    asked->origin_word = "--from";
    asked->gpus = in->table;
    asked->method = in->method;
    asked->assemble = in->assemble;
    asked->cpu_scale = in->cpu_scale;
    asked->cpu_scale_doubt = in->cpu_scale_doubt;
    asked->cpu_scale_of_middle = in->cpu_scale_of_middle;
    asked->batch_sizes = in->batch_size_count ? in->batch_sizes : NULL;
    asked->batch_size_count = in->batch_size_count;
    asked->batch_from = in->batch_from;
    asked->precision = in->precision;
    asked->gpu_counts = in->gpu_counts_count ? in->gpu_counts : NULL;
    asked->gpu_counts_count = in->gpu_counts_count;
    asked->sharded = request->sharded;
    asked->ranks = (const habitat_trace *const *)in->ranks;
    asked->rank_count = in->rank_count;
    asked->notes = (const char *const *)in->notes.lines;
    asked->note_count = in->notes.count;
    asked->prices = in->prices;
    asked->spot = request->spot;
    asked->steps = request->steps;
    asked->samples = request->samples;
    asked->totals = request->totals;
    asked->fastest_first = !names_gpus(request);
    asked->today = cli_today(in->today, sizeof in->today);
    return CLI_DONE;
}

static int ask(const cli_request *request, habitat_request *asked, cli_input *in) {
    habitat_error error = {.index = SIZE_MAX};
    int code = fill(request, asked, in);
    if (code != CLI_DONE)
        return code;
    if (habitat_ask(asked, &in->answer, &error) == HABITAT_OK) {
        warn(request, asked, in);
        return CLI_DONE;
    }
    const char *file = habitat_trace_get_info(in->trace)->file;
    return cli_fail_error(&error, asked->destinations && error.index < asked->destination_count
                                      ? habitat_gpu_name(asked->destinations[error.index])
                                      : file);
}

/* Keeps the GPUs that --min-memory and --since leave. */
static int filter(const cli_request *request, const habitat_gpu **gpus, size_t *count) {
    double least = request->min_memory_gib * HABITAT_GIB, days = 0;
    size_t kept = 0;
    if (request->since && !habitat_days_between(request->since, request->since, &days))
        return cli_fail(CLI_USAGE, "--since", "\"%.40s\" is no date like 2022 or 2022-09",
                        request->since);
    for (size_t i = 0; i < *count; i++) {
        const char *date = habitat_gpu_text(gpus[i], HABITAT_GPU_RELEASE_DATE);
        bool large = !(least > 0) || habitat_gpu_number(gpus[i], HABITAT_GPU_MEMORY_BYTES) >= least;
        bool young =
            !request->since || (habitat_days_between(request->since, date, &days) && days >= 0);
        if (large && young)
            gpus[kept++] = gpus[i];
    }
    if (!kept && *count)
        return cli_fail(CLI_USAGE,
                        !request->since ? "--min-memory"
                        : least > 0     ? "--min-memory, --since"
                                        : "--since",
                        "no GPU is left: each is %s; ask for less",
                        !request->since ? "too small"
                        : least > 0     ? "too small or too old"
                                        : "too old");
    *count = kept;
    return CLI_DONE;
}

static int open_input(const cli_request *request, const char *file, bool destinations,
                      const cli_input *first, cli_input *in) {
    const habitat_gpu **gpus = NULL;
    habitat_request asked;
    habitat_request_init(&asked);
    asked.no_predictions = !destinations;
    int code = read_options(request, destinations, first, in);
    if (code == CLI_DONE && destinations)
        code = cli_find_gpus(in->table, &request->to, &gpus, &asked.destination_count, &in->notes);
    asked.destinations = gpus;
    if (code == CLI_DONE && request->filtered)
        code = filter(request, gpus, &asked.destination_count);
    if (code == CLI_DONE)
        code = open_trace(request, file, destinations, in);
    if (code == CLI_DONE)
        code = ask(request, &asked, in);
    free(gpus);
    return code;
}

int cli_input_open(const cli_request *request, const char *file, bool destinations, cli_input *in) {
    return open_input(request, file, destinations, NULL, in);
}

int cli_input_open_more(const cli_request *request, const char *file, const cli_input *first,
                        cli_input *in) {
    return open_input(request, file, true, first, in);
}

int cli_input_show(const cli_request *request, const habitat_gpu *gpu, cli_input *in) {
    habitat_request asked;
    habitat_error error = {0};
    habitat_request_init(&asked);
    int code = fill(request, &asked, in);
    asked.destinations = &gpu;
    asked.destination_count = 1;
    asked.totals = false;
    if (code == CLI_DONE && habitat_ask(&asked, &in->shown, &error) != HABITAT_OK)
        code = cli_fail_error(&error, habitat_gpu_name(gpu));
    return code;
}

int cli_input_first(cli_request *request, const cli_arguments *arguments, const char **file) {
    bool ranks = request->ranks.count > 0;
    int code = ranks ? cli_expect_operands(arguments, 0, SIZE_MAX, "")
                     : cli_expect_operands(arguments, 1, 1, "a TRACE");
    request->operands = &arguments->operands;
    if (code == CLI_DONE)
        *file = ranks ? request->ranks.items[0] : arguments->operands.items[0];
    return code;
}

void cli_input_free(cli_input *in) {
    habitat_answer_free(in->shown);
    habitat_answer_free(in->answer);
    habitat_trace_free(in->trace);
    if (!in->borrowed) {
        habitat_prices_free(in->prices);
        habitat_gpu_table_free(in->table);
    }
    habitat_trace_free(in->batch_from);
    for (size_t i = 1; i < in->rank_count; i++)
        habitat_trace_free(in->ranks[i]);
    free(in->ranks);
    free(in->batch_sizes);
    free(in->gpu_counts);
    cli_notes_free(&in->notes);
}
