/* Reasons; see reasons.h. */
#include "report/reasons.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/text.h>
#include "base/constants_reports.h"

#include "formula/rates.h"
#include "gpu/gpu.h"
#include "predict/fallback.h"
#include "report/html.h"
#include "report/table.h"
#include "workload/workload.h"

enum { REASONS_MOST = 3, REASON_WORDS = 320, REASON_LINE = REASON_WORDS + 128 };

typedef struct reason {
    const char *what;         /* class, "memcpy", or "cpu": the recorded host */
    habitat_bound bound;      /* on the destination */
    double origin_ms, ms;     /* of one iteration; NaN: nothing was measured there */
    double effect_ms;         /* added (or, below 0, saved); ms where nothing was measured */
    double class_effect_ms;   /* of the whole class, its kernels with other bounds included */
    char words[REASON_WORDS]; /* after the name and the times: what bounds them, and the rates */
} reason;

typedef struct reasons {
    reason list[REASONS_MOST]; /* largest effect first, all in the direction of the whole */
    size_t count;
    double effect_ms; /* of all kernels and copies; their ms where nothing was measured */
} reasons;

enum { COPIES = HABITAT_CLASS_COUNT, GROUPS = HABITAT_CLASS_COUNT + 1, BOUNDS = 4 };

_Static_assert((int)HABITAT_BOUND_LAUNCH + 1 == (int)BOUNDS, "a place for each bound");

/* Kernels of one class with one bound. */
typedef struct group {
    double origin_ms, ms;
    double longest_ms; /* of its kernels; its format stands for the group */
    habitat_dtype dtype;
    bool matrix_unit;
    double roof_ms, known_ms; /* what known work takes at the origin's roof, and took there */
    double counted_ms;        /* of ms: of kernels whose work is known */
    double link_ms;           /* of ms: of messages, and copies to or from the host */
    double by_method[HABITAT_METHOD_COUNT]; /* of ms */
} group;

typedef struct tally {
    group groups[GROUPS][BOUNDS];
    const habitat_gpu *origin; /* NULL: nothing was measured */
    const habitat_gpu *dest;
    double origin_ms, ms;
    double added_ms; /* of ms: kernels that the recording does not have */
} tally;

/* ---- adding up ---- */

/* Time that the kernel's work takes on the origin at the roof that bounds it on the destination. */
static double roof_ms(const habitat_gpu *origin, const habitat_kernel_facts *facts,
                      habitat_bound bound) {
    if (bound == HABITAT_BOUND_COMPUTE)
        return 1e3 * facts->flop /
               habitat_arithmetic_rate(origin, facts->dtype, facts->matrix_unit, true, NULL, NULL);
    if (bound == HABITAT_BOUND_MEMORY)
        return 1e3 * facts->bytes / habitat_memory_rate(origin, true);
    return NAN;
}

static void add_kernel(tally *t, const habitat_workload_kernel *kernel,
                       const habitat_estimate *estimate, double iterations) {
    size_t class = habitat_is_copy(kernel->kernel) ? (size_t)COPIES : (size_t)kernel->op_class;
    group *g = &t->groups[class][estimate->bound];
    double ms = estimate->ms / iterations;
    g->ms += ms;
    t->ms += ms;
    g->by_method[estimate->method] += ms;
    g->link_ms += fallback_leaves_gpu(kernel->kernel) ? ms : 0;
    g->counted_ms += isfinite(kernel->facts.flop) && isfinite(kernel->facts.bytes) ? ms : 0;
    if (ms > g->longest_ms) {
        g->longest_ms = ms;
        g->dtype = kernel->facts.dtype;
        g->matrix_unit = kernel->facts.matrix_unit;
    }
    if (!t->origin)
        return;
    double origin_ms = kernel->facts.time_ns / HABITAT_NS_PER_MS / iterations;
    double roof = roof_ms(t->origin, &kernel->facts, estimate->bound) / iterations;
    g->origin_ms += origin_ms;
    t->origin_ms += origin_ms;
    if (isfinite(roof)) {
        g->roof_ms += roof;
        g->known_ms += origin_ms;
    }
}

