/*
 * weave.c - inserts the probes of one method into its code at once: see weave.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "classfile/weave.h"
#include <errno.h>
#include "base/arena.h"
#include "base/be.h"
#include "base/err.h"
#include "base/rd.h"
#include "classfile/bytecode.h"
#include "classfile/classfile.h"
#include "classfile/codemove.h"
#include "classfile/codeplan.h"
#include "classfile/cpool.h"
#include "classfile/outbuf.h"

/* in shorter code each jump still reaches its target after the probes are inserted */
enum { MARK_FRAMES_FROM = 2048 };

/* One attempt to weave a method, with some of the parts. */
struct attempt {
    uint32_t parts;      /* a bit for each part that takes part */
    uint32_t judged;     /* the parts whose limit of length counts */
    uint32_t before_len; /* the limit counts only if the code was not longer than it before */
    uint32_t new_len;    /* length of the result */
};

static bool has_part(uint32_t parts, uint32_t i)
{
    return parts >> i & 1;
}

/* Finds the StackMapTable among the attributes of Code. Without one `bytes` stays NULL. */
static int find_frames(const struct weave *w, const struct bytecode *c, struct frames_map *map)
{
    struct rd r;
    struct classfile_attribute a;
    rd_init(&r, c->attribute, c->attribute_len);
    rd_skip(&r, c->attributes_at);
    for (unsigned n = rd_u2(&r); n > 0 && classfile_next_attribute(&r, &w->file->pool, &a) == 0;
         n--) {
        /* Files of older versions may have anything under this name, because their verifier ignores
         * it. */
        if (w->file->major < CLASSFILE_MAJOR_FRAMES || !cpool_utf8_is(a.name, "StackMapTable"))
            continue;
        if (map->bytes)
            return E_FORMAT;
        map->bytes = a.bytes;
        map->len = a.len;
    }
    return r.error != 0 ? E_FORMAT : 0;
}

static int make_plan(struct weave *w, struct codeplan *plan, const struct frames_map *map)
{
    struct bytecode *c = plan->code;
    plan->has_frames = map->bytes != NULL;
    if (c->len + 1 > w->at_cap) {
        w->at_cap = 2 * c->len + 512;
        w->at = arena_alloc(w->arena, w->at_cap * sizeof(*w->at));
        if (!w->at) {
            w->at_cap = 0;
            return -ENOMEM;
        }
    }
    plan->at = w->at;
    int error = 0;
    if (plan->has_frames && c->len >= MARK_FRAMES_FROM)
        error = stackmap_mark(map, &w->map_room, w->arena);
    return error == 0 ? codeplan_make(plan) : error;
}

/* ---- instructions that leave a new object on the stack */

/* Arrays have their own instructions. Other objects pass the constructor Object.<init>. The few
 * objects that do neither come from a few methods of the JDK, whose calls are found by name:
 * clone() of arrays and super.clone(); the natives behind Array.newInstance and
 * Unsafe.allocateInstance; and Arrays.copyOf and copyOfRange with a class, because the JIT compiler
 * replaces these calls by code that makes the array. An override of clone() may return an object
 * that was counted before. A row is: instruction, class, method, descriptor; NULL matches any. */
static const struct {
    uint8_t op;
    const char *klass, *name, *desc;
} calls[] = {
    {OP_INVOKESPECIAL, NULL, "clone", "()Ljava/lang/Object;"},
    {OP_INVOKEVIRTUAL, "java/lang/Object", "clone", "()Ljava/lang/Object;"},
    {OP_INVOKESTATIC, "java/lang/reflect/Array", "newArray", NULL},
    {OP_INVOKESTATIC, "java/lang/reflect/Array", "multiNewArray", NULL},
    {OP_INVOKEVIRTUAL, "sun/misc/Unsafe", "allocateInstance", NULL},
    {OP_INVOKESTATIC, "java/util/Arrays", "copyOf",
     "([Ljava/lang/Object;ILjava/lang/Class;)[Ljava/lang/Object;"},
    {OP_INVOKESTATIC, "java/util/Arrays", "copyOfRange",
     "([Ljava/lang/Object;IILjava/lang/Class;)[Ljava/lang/Object;"},
};

