/*
 * jfrlib_stack.c - threads and stacks: hprof_jfr_event_thread(), hprof_jfr_event_stack() and their
 * like.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>
#include "jfr/jfr_frame_type.h"
#include "jfrlib/jfrlib_value.h"

/* The fields of a frame that are looked for. */
enum frame_field { METHOD, LINE, BCI, WORDS, FRAME_FIELDS };

/* What the library keeps in the private part of struct hprof_jfr_stack. */
struct stack {
    struct jfrlib_value frames;
    const struct jfr_type *type; /* the type whose fields these are; NULL: none so far */
    int fields[FRAME_FIELDS];    /* their indexes; -1: the type has no such field */
};

_Static_assert(sizeof(struct stack) <= sizeof(((struct hprof_jfr_stack *)0)->private_),
               "the private part has room");

/* Reads the text with this path in an object. Returns `code` if it is an error already. */
static int text_at(struct hprof_jfr *h, const struct jfr_value *object, const char *path,
                   bool is_class, int code, const char **ret_text)
{
    struct jfr_value value;
    *ret_text = NULL;
    if (code < 0 || !jfr_value_named(&h->file.chunk, object, path, &value))
        return code;
    return jfrlib_value_text(h, &value, is_class, ret_text);
}

static int64_t number_at(const struct hprof_jfr *h, const struct jfr_value *object,
                         const char *path)
{
    struct jfr_value value;
    return jfr_value_named(&h->file.chunk, object, path, &value) ? jfr_value_number(&value) : 0;
}

static int read_thread(struct hprof_jfr *h, const struct jfr_value *object,
                       struct hprof_jfr_thread *ret)
{
    if (object->shape != JFR_OBJECT)
        return object->shape == JFR_NULL ? HPROF_JFR_NO_VALUE : HPROF_JFR_KIND;
    int code = text_at(h, object, "javaName", false, 0, &ret->java_name);
    code = text_at(h, object, "osName", false, code, &ret->os_name);
    code = text_at(h, object, "group.name", false, code, &ret->group);
    ret->java_id = number_at(h, object, "javaThreadId");
    ret->os_id = number_at(h, object, "osThreadId");
    ret->is_virtual = number_at(h, object, "virtual") != 0;
    return code < 0 ? code : jfrlib_value_check(h);
}

int hprof_jfr_event_thread(const struct hprof_jfr_event *event, struct hprof_jfr_thread *ret_thread)
{
    struct jfr_value value;
    if (!ret_thread)
        return HPROF_JFR_ARGUMENT;
    *ret_thread = (struct hprof_jfr_thread){0};
    if (!event)
        return HPROF_JFR_ARGUMENT;
    if (!event->type)
        return HPROF_JFR_STALE;
    const struct jfr_chunk *c = &event->of->file.chunk;
    if (!jfr_value_named(c, &event->value, "eventThread", &value) &&
        !jfr_value_named(c, &event->value, "sampledThread", &value))
        return HPROF_JFR_NO_FIELD;
    return read_thread(event->of, &value, ret_thread);
}

int hprof_jfr_value_thread(const struct hprof_jfr_value *value, struct hprof_jfr_thread *ret_thread)
{
    if (!ret_thread)
        return HPROF_JFR_ARGUMENT;
    *ret_thread = (struct hprof_jfr_thread){0};
    if (!value)
        return HPROF_JFR_ARGUMENT;
    const struct jfrlib_value *v = jfrlib_value_in(value);
    if (!v)
        return HPROF_JFR_STALE;
    if (v->value.shape == JFR_OBJECT && strcmp(v->value.type->known_as, "java.lang.Thread") != 0)
        return HPROF_JFR_KIND;
    return read_thread(v->of, &v->value, ret_thread);
}

static int read_stack(struct hprof_jfr *h, const struct jfr_value *object,
                      struct hprof_jfr_stack *ret)
{
    struct stack *s = (struct stack *)ret->private_;
    struct jfr_value frames;
    if (object->shape != JFR_OBJECT)
        return object->shape == JFR_NULL ? HPROF_JFR_NO_VALUE : HPROF_JFR_KIND;
    if (!jfr_value_named(&h->file.chunk, object, "frames", &frames))
        return HPROF_JFR_KIND;
    ret->is_truncated = number_at(h, object, "truncated") != 0;
    if (frames.shape == JFR_ARRAY)
        ret->frame_count = frames.count;
    s->frames =
        (struct jfrlib_value){.of = h, .serial = h->serial, .value = frames, .next = frames.at};
    return jfrlib_value_check(h);
}

int hprof_jfr_event_stack(const struct hprof_jfr_event *event, struct hprof_jfr_stack *ret_stack)
{
    struct jfr_value value;
    if (!ret_stack)
        return HPROF_JFR_ARGUMENT;
    *ret_stack = (struct hprof_jfr_stack){0};
    if (!event)
        return HPROF_JFR_ARGUMENT;
    if (!event->type)
        return HPROF_JFR_STALE;
    if (!jfr_value_named(&event->of->file.chunk, &event->value, "stackTrace", &value))
        return HPROF_JFR_NO_FIELD;
    return read_stack(event->of, &value, ret_stack);
}