static void add_kernels(tally *t, const habitat_answer *what, const habitat_prediction *p) {
    size_t count;
    const habitat_workload_kernel *kernels = habitat_workload_kernels(what->workload, &count);
    for (size_t i = 0; p->trace_kernels && i < p->trace_kernel_count && i < count; i++)
        add_kernel(t, &kernels[i], &p->trace_kernels[i], (double)p->iteration_count);
    for (size_t i = count; p->trace_kernels && i < p->trace_kernel_count; i++)
        t->added_ms += p->trace_kernels[i].ms / (double)p->iteration_count;
    t->ms += t->added_ms;
}

/* ---- words ---- */

/* The name up to its first hyphen: what a sentence has room for; the whole where the other GPU is
 * called the same. */
static void short_name(const habitat_gpu *gpu, const habitat_gpu *other, char *text, size_t size) {
    size_t length = strcspn(gpu->name, "-");
    if (other && gpu != other && length == strcspn(other->name, "-") &&
        strncmp(gpu->name, other->name, length) == 0)
        length = strlen(gpu->name);
    snprintf(text, size, "%.*s", (int)length, gpu->name);
}

/* A rate of arithmetic, and what it is of: "bf16, matrix units". */
typedef struct arithmetic {
    double flop_per_s; /* NaN: unknown */
    char number[32], format[32];
} arithmetic;

/* Without a recorded kernel nobody knows which units it used: no rate then. */
static arithmetic arithmetic_of(const tally *t, const habitat_gpu *gpu, const group *g) {
    arithmetic a = {.flop_per_s = NAN};
    habitat_dtype dtype = g->dtype;
    bool matrix = g->matrix_unit;
    if (t->origin)
        a.flop_per_s =
            habitat_arithmetic_rate(gpu, g->dtype, g->matrix_unit, true, &dtype, &matrix);
    habitat_format(a.number, sizeof a.number, "%.*f", a.flop_per_s < 1e13 ? 1 : 0,
                   a.flop_per_s / 1e12);
    snprintf(a.format, sizeof a.format, "%s%s", habitat_dtype_name(dtype),
             matrix ? ", matrix units" : "");
    return a;
}

/* The format stands once where both GPUs compute in it. */
static void compute_words(const tally *t, const group *g, const char *origin, char *text,
                          size_t size) {
    arithmetic here = arithmetic_of(t, t->dest, g), there = arithmetic_of(t, t->origin, g);
    bool same = strcmp(here.format, there.format) == 0;
    char ratio[32];
    ratio_text(here.flop_per_s / there.flop_per_s, ratio, sizeof ratio);
    if (isfinite(here.flop_per_s) && isfinite(there.flop_per_s))
        snprintf(text, size, "bound by arithmetic: %s TFLOP/s (%s), %s the %s's %s%s%s%s",
                 here.number, here.format, ratio, origin, there.number, same ? "" : " (",
                 same ? "" : there.format, same ? "" : ")");
    else
        snprintf(text, size, "bound by arithmetic");
}

static void memory_words(const tally *t, const char *origin, char *text, size_t size) {
    double rate = habitat_memory_rate(t->dest, true);
    double origin_rate = t->origin ? habitat_memory_rate(t->origin, true) : (double)NAN;
    char ratio[32];
    ratio_text(rate / origin_rate, ratio, sizeof ratio);
    int n = habitat_format(text, size, "bound by memory: %.0f GB/s", rate / 1e9);
    if (isfinite(origin_rate) && n > 0 && (size_t)n < size)
        habitat_format(text + n, size - (size_t)n, ", %s the %s's %.0f", ratio, origin,
                       origin_rate / 1e9);
}

/* How near the origin came to that roof; nothing where most of the work is unknown. */
static void reached_words(const group *g, const char *origin, char *text, size_t size) {
    size_t used = strlen(text);
    if (g->known_ms > 0.5 * g->origin_ms && g->roof_ms > 0 && used < size)
        habitat_format(text + used, size - used, "; the %s reached %.0f %% of its own", origin,
                       100 * g->roof_ms / g->known_ms);
}

