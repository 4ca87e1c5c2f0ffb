/* Columns that the caller chose; see columns.h. */
#include "report/columns.h"

#include <string.h>

#include "base/error.h"

bool columns_chosen(const habitat_report_options *options, const char *key) {
    for (size_t i = 0; i < options->column_count; i++)
        if (strcmp(options->columns[i], key) == 0)
            return true;
    return false;
}

habitat_status columns_check(const row_list *rows, const habitat_report_options *options,
                             bool length_known, const char *command, habitat_error *err) {
    static const char *const of_training[] = {"hours", "usd", "total_kwh"};
    for (size_t c = 0; c < options->column_count; c++)
        if (!rows_column(rows, options->columns[c]))
            return habitat_fail(err, HABITAT_E_ARG,
                                "--columns: \"%.40s\" is no column; `habitat %s --help` lists them",
                                options->columns[c], command);
    for (size_t i = 0; !length_known && i < sizeof of_training / sizeof *of_training; i++)
        if (columns_chosen(options, of_training[i]))
            return habitat_fail(err, HABITAT_E_ARG,
                                "--columns: %s needs the length of the training; give --steps or "
                                "--samples",
                                of_training[i]);
    return HABITAT_OK;
}

size_t columns_choose(const habitat_report_options *options, const char **keys, size_t count) {
    if (!options->column_count)
        return 0;
    for (size_t i = 0; i < options->column_count; i++) {
        bool have = false;
        for (size_t k = 0; k < count; k++)
            have = have || strcmp(keys[k], options->columns[i]) == 0;
        if (!have && count < TABLE_COLUMNS_MAX)
            keys[count++] = options->columns[i];
    }
    return count;
}
