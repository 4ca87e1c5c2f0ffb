/* Model files, written. */
#ifndef HABITAT_LAB_MODEL_FILE_H
#define HABITAT_LAB_MODEL_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <habitat/models.h>
#include <habitat/status.h>

/* The file's bytes; the caller frees *out. */
habitat_status learned_encode(const habitat_models *models, uint8_t **out, size_t *size,
                              habitat_error *err);

#endif
