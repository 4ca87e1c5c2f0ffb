/* What there is to say of prices before they are used: how old they are, that they have no date,
 * that they are without the machine. One place for texts and pages. */
#ifndef HABITAT_REPORT_PRICE_NOTES_H
#define HABITAT_REPORT_PRICE_NOTES_H

#include <habitat/ask.h>

typedef enum price_note_kind {
    PRICE_NOTE_FUTURE = 0, /* of a user's: the library's own dates are held by its tests */
    PRICE_NOTE_OLD,
    PRICE_NOTE_UNDATED,  /* of a file: who gives a price on the command line knows it */
    PRICE_NOTE_ALONE,    /* of the GPU without a machine around it */
    PRICE_NOTE_TOGETHER, /* of more GPUs, rented together, than are reckoned with */
    PRICE_NOTE_COUNT,
} price_note_kind;

/* Notes on some prices; begin with all zeros. */
typedef struct price_notes {
    const habitat_gpu *gpus[PRICE_NOTE_COUNT]; /* whose price each is of; NULL: nothing to say */
    double months;                             /* of the oldest */
} price_notes;

/* One more price: the oldest is named, of the other kinds the first. */
void price_notes_add(price_notes *notes, const habitat_cost *cost);

/* "the price of the L4 is 24 months old; that of the T4 has no date"; "" without any. */
void price_notes_text(const price_notes *notes, char *text, size_t size);

#endif
