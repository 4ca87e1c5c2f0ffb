/* Judged iterations of several GPUs as Markdown and CSV. */
#include "lab/ddp_tables.h"

#include <math.h>
#include <stdio.h>

#include <habitat/text.h>

#include "base/constants_recordings.h"
#include "lab/errors.h"

/* What sets the measured time: the GPU, or the host, on one GPU already or by its neighbours. */
typedef enum ddp_kind { DDP_GPU, DDP_CPU, DDP_SPREAD } ddp_kind;

static ddp_kind kind_of(const ddp_case *c) {
    if (!c->gpu_binds)
        return DDP_CPU;
    return c->spread > chosen_much_spread ? DDP_SPREAD : DDP_GPU;
}

static const char *mark_of(const ddp_case *c) {
    bool spread = c->spread > chosen_much_spread;
    if (!c->gpu_binds)
        return spread ? " (CPU, spread)" : " (CPU)";
    return spread ? " (spread)" : "";
}

/* gpus: of this many GPUs only; 0 is any number. */
static void print_mean(const ddp_set *set, report_text *text, ddp_kind kind, uint32_t gpus,
                       const char *title) {
    error_list errors = {0};
    size_t inside = 0;
    for (size_t i = 0; i < set->count; i++) {
        const ddp_case *c = &set->cases[i];
        if (kind_of(c) != kind || (gpus && c->gpus != gpus))
            continue;
        errors_add(&errors, c->predicted_ms, c->measured_ms);
        inside += c->low_ms <= c->measured_ms && c->measured_ms <= c->high_ms;
    }
    error_summary e = errors_summarise(&errors);
    if (e.count && gpus)
        report_print(text, "%s, %u GPUs: mean %.2f %%, worst %.2f %% of %zu steps; %zu inside.\n",
                     title, gpus, 100 * e.mean, 100 * e.worst, e.count, inside);
    else if (e.count)
        report_print(text, "%s: mean %.2f %%, worst %.2f %% of %zu steps; %zu inside.\n", title,
                     100 * e.mean, 100 * e.worst, e.count, inside);
    text->no_memory |= errors.no_memory;
    errors_free(&errors);
}

/* Of what binds it; apart: those that the GPU binds by their number of GPUs. */
static void print_means(const ddp_set *set, report_text *text, bool apart, const char *by_gpu,
                        const char *by_cpu) {
    print_mean(set, text, DDP_GPU, apart ? 2 : 0, by_gpu);
    if (apart)
        print_mean(set, text, DDP_GPU, 4, by_gpu);
    print_mean(set, text, DDP_SPREAD, 0, "Spread of the measured groups above 10 %");
    print_mean(set, text, DDP_CPU, 0, by_cpu);
}

static void print_ranks(const ddp_set *set, report_text *text) {
    report_print(
        text, "\n## Recorded ranks\n\nms. Both GPUs' recordings of a step replayed together on "
              "their own GPU, without their time without the profiler, which is measured.\n\n"
              "| step | measured | predicted | interval | error %% | messages | exposed | a rank "
              "waits |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < set->count; i++) {
        const ranks_case *r = &set->cases[i].ranks;
        if (set->cases[i].has_ranks)
            report_print(text, "| %s | %.2f | %.2f | %.2f..%.2f | %+.2f | %.2f | %.2f | %.2f |\n",
                         set->cases[i].name, r->measured_ms, r->predicted_ms, r->low_ms, r->high_ms,
                         100.0 * (r->predicted_ms / r->measured_ms - 1.0), r->communication_ms,
                         r->exposed_ms, r->waiting_ms);
    }
}

static void print_rows(const ddp_set *set, report_text *text) {
    report_print(text, "| step | GPUs | one GPU | one GPU there | measured | predicted | interval "
                       "| error %% | messages | exposed |\n"
                       "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < set->count; i++) {
        const ddp_case *c = &set->cases[i];
        char there[32] = "-";
        if (!isnan(c->measured_one_ms))
            habitat_format(there, sizeof there, "%.2f", c->measured_one_ms);
        report_print(text,
                     "| %s%s | %u | %.2f | %s | %.2f | %.2f | %.2f..%.2f | %+.2f | %.2f | %.2f "
                     "|\n",
                     c->name, mark_of(c), c->gpus, c->one_ms, there, c->measured_ms,
                     c->predicted_ms, c->low_ms, c->high_ms,
                     100.0 * (c->predicted_ms / c->measured_ms - 1.0), c->communication_ms,
                     c->exposed_ms);
    }
    report_print(text, "\n");
}

