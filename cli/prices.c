/* Prices from the command line; see prices.h. */
#include "prices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* "L40S=0.79" */
static int set_price(const char *text, cli_input *in) {
    const char *equals = strrchr(text, '=');
    char name[128];
    double usd = 0;
    const habitat_gpu *gpu = NULL;
    habitat_error error = {0};
    if (!equals || equals == text || (size_t)(equals - text) >= sizeof name ||
        !habitat_is_number(equals + 1, &usd))
        return cli_fail(CLI_USAGE, "--price",
                        "\"%s\" is no GPU=USD, like L40S=0.79 (US dollars for an hour)", text);
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    int code = cli_find_gpu(in->table, name, &gpu, &in->notes);
    if (code != CLI_DONE)
        return code;
    if (habitat_prices_set(in->prices, gpu, usd, &error) == HABITAT_OK)
        return CLI_DONE;
    if (error.code == HABITAT_E_RANGE)
        return cli_fail(CLI_USAGE, "--price", "%s", error.message);
    return cli_fail_error(&error, "--price");
}

int cli_open_prices(const cli_request *request, cli_input *in) {
    habitat_error error = {0};
    size_t count = 0;
    if (request->steps > 0 && request->samples > 0)
        return cli_fail(CLI_USAGE, "--samples", "does not go with --steps; choose one");
    if (habitat_prices_create(in->table, true, &in->prices, &error) != HABITAT_OK)
        return cli_fail_error(&error, NULL);
    for (size_t i = 0; i < request->prices.count; i++)
        if (habitat_prices_read(in->prices, request->prices.items[i], &error) != HABITAT_OK)
            return error.line ? cli_fail_row(&error, request->prices.items[i])
                              : cli_fail_error(&error, request->prices.items[i]);
    const char *const *notes = habitat_prices_notes(in->prices, &count);
    for (size_t i = 0; i < count; i++) {
        int code = cli_note(&in->notes, "%s", notes[i]);
        if (code != CLI_DONE)
            return code;
    }
    for (size_t i = 0; i < request->price.count; i++) {
        int code = set_price(request->price.items[i], in);
        if (code != CLI_DONE)
            return code;
    }
    return CLI_DONE;
}

const char *cli_today(char *out, size_t size) {
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    double seconds = 0;
    time_t now = time(NULL);
    struct tm parts;
    if (epoch && habitat_is_number(epoch, &seconds) && seconds >= 0 && seconds < 253402300800.0)
        now = (time_t)seconds; /* before the year 10000 */
    if (now == (time_t)-1 || !gmtime_r(&now, &parts))
        return NULL;
    snprintf(out, size, "%04d-%02d-%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
    return out;
}
