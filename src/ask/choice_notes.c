/* What to know before the GPU of a choice is taken. */
#include <stdio.h>
#include <string.h>

#include "ask/answer.h"
#include "ask/choice_words.h"
#include "base/error.h"
#include "gpu/gpu.h"
#include "workload/workload.h"

static habitat_status add(made_choice *out, const char **lines, const char *line,
                          habitat_error *err) {
    if (!line)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    if (*line)
        lines[out->open.note_count++] = line;
    return HABITAT_OK;
}

static const char *of_one_rank(made_choice *out) {
    const habitat_choice *c = &out->open;
    for (size_t i = 0; i < c->answer_count; i++) {
        char of[RANKS_BYTES];
        if (c->gpus_differ || !cost_is_of_one_rank(c->answers[i], of))
            continue;
        return choice_line(
            out, "the recording is of one of %s GPUs that trained together: %s are of one%s", of,
            c->answers[i]->samples > 0.0 ? "hours, dollars and energy" : "dollars and energy",
            c->answers[i]->samples > 0.0 ? " that takes all samples itself" : "");
    }
    return "";
}

static const char *of_spot(made_choice *out) {
    const habitat_answer *a = out->open.answers[0];
    size_t known = 0, gpus = 0;
    if (!a->spot)
        return "";
    for (size_t i = 0; i < a->row_count; i++) {
        bool first = true;
        for (size_t k = 0; first && k < i; k++)
            first = a->rows[k].key.gpu != a->rows[i].key.gpu;
        gpus += first;
        known += first && a->rows[i].cost.price && a->rows[i].cost.price->spot;
    }
    return choice_line(out, "a spot price is known of %zu of %zu GPUs", known, gpus);
}

/* Where recordings are of GPUs of several vendors: no GPU is of all of them. */
static const char *of_vendors(made_choice *out) {
    const habitat_choice *c = &out->open;
    const habitat_gpu *first = NULL;
    for (size_t i = 0; i < c->answer_count; i++) {
        const habitat_gpu *origin = habitat_workload_get_info(c->answers[i]->workload)->origin;
        if (first && origin && strcmp(first->vendor, origin->vendor) != 0)
            return choice_line(out,
                               "recordings are of %s and %s GPUs: no measurement checks those of "
                               "the one on GPUs of the other",
                               first->vendor, origin->vendor);
        first = first ? first : origin;
    }
    return "";
}

habitat_status choice_notes(made_choice *out, habitat_error *err) {
    const char **lines = habitat_arena_alloc(&out->arena, CHOICE_NOTES_MAX * sizeof *lines);
    if (!lines)
        return habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    out->open.notes = lines;
    habitat_status status = add(out, lines, of_one_rank(out), err);
    if (status == HABITAT_OK)
        status = add(out, lines, of_vendors(out), err);
    return status == HABITAT_OK ? add(out, lines, of_spot(out), err) : status;
}
