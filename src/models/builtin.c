/* The models that the library carries, read once a process. docs/decisions/0070 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/error.h"
#include "models/learned.h"

/* Moves the models of `more` behind those of `all`; `more` is freed. */
static bool append(habitat_models *all, habitat_models *more) {
    uint32_t count = all->count + more->count;
    operator_model *list = realloc(all->models, (count ? count : 1) * sizeof *list);
    if (!list)
        return false;
    all->models = list;
    memcpy(list + all->count, more->models, more->count * sizeof *list);
    for (uint32_t i = 0; i < more->count; i++) /* only the file of the trees measures passes */
        if (more->models[i].use != HABITAT_MODEL_PAPER)
            memcpy(all->pass_factors, more->pass_factors, sizeof all->pass_factors);
    all->count = count;
    more->count = 0;
    habitat_models_free(more);
    return true;
}

habitat_status habitat_models_load_default(habitat_models **out, habitat_error *err) {
    if (!out)
        return habitat_fail(err, HABITAT_E_ARG, "no place for the models given");
    habitat_models *all = learned_create(0);
    habitat_status status = all ? HABITAT_OK : habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
    for (size_t i = 0; status == HABITAT_OK && i < habitat_embedded_models_count; i++) {
        const habitat_embedded_file *file = &habitat_embedded_models[i];
        habitat_models *more = NULL;
        status = habitat_models_parse(file->data, file->size_bytes, file->name, &more, err);
        if (status == HABITAT_OK && !append(all, more)) {
            habitat_models_free(more);
            status = habitat_fail(err, HABITAT_E_MEMORY, "out of memory");
        }
    }
    if (status == HABITAT_OK && all->count == 0)
        status = habitat_fail(err, HABITAT_E_FORMAT, "this build carries no models");
    if (status == HABITAT_OK)
        *out = all;
    else
        habitat_models_free(all);
    return status;
}

static _Atomic(habitat_models *) builtin; /* once there it stays */

/* Threads that come first at the same time each read a copy; one is kept. A lock would be held
 * through a fork() for ever. */
habitat_status learned_builtin(const habitat_models **out, habitat_error *err) {
    habitat_models *found = atomic_load(&builtin), *made = NULL;
    if (!found && habitat_embedded_models_count > 0) {
        habitat_status status = habitat_models_load_default(&made, err);
        if (status != HABITAT_OK)
            return status;
        if (atomic_compare_exchange_strong(&builtin, &found, made))
            found = made;
        else
            habitat_models_free(made);
    }
    *out = found;
    return HABITAT_OK;
}
