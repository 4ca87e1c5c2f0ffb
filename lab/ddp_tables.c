/* Judged iterations of several GPUs as Markdown and CSV. */
#include "lab/ddp_tables.h"

#include "lab/errors.h"

/* The GPU sets the step on one GPU, by a fifth: the others hang on the host. */
static bool is_listed_apart(const ddp_case *c) {
    return !c->gpu_binds;
}

static void print_mean(const ddp_set *set, report_text *text, bool apart, const char *title) {
    error_list errors = {0};
    for (size_t i = 0; i < set->count; i++)
        if (is_listed_apart(&set->cases[i]) == apart)
            errors_add(&errors, set->cases[i].predicted_ms, set->cases[i].measured_ms);
    error_summary e = errors_summarise(&errors);
    if (e.count)
        report_print(text, "%s: mean %.2f %%, worst %.2f %% of %zu steps.\n", title, 100 * e.mean,
                     100 * e.worst, e.count);
    text->no_memory |= errors.no_memory;
    errors_free(&errors);
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

void ddp_print_tables(const ddp_set *set, report_text *text) {
    report_print(
        text, "## Several GPUs: DistributedDataParallel from one GPU\n\nms. One GPU: as "
              "recorded without the profiler; predicted: the same step on all GPUs.\n\n"
              "**What was seen.** That kernels take a quarter longer beside a sum of gradients was "
              "read off traces of six of\nthese steps (both ranks, medians 0.13 to 0.37; "
              "docs/decisions/0156), and the cost of the CPU was chosen beside them,\nbefore "
              "times were compared: the table shows what the model does and is no clean test of "
              "it.\n\n"
              "| step | GPUs | one GPU | measured | predicted | interval | error %% | messages "
              "| exposed |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < set->count; i++) {
        const ddp_case *c = &set->cases[i];
        report_print(
            text, "| %s%s | %u | %.2f | %.2f | %.2f | %.2f..%.2f | %+.2f | %.2f | %.2f |\n",
            c->name, is_listed_apart(c) ? " (CPU)" : "", c->gpus, c->one_ms, c->measured_ms,
            c->predicted_ms, c->low_ms, c->high_ms,
            100.0 * (c->predicted_ms / c->measured_ms - 1.0), c->communication_ms, c->exposed_ms);
    }
    report_print(text, "\n");
    print_mean(set, text, false, "Where the GPU binds");
    print_mean(set, text, true, "Where the CPU binds on one GPU");
    print_ranks(set, text);
}

void ddp_print_cases(const ddp_set *set, report_text *text) {
    report_print(text, "step,gpus,one_ms,measured_ms,predicted_ms,low_ms,high_ms,communication_ms,"
                       "exposed_communication_ms,cpu_bound\n");
    for (size_t i = 0; i < set->count; i++) {
        const ddp_case *c = &set->cases[i];
        report_print(text, "%s,%u,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d\n", c->name, c->gpus,
                     c->one_ms, c->measured_ms, c->predicted_ms, c->low_ms, c->high_ms,
                     c->communication_ms, c->exposed_ms, is_listed_apart(c));
    }
}
