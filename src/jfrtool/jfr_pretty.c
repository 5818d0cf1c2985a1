/*
 * jfr_pretty.c - writes events as text for people, as the JDK's `jfr print` does, and values in the
 * cells of tables.
 *
 * Source: what the tool of JDK 28 writes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_pretty.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/javaname.h"
#include "jfr/jfr_around.h"
#include "jfr/jfr_place.h"
#include "jfrtool/jfr_printer.h"
#include "jfrtool/jfr_units.h"
#include "jfr/jfr_filter.h"
#include "jfr/jfr_value.h"

enum { STEP = 2, NAME = 1024, CHAIN_MAX = 512, HIDDEN_COST = 256 };

static void put_value(struct jfr_printer *o, const struct jfr_value *v, const char *behind);

static void put_indent(struct jfr_printer *o)
{
    textbuf_fill(&o->text, ' ', o->indent);
}

static void named(const struct jfr_printer *o, const struct jfr_value *object, const char *path,
                  struct jfr_value *ret_value)
{
    jfr_value_named(o->chunk, object, path, ret_value);
}

/* Writes a text of any length. */
static void put_utf8(struct jfr_printer *o, const struct jfr_text *text)
{
    if (textbuf_grow(&o->text, jfr_text_room(text)))
        o->text.len += jfr_text_utf8(text, o->text.bytes + o->text.len);
}

/* Writes the text of a field, or "null". */
static void put_named(struct jfr_printer *o, const struct jfr_value *object, const char *path)
{
    struct jfr_value v;
    named(o, object, path, &v);
    if (v.shape == JFR_TEXT)
        put_utf8(o, &v.text);
    else
        textbuf_text(&o->text, "null");
}

/* Writes java/lang/Object as java.lang.Object, and [[C as char[][]. */
static void put_class_name(struct jfr_printer *o, const struct jfr_value *klass)
{
    char name[NAME], java[NAME];
    struct jfr_value v;
    named(o, klass, "name", &v);
    jfr_value_utf8(&v, name, sizeof(name));
    if (name[0] == '[')
        javaname_of_type(name, java, sizeof(java));
    for (char *slash = name; (slash = strchr(slash, '/')) != NULL;)
        *slash = '.';
    textbuf_text(&o->text, v.shape != JFR_TEXT ? "null" : name[0] == '[' ? java : name);
}

/* Writes "(int, String[])" for "(I[Ljava/lang/String;)V". */
static void put_parameters(struct jfr_printer *o, const struct jfr_value *method)
{
    char descriptor[NAME], java[2 * NAME];
    struct jfr_value v;
    named(o, method, "descriptor", &v);
    jfr_value_utf8(&v, descriptor, sizeof(descriptor));
    textbuf_text(&o->text, javaname_of_parameters(descriptor, java, sizeof(java)));
}

static void put_method(struct jfr_printer *o, const struct jfr_value *method)
{
    struct jfr_value type;
    named(o, method, "type", &type);
    put_class_name(o, &type);
    textbuf_char(&o->text, '.');
    put_named(o, method, "name");
    put_parameters(o, method);
}

static void put_thread(struct jfr_printer *o, const struct jfr_value *thread)
{
    struct jfr_value java_id, is_virtual, os_id;
    named(o, thread, "javaThreadId", &java_id);
    named(o, thread, "osThreadId", &os_id);
    named(o, thread, "virtual", &is_virtual);
    textbuf_char(&o->text, '"');
    if (jfr_value_number(&java_id) > 0) {
        put_named(o, thread, "javaName");
        textbuf_printf(&o->text, "\" (javaThreadId = %" PRId64 "%s)", jfr_value_number(&java_id),
                       jfr_value_number(&is_virtual) ? ", virtual" : "");
    } else {
        put_named(o, thread, "osName");
        textbuf_printf(&o->text, "\" (osThreadId = %" PRId64 ")", jfr_value_number(&os_id));
    }
}

