/*
 * fuzz_jfr_redact.c - arguments in recordings, without the values of secret names.
 *
 * The first line has the patterns of names, the rest the arguments. What is made ends
 * with a NUL. SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_redact.h"
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

static void check(const char *keys, const char *text)
{
    struct textbuf once = {0};
    if (jfr_redact_arguments(keys, text, &once) && !once.is_bad &&
        !memchr(once.bytes, '\0', once.len))
        abort();
    textbuf_done(&once);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const uint8_t *end = memchr(bytes, '\n', len);
    size_t first = end ? (size_t)(end - bytes) : 0, from = first + (end != NULL);
    char *keys = strndup((const char *)bytes, first);
    char *text = strndup((const char *)bytes + from, len - from);
    if (keys && text)
        check(keys, text);
    free(keys);
    free(text);
    return 0;
}
