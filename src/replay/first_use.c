/* What happens once: a call, or a pause inside an operation, in which a GPU or a library is set up.
 * What is slow in two iterations is no first use: its time is the step's. A recording of one
 * iteration cannot tell; there only what is known to be a first use is one. */
#include <string.h>

#include "base/constants_replay.h"
#include "base/list.h"
#include "replay/builder.h"
#include "trace/names.h"

enum {
    ALIKE = 4,              /* another one that took a quarter of the time is slow too */
    FAR_BEYOND = 10,        /* times the longest other operation of its name */
    SEVERAL_LEAST_MS = 100, /* of several that take so long, all may be a set-up */
    COPY_LEAST_MS = 1000,   /* the first copy to a GPU, when that takes seconds */
};

bool replay_note_slow(replay_builder *b, replay_slow made) {
    if (ALIKE * made.ns < (uint64_t)chosen_replay_pause_ns)
        return true;
    replay_slow *grown =
        list_grow(b->slow, b->slow_count, &b->slow_capacity, 16, SIZE_MAX, sizeof *grown);
    if (!grown)
        return false;
    b->slow = grown;
    b->slow[b->slow_count++] = made;
    return true;
}

static bool is_alike(const replay_slow *s, const replay_slow *other) {
    return other->start_ns != s->start_ns && ALIKE * other->ns >= s->ns &&
           strcmp(other->name, s->name) == 0;
}

bool replay_recurs(const replay_builder *b, const replay_slow *s) {
    for (size_t i = 0; i < b->slow_count; i++)
        if (b->slow[i].iteration != HABITAT_NONE && b->slow[i].iteration != s->iteration &&
            is_alike(s, &b->slow[i]))
            return true;
    return false;
}

static bool is_alone(const replay_builder *b, const replay_slow *s) {
    for (size_t i = 0; i < b->slow_count; i++)
        if (is_alike(s, &b->slow[i]))
            return false;
    return true;
}

static bool is_one_of(const char *name, const char *one, const char *two) {
    return strcmp(name, one) == 0 || strcmp(name, two) == 0;
}

static bool loads_code(const char *name) {
    return name_begins(name, "cudaModuleLoad") || name_begins(name, "cuModuleLoad") ||
           name_begins(name, "cudaLibraryLoad") || name_begins(name, "cuLibraryLoad");
}

/* A GPU is set up in the first of them, and PyTorch keeps what it allocated. */
static bool sets_up(const char *name) {
    return is_one_of(name, "cudaFree", "cudaHostAlloc") || strcmp(name, "cudaMalloc") == 0 ||
           name_begins(name, "cudaStreamCreate");
}

static bool is_long(const replay_slow *s) {
    return (double)s->ns >= SEVERAL_LEAST_MS * HABITAT_NS_PER_MS;
}

/* At least half of the calls of its name are many times quicker. */
static bool is_unusual(const replay_builder *b, const replay_slow *s) {
    size_t all = 0, quick = 0;
    for (size_t i = 0; i < b->call_count; i++) {
        const habitat_call *c = &b->calls[i];
        if (strcmp(c->form->name, s->name) != 0)
            continue;
        all++;
        quick += c->duration_ns * FAR_BEYOND <= s->ns;
    }
    return 2 * quick >= all;
}

bool replay_call_is_once(const replay_builder *b, const replay_slow *s) {
    if (b->w->info.iteration_count > 1)
        return !replay_recurs(b, s);
    if (loads_code(s->name))
        return true;
    return sets_up(s->name) && (is_alone(b, s) || (is_long(s) && is_unusual(b, s)));
}

/* It takes many times as long as all others of its name that launch; a long one, as half of them.
 */
static bool is_far_beyond(const replay_builder *b, uint32_t operation, const replay_slow *s) {
    const habitat_operation *o = &b->ops[operation];
    uint64_t end_ns = o->start_ns + o->duration_ns;
    size_t all = 0, quick = 0;
    for (size_t i = 0; i < b->op_count; i++) {
        const habitat_operation *other = &b->ops[i];
        bool apart =
            other->start_ns >= end_ns || other->start_ns + other->duration_ns <= o->start_ns;
        if (!apart || !other->kernel_count || strcmp(other->form->name, s->name) != 0)
            continue;
        all++;
        quick += other->duration_ns * FAR_BEYOND <= s->ns;
    }
    return all && (quick == all || (is_long(s) && 2 * quick >= all));
}

bool replay_operation_is_once(const replay_builder *b, uint32_t operation, const replay_slow *s) {
    if (b->w->info.iteration_count > 1)
        return !replay_recurs(b, s);
    if (is_one_of(s->name, "aten::to", "aten::_to_copy") && is_alone(b, s) &&
        (double)s->ns >= COPY_LEAST_MS * HABITAT_NS_PER_MS)
        return true;
    return is_far_beyond(b, operation, s);
}
