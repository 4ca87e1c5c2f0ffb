/* See host.h. A calibration belongs to a GPU of the table, and brings what its host takes. */
#include "host.h"

static int check(const cli_request *request, const cli_input *in) {
    if (!request->host)
        return cli_fail(CLI_USAGE, "--recorded-host",
                        "goes with --host FILE, a calibration of the host to predict for");
    if (in->assemble == HABITAT_ASSEMBLE_SUM)
        return cli_fail(CLI_USAGE, "--host", "scales the CPU's side; leave out --assemble sum");
    if (request->cpu_scale > 0.0)
        return cli_fail(CLI_USAGE, "--host", "and --cpu-scale say the same; leave one out");
    return CLI_DONE;
}

/* Into a table of its own: what else a calibration says is no wish here. */
static int open_calibration(const cli_request *request, const char *file, habitat_gpu_table **table,
                            const habitat_gpu **out) {
    habitat_error error = {0};
    int code = cli_open_gpus(&request->gpu_files, table);
    if (code == CLI_DONE && habitat_gpu_table_add_file(*table, file, out, &error) != HABITAT_OK)
        code = cli_fail_error(&error, file);
    return code;
}

static int compare(const cli_request *request, const habitat_gpu *recorded,
                   const habitat_gpu *other, cli_input *in) {
    habitat_error error = {0};
    habitat_host_ratio ratio;
    if (habitat_host_compare(recorded, other, &ratio, &error) != HABITAT_OK)
        return cli_fail_error(&error, error.index ? request->host : request->recorded_host);
    in->cpu_scale = ratio.scale;
    in->cpu_scale_doubt = ratio.doubt;
    in->cpu_scale_of_middle = !recorded;
    if (in->number) /* said with the first recording */
        return CLI_DONE;
    return cli_note(&in->notes,
                    "%s: the CPU's times x %.2f%s, within a factor of %.1f (launches x %.2f, "
                    "layers forward x %.2f, backward x %.2f; parts of one figure differ by up to "
                    "%.0f %%)",
                    request->host, ratio.scale, recorded ? "" : " of the middle of hosts",
                    ratio.doubt, ratio.launch, ratio.forward, ratio.backward, 100.0 * ratio.spread);
}

int cli_read_host(const cli_request *request, cli_input *in) {
    habitat_gpu_table *tables[2] = {NULL, NULL};
    const habitat_gpu *recorded = NULL, *other = NULL;
    in->cpu_scale = request->cpu_scale;
    if (!request->host && !request->recorded_host)
        return CLI_DONE;
    int code = check(request, in);
    if (code == CLI_DONE && request->recorded_host)
        code = open_calibration(request, request->recorded_host, &tables[0], &recorded);
    if (code == CLI_DONE)
        code = open_calibration(request, request->host, &tables[1], &other);
    if (code == CLI_DONE)
        code = compare(request, recorded, other, in);
    habitat_gpu_table_free(tables[0]);
    habitat_gpu_table_free(tables[1]);
    return code;
}
