/* The analytic times of the examples in docs/modelling.md are what the program works out, and the
 * page says them: tests/golden/doc_examples.csv has the operation, the time and the words of the
 * page. */
#include <stdlib.h>

#include <habitat/question.h>

#include "check.h"
#include "operator/operator.h"

/* The page with every run of blanks and line ends as one blank; the caller frees it. */
static char *read_page(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    size_t used = 0;
    for (int c; file && text && used + 1 < 1 << 20 && (c = fgetc(file)) != EOF;) {
        c = c == '\n' ? ' ' : c;
        if (c != ' ' || (used && text[used - 1] != ' '))
            text[used++] = (char)c;
    }
    if (file)
        fclose(file);
    return text;
}

/* The row's analytic time: without what its way of timing adds. NaN: no such class. */
static double analytic_ms(const habitat_measurement *row, const habitat_gpu *gpu,
                          const char *name) {
    habitat_model_query query = {.work = &row->work, .arithmetic = row->arithmetic};
    for (int c = 0; c < OPERATOR_CLASSES; c++) {
        operator_gpu facts;
        operator_view view;
        if (strcmp(operator_facts_of((operator_class)c)->name, name) != 0 ||
            !operator_gpu_facts(gpu, (operator_class)c, operator_arithmetic(&query), &facts))
            continue;
        operator_look(&query, (operator_class)c, &facts, &view);
        return view.base_ms -
               operator_facts_of((operator_class)c)->timings[query.timing].constant_ms;
    }
    return NAN;
}

int main(void) {
    static const char table_path[] = HABITAT_SOURCE_DIR "/tests/golden/doc_examples.csv";
    habitat_gpu_table *gpus = NULL;
    habitat_csv_reader *table = NULL;
    habitat_error err = {0};
    const char *record = NULL, *name = NULL;
    size_t rows = 0;
    char *page = read_page(HABITAT_SOURCE_DIR "/docs/modelling.md");
    CHECK_INT(habitat_gpu_table_create(NULL, &gpus, &err), HABITAT_OK);
    CHECK_INT(habitat_csv_open(table_path, &table, &err), HABITAT_OK);
    while (table && habitat_csv_next(table, &record, &err) == HABITAT_OK && record) {
        habitat_measurement row;
        const habitat_gpu *gpu = NULL;
        const char *text = habitat_csv_text(table, "text");
        CHECK_INT(habitat_csv_measurement(table, &row, &name, &err), HABITAT_OK);
        CHECK_INT(habitat_gpu_find(gpus, name, &gpu, NULL, &err), HABITAT_OK);
        CHECK_NEAR(analytic_ms(&row, gpu, habitat_csv_text(table, "class")), row.time_ms, 5e-4);
        CHECK(text && page && strstr(page, text));
        rows++;
        check_case(text ? text : "an example without words");
    }
    CHECK_INT(rows, 15);
    check_case("all examples were read");
    habitat_csv_close(table);
    habitat_gpu_table_free(gpus);
    free(page);
    return check_done();
}
