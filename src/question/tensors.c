/* Sizes of tensors in cells; see tensors.h. */
#include "question/tensors.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <habitat/text.h>

#include "base/letter.h"

size_t tensors_read(const char *text, tensor *out, size_t most) {
    tensor now = {0};
    size_t count = 0, depth = 0;
    for (const char *p = text; *p;) {
        double size = 0;
        size_t used = letter_is_digit(*p) ? habitat_read_number(p, &size) : 0;
        bool whole = size >= 1 && size <= 0x1p53 && floor(size) == size;
        if (used && depth && whole && now.rank < TENSORS_DIMS_MAX) {
            now.size[now.rank++] = size;
            p += used;
            continue;
        }
        bool opens = *p == '[' || *p == '(', closes = *p == ']' || *p == ')';
        if (used || !strchr("[]() ,", *p) || (closes && !depth))
            return SIZE_MAX;
        if (closes && now.rank && count++ < most)
            out[count - 1] = now;
        if (opens || closes)
            now.rank = 0;
        depth += opens;
        depth -= closes;
        p++;
    }
    return depth ? SIZE_MAX : count;
}

double tensors_elements(const tensor *t) {
    double n = 1;
    for (size_t i = 0; i < t->rank; i++)
        n *= t->size[i];
    return n;
}
