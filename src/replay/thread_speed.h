/* How much of a thread's recorded time it would have taken, had nothing held its core up. */
#ifndef HABITAT_REPLAY_THREAD_SPEED_H
#define HABITAT_REPLAY_THREAD_SPEED_H

#include <stdbool.h>
#include <stddef.h>

#include <habitat/trace.h>

/* What one thread did that holds nothing else, in the order of time. */
typedef struct replay_leaf {
    const char *name; /* interned: one address each */
    double ns;
} replay_leaf;

/* 0 < out <= 1, 1 where it was always as quick or where too few leaves tell. False without memory.
 */
bool replay_thread_speed(const replay_leaf *leaves, size_t count, double *out);

#endif
