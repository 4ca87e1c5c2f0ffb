/* Per-row judgement of classes that few and related GPUs were measured on: convolutions beyond the
 * fp32 forward pass, and recurrent layers. Seen: one model trained on the training rows of all
 * GPUs. Left out: all GPUs of the row's compute capability. */
#include "lab/evaluate_kinds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/gpu.h"
#include "lab/train.h"
#include "question/query.h"

enum { KIND_GPUS_MAX = 32, KIND_PASSES = 4, KIND_DTYPES = HABITAT_DTYPE_COUNT };

/* Sums over the test rows of one GPU and number format. */
typedef struct kind_cell {
    size_t n, pass_n[KIND_PASSES];
    double pass_seen[KIND_PASSES], seen, same_arch, left_out, roofline;
    size_t seen_inside, same_arch_inside, same_arch_n, left_out_inside, left_out_n;
} kind_cell;

typedef struct kind_gpus {
    const habitat_gpu *list[KIND_GPUS_MAX];
    size_t count;
} kind_gpus;

/* The GPU of a row of class `c`; NULL for other rows. */
static const habitat_gpu *gpu_of_class(const habitat_measurement *row, operator_class c,
                                       const habitat_gpu_table *gpus) {
    habitat_model_query query = question_of(row);
    const habitat_gpu *gpu = NULL;
    if (!operator_trains_on(c, &query, row->time_ms) || !operator_pass_trained(c, row->work.pass) ||
        habitat_gpu_find(gpus, row->gpu, &gpu, NULL, NULL) != HABITAT_OK)
        return NULL;
    return gpu;
}

static size_t place_of(kind_gpus *found, const habitat_gpu *gpu) {
    for (size_t i = 0; i < found->count; i++)
        if (found->list[i] == gpu)
            return i;
    if (found->count == KIND_GPUS_MAX)
        return SIZE_MAX;
    found->list[found->count] = gpu;
    return found->count++;
}

static size_t kin_of(const kind_gpus *all, const habitat_gpu *gpu) {
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        count += all->list[i] != gpu && all->list[i]->compute_capability == gpu->compute_capability;
    return count;
}

/* Models without this GPU, or without any of its kind; NULL where the others have too few rows. */
static habitat_status train_without(const habitat_dataset *data, const habitat_gpu_table *gpus,
                                    const habitat_train_options *options, operator_class c,
                                    const kind_gpus *all, const habitat_gpu *gpu, bool kin_too,
                                    habitat_models **out, habitat_error *err) {
    const char *names[KIND_GPUS_MAX];
    habitat_train_options mine = {.seed = options->seed, .all_rows = true, .without = names};
    for (size_t i = 0; i < all->count; i++)
        if (all->list[i] == gpu ||
            (kin_too && all->list[i]->compute_capability == gpu->compute_capability))
            names[mine.without_count++] = all->list[i]->name;
    *out = NULL;
    habitat_status status = train_classes(data, gpus, &mine, 1U << c, out, err);
    return status == HABITAT_E_ARG ? HABITAT_OK : status;
}

static double error_of(const habitat_models *models, habitat_model_use use, const habitat_gpu *gpu,
                       const habitat_measurement *row, habitat_model_estimate *answer) {
    habitat_model_query query = question_of(row);
    *answer = (habitat_model_estimate){0};
    if (!models ||
        habitat_models_predict(models, use, 1, &gpu, 1, &query, answer, NULL) != HABITAT_OK ||
        !answer->covered)
        return NAN;
    return fabs(answer->ms / row->time_ms - 1);
}

static bool holds(const habitat_model_estimate *answer, const habitat_measurement *row) {
    return row->time_ms >= answer->low_ms && row->time_ms <= answer->high_ms;
}

static double roofline_error(const habitat_gpu *gpu, const habitat_measurement *row,
                             operator_class c) {
    habitat_model_query query = question_of(row);
    operator_gpu facts;
    if (!operator_gpu_facts(gpu, c, operator_arithmetic(&query), &facts))
        return NAN;
    double bytes = row->work.read_bytes + row->work.write_bytes;
    double seconds = fmax(row->work.flop / facts.flop_per_s, bytes / facts.bytes_per_s);
    return fabs(1e3 * seconds / row->time_ms - 1);
}

/* A GPU's models: seen, left out alone while others of its kind stay, left out with its kind. */
typedef struct kind_models {
    const habitat_models *seen;
    habitat_models *same_arch, *without; /* NULL: none */
} kind_models;

static void judge_row(const kind_models *models, const habitat_gpu *gpu,
                      const habitat_measurement *row, operator_class c, kind_cell *cell,
                      op_cases *cases) {
    habitat_model_estimate answer;
    double error = error_of(models->seen, HABITAT_MODEL_AUTO, gpu, row, &answer);
    if (isnan(error))
        return;
    cell->n++;
    cell->seen += error;
    cell->seen_inside += holds(&answer, row);
    cell->pass_n[row->work.pass]++;
    cell->pass_seen[row->work.pass] += error;
    cell->roofline += roofline_error(gpu, row, c);
    error = error_of(models->same_arch, HABITAT_MODEL_AUTO, gpu, row, &answer);
    if (!isnan(error)) {
        cell->same_arch_n++;
        cell->same_arch += error;
        cell->same_arch_inside += holds(&answer, row);
    }
    error = error_of(models->without, HABITAT_MODEL_TRANSFER, gpu, row, &answer);
    if (isnan(error))
        return;
    cell->left_out_n++;
    cell->left_out += error;
    cell->left_out_inside += holds(&answer, row);
    op_cases_add(cases, (op_case){.c = c, .gpu = gpu->name}, row->time_ms, answer.low_ms,
                 answer.high_ms);
}