/* ---- kernels of which no rate is known to be the bound ---- */

/* What one method made of them. */
static habitat_method method_of_most(const group *g) {
    size_t best = 0;
    for (size_t m = 1; m < HABITAT_METHOD_COUNT; m++)
        best = g->by_method[m] > g->by_method[best] ? m : best;
    return (habitat_method)best;
}

static bool is_near(double ratio, double other) {
    return isfinite(other) && ratio < chosen_said_near * other && other < chosen_said_near * ratio;
}

/* ", near the ratio of memory rates (5.86x)": what times would be where one of the two rates were
 * the bound, and where the predicted ratio lies. NaN: not known. */
static void place_words(double ratio, double memory, double units, const char *format, char *text,
                        size_t size) {
    char by_memory[32], by_units[32];
    ratio_text(memory, by_memory, sizeof by_memory);
    ratio_text(units, by_units, sizeof by_units);
    if (is_near(ratio, memory))
        snprintf(text, size, ", near the ratio of memory rates (%s)", by_memory);
    else if (is_near(ratio, units))
        snprintf(text, size, ", near the ratio of %s rates (%s)", format, by_units);
    else if (isfinite(memory) && isfinite(units))
        snprintf(text, size, ", %s the ratios of memory rates (%s) and %s rates (%s)",
                 ratio > fmax(memory, units)   ? "above"
                 : ratio < fmin(memory, units) ? "below"
                                               : "between",
                 by_memory, format, by_units);
    else if (isfinite(memory))
        snprintf(text, size, "; the ratio of memory rates is %s", by_memory);
}

/* The ratio itself stands before these words. */
static void unbound_words(const tally *t, const group *g, char *text, size_t size) {
    bool link = g->link_ms > 0.5 * g->ms, counted = g->counted_ms > 0.5 * g->ms;
    habitat_method method = method_of_most(g);
    int used =
        snprintf(text, size, "%s; predicted by %s",
                 link      ? "bound by a link, not by the GPU"
                 : counted ? "a rate of the GPU is not known"
                 : method == HABITAT_METHOD_LEARNED
                     ? "work not counted, sizes guessed from the kernel's name, grid and time"
                     : "work not counted",
                 habitat_method_name(method));
    if (!t->origin || link)
        return;
    /* work that is not counted may have no format either */
    habitat_dtype dtype = g->dtype == HABITAT_DTYPE_UNKNOWN ? HABITAT_DTYPE_FP32 : g->dtype;
    bool matrix = g->matrix_unit;
    char format[32];
    double there = habitat_arithmetic_rate(t->origin, dtype, matrix, true, NULL, NULL);
    double here = habitat_arithmetic_rate(t->dest, dtype, matrix, true, NULL, NULL);
    snprintf(format, sizeof format, "%s%s", habitat_dtype_name(dtype), matrix ? " matrix" : "");
    place_words(g->ms / g->origin_ms,
                habitat_memory_rate(t->origin, true) / habitat_memory_rate(t->dest, true),
                there / here, format, text + used, size - (size_t)used);
}

static void words_of(const tally *t, const group *g, habitat_bound bound, char *text, size_t size) {
    char origin[48] = "";
    if (t->origin)
        short_name(t->origin, t->dest, origin, sizeof origin);
    switch (bound) {
    case HABITAT_BOUND_COMPUTE:
        compute_words(t, g, origin, text, size);
        reached_words(g, origin, text, size);
        break;
    case HABITAT_BOUND_MEMORY:
        memory_words(t, origin, text, size);
        reached_words(g, origin, text, size);
        break;
    case HABITAT_BOUND_LAUNCH:
        snprintf(text, size, "shorter than what launching costs: a faster GPU gains little");
        break;
    case HABITAT_BOUND_UNKNOWN:
        unbound_words(t, g, text, size);
        break;
    }
}

/* ---- choosing ---- */

