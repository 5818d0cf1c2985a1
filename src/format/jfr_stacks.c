/*
 * jfr_stacks.c - see jfr_stacks.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/jfr_stacks.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/javaname.h"
#include "base/splitmix.h"
#include "format/frame_name.h"
#include "jfr/jfr_value.h"
#include "profile/profile.h"

enum { NAME = 1024, FRAMES_MAX = 1 << 16 };

void jfr_stacks_done(struct jfr_stacks *s)
{
    if (s->chunk) {
        idmap_done(&s->traces);
        idmap_done(&s->methods);
        idmap_done(&s->classes);
        idmap_done(&s->threads);
        idmap_done(&s->traces_by_thread);
    }
    s->chunk = NULL;
    free(s->kept);
    s->kept = NULL;
    frame_list_done(&s->stack);
}

void jfr_stacks_begin(struct jfr_stacks *s, struct profile *profile, const struct jfr_chunk *chunk)
{
    jfr_stacks_done(s);
    idmap_init(&s->traces);
    idmap_init(&s->methods);
    idmap_init(&s->classes);
    idmap_init(&s->threads);
    idmap_init(&s->traces_by_thread);
    jfr_frame_begin(&s->reader, chunk);
    s->kept = calloc(JFR_STACKS_KEPT, sizeof(*s->kept));
    s->profile = profile;
    s->chunk = chunk;
}

static void named(const struct jfr_stacks *s, const struct jfr_value *object, const char *path,
                  struct jfr_value *ret_value)
{
    jfr_value_named(s->chunk, object, path, ret_value);
}

string_id jfr_stacks_text(struct jfr_stacks *s, const struct jfr_value *text)
{
    char utf8[NAME];
    if (text->shape != JFR_TEXT)
        return 0;
    return profile_string(s->profile, utf8, jfr_value_utf8(text, utf8, sizeof(utf8)));
}

/* java/lang/Object becomes java.lang.Object, [[C becomes char[][]. */
static string_id class_name(struct jfr_stacks *s, const struct jfr_value *text)
{
    char name[NAME], java[NAME];
    size_t len = jfr_value_utf8(text, name, sizeof(name));
    if (text->shape != JFR_TEXT)
        return 0;
    if (name[0] == '[')
        return profile_cstring(s->profile, javaname_of_type(name, java, sizeof(java)));
    javaname_put_dots(name);
    return profile_string(s->profile, name, len);
}

/* A constant is found by its address in the chunk, not by its key. */
static uint32_t known(const struct idmap *m, const struct jfr_value *value)
{
    return value->constant ? idmap_get(m, (uintptr_t)value->constant) : 0;
}

static void remember(struct idmap *m, const struct jfr_value *value, uint32_t id)
{
    if (value->constant)
        idmap_put(m, (uintptr_t)value->constant, id);
}

/* In async-profiler's recordings a frame of C has a class with an empty name: it has no class. */
class_id jfr_stacks_class(struct jfr_stacks *s, const struct jfr_value *klass)
{
    struct jfr_value name;
    class_id id = known(&s->classes, klass);
    if (id || klass->shape != JFR_OBJECT)
        return id;
    named(s, klass, "name", &name);
    string_id text = class_name(s, &name);
    if (text && profile_string_at(s->profile, text)->len > 0)
        id = profile_class_named(s->profile, text);
    remember(&s->classes, klass, id);
    return id;
}

/* The name of a kernel function in the model. async-profiler writes it without the ending. */
static string_id kernel_name(struct profile *p, string_id name)
{
    static const char ending[] = "_[k]";
    const struct profile_string *text = name ? profile_string_at(p, name) : NULL;
    const size_t len = sizeof(ending) - 1;
    if (!text || (text->len >= len && strcmp(text->bytes + text->len - len, ending) == 0))
        return name;
    return frame_name_join(p, text->bytes, "", ending);
}

static method_id method_of(struct jfr_stacks *s, const struct jfr_value *method, bool is_kernel)
{
    struct jfr_value type, name, descriptor;
    method_id id = known(&s->methods, method);
    if (id)
        return id;
    named(s, method, "type", &type);
    named(s, method, "name", &name);
    named(s, method, "descriptor", &descriptor);
    string_id text = jfr_stacks_text(s, &name);
    if (is_kernel)
        text = kernel_name(s->profile, text);
    id = profile_method(s->profile, jfr_stacks_class(s, &type), text,
                        jfr_stacks_text(s, &descriptor), 0);
    remember(&s->methods, method, id);
    return id;
}

string_id jfr_stacks_method(struct jfr_stacks *s, const struct jfr_value *method)
{
    method_id id = method->shape == JFR_OBJECT ? method_of(s, method, false) : 0;
    const struct profile_method *m = id ? profile_method_at(s->profile, id) : NULL;
    if (!m || !m->name)
        return 0;
    string_id klass = m->klass ? profile_class_at(s->profile, m->klass)->name : 0;
    const char *of = klass ? profile_string_at(s->profile, klass)->bytes : "";
    return frame_name_join(s->profile, of, klass ? "." : "",
                           profile_string_at(s->profile, m->name)->bytes);
}

trace_id jfr_stacks_of_method(struct jfr_stacks *s, const struct jfr_value *method)
{
    method_id id = method->shape == JFR_OBJECT ? method_of(s, method, false) : 0;
    frame_id frame = id ? profile_frame(s->profile, id, -1, PROFILE_LINE_NONE) : 0;
    trace_id trace = profile_trace(s->profile, 0, &frame, frame ? 1 : 0);
    if (trace == 0)
        s->error = -ENOMEM;
    return trace;
}

