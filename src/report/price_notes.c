/* Notes on prices; see price_notes.h. */
#include "report/price_notes.h"

#include <stdio.h>

#include <habitat/text.h>

#include "report/parts.h"

static void name(price_notes *notes, price_note_kind kind, const char *gpu) {
    if (!notes->gpus[kind])
        notes->gpus[kind] = gpu;
}

void price_notes_add(price_notes *notes, const char *gpu, const habitat_cost *cost) {
    double months = old_price_months(cost);
    if (months > notes->months) {
        notes->months = months;
        notes->gpus[PRICE_NOTE_OLD] = gpu;
    }
    if (cost->price && cost->price->origin == HABITAT_PRICE_FILE && !cost->price->date)
        name(notes, PRICE_NOTE_UNDATED, gpu);
    if (cost->price && cost->price->gpu_alone)
        name(notes, PRICE_NOTE_ALONE, gpu);
}

bool price_notes_line(const price_notes *notes, price_note_kind kind, char *line) {
    static const char *const words[] = {
        [PRICE_NOTE_UNDATED] = "has no date: how old it is is not known",
        [PRICE_NOTE_ALONE] = "is without the machine around it",
    };
    const char *gpu = notes->gpus[kind];
    if (!gpu)
        return false;
    if (kind == PRICE_NOTE_OLD)
        habitat_format(line, PRICE_NOTE_BYTES, "the price of the %s is %.0f months old", gpu,
                       notes->months);
    else
        snprintf(line, PRICE_NOTE_BYTES, "the price of the %s %s", gpu, words[kind]);
    return true;
}
