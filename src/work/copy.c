/* Copies, casts and layout changes, views, and collectives: bytes and no arithmetic. */
#include "work/rule.h"
#include "work/kinds.h"

#include <math.h>
#include <string.h>

static void set_traffic(habitat_work *out, double elements, double read_bytes, double write_bytes) {
    out->shape.rows.rows = 1;
    out->shape.rows.columns = elements;
    out->flop = 0;
    out->read_bytes = read_bytes;
    out->write_bytes = write_bytes;
}

static double padded_elements(const work_call *call, const habitat_input *x) {
    work_list pad;
    if (!work_numbers(call->op, 1, &pad) || pad.count % 2 || pad.count / 2 > x->rank)
        return NAN;
    double elements = 1;
    for (uint32_t i = 0; i < x->rank; i++) { /* pairs come from the last dimension on */
        double size = work_dim(x, -1 - (int)i);
        if (2 * i < pad.count)
            size += pad.value[2 * i] + pad.value[2 * i + 1];
        elements *= size;
    }
    return elements >= 0 ? elements : NAN;
}

/* What a copy does to the order in memory, in its kind: "clone turned" goes along another dimension
 * than its source, "clone strided" along the same in pieces. All others are one piece, which the
 * driver copies. */
static void name_kind(habitat_work *out, bool turned) {
    const char *kind = turned ? WORK_CLONE_TURNED : WORK_CLONE_STRIDED;
    work_copy_kind(out->kind, kind, strlen(kind));
}

static uint32_t innermost(const habitat_input *x, uint32_t from) {
    while (from > 0 && x->dims[from] == 1)
        from--;
    return from;
}

/* A clone without a noted memory format is taken for what contiguous() and reshape() ask for. */
static void name_clone(const work_call *call, const habitat_input *x, habitat_work *out) {
    enum { PRESERVED = 1, CHANNELS_LAST = 2 }; /* of c10::MemoryFormat */
    double format = work_number(call->op, 1);
    bool channels_last = format == CHANNELS_LAST && x->rank > 1;
    if (!x->strides || format == PRESERVED || (work_contiguous(x) && !channels_last))
        return;
    name_kind(out, x->strides[innermost(x, channels_last ? 1 : x->rank - 1)] != 1);
}

/* A copy into a tensor that is there, which may be a part of a larger one, as its source may be. */
static void name_copy(const habitat_input *into, const habitat_input *from, habitat_work *out) {
    if (into->dtype != from->dtype || !into->strides || !from->strides || !into->rank ||
        !from->rank || (work_dense(from) && work_laid_out_alike(into, from)))
        return;
    name_kind(out, into->strides[innermost(into, into->rank - 1)] != 1 ||
                       from->strides[innermost(from, from->rank - 1)] != 1);
}

/* cat(tensors) */
static void join(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    if (!op->form->input_count || !op->form->inputs[0].is_list)
        return;
    double elements = work_list_elements(&op->form->inputs[0]);
    out->dtype = call->list_dtype;
    double bytes = work_size(elements, call->list_dtype);
    set_traffic(out, elements, bytes, bytes);
}

void work_do_copy(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    uint32_t variant = call->rule->variant;
    const habitat_input *x = work_tensor(op, 0), *src = work_tensor(op, 1);
    work_list repeats;
    double elements = x ? work_elements(x) : NAN;
    if (variant == WORK_COPY_CAT)
        join(call, out);
    if (variant == WORK_COPY_CAT || !x)
        return;
    out->dtype = x->dtype;
    out->host_memory = op->form->host_memory;
    habitat_dtype given;
    switch (variant) {
    case WORK_COPY_INTO:
        if (!src)
            break;
        name_copy(x, src, out);
        set_traffic(out, elements, work_bytes(src), work_size(elements, x->dtype));
        break;
    case WORK_COPY_TO:
        given = work_dtype_argument(op, 1);
        set_traffic(out, elements, work_bytes(x),
                    work_size(elements, given != HABITAT_DTYPE_UNKNOWN ? given : x->dtype));
        break;
    case WORK_COPY_CONTIGUOUS:
    case WORK_COPY_MAYBE:
        if (!x->strides)
            return;
        if (work_contiguous(x) && variant == WORK_COPY_CONTIGUOUS)
            set_traffic(out, elements, 0, 0);
        else if (variant == WORK_COPY_CONTIGUOUS)
            set_traffic(out, elements, work_bytes(x), work_size(elements, x->dtype));
        break;
    case WORK_COPY_PAD:
        elements = padded_elements(call, x);
        set_traffic(out, elements, work_bytes(x), work_size(elements, x->dtype));
        break;
    case WORK_COPY_PAD_BACKWARD:
        if (!src)
            return;
        set_traffic(out, elements, work_bytes(x), work_size(work_elements(src), x->dtype));
        break;
    case WORK_COPY_REPEAT:
        if (!work_numbers(op, 1, &repeats))
            return;
        for (uint32_t i = 0; i < repeats.count; i++)
            elements *= repeats.value[i];
        set_traffic(out, elements, work_bytes(x), work_size(elements, x->dtype));
        break;
    case WORK_COPY_ITEM:
        set_traffic(out, 1, work_size(1, x->dtype), 0);
        break;
    default:
        name_clone(call, x, out);
        set_traffic(out, elements, work_bytes(x), work_size(elements, x->dtype));
        break;
    }
}

/* Launches nothing: shapes, strides and metadata only. */
void work_do_view(const work_call *call, habitat_work *out) {
    const habitat_input *x = work_tensor(call->op, 0);
    out->dtype = x ? x->dtype : HABITAT_DTYPE_UNKNOWN;
    set_traffic(out, 0, 0, 0);
}

/* What goes through this GPU's memory at least; the wire is another matter. The format of listed
 * tensors is not recorded. */
void work_do_collective(const work_call *call, habitat_work *out) {
    const habitat_operation *op = call->op;
    const habitat_input *x = work_tensor(op, 0);
    if (x) {
        out->dtype = x->dtype;
        set_traffic(out, work_elements(x), work_bytes(x), work_bytes(x));
    } else if (op->form->input_count && op->form->inputs[0].is_list) {
        double elements = work_list_elements(&op->form->inputs[0]);
        double bytes = work_size(elements, call->list_dtype);
        out->dtype = call->list_dtype;
        set_traffic(out, elements, bytes, bytes);
    }
}
