/* Per-row judgement: every class and GPU, seen and left out, next to simple heuristics. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "gpu/gpu.h"
#include "lab/evaluate_kinds.h"
#include "lab/evaluate_networks.h"
#include "lab/judged.h"
#include "lab/op_intervals.h"
#include "models/offset.h"
#include "lab/random.h"
#include "lab/train.h"
#include "lab/train_rates.h"
#include "question/query.h"

/* ---- Rows of one class and GPU
 * ----------------------------------------------------------------------- */

enum { FP32_GROUPS = 5 }; /* the first groups: GPUs of others' fp32 rows */

static bool in_group(size_t group, const char *gpu) {
    for (size_t i = 0; i < leave_outs[group].count; i++)
        if (strcmp(leave_outs[group].names[i], gpu) == 0)
            return true;
    return false;
}

/* Repeated under a graph, small products cost little but their launch: reported are those of a
 * Gflop. What memory bounds is reported at any size: its analytic time knows the cache. */
static bool large(const habitat_measurement *row, operator_class c) {
    return !operator_facts_of(c)->small_costs_launch || row->work.flop >= 1e9;
}

/* The rows that are reported: test rows, large enough to be about the kernel, of library kernels.
 */
static bool reported(const habitat_measurement *row, operator_class c) {
    habitat_model_query query = question_of(row);
    if (!row->test || operator_facts_of(c)->judged_by_kind ||
        !operator_trains_on(c, &query, row->time_ms) ||
        (row->work.pass != HABITAT_PASS_FORWARD && !operator_facts_of(c)->knows_passes) ||
        strcmp(row->source, "deepbench") == 0)
        return false;
    if (operator_facts_of(c)->unit == OPERATOR_UNIT_MATRIX)
        return row->work.flop >= 1e9 && row->variant != HABITAT_VARIANT_TRITON && !row->suspect;
    return row->timing != HABITAT_TIMING_GRAPH || large(row, c);
}

/* The class that answers a row on this GPU in place of the one that it is reported in. */
static operator_class answering(const habitat_measurement *row, const habitat_gpu *gpu) {
    habitat_model_query query = question_of(row);
    return operator_class_on(&query, gpu->compute_capability);
}

/* A long eager call of a row operation is judged as its kernel, too: the class of kernels answers.
 */
static double ask(const habitat_models *models, operator_class c, habitat_model_use use,
                  const habitat_gpu *gpu, const habitat_measurement *row,
                  habitat_model_estimate *out) {
    habitat_model_query query = question_of(row);
    if (operator_class_of(&query) != c)
        query.timing = HABITAT_TIMING_KERNEL;
    if (use == HABITAT_MODEL_TRANSFER && answering(row, gpu) != OPERATOR_NONE)
        use = HABITAT_MODEL_AUTO; /* of models that know no GPU of this kind */
    habitat_model_estimate answer = {0};
    if (!models ||
        habitat_models_predict(models, use, 1, &gpu, 1, &query, &answer, NULL) != HABITAT_OK)
        return NAN;
    if (out)
        *out = answer;
    return answer.covered ? answer.ms : NAN;
}

static double floor_of(const habitat_gpu *gpu, const habitat_measurement *row, operator_class c) {
    habitat_model_query query = question_of(row);
    operator_gpu facts;
    if (!operator_gpu_facts(gpu, c, operator_arithmetic(&query), &facts))
        return NAN;
    operator_view view;
    operator_look(&query, c, &facts, &view);
    return view.floor_ms;
}

static double roofline(const habitat_gpu *gpu, const habitat_measurement *row, operator_class c,
                       bool sustained) {
    operator_gpu facts;
    if (!operator_gpu_facts(gpu, c, row->work.dtype, &facts))
        return NAN;
    bool matrix = operator_facts_of(c)->unit == OPERATOR_UNIT_MATRIX;
    const habitat_rates *rates = sustained ? &gpu->sustained : &gpu->peak;
    double flop_per_s = matrix ? rates->matrix_flop_per_s[row->work.dtype]
                               : rates->plain_flop_per_s[HABITAT_DTYPE_FP32];
    double bytes_per_s =
        sustained ? gpu->sustained_bandwidth_bytes_per_s : gpu->memory_bandwidth_bytes_per_s;
    double bytes = row->work.read_bytes + row->work.write_bytes;
    return 1e3 * fmax(row->work.flop / flop_per_s, bytes / bytes_per_s);
}

