/* Counters of one run into the trace of another. Works on the recorder's own files, which hold one
 * kernel a line with its fields in a fixed order (trace_write.c, counters.c); traces of Kineto's go
 * through the Python package. */
#ifndef HABITAT_RECORDER_COUNTERS_MERGE_H
#define HABITAT_RECORDER_COUNTERS_MERGE_H

#include <stdbool.h>
#include <stdint.h>

/** Writes the keys (name and launch configuration) of the kernels worth measuring, one a line.
 *  @param trace       a trace of this recorder, not compressed.
 *  @param percentile  kernels whose time is at or above this percentile of all kernels' times, 0 to
 * 100; 0: all.
 *  @return how many keys; -1 with errno set. */
long counters_select(const char *trace, double percentile, const char *path);

/** Rewrites `trace` in place (through a temporary file) with the counters of `measured` in the args
 * of the kernels that have the same name and launch configuration, and a "counters" object in
 * "habitat".
 *  @param percentile  written down.
 *  @return how many kernels got counters; -1 with errno set, the trace untouched. */
long counters_merge(const char *trace, const char *measured, double percentile);

#endif
