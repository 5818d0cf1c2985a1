/*
 * jfr_xml.c - writes events as XML, byte for byte as the JDK's `jfr print --xml` does.
 *
 * Source: what the tool of JDK 28 writes. Older tools write control characters and halves of
 * surrogate pairs unchanged.
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
#include "jfr/jfr_text.h"
#include "jfr/jfr_value.h"

enum { STEP = 2, NO_INDEX = -1 };

static void put_field(struct jfr_printer *o, const struct jfr_value *v, const char *name,
                      int64_t index);

static void put_line(struct jfr_printer *o, const char *text)
{
    textbuf_fill(&o->text, ' ', o->indent);
    textbuf_text(&o->text, text);
    textbuf_char(&o->text, '\n');
}

enum { REPLACEMENT = 0xfffd };

/* Source: XML 1.0, production 2, Char. Other characters, such as most control characters, are not
 * allowed even as references. */
static bool is_legal(uint32_t c)
{
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xd7ff) ||
           (c >= 0xe000 && c <= 0xfffd) || (c >= 0x10000 && c <= 0x10ffff);
}

static void put_character(struct textbuf *t, uint32_t c)
{
    static const char *const names[128] = {
        ['"'] = "&quot;", ['&'] = "&amp;", ['\''] = "&apos;", ['<'] = "&lt;", ['>'] = "&gt;"};
    if (!is_legal(c))
        c = REPLACEMENT;
    if (c < 128 && names[c])
        textbuf_text(t, names[c]);
    else if (c < 128)
        textbuf_char(t, (char)c);
    else
        textbuf_printf(t, "&#x%x;", c);
}

/* Writes legal UTF-8, as jfr_text_utf8() makes it, with the escapes of XML. */
static void put_escaped(struct textbuf *t, const char *utf8, size_t len)
{
    const uint8_t *at = (const uint8_t *)utf8, *end = at + len;
    while (at < end) {
        uint32_t c = *at++;
        unsigned more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
        c = more > 0 ? c & (0x3fU >> more) : c;
        for (; more > 0 && at < end; more--)
            c = c << 6 | (*at++ & 0x3f);
        put_character(t, c);
    }
}

static void put_text(struct jfr_printer *o, const struct jfr_text *text)
{
    char *utf8 = malloc(jfr_text_room(text) + 1);
    if (utf8)
        put_escaped(&o->text, utf8, jfr_text_utf8(text, utf8));
    else
        o->text.is_bad = true;
    free(utf8);
}

static void put_number(struct jfr_printer *o, const struct jfr_value *v)
{
    const struct jfr_field *f = v->field;
    int64_t number = jfr_value_widened(v);
    if (v->type->kind == JFR_BOOLEAN)
        textbuf_text(&o->text, number != 0 ? "true" : "false");
    else if (v->type->kind == JFR_CHAR)
        put_character(&o->text, (uint32_t)number);
    else if (f->content >= JFR_TICKS_STAMP)
        jfr_printer_stamp(o, f, number);
    else if (f->content != JFR_PLAIN)
        javatext_duration(&o->text, jfr_units_span(o->chunk, f, number));
    else if (f->marks & JFR_UNSIGNED)
        textbuf_unsigned(&o->text, (uint64_t)number);
    else
        textbuf_number(&o->text, number);
}

static void put_real(struct jfr_printer *o, const struct jfr_value *v)
{
    if (isnan(v->real))
        textbuf_text(&o->text, "NaN");
    else if (isinf(v->real))
        textbuf_text(&o->text, v->real < 0 ? "-Infinity" : "Infinity");
    else if (v->type->kind == JFR_FLOAT)
        javatext_float(&o->text, (float)v->real);
    else
        javatext_double(&o->text, v->real);
}

static void put_attribute(struct jfr_printer *o, const char *name, const char *value)
{
    textbuf_char(&o->text, ' ');
    textbuf_text(&o->text, name);
    textbuf_bytes(&o->text, "=\"", 2);
    put_escaped(&o->text, value, strlen(value));
    textbuf_char(&o->text, '"');
}