static bool makes_object(const struct cpool *pool, const struct bytecode *c, uint32_t pc)
{
    struct cpool_utf8 klass, name, desc;
    uint8_t op = c->code[pc];
    if (!cpool_method_at(pool, be_2(c->code + pc + 1), &klass, &name, &desc))
        return false;
    if (op == OP_INVOKEVIRTUAL && cpool_utf8_starts(klass, "[") && cpool_utf8_is(name, "clone"))
        return true;
    for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        if (op == calls[i].op && (!calls[i].klass || cpool_utf8_is(klass, calls[i].klass)) &&
            cpool_utf8_is(name, calls[i].name) &&
            (!calls[i].desc || cpool_utf8_is(desc, calls[i].desc)))
            return true;
    return false;
}

/* Set BYTECODE_MAKES on the instructions that leave a new object on the stack. Returns how many
 * there are. bytecode_list_events() is to be called after it. */
static uint32_t mark_makers(const struct cpool *pool, struct bytecode *c)
{
    uint32_t n = 0;
    for (uint32_t pc = 0; pc < c->len; pc++) {
        int makes = 0;
        if (!(c->marks[pc] & BYTECODE_BEGIN))
            continue;
        switch (c->code[pc]) {
        case OP_NEWARRAY:
        case OP_ANEWARRAY:
        case OP_MULTIANEWARRAY:
            makes = 1;
            break;
        case OP_INVOKEVIRTUAL:
        case OP_INVOKESPECIAL:
        case OP_INVOKESTATIC:
            makes = makes_object(pool, c, pc);
            break;
        default:
            break;
        }
        if (makes) {
            c->marks[pc] |= BYTECODE_MAKES;
            n++;
        }
    }
    return n;
}

/* ---- the parts of a method */

/* Finds where the method makes objects, if a part asks for that. If there is no such place, the
 * parts that ask are dropped. */
static void mark_objects(struct weave *w, const struct classfile_method *m, struct bytecode *c,
                         struct attempt *t)
{
    uint32_t asking = 0;
    for (uint32_t i = 0; i < w->part_count; i++)
        if (has_part(t->parts, i) && w->parts[i].probe->array)
            asking |= 1u << i;
    if (asking == 0)
        return;
    if (mark_makers(&w->file->pool, c) > 0)
        bytecode_list_events(c); /* no error: the code was read before */
    else if (!classfile_is_object_init(w->file, m))
        t->parts &= ~asking;
}

/* Whether an instruction writes a local below `end`. Then the local may hold something else at a
 * return. */
static bool is_lost(const struct bytecode *c, int32_t end)
{
    for (uint32_t pc = 0; pc < c->len; pc++) {
        int32_t stored = c->marks[pc] & BYTECODE_BEGIN ? opcode_stores(c->code + pc) : -1;
        if (stored >= 0 && stored < end)
            return true;
    }
    return false;
}

/* Drops the parts that want the object of a constructor, if the method is no constructor or may
 * have overwritten the object. */
static void mark_constructors(struct weave *w, const struct classfile_method *m,
                              const struct bytecode *c, struct attempt *t)
{
    for (uint32_t i = 0; i < w->part_count; i++)
        if (has_part(t->parts, i) && w->parts[i].probe->constructed &&
            (!cpool_utf8_is(m->name, "<init>") || is_lost(c, 1)))
            t->parts &= ~(1u << i);
}

static bool is_static(const struct classfile_method *m)
{
    return (m->access & CLASSFILE_STATIC) != 0;
}

/* Drops the parts that want the arguments of a method, if the method may have overwritten them. */
static void mark_arguments(struct weave *w, const struct classfile_method *m,
                           const struct bytecode *c, struct attempt *t)
{
    int32_t end = probecode_arguments_of(m->desc, is_static(m)).end;
    for (uint32_t i = 0; i < w->part_count; i++)
        if (has_part(t->parts, i) && w->parts[i].probe->has_arguments && is_lost(c, end))
            t->parts &= ~(1u << i);
}

