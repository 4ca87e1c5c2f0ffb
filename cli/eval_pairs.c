/* habitat eval pairs, replay, memory, shapes, scale and ddp: recordings against one another,
 * against what they note, and against the time of several GPUs. */
#include "eval_pairs.h"

#include "commands.h"
#include "common.h"
#include "eval.h"
#include "lab/lab.h"

typedef habitat_status evaluation(const habitat_gpu_table *gpus, const char *folder, bool csv,
                                  habitat_text_sink sink, void *context, habitat_error *err);

static int failed(const eval_setup *s, const habitat_error *error) {
    return error->code == HABITAT_E_ARG ? cli_fail(CLI_INPUT, s->recordings, "%s", error->message)
                                        : cli_fail_error(error, s->recordings);
}

static int judge_recordings(evaluation *evaluate, int argc, char **argv) {
    eval_setup s;
    habitat_error error = {0};
    int code = eval_open(&s, argc, argv, NULL, 0, 0);
    if (s.gpus &&
        evaluate(s.gpus, s.recordings, s.csv, cli_write_stdout, NULL, &error) != HABITAT_OK)
        code = failed(&s, &error);
    eval_close(&s);
    return code;
}

int eval_pairs(int argc, char **argv) {
    return judge_recordings(habitat_evaluate_pairs, argc, argv);
}

int eval_replay(int argc, char **argv) {
    return judge_recordings(habitat_evaluate_replay, argc, argv);
}

typedef habitat_status measured_evaluation(const habitat_gpu_table *gpus, const char *measurements,
                                           const char *folder, bool csv, habitat_text_sink sink,
                                           void *context, habitat_error *err);

static int judge_measured(measured_evaluation *evaluate, int argc, char **argv) {
    eval_setup s;
    habitat_error error = {0};
    int code = eval_open(&s, argc, argv, NULL, 0, 0);
    if (s.gpus && evaluate(s.gpus, s.measurements, s.recordings, s.csv, cli_write_stdout, NULL,
                           &error) != HABITAT_OK)
        code = failed(&s, &error);
    eval_close(&s);
    return code;
}

int eval_memory(int argc, char **argv) {
    return judge_measured(habitat_evaluate_memory, argc, argv);
}

int eval_shapes(int argc, char **argv) {
    return judge_measured(habitat_evaluate_shapes, argc, argv);
}

int eval_scale(int argc, char **argv) {
    return judge_recordings(habitat_evaluate_scale, argc, argv);
}

int eval_ddp(int argc, char **argv) {
    return judge_recordings(habitat_evaluate_ddp, argc, argv);
}