/* All GPUs that a class was measured on, to fit the rule for rates without `group`. */
static size_t class_gpus(const habitat_dataset *data, const habitat_gpu_table *gpus,
                         operator_class c, size_t group, const habitat_gpu **out, size_t most) {
    size_t count, n = 0;
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    const char *last = NULL;
    for (size_t i = 0; i < count; i++) {
        habitat_model_query query = question_of(&rows[i]);
        if (rows[i].gpu == last || !operator_trains_on(c, &query, rows[i].time_ms) ||
            in_group(group, rows[i].gpu) || strcmp(rows[i].source, "deepbench") == 0)
            continue;
        last = rows[i].gpu;
        const habitat_gpu *gpu;
        if (habitat_gpu_find(gpus, last, &gpu, NULL, NULL) != HABITAT_OK)
            continue;
        size_t j = 0;
        while (j < n && out[j] != gpu)
            j++;
        if (j == n && n < most)
            out[n++] = gpu;
    }
    return n;
}

static habitat_status fill_cell(const habitat_dataset *data, const habitat_gpu_table *gpus,
                                const judged_models *models, operator_class c, size_t group,
                                cell *out, habitat_error *err) {
    enum { MOST = CELL_ROWS_MAX, LEAST = 10 };
    size_t count, total = 0;
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    for (size_t i = 0; i < count; i++)
        total += in_group(group, rows[i].gpu) && reported(&rows[i], c);
    *out = (cell){.c = c, .group = group};
    if (total < LEAST) /* says nothing of the GPU */
        return HABITAT_OK;
    out->rows = calloc(total < MOST ? total : MOST, sizeof *out->rows);
    if (!out->rows)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    const habitat_gpu *others[32];
    size_t other_count = class_gpus(data, gpus, c, group, others, 32);
    double step = total > MOST ? (double)total / MOST : 1, next = 0;
    size_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        if (!in_group(group, rows[i].gpu) || !reported(&rows[i], c))
            continue;
        if ((double)seen++ < next || out->n == MOST)
            continue;
        next += step;
        const habitat_gpu *gpu;
        if (habitat_gpu_find(gpus, rows[i].gpu, &gpu, NULL, NULL) != HABITAT_OK)
            continue;
        habitat_gpu estimated;
        train_estimate_rates(gpu, others, other_count, &estimated);
        judged_row *r = &out->rows[out->n++];
        *r = (judged_row){.row = &rows[i], .floor_ms = floor_of(gpu, &rows[i], c)};
        habitat_model_estimate answer = {0};
        r->predicted[JUDGED_SEEN] =
            ask(models->seen[group], c, HABITAT_MODEL_AUTO, gpu, &rows[i], NULL);
        /* Measured rates: the interval for measured rates, whatever the table says. */
        habitat_gpu measured = *gpu;
        memset(measured.sustained_matrix_estimated, 0, sizeof measured.sustained_matrix_estimated);
        memset(measured.sustained_plain_estimated, 0, sizeof measured.sustained_plain_estimated);
        measured.sustained_bandwidth_estimated = false;
        r->predicted[JUDGED_RATES] =
            ask(models->without[group], c, HABITAT_MODEL_TRANSFER, &measured, &rows[i], &answer);
        r->low = answer.low_ms;
        r->high = answer.high_ms;
        r->predicted[JUDGED_ESTIMATED] =
            ask(models->without[group], c, HABITAT_MODEL_TRANSFER, &estimated, &rows[i], &answer);
        r->low_estimated = answer.low_ms;
        r->high_estimated = answer.high_ms;
        r->predicted[JUDGED_MLP_SEEN] =
            ask(models->seen_paper, c, HABITAT_MODEL_PAPER, gpu, &rows[i], NULL);
        r->predicted[JUDGED_MLP] =
            ask(models->without[group], c, HABITAT_MODEL_PAPER, gpu, &rows[i], NULL);
        r->predicted[JUDGED_ROOFLINE_RATES] = roofline(gpu, &rows[i], c, true);
        r->predicted[JUDGED_ROOFLINE] = roofline(gpu, &rows[i], c, false);
    }
    return HABITAT_OK;
}

/* ---- Figures
 * ----------------------------------------------------------------------------------- */

