/* --price, --prices and today. */
#ifndef HABITAT_CLI_PRICES_H
#define HABITAT_CLI_PRICES_H

#include "request.h"

/* The library's prices, then those of --prices, then those of --price, into in->prices. */
int cli_open_prices(const cli_request *request, cli_input *in);

/* Today as "2026-11-22", by UTC; SOURCE_DATE_EPOCH, seconds since 1970, has the last word.
 * @return `out`, or NULL where the clock cannot be read. */
const char *cli_today(char *out, size_t size);

#endif
