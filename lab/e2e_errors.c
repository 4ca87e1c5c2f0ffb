/* Errors of judging whole iterations; see e2e_errors.h. */
#include "lab/e2e_errors.h"

#include <habitat/text.h>

habitat_status e2e_name_file(habitat_status status, habitat_error *err, const char *file) {
    if (err && !err->file[0])
        habitat_format(err->file, sizeof err->file, "%s", file);
    return status;
}

habitat_status e2e_name_row(habitat_status status, habitat_error *err, const char *file) {
    if (!err || err->line == 0)
        return e2e_name_file(status, err, file);
    habitat_format(err->file, sizeof err->file, "%s:%llu", file, (unsigned long long)err->line);
    err->line = 0;
    return status;
}