static double mape(const cell *of, judged_method method) {
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < of->n; i++) {
        double e = of->rows[i].predicted[method] / of->rows[i].row->time_ms - 1;
        if (isfinite(e)) {
            sum += fabs(e);
            n++;
        }
    }
    return n ? 100 * sum / (double)n : NAN;
}

/* Rows that a calibration would take: long enough to tell of the kernel, by predicted time. */
typedef struct candidates {
    const judged_row *sorted[CELL_ROWS_MAX]; /* by predicted time */
    size_t count;
} candidates;

static int compare_predicted(const void *a, const void *b) {
    const judged_row *x = *(const judged_row *const *)a, *y = *(const judged_row *const *)b;
    double s = x->predicted[JUDGED_ESTIMATED], t = y->predicted[JUDGED_ESTIMATED];
    return s == t ? (x > y) - (x < y) : (s > t) - (s < t);
}

static void find_candidates(const cell *of, candidates *found) {
    found->count = 0;
    for (size_t i = 0; i < of->n; i++)
        if (of->rows[i].predicted[JUDGED_ESTIMATED] >= OFFSET_LEAST_FLOORS * of->rows[i].floor_ms)
            found->sorted[found->count++] = &of->rows[i];
    qsort(found->sorted, found->count, sizeof *found->sorted, compare_predicted);
}

/* Error of the rows not chosen, all moved by the offset that the chosen ones give. */
static double error_with(const cell *of, const judged_row *const *chosen, size_t k) {
    double residuals[16], error = 0;
    for (size_t i = 0; i < k; i++)
        residuals[i] = log(chosen[i]->row->time_ms / chosen[i]->predicted[JUDGED_ESTIMATED]);
    class_offset offset = offset_fit(of->c, true, residuals, k);
    double factor = exp(offset.weight * offset.median);
    size_t n = 0;
    for (size_t i = 0; i < of->n; i++) {
        const judged_row *r = &of->rows[i];
        bool used = false;
        for (size_t j = 0; j < k; j++)
            used = used || chosen[j] == r;
        double e = r->predicted[JUDGED_ESTIMATED] * factor / r->row->time_ms - 1;
        if (!used && isfinite(e)) {
            error += fabs(e);
            n++;
        }
    }
    return n ? 100 * error / (double)n : NAN;
}

/* One operation from each fifth of the sizes, as predicted; mean over twenty draws. */
static double few_shot(const cell *of) {
    enum { K = 5, DRAWS = 20 };
    candidates from;
    find_candidates(of, &from);
    random_state random = random_seeded(1234);
    double sum = NAN;
    if (of->n > 2 * K && from.count >= K) {
        sum = 0;
        for (int draw = 0; draw < DRAWS; draw++) {
            const judged_row *chosen[K];
            for (size_t k = 0; k < K; k++) {
                size_t first = k * from.count / K, end = (k + 1) * from.count / K;
                chosen[k] = from.sorted[first + random_below(&random, end - first)];
            }
            sum += error_with(of, chosen, K);
        }
    }
    return sum / DRAWS;
}

static double coverage(const cell *of, bool estimated) {
    size_t inside = 0, n = 0;
    for (size_t i = 0; i < of->n; i++) {
        const judged_row *r = &of->rows[i];
        double low = estimated ? r->low_estimated : r->low;
        double high = estimated ? r->high_estimated : r->high;
        if (!isfinite(low) || !isfinite(high))
            continue;
        n++;
        inside += r->row->time_ms >= low && r->row->time_ms <= high;
    }
    return n ? 100 * (double)inside / (double)n : NAN;
}

static void print_number(report_text *text, double value) {
    if (isfinite(value))
        report_print(text, " %.1f |", value);
    else
        report_print(text, " - |");
}

/* Figures of a table: a column for each method, then two of intervals. */
enum { COLUMNS = JUDGED_METHODS + 2 };

typedef struct column_totals {
    double sum[COLUMNS], worst[COLUMNS];
    size_t count[COLUMNS];
} column_totals;

static void add_figures(column_totals *totals, const double *values) {
    for (int m = 0; m < COLUMNS; m++)
        if (isfinite(values[m])) {
            totals->sum[m] += values[m];
            totals->worst[m] = fmax(totals->worst[m], values[m]);
            totals->count[m]++;
        }
}