/* Whether the method releases a monitor when it ends, and its object is known there. The object of
 * a static method is the Class constant; class files from before Java 5 cannot load it. */
static bool gives_back(const struct weave *w, const struct classfile_method *m,
                       const struct bytecode *c)
{
    return (m->access & CLASSFILE_SYNCHRONIZED) &&
           (is_static(m) ? w->file->major >= CLASSFILE_MAJOR_CLASSES : !is_lost(c, 1));
}

/* Whether an instruction lies in a handler that covers itself. Compilers make such handlers for
 * synchronized blocks. A call there that overflows the stack would be repeated for ever. */
static bool is_in_own_handler(const struct bytecode *c, uint32_t pc)
{
    for (uint32_t i = 0; i < c->handler_count; i++) {
        const uint8_t *h = c->handlers + 8 * (size_t)i;
        uint32_t start = be_2(h), end = be_2(h + 2), handler = be_2(h + 4);
        if (start <= handler && handler <= pc && pc < end)
            return true;
    }
    return false;
}

static bool mark_monitorexits(struct bytecode *c)
{
    bool is_any = false;
    for (uint32_t pc = 0; pc < c->len; pc++) {
        if (!(c->marks[pc] & BYTECODE_BEGIN) || c->code[pc] != OP_MONITOREXIT ||
            is_in_own_handler(c, pc))
            continue;
        c->marks[pc] |= BYTECODE_UNLOCKS;
        is_any = true;
    }
    if (is_any)
        bytecode_list_events(c); /* no error: the code was read before */
    return is_any;
}

/* Finds where the method releases monitors. If there is no such place, the parts that ask are
 * dropped. */
static void mark_unlocks(struct weave *w, const struct classfile_method *m, struct bytecode *c,
                         struct attempt *t)
{
    uint32_t asking = 0;
    for (uint32_t i = 0; i < w->part_count; i++)
        if (has_part(t->parts, i) && w->parts[i].probe->unlock)
            asking |= 1u << i;
    if (asking != 0 && !mark_monitorexits(c) && !gives_back(w, m, c))
        t->parts &= ~asking;
}

/* How many slots of locals a part needs if it keeps a value. */
static uint32_t slots_of(const struct instrument_probe *probe, bool is_kept)
{
    return is_kept && probe->kept == 'J' ? 2 : 1;
}

/* How many slots of the stack a call of the part needs. */
static uint32_t stack_of(const struct instrument_probe *probe, bool is_kept)
{
    enum { NUMBER = 1, OBJECT = 1, LONG = 2, THROWN = 1 };
    if (probe->unlock)
        return OBJECT + THROWN;
    return (probe->keep == INSTRUMENT_KEEP_UNWOUND ? 2 * THROWN : 0) + slots_of(probe, is_kept) +
           (probe->has_arguments ? NUMBER + OBJECT + LONG : 0) + (probe->has_object ? OBJECT : 0);
}

static bool is_kept(const struct instrument_probe *probe, const struct bytecode *c)
{
    return probe->keep == INSTRUMENT_KEEP_ALL || probe->keep == INSTRUMENT_KEEP_UNWOUND ||
           (probe->keep == INSTRUMENT_KEEP_HANDLERS && c->handler_count > 0);
}

/* Assigns the new locals: each kept value lies behind those of earlier parts. Fills in the sizes of
 * `move` and the kept types. Returns 0 if the sizes are too large. */
static int lay_out_locals(const struct weave *w, const struct attempt *t, const struct bytecode *c,
                          struct codemove *move, char *ret_kept, uint32_t *ret_locals)
{
    uint32_t stack = 0;
    uint32_t locals = c->max_locals;
    for (uint32_t i = 0; i < w->part_count; i++) {
        const struct instrument_probe *probe = w->parts[i].probe;
        if (!has_part(t->parts, i))
            continue;
        uint32_t slots = slots_of(probe, is_kept(probe, c));
        uint32_t pushed = stack_of(probe, is_kept(probe, c));
        stack = pushed > stack ? pushed : stack;
        ret_locals[i] = locals;
        if (is_kept(probe, c)) {
            *ret_kept++ = probe->kept;
            locals += slots;
        }
    }
    *ret_kept = '\0';
    move->max_stack = (uint16_t)(c->max_stack + stack);
    move->max_locals = (uint16_t)locals;
    return c->max_stack + stack <= UINT16_MAX && locals <= UINT16_MAX;
}

