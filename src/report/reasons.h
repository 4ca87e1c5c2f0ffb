/* Why a destination is slower or faster than the origin, in words: the few things that make most of
 * the difference. Kernels of one class that one thing bounds are one reason. */
#ifndef HABITAT_REPORT_REASONS_H
#define HABITAT_REPORT_REASONS_H

#include <habitat/ask.h>

#include "report/writer.h"

enum { REASONS_MOST = 3, REASON_WORDS = 320, REASON_LINE = REASON_WORDS + 128 };

typedef struct reason {
    const char *what;         /* class, "memcpy", or "cpu": the recorded host */
    habitat_bound bound;      /* on the destination */
    double origin_ms, ms;     /* of one iteration; NaN: nothing was measured there */
    double effect_ms;         /* added (or, below 0, saved); ms where nothing was measured */
    double class_effect_ms;   /* of the whole class, its kernels with other bounds included */
    char words[REASON_WORDS]; /* after the name and the times: what bounds them, and the rates */
} reason;

typedef struct reasons {
    reason list[REASONS_MOST]; /* largest effect first, all in the direction of the whole */
    size_t count;
    double effect_ms; /* of all kernels and copies; their ms where nothing was measured */
} reasons;

/* Nothing where both GPUs take the same time. */
void reasons_find(const habitat_answer *what, const habitat_prediction *p, reasons *out);

void text_reasons(writer *w, const habitat_answer *what, const habitat_prediction *p);
void html_reasons(writer *w, const habitat_answer *what, const habitat_prediction *p);
void json_reasons(writer *w, const habitat_answer *what, const habitat_prediction *p);

#endif
