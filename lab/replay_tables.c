/* Judged replays as Markdown and CSV. An error is replayed over measured iteration, less 1. */
#include "lab/replay_tables.h"

#include <string.h>

#include <habitat/text.h>

#include "base/constants_recordings.h"
#include "base/constants_replay.h"
#include "lab/errors.h"

/* | title | n | mean | median | worst | bias | */
static void print_row(report_text *text, const char *title, error_list *errors, const char *rest) {
    error_summary s = errors_summarise(errors);
    if (s.count)
        report_print(text, "| %s | %zu | %.2f | %.2f | %.2f | %+.2f |%s\n", title, s.count,
                     100 * s.mean, 100 * s.median, 100 * s.worst, 100 * s.bias, rest);
    text->no_memory |= errors->no_memory;
    errors_free(errors);
}

static const char columns[] = " | steps | mean | median | worst | bias |";
static const char line[] = "\n|---|--:|--:|--:|--:|--:|";

static void print_origin(const replay_set *set, report_text *text) {
    error_list own = {0}, busy[2] = {{0}}, held[2] = {{0}};
    size_t inside[2] = {0}, steady = 0, steady_inside = 0;
    for (size_t i = 0; i < set->count; i++) {
        const replay_case *c = &set->cases[i];
        bool holds = c->measured_ms >= c->low_ms && c->measured_ms <= c->high_ms;
        errors_add(&own, c->replayed_ms, c->measured_ms);
        errors_add(&busy[c->cpu_bound], c->busy_ms, c->measured_ms);
        errors_add(&held[c->cpu_bound], c->withheld_ms, c->measured_ms);
        inside[c->cpu_bound] += holds;
        if (c->cpu_bound && !(c->spread > chosen_much_spread)) {
            steady++;
            steady_inside += holds;
        }
    }
    report_print(text,
                 "\nOn the origin, errors in %% of the iteration's time without the profiler:\n\n"
                 "| replay%s inside the interval |%s--:|\n",
                 columns, line);
    print_row(text, "calibrated with its own time", &own, " - |");
    for (int cpu = 0; cpu < 2; cpu++) {
        char rest[32];
        double share = held[cpu].count ? (double)inside[cpu] / (double)held[cpu].count : 0.0;
        habitat_format(rest, sizeof rest, " %.0f %% |", 100.0 * share);
        print_row(text, cpu ? "its time withheld, CPU-bound" : "its time withheld, GPU-bound",
                  &held[cpu], rest);
        print_row(text, cpu ? "busy time alone, CPU-bound" : "busy time alone, GPU-bound",
                  &busy[cpu], " - |");
    }
    report_print(
        text,
        "\nThe rule for the CPU's side, fitted on the CPU-bound ones of all %zu steps: %.4f x "
        "usual step x steps + %.3f us x calls + %.3f us x outermost operations; answered "
        "%.2f of it, interval %.4f to %.4f.\nOf the CPU-bound steps whose own timed groups differ "
        "by 10 %% at most, %zu of %zu are inside it.\n",
        set->count, set->weights[0], set->weights[1] / 1e3, set->weights[2] / 1e3,
        chosen_replay_point, 1.0 / fitted_replay_factor, fitted_replay_factor, steady_inside,
        steady);
}

static bool is_steady(const replay_set *set, const replay_pair *p) {
    return !(set->cases[p->from].spread > chosen_much_spread) &&
           !(set->cases[p->to].spread > chosen_much_spread);
}

/* Which transfers to another batch size a row is of. */
typedef struct batch_row {
    const char *replay, *sum; /* titles */
    bool steady, cpu_alone;
} batch_row;

static void print_batch_row(const replay_set *set, const batch_row *row, report_text *text) {
    error_list replayed = {0}, sum = {0};
    for (size_t i = 0; i < set->batch_count; i++) {
        const replay_pair *p = &set->batches[i];
        const replay_case *to = &set->cases[p->to];
        if (is_steady(set, p) != row->steady || (row->cpu_alone && !to->cpu_bound))
            continue;
        errors_add(&replayed, p->replayed_ms, to->measured_ms);
        errors_add(&sum, p->sum_ms, to->measured_ms);
    }
    print_row(text, row->replay, &replayed, "");
    print_row(text, row->sum, &sum, "");
}