static void figures_of(const cell *of, double *values) {
    for (int m = 0; m < JUDGED_METHODS; m++)
        values[m] = m == JUDGED_FEW ? few_shot(of) : mape(of, (judged_method)m);
    values[JUDGED_METHODS] = coverage(of, false);
    values[JUDGED_METHODS + 1] = coverage(of, true);
}

static void print_row(report_text *text, const char *title, const char *rows, const double *values,
                      const bool *shown) {
    report_print(text, "| %s | %s |", title, rows);
    for (int m = 0; m < COLUMNS; m++)
        if (shown[m])
            print_number(text, values[m]);
    report_print(text, "\n");
}

static void print_mean(report_text *text, const char *title, const column_totals *totals,
                       const bool *shown) {
    double values[COLUMNS];
    for (int m = 0; m < COLUMNS; m++)
        values[m] = totals->count[m] ? totals->sum[m] / (double)totals->count[m] : NAN;
    print_row(text, title, "", values, shown);
}

static void print_heading(report_text *text, const char *title, const bool *shown) {
    report_print(text, "\n### %s\n\n| GPU | rows |", title);
    for (int m = 0; m < JUDGED_METHODS; m++)
        if (shown[m])
            report_print(text, " %s |", method_titles[m]);
    report_print(text, " interval, two rates | interval, spec sheet |\n|---|---|");
    for (int m = 0; m < COLUMNS; m++)
        if (shown[m])
            report_print(text, "---|");
    report_print(text, "\n");
}

static void print_class(report_text *text, const char *title, const cell *cells) {
    double values[LEAVE_OUTS][COLUMNS];
    column_totals all = {{0}, {0}, {0}}, without_h200 = all;
    bool shown[COLUMNS], any = false;
    for (size_t g = 0; g < LEAVE_OUTS; g++) {
        if (cells[g].n == 0)
            continue;
        any = true;
        figures_of(&cells[g], values[g]);
        add_figures(&all, values[g]);
        if (g < FP32_GROUPS)
            add_figures(&without_h200, values[g]);
    }
    if (!any)
        return;
    for (int m = 0; m < COLUMNS; m++) /* a run without perceptrons has no columns of theirs */
        shown[m] = all.count[m] > 0 || (m != JUDGED_MLP_SEEN && m != JUDGED_MLP);
    print_heading(text, title, shown);
    for (size_t g = 0; g < LEAVE_OUTS; g++)
        if (cells[g].n) {
            char rows[32];
            snprintf(rows, sizeof rows, "%zu", cells[g].n);
            print_row(text, leave_outs[g].title, rows, values[g], shown);
        }
    print_mean(text, "**mean**", &all, shown);
    if (without_h200.count[JUDGED_RATES] >= 5)
        print_mean(text, "mean without H200", &without_h200, shown);
    all.worst[JUDGED_METHODS] = all.worst[JUDGED_METHODS + 1] = NAN; /* no worst of shares */
    for (int m = 0; m < COLUMNS; m++)
        if (all.count[m] == 0)
            all.worst[m] = NAN;
    print_row(text, "worst", "", all.worst, shown);
}

/* How often the faster of two GPUs is called right: pairs of GPUs, equal operations, both
 * predicted as left out. Ties within 5 % are not asked. */
static int compare_judged(const void *a, const void *b) {
    const judged_row *x = *(const judged_row *const *)a, *y = *(const judged_row *const *)b;
    return (x->row->shape_hash > y->row->shape_hash) - (x->row->shape_hash < y->row->shape_hash);
}

static void print_rank(report_text *text, operator_class c, const cell *cells) {
    size_t total = 0, n = 0;
    for (size_t g = 0; g < LEAVE_OUTS; g++)
        total += cells[g].n;
    const judged_row **all = malloc((total + 1) * sizeof *all);
    if (!all) {
        text->no_memory = true;
        return;
    }
    for (size_t g = 0; g < LEAVE_OUTS; g++)
        for (size_t i = 0; i < cells[g].n; i++)
            all[n++] = &cells[g].rows[i];
    qsort(all, n, sizeof *all, compare_judged);
    size_t asked = 0, right[2] = {0, 0};
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n && all[j]->row->shape_hash == all[i]->row->shape_hash; j++) {
            double measured = log(all[i]->row->time_ms / all[j]->row->time_ms);
            habitat_model_query one = question_of(all[i]->row), other = question_of(all[j]->row);
            if (all[i]->row->gpu == all[j]->row->gpu || fabs(measured) < log(1.05) ||
                !question_same(&one, &other))
                continue;
            asked++;
            for (int k = 0; k < 2; k++) {
                judged_method m = k ? JUDGED_ESTIMATED : JUDGED_RATES;
                double predicted = log(all[i]->predicted[m] / all[j]->predicted[m]);
                right[k] += (predicted > 0) == (measured > 0);
            }
        }
    if (asked)
        report_print(text, "| %s | %zu | %.1f | %.1f |\n", operator_facts_of(c)->name, asked,
                     100 * (double)right[0] / (double)asked,
                     100 * (double)right[1] / (double)asked);
    free(all);
}