static void put_class(struct jfr_printer *o, const struct jfr_value *klass)
{
    struct jfr_value loader, name, type;
    put_class_name(o, klass);
    textbuf_text(&o->text, " (classLoader = ");
    named(o, klass, "classLoader", &loader);
    named(o, &loader, "name", &name);
    named(o, &loader, "type", &type);
    if (name.shape == JFR_TEXT)
        put_named(o, &loader, "name");
    else if (type.shape == JFR_OBJECT)
        put_class_name(o, &type);
    else
        textbuf_text(&o->text, "null");
    textbuf_char(&o->text, ')');
}

static void put_loader(struct jfr_printer *o, const struct jfr_value *loader)
{
    struct jfr_value type;
    named(o, loader, "type", &type);
    if (type.shape != JFR_OBJECT) {
        textbuf_text(&o->text, "null");
        return;
    }
    put_class_name(o, &type);
    textbuf_printf(&o->text, " (id = %" PRIu64 ")", loader->key);
}

static void put_frame(struct jfr_printer *o, const struct jfr_value *frame)
{
    struct jfr_value method, line;
    named(o, frame, "method", &method);
    named(o, frame, "lineNumber", &line);
    put_method(o, &method);
    if (jfr_value_number(&line) >= 0)
        textbuf_printf(&o->text, " line: %" PRId64, jfr_value_number(&line));
}

static void put_struct(struct jfr_printer *o, const struct jfr_value *object)
{
    struct leb l = object->at;
    struct jfr_value v;
    textbuf_text(&o->text, "{\n");
    o->indent += STEP;
    o->depth++;
    for (uint32_t i = 0; i < object->type->field_count; i++) {
        const struct jfr_field *f = &object->type->fields[i];
        if (jfr_printer_leaves_out(o, object->type->field_count - i))
            break;
        jfr_printer_read(o, f, &l, &v);
        put_indent(o);
        textbuf_text(&o->text, f->name);
        textbuf_text(&o->text, " = ");
        put_value(o, &v, "\n");
    }
    o->depth--;
    o->indent -= STEP;
    put_indent(o);
    textbuf_char(&o->text, '}');
}

static void put_array(struct jfr_printer *o, const struct jfr_value *array)
{
    struct leb l = array->at;
    struct jfr_value v;
    textbuf_text(&o->text, "[\n");
    o->indent += STEP;
    for (uint64_t i = 0; i < array->count && !l.is_bad; i++) {
        if (jfr_printer_leaves_out(o, array->count - i))
            break;
        jfr_printer_element(o, array, &l, &v);
        put_indent(o);
        put_value(o, &v, i + 1 < array->count ? ", \n" : "\n");
    }
    o->indent -= STEP;
    put_indent(o);
    textbuf_char(&o->text, ']');
}

/* Writes "byte[2000]" or "java.util.ArrayList Size: 24152". If the size of an array is known, it is
 * put into the first brackets. */
static void put_held(struct jfr_printer *o, const struct jfr_value *held, int64_t size)
{
    struct jfr_value type, description;
    size_t start = o->text.len;
    named(o, held, "type", &type);
    if (type.shape == JFR_OBJECT)
        put_class_name(o, &type);
    const char *array = size > 0 && !o->text.is_bad
                            ? memchr(o->text.bytes + start, '[', o->text.len - start)
                            : NULL;
    if (array) {
        char rest[NAME];
        size_t at = (size_t)(array + 1 - o->text.bytes);
        snprintf(rest, sizeof(rest), "%.*s", (int)(o->text.len - at), o->text.bytes + at);
        o->text.len = at;
        textbuf_printf(&o->text, "%" PRId64 "%s", size, rest);
    }
    if (type.shape == JFR_OBJECT && jfr_value_named(o->chunk, held, "description", &description) &&
        description.shape == JFR_TEXT) {
        textbuf_char(&o->text, ' ');
        put_utf8(o, &description.text);
    }
    textbuf_char(&o->text, '\n');
}

/* Writes the field or element by which an object holds the previous object. Returns whether there
 * is such an object. */
