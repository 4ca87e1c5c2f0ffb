/* A small seeded generator, the same on every machine: SplitMix64 (Steele, Lea, Flood 2014). */
#ifndef HABITAT_LAB_RANDOM_H
#define HABITAT_LAB_RANDOM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct random_state {
    uint64_t value;
} random_state;

static inline random_state random_seeded(uint64_t seed) {
    return (random_state){seed};
}

static inline uint64_t random_bits(random_state *r) {
    uint64_t z = r->value += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* In [0, 1), 53 bits. */
static inline double random_uniform(random_state *r) {
    return (double)(random_bits(r) >> 11) * 0x1p-53;
}

static inline double random_normal(random_state *r) {
    double u = random_uniform(r), v = random_uniform(r);
    return sqrt(-2 * log(u + 0x1p-54)) * cos(6.283185307179586 * v);
}

static inline size_t random_below(random_state *r, size_t n) {
    return (size_t)(random_uniform(r) * (double)n);
}

#endif