static void print_unseen(const ddp_set *set, report_text *text) {
    report_print(
        text, "## Several GPUs: DistributedDataParallel from one GPU\n\nms. One GPU: as recorded "
              "without the profiler; there: the same step on one GPU of the host that\nmeasured; "
              "predicted: the step on all GPUs.\n\n"
              "**Partly seen.** Recordings of one GPU, made for other pages, on other hosts and "
              "days; two and four H200 of one host, joined\nby NVLink. When they were measured, "
              "predictions of them had been written down, and all was too short where the GPU\n"
              "binds (2.1 %% with two). What sums cost the kernels beside them was then chosen on "
              "the steps of two GPUs and of the last\ntable of this section, and how far what is "
              "added may be off on these of two and four (docs/decisions/0536). What that\ndoes to "
              "steps measured later: [full-size-steps.md](full-size-steps.md).\n\n");
    print_rows(set, text);
    print_means(set, text, true, "Where the GPU binds", "Where the CPU binds on one GPU");
}

static void print_one_host(const ddp_set *set, report_text *text) {
    if (!set->count)
        return;
    report_print(text,
                 "\n### Recorded and measured on one host\n\n"
                 "**A clean test.** Recorded on one of two H100s with the CPU's side by the clock, "
                 "then measured on both, seconds\nto minutes later; nothing was chosen on these "
                 "steps (they were in view when docs/decisions/0536 was made). Most of them differ "
                 "by more than 10 %% from one group of\niterations to the "
                 "next: that is the host.\n\n");
    print_rows(set, text);
    print_means(set, text, false, "Where the GPU binds", "Where the CPU binds on one GPU");
}

static void print_seen(const ddp_set *set, report_text *text) {
    report_print(
        text, "\n### The steps on which constants were chosen\n\n"
              "**Seen.** That kernels take a quarter longer beside a long sum was read off traces "
              "of six of these steps (both ranks,\nmedians 0.13 to 0.37; docs/decisions/0156), "
              "the cost of the CPU was chosen beside them, and what short sums cost on their\n"
              "times (docs/decisions/0536).\n\n");
    print_rows(set, text);
    print_means(set, text, false, "Where the GPU binds", "Where the CPU binds on one GPU");
}

static void print_from_fp32(const ddp_set *set, report_text *text) {
    if (!set->count)
        return;
    report_print(
        text, "\n### From another precision\n\n"
              "The steps of the first table that were recorded on one GPU in fp32, too, predicted "
              "from that recording with\n`--precision` and `--gpus`. No constant and no width was "
              "chosen on them: widths of another precision are from\nsteps on one GPU (above). One "
              "GPU: as recorded in fp32.\n\n");
    print_rows(set, text);
    print_means(set, text, false, "Predicted to be bound by the GPU",
                "Predicted to be bound by the CPU");
}

void ddp_print_tables(const ddp_result *result, report_text *text) {
    print_unseen(&result->unseen, text);
    print_from_fp32(&result->from_fp32, text);
    print_one_host(&result->one_host, text);
    print_seen(&result->seen, text);
    print_ranks(&result->seen, text);
}

/* from: the recording's precision, where that is another one. */
static void print_csv(const ddp_set *set, bool seen, const char *from, report_text *text) {
    for (size_t i = 0; i < set->count; i++) {
        const ddp_case *c = &set->cases[i];
        report_print(text, "%s,%u,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%.4g,%s\n", c->name,
                     c->gpus, seen, c->one_ms, c->measured_ms, c->predicted_ms, c->low_ms,
                     c->high_ms, c->communication_ms, c->exposed_ms, !c->gpu_binds, c->spread,
                     from);
    }
}

void ddp_print_cases(const ddp_result *result, report_text *text) {
    report_print(text, "step,gpus,seen,one_ms,measured_ms,predicted_ms,low_ms,high_ms,"
                       "communication_ms,exposed_communication_ms,cpu_bound,spread,from\n");
    print_csv(&result->unseen, false, "", text);
    print_csv(&result->from_fp32, false, "fp32", text);
    print_csv(&result->one_host, false, "", text);
    print_csv(&result->seen, true, "", text);
}
