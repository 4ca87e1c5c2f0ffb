/* Random input of property tests: the same in every run. */
#ifndef HABITAT_TESTS_RANDOM_H
#define HABITAT_TESTS_RANDOM_H

#include <stdint.h>

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static inline uint64_t next(void) { /* xorshift64* */
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545F4914F6CDD1Du;
}

static inline uint32_t below(uint32_t n) {
    return (uint32_t)((next() >> 33) % n);
}

#endif
