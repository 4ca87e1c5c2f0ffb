/* Layers of a stack, told by the sizes of a model's parameters. */
#ifndef HABITAT_REPLAY_STACK_H
#define HABITAT_REPLAY_STACK_H

#include <stddef.h>
#include <stdint.h>

/* Which layer each parameter belongs to, from 1 on; 0: to none. Layers are what repeats: parameters
 * of the same sizes, in the same order, one set right behind the other. sizes, layer: shape
 * (count). Returns the number of layers. */
uint32_t replay_mark_layers(size_t count, const uint64_t *sizes, uint32_t *layer);

#endif
