/* Notes below a table; see notes.h. */
#include "predict/widen.h"
#include "report/notes.h"

#include <stdio.h>
#include <string.h>

#include "gpu/gpu.h"
#include "report/table.h"

enum { NOTE_BYTES = 256 };

/* ---- notes of one kind ---- */

static bool row_says(const habitat_answer_row *row, habitat_warning_kind kind) {
    for (size_t i = 0; i < row->warning_count; i++)
        if (row->warning_kinds[i] == kind)
            return true;
    return false;
}

/* Whether a note on destinations is one on GPUs that are not shown alone. */
static bool is_of_others(const habitat_answer *what, const habitat_answer_row *const *rows,
                         size_t count, const habitat_warning *note) {
    bool others = false;
    if (note->about != HABITAT_ABOUT_DESTINATIONS)
        return false;
    for (size_t i = 0; i < count; i++)
        if (row_says(rows[i], note->kind))
            return false;
    for (size_t i = 0; i < what->row_count; i++)
        others = others || row_says(&what->rows[i], note->kind);
    return others;
}

/* Length of the first words: up to where the details begin. */
static size_t first_words(const char *text) {
    return strcspn(text, ":;");
}

/* Whether two notes begin with the same words but for whole numbers: "batch size 8 instead of 4".
 */
static bool is_like(const char *a, const char *b) {
    const char *end_a = a + first_words(a), *end_b = b + first_words(b);
    bool word = true; /* a word begins here */
    while (a < end_a && b < end_b) {
        size_t digits_a = word ? strspn(a, "0123456789") : 0;
        size_t digits_b = word ? strspn(b, "0123456789") : 0;
        if ((digits_a > 0) != (digits_b > 0) || (digits_a == 0 && *a != *b))
            return false;
        word = digits_a == 0 && *a == ' ';
        a += digits_a > 0 ? digits_a : 1;
        b += digits_b > 0 ? digits_b : 1;
    }
    return a == end_a && b == end_b;
}

/* ---- marks ---- */

typedef struct marks {
    bool width, vendor;
} marks;

static marks marks_of(const habitat_answer *what, const habitat_answer_row *const *rows,
                      size_t count) {
    const habitat_gpu *origin = habitat_workload_get_info(what->workload)->origin;
    marks found = {false, false};
    for (size_t i = 0; i < count; i++) {
        found.width |= habitat_interval_unchecked(rows[i]->prediction->interval_basis);
        found.vendor |= origin && strcmp(rows[i]->key.gpu->vendor, origin->vendor) != 0;
    }
    return found;
}

static bool a_mark_says(marks shown, habitat_warning_kind kind) {
    return (shown.width && kind == HABITAT_WARNING_WIDTH) ||
           (shown.vendor && kind == HABITAT_WARNING_VENDOR);
}

void notes_of_marks(writer *w, const habitat_answer *what, const habitat_answer_row *const *rows,
                    size_t count, const char *first) {
    marks shown = marks_of(what, rows, count);
    writer_text(w, shown.width || shown.vendor ? first : "");
    if (shown.width)
        writer_text(w, "~ the interval is a default width, not calibrated\n");
    if (shown.vendor)
        writer_text(w, "v another vendor's: no measurement checks it\n");
}

/* ---- the first words ---- */

static bool is_told_before(const habitat_answer *what, size_t note) {
    for (size_t i = 0; i < note; i++)
        if (what->warnings[i].about >= HABITAT_ABOUT_RECORDING &&
            is_like(what->warnings[i].text, what->warnings[note].text))
            return true;
    return false;
}

/* Where the last word ends that fits into `room`; `room` where not even the first does. */
static size_t word_end(const char *text, size_t room) {
    size_t end = room;
    while (end > 0 && text[end] != ' ')
        end--;
    return end ? end : room;
}

static void write_short(writer *w, const habitat_answer *what, size_t note) {
    char clean[NOTE_BYTES], more[48] = "";
    size_t alike = 0;
    for (size_t i = note + 1; i < what->warning_count; i++)
        alike += what->warnings[i].about >= HABITAT_ABOUT_RECORDING &&
                 is_like(what->warnings[i].text, what->warnings[note].text);
    if (alike)
        snprintf(more, sizeof more, ", and %zu more like it", alike);
    size_t taken = strlen("Note:  ..") + strlen(more);
    size_t room = w->width > taken + 16 ? w->width - taken : 16;
    clean_text(clean, sizeof clean, what->warnings[note].text);
    size_t end = first_words(clean);
    bool cut = clean[end] != '\0' || end > room;
    clean[end > room ? word_end(clean, room) : end] = '\0';
    writer_printf(w, "Note: %s%s%s\n", clean, more, cut ? " .." : "");
}

void notes_short(writer *w, const habitat_answer *what, const habitat_answer_row *const *rows,
                 size_t count, bool marked) {
    marks shown = marks_of(what, rows, marked ? count : 0);
    for (size_t i = 0; i < what->warning_count; i++) {
        const habitat_warning *note = &what->warnings[i];
        if (note->about == HABITAT_ABOUT_REQUEST && note->kind != HABITAT_WARNING_LEFT_OUT) {
            char clean[2 * NOTE_BYTES];
            clean_text(clean, sizeof clean, note->text);
            wrapped_text(w, "Note: ", 6, clean);
        } else if (note->about >= HABITAT_ABOUT_RECORDING && !a_mark_says(shown, note->kind) &&
                   !is_told_before(what, i) && !is_of_others(what, rows, count, note)) {
            write_short(w, what, i);
        }
    }
}