/* Whether a "Native" frame is one of C. In a recording of HotSpot it is a frame of a Java method.
 * In one of async-profiler it is a frame of C: it has a library as its class, or no class, and its
 * descriptor is "()L;". */
static bool is_of_c(const struct jfr_stacks *s, method_id id)
{
    const struct profile_method *m = profile_method_at(s->profile, id);
    return m->klass == 0 ||
           (m->descriptor &&
            strcmp(profile_string_at(s->profile, m->descriptor)->bytes, "()L;") == 0);
}

static frame_id new_frame(struct jfr_stacks *s, const struct jfr_frame *f)
{
    enum frame_kind kind = f->kind;
    method_id m = method_of(s, &f->method, kind == FRAME_KERNEL);
    if (m && kind == FRAME_JAVA && is_of_c(s, m))
        kind = FRAME_NATIVE;
    bool is_java = frame_kind_is_java(kind);
    return m ? profile_frame_of(s->profile, kind, m, is_java ? (int32_t)f->bci : -1,
                                is_java && f->line > 0 ? (int32_t)f->line : PROFILE_LINE_NONE)
             : 0;
}

/* The place where a frame is kept. A later frame with the same hash replaces it. */
static struct jfr_stacks_kept *place_of(const struct jfr_stacks *s, const struct jfr_stacks_kept *f)
{
    uint64_t hash = splitmix_mix(f->bytes[0] ^ f->bytes[1] * SPLITMIX_STEP);
    return &s->kept[hash % JFR_STACKS_KEPT];
}

/* The frame in these `len` bytes, which are an element of `frames`. 0: it is malformed, or no
 * memory. */
static frame_id frame_of(struct jfr_stacks *s, const struct jfr_value *frames, const uint8_t *bytes,
                         size_t len)
{
    struct jfr_stacks_kept now = {.len = (uint32_t)len}, *k = NULL;
    struct leb l = leb_over(bytes, len);
    struct jfr_frame frame;
    if (s->kept && len <= sizeof(now.bytes)) {
        memcpy(now.bytes, bytes, len);
        k = place_of(s, &now);
        if (k->id && k->len == now.len && k->bytes[0] == now.bytes[0] &&
            k->bytes[1] == now.bytes[1])
            return k->id;
    }
    jfr_frame_next(&s->reader, frames, &l, &frame);
    now.id = new_frame(s, &frame);
    if (k && now.id)
        *k = now;
    return now.id;
}

trace_id jfr_stacks_trace(struct jfr_stacks *s, const struct jfr_value *stack)
{
    struct jfr_value truncated, frames;
    trace_id id = known(&s->traces, stack);
    uint32_t depth = 0;
    if (id)
        return id;
    named(s, stack, "truncated", &truncated);
    named(s, stack, "frames", &frames);
    s->truncated += jfr_value_number(&truncated) != 0;
    uint64_t count = frames.shape != JFR_ARRAY   ? 0
                     : frames.count > FRAMES_MAX ? FRAMES_MAX
                                                 : frames.count;
    if (!frame_list_reserve(&s->stack, (uint32_t)count)) {
        s->error = -ENOMEM;
        return 0;
    }
    struct leb l = frames.at;
    for (uint64_t i = 0; i < count && !l.is_bad; i++) {
        const uint8_t *bytes = l.at;
        jfr_type_skip_elements(frames.field, 1, &l);
        frame_id of = l.is_bad ? 0 : frame_of(s, &frames, bytes, (size_t)(l.at - bytes));
        if (of)
            s->stack.frames[depth++] = of;
    }
    id = profile_trace(s->profile, 0, s->stack.frames, depth);
    remember(&s->traces, stack, id);
    return id;
}

/* A thread is found by the number that the operating system gave it, which is the same in all
 * chunks. */
static thread_id thread_of(struct jfr_stacks *s, const struct jfr_value *thread)
{
    struct jfr_value number, java, os;
    thread_id id = thread->key ? idmap_get(&s->threads, thread->key) : 0;
    if (id || thread->shape != JFR_OBJECT)
        return id;
    named(s, thread, "osThreadId", &number);
    named(s, thread, "javaName", &java);
    named(s, thread, "osName", &os);
    int64_t serial = jfr_value_number(&number);
    string_id name = jfr_stacks_text(s, &java);
    if (!name || profile_string_at(s->profile, name)->len == 0)
        name = jfr_stacks_text(s, &os);
    if (serial <= 0 || serial > UINT32_MAX || !name ||
        profile_string_at(s->profile, name)->len == 0)
        return 0;
    id = s->process ? profile_thread_in(s->profile, s->process, (uint32_t)serial, name)
                    : profile_thread_by_serial(s->profile, (uint32_t)serial);
    if (!id && !s->process)
        id = profile_add_thread(s->profile, (uint32_t)serial, 0, name, 0, 0);
    if (id && thread->key)
        idmap_put(&s->threads, thread->key, id);
    return id;
}

trace_id jfr_stacks_of_thread(struct jfr_stacks *s, trace_id id, const struct jfr_value *thread)
{
    thread_id of = thread ? thread_of(s, thread) : 0;
    if (!of && s->process)
        of = profile_thread_in(s->profile, s->process, 0, 0);
    uint64_t key = (uint64_t)id << 32 | of;

    if (!of)
        return id;
    trace_id known_id = idmap_get(&s->traces_by_thread, key);
    if (known_id)
        return known_id;
    const struct profile_trace *trace = profile_trace_at(s->profile, id);
    known_id = profile_trace(s->profile, of, trace->frames, trace->depth);
    if (known_id)
        idmap_put(&s->traces_by_thread, key, known_id);
    return known_id;
}
