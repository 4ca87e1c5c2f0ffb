#include "rescale/added.h"

#include "base/list.h"

void added_work(added_list *list, const char *name, const habitat_work *work) {
    scale_added *grown =
        list_grow(list->all, list->count, &list->room, 256, SIZE_MAX, sizeof *grown);
    list->out_of_memory |= !grown;
    if (!grown)
        return;
    list->all = grown;
    list->all[list->count++] = (scale_added){.name = name, .work = *work};
}

void added_bytes(added_list *list, const char *name, double elements, double read, double write,
                 habitat_class op_class) {
    habitat_work work;
    habitat_rows_shape shape = {.rows = 1, .columns = elements};
    size_t before = list->count;
    if (!(elements > 0.0) || habitat_work_rows("copy", &shape, HABITAT_DTYPE_FP32,
                                               HABITAT_PASS_FORWARD, &work) != HABITAT_OK)
        return;
    work.op_class = op_class;
    work.read_bytes = read * elements;
    work.write_bytes = write * elements;
    added_work(list, name, &work);
    if (list->count > before)
        list->all[before].widens = op_class == HABITAT_CLASS_COPY && write > read;
}
