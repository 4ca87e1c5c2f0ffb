/* Names of what is recorded around operations and is none itself. */
#ifndef HABITAT_WORK_CONTAINER_H
#define HABITAT_WORK_CONTAINER_H

#include <stdbool.h>

/* Whether a name is that of a container: a compiled region, an autograd wrapper, an optimiser's or
 * a profiler's step. It says nothing of the kernels inside. */
bool work_is_container(const char *name);

/* Whether a name is a layer's as a script calls it, which a formula of a gradient never does. */
bool work_is_layer(const char *name);

#endif
