/*
 * fuzz_http_request.c - what anybody on the machine may send to `hprof view`.
 *
 * A head that is taken has a path from the root, texts that end, and a host where one line names
 * it; a part of it is never taken. SPDX-License-Identifier: Apache-2.0
 */
#include "view/http_request.h"
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

/* Lines that name a host, in a head that ends at `end`. */
static int count_hosts(const char *head, const char *end)
{
    int count = 0;
    for (const char *at = head; (at = strcasestr(at, "\r\nhost:")) != NULL && at < end; at += 2)
        count++;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct http_request q;
    char *copy = malloc(len + 1), value[64];
    if (!copy)
        abort();
    memcpy(copy, bytes, len);
    copy[len] = '\0';
    int r = http_request_parse(copy, len, &q);
    if (r == 0) {
        if (q.path[0] != '/' || strlen(q.path) >= sizeof(q.path) ||
            strlen(q.query) >= sizeof(q.query) || strlen(q.host) >= sizeof(q.host))
            abort();
        if (http_request_value(q.query, "frame", value, sizeof(value)) &&
            strlen(value) >= sizeof(value))
            abort();
        const char *end = memmem(copy, len, "\r\n\r\n", 4);
        if (q.host[0] && count_hosts(copy, end) != 1)
            abort();
        if (http_request_parse(copy, (size_t)(end - copy) + 3, &q) != 1)
            abort();
    }
    free(copy);
    return 0;
}
