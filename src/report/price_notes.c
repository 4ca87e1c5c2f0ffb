/* Notes on prices; see price_notes.h. */
#include "report/price_notes.h"

#include <stdio.h>

#include <habitat/text.h>

#include "ask/answer.h"
#include "gpu/gpu.h"
#include "report/shared_pieces.h"

static void name(price_notes *notes, price_note_kind kind, const habitat_price *price, bool said) {
    if (said && !notes->gpus[kind])
        notes->gpus[kind] = price->gpu;
}

void price_notes_add(price_notes *notes, const habitat_cost *cost) {
    const habitat_price *price = cost->price;
    double months = old_price_months(cost);
    if (!price)
        return;
    if (months > notes->months) {
        notes->months = months;
        notes->gpus[PRICE_NOTE_OLD] = price->gpu;
    }
    name(notes, PRICE_NOTE_FUTURE, price,
         price->origin != HABITAT_PRICE_BUILTIN && cost_is_of_future(cost));
    name(notes, PRICE_NOTE_UNDATED, price, price->origin == HABITAT_PRICE_FILE && !price->date);
    name(notes, PRICE_NOTE_ALONE, price, price->gpu_alone);
    name(notes, PRICE_NOTE_TOGETHER, price, cost_is_of_machines(cost));
}

void price_notes_text(const price_notes *notes, char *text, size_t size) {
    char age[48];
    const char *const words[] = {
        [PRICE_NOTE_FUTURE] = "has a date that is yet to come",
        [PRICE_NOTE_OLD] = age,
        [PRICE_NOTE_UNDATED] = "has no date",
        [PRICE_NOTE_ALONE] = "is without the machine around it",
        [PRICE_NOTE_TOGETHER] = "is of several that are rented together",
    };
    const habitat_gpu *before = NULL;
    size_t used = 0;
    habitat_format(age, sizeof age, "is %.0f months old", notes->months);
    *text = '\0';
    for (int kind = 0; kind < PRICE_NOTE_COUNT && used < size; kind++) {
        const habitat_gpu *gpu = notes->gpus[kind];
        if (gpu && gpu == before)
            used += (size_t)snprintf(text + used, size - used, " and %s", words[kind]);
        else if (gpu)
            used += (size_t)snprintf(text + used, size - used, "%s of the %.48s %s",
                                     before ? "; that" : "the price", gpu->name, words[kind]);
        before = gpu ? gpu : before;
    }
}
