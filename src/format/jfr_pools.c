/*
 * jfr_pools.c - see jfr_pools.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_pools.h"
#include <stdlib.h>
#include <string.h>
#include "base/javaname.h"
#include "format/jfr_bytes.h"
#include "format/jfr_schema.h"
#include "jfr/jfr_frame_type.h"
#include "jfr/jfr_layout.h"
#include "profile/profile.h"

enum { NATIVE_BCI = -3 }; /* bci of a frame of a native Java method */
enum { KEYS_SHIFT = 4 };  /* a context's key: its number << 4 | the number of keys */

/* Pools that are the same in each chunk, by key; NULL: no constant has this key. */
static const char *const thread_states[] = {
    [JFR_POOLS_RUNNABLE] = "STATE_RUNNABLE",
    [JFR_POOLS_SLEEPING] = "STATE_SLEEPING",
    [JFR_POOLS_ON_CPU] = "STATE_DEFAULT",
};
static const char *const gc_whens[] = {
    [JFR_POOLS_BEFORE_GC] = "Before GC", [JFR_POOLS_AFTER_GC] = "After GC"};

void jfr_pools_init(struct jfr_pools *p, struct profile *profile, size_t budget)
{
    *p = (struct jfr_pools){.profile = profile};
    arena_init(&p->arena, budget);
    for (int kind = 0; kind < JFR_POOLS_KINDS; kind++) {
        rowset_init(&p->wanted[kind]);
        rowset_init(&p->written[kind]);
    }
    rowset_init(&p->libraries);
}

void jfr_pools_done(struct jfr_pools *p)
{
    arena_done(&p->arena);
}

void jfr_pools_forget(struct jfr_pools *p)
{
    p->has_statics = false;
    p->has_news = true;
    for (int kind = 0; kind < JFR_POOLS_KINDS; kind++)
        rowset_clear(&p->written[kind]);
}

void jfr_pools_begin_chunk(struct jfr_pools *p, uint32_t keys)
{
    p->keys = keys;
    jfr_pools_forget(p);
    for (int kind = 0; kind < JFR_POOLS_KINDS; kind++)
        rowset_clear(&p->wanted[kind]);
}

/* Reserves memory for both bits of a row at once, so that the second one cannot be missing when the
 * row is written. Returns the key; 0: no memory. */
static uint64_t want(struct jfr_pools *p, enum jfr_pools_kind kind, uint32_t row)
{
    if (row == 0 || rowset_has(&p->wanted[kind], row))
        return row;
    if (rowset_grow(&p->written[kind], &p->arena, row) != 0 ||
        rowset_add(&p->wanted[kind], &p->arena, row) != 0) {
        p->lost++;
        return 0;
    }
    p->has_news = true;
    return row;
}

uint64_t jfr_pools_stack(struct jfr_pools *p, trace_id trace, bool is_truncated)
{
    if (trace == 0 || profile_trace_at(p->profile, trace)->depth == 0)
        return 0;
    return want(p, JFR_POOLS_STACK, trace << 1 | is_truncated);
}

/* A context with another number of keys must be another constant, because readers keep the
 * constants of the chunk before. In a chunk without keys no event has a context. */
uint64_t jfr_pools_context(struct jfr_pools *p, context_id context)
{
    return p->keys && context ? want(p, JFR_POOLS_CONTEXT, context << KEYS_SHIFT | p->keys) : 0;
}

uint64_t jfr_pools_class(struct jfr_pools *p, class_id klass)
{
    return want(p, JFR_POOLS_CLASS, klass);
}

uint64_t jfr_pools_method(struct jfr_pools *p, method_id method)
{
    return want(p, JFR_POOLS_METHOD, method);
}

uint64_t jfr_pools_thread(struct jfr_pools *p, thread_id thread)
{
    return want(p, JFR_POOLS_THREAD, thread);
}

uint64_t jfr_pools_loader(struct jfr_pools *p, string_id name)
{
    return want(p, JFR_POOLS_LOADER, name);
}

bool jfr_pools_has_news(const struct jfr_pools *p)
{
    return p->has_news;
}

/* ---- rows */

/* In the file, class names have slashes, as in the VM. So a text of the model can be two symbols: a
 * class name, and a plain text. */
static uint64_t symbol(struct jfr_pools *p, string_id text, bool is_class)
{
    return text ? want(p, JFR_POOLS_SYMBOL, text << 1 | is_class) : 0;
}

/* For a frame from JVM TI nobody knows how it ran. async-profiler calls such a frame compiled, and
 * so does hprof, because async-profiler's converter crashes on types that it does not know. */
