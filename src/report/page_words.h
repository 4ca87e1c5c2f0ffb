/* What an HTML report says in words; each fills one place of the frame. */
#ifndef HABITAT_REPORT_PAGE_WORDS_H
#define HABITAT_REPORT_PAGE_WORDS_H

#include "report/page_rows.h"

void page_title(page *p);
void page_facts(page *p);
void page_answer(page *p);
void page_notes(page *p);

#endif
