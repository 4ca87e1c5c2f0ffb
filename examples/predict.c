/* An iteration on another GPU, by the C library alone.
 *
 *     cc predict.c $(pkg-config --cflags --libs habitat) -o predict
 *     ./predict step.json.gz V100 */
#include <stdio.h>
#include <habitat/habitat.h>

static habitat_status predict(const char *path, const char *name, habitat_error *err) {
    habitat_gpu_table *gpus = NULL;
    habitat_trace *trace = NULL;
    habitat_workload *workload = NULL;
    habitat_prediction *prediction = NULL;
    const habitat_gpu *origin, *destination;
    habitat_status status = habitat_gpu_table_create(NULL, &gpus, err);
    if (!status)
        status = habitat_trace_read(path, &trace, err);
    if (!status)
        status =
            habitat_gpu_match(gpus, &habitat_trace_get_info(trace)->device_facts, &origin, err);
    if (!status)
        status = habitat_gpu_find(gpus, name, &destination, NULL, err);
    if (!status)
        status = habitat_workload_create(trace, origin, &workload, err);
    if (!status)
        status = habitat_predict(workload, destination, HABITAT_METHOD_AUTO, &prediction, err);
    if (!status)
        printf("%s: kernels take %.3f ms\n", habitat_gpu_name(destination), prediction->kernel_ms);
    habitat_prediction_free(prediction);
    habitat_workload_free(workload);
    habitat_trace_free(trace);
    habitat_gpu_table_free(gpus);
    return status;
}

int main(int argc, char **argv) {
    habitat_error err;
    if (argc != 3) {
        fprintf(stderr, "usage: predict TRACE GPU\n");
        return 2;
    }
    if (predict(argv[1], argv[2], &err)) {
        fprintf(stderr, "predict: %s: %s\n", err.file, err.message);
        return 1;
    }
    return 0;
}
