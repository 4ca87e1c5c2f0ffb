/* Inputs of operations, each distinct list stored once: a training step repeats the same shapes
 * over and over. */
#ifndef HABITAT_TRACE_INPUTS_H
#define HABITAT_TRACE_INPUTS_H

#include <stdbool.h>

#include <habitat/trace.h>

#include "base/arena.h"
#include "base/table.h"

/* What Kineto calls the four lists of an operation. */
typedef enum input_field {
    INPUT_DIMS = 1,
    INPUT_TYPES,
    INPUT_STRIDES,
    INPUT_VALUES,
} input_field;

enum { INPUT_LIST_BYTES_MAX = 1 << 22 };

typedef struct input_lists {
    /* the list being read, as a sequence of tagged items */
    unsigned char *bytes;
    size_t size, capacity;
    bool overflow, no_memory, raw; /* more than INPUT_LIST_BYTES_MAX; than there is */
    /* what is wrong with the first field of which something is, for a message; NULL: nothing */
    const char *problem;
    bool out_of_range; /* it is a number, but a negative or absurd one */
    input_field problem_field;
    /* all lists so far */
    habitat_table table;
    struct input_list *lists;
    size_t list_capacity, list_count;
} input_lists;

/* Items of the list being read. */
void inputs_clear(input_lists *lists);
void inputs_field(input_lists *lists, input_field field);
void inputs_open(input_lists *lists);
void inputs_close(input_lists *lists);
void inputs_number(input_lists *lists, const char *text, size_t length);
void inputs_string(input_lists *lists, const unsigned char *text, size_t length);
void inputs_null(input_lists *lists);  /* null: unknown */
void inputs_other(input_lists *lists); /* true, an object: wrong but as a value */

/* The field is no list. */
void inputs_wrong(input_lists *lists, input_field field);

/* A whole list at once, as JSON text from '[' to ']' that holds no object and no escape. */
void inputs_raw(input_lists *lists, input_field field, const unsigned char *text, size_t length);

/* Give an operation's form the list that was read. False when out of memory, or where it has a
 * problem. *has_shapes is set when any input of it has dimensions. */
bool inputs_store(input_lists *lists, habitat_arena *arena, habitat_strings *strings,
                  habitat_op_form *form, bool *has_shapes);

void inputs_free(input_lists *lists);

#endif
