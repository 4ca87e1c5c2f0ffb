/* Judging replay where the truth is a recording's own time without the profiler. */
#ifndef HABITAT_LAB_REPLAY_H
#define HABITAT_LAB_REPLAY_H

#include "lab/replay_case.h"

/* Every recording of a folder that holds its time. Free in every case. */
habitat_status replay_collect(const habitat_gpu_table *gpus, const char *folder, replay_set *out,
                              habitat_error *err);
void replay_free(replay_set *set);

#endif
