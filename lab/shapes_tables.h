/* Tables of `habitat eval shapes`. */
#ifndef HABITAT_LAB_SHAPES_TABLES_H
#define HABITAT_LAB_SHAPES_TABLES_H

#include "lab/report.h"
#include "lab/shapes.h"

void shapes_print_page(const shapes_set *set, report_text *text);
void shapes_print_cases(const shapes_set *set, report_text *text);

#endif
