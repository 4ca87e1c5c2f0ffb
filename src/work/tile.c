/* Tiles in names of product kernels. Libraries write them as ROWSxCOLUMNS, the first such pair of a
 * name: cutlass_80_simt_sgemm_128x256_8x4_nt_align1, ..._tilesize128x64x8_stage3_warpsize2x2x1_...,
 * nvjet_sm90_tst_192x192_64x4_..., volta_sgemm_64x32_sliced1x4_nn, ..._64x64_..._knob_. Names that
 * the compiler mangled have GemmShapeILi128ELi64E. */
#include "work/tile.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/letter.h"

/* Sides that libraries ship: multiples of 8. Smaller pairs are warps, stages and clusters. */
enum { SIDE_LEAST = 16, SIDE_MOST = 512, SIDE_STEP = 8 };
enum { ALIGNED_MOST = 32 }; /* elements of 4 bit in 16 bytes */

static bool is_side(long side) {
    return side >= SIDE_LEAST && side <= SIDE_MOST && side % SIDE_STEP == 0;
}

/* ROWS<between>COLUMNS at `at`. */
static bool read_pair(const char *at, const char *between, kernel_tile *out) {
    char *end = NULL;
    long rows = strtol(at, &end, 10);
    size_t length = strlen(between);
    if (!is_side(rows) || strncmp(end, between, length) != 0 || !letter_is_digit(end[length]))
        return false;
    long columns = strtol(end + length, NULL, 10);
    if (!is_side(columns))
        return false;
    out->rows = (double)rows;
    out->columns = (double)columns;
    return true;
}

static bool by_pair(const char *name, kernel_tile *out) {
    for (const char *at = name; *at; at++)
        if (letter_is_digit(*at) && (at == name || !letter_is_digit(at[-1])) &&
            read_pair(at, "x", out))
            return true;
    return false;
}

static bool by_mangled_shape(const char *name, kernel_tile *out) {
    static const char shape[] = "GemmShapeILi";
    const char *at = strstr(name, shape);
    return at && read_pair(at + sizeof shape - 1, "ELi", out);
}

unsigned kernel_alignment(const char *name) {
    const char *at = name ? strstr(name, "_align") : NULL;
    unsigned long elements = at && letter_is_digit(at[6]) ? strtoul(at + 6, NULL, 10) : 0;
    return elements <= ALIGNED_MOST ? (unsigned)elements : 0;
}

/* cuBLAS' nvjet, and what xmma and CUTLASS build for groups of warps. */
static bool is_persistent(const char *name) {
    return strstr(name, "nvjet") || strstr(name, "warpgroupsize") || strstr(name, "persistent");
}

bool kernel_tile_of(const char *name, kernel_tile *out) {
    kernel_tile found = {.rows = 0};
    if (!name || (!by_mangled_shape(name, &found) && !by_pair(name, &found)))
        return false;
    found.persistent = is_persistent(name);
    *out = found;
    return true;
}
