/* Training of the tree models: one for GPUs in the data, one for GPUs that are not.
 *
 * The second is chosen the way it will be used: each training GPU in turn is left out, and what is
 * fitted on the others predicts it. That decides how far the trees may correct the analytic time
 * (`shrink`) and how wide the interval is, once with measured and once with estimated rates. */
#include "lab/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "lab/random.h"
#include "lab/samples.h"
#include "lab/train_fit.h"
#include "lab/train_interval.h"
#include "lab/train_paper.h"
#include "lab/train_spread.h"
#include "lab/train_ways.h"
#include "question/query.h"

enum { LEAST_TESTS = 50 };

/* ---- Choosing how far to correct, and intervals
 * -------------------------------------------------- */

static bool has_tests(const samples *s) {
    size_t tests = 0;
    for (size_t i = 0; i < s->n; i++)
        tests += s->test[i];
    return tests >= TRAIN_LEAST_ROWS && s->n - tests >= TRAIN_LEAST_ROWS;
}

static habitat_status judge_transfer(const samples *s, operator_class c, uint64_t seed,
                                     train_held_out *rows, size_t *n, habitat_error *err) {
    *n = 0;
    for (size_t g = 0; s->gpu_count > 1 && g < s->gpu_count; g++) {
        train_keep others_of =
            operator_facts_of(c)->judged_by_kind ? KEEP_OTHER_KINDS : KEEP_OTHERS;
        size_t others = 0;
        for (size_t i = 0; i < s->n; i++)
            others += train_kept(s, i, others_of, g);
        if (others < TRAIN_LEAST_ROWS)
            continue;
        trees t = {0};
        habitat_status status = train_fit(s, c, false, others_of, g, seed, &t, err);
        if (status != HABITAT_OK)
            return status;
        size_t first = *n, same_arch = 0;
        *n += train_add_held_out(s, &t, g, false, false, rows + *n);
        trees_free(&t);
        for (size_t i = 0; i < s->gpu_count; i++)
            same_arch += s->gpus[i]->compute_capability == s->gpus[g]->compute_capability;
        for (size_t i = first; operator_facts_of(c)->judged_by_kind && i < *n;
             i++) /* kinds count alike */
            rows[i].weight /= (double)same_arch;
    }
    return HABITAT_OK;
}

static habitat_status add_name(operator_model *out, const char *name, habitat_error *err) {
    size_t bytes = strlen(name) + 1;
    char *copy = malloc(bytes);
    if (!copy)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    memcpy(copy, name, bytes);
    out->gpus[out->gpu_count++] = copy;
    return HABITAT_OK;
}

/* The kinds of the model's GPUs, each once. */
static habitat_status name_kinds(const samples *s, operator_model *out, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    for (size_t g = 0; status == HABITAT_OK && g < s->gpu_count; g++) {
        char kind[LEARNED_KIND_BYTES];
        learned_kind_name(s->gpus[g], kind);
        if (learned_knows(out, s->gpus[g]->name) && !learned_knows(out, kind))
            status = add_name(out, kind, err);
    }
    return status;
}

static habitat_status name_gpus(const samples *s, operator_model *out, habitat_error *err) {
    out->gpus = calloc(2 * s->gpu_count + 1, sizeof *out->gpus);
    for (size_t g = 0; out->gpus && g < s->gpu_count; g++) {
        size_t rows = 0;
        for (size_t i = 0; i < s->n; i++)
            rows += s->gpu[i] == g;
        if (rows == 0) /* all of its rows were below their floor */
            continue;
        habitat_status status = add_name(out, s->gpus[g]->name, err);
        if (status != HABITAT_OK)
            return status;
    }
    return out->gpus ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
}

/* log of the bandwidth of GPU g over what the mean share of all others makes of it, whatever their
 * memory: of like memories there are two or three, too few to tell how far a new one may be off. */
static double bandwidth_miss(const samples *s, size_t g) {
    double sum = 0, own = 0;
    size_t n = 0;
    for (size_t i = 0; i < s->gpu_count; i++) {
        const habitat_gpu *gpu = s->gpus[i];
        double share = gpu->sustained_bandwidth_bytes_per_s / gpu->memory_bandwidth_bytes_per_s;
        if (i == g)
            own = share;
        else if (isfinite(share)) {
            sum += share;
            n++;
        }
    }
    return log(own / (sum / (double)n));
}

/* How far rates are missed on GPUs left out of the rule that estimates them, root mean square of
 * logs; for classes that compute, of both rates together. */
