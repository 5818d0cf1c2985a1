/*
 * fuzz_classfile.c - the reader and the injector of class files.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/err.h"
#include "classfile/bytecode.h"
#include "classfile/classfile.h"
#include "classfile/instrument.h"

static void must(int condition, const char *promise)
{
    if (condition)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

/* What was injected is a class file again, and its code is code. */
static void read_again(const struct instrument_result *r, struct arena *a)
{
    struct classfile c;
    struct bytecode_room room = {0};
    size_t at;
    must(classfile_read(&c, r->bytes, r->len, a, &at) == 0, "the result is a class file");
    must(c.method_count == r->row_count, "no method is lost or added");
    for (uint32_t i = 0; i < c.method_count; i++) {
        const struct classfile_method *m = c.methods + i;
        struct bytecode code;
        must(m->name.len == r->rows[i].name.len, "names stay");
        if (r->rows[i].verdict == INSTRUMENT_INJECTED)
            must(bytecode_read(&code, m->code, m->code_len, &room, a) != E_FORMAT,
                 "injected code is code");
    }
}

static void inject(const uint8_t *bytes, size_t len, enum instrument_keep keep, int32_t first,
                   size_t budget)
{
    struct instrument_probe probe = {
        .tracker = "P",
        .enter = "enter",
        .exit = "exit",
        .kept = keep == INSTRUMENT_KEEP_ALL ? 'I' : 'J',
        .enter_keep = "enterKeep",
        .exit_keep = "exitKeep",
        .caught = "caught",
        .keep = keep,
        .first_number = first,
    };
    struct arena a;
    struct instrument_result r;
    arena_init(&a, budget);
    int error = instrument_class(&probe, bytes, len, &a, &r);
    must(error <= 0, "0 or a negative code");
    must(error == 0 || !r.bytes, "no bytes with an error");
    must(error == 0 || r.error_at <= len, "the error's place lies in the file");
    if (r.bytes)
        read_again(&r, &a);
    arena_done(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    inject(bytes, len, INSTRUMENT_KEEP_HANDLERS, 0, (size_t)64 << 20);
    inject(bytes, len, INSTRUMENT_KEEP_ALL, 40000, (size_t)64 << 20);
    inject(bytes, len, INSTRUMENT_KEEP_NONE, 300, 300 << 10); /* the end of memory is met too */
    return 0;
}
