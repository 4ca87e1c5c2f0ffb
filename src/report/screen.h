/* How many lines a text takes on a terminal, told before it is written: so that an answer can be
 * made to end on a screen of 24 lines, of which the prompt needs one. */
#ifndef HABITAT_REPORT_SCREEN_H
#define HABITAT_REPORT_SCREEN_H

#include "report/writer.h"

enum { SCREEN_LINES = 23 };

typedef struct screen {
    size_t lines, column; /* a line wider than the screen is two or more, as a terminal shows it */
    size_t widest;        /* line of the text, in columns */
    size_t of_line;       /* columns of the line that is being counted */
    unsigned width;
} screen;

/* A writer that counts: what it is handed goes into `counted`, which must outlive it. It is as wide
 * as `w`; there is nothing to finish. */
writer screen_writer(const writer *w, screen *counted);

#endif
