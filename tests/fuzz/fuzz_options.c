/* fuzz_options.c - the agent's option string. SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include "agent/options.h"
#include "fuzz.h"

/* The first NUL ends the command line's part; what follows it is the environment's. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *text = malloc(len + 1);
    size_t line;
    struct options *options = malloc(sizeof(*options));
    struct options_error error;

    if (text && options) {
        memcpy(text, bytes, len);
        text[len] = '\0';
        line = strlen(text);
        if (options_parse(text, line < len ? text + line + 1 : NULL, options, &error) != 0 &&
            !error.text[0])
            abort(); /* every refusal says why */
    }
    free(options);
    free(text);
    return 0;
}
