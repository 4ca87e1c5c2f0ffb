/* Reading an operation's recorded inputs: shapes, bytes and concrete values. */
#include "work/args.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"

const habitat_input *work_tensor(const habitat_operation *op, uint32_t index) {
    if (index >= op->form->input_count || !op->form->inputs[index].is_tensor ||
        op->form->inputs[index].is_list)
        return NULL;
    return &op->form->inputs[index];
}

const habitat_input *work_tensor_with_dims(const habitat_operation *op, uint32_t index) {
    const habitat_input *tensor = work_tensor(op, index);
    return tensor && tensor->rank ? tensor : NULL;
}

bool work_absent(const habitat_operation *op, uint32_t index) {
    if (index >= op->form->input_count)
        return true;
    const habitat_input *input = &op->form->inputs[index];
    if (input->is_tensor || input->is_list)
        return false;
    if (input->value && *input->value)
        return !strcmp(input->value, "None");
    return !input->type || !*input->type;
}

bool work_dims_of(const habitat_input *tensor, work_dims *out) {
    if (!tensor || tensor->rank > WORK_RANK_MAX)
        return false;
    out->rank = tensor->rank;
    for (uint32_t i = 0; i < tensor->rank; i++)
        out->size[i] = (double)tensor->dims[i];
    return true;
}

double work_product(const double *sides, uint32_t count) {
    double product = 1;
    for (uint32_t i = 0; i < count; i++)
        product *= sides[i];
    return product;
}

double work_dims_product(const work_dims *dims) {
    return work_product(dims->size, dims->rank);
}

bool work_broadcast(work_dims *into, const work_dims *other) {
    work_dims wide = into->rank >= other->rank ? *into : *other;
    const work_dims *narrow = into->rank >= other->rank ? other : into;
    uint32_t offset = wide.rank - narrow->rank;
    for (uint32_t i = 0; i < narrow->rank; i++) {
        double *size = &wide.size[offset + i];
        if (*size == 1)
            *size = narrow->size[i];
        else if (narrow->size[i] != 1 && narrow->size[i] != *size)
            return false;
    }
    *into = wide;
    return true;
}

bool work_same_dims(const habitat_input *a, const habitat_input *b) {
    return a->rank == b->rank && /* a scalar's may be NULL */
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

double work_elements(const habitat_input *tensor) {
    if (!tensor)
        return NAN;
    double product = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        product *= (double)tensor->dims[i];
    return product;
}

/* Elements in memory: dimensions of stride 0 count once, overlapping windows count their span. */
static double distinct(const habitat_input *tensor) {
    if (!tensor || !tensor->strides)
        return work_elements(tensor);
    double product = 1, span = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        double size = (double)tensor->dims[i], stride = fabs((double)tensor->strides[i]);
        if (size == 0)
            return 0;
        if (stride == 0)
            continue;
        product *= size;
        span += (size - 1) * stride;
    }
    return product < span ? product : span;
}

double work_size(double elements, habitat_dtype dtype) {
    size_t bytes = habitat_dtype_bytes(dtype);
    return bytes ? elements * (double)bytes : NAN;
}

double work_bytes(const habitat_input *tensor) {
    return tensor ? work_size(distinct(tensor), tensor->dtype) : 0;
}

double work_dim(const habitat_input *tensor, int index) {
    if (!tensor)
        return NAN;
    int at = index < 0 ? (int)tensor->rank + index : index;
    return at >= 0 && at < (int)tensor->rank ? (double)tensor->dims[at] : NAN;
}

double work_dim_at(const habitat_input *tensor, double index) {
    return index >= -255 && index <= 255 ? work_dim(tensor, (int)index) : NAN;
}

/* `*end` is where reading stopped, NULL if there is no number. */
static double parse_number(const char *text, const char **end) {
    double value = NAN;
    size_t used = decimal_read(text, strlen(text), &value);
    *end = used ? text + used : NULL;
    return value;
}

/* A number or a truth value. */
static double parse_scalar(const char *text, const char **end) {
    if (!strncmp(text, "True", 4) || !strncmp(text, "true", 4)) {
        *end = text + 4;
        return 1;
    }
    if (!strncmp(text, "False", 5) || !strncmp(text, "false", 5)) {
        *end = text + 5;
        return 0;
    }
    return parse_number(text, end);
}

double work_number(const habitat_operation *op, uint32_t index) {
    if (index >= op->form->input_count || !op->form->inputs[index].value)
        return NAN;
    const char *end;
    double value = parse_scalar(op->form->inputs[index].value, &end);
    return end && !*end ? value : NAN;
}

bool work_numbers(const habitat_operation *op, uint32_t index, work_list *out) {
    out->count = 0;
    if (index >= op->form->input_count || !op->form->inputs[index].value)
        return false;
    const char *text = op->form->inputs[index].value;
    if (*text != '[') { /* one number stands for a list of one */
        double value = work_number(op, index);
        out->value[0] = value;
        out->count = 1;
        return !isnan(value);
    }
    text++;
    while (*text == ' ')
        text++;
    while (*text != ']') {
        const char *end;
        double value = parse_scalar(text, &end);
        if (!end || out->count == WORK_RANK_MAX)
            return false;
        out->value[out->count++] = value;
        for (text = end; *text == ' ' || *text == ','; text++)
            ;
    }
    return true;
}

