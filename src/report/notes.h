/* Notes below a table: whole, or their first words where the answer is to end on one screen. */
#ifndef HABITAT_REPORT_NOTES_H
#define HABITAT_REPORT_NOTES_H

#include <habitat/ask.h>

#include "report/writer.h"

/* The first words of each note, but for those that GPUs outside of the table alone give reason for,
 * that one of the marks says, or that are like another one. What was asked and has another answer
 * is told whole; GPUs that nobody named and that are left out are not. rows: shape (count); marked:
 * the marks of notes_of_marks() stand beside them. */
void notes_short(writer *w, const habitat_answer *what, const habitat_answer_row *const *rows,
                 size_t count, bool marked);

/* What the marks "~" and "v" beside rows mean, a line each where a row has them. `first`: written
 * before the first one. */
void notes_of_marks(writer *w, const habitat_answer *what, const habitat_answer_row *const *rows,
                    size_t count, const char *first);

#endif
