/*
 * fuzz_options.c - the agent's option string, and the same bytes as a command.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"
#include "options/options_parse.h"
#include "options/options_command.h"

enum { IDLE_MAX = 4 };

/* A refusal says why, and the options of a start are never longer than the line. */
static void try_command(const char *line)
{
    struct options_command *c = malloc(sizeof(*c));
    struct options_error error;
    if (!c)
        return;
    if ((options_command_parse(line, c, &error) != 0) != (error.text[0] != '\0') ||
        strlen(c->options) > strlen(line))
        abort();
    options_command_done(c);
    free(c);
}

/* The first NUL ends the command line's part; what follows it is the environment's. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *text = malloc(len + 1);
    size_t line;
    struct options *options = malloc(sizeof(*options));
    struct options_error error;
    struct options_parse_idle idle[IDLE_MAX];
    if (text && options) {
        memcpy(text, bytes, len);
        text[len] = '\0';
        line = strlen(text);
        if (options_parse(text, line < len ? text + line + 1 : NULL, options, &error) != 0 &&
            !error.text[0])
            abort(); /* every refusal says why */
        options_parse_check_names(options, &error);
        options_parse_idle(options, idle, IDLE_MAX);
        options_done(options);
        try_command(text);
    }
    free(options);
    free(text);
    return 0;
}
