/* OpenBLAS at run time: it takes milliseconds to load and starts threads, which no prediction
 * should pay for. docs/decisions has the reasons. */
#include "lab/train_blas.h"

#include <string.h>

#include "base/error.h"

#ifdef HABITAT_TRAINER
#include <dlfcn.h>

/* Function pointers and data pointers have one size on every POSIX system. */
static void take(void *library, const char *name, void *out, size_t size) {
    void *symbol = dlsym(library, name);
    memcpy(out, &symbol, size);
}

habitat_status train_blas_open(train_blas *out, habitat_error *err) {
    static const char *const names[] = {"libopenblas.so.0", "libopenblas.so", "libopenblas.dylib"};
    *out = (train_blas){0};
    for (size_t i = 0; i < sizeof names / sizeof *names && !out->library; i++)
        out->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (out->library)
        take(out->library, "cblas_sgemm", &out->sgemm, sizeof out->sgemm);
    if (!out->sgemm) {
        train_blas_close(out);
        return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                            "training perceptrons needs OpenBLAS; install libopenblas0, or train "
                            "without method mlp");
    }
    void (*set_threads)(int) = NULL;
    take(out->library, "openblas_set_num_threads", &set_threads, sizeof set_threads);
    if (set_threads)
        set_threads(1);
    return HABITAT_OK;
}

void train_blas_close(train_blas *blas) {
    if (blas->library)
        dlclose(blas->library);
    *blas = (train_blas){0};
}

#else

habitat_status train_blas_open(train_blas *out, habitat_error *err) {
    *out = (train_blas){0};
    return habitat_fail(err, HABITAT_E_UNSUPPORTED,
                        "this build trains no perceptrons; configure with -DHABITAT_TRAINER=ON");
}

void train_blas_close(train_blas *blas) {
    *blas = (train_blas){0};
}

#endif
