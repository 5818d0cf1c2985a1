/*
 * instrument.c - inserts calls of trackers into the methods of a class file: see instrument.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/instrument.h"
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/rd.h"
#include "classfile/annotation.h"
#include "base/be.h"
#include "classfile/classfile.h"
#include "classfile/outbuf.h"
#include "classfile/weave.h"

enum {
    MAJOR_8 = 52,
    GROWTH_MAX = 16, /* the result may have, for each probe, 16 times the size of the input */
    GROWTH_ALLOWANCE = 1 << 20 /* and 1 MB more; only a file made for it needs as much */
};

/* A class that is being injected. */
struct job {
    struct classfile file;
    struct cpool_utf8 source_name;
    struct arena *arena;
    struct outbuf body; /* the new class from its access flags on */
    struct weave weave;
    struct weave_part parts[INSTRUMENT_PROBES_MAX];
    int32_t next_numbers[INSTRUMENT_PROBES_MAX];
};

const char *instrument_verdict_text(enum instrument_verdict v)
{
    static const char *const texts[] = {
#define V(name, text) text,
#include "instrument.def"
#undef V
    };
    return v < INSTRUMENT_VERDICT_COUNT ? texts[v] : "";
}

static bool is_tracker(const struct job *j)
{
    for (uint32_t i = 0; i < j->weave.part_count; i++)
        if (cpool_utf8_is(j->file.name, j->parts[i].probe->tracker))
            return true;
    return false;
}

/* The default verdict: whether the method is left alone, and why (docs/injection.md). */
static enum instrument_verdict advise(const struct job *j, const struct classfile_method *m)
{
    struct cpool_utf8 name = j->file.name;
    if (is_tracker(j))
        return INSTRUMENT_TRACKER;
    if (classfile_is_object_init(&j->file, m))
        return INSTRUMENT_OBJECT_INIT;
    /* JDK 8 crashes if this method is replaced. Later JDKs mark it as an intrinsic. */
    if (j->file.major <= MAJOR_8 && cpool_utf8_is(name, "java/lang/ref/Reference") &&
        cpool_utf8_is(m->name, "get"))
        return INSTRUMENT_OWN_ENTRY;
    unsigned flags = annotation_flags(&j->file.pool, m->annotations, m->annotations_len);
    if ((flags & ANNOTATION_CHANGES_THREAD) || cpool_utf8_starts(name, "java/lang/VirtualThread") ||
        cpool_utf8_starts(name, "jdk/internal/vm/Continuation"))
        return INSTRUMENT_CHANGES_THREAD;
    return flags & ANNOTATION_INTRINSIC ? INSTRUMENT_INTRINSIC : INSTRUMENT_INJECTED;
}

/* Describes a method that has code, for a selector. */
static struct instrument_method describe(const struct job *j, const struct classfile_method *m)
{
    struct rd r;
    rd_init(&r, m->code, m->code_len);
    rd_skip(&r, 4);
    uint32_t code_bytes = rd_u4(&r);
    rd_skip(&r, code_bytes);
    return (struct instrument_method){
        .pool = &j->file.pool,
        .class_name = j->file.name,
        .source_name = j->source_name,
        .super_name = j->file.super,
        .name = m->name,
        .desc = m->desc,
        .class_access = j->file.access,
        .access = m->access,
        .code_bytes = code_bytes,
        .handlers = rd_u2(&r),
        .advice = advise(j, m),
    };
}

/* Asks the selector whether the probe is wanted in the method. Sets the number (-1: not wanted) and
 * the verdict. */
static void select_part(const struct job *j, struct weave_part *part, int32_t next_number,
                        const struct instrument_method *m)
{
    part->number = -1;
    part->verdict = m->advice;
    if (part->probe->select)
        part->number = part->probe->select(part->probe->context, m);
    else if (m->advice == INSTRUMENT_INJECTED)
        part->number = next_number;
    if (m->advice == INSTRUMENT_INJECTED && part->number < 0)
        part->verdict = INSTRUMENT_NOT_SELECTED;
    if (part->number >= 0 && j->file.major == CLASSFILE_MAJOR_MIN && j->file.minor < 3) {
        part->verdict = INSTRUMENT_OLD_SHAPE;
        part->number = -1;
    }
}

/* Asks the selectors of all probes. Returns whether at least one probe is wanted in the method. */
static int select_parts(struct job *j, const struct classfile_method *m)
{
    struct instrument_method info = {0};
    bool is_any = false;
    if (m->code_at != 0)
        info = describe(j, m);
    for (uint32_t i = 0; i < j->weave.part_count; i++) {
        struct weave_part *part = j->parts + i;
        part->number = -1;
        part->verdict = INSTRUMENT_NO_CODE;
        if (m->code_at != 0)
            select_part(j, part, j->next_numbers[i], &info);
        is_any |= part->number >= 0;
    }
    return is_any;
}

