/* Why a destination is slower or faster than the origin, in words: the few things that make most of
 * the difference. Kernels of one class that one thing bounds are one reason. */
#ifndef HABITAT_REPORT_REASONS_H
#define HABITAT_REPORT_REASONS_H

#include <habitat/ask.h>

#include "report/writer.h"

void text_reasons(writer *w, const habitat_answer *what, const habitat_prediction *p);
void html_reasons(writer *w, const habitat_answer *what, const habitat_prediction *p);
void json_reasons(writer *w, const habitat_answer *what, const habitat_prediction *p);

#endif
