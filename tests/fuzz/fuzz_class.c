/*
 * fuzz_class.c - see fuzz_class.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_class.h"
#include <stdio.h>
#include <stdlib.h>
#include "base/arena.h"
#include "base/err.h"
#include "classfile/bytecode.h"
#include "classfile/classfile.h"

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

void fuzz_class_inject(const struct instrument_probe *probe, const uint8_t *bytes, size_t len,
                       size_t budget)
{
    struct arena a;
    struct instrument_result r;
    arena_init(&a, budget);
    int error = instrument_class(probe, bytes, len, &a, &r);
    must(error <= 0, "0 or a negative code");
    must(error == 0 || !r.bytes, "no bytes with an error");
    must(error == 0 || r.error_at <= len, "the error's place lies in the file");
    if (r.bytes)
        read_again(&r, &a);
    arena_done(&a);
}
