/* What there is to say of prices before they are used: how old they are, that they have no date,
 * that they are without the machine. One place for texts and pages. */
#ifndef HABITAT_REPORT_PRICE_NOTES_H
#define HABITAT_REPORT_PRICE_NOTES_H

#include <habitat/ask.h>

enum { PRICE_NOTE_BYTES = 256 };

typedef enum price_note_kind {
    PRICE_NOTE_OLD = 0,
    PRICE_NOTE_UNDATED, /* of a file: who gives a price on the command line knows it */
    PRICE_NOTE_ALONE,   /* of the GPU without a machine around it */
    PRICE_NOTE_COUNT,
} price_note_kind;

/* Notes on some prices; begin with all zeros. */
typedef struct price_notes {
    const char *gpus[PRICE_NOTE_COUNT]; /* whose price each note is of; NULL: there is none */
    double months;                      /* of the oldest */
} price_notes;

/* One more price: the oldest is named, of the other kinds the first. gpu: borrowed. */
void price_notes_add(price_notes *notes, const char *gpu, const habitat_cost *cost);

/* One sentence without its full stop, at most PRICE_NOTE_BYTES; false, `line` left alone, where
 * there is nothing to say. */
bool price_notes_line(const price_notes *notes, price_note_kind kind, char *line);

#endif
