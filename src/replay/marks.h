/* An iteration in parts: moments in which a host waited until its GPU had caught up. */
#ifndef HABITAT_REPLAY_MARKS_H
#define HABITAT_REPLAY_MARKS_H

#include "replay/graph.h"

/* Moments on the CPU, as recorded [ns], ascending once sorted. All zero: none. Free at_ns. */
typedef struct replay_marks {
    uint64_t *at_ns; /* shape (count) */
    size_t count, capacity;
} replay_marks;

/* One more; false when out of memory. */
bool replay_mark(replay_marks *marks, uint64_t at_ns);
void replay_sort_marks(replay_marks *marks);

/* When a node was asked for, as recorded: of a kernel when it was launched. */
uint64_t replay_asked_ns(const habitat_replay *r, const replay_node *node);

/* Marks that are over then. */
uint32_t replay_part_of(const uint64_t *at_ns, size_t count, uint64_t then_ns);

#endif
