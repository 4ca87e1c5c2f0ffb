/* A JSON text as yajl's tree: yajl_tree_parse() takes memory that may not be there, and reads
 * numbers by the locale. */
#include <string.h>

#include "base/json.h"

/* A map or list whose end is not yet read. */
typedef struct open_value {
    struct open_value *outer;
    yajl_val value;
    char *key; /* read, and its value not yet */
    size_t room;
} open_value;

typedef struct tree {
    habitat_arena *arena;
    yajl_val root;
    open_value *innermost;
    bool no_memory;
} tree;

static int no_memory(tree *t) {
    t->no_memory = true;
    return 0;
}

static yajl_val new_value(tree *t, yajl_type type) {
    yajl_val v = habitat_arena_alloc(t->arena, sizeof *v);
    if (v) {
        memset(v, 0, sizeof *v);
        v->type = type;
    }
    return v;
}

/* Room for twice as many pointers, the first `count` as they are. */
static bool widen(tree *t, size_t count, size_t room, void *pointers) {
    void **old, **grown = habitat_arena_alloc(t->arena, room * sizeof *grown);
    memcpy(&old, pointers, sizeof old);
    if (grown && count)
        memcpy(grown, old, count * sizeof *grown);
    if (grown)
        memcpy(pointers, &grown, sizeof grown);
    return grown != NULL;
}

static bool add_to_map(tree *t, open_value *in, yajl_val v) {
    size_t count = in->value->u.object.len;
    if (count == in->room) {
        in->room = in->room ? 2 * in->room : 8;
        if (!widen(t, count, in->room, &in->value->u.object.keys) ||
            !widen(t, count, in->room, &in->value->u.object.values))
            return false;
    }
    in->value->u.object.keys[count] = in->key;
    in->value->u.object.values[count] = v;
    in->value->u.object.len++;
    return true;
}

static bool add_to_list(tree *t, open_value *in, yajl_val v) {
    size_t count = in->value->u.array.len;
    if (count == in->room) {
        in->room = in->room ? 2 * in->room : 8;
        if (!widen(t, count, in->room, &in->value->u.array.values))
            return false;
    }
    in->value->u.array.values[count] = v;
    in->value->u.array.len++;
    return true;
}

/* Into what is open; the first value is the root. */
static int add(tree *t, yajl_val v) {
    open_value *in = t->innermost;
    if (!v)
        return no_memory(t);
    if (!in) {
        t->root = v;
        return 1;
    }
    bool done = in->value->type == yajl_t_object ? add_to_map(t, in, v) : add_to_list(t, in, v);
    return done ? 1 : no_memory(t);
}

static int open_one(tree *t, yajl_type type) {
    yajl_val v = new_value(t, type);
    open_value *opened = habitat_arena_alloc(t->arena, sizeof *opened);
    if (!opened || !add(t, v))
        return no_memory(t);
    *opened = (open_value){.outer = t->innermost, .value = v};
    t->innermost = opened;
    return 1;
}

static int close_one(void *context) {
    tree *t = context;
    t->innermost = t->innermost->outer;
    return 1;
}

/* ---- callbacks ---- */

static int on_null(void *context) {
    return add(context, new_value(context, yajl_t_null));
}

static int on_boolean(void *context, int value) {
    return add(context, new_value(context, value ? yajl_t_true : yajl_t_false));
}

static int on_number(void *context, const char *text, size_t length) {
    tree *t = context;
    yajl_val v = new_value(t, yajl_t_number);
    if (v && !(v->u.number.r = habitat_arena_string(t->arena, text, length)))
        v = NULL;
    return add(t, v);
}

static int on_string(void *context, const unsigned char *text, size_t length) {
    tree *t = context;
    yajl_val v = new_value(t, yajl_t_string);
    if (v && !(v->u.string = habitat_arena_string(t->arena, (const char *)text, length)))
        v = NULL;
    return add(t, v);
}

static int on_key(void *context, const unsigned char *text, size_t length) {
    tree *t = context;
    t->innermost->key = habitat_arena_string(t->arena, (const char *)text, length);
    return t->innermost->key ? 1 : no_memory(t);
}

static int on_open_map(void *context) {
    return open_one(context, yajl_t_object);
}

static int on_open_array(void *context) {
    return open_one(context, yajl_t_array);
}

static const yajl_callbacks callbacks = {
    .yajl_null = on_null,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_map_key = on_key,
    .yajl_start_map = on_open_map,
    .yajl_end_map = close_one,
    .yajl_start_array = on_open_array,
    .yajl_end_array = close_one,
};

json_result json_read_tree(habitat_arena *arena, const char *text, size_t size, yajl_val *out,
                           size_t *stopped) {
    tree t = {.arena = arena};
    json_parser p;
    json_result result = json_start_parser(&p, &callbacks, &t);
    if (result == JSON_OK) {
        result = json_parse(&p, (const unsigned char *)text, size);
        *stopped = result == JSON_BAD ? yajl_get_bytes_consumed(p.handle) : size;
    }
    if (result == JSON_OK)
        result = json_complete(&p);
    json_free_parser(&p);
    if (t.no_memory)
        return JSON_NO_MEMORY;
    if (result == JSON_OK && !t.root)
        return JSON_BAD;
    if (result == JSON_OK)
        *out = t.root;
    return result;
}

uint64_t json_line_of(const char *text, size_t byte) {
    uint64_t line = 1;
    for (size_t i = 0; i < byte && text[i]; i++)
        line += text[i] == '\n';
    return line;
}
