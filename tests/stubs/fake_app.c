/* Stands in for a CUDA program: loads the library CUDA_INJECTION64_PATH names and calls its entry
 * point as the driver's cuInit() does, then lets the fake CUPTI play a scenario. Usage: fake_app
 * SCENARIO [exit|_exit|fail|abort|fork|twice|wait|heed] */
#define _GNU_SOURCE
#include "fake_cupti.h"

#include <dlfcn.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *symbol(const char *library, const char *name) {
    void *handle = library ? dlopen(library, RTLD_NOW) : NULL;
    if (!handle) {
        fprintf(stderr, "fake_app: %s\n", library ? dlerror() : "no library named");
        exit(3);
    }
    return dlsym(handle, name);
}

static int inject(void) {
    union {
        void *object;
        int (*function)(void);
    } u = {.object = symbol(getenv("CUDA_INJECTION64_PATH"), "InitializeInjection")};
    return u.function ? u.function() : 0;
}

static void heed(int number) {
    (void)number;
}

/* Writes its process id to $FAKE_APP_READY, then waits for a signal: ended by it, or, as programs
 * do that save their state, going on to an ordinary end. */
static void wait_for_signal(int heeds) {
    struct sigaction action = {.sa_handler = heed};
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    if (heeds)
        sigaction(SIGTERM, &action, NULL);
    const char *ready = getenv("FAKE_APP_READY");
    FILE *file = ready ? fopen(ready, "w") : NULL;
    if (!file)
        exit(7);
    fprintf(file, "%ld\n", (long)getpid());
    fclose(file);
    sigsuspend(&before);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(int argc, char **argv) {
    const char *scenario = argc > 1 ? argv[1] : "basic", *end = argc > 2 ? argv[2] : "exit";
    if (strcmp(scenario, "no-cuda") == 0)
        return 0;
    const char *locale = getenv("FAKE_APP_LOCALE"); /* as a host program may choose one */
    if (locale && !setlocale(LC_NUMERIC, locale))
        return 6;
    const char *driver = getenv("FAKE_CUDA");
    if (driver && !dlopen(driver, RTLD_NOW | RTLD_GLOBAL))
        return 6;
    if (inject() != 1)
        return 4;
    if (strcmp(end, "twice") == 0 && inject() != 1)
        return 4;
    const char *fake = getenv("HABITAT_RECORD_CUPTI");
    if (fake && access(fake, R_OK) == 0) {
        union {
            void *object;
            int (*function)(const char *);
        } u = {.object = symbol(fake, "fake_cupti_emit")};
        if (!u.function || u.function(scenario) != 0)
            return 5;
    }
    if (strcmp(end, "fork") == 0) { /* a child that does not use CUDA leaves through exit() */
        pid_t child = fork();
        if (child == 0)
            exit(0);
        waitpid(child, NULL, 0);
    }
    if (strcmp(end, "wait") == 0 || strcmp(end, "heed") == 0)
        wait_for_signal(strcmp(end, "heed") == 0);
    if (strcmp(end, "_exit") == 0)
        _exit(0);
    if (strcmp(end, "fail") == 0)
        return 9;
    if (strcmp(end, "abort") == 0)
        abort();
    return 0;
}
