/*
 * fuzz_start_options.c - the command line and the environment of a process that may call itself
 * anything.
 *
 * Bytes 0 and 1 are the length of the command line; the rest is the environment.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "attach/start_options.h"
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

enum { HEAD = 2 };

static char *copy(const uint8_t *bytes, size_t len)
{
    char *text = malloc(len + 1);
    if (text) {
        memcpy(text, bytes, len);
        text[len] = '\0';
    }
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len < HEAD)
        return 0;
    size_t line_len = (bytes[0] << 8 | bytes[1]) % (len - HEAD + 1);
    char *line = copy(bytes + HEAD, line_len);
    char *environment = copy(bytes + HEAD + line_len, len - HEAD - line_len);
    const struct start_options_text text = {line, environment, line_len, len - HEAD - line_len};

    /* What is on by its last word is there at all. */
    if (line && environment && start_options_last_is(&text, "-XX:+X", "-XX:-X") &&
        !start_options_last_is(&text, "-XX:+X", NULL))
        abort();
    free(line);
    free(environment);
    return 0;
}
