/* The tile of a product's kernel, told by its name. */
#ifndef HABITAT_WORK_TILE_H
#define HABITAT_WORK_TILE_H

#include <stdbool.h>

/* What one block computes of a product: rows x columns of its result. */
typedef struct kernel_tile {
    double rows, columns;
    bool persistent; /* at most a block for each multiprocessor is launched, and computes tiles
                        until none is left: the grid tells their number only where it is smaller */
} kernel_tile;

/* False where the name tells no tile; `out` is untouched then. */
bool kernel_tile_of(const char *name, kernel_tile *out);

/* Elements to which a CUTLASS kernel says that its operands are aligned ("_align4"); 0: it does not
 * say. */
unsigned kernel_alignment(const char *name);

#endif