static bool put_reference(struct jfr_printer *o, const struct jfr_value *reference,
                          struct jfr_value *held)
{
    struct jfr_value skip, field, array, index, size;
    named(o, reference, "skip", &skip);
    if (jfr_value_number(&skip) > 0) {
        put_indent(o);
        textbuf_text(&o->text, "...\n");
    }
    put_indent(o);
    named(o, reference, "array", &array);
    named(o, reference, "field", &field);
    named(o, &array, "index", &index);
    named(o, &array, "size", &size);
    if (field.shape == JFR_OBJECT)
        put_named(o, &field, "name");
    else if (array.shape == JFR_OBJECT)
        textbuf_printf(&o->text, "[%" PRId64 "]", jfr_value_number(&index));
    textbuf_text(&o->text, " : ");
    named(o, reference, "object", held);
    if (held->shape == JFR_OBJECT)
        put_held(o, held, array.shape == JFR_OBJECT ? jfr_value_number(&size) : 0);
    return held->shape == JFR_OBJECT;
}

/* Writes an object, the object that holds it, and so on up to a root. */
static void put_chain(struct jfr_printer *o, const struct jfr_value *object, int64_t elements)
{
    struct jfr_value held = *object, reference;
    unsigned links = 0;
    bool is_there = true;
    textbuf_text(&o->text, " [\n");
    o->indent += STEP;
    put_indent(o);
    put_held(o, &held, elements);
    while (is_there && jfr_value_named(o->chunk, &held, "referrer", &reference) &&
           reference.shape == JFR_OBJECT) {
        o->bound.cut += links == CHAIN_MAX;
        is_there = links++ < CHAIN_MAX && put_reference(o, &reference, &held);
    }
    o->indent -= STEP;
    put_indent(o);
    textbuf_char(&o->text, ']');
}

/* Structures that are not written field by field. */
static const struct {
    const char *type;
    void (*put)(struct jfr_printer *o, const struct jfr_value *object);
} forms[] = {
    {"java.lang.Thread", put_thread},      {"java.lang.Class", put_class},
    {"jdk.types.ClassLoader", put_loader}, {"jdk.types.Method", put_method},
    {"jdk.types.StackFrame", put_frame},
};

static void put_object(struct jfr_printer *o, const struct jfr_value *v)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (strcmp(v->type->known_as, forms[i].type) == 0) {
            forms[i].put(o, v);
            return;
        }
    put_struct(o, v);
}

static void put_text(struct jfr_printer *o, const struct jfr_value *v)
{
    size_t room = jfr_text_room(&v->text) + 1;
    char *text = malloc(room);
    textbuf_char(&o->text, '"');
    if (text)
        textbuf_bytes(&o->text, text, jfr_value_utf8(v, text, room));
    textbuf_char(&o->text, '"');
    free(text);
}

static void put_char(struct jfr_printer *o, uint32_t unit)
{
    struct jfr_text text = {.encoding = JFR_LAYOUT_STRING_CHARS};
    uint8_t bytes[3];
    char utf8[16];
    for (; unit >= 0x80; unit >>= 7)
        bytes[text.len++] = (uint8_t)(unit & 0x7f) | 0x80;
    bytes[text.len++] = (uint8_t)unit;
    text.bytes = bytes;
    textbuf_bytes(&o->text, utf8, jfr_text_utf8(&text, utf8));
}

static void put_value(struct jfr_printer *o, const struct jfr_value *v, const char *behind)
{
    if (v->shape == JFR_NULL || !jfr_printer_may_go_on(o))
        textbuf_text(&o->text, "N/A");
    else if (v->shape == JFR_OBJECT)
        put_object(o, v);
    else if (v->shape == JFR_ARRAY)
        put_array(o, v);
    else if (v->shape == JFR_TEXT)
        put_text(o, v);
    else if (v->type->kind == JFR_CHAR)
        put_char(o, (uint16_t)v->number);
    else if (jfr_printer_is_number(o, v->field))
        jfr_printer_stamp(o, v->field, v->number);
    else if (o->clock == JFR_PRINTER_UTC && v->field->content >= JFR_TICKS_STAMP)
        jfr_units_stamp(&o->text, o->chunk, v->field, v->number, 0, o->is_exact);
    else
        jfr_units_value(&o->text, o->chunk, v, o->is_exact);
    textbuf_text(&o->text, behind);
}

