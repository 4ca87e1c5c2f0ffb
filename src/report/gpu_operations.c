/* The measured operations of one GPU: as a list, and what they say of the operator models. */
#include "report/gpu_operations.h"

#include <habitat/models.h>

#include "gpu/gpu.h"
#include "report/table.h"

enum { CLASSES_MOST = 64 };

void json_gpu_operations(writer *w, const habitat_gpu *gpu) {
    json_array(w, "operations");
    for (size_t i = 0; i < gpu->operation_count; i++) {
        const habitat_gpu_operation *o = &gpu->operations[i];
        json_map(w, NULL);
        json_text(w, "op", o->op);
        json_text(w, "pass", o->pass);
        json_text(w, "dtype", habitat_dtype_name(o->dtype));
        json_text(w, "shape", o->shape);
        json_text(w, "timing", o->timing);
        json_number(w, "latency_ms", o->ms);
        json_end_map(w);
    }
    json_end_array(w);
}

static void write_offsets(writer *w, const habitat_class_offset *offsets, size_t count) {
    static const table_column columns[] = {{"class", false, false},
                                           {"pass", false, false},
                                           {"operations", true, false},
                                           {"measured/\nmodel", true, false},
                                           {"weight\n%", true, false}};
    text_table t;
    table_start(&t, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < count; i++) {
        table_row(&t, STYLE_PLAIN);
        table_cell(&t, 0, "%s", offsets[i].name);
        table_cell(&t, 1, "%s", habitat_pass_name(offsets[i].pass));
        table_cell(&t, 2, "%zu", offsets[i].operations);
        table_number(&t, 3, offsets[i].ratio, 3);
        table_number(&t, 4, 100 * offsets[i].weight, 0);
    }
    table_write(&t, w);
}

habitat_status text_gpu_operations(writer *w, const habitat_gpu *gpu, habitat_error *err) {
    habitat_models *models = NULL;
    habitat_class_offset offsets[CLASSES_MOST];
    size_t count = CLASSES_MOST, unused = 0;
    if (gpu->operation_count == 0)
        return HABITAT_OK;
    habitat_status status = habitat_models_load_default(&models, err);
    if (status == HABITAT_E_FORMAT) /* a build without models: nothing to compare with */
        return HABITAT_OK;
    if (status == HABITAT_OK)
        status = habitat_models_offsets(models, gpu, offsets, &count, &unused, err);
    habitat_models_free(models);
    if (status != HABITAT_OK)
        return status;
    writer_text(w, "\nMeasured operations\n");
    write_offsets(w, offsets, count < CLASSES_MOST ? count : CLASSES_MOST);
    if (unused)
        writer_printf(w,
                      "%zu more operations are too short, too small for their cache or unknown "
                      "to the models.\n",
                      unused);
    return HABITAT_OK;
}
