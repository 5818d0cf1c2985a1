/*
 * fuzz_heapredact.c - any bytes, read as a heap dump and written again without values.
 *
 * The first byte has the options. A file that was read to its end is written with the same length
 * unless names are replaced, and what was redacted once is not changed by a second time.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heapredact/heapredact.h"
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base/err.h"
#include "base/sink.h"
#include "fuzz.h"
#include "heap/heapinput.h"

struct written {
    unsigned char *bytes;
    size_t len, room;
};

static void must(bool condition)
{
    if (!condition)
        abort();
}

static int take(void *to, const unsigned char *bytes, size_t len)
{
    struct written *w = to;
    if (len > w->room - w->len)
        return -ENOSPC;
    memcpy(w->bytes + w->len, bytes, len);
    w->len += len;
    return 0;
}

/* Reads and writes as the command does. Returns the first error. A name that is made may be longer
 * than the one that it replaces, but is never longer than the record's head and 22 bytes. */
static int redact(const struct heapredact_request *request, const uint8_t *bytes, size_t len,
                  struct written *ret)
{
    struct heapredact *h = heapredact_new(request);
    struct heapinput file = {.fd = memfd_create("dump", 0), .bytes = len};
    struct sink sink;
    *ret = (struct written){.room = 4 * len + 1024};
    ret->bytes = malloc(ret->room);
    must(h && ret->bytes && sink_init_taker(&sink, take, ret) == 0);
    must(file.fd >= 0 && write(file.fd, bytes, len) == (ssize_t)len);
    int learned = heapredact_learn(h, &file);
    int written = learned;
    if (learned == 0 || learned == E_TRUNCATED) {
        written = heapredact_write(h, &file, &sink);
        must(written == learned || written == E_LIMIT);
    }
    must(sink_done(&sink) == 0);
    heapinput_close(&file);
    heapredact_free(h);
    return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct written once, twice;
    if (len == 0)
        return 0;
    const struct heapredact_request request = {
        .rule = {.keep = bytes[0] & 1 ? "java.lang.*;int[]" : NULL,
                 .values = bytes[0] & 2 ? HPROF_REDACT_ALL : HPROF_REDACT_VALUES,
                 .has_names = (bytes[0] & 4) != 0},
    };
    int r = redact(&request, bytes + 1, len - 1, &once);
    if (r == 0) {
        must(request.rule.has_names || once.len == len - 1);
        must(redact(&request, once.bytes, once.len, &twice) == 0);
        must(once.len == twice.len && memcmp(once.bytes, twice.bytes, once.len) == 0);
        free(twice.bytes);
    }
    free(once.bytes);
    return 0;
}
