/* Finds the CUPTI that fits this process and its driver. Several versions live side by side on real
 * machines (CUDA toolkit, PyTorch's wheels, Triton's): a process must not use two, and a CUPTI
 * newer than the driver does not work. */
#define _GNU_SOURCE
#include "cupti_load.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char cupti[4][512]; /* libcupti files already in the process */
    size_t n_cupti;
    char cudart[512]; /* the first libcudart in the process */
} loaded_libraries;

static int note_library(struct dl_phdr_info *info, size_t size, void *user) {
    loaded_libraries *loaded = user;
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *base = slash ? slash + 1 : info->dlpi_name;
    if (strncmp(base, "libcupti.so", 11) == 0 && loaded->n_cupti < 4)
        snprintf(loaded->cupti[loaded->n_cupti++], sizeof loaded->cupti[0], "%s", info->dlpi_name);
    else if (strncmp(base, "libcudart.so", 12) == 0 && !loaded->cudart[0])
        snprintf(loaded->cudart, sizeof loaded->cudart, "%s", info->dlpi_name);
    return 0;
}

int cupti_cuda_major(uint32_t version) {
    if (version >= 100000)
        return (int)(version / 10000); /* 130001: CUDA 13.0 */
    if (version > 18)
        return 12; /* 19 to 99: CUDA 12.1 to 12.9 */
    return 11;
}

void cuda_driver_lookup(cuda_driver *out) {
    memset(out, 0, sizeof *out);
    void *cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!cuda)
        return;
    /* Through a union, since ISO C has no conversion from object to function pointers. */
    union {
        void *object;
        int (*version)(int *);
        int (*attribute)(int *, int, int);
        int (*function)(int *, int, void *);
        int (*device)(int *);
        int (*of_kernel)(void **, void *);
        int (*capturing)(void *, int *);
    } u;
    u.object = dlsym(cuda, "cuDriverGetVersion");
    out->driver_version = u.version;
    u.object = dlsym(cuda, "cuDeviceGetAttribute");
    out->device_attribute = u.attribute;
    u.object = dlsym(cuda, "cuFuncGetAttribute");
    out->function_attribute = u.function;
    u.object = dlsym(cuda, "cuCtxGetDevice");
    out->context_device = u.device;
    u.object = dlsym(cuda, "cuKernelGetFunction");
    out->kernel_function = u.of_kernel;
    u.object = dlsym(cuda, "cuStreamIsCapturing");
    out->stream_capturing = u.capturing;
}

static int look_up(void *handle, cupti_library *out) {
    union {
        void *object;
#define X(member, symbol, required, args) cupti_result(*member) args;
        CUPTI_FUNCTIONS(X)
#undef X
    } u;
#define X(member, symbol, required, args)                                                          \
    u.object = dlsym(handle, symbol);                                                              \
    if ((required) && !u.object)                                                                   \
        return -1;                                                                                 \
    out->member = u.member;
    CUPTI_FUNCTIONS(X)
#undef X
    return 0;
}

/* Opens one candidate; keeps it when it has the functions and is neither too old nor newer than the
 * driver. */
static bool try_file(const char *file, int flags, const char *why, cupti_library *out,
                     char *message, size_t size) {
    void *handle = dlopen(file, flags);
    if (!handle)
        return false;
    cupti_library found = {.driver_version = out->driver_version};
    if (look_up(handle, &found) != 0 || found.get_version(&found.version) != CUPTI_OK) {
        snprintf(message, size, "%s lacks functions the recorder needs", file);
        dlclose(handle);
        return false;
    }
    int driver_major = out->driver_version / 1000;
    bool in_process = (flags & RTLD_NOLOAD) != 0;
    if (found.version < CUPTI_ABI_OLDEST_VERSION) {
        snprintf(message, size, "%s is version %u, older than CUDA 11.8's", file,
                 (unsigned)found.version);
    } else if (!in_process && driver_major && cupti_cuda_major(found.version) > driver_major) {
        snprintf(message, size, "%s is of CUDA %d, newer than the driver's CUDA %d", file,
                 cupti_cuda_major(found.version), driver_major);
    } else {
        union {
            void *object;
            cupti_result (*function)(uint32_t *);
        } address = {.function = found.get_version};
        Dl_info info;
        snprintf(found.path, sizeof found.path, "%s",
                 dladdr(address.object, &info) && info.dli_fname ? info.dli_fname : file);
        snprintf(found.why, sizeof found.why, "%s", why);
        found.handle = handle;
        *out = found;
        return true;
    }
    dlclose(handle);
    return false;
}

