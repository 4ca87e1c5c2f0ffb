/* Judged rows: a selection of them, and all of them as CSV. */
#include "lab/judged.h"

#include <math.h>
#include <stdlib.h>

#include <habitat/work.h>

#include "base/error.h"

const char *const method_titles[JUDGED_METHODS] = {
    "seen",     "left out, two rates", "left out, spec sheet", "left out, k = 5",
    "mlp seen", "mlp left out",        "roofline, two rates",  "roofline, spec sheet"};

habitat_status judged_narrow(const cell *of, cell *out, habitat_error *err) {
    enum { WIDTH = 64 };
    *out = (cell){.c = of->c, .group = of->group};
    judged_row *rows = malloc((of->n + 1) * sizeof *rows);
    if (!rows)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    out->rows = rows;
    for (size_t i = 0; i < of->n; i++) {
        const habitat_gemm_shape *shape = &of->rows[i].row->work.shape.gemm;
        if (shape->k == WIDTH || shape->n == WIDTH)
            rows[out->n++] = of->rows[i];
    }
    return HABITAT_OK;
}

static bool has_column(int method) {
    return method != JUDGED_FEW;
}

/* A time, or nothing where the method has no answer. */
static void print_time(report_text *text, double ms) {
    if (isfinite(ms))
        report_print(text, ",%.9g", ms);
    else
        report_print(text, ",");
}

static void print_row(const cell *of, const judged_row *judged, report_text *text) {
    const habitat_measurement *row = judged->row;
    const habitat_work *work = &row->work;
    report_print(text, "%s,%s,%s,%s,%s,%s", operator_facts_of(of->c)->name, row->gpu, row->source,
                 work->kind, habitat_pass_name(work->pass), habitat_dtype_name(work->dtype));
    if (habitat_class_is_product(work->op_class))
        report_print(text, ",%.0f,%.0f,%.0f,%.0f", work->shape.gemm.b, work->shape.gemm.m,
                     work->shape.gemm.k, work->shape.gemm.n);
    else
        report_print(text, ",,,,");
    report_print(text, ",%.9g,%.9g,%.9g", work->flop, work->read_bytes + work->write_bytes,
                 row->time_ms);
    for (int m = 0; m < JUDGED_METHODS; m++)
        if (has_column(m))
            print_time(text, judged->predicted[m]);
    print_time(text, judged->low);
    print_time(text, judged->high);
    report_print(text, "\n");
}

void judged_print_csv(const cell *cells, size_t count, report_text *text) {
    report_print(text, "class,gpu,source,kind,pass,dtype,batch,m,k,n,flop,bytes,measured_ms");
    for (int m = 0; m < JUDGED_METHODS; m++)
        if (has_column(m))
            report_print(text, ",\"%s, ms\"", method_titles[m]);
    report_print(text, ",low_ms,high_ms\n");
    for (size_t i = 0; i < count; i++)
        for (size_t r = 0; r < cells[i].n; r++)
            print_row(&cells[i], &cells[i].rows[r], text);
}