/* Keeps the list in order, its smallest falling out. */
static void offer(reasons *out, const reason *r) {
    size_t at = out->count;
    while (at > 0 && fabs(r->effect_ms) > fabs(out->list[at - 1].effect_ms))
        at--;
    if (at == REASONS_MOST)
        return;
    size_t last = out->count < REASONS_MOST ? out->count++ : REASONS_MOST - 1;
    for (size_t i = last; i > at; i--)
        out->list[i] = out->list[i - 1];
    out->list[at] = *r;
}

static double effect_of(const tally *t, const group *g) {
    return t->origin ? g->ms - g->origin_ms : g->ms;
}

static double class_effect(const tally *t, size_t class) {
    double sum = 0;
    for (size_t bound = 0; bound < BOUNDS; bound++)
        sum += effect_of(t, &t->groups[class][bound]);
    return sum;
}

static void offer_group(const tally *t, size_t class, habitat_bound bound, reasons *out) {
    const group *g = &t->groups[class][bound];
    double effect = effect_of(t, g);
    if (!(effect * out->effect_ms > 0)) /* nothing, or against the whole */
        return;
    reason r = {.what = class == COPIES ? "memcpy" : habitat_class_name((habitat_class) class),
                .bound = bound,
                .origin_ms = t->origin ? g->origin_ms : (double)NAN,
                .ms = g->ms,
                .effect_ms = effect,
                .class_effect_ms = class_effect(t, class)};
    words_of(t, g, bound, r.words, sizeof r.words);
    offer(out, &r);
}

/* Another format's own kernels: a loss scaler, casts. */
static void offer_added(const tally *t, reasons *out) {
    if (!(t->added_ms * out->effect_ms > 0))
        return;
    reason r = {.what = "added",
                .origin_ms = NAN,
                .ms = t->added_ms,
                .effect_ms = t->added_ms,
                .class_effect_ms = NAN};
    snprintf(r.words, sizeof r.words,
             "kernels that the step has in this format and the recording has not");
    offer(out, &r);
}

/* The recorded host holds the destination back: what it adds to the GPU's own time comes first. */
static void offer_cpu(const tally *t, const habitat_prediction *p, reasons *out) {
    if (p->bound_by != HABITAT_BY_CPU || !(p->iteration_ms > p->gpu_ms))
        return;
    char gpu[32];
    ms_text(p->gpu_ms, gpu, sizeof gpu);
    reason r = {.what = "cpu",
                .origin_ms = NAN,
                .ms = p->iteration_ms,
                .effect_ms = p->iteration_ms - p->gpu_ms,
                .class_effect_ms = NAN};
    snprintf(r.words, sizeof r.words, "%s sets the time: the GPU alone would take %s ms",
             t->origin ? "the recorded host" : "a CPU as fast as by rule", gpu);
    size_t last = out->count < REASONS_MOST ? out->count++ : REASONS_MOST - 1;
    memmove(&out->list[1], &out->list[0], last * sizeof *out->list);
    out->list[0] = r;
}

/* Nothing where both GPUs take the same time. */
static void find_reasons(const habitat_answer *what, const habitat_prediction *p, reasons *out) {
    tally t = {.origin = habitat_workload_get_info(what->workload)->origin, .dest = p->gpu};
    *out = (reasons){0};
    add_kernels(&t, what, p);
    out->effect_ms = t.origin ? t.ms - t.origin_ms : t.ms;
    for (size_t class = 0; class < GROUPS; class ++)
        for (int bound = 0; bound < BOUNDS; bound++)
            offer_group(&t, class, (habitat_bound)bound, out);
    offer_added(&t, out);
    offer_cpu(&t, p, out);
}

/* ---- reports ---- */

/* "; all gemm: +1.3" where the class's row of the table says another number: kernels of it that
 * something else bounds are in there, too. */
static void class_text(const reason *r, char *out, size_t size) {
    char whole[32];
    bool added = r->class_effect_ms >= 0;
    ms_text(fabs(r->class_effect_ms), whole, sizeof whole);
    if (fabs(r->class_effect_ms - r->effect_ms) > chosen_said_same * fabs(r->effect_ms))
        snprintf(out, size, "; all %s: %s%s", r->what, added ? "+" : "-", whole);
}

