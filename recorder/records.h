/* CUPTI activity records into the store. */
#ifndef HABITAT_RECORDER_RECORDS_H
#define HABITAT_RECORDER_RECORDS_H

#include "cupti_load.h"
#include "store.h"

/** Adds one record to `s`, if it is of a kind the recorder writes. */
void records_add(store *s, const cupti_library *cupti, const cupti_record *record);

#endif
