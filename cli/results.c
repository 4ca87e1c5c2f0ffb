/* Files and report of a command, in the order that leaves nothing behind when refused; see
 * results.h. */
#include "results.h"
#include "timeline.h"

static int to_nowhere(void *context, const char *data, size_t size) {
    (void)context;
    (void)data;
    (void)size;
    return 0;
}

/* What the report would refuse. */
static int try_report(const cli_input *input, cli_page report, const void *of) {
    habitat_report_options options = input->report;
    habitat_error error = {0};
    options.write = to_nowhere;
    return cli_report_result(report(of, &options, &error), &error);
}

int cli_results_write(const cli_request *request, const cli_input *input, cli_page report,
                      const void *of) {
    habitat_error error = {0};
    int code = CLI_DONE;
    if (request->timeline || request->html)
        code = try_report(input, report, of);
    if (code == CLI_DONE && request->timeline)
        code = cli_timeline_write(request, input);
    if (code == CLI_DONE && request->html)
        code = cli_html_write(request, input, report, of);
    if (code == CLI_DONE && !cli_html_alone(request))
        code = cli_report_result(report(of, &input->report, &error), &error);
    return code;
}