static uint32_t frame_type(const struct profile_frame *f)
{
    static const uint8_t types[FRAME_KINDS] = {
        [FRAME_JAVA] = JFR_FRAME_TYPE_JIT,        [FRAME_INTERPRETED] = JFR_FRAME_TYPE_INTERPRETED,
        [FRAME_C1] = JFR_FRAME_TYPE_C1,           [FRAME_C2] = JFR_FRAME_TYPE_JIT,
        [FRAME_INLINED] = JFR_FRAME_TYPE_INLINED, [FRAME_NATIVE] = JFR_FRAME_TYPE_CPP,
        [FRAME_KERNEL] = JFR_FRAME_TYPE_KERNEL,
    };
    return f->bci == NATIVE_BCI ? JFR_FRAME_TYPE_NATIVE : types[f->kind];
}

/* A negative bci of a Java method means its entry, which is index 0. A function of C has no index:
 * -1. */
static int32_t bytecode_index(const struct profile_frame *f)
{
    return f->bci >= 0 ? f->bci : frame_kind_is_java(f->kind) ? 0 : -1;
}

/* The class of a function of C is its library. */
static void note_library(struct jfr_pools *p, const struct profile_frame *f)
{
    class_id klass = profile_method_at(p->profile, f->method)->klass;
    if (klass && !frame_kind_is_java(f->kind) && rowset_add(&p->libraries, &p->arena, klass) != 0)
        p->lost++;
}

static void put_stack(struct jfr_pools *p, struct jfr_bytes *b, uint32_t row)
{
    const struct profile_trace *t = profile_trace_at(p->profile, row >> 1);
    jfr_bytes_u1(b, row & 1);
    jfr_bytes_leb(b, t->depth);
    for (uint32_t i = 0; i < t->depth; i++) {
        const struct profile_frame *f = profile_frame_at(p->profile, t->frames[i]);
        note_library(p, f);
        jfr_bytes_leb(b, want(p, JFR_POOLS_METHOD, f->method));
        jfr_bytes_leb(b, (uint32_t)f->line);
        jfr_bytes_leb(b, (uint32_t)bytecode_index(f));
        jfr_bytes_leb(b, frame_type(f));
    }
}

static void put_method(struct jfr_pools *p, struct jfr_bytes *b, uint32_t row)
{
    const struct profile_method *m = profile_method_at(p->profile, row);
    jfr_bytes_leb(b, want(p, JFR_POOLS_CLASS, m->klass));
    jfr_bytes_leb(b, symbol(p, m->name, false));
    jfr_bytes_leb(b, symbol(p, m->descriptor, false));
    jfr_bytes_leb(b, 0);
    jfr_bytes_u1(b, 0);
}

/* The length of the package in a class name; 0: it has none. The name of a hidden class ends with a
 * dot and an address; the package ends before the dot in front of that one. */
static uint32_t package_len(const struct profile_string *name)
{
    uint32_t len = name->len;
    const char *dot = len ? memrchr(name->bytes, '.', len) : NULL;
    if (len && name->bytes[len - 1] == ']')
        return 0;
    if (dot && strncmp(dot, ".0x", 3) == 0)
        dot = memrchr(name->bytes, '.', (size_t)(dot - name->bytes));
    return dot ? (uint32_t)(dot - name->bytes) : 0;
}

static void put_class(struct jfr_pools *p, struct jfr_bytes *b, uint32_t row)
{
    const struct profile_class *c = profile_class_at(p->profile, row);
    bool is_library = rowset_has(&p->libraries, row);
    uint32_t len = 0;
    string_id package = 0;
    if (c->name && !is_library)
        len = package_len(profile_string_at(p->profile, c->name));
    if (len)
        package = profile_string(p->profile, profile_string_at(p->profile, c->name)->bytes, len);
    jfr_bytes_leb(b, 0);
    jfr_bytes_leb(b, symbol(p, c->name, !is_library));
    jfr_bytes_leb(b, want(p, JFR_POOLS_PACKAGE, package));
    jfr_bytes_leb(b, 0);
}

static void put_loader(struct jfr_pools *p, struct jfr_bytes *b, uint32_t row)
{
    const struct profile_string *s = profile_string_at(p->profile, row);
    struct javaname_loader parts = javaname_split_loader(s->bytes, s->len);
    string_id type = parts.type_len ? profile_string(p->profile, parts.type, parts.type_len) : 0;
    string_id name = parts.name_len ? profile_string(p->profile, parts.name, parts.name_len) : 0;
    jfr_bytes_leb(b, type ? want(p, JFR_POOLS_CLASS, profile_class_named(p->profile, type)) : 0);
    jfr_bytes_leb(b, symbol(p, name, false));
}

