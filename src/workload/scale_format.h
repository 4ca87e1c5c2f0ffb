/* In which number format a step was recorded. */
#ifndef HABITAT_WORKLOAD_SCALE_FORMAT_H
#define HABITAT_WORKLOAD_SCALE_FORMAT_H

#include <stdbool.h>

#include <habitat/words.h>
#include <habitat/units.h>

/* What a step was recorded in. */
typedef struct scale_format {
    habitat_precision precision; /* RECORDED: none that has a name, or nothing tells */
    habitat_dtype half;          /* fp16 or bf16: everything is, weights too; else UNKNOWN */
} scale_format;

/* A format of 16 bits that the recording notes, of autocast or of its parameters, and in which none
 * of its products is computed: that note is not believed. */
typedef struct scale_doubt {
    bool autocast, parameters;  /* which is not */
    habitat_dtype noted, shown; /* the first of these, and what most products are computed in */
} scale_doubt;

#endif
