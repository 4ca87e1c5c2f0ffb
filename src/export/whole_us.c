/* See whole_us.h. */
#include "export/whole_us.h"

#include <math.h>

uint64_t whole_us_next(whole_us *sum, double ns) {
    sum->ns += ns;
    uint64_t until = (uint64_t)llround(sum->ns / 1e3), us = until - sum->us;
    sum->us = until;
    return us;
}
