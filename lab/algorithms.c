/* Measured convolutions: data/measurements/convolution_algorithms_h200.csv. Formulas of workspaces
 * against them, and the rule for the fastest, by constants chosen on others of them. */
#include "lab/algorithms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <habitat/csv.h>

#include "base/error.h"
#include "base/letter.h"
#include "base/list.h"

static const char *const pass_words[] = {"forward", "to_input", "to_weights"};

static void set_both(double *sides, double value) {
    sides[0] = sides[1] = value;
}

/* Kernels of 4x4 are measured with a padding of 1, others with half of their side. */
static double padding_of(double kernel) {
    return kernel == 4 ? 1 : floor(kernel / 2);
}

static void take_pass(const habitat_csv_reader *table, int pass, algorithm_row *row) {
    char column[32];
    const char *word = habitat_csv_text(table, pass_words[pass]);
    snprintf(row->word[pass], sizeof row->word[pass], "%s", word ? word : "");
    snprintf(column, sizeof column, "%s_bytes", pass_words[pass]);
    row->bytes[pass] = habitat_csv_number(table, column);
}

static bool says(const habitat_csv_reader *table, const char *column, const char *word) {
    const char *text = habitat_csv_text(table, column);
    return text && !strcmp(text, word);
}

static algorithm_row row_of(const habitat_csv_reader *table) {
    algorithm_row row = {.network = says(table, "network", "yes"),
                         .tried = says(table, "mode", "benchmark")};
    habitat_conv_shape *s = &row.shape;
    s->dims = 2;
    s->groups = 1;
    s->batch = habitat_csv_number(table, "batch");
    s->c_in = habitat_csv_number(table, "c_in");
    s->c_out = habitat_csv_number(table, "c_out");
    s->kernel[0] = habitat_csv_number(table, "kernel_h");
    s->kernel[1] = habitat_csv_number(table, "kernel_w");
    set_both(s->in, habitat_csv_number(table, "in"));
    set_both(s->stride, habitat_csv_number(table, "stride"));
    set_both(s->dilation, 1);
    for (int i = 0; i < 2; i++) {
        s->padding[i] = padding_of(s->kernel[i]);
        s->out[i] = floor((s->in[i] + 2 * s->padding[i] - s->kernel[i]) / s->stride[i]) + 1;
    }
    for (int pass = 0; pass < ALGORITHM_PASSES; pass++)
        take_pass(table, pass, &row);
    return row;
}

static habitat_status read_rows(habitat_csv_reader *table, algorithm_set *out, habitat_error *err) {
    const char *record = NULL;
    habitat_status status;
    while ((status = habitat_csv_next(table, &record, err)) == HABITAT_OK && record) {
        algorithm_row *rows =
            list_grow(out->rows, out->count, &out->capacity, 512, SIZE_MAX, sizeof *rows);
        if (!rows)
            return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        out->rows = rows;
        out->rows[out->count++] = row_of(table);
    }
    return status;
}

habitat_status algorithms_read(const habitat_gpu_table *gpus, const char *folder,
                               algorithm_set *out, habitat_error *err) {
    char path[4096];
    habitat_csv_reader *table = NULL;
    const habitat_gpu *gpu = NULL;
    snprintf(path, sizeof path, "%s/convolution_algorithms_h200.csv", folder);
    habitat_status status = habitat_csv_open(path, &table, err);
    if (status == HABITAT_E_IO)
        return HABITAT_OK; /* it need not be there */
    if (status == HABITAT_OK)
        status = habitat_gpu_find(gpus, "H200", &gpu, NULL, err);
    if (status == HABITAT_OK && memory_speed_of(gpu, &out->speed))
        status = read_rows(table, out, err);
    habitat_csv_close(table);
    return status;
}

void algorithms_free(algorithm_set *set) {
    free(set->rows);
    *set = (algorithm_set){0};
}

/* ---- formulas ---- */

static const double single_bytes = 4;

/* "16" of "spectra16". */
static double number_in(const char *digits) {
    double number = 0;
    for (; letter_is_digit(*digits); digits++)
        number = 10 * number + (*digits - '0');
    return number;
}

