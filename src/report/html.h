/* HTML and JSON inside HTML, safe whatever the texts hold. Markup is written with writer_text();
 * every text that was read or recorded goes through these. */
#ifndef HABITAT_REPORT_HTML_H
#define HABITAT_REPORT_HTML_H

#include "report/writer.h"

/* Text between tags or in a quoted attribute: & < > " ' as entities, bad UTF-8 and control
 * characters as U+FFFD. NULL writes nothing. */
void html_text(writer *w, const char *text);

/* <TAG>text</TAG>, TAG with its attributes: "p class=note". */
void html_element(writer *w, const char *tag, const char *text);

/* A cell of a table, empty with a dash for what is not known. Numbers carry their whole value, to
 * be sorted by. */
void html_cell(writer *w, const char *text);
void html_number_cell(writer *w, double value, int decimals);
void html_ms_cell(writer *w, double ms);
void html_shown_cell(writer *w, double value, const char *shown); /* sorted by the value */

/* "$0.0236": at least two decimals, three digits where less than a dollar. */
void dollars_text(double usd, char *text, size_t size);

/* A head of a table, one cell a column: "GPU", "iteration, ms". */
void html_head(writer *w, const char *const *columns, size_t count);

/* JSON inside a script element: starts `json` over `w`. Its strings hold none of < > & nor U+2028
 * and U+2029, only their \u escapes. End it with html_json_end(), which frees it. */
void html_json(writer *json, writer *w);
void html_json_end(writer *json, writer *w);

#endif
