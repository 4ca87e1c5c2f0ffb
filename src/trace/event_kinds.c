/* Values of a kind that their key never has in an event: true, a text or a list where a number is
 * due, a number where a text is. They are noted in the event, and refused if it turns out to be one
 * that counts and the key one that matters to it: an operation's "grid" may be a text. */
#include "trace/reader.h"

static measured *number_of(event *e, key k) {
    switch (k) {
    case KEY_TS:
        return &e->time;
    case KEY_DUR:
        return &e->duration;
    case KEY_ID:
        return &e->id;
    case KEY_EXTERNAL:
        return &e->external;
    case KEY_SEQUENCE:
        return &e->sequence;
    case KEY_FORWARD_THREAD:
        return &e->forward_thread;
    case KEY_CORRELATION:
        return &e->correlation;
    case KEY_DEVICE:
        return &e->device;
    case KEY_STREAM:
        return &e->stream;
    case KEY_REGISTERS:
        return &e->registers;
    case KEY_SHARED:
        return &e->shared;
    case KEY_BYTES:
        return &e->bytes;
    case KEY_GRAPH:
        return &e->graph;
    case KEY_ELEMENTS_IN:
        return &e->elements_in;
    case KEY_ELEMENTS_OUT:
        return &e->elements_out;
    case KEY_GROUP_SIZE:
        return &e->group_size;
    default:
        return NULL;
    }
}

static input_field list_of(key k) {
    return k == KEY_DIMS      ? INPUT_DIMS
           : k == KEY_TYPES   ? INPUT_TYPES
           : k == KEY_STRIDES ? INPUT_STRIDES
           : k == KEY_VALUES  ? INPUT_VALUES
                              : 0;
}

void reader_wrong_value(reader *r) {
    event *e = &r->e;
    measured *number = number_of(e, r->key);
    input_field list = list_of(r->key);
    bool own = r->key >= KEY_PH && r->key <= KEY_ARGS;
    if (number)
        *number = (measured){0, NOT_A_NUMBER};
    else if (own)
        e->wrong |= WRONG(r->key);
    else if (list)
        inputs_wrong(r->b->inputs, list);
    else if (r->key == KEY_GRID || r->key == KEY_BLOCK)
        *(r->key == KEY_GRID ? &e->grid : &e->block) = (triple){.given = true, .count = 4};
    else if (r->key == KEY_DRAM || r->key == KEY_FLOP)
        *(r->key == KEY_DRAM ? &e->dram_state : &e->flop_state) = NOT_A_NUMBER;
    else
        return; /* a key that nobody minds */
    if (!r->bad_byte)
        r->bad_byte = reader_position(r);
}