double work_first_number(const habitat_operation *op, uint32_t index) {
    const char *text = index < op->form->input_count ? op->form->inputs[index].value : NULL;
    const char *end = NULL;
    if (!text || *text != '[')
        return NAN;
    text += 1 + strspn(text + 1, " ");
    double value = parse_scalar(text, &end);
    return end ? value : NAN;
}

habitat_dtype work_dtype_argument(const habitat_operation *op, uint32_t index) {
    /* c10::ScalarType, torch/headeronly/core/ScalarType.h */
    static const habitat_dtype codes[] = {
        [0] = HABITAT_DTYPE_INT8,      [1] = HABITAT_DTYPE_INT8,        [2] = HABITAT_DTYPE_INT16,
        [3] = HABITAT_DTYPE_INT32,     [4] = HABITAT_DTYPE_INT64,       [5] = HABITAT_DTYPE_FP16,
        [6] = HABITAT_DTYPE_FP32,      [7] = HABITAT_DTYPE_FP64,        [8] = HABITAT_DTYPE_UNKNOWN,
        [9] = HABITAT_DTYPE_COMPLEX64, [10] = HABITAT_DTYPE_COMPLEX128, [11] = HABITAT_DTYPE_BOOL,
        [15] = HABITAT_DTYPE_BF16,     [23] = HABITAT_DTYPE_FP8,        [24] = HABITAT_DTYPE_FP8,
        [25] = HABITAT_DTYPE_FP8,      [26] = HABITAT_DTYPE_FP8,
    };
    const size_t count = sizeof codes / sizeof *codes;
    double code = work_number(op, index);
    if (!(code >= 0 && code < (double)count))
        return HABITAT_DTYPE_UNKNOWN;
    return codes[(int)code];
}

int work_category(habitat_dtype dtype) {
    switch (dtype) {
    case HABITAT_DTYPE_BOOL:
        return 0;
    case HABITAT_DTYPE_INT8:
    case HABITAT_DTYPE_INT16:
    case HABITAT_DTYPE_INT32:
    case HABITAT_DTYPE_INT64:
        return 1;
    case HABITAT_DTYPE_FP64:
    case HABITAT_DTYPE_FP32:
    case HABITAT_DTYPE_TF32:
    case HABITAT_DTYPE_FP16:
    case HABITAT_DTYPE_BF16:
    case HABITAT_DTYPE_FP8:
        return 2;
    case HABITAT_DTYPE_COMPLEX64:
    case HABITAT_DTYPE_COMPLEX128:
        return 3;
    default:
        return -1;
    }
}

bool work_is_complex(habitat_dtype dtype) {
    return work_category(dtype) == 3;
}

habitat_dtype work_promote(habitat_dtype a, habitat_dtype b) {
    int ca = work_category(a), cb = work_category(b);
    if (ca < 0 || cb < 0)
        return ca < 0 ? b : a;
    if (ca != cb) {
        habitat_dtype high = ca > cb ? a : b, low = ca > cb ? b : a;
        if (high == HABITAT_DTYPE_COMPLEX64 && low == HABITAT_DTYPE_FP64)
            return HABITAT_DTYPE_COMPLEX128;
        return high;
    }
    size_t bytes_a = habitat_dtype_bytes(a), bytes_b = habitat_dtype_bytes(b);
    if (bytes_a == bytes_b && a != b)
        return HABITAT_DTYPE_FP32; /* fp16 with bf16 */
    return bytes_a >= bytes_b ? a : b;
}

bool work_contiguous(const habitat_input *tensor) {
    if (!tensor || !tensor->strides)
        return true;
    double expected = 1;
    for (int i = (int)tensor->rank - 1; i >= 0; i--) {
        if (tensor->dims[i] == 1)
            continue;
        if ((double)tensor->strides[i] != expected)
            return false;
        expected *= (double)tensor->dims[i];
    }
    return true;
}

bool work_dense(const habitat_input *t) {
    double last = 0;
    for (uint32_t i = 0; t->strides && i < t->rank; i++)
        last += (double)(t->dims[i] - 1) * (double)t->strides[i];
    return !t->strides || last == work_elements(t) - 1;
}

bool work_laid_out_alike(const habitat_input *a, const habitat_input *b) {
    if (a->rank != b->rank || a->dtype != b->dtype)
        return false;
    for (uint32_t i = 0; i < a->rank; i++) {
        bool known = a->strides && b->strides && a->dims[i] > 1;
        if (a->dims[i] != b->dims[i] || (known && a->strides[i] != b->strides[i]))
            return false;
    }
    return (a->strides && b->strides) || (work_contiguous(a) && work_contiguous(b));
}

double work_listed_elements(const int64_t *dims) {
    double product = 1;
    for (int64_t j = 0; j < dims[0]; j++)
        product *= (double)dims[1 + j];
    return product;
}

double work_list_elements(const habitat_input *list) {
    if (!list->is_list || !list->list_count || !list->dims)
        return NAN;
    double total = 0;
    const int64_t *dims = list->dims;
    for (uint32_t i = 0; i < list->list_count; i++, dims += 1 + dims[0])
        total += work_listed_elements(dims);
    return total;
}
