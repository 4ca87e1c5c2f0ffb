/* Vendors of GPUs, as a person types them. */
#ifndef HABITAT_ASK_VENDOR_H
#define HABITAT_ASK_VENDOR_H

#include <habitat/ask.h>

/* Whether a GPU of this vendor is meant: case does not matter, and "any" is every vendor. */
bool vendor_takes(const char *vendor, const habitat_gpu *gpu);

/* Whether GPUs of every vendor are meant. */
bool vendor_is_any(const char *vendor);

/* HABITAT_E_ARG for a vendor of none of the GPUs asked for, which may be a slip of the pen; err
 * names those that there are. */
habitat_status vendor_check(const habitat_answer *what, const char *vendor, const char *word,
                            habitat_error *err);

#endif
