/* The hook of base/memory.h; empty where the build has none. */
#include "base/memory.h"

#ifdef HABITAT_ALLOC_HOOK
bool (*habitat_alloc_refuses)(void);
#else
typedef int habitat_no_hook; /* a source file holds at least one declaration */
#endif
