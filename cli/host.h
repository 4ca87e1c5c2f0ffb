/* --host and --recorded-host: the CPU's times of another host. */
#ifndef HABITAT_CLI_HOST_H
#define HABITAT_CLI_HOST_H

#include "request.h"

/* in->cpu_scale from --cpu-scale, or from the two calibrations, which is noted. */
int cli_read_host(const cli_request *request, cli_input *in);

#endif
