/* HTML reports: one page that holds everything it needs. page/page.html is its frame, with places
 * like {{times}} that the page_*.c files fill; page.css and page.js are written into it as they
 * are. The page can be read without its script: every chart has a table. docs/decisions/0172 */
#ifndef HABITAT_REPORT_PAGE_H
#define HABITAT_REPORT_PAGE_H

#include <habitat/ask.h>
#include <habitat/choose.h>
#include <habitat/report.h>

/* Whether the format is HTML; of no options it is not. */
bool page_asked(const habitat_report_options *options);

/* The reports of report.h, with that format. */
habitat_status page_prediction(const habitat_answer *what, const habitat_report_options *options,
                               habitat_error *err);
habitat_status page_explanation(const habitat_answer *what, const habitat_report_options *options,
                                habitat_error *err);
habitat_status page_choice(const habitat_choice *choice, const habitat_report_options *options,
                           habitat_error *err);

#endif