static bool is_hidden(const struct jfr_printer *o, const struct jfr_value *frame)
{
    struct jfr_value hidden;
    named(o, frame, "method.hidden", &hidden);
    return jfr_value_number(&hidden) != 0;
}

static void put_stack(struct jfr_printer *o, const struct jfr_value *stack)
{
    struct jfr_value frames, frame, truncated;
    unsigned depth = 0;
    uint64_t i = 0;
    named(o, stack, "frames", &frames);
    named(o, stack, "truncated", &truncated);
    struct leb l = frames.at;
    put_indent(o);
    textbuf_text(&o->text, "stackTrace = [\n");
    o->indent += STEP;
    for (; i < frames.count && !l.is_bad && depth < o->stack_depth; i++) {
        if (jfr_printer_leaves_out(o, frames.count - i))
            break;
        jfr_value_element(o->chunk, &frames, &l, &frame);
        jfr_printer_passes(o, HIDDEN_COST);
        if (frame.shape != JFR_OBJECT || is_hidden(o, &frame))
            continue;
        put_indent(o);
        put_value(o, &frame, "\n");
        depth++;
    }
    if (jfr_value_number(&truncated) || i == o->stack_depth) {
        put_indent(o);
        textbuf_text(&o->text, "...\n");
    }
    o->indent -= STEP;
    put_indent(o);
    textbuf_text(&o->text, "]\n");
}

/* Thread and stack are written at the end of the event. A duration of 0 is left out. */
static void put_field(struct jfr_printer *o, const struct jfr_value *event,
                      const struct jfr_value *v)
{
    const char *name = v->field->name;
    struct jfr_value elements;
    if (strcmp(name, "eventThread") == 0 || strcmp(name, "stackTrace") == 0 ||
        (strcmp(name, "duration") == 0 && v->shape == JFR_NUMBER && v->number == 0))
        return;
    put_indent(o);
    textbuf_text(&o->text, name);
    textbuf_text(&o->text, " = ");
    if (v->shape == JFR_OBJECT && strcmp(v->type->name, "jdk.types.OldObject") == 0) {
        named(o, event, "arrayElements", &elements);
        put_chain(o, v, jfr_value_number(&elements));
        textbuf_char(&o->text, '\n');
    } else {
        put_value(o, v, "\n");
    }
}

/* Writes up to `most` of the innermost frames that are not hidden, with line ends between them. */
static void put_top(struct jfr_printer *o, const struct jfr_value *stack, uint32_t most)
{
    struct jfr_value frames, frame, method;
    uint32_t count = 0;
    named(o, stack, "frames", &frames);
    struct leb l = frames.at;
    for (uint64_t i = 0; i < frames.count && i < JFR_PRINTER_FRAMES && !l.is_bad && count < most;
         i++) {
        jfr_value_element(o->chunk, &frames, &l, &frame);
        if (frame.shape != JFR_OBJECT || is_hidden(o, &frame))
            continue;
        if (count++ > 0)
            textbuf_char(&o->text, '\n');
        named(o, &frame, "method", &method);
        put_method(o, &method);
    }
    if (count == 0)
        textbuf_text(&o->text, "N/A");
}

