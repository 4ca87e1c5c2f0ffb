/* All headers of the Habitat library.
 *
 * The interface has two halves, as that of zstd has.
 *
 * Half: stable is what you get without more ado. A program that uses only this half compiles, and
 * means the same, with every later version of the same major version of the shared library. Structs
 * may get fields at their end and enumerations values. So name the members where you fill in a
 * struct, zero the rest ({0}), and never copy or allocate a struct that the library fills in.
 * Half: experimental is there only where HABITAT_EXPERIMENTAL is defined before the first include.
 * It may change with every version: formulas, operator models, tables of operations, single
 * kernels. docs/decisions/0119 says what is in which half, and why.
 *
 * Units: a number has its unit in its name (units.h).
 * Ownership: what a call creates, the caller frees with the call of that name; free takes NULL.
 * What is got from a handle belongs to the handle and lives as long as it does.
 * Errors: status.h.
 * Threads: several threads may read one const handle. Everything else is for one thread at a time.
 */
#ifndef HABITAT_HABITAT_H
#define HABITAT_HABITAT_H

#include <habitat/version.h>
#include <habitat/status.h>
#include <habitat/units.h>
#include <habitat/words.h>
#include <habitat/gpu.h>
#include <habitat/trace.h>
#include <habitat/work.h>
#include <habitat/workload.h>
#include <habitat/method.h>
#include <habitat/predict.h>
#include <habitat/report.h>

#ifdef HABITAT_EXPERIMENTAL
#include <habitat/csv.h>
#include <habitat/text.h>
#include <habitat/question.h>
#include <habitat/models.h>
#include <habitat/memory.h>
#include <habitat/replay.h>
#include <habitat/export.h>
#include <habitat/price.h>
#include <habitat/ask.h>
#include <habitat/choose.h>
#include <habitat/json.h>
#endif

#endif