/* ---- The whole
 * ----------------------------------------------------------------------------------- */

/* Those of the classes `named` that rows of the group are reported in, and what answers them. */
static unsigned group_classes(const habitat_dataset *data, const habitat_gpu_table *gpus,
                              unsigned named, size_t group) {
    size_t count;
    unsigned classes = 0;
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    for (size_t i = 0; i < count; i++) {
        const habitat_gpu *gpu;
        habitat_model_query query = question_of(&rows[i]);
        if (!in_group(group, rows[i].gpu) ||
            habitat_gpu_find(gpus, rows[i].gpu, &gpu, NULL, NULL) != HABITAT_OK)
            continue;
        for (int c = 0; c < OPERATOR_CLASSES; c++)
            if ((named >> c & 1) && !operator_facts_of((operator_class)c)->judged_by_kind &&
                operator_trains_on((operator_class)c, &query, rows[i].time_ms)) {
                operator_class other = answering(&rows[i], gpu);
                classes |= 1U << c | (other != OPERATOR_NONE ? 1U << other : 0);
            }
    }
    return classes;
}

static habitat_status train_judged(unsigned named, const habitat_dataset *data,
                                   const habitat_gpu_table *gpus,
                                   const habitat_train_options *options, judged_models *models,
                                   habitat_error *err) {
    habitat_train_options mine = *options;
    mine.all_rows = false;
    habitat_status status = HABITAT_OK;
    if (options->paper)
        status = train_classes(data, gpus, &mine, 0, &models->seen_paper, err);
    mine.all_rows = true;
    for (size_t g = 0; status == HABITAT_OK && g < LEAVE_OUTS; g++) {
        unsigned classes = group_classes(data, gpus, named, g);
        if (!classes)
            continue;
        if (mine.progress)
            mine.progress(mine.context, leave_outs[g].title, (double)g / LEAVE_OUTS);
        mine.paper = false;
        mine.without = NULL;
        mine.without_count = 0;
        mine.without_tests = leave_outs[g].names;
        mine.without_tests_count = leave_outs[g].count;
        status = train_classes(data, gpus, &mine, classes, &models->seen[g], err);
        if (status != HABITAT_OK)
            break;
        mine.without = leave_outs[g].names;
        mine.without_count = leave_outs[g].count;
        /* The fp32 GPUs only: the paper's networks are fp32. */
        mine.paper = options->paper && (classes & (1U << OPERATOR_GEMM | 1U << OPERATOR_CONV));
        status = train_classes(data, gpus, &mine, classes, &models->without[g], err);
        if (status == HABITAT_E_ARG) /* no other GPU has such rows */
            status = HABITAT_OK;
    }
    return status;
}

/* A class and, apart, those of its rows that narrow heads make. */
static habitat_status print_class_and_part(report_text *text, operator_class c, const cell *cells,
                                           habitat_error *err) {
    cell part[LEAVE_OUTS] = {{0}};
    habitat_status status = HABITAT_OK;
    print_class(text, operator_facts_of(c)->name, cells);
    if (c != OPERATOR_BMM)
        return status;
    for (size_t g = 0; status == HABITAT_OK && g < LEAVE_OUTS; g++)
        status = judged_narrow(&cells[g], &part[g], err);
    if (status == HABITAT_OK)
        print_class(text, "bmm, 64-wide heads", part);
    for (size_t g = 0; g < LEAVE_OUTS; g++)
        free(part[g].rows);
    return status;
}

static void add_intervals(op_cases *cases, const cell *of, bool narrow) {
    for (size_t i = 0; i < of->n; i++)
        op_cases_add(cases,
                     (op_case){.c = of->c, .gpu = leave_outs[of->group].title, .narrow = narrow},
                     of->rows[i].row->time_ms, of->rows[i].low, of->rows[i].high);
}