static void print_share(report_text *text, double sum, size_t n) {
    if (n)
        report_print(text, " %.1f |", 100 * sum / (double)n);
    else
        report_print(text, " - |");
}

static void print_cell(report_text *text, const char *gpu, const char *dtype,
                       const kind_cell *cell) {
    report_print(text, "| %s | %s | %zu |", gpu, dtype, cell->n);
    print_share(text, cell->pass_seen[HABITAT_PASS_FORWARD], cell->pass_n[HABITAT_PASS_FORWARD]);
    for (int pass = HABITAT_PASS_BACKWARD; pass < KIND_PASSES; pass++)
        print_share(text, cell->pass_seen[pass], cell->pass_n[pass]);
    print_share(text, cell->seen, cell->n);
    print_share(text, cell->same_arch, cell->same_arch_n);
    print_share(text, cell->left_out, cell->left_out_n);
    print_share(text, cell->roofline, cell->n);
    print_share(text, (double)cell->seen_inside, cell->n);
    print_share(text, (double)cell->same_arch_inside, cell->same_arch_n);
    print_share(text, (double)cell->left_out_inside, cell->left_out_n);
    report_print(text, "\n");
}

static habitat_status judge_gpu(const habitat_dataset *data, const habitat_gpu_table *gpus,
                                const habitat_train_options *options, operator_class c,
                                const habitat_models *seen, const kind_gpus *all, size_t place,
                                op_cases *cases, report_text *text, habitat_error *err) {
    const habitat_gpu *gpu = all->list[place];
    kind_cell cells[KIND_DTYPES];
    memset(cells, 0, sizeof cells);
    kind_models models = {seen, NULL, NULL};
    habitat_status status =
        train_without(data, gpus, options, c, all, gpu, true, &models.without, err);
    if (status == HABITAT_OK && kin_of(all, gpu))
        status = train_without(data, gpus, options, c, all, gpu, false, &models.same_arch, err);
    size_t count;
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    for (size_t i = 0; status == HABITAT_OK && i < count; i++) {
        habitat_model_query query = question_of(&rows[i]);
        if (rows[i].test && !rows[i].suspect && strcmp(rows[i].gpu, gpu->name) == 0 &&
            gpu_of_class(&rows[i], c, gpus))
            judge_row(&models, gpu, &rows[i], c, &cells[operator_arithmetic(&query)], cases);
    }
    for (int dtype = 0; status == HABITAT_OK && dtype < KIND_DTYPES; dtype++)
        if (cells[dtype].n)
            print_cell(text, gpu->name, habitat_dtype_name((habitat_dtype)dtype), &cells[dtype]);
    habitat_models_free(models.same_arch);
    habitat_models_free(models.without);
    return status;
}

static const char introduction[] =
    "\n## Convolutions and recurrent layers\n\nMean absolute percentage error over test rows. "
    "Seen, and the columns by pass: trained on the training rows of all GPUs. Kin known: without "
    "this GPU, with others of its compute capability. Left out: without any of these; two rates "
    "known. Roofline: on the same rates. Intervals: share of rows inside.\n";

static habitat_status judge_class(const habitat_dataset *data, const habitat_gpu_table *gpus,
                                  const habitat_train_options *options, operator_class c,
                                  bool *begun, op_cases *cases, report_text *text,
                                  habitat_error *err) {
    size_t count;
    const habitat_measurement *rows = habitat_dataset_rows(data, &count);
    kind_gpus found = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        const habitat_gpu *gpu = rows[i].test ? gpu_of_class(&rows[i], c, gpus) : NULL;
        if (gpu)
            place_of(&found, gpu);
    }
    habitat_models *seen = NULL;
    habitat_train_options mine = {.seed = options->seed};
    habitat_status status = train_classes(data, gpus, &mine, 1U << c, &seen, err);
    if (status == HABITAT_E_ARG) /* no such rows in this set */
        return HABITAT_OK;
    if (status == HABITAT_OK && !*begun)
        report_print(text, "%s", introduction);
    *begun = true;
    if (status == HABITAT_OK)
        report_print(
            text,
            "\n### %s\n\n| GPU | format | rows | forward | backward | input gradient | "
            "weight gradient | seen | architecture known | left out | roofline | interval, seen | "
            "interval, architecture known | interval, left out |\n"
            "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
            operator_facts_of(c)->name);
    for (size_t g = 0; status == HABITAT_OK && g < found.count; g++)
        status = judge_gpu(data, gpus, options, c, seen, &found, g, cases, text, err);
    habitat_models_free(seen);
    return status;
}

habitat_status evaluate_kinds(unsigned named, const habitat_dataset *data,
                              const habitat_gpu_table *gpus, const habitat_train_options *options,
                              op_cases *cases, report_text *text, habitat_error *err) {
    habitat_status status = HABITAT_OK;
    bool begun = false;
    for (int c = 0; status == HABITAT_OK && c < OPERATOR_CLASSES; c++)
        if ((named >> c & 1) && operator_facts_of((operator_class)c)->judged_by_kind)
            status = judge_class(data, gpus, options, (operator_class)c, &begun, cases, text, err);
    return status;
}