void jfr_pretty_cell(struct jfr_printer *o, const struct jfr_value *v)
{
    struct jfr_value id;
    if (v->shape == JFR_TEXT) {
        put_utf8(o, &v->text);
    } else if (v->shape == JFR_ARRAY) {
        textbuf_printf(&o->text, "[%" PRIu64 "]", v->count);
    } else if (v->shape != JFR_OBJECT) {
        put_value(o, v, "");
    } else if (strcmp(v->type->known_as, "jdk.types.StackTrace") == 0) {
        put_top(o, v, 1);
    } else if (strcmp(v->type->known_as, "java.lang.Class") == 0) {
        put_class_name(o, v);
    } else if (strcmp(v->type->known_as, "java.lang.Thread") == 0) {
        named(o, v, "javaThreadId", &id);
        put_named(o, v, jfr_value_number(&id) > 0 ? "javaName" : "osName");
    } else if (strcmp(v->type->known_as, "jdk.types.Method") == 0) {
        put_method(o, v);
    } else if (strcmp(v->type->known_as, "jdk.types.ClassLoader") == 0 &&
               jfr_value_named(o->chunk, v, "type", &id) && id.shape == JFR_OBJECT) {
        put_class_name(o, &id);
    } else if (jfr_value_named(o->chunk, v, "name", &id) && id.shape == JFR_TEXT) {
        put_utf8(o, &id.text); /* modules, packages and groups of threads */
    } else {
        textbuf_text(&o->text, "{...}");
    }
}

void jfr_pretty_cell_lines(struct jfr_printer *o, const struct jfr_value *v, uint32_t lines)
{
    if (v->shape == JFR_OBJECT && strcmp(v->type->known_as, "jdk.types.StackTrace") == 0)
        put_top(o, v, lines > 0 ? lines : 1);
    else
        jfr_pretty_cell(o, v);
}

static void begin_recording(struct jfr_printer *o)
{
    o->indent = 0;
}

/* Writes the fields of a contextual event that describe other events, each in a line. */
static void put_context(struct jfr_printer *o, const struct jfr_type *type,
                        const struct jfr_record *record)
{
    struct leb l = record->payload;
    struct jfr_value v;
    o->indent = STEP;
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct jfr_field *f = &type->fields[i];
        jfr_value_read(o->chunk, f, &l, &v);
        if (!(f->marks & JFR_CONTEXTUAL))
            continue;
        put_indent(o);
        textbuf_printf(&o->text, "Context: %s.%s = ", jfr_filter_simple(type->name), f->name);
        put_value(o, &v, "\n");
    }
    o->indent = 0;
}

/* Writes the contexts of the event's thread at the end of the event. A contextual event itself has
 * none. */
static void put_contexts(struct jfr_printer *o, const struct jfr_type *type,
                         const struct jfr_value *event)
{
    const char *texts[JFR_PRINTER_CONTEXTS];
    struct jfr_place place;
    size_t count = 0;
    if (o->contexts && o->contexts->count > 0 && !jfr_type_is_contextual(type) &&
        jfr_place_of(o->chunk, o->jvm, event, &place))
        count = jfr_around_at(o->contexts, place.thread, place.end_ns, texts, JFR_PRINTER_CONTEXTS);
    for (size_t i = 0; i < count && !jfr_printer_leaves_out(o, count - i); i++)
        textbuf_text(&o->text, texts[i]);
}

static void put_event(struct jfr_printer *o, const struct jfr_type *type,
                      const struct jfr_record *record)
{
    const struct jfr_value event = jfr_value_event(type, record);
    struct leb l = record->payload;
    struct jfr_value v;
    textbuf_text(&o->text, type->name);
    textbuf_text(&o->text, " {\n");
    put_contexts(o, type, &event);
    o->indent = STEP;
    for (uint32_t i = 0; i < type->field_count; i++) {
        jfr_value_read(o->chunk, &type->fields[i], &l, &v);
        put_field(o, &event, &v);
    }
    named(o, &event, "eventThread", &v);
    if (v.shape == JFR_OBJECT) {
        textbuf_text(&o->text, "  eventThread = ");
        put_value(o, &v, "\n");
    }
    named(o, &event, "stackTrace", &v);
    if (v.shape == JFR_OBJECT)
        put_stack(o, &v);
    textbuf_text(&o->text, "}\n\n");
    o->indent = 0;
}

static void end_recording(struct jfr_printer *o)
{
    (void)o;
}

const struct jfr_printer_style jfr_pretty_style = {begin_recording, put_event, end_recording,
                                                   put_context, false};