static habitat_status collect_intervals(cell cells[][LEAVE_OUTS], op_cases *cases,
                                        habitat_error *err) {
    habitat_status status = HABITAT_OK;
    for (int c = 0; c < OPERATOR_CLASSES; c++)
        for (size_t g = 0; status == HABITAT_OK && g < LEAVE_OUTS; g++) {
            cell part = {0};
            add_intervals(cases, &cells[c][g], false);
            if (c == OPERATOR_BMM)
                status = judged_narrow(&cells[c][g], &part, err);
            add_intervals(cases, &part, true);
            free(part.rows);
        }
    return status;
}

static habitat_status print_tables(cell cells[][LEAVE_OUTS], report_text *text,
                                   habitat_error *err) {
    habitat_status status = HABITAT_OK;
    report_print(text, "\n## Per operation\n\nMean absolute percentage error over test rows; the "
                       "last two columns are the share of rows inside the 80 %% interval.\n");
    for (int c = 0; status == HABITAT_OK && c < OPERATOR_CLASSES; c++)
        status = print_class_and_part(text, (operator_class)c, cells[c], err);
    report_print(text, "\n## Rank\n\nHow often the faster of two GPUs is called right, both left "
                       "out, over equal operations that differ by more than 5 %%.\n\n"
                       "| class | pairs | two rates, %% | spec sheet, %% |\n|---|---|---|---|\n");
    for (int c = 0; c < OPERATOR_CLASSES; c++)
        print_rank(text, (operator_class)c, cells[c]);
    return status;
}

static habitat_status judge_rows(unsigned named, const habitat_dataset *data,
                                 const habitat_gpu_table *gpus, const judged_models *models,
                                 bool csv, op_cases *cases, report_text *text, habitat_error *err) {
    cell cells[OPERATOR_CLASSES][LEAVE_OUTS] = {{{0}}};
    habitat_status status = HABITAT_OK;
    for (int c = 0; status == HABITAT_OK && c < OPERATOR_CLASSES; c++)
        for (size_t g = 0; status == HABITAT_OK && (named >> c & 1) && g < LEAVE_OUTS; g++)
            status = fill_cell(data, gpus, models, (operator_class)c, g, &cells[c][g], err);
    if (status == HABITAT_OK && csv)
        judged_print_csv(&cells[0][0], OPERATOR_CLASSES * LEAVE_OUTS, text);
    else if (status == HABITAT_OK)
        status = print_tables(cells, text, err);
    if (status == HABITAT_OK)
        status = collect_intervals(cells, cases, err);
    for (int c = 0; c < OPERATOR_CLASSES; c++)
        for (size_t g = 0; g < LEAVE_OUTS; g++)
            free(cells[c][g].rows);
    return status;
}

habitat_status habitat_evaluate(const habitat_dataset *data, const habitat_gpu_table *gpus,
                                const char *folder, const habitat_train_options *options, bool csv,
                                habitat_text_sink sink, void *context, habitat_error *err) {
    static const habitat_train_options defaults = {0};
    if (!data || !gpus || !sink)
        return habitat_fail(err, HABITAT_E_ARG, "no dataset, GPU table or output given");
    judged_models models = {{0}, {0}, NULL};
    op_cases cases = {0};
    report_text text = {sink, context, false, false};
    options = options ? options : &defaults;
    unsigned named = 0;
    habitat_status status = train_named_classes(options, &named, err);
    if (status == HABITAT_OK)
        status = train_judged(named, data, gpus, options, &models, err);
    if (status == HABITAT_OK && folder && !csv)
        status = evaluate_published(&models, gpus, folder, &text, err);
    if (status == HABITAT_OK)
        status = judge_rows(named, data, gpus, &models, csv, &cases, &text, err);
    if (status == HABITAT_OK && !csv)
        status = evaluate_kinds(named, data, gpus, options, &cases, &text, err);
    if (status == HABITAT_OK && !csv)
        op_cases_print(&cases, &text);
    op_cases_free(&cases);
    habitat_models_free(models.seen_paper);
    for (size_t g = 0; g < LEAVE_OUTS; g++) {
        habitat_models_free(models.seen[g]);
        habitat_models_free(models.without[g]);
    }
    return report_end(&text, status, err);
}
