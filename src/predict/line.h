/* Convolutions along a line, which libraries know of images alone. */
#ifndef HABITAT_PREDICT_LINE_H
#define HABITAT_PREDICT_LINE_H

#include <stdbool.h>

#include <habitat/work.h>

/* Whether `work` is a convolution in one dimension: `out` is then the same of images a pixel high,
 * with the same flop and bytes; else it is left alone. */
bool images_of_line(const habitat_work *work, habitat_work *out);

#endif
