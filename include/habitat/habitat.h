/* Umbrella header of the Habitat library. */
#ifndef HABITAT_HABITAT_H
#define HABITAT_HABITAT_H

#include <habitat/version.h>
#include <habitat/status.h>
#include <habitat/units.h>
#include <habitat/csv.h>
#include <habitat/text.h>
#include <habitat/gpu.h>
#include <habitat/trace.h>
#include <habitat/work.h>
#include <habitat/formula.h>
#include <habitat/question.h>
#include <habitat/models.h>
#include <habitat/workload.h>
#include <habitat/method.h>
#include <habitat/predict.h>
#include <habitat/report.h>

#endif