/* Whether the method may get a handler behind its entry. A handler that gives back a monitor must
 * cover the entry too, so a method has one or the other. */
static bool can_unwind(const struct weave *w, const struct classfile_method *m,
                       const struct attempt *t)
{
    for (uint32_t i = 0; i < w->part_count; i++)
        if (has_part(t->parts, i) && w->parts[i].probe->unlock)
            return false;
    return !cpool_utf8_is(m->name, "<init>");
}

/* Makes the instructions of each part. Returns how many parts there are; 0: the constant pool is
 * full. */
static uint32_t make_probes(struct weave *w, const struct classfile_method *m,
                            const struct attempt *t, const struct bytecode *c,
                            const uint32_t *locals, struct codeplan_probe *ret)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->part_count; i++) {
        struct weave_part *part = w->parts + i;
        if (!has_part(t->parts, i))
            continue;
        const struct probecode_method what = {
            .number = part->number,
            .is_kept = is_kept(part->probe, c),
            .local = (uint16_t)locals[i],
            .has_handlers = c->handler_count > 0,
            .is_object_init = classfile_is_object_init(w->file, m),
            .is_constructor = cpool_utf8_is(m->name, "<init>"),
            .desc = m->desc,
            .is_static = is_static(m),
            .gives_back = gives_back(w, m, c),
            .can_unwind = can_unwind(w, m, t),
            .this_class = w->file->this_index,
        };
        ret[n] = (struct codeplan_probe){0};
        if (!probecode_make(&part->refs, part->probe, &w->file->pool, &what, ret + n))
            return 0;
        n++;
    }
    return n;
}

static bool is_too_long(const struct weave *w, const struct attempt *t)
{
    for (uint32_t i = 0; i < w->part_count; i++) {
        uint32_t most = w->parts[i].probe->huge_bytes;
        if (has_part(t->judged, i) && t->before_len <= most && t->new_len > most)
            return true;
    }
    return false;
}

/* The verdict for an error that concerns only this method. */
static enum instrument_verdict verdict_of(int error, enum instrument_verdict with_limit)
{
    switch (error) {
    case 0:
        return INSTRUMENT_INJECTED;
    case E_LIMIT:
        return with_limit;
    case E_RANGE:
        return INSTRUMENT_FAR;
    default:
        return INSTRUMENT_MALFORMED;
    }
}

/* Adds the name "StackMapTable" if unwind needs a frame and the method has no frames. Returns 0 if
 * the constant pool is full. */
static int name_frames(struct weave *w, const struct codeplan *plan, struct codemove *move)
{
    static const char name[] = "StackMapTable";
    if (plan->unwind_len == 0 || move->map.bytes || w->file->major < CLASSFILE_MAJOR_FRAMES)
        return 1;
    move->frames_name = cpool_add_utf8(&w->file->pool, name, sizeof(name) - 1);
    return move->frames_name != 0;
}

/* Writes the attribute with the parts of `t`. Returns 0 and the verdict, or an error that stops the
 * whole class. Parts that have nothing to do are removed from t->parts. */