double algorithm_bytes(const algorithm_row *row, memory_pass pass) {
    const char *word = row->word[pass];
    memory_workspace w = {0};
    if (!strcmp(word, "direct"))
        return 0;
    if (!strncmp(word, "spectra", 7) && strchr(word, 'd') == NULL)
        w = memory_spectra(&row->shape, pass, number_in(word + 7));
    else if (!strncmp(word, "tiles", 5))
        w = memory_tiles(&row->shape, number_in(word + 5));
    else if (!strcmp(word, "copies"))
        w = memory_copies(&row->shape, single_bytes);
    else
        return NAN;
    return memory_workspace_total(&w);
}

/* ---- the rule ---- */

/* What the rule chooses between, for the pass of a row. */
static bool is_open(const algorithm_set *set, const algorithm_row *row, memory_pass pass) {
    memory_costs any = memory_costs_built();
    return row->tried && isfinite(memory_gain(&row->shape, pass, &set->speed, &any));
}

static bool is_transformed(const algorithm_row *row, memory_pass pass) {
    const char *word = row->word[pass];
    return pass == MEMORY_PASS_TO_WEIGHTS ? !strncmp(word, "tiles", 5)
                                          : !strncmp(word, "spectra", 7) && !strchr(word, 'd');
}

/* Folds are of random shapes, by their number. */
static bool in_fold(const algorithm_set *set, size_t at, bool network, int fold) {
    return set->rows[at].network == network &&
           (fold == ALGORITHM_ALL || (int)(at % ALGORITHM_FOLDS) == fold);
}

algorithm_calls algorithms_judge(const algorithm_set *set, memory_pass pass, bool network, int fold,
                                 const memory_costs *costs) {
    algorithm_calls calls = {0, 0, 0};
    for (size_t i = 0; i < set->count; i++) {
        const algorithm_row *row = &set->rows[i];
        if (!in_fold(set, i, network, fold) || !is_open(set, row, pass))
            continue;
        bool said = memory_gain(&row->shape, pass, &set->speed, costs) > 0;
        calls.count++;
        calls.right += said == is_transformed(row, pass);
        calls.plain += !is_transformed(row, pass);
    }
    return calls;
}

/* A gain of this much [log] is wrong once in four times. */
static const double doubt = 0.3;

/* Mean of log(1 + exp(-gain / doubt)) of what was taken. */
static double loss_of(const algorithm_set *set, int without, const memory_costs *costs) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        const algorithm_row *row = &set->rows[i];
        if (row->network || !row->tried || (int)(i % ALGORITHM_FOLDS) == without)
            continue;
        for (int pass = 0; pass < ALGORITHM_PASSES; pass++) {
            double gain = memory_gain(&row->shape, (memory_pass)pass, &set->speed, costs) / doubt;
            if (!isfinite(gain))
                continue;
            gain = is_transformed(row, (memory_pass)pass) ? gain : -gain;
            sum += log1p(exp(-fabs(gain))) + fmax(0, -gain);
            count++;
        }
    }
    return sum / (double)(count ? count : 1);
}

/* One constant a step up or down, as long as that helps. */
static bool improve(const algorithm_set *set, int without, double step, memory_costs *costs,
                    double *loss) {
    bool moved = false;
    for (int i = 0; i < 2 * MEMORY_COST_COUNT; i++) {
        memory_costs tried = *costs;
        tried.of[i / 2] *= i % 2 ? step : 1 / step;
        double with = loss_of(set, without, &tried);
        if (with < *loss - 1e-9) {
            *costs = tried;
            *loss = with;
            moved = true;
        }
    }
    return moved;
}

memory_costs algorithms_choose(const algorithm_set *set, int without) {
    static const double steps[] = {1.5, 1.2, 1.08};
    memory_costs costs = {{.5, .35, 4, 2, 1e-5, .5, 2}};
    double loss = loss_of(set, without, &costs);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        while (improve(set, without, steps[i], &costs, &loss))
            continue;
    return costs;
}
