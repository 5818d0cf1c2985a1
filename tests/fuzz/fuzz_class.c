/*
 * fuzz_class.c - see fuzz_class.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz_class.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/arena.h"
#include "base/err.h"
#include "classfile/bytecode.h"
#include "classfile/classfile.h"
#include "weavecheck.h"

static void must(int condition, const char *promise)
{
    if (condition)
        return;
    fprintf(stderr, "broken promise: %s\n", promise);
    abort();
}

static bool is_injected(const struct instrument_result *r, uint32_t probe_count, uint32_t method)
{
    for (uint32_t p = 0; p < probe_count; p++)
        if (r->shares[p].rows[method].verdict == INSTRUMENT_INJECTED)
            return true;
    return false;
}

/* What was injected is a class file again, and its code is code. */
static void read_again(const struct instrument_result *r, uint32_t probe_count, struct arena *a)
{
    struct classfile c;
    struct bytecode_room room = {0};
    size_t at;
    must(classfile_read(&c, r->bytes, r->len, a, &at) == 0, "the result is a class file");
    must(c.method_count == r->row_count, "no method is lost or added");
    for (uint32_t i = 0; i < c.method_count; i++) {
        const struct classfile_method *m = c.methods + i;
        struct bytecode code;
        must(m->name.len == r->shares->rows[i].name.len, "names stay");
        if (is_injected(r, probe_count, i))
            must(bytecode_read(&code, m->code, m->code_len, &room, a) != E_FORMAT,
                 "injected code is code");
    }
}

void fuzz_class_inject(const struct instrument_probe *const *probes, uint32_t probe_count,
                       const uint8_t *bytes, size_t len, size_t budget)
{
    struct arena a;
    struct instrument_result r;
    arena_init(&a, budget);
    int error = instrument_class(probes, probe_count, bytes, len, &a, &r);
    must(error <= 0, "0 or a negative code");
    must(error == 0 || !r.bytes, "no bytes with an error");
    must(error == 0 || r.error_at <= len, "the error's place lies in the file");
    if (r.bytes)
        read_again(&r, probe_count, &a);
    arena_done(&a);
}

void fuzz_class_inject_in_turn(const struct instrument_probe *const *probes, uint32_t probe_count,
                               const uint8_t *bytes, size_t len)
{
    struct arena a;
    struct cpool_utf8 method;
    arena_init(&a, (size_t)256 << 20);
    must(weavecheck(probes, probe_count, bytes, len, &a, &method) >= 0,
         "at once is as one after the other");
    arena_done(&a);
}