static int try_parts(struct weave *w, const struct classfile_method *m, struct attempt *t,
                     struct outbuf *o, enum instrument_verdict *ret_verdict)
{
    struct bytecode c;
    struct codeplan_probe probes[INSTRUMENT_PROBES_MAX];
    uint32_t locals[INSTRUMENT_PROBES_MAX];
    char kept[INSTRUMENT_PROBES_MAX + 1];
    *ret_verdict = INSTRUMENT_MALFORMED;
    int error = bytecode_read(&c, m->code, m->code_len, &w->code_room, w->arena);
    if (error != 0)
        return error == -ENOMEM ? error : 0;
    mark_objects(w, m, &c, t);
    mark_constructors(w, m, &c, t);
    mark_arguments(w, m, &c, t);
    mark_unlocks(w, m, &c, t);
    if (t->parts == 0)
        return 0;
    struct codeplan plan = {.code = &c, .probes = probes};
    struct codemove move = {
        .plan = &plan,
        .map = {.file = w->file, .method = m, .code = &c, .kept = kept},
        .room = &w->map_room,
        .arena = w->arena,
    };
    if (!lay_out_locals(w, t, &c, &move, kept, locals)) {
        *ret_verdict = INSTRUMENT_STACK_LIMIT;
        return 0;
    }
    if (find_frames(w, &c, &move.map) != 0)
        return 0;
    plan.probe_count = make_probes(w, m, t, &c, locals, probes);
    if (plan.probe_count == 0) {
        *ret_verdict = INSTRUMENT_POOL_LIMIT;
        return 0;
    }
    error = make_plan(w, &plan, &move.map);
    if (error == 0 && !name_frames(w, &plan, &move)) {
        *ret_verdict = INSTRUMENT_POOL_LIMIT;
        return 0;
    }
    *ret_verdict = verdict_of(error, INSTRUMENT_CODE_LIMIT);
    t->new_len = plan.new_len;
    if (t->before_len == 0)
        t->before_len = c.len;
    if (error == 0 && is_too_long(w, t)) {
        *ret_verdict = INSTRUMENT_HUGE;
    } else if (error == 0) {
        error = codemove_write(&move, o);
        *ret_verdict = verdict_of(error, INSTRUMENT_TABLE_LIMIT);
    }
    return error == -ENOMEM ? error : o->error;
}

static void set_verdicts(struct weave *w, uint32_t parts, enum instrument_verdict verdict)
{
    for (uint32_t i = 0; i < w->part_count; i++)
        if (has_part(parts, i))
            w->parts[i].verdict = verdict;
}

/* Whether fewer probes might fit. */
static bool is_limit(enum instrument_verdict v)
{
    return v == INSTRUMENT_CODE_LIMIT || v == INSTRUMENT_TABLE_LIMIT || v == INSTRUMENT_FAR ||
           v == INSTRUMENT_HUGE || v == INSTRUMENT_POOL_LIMIT || v == INSTRUMENT_STACK_LIMIT;
}

/* Adds the parts one after another, as long as they fit. */
static int fit_parts(struct weave *w, const struct classfile_method *m, uint32_t parts,
                     struct outbuf *o)
{
    size_t begin = o->len;
    struct attempt good = {0};
    bool is_written = false;
    enum instrument_verdict verdict = INSTRUMENT_NOT_SELECTED;
    for (uint32_t i = 0; i < w->part_count; i++) {
        uint32_t part = 1u << i;
        struct attempt t = {good.parts | part, part, good.new_len, 0};
        if (!has_part(parts, i))
            continue;
        outbuf_cut(o, begin);
        int error = try_parts(w, m, &t, o, &verdict);
        if (error != 0)
            return error;
        set_verdicts(w, part, verdict);
        is_written = verdict == INSTRUMENT_INJECTED;
        if (is_written)
            good = t;
    }
    if (is_written || good.parts == 0)
        return 0;
    outbuf_cut(o, begin); /* the last part did not fit: write the parts that did */
    good.judged = 0;
    return try_parts(w, m, &good, o, &verdict);
}

int weave_code(struct weave *w, const struct classfile_method *m, struct outbuf *o)
{
    struct attempt t = {0};
    for (uint32_t i = 0; i < w->part_count; i++)
        if (w->parts[i].number >= 0)
            t.parts |= 1u << i;
    t.judged = t.parts;
    /* the verdict of parts that have nothing to do */
    set_verdicts(w, t.parts, INSTRUMENT_NOT_SELECTED);
    enum instrument_verdict verdict;
    int error = try_parts(w, m, &t, o, &verdict);
    if (error != 0)
        return error;
    if (is_limit(verdict) && (t.parts & (t.parts - 1)) != 0)
        return fit_parts(w, m, t.parts, o);
    set_verdicts(w, t.parts, verdict);
    return 0;
}
