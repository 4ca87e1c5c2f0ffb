/* yajl's allocator, and the calls that may run out of memory; see json.h. */
#include "base/json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Before each piece that yajl holds: all hang on one list. */
typedef union header {
    struct json_block {
        union header *before, *after;
    } block;
    max_align_t align;
} header;

/* What stands before and after a piece on the list, told where it is now. */
static void hang_in(json_memory *memory, header *h) {
    if (h->block.before)
        h->block.before->block.after = h;
    else
        memory->first = &h->block;
    if (h->block.after)
        h->block.after->block.before = h;
}

static void free_block(void *context, void *block) {
    json_memory *memory = context;
    if (!block)
        return;
    header *h = (header *)block - 1, *before = h->block.before, *after = h->block.after;
    if (before)
        before->block.after = after;
    else
        memory->first = after ? &after->block : NULL;
    if (after)
        after->block.before = before;
    free(h);
}

/* realloc(): without memory, what was there stays on the list. */
static void *resize_block(void *context, void *block, size_t size) {
    json_memory *memory = context;
    header *old = block ? (header *)block - 1 : NULL;
    header *h = size < SIZE_MAX - sizeof *h ? realloc(old, sizeof *h + size) : NULL;
    if (!h)
        longjmp(memory->no_memory, 1);
    if (!old)
        h->block = (struct json_block){NULL, (header *)memory->first};
    hang_in(memory, h);
    return h + 1;
}

static void *new_block(void *context, size_t size) {
    return resize_block(context, NULL, size);
}

static void start(json_memory *memory) {
    memory->first = NULL;
    memory->functions = (yajl_alloc_funcs){new_block, resize_block, free_block, memory};
}

void json_memory_free(json_memory *memory) {
    header *next;
    for (header *h = (header *)memory->first; h; h = next) {
        next = h->block.after;
        free(h);
    }
    memory->first = NULL;
}

/* ---- parsing ---- */

static json_result result_of(yajl_status status) {
    return status == yajl_status_ok                ? JSON_OK
           : status == yajl_status_client_canceled ? JSON_STOPPED
                                                   : JSON_BAD;
}

json_result json_start_parser(json_parser *p, const yajl_callbacks *callbacks, void *context) {
    p->handle = NULL;
    start(&p->memory);
    if (setjmp(p->memory.no_memory))
        return JSON_NO_MEMORY;
    p->handle = yajl_alloc(callbacks, &p->memory.functions, context);
    return JSON_OK;
}

json_result json_parse(json_parser *p, const unsigned char *text, size_t size) {
    if (setjmp(p->memory.no_memory))
        return JSON_NO_MEMORY;
    return result_of(yajl_parse(p->handle, text, size));
}

json_result json_complete(json_parser *p) {
    if (setjmp(p->memory.no_memory))
        return JSON_NO_MEMORY;
    return result_of(yajl_complete_parse(p->handle));
}

void json_explain(json_parser *p, char *out, size_t size) {
    if (setjmp(p->memory.no_memory))
        return;
    unsigned char *words = yajl_get_error(p->handle, 0, NULL, 0);
    snprintf(out, size, "%s", (const char *)words);
    yajl_free_error(p->handle, words);
}

void json_free_parser(json_parser *p) {
    json_memory_free(&p->memory);
    p->handle = NULL;
}

/* ---- writing ---- */

yajl_gen json_start_generator(json_memory *memory, yajl_print_t print, void *context) {
    start(memory);
    if (setjmp(memory->no_memory)) {
        json_memory_free(memory);
        return NULL;
    }
    yajl_gen made = yajl_gen_alloc(&memory->functions);
    yajl_gen_config(made, yajl_gen_print_callback, print, context);
    return made;
}