static double rule_misses(const samples *s, operator_class c) {
    bool rows = operator_facts_of(c)->memory_bound;
    /* of classes on plain units nothing depends on the number format */
    habitat_dtype d = c == OPERATOR_GEMM_FP8 ? HABITAT_DTYPE_FP8 : HABITAT_DTYPE_BF16;
    double sum = 0, n = 0;
    for (size_t g = 0; g < s->gpu_count; g++) {
        operator_gpu known, guessed;
        double bytes = bandwidth_miss(s, g);
        if (isfinite(bytes)) {
            sum += bytes * bytes;
            n++;
        }
        if (rows || !operator_gpu_facts(s->gpus[g], c, d, &known) ||
            !operator_gpu_facts(&s->estimated[g], c, d, &guessed))
            continue;
        double flop = log(known.flop_per_s / guessed.flop_per_s);
        sum += flop * flop;
        n++;
    }
    return n > 0 ? sqrt(sum / n) : 0;
}

static habitat_status train_transfer(const samples *s, operator_class c, uint64_t seed,
                                     operator_model *out, habitat_error *err) {
    train_held_out *rows = malloc((s->n + 1) * sizeof *rows);
    if (!rows)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    size_t n, alone = 0;
    habitat_status status = judge_transfer(s, c, seed, rows, &n, err);
    if (status == HABITAT_OK)
        status = train_fit(s, c, false, KEEP_ALL, 0, seed, &out->trees, err);
    if (status == HABITAT_OK) {
        double miss = rule_misses(s, c), shrink = train_choose_shrink(rows, n, s->gpu_count, c);
        out->shrink = (float)shrink;
        /* One kind alone: its trees count for nothing elsewhere, so that its own rows say how far
         * off such answers are. */
        for (size_t g = 0; n == 0 && !(shrink > 0) && g < s->gpu_count; g++)
            alone += train_add_held_out(s, NULL, g, false, false, rows + alone);
        n += alone;
        if (!train_interval(rows, n, shrink, 0, &out->low, &out->high) ||
            !train_interval(rows, n, shrink, miss, &out->low_estimated, &out->high_estimated))
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        else if (operator_facts_of(c)->uneven_widths)
            status = train_spread(rows, n, operator_facts_of(c)->features, shrink, miss, seed,
                                  &out->spread, err);
        if (status == HABITAT_OK)
            status = train_ways(s, c, rows, alone, miss, seed, out, err);
    }
    free(rows);
    return status;
}

/* The widest interval that one of the GPUs needs: they were measured on unlike operations. Rows of
 * GPU g end at ends[g]. */
static bool widest_interval(const train_held_out *rows, const size_t *ends, size_t gpu_count,
                            float *low, float *high) {
    *low = *high = 0;
    for (size_t g = 0, first = 0; g < gpu_count; first = ends[g++]) {
        float ends_of_gpu[2];
        if (!train_seen_interval(rows + first, ends[g] - first, &ends_of_gpu[0], &ends_of_gpu[1]))
            return false;
        *low = fminf(*low, ends_of_gpu[0]);
        *high = fmaxf(*high, ends_of_gpu[1]);
    }
    return true;
}

/* Rows that neither fit of a judgement saw, by GPU: mean error of each share of the model that
 * tells GPUs apart, the rest being the model that does not. */
static void add_shares(const samples *s, const trees *seen, const trees *transfer, double shrink,
                       train_keep which, size_t g, double totals[TRAIN_SHRINKS]) {
    double sums[TRAIN_SHRINKS] = {0}, count = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->gpu[i] != g || train_kept(s, i, which, g))
            continue;
        double own = trees_predict(seen, s->x + i * s->d);
        double common = shrink * trees_predict(transfer, s->x + i * s->d);
        for (size_t k = 0; k < TRAIN_SHRINKS; k++)
            sums[k] += fabs(
                exp(train_shrinks[k] * own + (1 - train_shrinks[k]) * common - (double)s->y[i]) -
                1);
        count++;
    }
    for (size_t k = 0; count > 0 && k < TRAIN_SHRINKS; k++)
        totals[k] += sums[k] / count;
}

/* Both models fitted without the rows that `which` leaves out, judged on those of one GPU or, for
 * g = gpu_count, of all. */
