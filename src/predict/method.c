/* The table of methods, made from HABITAT_METHODS in habitat/method.h, and their names. */
#include "predict/method.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define DECLARE(number, plug) extern const method_plug method_##plug;
HABITAT_METHODS(DECLARE)

#define ENTRY(number, plug) [HABITAT_METHOD_##number] = &method_##plug,
static const method_plug *const methods[HABITAT_METHOD_COUNT] = {HABITAT_METHODS(ENTRY)};

const method_plug *method_of(habitat_method method) {
    return (unsigned)method < HABITAT_METHOD_COUNT ? methods[method] : NULL;
}

const char *habitat_method_name(habitat_method method) {
    const method_plug *plug = method_of(method);
    return plug ? plug->name : "unknown";
}

bool habitat_method_askable(habitat_method method) {
    const method_plug *plug = method_of(method);
    return plug && plug->askable;
}

void method_list(bool (*wanted)(const method_plug *plug), const char *last, char *text,
                 size_t size) {
    const char *names[HABITAT_METHOD_COUNT];
    size_t count = 0, used = 0;
    text[0] = '\0';
    for (size_t m = 0; m < HABITAT_METHOD_COUNT; m++)
        if (methods[m]->askable && (!wanted || wanted(methods[m])))
            names[count++] = methods[m]->name;
    for (size_t i = 0; i < count && used < size; i++) {
        const char *joint = i == 0 ? "" : i + 1 == count ? last : ", ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", joint, names[i]);
    }
}

habitat_status habitat_method_from_name(const char *name, habitat_method *out, habitat_error *err) {
    char list[METHOD_LIST_BYTES];
    if (!name || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no method given");
    for (int m = 0; m < HABITAT_METHOD_COUNT; m++) {
        if (!methods[m]->askable || strcmp(methods[m]->name, name) != 0)
            continue;
        *out = (habitat_method)m;
        return HABITAT_OK;
    }
    method_list(NULL, ", ", list, sizeof list);
    return habitat_fail(err, HABITAT_E_UNKNOWN_METHOD, "unknown method \"%.40s\"; choose one of %s",
                        name, list);
}

static bool asks_models(const method_plug *plug) {
    return plug->asks_models;
}

habitat_status habitat_method_models(habitat_method method, habitat_model_use *out,
                                     habitat_error *err) {
    char list[METHOD_LIST_BYTES];
    const method_plug *plug = method_of(method);
    if (!plug || !out)
        return habitat_fail(err, HABITAT_E_ARG, "no method given");
    if (plug->asks_models) {
        *out = plug->models;
        return HABITAT_OK;
    }
    method_list(asks_models, " or ", list, sizeof list);
    return habitat_fail(err, HABITAT_E_UNSUPPORTED, "method %s asks no operator models; choose %s",
                        plug->name, list);
}

habitat_method method_marked(habitat_model_use use) {
    for (size_t m = 0; m < HABITAT_METHOD_COUNT; m++)
        if (methods[m]->asks_models && methods[m]->models == use)
            return methods[m]->marked;
    return HABITAT_METHOD_LEARNED;
}

static bool goes_without_models(const method_plug *plug) {
    return !plug->needs_models;
}

habitat_status method_check_models(const method_plug *plug, const habitat_models *models,
                                   habitat_error *err) {
    char list[METHOD_LIST_BYTES];
    if (models || !plug->needs_models)
        return HABITAT_OK;
    method_list(goes_without_models, " or ", list, sizeof list);
    return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                        "method %s needs trained operator models, and this build has none; use %s",
                        plug->name, list);
}
