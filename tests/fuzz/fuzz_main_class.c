/*
 * fuzz_main_class.c - the command line of a process, which writes there what it likes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "attach/main_class.h"
#include "fuzz.h"

static void check(const char *command)
{
    size_t len = main_class_len(command), all = strlen(command);
    const char *args = main_class_args(command);
    if (len > all || main_class_short(command, len) > len || strlen(args) > all)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *line = malloc(len + 1);
    if (!line)
        return 0;
    memcpy(line, bytes, len);
    line[len] = '\0';
    check(line);
    if (main_class_options_len(line, len) > len)
        abort();
    for (int is_launcher = 0; is_launcher < 2; is_launcher++) {
        char *command = main_class_of_line(line, len, is_launcher);
        if (command && strlen(command) > len)
            abort();
        if (command)
            check(command);
        free(command);
    }
    free(line);
    return 0;
}
