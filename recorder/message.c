/* The first thing that went wrong: one per process, since CUPTI's callbacks carry no user pointer.
 */
#define _GNU_SOURCE
#include "message.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static struct {
    pthread_mutex_t lock;
    char text[RECORDER_MESSAGE];
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

void recorder_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&kept.lock);
    if (!kept.text[0])
        vsnprintf(kept.text, sizeof kept.text, format, arguments);
    pthread_mutex_unlock(&kept.lock);
    va_end(arguments);
}

void recorder_message(char *text, size_t size) {
    pthread_mutex_lock(&kept.lock);
    snprintf(text, size, "%s", kept.text);
    pthread_mutex_unlock(&kept.lock);
}

void recorder_write_status(const recorder_options *options, const char *format, ...) {
    if (!options->status[0])
        return;
    FILE *file = fopen(options->status, "we");
    if (!file)
        return;
    char message[RECORDER_MESSAGE];
    recorder_message(message, sizeof message);
    fprintf(file, "message %s\n", message);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fclose(file);
}