static habitat_status judge_shares(const samples *s, operator_class c, double shrink,
                                   train_keep which, size_t g, uint64_t seed,
                                   double totals[TRAIN_SHRINKS], habitat_error *err) {
    trees seen = {0}, transfer = {0};
    habitat_status status = train_fit(s, c, true, which, g, seed, &seen, err);
    if (status == HABITAT_OK)
        status = train_fit(s, c, false, which, g, seed, &transfer, err);
    bool all = g == s->gpu_count;
    for (size_t i = all ? 0 : g; status == HABITAT_OK && i < (all ? g : g + 1); i++)
        add_shares(s, &seen, &transfer, shrink, which, i, totals);
    trees_free(&seen);
    trees_free(&transfer);
    return status;
}

/* How much of the answer comes from the model that tells GPUs apart: judged on each GPU's test
 * rows, which are of the shapes that models ask for, after a fit on all but them; without test rows
 * on the longest rows of each GPU after a fit on the others. */
static habitat_status choose_blend(const samples *s, operator_class c, float transfer_shrink,
                                   uint64_t seed, float *out, habitat_error *err) {
    double totals[TRAIN_SHRINKS] = {0}, shrink = (double)transfer_shrink;
    habitat_status status = HABITAT_OK;
    bool judged = false;
    for (size_t g = 0; status == HABITAT_OK && g < s->gpu_count; g++) {
        size_t tests = 0;
        for (size_t i = 0; i < s->n; i++)
            tests += s->gpu[i] == g && s->test[i];
        if (tests < LEAST_TESTS)
            continue;
        judged = true;
        status = judge_shares(s, c, shrink, KEEP_NO_TESTS, g, seed, totals, err);
    }
    if (status == HABITAT_OK && !judged)
        status = judge_shares(s, c, shrink, KEEP_SHORT, s->gpu_count, seed, totals, err);
    size_t best = TRAIN_SHRINKS / 2;
    for (size_t k = 0; k < TRAIN_SHRINKS; k++)
        if (totals[k] < totals[best])
            best = k;
    *out = (float)train_shrinks[best];
    return status;
}

static habitat_status train_seen(const samples *s, operator_class c, float transfer_shrink,
                                 uint64_t seed, operator_model *out, habitat_error *err) {
    train_held_out *rows = malloc((s->n + 1) * sizeof *rows);
    if (!rows)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    trees held = {0};
    bool by_shape = operator_facts_of(c)->judged_by_kind; /* many GPUs have too few test rows */
    train_keep which = has_tests(s) && !by_shape ? KEEP_TRAIN : KEEP_FOUR_FIFTHS;
    habitat_status status = train_fit(s, c, true, which, 0, seed, &held, err);
    size_t n = 0, ends[TRAIN_GPUS_MAX] = {0};
    for (size_t g = 0; status == HABITAT_OK && g < s->gpu_count; g++)
        ends[g] = n += train_add_held_out(s, &held, g, true, by_shape, rows + n);
    trees_free(&held);
    if (status == HABITAT_OK)
        status = train_fit(s, c, true, KEEP_ALL, 0, seed, &out->trees, err);
    if (status == HABITAT_OK) {
        /* Where trees do not carry between kinds of GPU, there is nothing to blend with. */
        out->shrink = 1;
        if (!operator_facts_of(c)->judged_by_kind)
            status = choose_blend(s, c, transfer_shrink, seed, &out->shrink, err);
        bool widest = operator_facts_of(c)->widest_interval;
        bool done = widest ? widest_interval(rows, ends, s->gpu_count, &out->low, &out->high)
                           : train_seen_interval(rows, n, &out->low, &out->high);
        if (!done)
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        out->low_estimated = out->low;
        out->high_estimated = out->high;
    }
    free(rows);
    return status;
}

/* Gradients of a convolution over its forward pass: medians over measured triples. */
static void measure_passes(const habitat_dataset *data, float factors[2]) {
    enum { MOST = 4096 };
    static const habitat_pass passes[2] = {HABITAT_PASS_BACKWARD_INPUT,
                                           HABITAT_PASS_BACKWARD_WEIGHT};
    size_t count;
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    float ratios[MOST];
    for (int k = 0; k < 2; k++) {
        size_t n = 0;
        const habitat_measurement *forward = NULL;
        for (size_t i = 0; i < count && n < MOST; i++) {
            const habitat_measurement *row = &rows[i];
            habitat_model_query query = question_of(row);
            operator_class c = operator_class_of(&query);
            if ((c != OPERATOR_CONV && c != OPERATOR_CONV_OTHER) || row->work.shape.conv.transposed)
                continue;
            if (row->work.pass == HABITAT_PASS_FORWARD)
                forward = row;
            else if (forward && row->work.pass == passes[k] && forward->gpu == row->gpu &&
                     forward->work.shape.conv.c_in == row->work.shape.conv.c_in &&
                     forward->work.shape.conv.c_out == row->work.shape.conv.c_out &&
                     forward->time_ms > .05)
                ratios[n++] = (float)(row->time_ms / forward->time_ms);
        }
        if (n < 20)
            continue;
        qsort(ratios, n, sizeof *ratios, samples_compare);
        factors[k] = ratios[n / 2];
    }
}

