/* The accuracy table: every method on iterations that others measured.
 *
 * Reads golden/measured_iterations.csv, predicts from the recordings of the repository and compares
 * with golden/accuracy.csv, so that a change that moves a prediction shows as a difference to
 * review. `test_accuracy --write` makes the table anew. */
#include <stdlib.h>

#include <habitat/predict.h>

#include "check.h"
#include "recorded.h"

#define GOLDEN HABITAT_SOURCE_DIR "/tests/golden/"

static const habitat_method methods[] = {HABITAT_METHOD_AUTO,  HABITAT_METHOD_ROOFLINE,
                                         HABITAT_METHOD_FLOPS, HABITAT_METHOD_BANDWIDTH,
                                         HABITAT_METHOD_WAVE,  HABITAT_METHOD_WAVE_LARGE};
enum { METHODS = sizeof methods / sizeof *methods, ROWS_MAX = 256 };

typedef struct row {
    char recording[96], gpu[48];
    double measured_ms, predicted_ms[METHODS];
} row;

static habitat_gpu_table *table;

/* Rows of a file: name,gpu,measured[,predicted...]; comments and the header are skipped. */
static size_t read_rows(const char *path, row *rows) {
    char line[512];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file) && count < ROWS_MAX) {
        row *r = &rows[count];
        int at = 0;
        if (sscanf(line, "%95[^,],%47[^,],%lf%n", r->recording, r->gpu, &r->measured_ms, &at) != 3)
            continue;
        for (size_t m = 0; m < METHODS; m++) {
            int read = 0;
            if (sscanf(line + at, ",%lf%n", &r->predicted_ms[m], &read) != 1)
                break;
            at += read;
        }
        count++;
    }
    if (file)
        fclose(file);
    return count;
}

static bool predict_row(row *r) {
    const habitat_gpu *dest = NULL;
    habitat_error err = {0};
    recorded from = recorded_open(table, r->recording);
    bool ok = from.w && habitat_gpu_find(table, r->gpu, &dest, NULL, &err) == HABITAT_OK;
    for (size_t m = 0; ok && m < METHODS; m++) {
        habitat_prediction *p = NULL;
        ok = habitat_predict(from.w, dest, methods[m], &p, &err) == HABITAT_OK;
        if (ok)
            r->predicted_ms[m] = p->iteration_ms;
        habitat_prediction_free(p);
    }
    if (!ok)
        printf("# %s on %s: %s\n", r->recording, r->gpu, err.message);
    recorded_close(&from);
    return ok;
}

static double mean_error(const row *rows, size_t count, size_t method) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(rows[i].predicted_ms[method] / rows[i].measured_ms - 1);
    return 100 * sum / (double)count;
}

static void write_table(FILE *out, const row *rows, size_t count) {
    fprintf(out, "# Predictions [ms] of iterations that others measured, from H200 recordings.\n"
                 "# Made by test_accuracy --write; sources in measured_iterations.csv.\n"
                 "# Mean absolute error %%:");
    for (size_t m = 0; m < METHODS; m++)
        fprintf(out, " %s %.1f%s", habitat_method_name(methods[m]), mean_error(rows, count, m),
                m + 1 < METHODS ? "," : "\n");
    fprintf(out, "recording,gpu,measured_ms");
    for (size_t m = 0; m < METHODS; m++)
        fprintf(out, ",%s_ms", habitat_method_name(methods[m]));
    fprintf(out, ",auto_error_pct\n");
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s,%s,%g", rows[i].recording, rows[i].gpu, rows[i].measured_ms);
        for (size_t m = 0; m < METHODS; m++)
            fprintf(out, ",%.2f", rows[i].predicted_ms[m]);
        fprintf(out, ",%+.1f\n", 100 * (rows[i].predicted_ms[0] / rows[i].measured_ms - 1));
    }
}

static row rows[ROWS_MAX], golden[ROWS_MAX];

int main(int argc, char **argv) {
    habitat_error err = {0};
    if (habitat_gpu_table_create(NULL, &table, &err) != HABITAT_OK) {
        printf("# %s\n", err.message);
        return 1;
    }
    size_t count = read_rows(GOLDEN "measured_iterations.csv", rows);
    CHECK_INT(count, 34);
    for (size_t i = 0; i < count; i++)
        CHECK(predict_row(&rows[i]));
    check_case("every measured iteration is predicted");
    habitat_gpu_table_free(table);
    if (argc > 1 && strcmp(argv[1], "--write") == 0) {
        FILE *out = fopen(GOLDEN "accuracy.csv", "w");
        if (!out)
            return 1;
        write_table(out, rows, count);
        return fclose(out) ? 1 : check_done();
    }
    CHECK_INT(read_rows(GOLDEN "accuracy.csv", golden), count);
    for (size_t i = 0; i < count; i++)
        for (size_t m = 0; m < METHODS; m++)
            CHECK_NEAR(golden[i].predicted_ms[m], rows[i].predicted_ms[m], 1e-3);
    check_case("no prediction moved: else review, then test_accuracy --write");
    for (size_t m = 1; m < METHODS; m++)
        CHECK(mean_error(rows, count, 0) < mean_error(rows, count, m));
    check_case("auto is the most accurate method");
    return check_done();
}