static void put_package(struct jfr_pools *p, struct jfr_bytes *b, uint32_t row)
{
    jfr_bytes_leb(b, symbol(p, row, true));
}

/* The letter of a primitive type; 0: it is no primitive type. */
static char primitive(const char *name, size_t len)
{
    static const char *const names[] = {"boolean", "byte", "char", "double",
                                        "float",   "int",  "long", "short"};
    static const char letters[] = "ZBCDFIJS";
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
            return letters[i];
    return 0;
}

/* Writes the VM's name of a class: [[C for char[][], [Ljava/lang/String; for java.lang.String[]. */
static void put_class_name(struct jfr_bytes *b, const struct profile_string *s)
{
    char text[1024];
    size_t len = s->len, n = 0;
    while (len > 2 && s->bytes[len - 1] == ']' && n < sizeof(text) / 2) {
        text[n++] = '[';
        len -= 2;
    }
    if (n == 0 || n + len + 2 > sizeof(text)) {
        jfr_bytes_text_with(b, s->bytes, s->len, '.', '/');
        return;
    }
    if (primitive(s->bytes, len)) {
        text[n++] = primitive(s->bytes, len);
    } else {
        text[n++] = 'L';
        memcpy(text + n, s->bytes, len);
        n += len;
        text[n++] = ';';
    }
    jfr_bytes_text_with(b, text, n, '.', '/');
}

static void put_symbol(struct jfr_pools *p, struct jfr_bytes *b, uint32_t row)
{
    const struct profile_string *s = profile_string_at(p->profile, row >> 1);
    if (row & 1)
        put_class_name(b, s);
    else
        jfr_bytes_text(b, s->bytes, s->len);
}

static void put_string(struct jfr_pools *p, struct jfr_bytes *b, string_id id)
{
    const struct profile_string *s = id ? profile_string_at(p->profile, id) : NULL;
    jfr_bytes_text(b, s ? s->bytes : NULL, s ? s->len : 0);
}

static void put_context(struct jfr_pools *p, struct jfr_bytes *b, uint32_t row)
{
    const struct context_set *contexts = profile_contexts(p->profile);
    for (uint32_t key = 0; key < p->keys; key++)
        put_string(p, b, context_value(contexts, row >> KEYS_SHIFT, (int)key));
}

static void put_thread(struct jfr_pools *p, struct jfr_bytes *b, uint32_t row)
{
    const struct profile_thread *t = profile_thread_at(p->profile, row);
    want(p, JFR_POOLS_GROUP, t->parent_group);
    put_string(p, b, t->name);
    jfr_bytes_leb(b, t->os_id);
    put_string(p, b, t->name);
    jfr_bytes_leb(b, t->java_id);
    jfr_bytes_leb(b, want(p, JFR_POOLS_GROUP, t->group));
}

/* The parent of a thread group. Groups have no rows in the model: the first thread of a group says
 * what its parent is. */
static string_id parent_of(struct profile *p, string_id group)
{
    for (thread_id id = 1; id <= profile_thread_count(p); id++)
        if (profile_thread_at(p, id)->group == group)
            return profile_thread_at(p, id)->parent_group;
    return 0;
}

static void put_group(struct jfr_pools *p, struct jfr_bytes *b, uint32_t row)
{
    string_id parent = parent_of(p->profile, row);
    jfr_bytes_leb(b, parent != row ? want(p, JFR_POOLS_GROUP, parent) : 0);
    put_string(p, b, row);
}

/* ---- pools */

/* Pools are written in this order. A row names only rows of later pools, so one pass is enough. */
static const struct {
    enum jfr_schema_type type;
    void (*put)(struct jfr_pools *p, struct jfr_bytes *b, uint32_t row);
} pools[JFR_POOLS_KINDS] = {
    [JFR_POOLS_CONTEXT] = {JFR_SCHEMA_TYPE_CONTEXT, put_context},
    [JFR_POOLS_STACK] = {JFR_SCHEMA_TYPE_STACK_TRACE, put_stack},
    [JFR_POOLS_METHOD] = {JFR_SCHEMA_TYPE_METHOD, put_method},
    [JFR_POOLS_CLASS] = {JFR_SCHEMA_TYPE_CLASS, put_class},
    [JFR_POOLS_LOADER] = {JFR_SCHEMA_TYPE_CLASS_LOADER, put_loader},
    [JFR_POOLS_PACKAGE] = {JFR_SCHEMA_TYPE_PACKAGE, put_package},
    [JFR_POOLS_SYMBOL] = {JFR_SCHEMA_TYPE_SYMBOL, put_symbol},
    [JFR_POOLS_THREAD] = {JFR_SCHEMA_TYPE_THREAD, put_thread},
    [JFR_POOLS_GROUP] = {JFR_SCHEMA_TYPE_THREAD_GROUP, put_group},
};

