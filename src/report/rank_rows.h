/* What each of several recorded ranks did: a part of the report on a trace. */
#ifndef HABITAT_REPORT_RANK_ROWS_H
#define HABITAT_REPORT_RANK_ROWS_H

#include <habitat/ask.h>

#include "report/writer.h"

/* Nothing where no ranks were asked. JSON: keys of the open map. */
void json_rank_rows(writer *w, const habitat_answer *what);
void csv_rank_rows(writer *w, const habitat_answer *what);
void text_rank_rows(writer *w, const habitat_answer *what);

#endif
