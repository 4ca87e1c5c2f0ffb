/* Reading an operation's recorded inputs: shapes, bytes and concrete values.
 *
 * What was not recorded comes back as NaN (numbers) or false (look-ups) and spreads through the
 * arithmetic, so that a count is either complete or visibly unknown. */
#ifndef HABITAT_WORK_ARGS_H
#define HABITAT_WORK_ARGS_H

#include <habitat/trace.h>
#include <habitat/work.h>

enum { WORK_RANK_MAX = 16 };

/* Sizes of a tensor, as doubles: products of absurd shapes grow large but never wrap. */
typedef struct work_dims {
    uint32_t rank;
    double size[WORK_RANK_MAX];
} work_dims;

/* Numbers of a recorded list such as "[1, 1]"; count is 0 for "[]". */
typedef struct work_list {
    uint32_t count;
    double value[WORK_RANK_MAX];
} work_list;

/* The input at `index` if it is a tensor, else NULL (absent, None, scalar, beyond the end). */
const habitat_input *work_tensor(const habitat_operation *op, uint32_t index);

/* The same where it has dimensions, else NULL. */
const habitat_input *work_tensor_with_dims(const habitat_operation *op, uint32_t index);

/* True if the input is absent: not there, or recorded as None. */
bool work_absent(const habitat_operation *op, uint32_t index);

/* Sizes of a tensor; false if the rank is larger than anything PyTorch makes. */
bool work_dims_of(const habitat_input *tensor, work_dims *out);

/* Product of the sizes; 1 for rank 0. */
double work_dims_product(const work_dims *dims);

/* Product of sides; 1 of none. */
double work_product(const double *sides, uint32_t count);

/* Widen `into` to the shape that broadcasting with `other` gives; false if they do not fit. */
bool work_broadcast(work_dims *into, const work_dims *other);

/* Whether two tensors have the same sizes. */
bool work_same_dims(const habitat_input *a, const habitat_input *b);

/* Elements of a tensor as its shape says; NaN for NULL. */
double work_elements(const habitat_input *tensor);

/* Bytes of the distinct elements; 0 for NULL, NaN if the number format is unknown. */
double work_bytes(const habitat_input *tensor);

/* Bytes of `elements` elements; NaN if the format is unknown. */
double work_size(double elements, habitat_dtype dtype);

/* The size of dimension `index` (negative: from the end); NaN if there is none. */
double work_dim(const habitat_input *tensor, int index);
/* The same for a recorded argument, whatever number it is. */
double work_dim_at(const habitat_input *tensor, double index);

/* The first number of a recorded list, however long that is; NaN of an empty one and of none. */
double work_first_number(const habitat_operation *op, uint32_t index);

/* A recorded number, truth value (1 or 0) or list; NaN or false if not recorded. */
double work_number(const habitat_operation *op, uint32_t index);
bool work_numbers(const habitat_operation *op, uint32_t index, work_list *out);

/* Number format named by PyTorch's scalar type code in a recorded argument ("6" is fp32). */
habitat_dtype work_dtype_argument(const habitat_operation *op, uint32_t index);

/* Number format of the result of mixing two, as PyTorch promotes tensors of equal standing. */
habitat_dtype work_promote(habitat_dtype a, habitat_dtype b);
bool work_is_complex(habitat_dtype dtype);
/* 0 bool, 1 integer, 2 floating point, 3 complex; -1 unknown */
int work_category(habitat_dtype dtype);

/* True if the strides describe the usual row-major layout, or are not recorded. */
bool work_contiguous(const habitat_input *tensor);

/* True if all elements lie side by side, in whatever order of dimensions, or strides are not
 * recorded. */
bool work_dense(const habitat_input *tensor);

/* True if both have one number format, the same sizes and the same strides; where strides are not
 * recorded, if both are taken for row-major. */
bool work_laid_out_alike(const habitat_input *a, const habitat_input *b);

/* Elements of one tensor of a list, at its [rank, dims..]. */
double work_listed_elements(const int64_t *dims);

/* Elements of all tensors of a list; NaN if their shapes are not recorded. */
double work_list_elements(const habitat_input *list);

#endif
