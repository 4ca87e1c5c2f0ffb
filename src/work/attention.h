/* What a causal mask lets through. Top-left: query i sees keys 0 to i; bottom-right: the last query
 * sees all keys, the one before it all but the last. */
#ifndef HABITAT_WORK_ATTENTION_H
#define HABITAT_WORK_ATTENTION_H

#include <habitat/work.h>

/* Query-key pairs of one head. */
double attention_pairs(const habitat_attention_shape *shape);

/* Keys that some query sees: all, or under a top-left mask as many as there are queries. */
double attention_keys_seen(const habitat_attention_shape *shape);

#endif
