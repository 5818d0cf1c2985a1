/*
 * fuzz_otel_process.c - the context that a process publishes: the input is the memory of a header
 * and of what follows it, and, as a text, a line of /proc/PID/maps.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>
#include "base/utf8.h"
#include "fuzz.h"
#include "otel/otel_process.h"

enum { BASE = 0x1000 };

struct memory {
    const uint8_t *bytes;
    size_t len;
};

static int read_memory(void *with, uint64_t addr, void *dst, size_t len)
{
    const struct memory *m = with;
    if (addr < BASE || addr - BASE > m->len || len > m->len - (addr - BASE))
        return -1;
    memcpy(dst, m->bytes + (addr - BASE), len);
    return 0;
}

static void check_text(const char *text)
{
    size_t len = strlen(text);
    if (len == 0 || len > OTEL_PROCESS_TEXT || !utf8_is_plain(text, len))
        abort();
}

static void check(struct otel_process *p)
{
    if (p->attribute_count > OTEL_PROCESS_ATTRIBUTES || p->key_count > OTEL_PROCESS_KEYS)
        abort();
    for (uint32_t i = 0; i < p->attribute_count; i++) {
        check_text(p->attributes[i].key);
        check_text(p->attributes[i].value);
    }
    for (uint32_t i = 0; i < p->key_count; i++)
        if (p->keys[i])
            check_text(p->keys[i]);
    otel_process_done(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct memory m = {bytes, len};
    struct otel_process p;
    uint64_t addr;
    char *text = malloc(len + 1);
    if (!text)
        return 0;
    if (len > 0)
        memcpy(text, bytes, len);
    text[len] = '\0';
    (void)otel_process_is_mapping(text, &addr);
    free(text);
    if (otel_process_at(BASE, read_memory, &m, &p) == 0)
        check(&p);
    if (len <= OTEL_PROCESS_PAYLOAD && otel_process_decode(bytes, len, &p) == 0)
        check(&p);
    return 0;
}
