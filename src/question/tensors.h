/* Sizes of tensors as cells of tables write them: "[[8, 512], [1]]" or "(8, 512)". */
#ifndef HABITAT_QUESTION_TENSORS_H
#define HABITAT_QUESTION_TENSORS_H

#include <stddef.h>

enum { TENSORS_DIMS_MAX = 8 };

typedef struct tensor {
    size_t rank;
    double size[TENSORS_DIMS_MAX];
} tensor;

/* The first `most` tensors into out. @return how many there are; SIZE_MAX: it is no such list, or
 * one of more dimensions. */
size_t tensors_read(const char *text, tensor *out, size_t most);

double tensors_elements(const tensor *t);

#endif
