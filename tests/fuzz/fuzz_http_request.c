/*
 * fuzz_http_request.c - what anybody on the machine may send to `hprof view`.
 *
 * A head that is taken has a path from the root and texts that end; a part of it is never taken.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/http_request.h"
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct http_request q;
    char *copy = malloc(len + 1), value[64];

    if (!copy)
        abort();
    memcpy(copy, bytes, len);
    int r = http_request_parse(copy, len, &q);
    if (r == 0) {
        if (q.path[0] != '/' || strlen(q.path) >= sizeof(q.path) ||
            strlen(q.query) >= sizeof(q.query) || strlen(q.host) >= sizeof(q.host))
            abort();
        if (http_request_value(q.query, "frame", value, sizeof(value)) &&
            strlen(value) >= sizeof(value))
            abort();
        const char *end = memmem(copy, len, "\r\n\r\n", 4);
        if (http_request_parse(copy, (size_t)(end - copy) + 3, &q) != 1)
            abort();
    }
    free(copy);
    return 0;
}