/* Begins an element. Returns whether the element has content. */
static bool begin_element(struct jfr_printer *o, const char *element, const struct jfr_value *v,
                          const char *name, int64_t index)
{
    textbuf_fill(&o->text, ' ', o->indent);
    textbuf_char(&o->text, '<');
    textbuf_text(&o->text, element);
    if (name)
        put_attribute(o, "name", name);
    if (index != NO_INDEX)
        textbuf_printf(&o->text, " index=\"%" PRId64 "\"", index);
    if (v->shape == JFR_NULL) {
        textbuf_text(&o->text, " xsi:nil=\"true\"/>\n");
        return false;
    }
    if (v->shape == JFR_ARRAY)
        textbuf_printf(&o->text, " size=\"%" PRIu64 "\"", v->count);
    textbuf_char(&o->text, '>');
    return true;
}

static void end_element(struct jfr_printer *o, const char *element)
{
    textbuf_bytes(&o->text, "</", 2);
    textbuf_text(&o->text, element);
    textbuf_bytes(&o->text, ">\n", 2);
}

static void put_fields(struct jfr_printer *o, const struct jfr_type *type, struct leb *l)
{
    o->indent += STEP;
    for (uint32_t i = 0; i < type->field_count; i++) {
        struct jfr_value v;
        if (jfr_printer_leaves_out(o, type->field_count - i))
            break;
        jfr_printer_read(o, &type->fields[i], l, &v);
        put_field(o, &v, type->fields[i].name, NO_INDEX);
    }
    o->indent -= STEP;
}

/* Frames of a stack beyond the wanted depth are left out, but the size of the array counts them. */
static void put_elements(struct jfr_printer *o, const struct jfr_value *array)
{
    bool are_frames = array->type && strstr(array->type->name, "StackFrame");
    uint64_t count = are_frames && array->count > o->stack_depth ? o->stack_depth : array->count;
    struct leb l = array->at;
    o->indent += STEP;
    for (uint64_t i = 0; i < count && !l.is_bad; i++) {
        struct jfr_value v;
        if (jfr_printer_leaves_out(o, count - i))
            break;
        jfr_printer_element(o, array, &l, &v);
        put_field(o, &v, NULL, (int64_t)i);
    }
    o->indent -= STEP;
}

/* Whether the value is a structure with fields of its own, which may be null. */
static bool is_struct(const struct jfr_value *v)
{
    return v->type && v->type->kind == JFR_STRUCT && !jfr_type_simple_field(v->type);
}

static void put_compound(struct jfr_printer *o, const char *element, const struct jfr_value *v,
                         const char *name, int64_t index)
{
    struct jfr_value within = *v;
    if (!jfr_printer_may_go_on(o))
        within.shape = JFR_NULL;
    if (!begin_element(o, element, &within, name, index))
        return;
    textbuf_char(&o->text, '\n');
    o->depth++;
    if (within.shape == JFR_ARRAY)
        put_elements(o, &within);
    else
        put_fields(o, within.type, &within.at);
    o->depth--;
    textbuf_fill(&o->text, ' ', o->indent);
    end_element(o, element);
}

static void put_field(struct jfr_printer *o, const struct jfr_value *v, const char *name,
                      int64_t index)
{
    if (v->shape == JFR_ARRAY || (index == NO_INDEX && v->field->is_array)) {
        put_compound(o, "array", v, name, index);
    } else if (is_struct(v)) {
        put_compound(o, "struct", v, name, index);
    } else if (begin_element(o, "value", v, name, index)) {
        if (v->shape == JFR_TEXT)
            put_text(o, &v->text);
        else if (v->shape == JFR_REAL)
            put_real(o, v);
        else
            put_number(o, v);
        end_element(o, "value");
    }
}

static void begin_recording(struct jfr_printer *o)
{
    put_line(o, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    put_line(o, "<recording xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">");
    o->indent = STEP;
    put_line(o, "<events>");
    o->indent += STEP;
}

static void put_event(struct jfr_printer *o, const struct jfr_type *type,
                      const struct jfr_record *record)
{
    struct leb l = record->payload;
    textbuf_fill(&o->text, ' ', o->indent);
    textbuf_text(&o->text, "<event");
    put_attribute(o, "type", type->name);
    textbuf_bytes(&o->text, ">\n", 2);
    put_fields(o, type, &l);
    put_line(o, "</event>");
    textbuf_char(&o->text, '\n');
}

static void end_recording(struct jfr_printer *o)
{
    o->indent -= STEP;
    put_line(o, "</events>");
    o->indent -= STEP;
    put_line(o, "</recording>");
}

const struct jfr_printer_style jfr_xml_style = {begin_recording, put_event, end_recording, NULL,
                                                true};
