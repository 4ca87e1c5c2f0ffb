/* habitat eval e2e, habitat eval cnn: recordings predicted onto GPUs where others measured the
 * same. */
#include "eval_e2e.h"

#include "commands.h"
#include "common.h"
#include "eval.h"
#include "lab/lab.h"

typedef enum part { LANGUAGE_MODELS, NETWORKS, CHOICES } part;

static habitat_status judge(part what, const habitat_gpu_table *gpus, const char *measurements,
                            const char *recordings, bool csv, habitat_error *error) {
    if (what == CHOICES)
        return habitat_evaluate_choice(gpus, measurements, recordings, cli_write_stdout, NULL,
                                       error);
    return habitat_evaluate_iterations(gpus, what == NETWORKS, measurements, recordings, csv,
                                       cli_write_stdout, NULL, error);
}

static int evaluate(part what, int argc, char **argv) {
    eval_setup s;
    habitat_error error = {0};
    int code = eval_open(&s, argc, argv, NULL, 0, 0);
    if (s.gpus && s.csv && what == CHOICES)
        code = cli_fail(CLI_USAGE, "--csv", "is none of `habitat eval choose`");
    else if (s.gpus &&
             judge(what, s.gpus, s.measurements, s.recordings, s.csv, &error) != HABITAT_OK)
        code = cli_fail_error(&error, NULL);
    eval_close(&s);
    return code;
}

int eval_e2e(int argc, char **argv) {
    return evaluate(LANGUAGE_MODELS, argc, argv);
}

int eval_cnn(int argc, char **argv) {
    return evaluate(NETWORKS, argc, argv);
}

int eval_choose(int argc, char **argv) {
    return evaluate(CHOICES, argc, argv);
}