/* Notes the result of each probe in method `at`. Returns how many probes were injected. */
static uint32_t note_parts(struct job *j, uint32_t at, struct instrument_result *ret)
{
    const struct classfile_method *m = j->file.methods + at;
    uint32_t injected = 0;
    for (uint32_t i = 0; i < j->weave.part_count; i++) {
        const struct weave_part *part = j->parts + i;
        struct instrument_share *share = ret->shares + i;
        bool is_injected = part->number >= 0 && part->verdict == INSTRUMENT_INJECTED;
        share->rows[at] = (struct instrument_row){m->name, m->desc, is_injected ? part->number : -1,
                                                  part->verdict};
        share->injected += (uint32_t)is_injected;
        j->next_numbers[i] += is_injected;
        injected += (uint32_t)is_injected;
    }
    return injected;
}

/* Appends the method to j->body. Returns 0, or an error that stops the whole class. */
static int inject_method(struct job *j, uint32_t at, struct instrument_result *ret)
{
    const struct classfile_method *m = j->file.methods + at;
    const uint8_t *file = j->file.bytes;
    size_t begin = j->body.len;
    if (select_parts(j, m)) {
        outbuf_bytes(&j->body, file + m->begin, m->code_at + 2 - m->begin);
        size_t len_at = j->body.len;
        outbuf_u4(&j->body, 0);
        int error = weave_code(&j->weave, m, &j->body);
        if (error != 0)
            return error;
        outbuf_set_u4(&j->body, len_at, (uint32_t)(j->body.len - len_at - 4));
        size_t rest = m->code_at + 6 + m->code_len;
        outbuf_bytes(&j->body, file + rest, m->end - rest);
    }
    if (note_parts(j, at, ret) == 0) {
        outbuf_cut(&j->body, begin);
        outbuf_bytes(&j->body, file + m->begin, m->end - m->begin);
    }
    return j->body.error;
}

/* Joins the head and the pool of the input, the added constants, and the new body. */
static int join(struct job *j, struct instrument_result *ret)
{
    enum { COUNT_AT = 8, POOL_AT = 10 };
    const struct classfile *f = &j->file;
    size_t added = f->pool.added.len;
    ret->len = f->pool_end + added + j->body.len;
    uint8_t *to = arena_alloc(j->arena, ret->len);
    if (!to)
        return -ENOMEM;
    memcpy(to, f->bytes, f->pool_end);
    be_put2(to + COUNT_AT, (uint16_t)f->pool.next);
    if (added > 0)
        memcpy(to + f->pool_end, f->pool.added.bytes, added);
    memcpy(to + f->pool_end + added, j->body.bytes, j->body.len);
    ret->bytes = to;
    return 0;
}

static int inject_class(struct job *j, struct instrument_result *ret)
{
    const struct classfile *f = &j->file;
    size_t methods_at = f->method_count > 0 ? f->methods[0].begin : f->methods_end;
    uint32_t injected = 0;
    outbuf_init(&j->body, j->arena, f->len + f->len / 2 + 1024,
                GROWTH_MAX * (size_t)j->weave.part_count * f->len + GROWTH_ALLOWANCE);
    outbuf_bytes(&j->body, f->bytes + f->pool_end, methods_at - f->pool_end);
    for (uint32_t i = 0; i < f->method_count; i++) {
        int error = inject_method(j, i, ret);
        if (error != 0)
            return error;
    }
    for (uint32_t i = 0; i < j->weave.part_count; i++)
        injected += ret->shares[i].injected;
    outbuf_bytes(&j->body, f->bytes + f->methods_end, f->len - f->methods_end);
    if (injected == 0 || j->body.error != 0)
        return j->body.error;
    return join(j, ret);
}

/* Allocates memory for the results of all probes. */
static int make_shares(const struct job *j, struct instrument_result *ret)
{
    uint32_t probes = j->weave.part_count;
    ret->row_count = j->file.method_count;
    ret->shares = arena_alloc(j->arena, probes * sizeof(*ret->shares));
    struct instrument_row *rows =
        arena_alloc(j->arena, (size_t)probes * ret->row_count * sizeof(*rows));
    if (!ret->shares || !rows)
        return -ENOMEM;
    for (uint32_t i = 0; i < probes; i++)
        ret->shares[i] = (struct instrument_share){.rows = rows + (size_t)i * ret->row_count};
    return 0;
}

int instrument_class(const struct instrument_probe *const *probes, uint32_t probe_count,
                     const void *bytes, size_t len, struct arena *a, struct instrument_result *ret)
{
    struct job j = {.arena = a};
    *ret = (struct instrument_result){0};
    if (probe_count > INSTRUMENT_PROBES_MAX)
        return E_LIMIT;
    int error = classfile_read(&j.file, bytes, len, a, &ret->error_at);
    if (error != 0)
        return error;
    j.source_name = classfile_source_name(&j.file);
    j.weave =
        (struct weave){.file = &j.file, .parts = j.parts, .part_count = probe_count, .arena = a};
    for (uint32_t i = 0; i < probe_count; i++) {
        j.parts[i].probe = probes[i];
        j.next_numbers[i] = probes[i]->first_number;
    }
    ret->class_name = j.file.name;
    ret->major = j.file.major;
    ret->has_nan = cpool_has_nan(&j.file.pool);
    error = make_shares(&j, ret);
    return error == 0 ? inject_class(&j, ret) : error;
}
