/* The models that the library carries, read once a process. docs/decisions/0070 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/error.h"
#include "model/learned.h"

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

static pthread_once_t once = PTHREAD_ONCE_INIT;
static habitat_models *builtin; /* written once, before any reader sees it */

static void load(void) {
    if (habitat_models_load_default(&builtin, NULL) != HABITAT_OK)
        builtin = NULL;
}

const habitat_models *learned_builtin(void) {
    pthread_once(&once, load);
    return builtin;
}
