/* Runs a fuzz entry over files, or over all files of directories: seeds as a plain test.
 * Fails when a directory holds no file, so that a lost seed folder is noticed. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        if (file)
            fclose(file);
        return 1;
    }
    long size = ftell(file);
    rewind(file);
    /* exactly sized, so that a sanitizer sees the first byte read past the end */
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    size_t got = data ? fread(data, 1, (size_t)size, file) : 0;
    fclose(file);
    int failed = got != (size_t)size;
    if (!failed)
        LLVMFuzzerTestOneInput(data, got);
    free(data);
    return failed;
}

static int run_directory(const char *path, size_t *count) {
    DIR *directory = opendir(path);
    if (!directory)
        return run_file(path) || !++*count;
    int failed = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char file[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        failed |= run_file(file);
        ++*count;
    }
    closedir(directory);
    return failed;
}

int main(int argc, char **argv) {
    int failed = 0;
    size_t count = 0;
    for (int i = 1; i < argc; i++)
        failed |= run_directory(argv[i], &count);
    printf("replayed %zu inputs\n", count);
    return failed || count == 0;
}