/* Train what there is data for; appends to models->models. */
static habitat_status train_class(const habitat_dataset *data, const habitat_gpu_table *gpus,
                                  const habitat_train_options *options, operator_class c,
                                  habitat_models *models, habitat_error *err) {
    samples s;
    habitat_status status = samples_collect(data, gpus, c, options, &s, err);
    if (status == HABITAT_OK && s.n >= 2 * TRAIN_LEAST_ROWS)
        for (int seen = 0; status == HABITAT_OK && seen < 2; seen++) {
            operator_model *model = &models->models[models->count];
            *model = (operator_model){.class_number = (uint8_t)c,
                                      .use = seen ? HABITAT_MODEL_SEEN : HABITAT_MODEL_TRANSFER,
                                      .training_rows = s.n,
                                      .range = s.range};
            uint64_t number = learned_number_in_file((unsigned)c, false);
            uint64_t seed = options->seed * 1000003 + number * 2 + (uint64_t)seen;
            status = seen ? train_seen(&s, c, model[-1].shrink, seed, model, err)
                          : train_transfer(&s, c, seed, model, err);
            if (status == HABITAT_OK)
                status = name_gpus(&s, model, err);
            if (status == HABITAT_OK && seen && operator_facts_of(c)->judged_by_kind)
                status = name_kinds(&s, model, err);
            models->count++;
        }
    samples_free(&s);
    return status;
}

habitat_status train_classes(const habitat_dataset *data, const habitat_gpu_table *gpus,
                             const habitat_train_options *options, unsigned classes,
                             habitat_models **out, habitat_error *err) {
    static const habitat_train_options defaults = {0};
    options = options ? options : &defaults;
    habitat_models *models = learned_create(LEARNED_MODELS_MAX);
    if (!models)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    models->count = 0;
    habitat_status status = HABITAT_OK;
    for (int c = 0; status == HABITAT_OK && c < OPERATOR_CLASSES; c++) {
        if (options->progress && (classes >> c & 1))
            options->progress(options->context, operator_facts_of((operator_class)c)->name,
                              (double)c / OPERATOR_CLASSES);
        if (classes >> c & 1)
            status = train_class(data, gpus, options, (operator_class)c, models, err);
    }
    measure_passes(data, models->pass_factors);
    for (int c = 0; status == HABITAT_OK && options->paper && c < PAPER_CLASSES; c++) {
        if (options->progress)
            options->progress(options->context, paper_class_name((paper_class)c), 0.9);
        bool trained = false;
        status = train_paper(data, gpus, options, (paper_class)c, &models->models[models->count],
                             &trained, err);
        models->count += trained;
    }
    if (status == HABITAT_OK && models->count == 0)
        status =
            habitat_fail(err, HABITAT_E_ARG, "no class of operations has enough rows to train on");
    if (status == HABITAT_OK)
        *out = models;
    else
        habitat_models_free(models);
    return status;
}

habitat_status train_named_classes(const habitat_train_options *options, unsigned *out,
                                   habitat_error *err) {
    unsigned classes = 0;
    for (size_t i = 0; options && i < options->class_count; i++) {
        int c = 0;
        while (c < OPERATOR_CLASSES &&
               strcmp(operator_facts_of((operator_class)c)->name, options->classes[i]) != 0)
            c++;
        if (c == OPERATOR_CLASSES)
            return habitat_fail(err, HABITAT_E_ARG,
                                "%s: no such class of operations; docs/accuracy.md lists them",
                                options->classes[i]);
        classes |= 1U << c;
    }
    *out = classes ? classes : (1U << OPERATOR_CLASSES) - 1;
    return HABITAT_OK;
}

habitat_status habitat_train(const habitat_dataset *data, const habitat_gpu_table *gpus,
                             const habitat_train_options *options, habitat_models **out,
                             habitat_error *err) {
    if (!data || !gpus || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no dataset or no GPU table given");
    unsigned classes;
    habitat_status status = train_named_classes(options, &classes, err);
    return status == HABITAT_OK ? train_classes(data, gpus, options, classes, out, err) : status;
}
