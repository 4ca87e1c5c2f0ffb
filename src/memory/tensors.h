/* The tensors that an iteration has made so far, found again by their number of elements: traces do
 * not say which tensor an operation takes. */
#ifndef HABITAT_MEMORY_TENSORS_H
#define HABITAT_MEMORY_TENSORS_H

#include "base/table.h"
#include "memory/rules.h"

typedef struct memory_tensor {
    double elements;
    double element_bytes;
    double cast_bytes;          /* of an element of what it is a cast of; 0: of nothing */
    double kept_bytes;          /* for each element: what of it the backward pass has use for */
    uint32_t base;              /* of a view: the tensor it shows, else its own index */
    uint32_t before;            /* the last one before it with as many elements, or HABITAT_NONE */
    uint64_t made_ns, used_ns;  /* of the backward operations of what made it and of what takes it:
                                   used_ns is the first of them. UINT64_MAX: none */
    uint64_t again_ns;          /* when a checkpoint makes it once more; 0: never */
    uint64_t born_ns, until_ns; /* what makes it begins; the last moment in which it is known to be
                                   in use. Of a view: those of its base count */
    bool read;                  /* something takes it, or it stays anyway */
    bool weight;                /* a copy of a weight: does not grow with the batch */
    bool stream;    /* made by a sum, a norm or the like: what residual connections carry */
    bool projected; /* made by a product with weights */
    bool multiple;  /* made of one tensor and a number */
    bool square;    /* made to be summed up, as norms do: of no use after that */
} memory_tensor;

typedef struct memory_tensors { /* all zero: empty */
    memory_tensor *all;
    uint32_t count, capacity;
    habitat_table heads; /* by elements: the first of each number */
    uint32_t *last;      /* shape (count): of a first one, the last of that number */
} memory_tensors;

/* A new tensor; false when out of memory. Pointers got before are void. */
bool memory_tensors_add(memory_tensors *t, const memory_tensor *tensor);

/* Which tensor an operation rather takes than the newest of its size. */
typedef enum memory_preference {
    PREFER_NEWEST = 0,
    PREFER_STREAM,      /* a sum: what residual connections carry */
    PREFER_UNPROJECTED, /* a product with weights: not what another has just made. Queries, keys and
                           values are made of one tensor, not of each other */
    PREFER_UNREAD,      /* a product of two activations: what nothing has taken yet */
    PREFER_WHOLE,       /* a power: not a multiple by a number, which waits for a factor (GELU) */
} memory_preference;

/* The newest with so many elements that is none of `used`, of the preferred ones where there is
 * one; no square that was read rather than another. HABITAT_NONE: there is none. */
uint32_t memory_tensors_find(const memory_tensors *t, double elements, double element_bytes,
                             memory_preference preference, const uint32_t *used,
                             uint32_t used_count);

/* One of the latest with so many elements has so many bytes for each; 0: any number. */
bool memory_tensors_have(const memory_tensors *t, double elements, double element_bytes);

/* Its gradient is there from `backward_ns` on, if it has one and no other has made it before. */
void memory_tensor_use(memory_tensor *tensor, uint64_t backward_ns);

/* The gradients that wait for others, of all tensors; false when out of memory. */
bool memory_tensors_list_waits(const memory_tensors *t, memory_steps *out);

/* The lives of all tensors; false when out of memory. */
bool memory_tensors_list_lives(const memory_tensors *t, memory_steps *out);

/* The sizes of weights that the recording notes, in elements: fills `sizes`; false when out of
 * memory. */
bool memory_sizes_note(habitat_table *sizes, const habitat_trace_memory *noted);
bool memory_sizes_have(const habitat_table *sizes, const habitat_trace_memory *noted,
                       double elements);

void memory_tensors_free(memory_tensors *t);

#endif