/* "gemm: +1.2 ms (1.5x); ..." */
static void reason_text(const reason *r, bool measured, char *out, size_t size) {
    char effect[32], ratio[32], whole[64] = "";
    ms_text(fabs(r->effect_ms), effect, sizeof effect);
    if (measured && isfinite(r->class_effect_ms))
        class_text(r, whole, sizeof whole);
    ratio_text(r->ms / r->origin_ms, ratio, sizeof ratio);
    if (strcmp(r->what, "cpu") == 0)
        snprintf(out, size, "CPU: +%s ms; %s", effect, r->words);
    else if (measured && isnan(r->origin_ms))
        snprintf(out, size, "%s: +%s ms; %s", r->what, effect, r->words);
    else if (measured)
        snprintf(out, size, "%s: %s%s ms (%s%s); %s", r->what, r->effect_ms < 0 ? "-" : "+", effect,
                 ratio, whole, r->words);
    else
        snprintf(out, size, "%s: %s ms; %s", r->what, effect, r->words);
}

static void head_text(const reasons *found, const habitat_gpu *origin, const habitat_gpu *gpu,
                      char *out, size_t size) {
    bool slower = found->effect_ms > 0, by_cpu = strcmp(found->list[0].what, "cpu") == 0;
    char name[48], all[32];
    short_name(gpu, origin, name, sizeof name);
    ms_text(fabs(found->effect_ms), all, sizeof all);
    if (origin && found->effect_ms != 0 && !by_cpu)
        snprintf(out, size, "What makes the %s %s (kernels and copies: %s%s ms):", name,
                 slower ? "slower" : "faster", slower ? "+" : "-", all);
    else
        snprintf(out, size, "What sets the %s's time:", name);
}

/* false: there is none. */
static bool find_with_head(const habitat_answer *what, const habitat_prediction *p, reasons *found,
                           char *head, size_t size) {
    find_reasons(what, p, found);
    if (found->count)
        head_text(found, habitat_workload_get_info(what->workload)->origin, p->gpu, head, size);
    return found->count;
}

void text_reasons(writer *w, const habitat_answer *what, const habitat_prediction *p) {
    const habitat_gpu *origin = habitat_workload_get_info(what->workload)->origin;
    reasons found;
    char line[REASON_LINE];
    if (!find_with_head(what, p, &found, line, sizeof line))
        return;
    writer_text(w, "\n");
    wrapped_text(w, "", 0, line);
    for (size_t i = 0; i < found.count; i++) {
        char first[32];
        snprintf(first, sizeof first, "%zu. ", i + 1);
        reason_text(&found.list[i], origin != NULL, line, sizeof line);
        wrapped_text(w, first, 3, line);
    }
}

void html_reasons(writer *w, const habitat_answer *what, const habitat_prediction *p) {
    const habitat_gpu *origin = habitat_workload_get_info(what->workload)->origin;
    reasons found;
    char line[REASON_LINE];
    if (!find_with_head(what, p, &found, line, sizeof line))
        return;
    html_element(w, "p", line);
    writer_text(w, "<ol>\n");
    for (size_t i = 0; i < found.count; i++) {
        reason_text(&found.list[i], origin != NULL, line, sizeof line);
        html_element(w, "li", line);
    }
    writer_text(w, "</ol>\n");
}

void json_reasons(writer *w, const habitat_answer *what, const habitat_prediction *p) {
    reasons found;
    find_reasons(what, p, &found);
    json_array(w, "reasons");
    for (size_t i = 0; i < found.count; i++) {
        const reason *r = &found.list[i];
        json_map(w, NULL);
        json_text(w, "what", r->what);
        json_text(w, "bound", habitat_bound_name(r->bound));
        json_number(w, "origin_ms", r->origin_ms);
        json_number(w, "ms", r->ms);
        json_number(w, "effect_ms", r->effect_ms);
        json_number(w, "class_effect_ms", r->class_effect_ms);
        json_text(w, "words", r->words);
        json_end_map(w);
    }
    json_end_array(w);
}
