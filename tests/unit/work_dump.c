/* Prints what habitat_operation_work() says of operations given one a line on standard input (see
 * work_case.h): name, class, pass, status, known, flop, read bytes, write bytes; tab-separated. */
#include "work_case.h"

#include <stdio.h>

int main(void) {
    static char line[CASE_TEXT];
    static work_case c;
    while (fgets(line, sizeof line, stdin)) {
        if (case_read(&c, line) != 0) {
            fprintf(stderr, "work_dump: line too long\n");
            return 1;
        }
        habitat_work work = {0};
        habitat_status status = habitat_operation_work(&c.op, &work);
        printf("%s\t%s\t%d\t%d\t%d\t%.17g\t%.17g\t%.17g\n", c.op.form->name,
               habitat_class_name(work.op_class), (int)work.pass, (int)status, work.known,
               work.flop, work.read_bytes, work.write_bytes);
    }
    return 0;
}
