/* Calls that change nothing in fp32 and are casts under autocast: `logits.float()`. */
#ifndef HABITAT_WORK_WIDENING_H
#define HABITAT_WORK_WIDENING_H

#include <habitat/trace.h>

/* Elements of the tensor that call `at` asks to have in fp32, by name and outside of any other
 * operation; 0: it is no such call, or does something already. Where the recording has no shape of
 * it, as small ones have not, a call between a product and the cross entropy of its result is one.
 */
double widening_elements(const habitat_operation *ops, size_t count, size_t at);

#endif