int hprof_jfr_value_stack(const struct hprof_jfr_value *value, struct hprof_jfr_stack *ret_stack)
{
    if (!ret_stack)
        return HPROF_JFR_ARGUMENT;
    *ret_stack = (struct hprof_jfr_stack){0};
    if (!value)
        return HPROF_JFR_ARGUMENT;
    const struct jfrlib_value *v = jfrlib_value_in(value);
    return v ? read_stack(v->of, &v->value, ret_stack) : HPROF_JFR_STALE;
}

static void learn(struct stack *s, const struct jfr_type *type)
{
    static const char *const names[FRAME_FIELDS] = {"method", "lineNumber", "bytecodeIndex",
                                                    "type"};
    for (int i = 0; i < FRAME_FIELDS; i++)
        s->fields[i] = jfr_type_find(type, names[i]);
    s->type = type;
}

/* Reads a field of a frame; null if its type has no such field. */
static void field_of(const struct stack *s, const struct jfr_value *frame, enum frame_field field,
                     struct jfr_value *ret)
{
    *ret = (struct jfr_value){0};
    if (s->fields[field] >= 0)
        jfr_value_field(&s->frames.of->file.chunk, frame, (uint32_t)s->fields[field], ret);
}

static int32_t small(const struct jfr_value *value)
{
    return value->shape == JFR_NUMBER && value->number >= 0 && value->number <= INT32_MAX
               ? (int32_t)value->number
               : -1;
}

static enum hprof_jfr_frame_kind kind_of(const struct jfr_value *words)
{
    static const enum hprof_jfr_frame_kind kinds[JFR_FRAME_TYPES + 1] = {
        [JFR_FRAME_TYPE_INTERPRETED] = HPROF_JFR_FRAME_INTERPRETED,
        [JFR_FRAME_TYPE_JIT] = HPROF_JFR_FRAME_JIT,
        [JFR_FRAME_TYPE_INLINED] = HPROF_JFR_FRAME_INLINED,
        [JFR_FRAME_TYPE_NATIVE] = HPROF_JFR_FRAME_NATIVE,
        [JFR_FRAME_TYPE_CPP] = HPROF_JFR_FRAME_C,
        [JFR_FRAME_TYPE_KERNEL] = HPROF_JFR_FRAME_KERNEL,
        [JFR_FRAME_TYPE_C1] = HPROF_JFR_FRAME_C1,
        [JFR_FRAME_TYPES] = HPROF_JFR_FRAME_OTHER,
    };
    char utf8[JFR_FRAME_TYPE_ROOM];
    jfr_value_utf8(words, utf8, sizeof(utf8));
    return kinds[jfr_frame_type_of(utf8)];
}

/* A "Native" frame of async-profiler is one of C: it has no class, or its descriptor is "()L;". In
 * a recording of HotSpot it is a Java method. */
static bool is_of_c(const struct hprof_jfr_frame *f)
{
    return f->kind == HPROF_JFR_FRAME_NATIVE &&
           (!f->class_name || (f->signature && strcmp(f->signature, "()L;") == 0));
}

static int read_frame(struct stack *s, const struct jfr_value *frame, struct hprof_jfr_frame *ret)
{
    struct hprof_jfr *h = s->frames.of;
    struct jfr_value method, value;
    field_of(s, frame, METHOD, &method);
    int code = text_at(h, &method, "type.name", true, 0, &ret->class_name);
    code = text_at(h, &method, "name", false, code, &ret->method_name);
    code = text_at(h, &method, "descriptor", false, code, &ret->signature);
    if (ret->class_name && *ret->class_name == '\0')
        ret->class_name = NULL;
    field_of(s, frame, LINE, &value);
    ret->line = small(&value);
    field_of(s, frame, BCI, &value);
    ret->bytecode_index = small(&value);
    field_of(s, frame, WORDS, &value);
    ret->kind = kind_of(&value);
    if (is_of_c(ret))
        ret->kind = HPROF_JFR_FRAME_C;
    return code < 0 ? code : jfrlib_value_check(h);
}

int hprof_jfr_stack_frame(struct hprof_jfr_stack *stack, size_t number,
                          struct hprof_jfr_frame *ret_frame)
{
    struct jfr_value frame;
    if (!ret_frame)
        return HPROF_JFR_ARGUMENT;
    *ret_frame = (struct hprof_jfr_frame){.line = -1, .bytecode_index = -1};
    if (!stack)
        return HPROF_JFR_ARGUMENT;
    struct stack *s = (struct stack *)stack->private_;
    struct jfrlib_value *v = &s->frames;
    if (!v->of || v->serial != v->of->serial)
        return HPROF_JFR_STALE;
    if (number >= stack->frame_count || number >= v->value.count)
        return HPROF_JFR_NO_VALUE;
    jfrlib_value_element(v, number, &frame);
    if (frame.shape != JFR_OBJECT)
        return jfrlib_value_check(v->of);
    if (frame.type != s->type)
        learn(s, frame.type);
    return read_frame(s, &frame, ret_frame);
}
