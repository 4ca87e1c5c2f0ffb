/* Chakra messages in pieces; see message.h. Texts of a protobuf must be UTF-8: what is none becomes
 * U+FFFD. */
#include "export/message.h"

#include <stdlib.h>
#include <string.h>

#include "export/text.h"

enum { PIECE_BYTES = 1 << 16, LENGTH_BYTES = 10 };

/* ---- attributes ---- */

static HabitatChakra__Attribute *add(message_attributes *a, const char *name) {
    HabitatChakra__Attribute *made = &a->all[a->count++];
    *made = (HabitatChakra__Attribute)HABITAT_CHAKRA__ATTRIBUTE__INIT;
    made->name = (char *)name;
    return made;
}

void message_add_real(message_attributes *a, const char *name, double value) {
    HabitatChakra__Attribute *made = add(a, name);
    made->value_case = HABITAT_CHAKRA__ATTRIBUTE__VALUE_REAL;
    made->real = value;
}

void message_add_whole(message_attributes *a, const char *name, uint64_t value) {
    HabitatChakra__Attribute *made = add(a, name);
    made->value_case = HABITAT_CHAKRA__ATTRIBUTE__VALUE_WHOLE;
    made->whole = (int64_t)value;
}

void message_add_flag(message_attributes *a, const char *name, bool value) {
    HabitatChakra__Attribute *made = add(a, name);
    made->value_case = HABITAT_CHAKRA__ATTRIBUTE__VALUE_FLAG;
    made->flag = value;
}

void message_add_text(message_attributes *a, const char *name, const char *value) {
    if (!value)
        return;
    HabitatChakra__Attribute *made = add(a, name);
    made->value_case = HABITAT_CHAKRA__ATTRIBUTE__VALUE_TEXT;
    made->text = (char *)value;
}

/* ---- texts ---- */

static bool is_clean(const char *text) {
    while (*text) {
        size_t length = export_character(text);
        if (!length)
            return false;
        text += length;
    }
    return true;
}

/* A copy; NULL when out of memory. */
static char *cleaned(const char *text) {
    char *made = malloc(3 * strlen(text) + 1), *to = made;
    while (made && *text) {
        size_t length = export_character(text);
        memcpy(to, length ? text : "\xef\xbf\xbd", length ? length : 3);
        to += length ? length : 3;
        text += length ? length : 1;
    }
    if (made)
        *to = '\0';
    return made;
}

/* Copies that live until a message is written. */
typedef struct copies {
    char *all[MESSAGE_ATTRIBUTES_MAX + 1];
    size_t count;
} copies;

static char *clean(message_file *f, copies *c, char *text) {
    if (is_clean(text))
        return text;
    char *made = cleaned(text);
    f->no_memory |= !made;
    c->all[c->count++] = made;
    return made;
}

/* The list is made last: attributes may have been copied with the node around them. */
static void clean_attributes(message_file *f, copies *c, message_attributes *a) {
    for (size_t i = 0; i < a->count; i++) {
        a->list[i] = &a->all[i];
        if (a->all[i].value_case == HABITAT_CHAKRA__ATTRIBUTE__VALUE_TEXT)
            a->all[i].text = clean(f, c, a->all[i].text);
    }
}

static void free_copies(copies *c) {
    for (size_t i = 0; i < c->count; i++)
        free(c->all[i]);
}

/* ---- messages ---- */

void message_flush(message_file *f) {
    if (f->used && !f->refused && f->write(f->context, (const char *)f->data, f->used) != 0)
        f->refused = true;
    f->used = 0;
}

static bool make_room(message_file *f, size_t size) {
    if (f->used + size > PIECE_BYTES)
        message_flush(f);
    if (f->used + size <= f->capacity)
        return true;
    size_t larger = f->used + size > PIECE_BYTES ? f->used + size : PIECE_BYTES;
    uint8_t *grown = realloc(f->data, larger);
    f->no_memory |= !grown;
    if (!grown)
        return false;
    f->data = grown;
    f->capacity = larger;
    return true;
}

/* Its length, seven bits a byte, the lowest first; then the message. */
static void put(message_file *f, const ProtobufCMessage *message) {
    if (f->no_memory)
        return;
    size_t size = protobuf_c_message_get_packed_size(message), left = size;
    if (!make_room(f, size + LENGTH_BYTES))
        return;
    for (; left >= 0x80; left >>= 7)
        f->data[f->used++] = (uint8_t)(left | 0x80);
    f->data[f->used++] = (uint8_t)left;
    f->used += protobuf_c_message_pack(message, f->data + f->used);
}

void message_put_head(message_file *f, message_attributes *a) {
    HabitatChakra__Head head = HABITAT_CHAKRA__HEAD__INIT;
    copies c = {.count = 0};
    clean_attributes(f, &c, a);
    head.version = (char *)"1.0.0";
    head.n_attributes = a->count;
    head.attributes = a->list;
    put(f, &head.base);
    free_copies(&c);
}

void message_put_node(message_file *f, message_node *n) {
    HabitatChakra__Node node = HABITAT_CHAKRA__NODE__INIT;
    HabitatChakra__Values values = HABITAT_CHAKRA__VALUES__INIT;
    copies c = {.count = 0};
    clean_attributes(f, &c, &n->attributes);
    node.id = n->id;
    node.name = clean(f, &c, (char *)n->name);
    node.type = (int32_t)n->type;
    node.n_after = n->after_count;
    node.after = (uint64_t *)n->after;
    node.start_us = n->start_us;
    node.duration_us = n->duration_us;
    values.values = (char *)n->values;
    node.inputs = n->values ? &values : NULL;
    node.n_attributes = n->attributes.count;
    node.attributes = n->attributes.list;
    put(f, &node.base);
    free_copies(&c);
}

void message_file_free(message_file *f) {
    free(f->data);
}
