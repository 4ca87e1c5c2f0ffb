/* Messages of a Chakra trace on their way to a caller's callback. The first failure sticks. */
#ifndef HABITAT_EXPORT_MESSAGE_H
#define HABITAT_EXPORT_MESSAGE_H

#include <stdbool.h>

#include <habitat/export.h>

#include "export/chakra.pb-c.h"

/* Node types of the schema, those that are written. */
typedef enum message_type {
    MESSAGE_METADATA = 1,
    MESSAGE_COMPUTE = 4,
    MESSAGE_COLLECTIVE = 7,
} message_type;

typedef struct message_file {
    habitat_export_write write;
    void *context;
    bool refused, no_memory;
    uint8_t *data;
    size_t used, capacity;
} message_file;

enum { MESSAGE_ATTRIBUTES_MAX = 16 };

/* Attributes of one message; names and texts are borrowed until it is written. */
typedef struct message_attributes {
    HabitatChakra__Attribute all[MESSAGE_ATTRIBUTES_MAX];
    HabitatChakra__Attribute *list[MESSAGE_ATTRIBUTES_MAX]; /* set when it is written */
    size_t count;
} message_attributes;

void message_add_real(message_attributes *a, const char *name, double value);
void message_add_whole(message_attributes *a, const char *name, uint64_t value);
void message_add_flag(message_attributes *a, const char *name, bool value);
void message_add_text(message_attributes *a, const char *name, const char *value); /* NULL: none */

typedef struct message_node {
    uint64_t id;
    const char *name;
    message_type type;
    const uint64_t *after; /* shape (after_count): nodes that it waits for */
    size_t after_count;
    uint64_t start_us, duration_us;
    const char *values; /* of its inputs; NULL: none */
    message_attributes attributes;
} message_node;

void message_put_head(message_file *f, message_attributes *attributes);
void message_put_node(message_file *f, message_node *node);

/* What is not yet written. Free the file in every case. */
void message_flush(message_file *f);
void message_file_free(message_file *f);

#endif
