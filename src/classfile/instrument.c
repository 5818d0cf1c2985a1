/*
 * instrument.c - puts calls of a tracker into the methods of a class file: see instrument.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/instrument.h"
#include <errno.h>
#include <string.h>
#include "base/arena.h"
#include "base/err.h"
#include "base/rd.h"
#include "classfile/allocsite.h"
#include "classfile/annotation.h"
#include "classfile/attribute.h"
#include "classfile/be.h"
#include "classfile/classfile.h"
#include "classfile/codemove.h"
#include "classfile/codeplan.h"
#include "classfile/cpool_add.h"
#include "classfile/outbuf.h"
#include "classfile/probecode.h"

enum {
    MAJOR_8 = 52,
    MARK_FRAMES_FROM = 2048,   /* shorter code cannot grow so far that a jump does not reach */
    GROWTH_MAX = 16,           /* times the input, and */
    GROWTH_ALLOWANCE = 1 << 20 /* more: only a file made for it needs as much */
};

/* One class being injected, and the memory that its methods use one after the other. */
struct job {
    const struct instrument_probe *probe;
    struct classfile file;
    struct cpool_utf8 source_name;
    struct arena *arena;
    struct outbuf body; /* from the class's access flags on */
    struct probecode refs;
    struct bytecode_room code_room;
    struct stackmap_room map_room;
    uint32_t *at; /* struct codeplan's */
    uint32_t at_cap;
    int32_t next_number;
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

static int is_object_init(const struct job *j, const struct classfile_method *m)
{
    return j->file.super.len == 0 && cpool_utf8_is(m->name, "<init>");
}

/* What is left alone by default, and why: docs/injection.md. */
static enum instrument_verdict advise(const struct job *j, const struct classfile_method *m)
{
    struct cpool_utf8 name = j->file.name;
    if (cpool_utf8_is(name, j->probe->tracker))
        return INSTRUMENT_TRACKER;
    if (is_object_init(j, m))
        return INSTRUMENT_OBJECT_INIT;
    /* JDK 8 dies when it was replaced; later JDKs mark it as an intrinsic. */
    if (j->file.major <= MAJOR_8 && cpool_utf8_is(name, "java/lang/ref/Reference") &&
        cpool_utf8_is(m->name, "get"))
        return INSTRUMENT_OWN_ENTRY;
    unsigned flags = annotation_flags(&j->file.pool, m->annotations, m->annotations_len);
    if ((flags & ANNOTATION_CHANGES_THREAD) || cpool_utf8_starts(name, "java/lang/VirtualThread") ||
        cpool_utf8_starts(name, "jdk/internal/vm/Continuation"))
        return INSTRUMENT_CHANGES_THREAD;
    return flags & ANNOTATION_INTRINSIC ? INSTRUMENT_INTRINSIC : INSTRUMENT_INJECTED;
}

/* Asks whether to inject. The number, or -1 and the verdict. */
static int32_t select_method(struct job *j, const struct classfile_method *m,
                             enum instrument_verdict *ret_verdict)
{
    struct rd r;
    rd_init(&r, m->code, m->code_len);
    rd_skip(&r, 4);
    uint32_t code_bytes = rd_u4(&r);
    rd_skip(&r, code_bytes);
    struct instrument_method info = {
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
    int32_t number = -1;
    if (j->probe->select)
        number = j->probe->select(j->probe->context, &info);
    else if (info.advice == INSTRUMENT_INJECTED)
        number = j->next_number;
    *ret_verdict =
        info.advice == INSTRUMENT_INJECTED && number < 0 ? INSTRUMENT_NOT_SELECTED : info.advice;
    return number;
}

/* The StackMapTable among the attributes of Code; `bytes` stays NULL without one. */
static int find_frames(const struct job *j, const struct bytecode *c, struct stackmap *map)
{
    struct rd r;
    struct attribute a;
    rd_init(&r, c->attribute, c->attribute_len);
    rd_skip(&r, c->attributes_at);
    for (unsigned n = rd_u2(&r); n > 0 && attribute_next(&r, &j->file.pool, &a) == 0; n--) {
        /* Older VMs' files may have anything under that name: their verifier does not look. */
        if (j->file.major < CLASSFILE_MAJOR_FRAMES || !cpool_utf8_is(a.name, "StackMapTable"))
            continue;
        if (map->bytes)
            return E_FORMAT;
        map->bytes = a.bytes;
        map->len = a.len;
    }
    return r.error != 0 ? E_FORMAT : 0;
}

static int make_plan(struct job *j, struct codeplan *plan, const struct stackmap *map)
{
    struct bytecode *c = plan->code;
    plan->has_frames = map->bytes != NULL;
    if (c->len + 1 > j->at_cap) {
        j->at_cap = 2 * c->len + 512;
        j->at = arena_alloc(j->arena, j->at_cap * sizeof *j->at);
        if (!j->at) {
            j->at_cap = 0;
            return -ENOMEM;
        }
    }
    plan->at = j->at;
    int error = 0;
    if (plan->has_frames && c->len >= MARK_FRAMES_FROM)
        error = stackmap_mark(map, &j->map_room, j->arena);
    return error == 0 ? codeplan_make(plan) : error;
}

/* Finds where the method makes objects. 0: nowhere. */
static int mark_objects(const struct job *j, const struct classfile_method *m, struct bytecode *c)
{
    if (allocsite_mark(&j->file.pool, c) == 0)
        return is_object_init(j, m);
    bytecode_list_events(c); /* it has been read once already: no error */
    return 1;
}

/* Writes the new Code attribute behind what is in j->body. 0 and the verdict, or what stops the
 * whole class. */
static int inject_code(struct job *j, const struct classfile_method *m, int32_t number,
                       enum instrument_verdict *ret_verdict)
{
    struct bytecode c;
    *ret_verdict = INSTRUMENT_MALFORMED;
    int error = bytecode_read(&c, m->code, m->code_len, &j->code_room, j->arena);
    if (error != 0)
        return error == -ENOMEM ? error : 0;
    int makes_objects = j->probe->array != NULL;
    if (makes_objects && !mark_objects(j, m, &c)) {
        *ret_verdict = INSTRUMENT_NOT_SELECTED;
        return 0;
    }
    struct codeplan plan = {.code = &c};
    int is_kept = j->probe->keep == INSTRUMENT_KEEP_ALL ||
                  (j->probe->keep == INSTRUMENT_KEEP_HANDLERS && c.handler_count > 0);
    uint32_t slots = is_kept && j->probe->kept == 'J' ? 2 : 1;
    struct codemove move = {
        .plan = &plan,
        .map = {.file = &j->file, .method = m, .code = &c, .kept = is_kept ? j->probe->kept : 0},
        .max_stack = (uint16_t)(c.max_stack + slots),
        .max_locals = (uint16_t)(c.max_locals + (is_kept ? slots : 0)),
        .room = &j->map_room,
        .arena = j->arena,
    };
    if (move.max_stack < c.max_stack || move.max_locals < c.max_locals) {
        *ret_verdict = INSTRUMENT_STACK_LIMIT;
        return 0;
    }
    if (find_frames(j, &c, &move.map) != 0)
        return 0;
    int is_made = makes_objects ? probecode_make_objects(&j->refs, j->probe, &j->file.pool,
                                                         is_object_init(j, m), &plan)
                                : probecode_make(&j->refs, j->probe, &j->file.pool, number, is_kept,
                                                 c.max_locals, &plan);
    if (!is_made) {
        *ret_verdict = INSTRUMENT_POOL_LIMIT;
        return 0;
    }
    error = make_plan(j, &plan, &move.map);
    if (error == E_LIMIT)
        *ret_verdict = INSTRUMENT_CODE_LIMIT;
    else if (error == E_RANGE)
        *ret_verdict = INSTRUMENT_FAR;
    else if (error == 0 && c.len <= j->probe->huge_bytes && plan.new_len > j->probe->huge_bytes)
        *ret_verdict = INSTRUMENT_HUGE;
    else if (error == 0)
        error = codemove_write(&move, &j->body);
    if (error == -ENOMEM || j->body.error != 0)
        return error == -ENOMEM ? error : j->body.error;
    if (error == E_LIMIT && *ret_verdict == INSTRUMENT_MALFORMED)
        *ret_verdict = INSTRUMENT_TABLE_LIMIT;
    if (error == 0 && *ret_verdict == INSTRUMENT_MALFORMED)
        *ret_verdict = INSTRUMENT_INJECTED;
    return 0;
}

static int inject_method(struct job *j, const struct classfile_method *m,
                         struct instrument_row *row)
{
    const uint8_t *file = j->file.bytes;
    size_t begin = j->body.len;
    *row = (struct instrument_row){m->name, m->desc, -1, INSTRUMENT_NO_CODE};
    int32_t number = -1;
    if (m->code_at != 0)
        number = select_method(j, m, &row->verdict);
    if (number >= 0 && j->file.major == CLASSFILE_MAJOR_MIN && j->file.minor < 3) {
        row->verdict = INSTRUMENT_OLD_SHAPE;
        number = -1;
    }
    if (number >= 0) {
        outbuf_bytes(&j->body, file + m->begin, m->code_at + 2 - m->begin);
        size_t len_at = j->body.len;
        outbuf_u4(&j->body, 0);
        int error = inject_code(j, m, number, &row->verdict);
        if (error != 0)
            return error;
        outbuf_set_u4(&j->body, len_at, (uint32_t)(j->body.len - len_at - 4));
        size_t rest = m->code_at + 6 + m->code_len;
        outbuf_bytes(&j->body, file + rest, m->end - rest);
    }
    if (number >= 0 && row->verdict == INSTRUMENT_INJECTED) {
        row->number = number;
        j->next_number++;
    } else {
        outbuf_cut(&j->body, begin);
        outbuf_bytes(&j->body, file + m->begin, m->end - m->begin);
    }
    return j->body.error;
}

/* Head and pool of the input, what was added to the pool, the new body. */
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
    outbuf_init(&j->body, j->arena, f->len + f->len / 2 + 1024,
                GROWTH_MAX * f->len + GROWTH_ALLOWANCE);
    outbuf_bytes(&j->body, f->bytes + f->pool_end, methods_at - f->pool_end);
    for (uint32_t i = 0; i < f->method_count; i++) {
        int error = inject_method(j, f->methods + i, ret->rows + i);
        if (error != 0)
            return error;
        ret->injected += ret->rows[i].verdict == INSTRUMENT_INJECTED;
    }
    outbuf_bytes(&j->body, f->bytes + f->methods_end, f->len - f->methods_end);
    if (ret->injected == 0 || j->body.error != 0)
        return j->body.error;
    return join(j, ret);
}

int instrument_class(const struct instrument_probe *probe, const void *bytes, size_t len,
                     struct arena *a, struct instrument_result *ret)
{
    struct job j = {.probe = probe, .arena = a, .next_number = probe->first_number};
    *ret = (struct instrument_result){0};
    int error = classfile_read(&j.file, bytes, len, a, &ret->error_at);
    if (error != 0)
        return error;
    j.source_name = classfile_source_name(&j.file);
    ret->class_name = j.file.name;
    ret->major = j.file.major;
    ret->row_count = j.file.method_count;
    ret->rows = arena_alloc(a, j.file.method_count * sizeof *ret->rows);
    return ret->rows ? inject_class(&j, ret) : -ENOMEM;
}