/* Tries DIR/libcupti.so.MAJOR, then what DIR/libcupti.so* holds. */
static bool try_directory(const char *directory, const char *why, cupti_library *out, char *message,
                          size_t size) {
    char pattern[700];
    int driver_major = out->driver_version / 1000;
    if (driver_major) {
        snprintf(pattern, sizeof pattern, "%s/libcupti.so.%d", directory, driver_major);
        if (try_file(pattern, RTLD_LAZY | RTLD_LOCAL, why, out, message, size))
            return true;
    }
    snprintf(pattern, sizeof pattern, "%s/libcupti.so*", directory);
    glob_t files;
    bool found = false;
    if (glob(pattern, 0, NULL, &files) == 0) {
        for (size_t i = files.gl_pathc; i-- > 0 && !found;)
            found = try_file(files.gl_pathv[i], RTLD_LAZY | RTLD_LOCAL, why, out, message, size);
        globfree(&files);
    }
    return found;
}

/* Where CUPTI sits relative to libcudart: the toolkit's lib64, CUDA 13 wheels (nvidia/cu13/lib) and
 * CUDA 12 wheels (nvidia/cuda_runtime/lib beside nvidia/cuda_cupti/lib). */
static const char *const beside_cudart[] = {"", "/../extras/CUPTI/lib64", "/../../cuda_cupti/lib",
                                            "/../../../extras/CUPTI/lib64"};
static const char *const in_toolkit[] = {"/extras/CUPTI/lib64", "/lib64", "/lib",
                                         "/targets/x86_64-linux/lib", "/targets/sbsa-linux/lib"};

static bool try_toolkit(const char *root, const char *why, cupti_library *out, char *message,
                        size_t size) {
    char directory[640];
    for (size_t i = 0; i < sizeof in_toolkit / sizeof *in_toolkit; i++) {
        snprintf(directory, sizeof directory, "%s%s", root, in_toolkit[i]);
        if (try_directory(directory, why, out, message, size))
            return true;
    }
    return false;
}

static bool try_toolkits(cupti_library *out, char *message, size_t size) {
    static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};
    for (size_t i = 0; i < 2; i++) {
        const char *root = getenv(variables[i]);
        if (root && *root &&
            try_toolkit(root, "CUDA toolkit of the environment", out, message, size))
            return true;
    }
    if (try_toolkit("/usr/local/cuda", "CUDA toolkit", out, message, size))
        return true;
    glob_t roots;
    bool found = false;
    if (glob("/usr/local/cuda-*", 0, NULL, &roots) == 0) {
        for (size_t i = roots.gl_pathc; i-- > 0 && !found;)
            found = try_toolkit(roots.gl_pathv[i], "CUDA toolkit", out, message, size);
        globfree(&roots);
    }
    return found;
}

int cupti_load(const char *override, cupti_library *out, char *message, size_t size) {
    memset(out, 0, sizeof *out);
    snprintf(message, size,
             "no libcupti.so found; install the CUDA toolkit's CUPTI or set HABITAT_RECORD_CUPTI");
    cuda_driver driver;
    cuda_driver_lookup(&driver);
    if (driver.driver_version && driver.driver_version(&out->driver_version) != 0)
        out->driver_version = 0;

    if (override && *override) {
        if (try_file(override, RTLD_LAZY | RTLD_LOCAL, "HABITAT_RECORD_CUPTI", out, message, size))
            return 0;
        const char *reason = dlerror();
        if (reason)
            snprintf(message, size, "HABITAT_RECORD_CUPTI: %s", reason);
        return -1;
    }
    loaded_libraries loaded = {0};
    dl_iterate_phdr(note_library, &loaded);
    for (size_t i = 0; i < loaded.n_cupti; i++)
        if (try_file(loaded.cupti[i], RTLD_LAZY | RTLD_NOLOAD, "already in the process", out,
                     message, size))
            return 0;
    char *slash = strrchr(loaded.cudart, '/');
    if (slash) {
        *slash = '\0';
        char directory[600];
        for (size_t i = 0; i < sizeof beside_cudart / sizeof *beside_cudart; i++) {
            snprintf(directory, sizeof directory, "%s%s", loaded.cudart, beside_cudart[i]);
            if (try_directory(directory, "next to the process's libcudart", out, message, size))
                return 0;
        }
    }
    if (try_toolkits(out, message, size))
        return 0;
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (try_file(names[i], RTLD_LAZY | RTLD_LOCAL, "dynamic linker's search path", out, message,
                     size))
            return 0;
    return -1;
}
