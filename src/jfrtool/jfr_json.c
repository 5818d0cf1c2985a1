/*
 * jfr_json.c - writes events as JSON, byte for byte as the JDK's `jfr print --json` does; only
 * contexts are added if the user asks for them.
 *
 * Source: what the tool of JDK 28 writes for recordings of JDK 8 to 28.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_printer.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "command/javatext.h"
#include "jfrtool/jfr_units.h"
#include "jfr/jfr_around.h"
#include "jfr/jfr_place.h"
#include "jfr/jfr_text.h"
#include "jfr/jfr_value.h"

enum {
    STEP = 2,
    CONTEXT_INDENT = 4 * STEP, /* columns before the members of an event's "context" */
};

static void put_one(struct jfr_printer *o, const struct jfr_field *f, struct leb *l);

static void begin_object(struct jfr_printer *o)
{
    textbuf_bytes(&o->text, "{\n", 2);
    o->indent += STEP;
}

static void end_object(struct jfr_printer *o)
{
    o->indent -= STEP;
    textbuf_char(&o->text, '\n');
    textbuf_fill(&o->text, ' ', o->indent);
    textbuf_char(&o->text, '}');
}

static void put_unit(struct textbuf *t, uint32_t unit)
{
    static const char hex[] = "0123456789abcdef";
    const char escape[] = {
        '\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15], hex[unit >> 4 & 15], hex[unit & 15]};
    textbuf_bytes(t, escape, sizeof(escape));
}

static void put_character(struct textbuf *t, uint32_t c)
{
    static const char short_ones[128] = {['\b'] = 'b', ['\n'] = 'n', ['\t'] = 't',  ['\f'] = 'f',
                                         ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\', ['/'] = '/'};
    if (c < 128 && short_ones[c] != 0) {
        textbuf_char(t, '\\');
        textbuf_char(t, short_ones[c]);
    } else if (c >= 0x10000) {
        put_unit(t, 0xd800 + ((c - 0x10000) >> 10));
        put_unit(t, 0xdc00 + ((c - 0x10000) & 0x3ff));
    } else if (c > 0x7f || c < 32) {
        put_unit(t, c);
    } else {
        textbuf_char(t, (char)c);
    }
}

/* Half of a surrogate pair is not a character and becomes U+FFFD. */
static void put_char(struct textbuf *t, uint32_t unit)
{
    put_character(t, unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit);
}

static bool is_plain(uint8_t c)
{
    return c >= 32 && c < 0x80 && c != '"' && c != '\\' && c != '/';
}

/* Writes legal UTF-8, as jfr_text_utf8() makes it, with the escapes of JSON. */
static void put_escaped(struct textbuf *t, const char *utf8, size_t len)
{
    const uint8_t *at = (const uint8_t *)utf8, *end = at + len;
    while (at < end) {
        char *to = textbuf_room(t, (size_t)(end - at));
        if (!to)
            return;
        while (at < end && is_plain(*at))
            *to++ = (char)*at++;
        textbuf_end(t, to);
        if (at == end)
            return;
        uint32_t c = *at++;
        unsigned more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
        c = more > 0 ? c & (0x3fU >> more) : c;
        for (; more > 0 && at < end; more--)
            c = c << 6 | (*at++ & 0x3f);
        put_character(t, c);
    }
}

/* Not inlined: otherwise its buffer would be on the stack of each level of the recursive functions
 * that call it. */
__attribute__((noinline)) static void put_text(struct jfr_printer *o, const struct jfr_text *text)
{
    char small[1024];
    size_t room = jfr_text_room(text);
    char *utf8 = room <= sizeof(small) ? small : malloc(room);
    if (!utf8) {
        o->text.is_bad = true;
        return;
    }
    textbuf_char(&o->text, '"');
    put_escaped(&o->text, utf8, jfr_text_utf8(text, utf8));
    textbuf_char(&o->text, '"');
    if (utf8 != small)
        free(utf8);
}

static void put_null(struct jfr_printer *o)
{
    textbuf_bytes(&o->text, "null", 4);
}

/* Writes a text; the bytes may be the key of a text in the constant pool. */
static void put_string(struct jfr_printer *o, const struct jfr_type *type, struct leb *l)
{
    struct jfr_text text = jfr_text_read(l);
    if (jfr_value_follow_text(o->chunk, type, &text))
        put_text(o, &text);
    else
        put_null(o);
}

static void put_span(struct jfr_printer *o, const struct jfr_field *f, int64_t number)
{
    textbuf_char(&o->text, '"');
    javatext_duration(&o->text, jfr_units_span(o->chunk, f, number));
    textbuf_char(&o->text, '"');
}

static void put_stamp(struct jfr_printer *o, const struct jfr_field *f, int64_t number)
{
    const char *quote = jfr_printer_is_number(o, f) ? "" : "\"";
    textbuf_text(&o->text, quote);
    jfr_printer_stamp(o, f, number);
    textbuf_text(&o->text, quote);
}

/* `f` is the field that the user sees. If its type is a simple type, `f` is not the field within
 * that type. */
static void put_number(struct jfr_printer *o, const struct jfr_field *f, enum jfr_kind kind,
                       int64_t number)
{
    if (f->marks & JFR_UNSIGNED && kind != JFR_LONG)
        number = kind == JFR_BYTE    ? (uint8_t)number
                 : kind == JFR_SHORT ? (uint16_t)number
                 : kind == JFR_INT   ? (uint32_t)number
                                     : number;
    if (f->content >= JFR_TICKS_STAMP)
        put_stamp(o, f, number);
    else if (f->content != JFR_PLAIN)
        put_span(o, f, number);
    else if (f->marks & JFR_UNSIGNED)
        textbuf_unsigned(&o->text, (uint64_t)number);
    else
        textbuf_number(&o->text, number);
}

static void put_real(struct jfr_printer *o, enum jfr_kind kind, struct leb *l)
{
    double value = kind == JFR_FLOAT ? (double)leb_float(l) : leb_double(l);
    if (isnan(value) || isinf(value))
        put_null(o);
    else if (kind == JFR_FLOAT)
        javatext_float(&o->text, (float)value);
    else
        javatext_double(&o->text, value);
}

/* The frames of a stack beyond the wanted depth are skipped. */
static void put_array(struct jfr_printer *o, const struct jfr_field *f, struct leb *l)
{
    uint64_t count = leb_number(l);
    bool are_frames = f->type && strstr(f->type->name, "StackFrame");
    uint64_t shown = are_frames && count > o->stack_depth ? o->stack_depth : count;
    textbuf_char(&o->text, '[');
    for (uint64_t i = 0; i < shown && !l->is_bad; i++) {
        if (jfr_printer_leaves_out(o, shown - i)) {
            count = shown; /* the rest of the event is not read any more */
            break;
        }
        if (i > 0)
            textbuf_bytes(&o->text, ", ", 2);
        put_one(o, f, l);
    }
    const uint8_t *from = l->at;
    jfr_type_skip_elements(f, count - shown, l);
    jfr_printer_passes(o, (size_t)(l->at - from));
    textbuf_char(&o->text, ']');
}

static void put_name(struct jfr_printer *o, const char *name, bool is_first)
{
    if (!is_first)
        textbuf_bytes(&o->text, ", \n", 3);
    textbuf_fill(&o->text, ' ', o->indent);
    textbuf_char(&o->text, '"');
    put_escaped(&o->text, name, strlen(name));
    textbuf_bytes(&o->text, "\": ", 3);
}

static void put_value(struct jfr_printer *o, const struct jfr_field *f, struct leb *l)
{
    if (f->is_array)
        put_array(o, f, l);
    else
        put_one(o, f, l);
}

static void put_fields(struct jfr_printer *o, const struct jfr_type *type, struct leb *l)
{
    begin_object(o);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct jfr_field *f = &type->fields[i];
        if (jfr_printer_leaves_out(o, type->field_count - i))
            break;
        put_name(o, f->name, i == 0);
        put_value(o, f, l);
    }
    end_object(o);
}

static void put_plain(struct jfr_printer *o, const struct jfr_field *f, const struct jfr_type *type,
                      struct leb *l)
{
    const struct jfr_field *simple = type ? jfr_type_simple_field(type) : NULL;
    switch (type ? type->kind : JFR_UNKNOWN) {
    case JFR_UNKNOWN:
        leb_fail(l);
        put_null(o);
        break;
    case JFR_STRUCT:
        if (simple && simple->is_array)
            put_array(o, simple, l);
        else if (simple)
            put_one(o, simple, l);
        else
            put_fields(o, type, l);
        break;
    case JFR_STRING:
        put_string(o, type, l);
        break;
    case JFR_FLOAT:
    case JFR_DOUBLE:
        put_real(o, type->kind, l);
        break;
    case JFR_BOOLEAN:
        textbuf_text(&o->text, leb_byte(l) != 0 ? "true" : "false");
        break;
    case JFR_CHAR:
        textbuf_char(&o->text, '"');
        put_char(&o->text, (uint16_t)leb_number(l));
        textbuf_char(&o->text, '"');
        break;
    case JFR_BYTE:
        put_number(o, f, type->kind, (int8_t)leb_byte(l));
        break;
    case JFR_SHORT:
        put_number(o, f, type->kind, (int16_t)(uint16_t)leb_number(l));
        break;
    case JFR_INT:
        put_number(o, f, type->kind, leb_int(l));
        break;
    case JFR_LONG:
        put_number(o, f, type->kind, (int64_t)leb_number(l));
        break;
    }
}

static void put_constant(struct jfr_printer *o, const struct jfr_field *f, uint64_t key)
{
    const struct jfr_type *type = f->type;
    bool may = type && jfr_printer_may_go_on(o);
    if (may && jfr_printer_again(o, type, key))
        return;
    const uint8_t *at = may ? jfr_pool_find(&o->chunk->pools, type, key) : NULL;
    if (!at) {
        put_null(o);
        return;
    }
    struct leb l = leb_over(at, (size_t)(o->chunk->bytes + o->chunk->len - at));
    size_t start = o->text.len;
    o->depth++;
    put_plain(o, f, type, &l);
    o->depth--;
    jfr_printer_keep(o, type, key, start);
}

static void put_one(struct jfr_printer *o, const struct jfr_field *f, struct leb *l)
{
    if (f->is_pooled)
        put_constant(o, f, leb_number(l));
    else
        put_plain(o, f, f->type, l);
}

static void put_quoted(struct jfr_printer *o, const char *text)
{
    textbuf_char(&o->text, '"');
    put_escaped(&o->text, text, strlen(text));
    textbuf_char(&o->text, '"');
}

/* Writes what a contextual event says, as a member of the "context" of another event. */
static void put_context(struct jfr_printer *o, const struct jfr_type *type,
                        const struct jfr_record *record)
{
    struct leb l = record->payload;
    bool is_first = true;
    put_quoted(o, type->name);
    textbuf_bytes(&o->text, ": ", 2);
    o->indent = CONTEXT_INDENT;
    begin_object(o);
    for (uint32_t i = 0; i < type->field_count; i++) {
        const struct jfr_field *f = &type->fields[i];
        if (!(f->marks & JFR_CONTEXTUAL)) {
            jfr_type_skip(f, &l);
            continue;
        }
        put_name(o, f->name, is_first);
        put_value(o, f, &l);
        is_first = false;
    }
    end_object(o);
}

/* Whether both texts begin with the same type name in quotes. */
static bool are_of_one_type(const char *a, const char *b)
{
    bool is_escaped = false;
    for (size_t i = 1; a[i] == b[i] && a[i] != '\0'; i++) {
        if (a[i] == '"' && !is_escaped)
            return true;
        is_escaped = a[i] == '\\' && !is_escaped;
    }
    return false;
}

/* Writes the contexts that were around the event when it ended, the outermost first. Of several
 * contexts of one type only the innermost is written. */
static void put_contexts(struct jfr_printer *o, const struct jfr_type *type,
                         const struct jfr_record *record)
{
    const struct jfr_value event = jfr_value_event(type, record);
    const char *texts[JFR_PRINTER_CONTEXTS];
    struct jfr_place place;
    bool is_first = true;
    size_t count = 0;
    if (o->contexts->count > 0 && !jfr_type_is_contextual(type) &&
        jfr_place_shown(o->chunk, o->jvm, &event, &place))
        count = jfr_around_at(o->contexts, place.thread, place.end_ns, texts, JFR_PRINTER_CONTEXTS);
    textbuf_bytes(&o->text, count > 0 ? "{\n" : "{", count > 0 ? 2 : 1);
    for (size_t i = 0; i < count && !jfr_printer_leaves_out(o, count - i); i++) {
        size_t inner = i + 1;
        while (inner < count && !are_of_one_type(texts[i], texts[inner]))
            inner++;
        if (inner < count)
            continue;
        if (!is_first)
            textbuf_bytes(&o->text, ", \n", 3);
        textbuf_fill(&o->text, ' ', CONTEXT_INDENT);
        textbuf_text(&o->text, texts[i]);
        is_first = false;
    }
    if (count > 0) {
        textbuf_char(&o->text, '\n');
        textbuf_fill(&o->text, ' ', o->indent);
    }
    textbuf_char(&o->text, '}');
}

static void begin_recording(struct jfr_printer *o)
{
    textbuf_text(&o->text, "{\n  \"recording\": {\n    \"events\": [");
    o->indent = 2 * STEP;
}

static void put_event(struct jfr_printer *o, const struct jfr_type *type,
                      const struct jfr_record *record)
{
    struct leb l = record->payload;
    if (!o->is_first)
        textbuf_bytes(&o->text, ", ", 2);
    begin_object(o);
    put_name(o, "type", true);
    put_quoted(o, type->name);
    put_name(o, "values", false);
    put_fields(o, type, &l);
    if (o->contexts) {
        put_name(o, "context", false);
        put_contexts(o, type, record);
    }
    end_object(o);
}

static void end_recording(struct jfr_printer *o)
{
    textbuf_text(&o->text, "]\n  }\n}");
}

const struct jfr_printer_style jfr_json_style = {begin_recording, put_event, end_recording, NULL,
                                                 true};
const struct jfr_printer_style jfr_json_with_contexts = {begin_recording, put_event, end_recording,
                                                         put_context, true};