static void print_batches(const replay_set *set, report_text *text) {
    static const batch_row rows[] = {
        {"replay", "sum (busy time)", true, false},
        {"replay, CPU-bound ones", "sum, CPU-bound ones", true, true},
        {"spread above 10 %: replay", "spread above 10 %: sum", false, false},
        {"spread above 10 %: replay, CPU-bound ones", "spread above 10 %: sum, CPU-bound ones",
         false, true}};
    report_print(text,
                 "\nAnother batch size of the same model on the same kind of host: kernels of the "
                 "one recording, the CPU's side\ncalibrated on the other; errors in %%. Runs whose "
                 "timed groups differ by more than 10 %% are listed apart.\n\n| method%s%s\n",
                 columns, line);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        print_batch_row(set, &rows[i], text);
}

static void print_gpus(const replay_set *set, report_text *text) {
    error_list replayed = {0}, kernels = {0}, sum = {0};
    size_t inside = 0;
    char rest[32];
    for (size_t i = 0; i < set->gpu_count; i++) {
        const replay_pair *p = &set->gpus[i];
        const replay_case *to = &set->cases[p->to];
        if (set->cases[p->from].cpu_bound || to->cpu_bound)
            continue;
        errors_add(&replayed, p->replayed_ms, to->measured_ms);
        errors_add(&sum, p->sum_ms, to->measured_ms);
        errors_add(&kernels, p->sum_ms, to->busy_ms);
        inside += to->measured_ms >= p->low_ms && to->measured_ms <= p->high_ms;
    }
    habitat_format(rest, sizeof rest, " %.0f %% |",
                   replayed.count ? 100.0 * (double)inside / (double)replayed.count : 0.0);
    report_print(text,
                 "\nAnother GPU, where the GPU binds on both (`auto`); errors in %%:\n\n"
                 "| what%s inside the interval |%s--:|\n",
                 columns, line);
    print_row(text, "kernels: busy time against busy time", &kernels, " - |");
    print_row(text, "replay against the iteration", &replayed, rest);
    print_row(text, "sum against the iteration", &sum, " - |");
}

static void print_steps(const replay_set *set, report_text *text) {
    report_print(text, "\nEvery recording (ms; `calibrated`: what it says of its CPU; `withheld`: "
                       "replayed without knowing its own time):\n\n"
                       "| recording | measured | spread | busy | CPU calibrated | withheld | "
                       "interval | error |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < set->count; i++) {
        const replay_case *c = &set->cases[i];
        report_print(text, "| %.*s | %.2f | %.0f %% | %.2f | ", (int)recording_stem_length(c->file),
                     c->file, c->measured_ms, 100 * c->spread, c->busy_ms);
        if (c->basis == HABITAT_CPU_RECORDED)
            report_print(text, "%.2f", c->cpu_ms);
        else
            report_print(text, "(GPU binds)");
        report_print(text, " | %.2f | %.2f..%.2f | %+.1f |\n", c->withheld_ms, c->low_ms,
                     c->high_ms, 100 * (c->withheld_ms / c->measured_ms - 1.0));
    }
}

void replay_print_tables(const replay_set *set, report_text *text) {
    report_print(text, "## Replay: the iteration from its kernels\n\n"
                       "The truth is the recordings' own time without the profiler. "
                       "docs/iteration.md says what replay does.\n");
    print_origin(set, text);
    print_batches(set, text);
    print_gpus(set, text);
    print_steps(set, text);
}

void replay_print_cases(const replay_set *set, report_text *text) {
    report_print(text, "question,from,to,measured_ms,sum_ms,predicted_ms,low_ms,high_ms,spread\n");
    for (size_t i = 0; i < set->count; i++) {
        const replay_case *c = &set->cases[i];
        report_print(text, "calibrated,%s,%s,%.9g,%.9g,%.9g,,,%.4g\n", c->file, c->file,
                     c->measured_ms, c->busy_ms, c->replayed_ms, c->spread);
        report_print(text, "withheld,%s,%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.4g\n", c->file, c->file,
                     c->measured_ms, c->busy_ms, c->withheld_ms, c->low_ms, c->high_ms, c->spread);
    }
    for (size_t i = 0; i < set->batch_count + set->gpu_count; i++) {
        bool gpu = i >= set->batch_count;
        const replay_pair *p = gpu ? &set->gpus[i - set->batch_count] : &set->batches[i];
        const replay_case *to = &set->cases[p->to];
        report_print(text, "%s,%s,%s,%.9g,%.9g,%.9g,", gpu ? "gpu" : "batch",
                     set->cases[p->from].file, to->file, to->measured_ms, p->sum_ms,
                     p->replayed_ms);
        if (gpu)
            report_print(text, "%.9g,%.9g,", p->low_ms, p->high_ms);
        else
            report_print(text, ",,");
        report_print(text, "%.4g\n", to->spread);
    }
}
