/* Intervals of another precision, judged. */
#ifndef HABITAT_LAB_SCALE_WIDTHS_H
#define HABITAT_LAB_SCALE_WIDTHS_H

#include "lab/scale.h"
#include "lab/report.h"

/* Whole steps in another precision, and how wide intervals must be. */
void scale_print_widths(const scale_set *set, report_text *text);

#endif
