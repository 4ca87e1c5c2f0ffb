/* What the fake CUPTI offers a test program besides CUPTI's own functions. */
#ifndef HABITAT_TESTS_FAKE_CUPTI_H
#define HABITAT_TESTS_FAKE_CUPTI_H

/** Hands the records of a scenario to the recorder, as many as fit into the buffers it gives; the
 * rest comes at the flush. @return 0, or -1 for an unknown scenario. */
int fake_cupti_emit(const char *scenario);

#endif