/* The next row behind `row` that is to be written. A group may name a group with a smaller number,
 * so the search for groups begins again at 1. */
static uint32_t next_row(const struct jfr_pools *p, enum jfr_pools_kind kind, uint32_t row)
{
    uint32_t next = rowset_next(&p->wanted[kind], &p->written[kind], row + 1);
    if (!next && kind == JFR_POOLS_GROUP)
        next = rowset_next(&p->wanted[kind], &p->written[kind], 1);
    return next;
}

/* Writes rows of a pool. Returns how many were written. If the room ends, *ret_is_full is set. */
static uint32_t put_rows(struct jfr_pools *p, struct jfr_bytes *b, enum jfr_pools_kind kind,
                         bool *ret_is_full)
{
    uint32_t count = 0;
    for (uint32_t row = 0; (row = next_row(p, kind, row)) != 0; count++) {
        size_t start = b->used;
        jfr_bytes_leb(b, row);
        pools[kind].put(p, b, row);
        if (b->is_full) {
            jfr_bytes_cut(b, start);
            *ret_is_full = true;
            break;
        }
        rowset_add(&p->written[kind], &p->arena, row);
    }
    return count;
}

/* Writes a pool, unless it is empty: readers refuse an empty pool. Returns how many pools were
 * written, 0 or 1. */
static uint32_t put_pool(struct jfr_pools *p, struct jfr_bytes *b, enum jfr_pools_kind kind,
                         bool *ret_is_full)
{
    size_t start = b->used, at;
    uint32_t count = 0;
    jfr_bytes_leb(b, jfr_schema_id(pools[kind].type));
    at = jfr_bytes_later(b);
    if (b->is_full)
        *ret_is_full = true;
    else
        count = put_rows(p, b, kind, ret_is_full);
    if (count)
        jfr_bytes_set(b, at, count);
    else
        jfr_bytes_cut(b, start);
    return count > 0;
}

static void put_words(struct jfr_bytes *b, enum jfr_schema_type type, const char *const *words,
                      size_t keys)
{
    size_t first = words[0] ? 0 : 1;
    jfr_bytes_leb(b, jfr_schema_id(type));
    jfr_bytes_leb(b, keys - first);
    for (size_t key = first; key < keys; key++) {
        jfr_bytes_leb(b, key);
        jfr_bytes_text(b, words[key], strlen(words[key]));
    }
}

#define COUNT(words) (sizeof(words) / sizeof((words)[0]))

static uint32_t put_statics(struct jfr_pools *p, struct jfr_bytes *b)
{
    if (p->has_statics)
        return 0;
    put_words(b, JFR_SCHEMA_TYPE_FRAME_TYPE, jfr_frame_type_words, JFR_FRAME_TYPES);
    put_words(b, JFR_SCHEMA_TYPE_THREAD_STATE, thread_states, COUNT(thread_states));
    put_words(b, JFR_SCHEMA_TYPE_GC_WHEN, gc_whens, COUNT(gc_whens));
    p->has_statics = true;
    return 3;
}

void jfr_pools_write(struct jfr_pools *p, struct jfr_bytes *b, uint64_t time_ns, uint64_t before)
{
    size_t start = jfr_bytes_later(b), at;
    uint32_t count;
    bool is_full = false;
    jfr_bytes_leb(b, JFR_LAYOUT_CHECKPOINT);
    jfr_bytes_leb(b, time_ns);
    jfr_bytes_leb(b, 0);
    jfr_bytes_leb(b, 0 - before);
    jfr_bytes_u1(b, JFR_LAYOUT_FLUSH);
    at = b->used;
    jfr_bytes_u1(b, 0);
    count = put_statics(p, b);
    for (int kind = 0; kind < JFR_POOLS_KINDS && !is_full; kind++)
        count += put_pool(p, b, kind, &is_full);
    p->has_news = is_full;
    b->at[at] = (unsigned char)count;
    jfr_bytes_set(b, start, (uint32_t)(b->used - start));
}
