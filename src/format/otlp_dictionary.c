/*
 * otlp_dictionary.c - see otlp_dictionary.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/otlp_dictionary.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/hex.h"
#include "format/otlp.h"
#include "format/proto_out.h"

void otlp_dictionary_init(struct otlp_dictionary *d, struct profile *p)
{
    *d = (struct otlp_dictionary){0};
    locations_init(&d->locations, p);
    wordset_init(&d->attributes);
    wordset_init(&d->sets);
    wordset_init(&d->stacks);
    wordset_init(&d->links);
}

void otlp_dictionary_done(struct otlp_dictionary *d)
{
    locations_done(&d->locations);
    wordset_done(&d->attributes);
    wordset_done(&d->sets);
    wordset_done(&d->stacks);
    wordset_done(&d->links);
    free(d->numbers);
}

/* The words of a row of attributes. */
enum { ATTRIBUTE_KEY, ATTRIBUTE_IS_NUMBER, ATTRIBUTE_VALUE, ATTRIBUTE_WORDS };

uint32_t otlp_dictionary_text(struct otlp_dictionary *d, const char *key, string_id text)
{
    const uint32_t words[ATTRIBUTE_WORDS] = {locations_text(&d->locations, key), false, text};
    return words[0] && text ? wordset_add(&d->attributes, words, ATTRIBUTE_WORDS) : 0;
}

static bool is_own_key(const char *key)
{
    static const char *const own[] = {OTLP_THREAD_ID, OTLP_THREAD_NAME, OTLP_FRAME_TYPE, OTLP_CLASS,
                                      OTLP_TEXT};
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        if (strcmp(own[i], key) == 0)
            return true;
    return false;
}

uint32_t otlp_dictionary_context(struct otlp_dictionary *d, string_id key, string_id text)
{
    struct profile *p = d->locations.profile;
    const char *name = profile_string_at(p, key)->bytes;
    char *other = NULL;
    uint32_t number = 0;
    if (!is_own_key(name))
        return otlp_dictionary_text(d, name, text);
    if (asprintf(&other, OTLP_CONTEXT "%s", name) >= 0)
        number = otlp_dictionary_text(d, other, text);
    free(other);
    return number;
}

uint32_t otlp_dictionary_number(struct otlp_dictionary *d, const char *key, uint32_t number)
{
    const uint32_t words[ATTRIBUTE_WORDS] = {locations_text(&d->locations, key), true, number};
    return words[0] ? wordset_add(&d->attributes, words, ATTRIBUTE_WORDS) : 0;
}

/* W3C Trace Context has lower-case digits only. */
static int digit_of(char c)
{
    return c >= 'A' && c <= 'F' ? -1 : hex_digit(c);
}

/* Returns false if the text is not the id of that many bytes, or if they are all 0. */
static bool read_id(const struct otlp_dictionary *d, string_id text, unsigned char *ret, size_t len)
{
    const struct profile_string *s = profile_string_at(d->locations.profile, text);
    unsigned char any = 0;
    if (s->len != 2 * len)
        return false;
    for (size_t i = 0; i < len; i++) {
        int high = digit_of(s->bytes[2 * i]), low = digit_of(s->bytes[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        ret[i] = (unsigned char)(high << 4 | low);
        any |= ret[i];
    }
    return any != 0;
}

bool otlp_dictionary_is_span(const struct otlp_dictionary *d, string_id trace, string_id span)
{
    unsigned char bytes[OTLP_TRACE_BYTES];
    return trace && span && read_id(d, trace, bytes, OTLP_TRACE_BYTES) &&
           read_id(d, span, bytes, OTLP_SPAN_BYTES);
}

uint32_t otlp_dictionary_link(struct otlp_dictionary *d, string_id trace, string_id span)
{
    const uint32_t words[] = {trace, span};
    return wordset_add(&d->links, words, sizeof(words) / sizeof(*words));
}

bool otlp_dictionary_stack(struct otlp_dictionary *d, trace_id trace, uint32_t *ret_stack)
{
    int64_t depth = locations_of(&d->locations, trace);
    uint32_t *words = depth > 0 ? malloc((size_t)depth * sizeof(*words)) : NULL;
    *ret_stack = 0;
    if (depth == 0)
        return true;
    for (int64_t i = 0; words && i < depth; i++)
        words[i] = (uint32_t)d->locations.stack[i];
    if (words)
        *ret_stack = wordset_add(&d->stacks, words, (uint32_t)depth);
    free(words);
    return *ret_stack != 0;
}

void otlp_dictionary_list(struct otlp_dictionary *d, struct proto_out *into, unsigned field,
                          const struct wordset_row *row)
{
    if (row->count > d->number_room) {
        uint64_t *numbers = realloc(d->numbers, row->count * sizeof(*numbers));
        if (!numbers) {
            into->error = -ENOMEM;
            return;
        }
        d->numbers = numbers;
        d->number_room = row->count;
    }
    for (uint32_t i = 0; i < row->count; i++)
        d->numbers[i] = row->words[i];
    proto_out_list(into, field, d->numbers, row->count);
}

void otlp_dictionary_any(struct proto_out *into, unsigned field, const struct profile_string *text)
{
    struct proto_out any = {0};
    proto_out_text(&any, OTLP_ANY_STRING, text->bytes, text->len);
    proto_out_message(into, field, &any);
    proto_out_done(&any);
}

static void put_mappings(struct otlp_dictionary *d, struct proto_out *into)
{
    struct proto_out inner = {0};
    proto_out_bytes(into, OTLP_MAPPINGS, "", 0);
    for (uint32_t i = 1; i <= wordset_count(&d->locations.mappings); i++) {
        proto_out_clear(&inner);
        proto_out_number(&inner, OTLP_MAPPING_FILE,
                         wordset_at(&d->locations.mappings, i)->words[0]);
        proto_out_message(into, OTLP_MAPPINGS, &inner);
    }
    proto_out_done(&inner);
}

/* The attribute that says whose code a mapping has; found by the mapping's name. 0: no memory. */
static uint32_t type_of_mapping(struct otlp_dictionary *d, uint32_t mapping)
{
    uint32_t file = wordset_at(&d->locations.mappings, mapping)->words[0];
    const struct profile_string *name = locations_string_at(&d->locations, file);
    enum frame_kind kind = locations_kind(name->bytes, name->len);
    const char *type = kind == FRAME_KERNEL       ? "kernel"
                       : frame_kind_is_java(kind) ? "jvm"
                                                  : "native";
    return otlp_dictionary_text(d, OTLP_FRAME_TYPE, profile_cstring(d->locations.profile, type));
}

static void put_locations(struct otlp_dictionary *d, struct proto_out *into)
{
    struct proto_out inner = {0}, line = {0};
    proto_out_bytes(into, OTLP_LOCATIONS, "", 0);
    for (uint32_t i = 1; i <= wordset_count(&d->locations.locations); i++) {
        const struct wordset_row *row = wordset_at(&d->locations.locations, i);
        const uint64_t type = type_of_mapping(d, row->words[0]);
        proto_out_clear(&inner);
        proto_out_number(&inner, OTLP_LOCATION_MAPPING, row->words[0]);
        for (uint32_t at = 1; at < row->count; at += 2) {
            proto_out_clear(&line);
            proto_out_number(&line, OTLP_LINE_FUNCTION, row->words[at]);
            proto_out_number(&line, OTLP_LINE_LINE, row->words[at + 1]);
            proto_out_message(&inner, OTLP_LOCATION_LINES, &line);
        }
        proto_out_list(&inner, OTLP_LOCATION_ATTRIBUTES, &type, 1);
        proto_out_message(into, OTLP_LOCATIONS, &inner);
    }
    proto_out_done(&inner);
    proto_out_done(&line);
}

static void put_functions(struct otlp_dictionary *d, struct proto_out *into)
{
    struct proto_out inner = {0};
    proto_out_bytes(into, OTLP_FUNCTIONS, "", 0);
    for (uint32_t i = 1; i <= wordset_count(&d->locations.functions); i++) {
        const uint32_t *words = wordset_at(&d->locations.functions, i)->words;
        proto_out_clear(&inner);
        proto_out_number(&inner, OTLP_FUNCTION_NAME, words[LOCATIONS_NAME]);
        proto_out_number(&inner, OTLP_FUNCTION_SYSTEM, words[LOCATIONS_SYSTEM]);
        proto_out_number(&inner, OTLP_FUNCTION_FILE, words[LOCATIONS_FILE]);
        proto_out_message(into, OTLP_FUNCTIONS, &inner);
    }
    proto_out_done(&inner);
}

static void put_stacks(struct otlp_dictionary *d, struct proto_out *into)
{
    struct proto_out inner = {0};
    proto_out_bytes(into, OTLP_STACKS, "", 0);
    for (uint32_t i = 1; i <= wordset_count(&d->stacks); i++) {
        proto_out_clear(&inner);
        otlp_dictionary_list(d, &inner, OTLP_STACK_LOCATIONS, wordset_at(&d->stacks, i));
        proto_out_message(into, OTLP_STACKS, &inner);
    }
    proto_out_done(&inner);
}

static void put_link(struct proto_out *into, const unsigned char *trace, const unsigned char *span)
{
    struct proto_out inner = {0};
    proto_out_bytes(&inner, OTLP_LINK_TRACE, trace, OTLP_TRACE_BYTES);
    proto_out_bytes(&inner, OTLP_LINK_SPAN, span, OTLP_SPAN_BYTES);
    proto_out_message(into, OTLP_LINKS, &inner);
    proto_out_done(&inner);
}

static void put_links(const struct otlp_dictionary *d, struct proto_out *into)
{
    unsigned char trace[OTLP_TRACE_BYTES] = {0}, span[OTLP_SPAN_BYTES] = {0};
    put_link(into, trace, span);
    for (uint32_t i = 1; i <= wordset_count(&d->links); i++) {
        const uint32_t *words = wordset_at(&d->links, i)->words;
        read_id(d, words[0], trace, sizeof(trace));
        read_id(d, words[1], span, sizeof(span));
        put_link(into, trace, span);
    }
}

static void put_attributes(struct otlp_dictionary *d, struct proto_out *into)
{
    struct proto_out inner = {0}, line = {0};
    proto_out_bytes(into, OTLP_ATTRIBUTES, "", 0);
    for (uint32_t i = 1; i <= wordset_count(&d->attributes); i++) {
        const uint32_t *words = wordset_at(&d->attributes, i)->words;
        proto_out_clear(&inner);
        proto_out_number(&inner, OTLP_ATTRIBUTE_KEY, words[ATTRIBUTE_KEY]);
        if (words[ATTRIBUTE_IS_NUMBER]) {
            proto_out_clear(&line);
            proto_out_number(&line, OTLP_ANY_INT, words[ATTRIBUTE_VALUE]);
            proto_out_message(&inner, OTLP_ATTRIBUTE_VALUE, &line);
        } else {
            otlp_dictionary_any(&inner, OTLP_ATTRIBUTE_VALUE,
                                profile_string_at(d->locations.profile, words[ATTRIBUTE_VALUE]));
        }
        proto_out_message(into, OTLP_ATTRIBUTES, &inner);
    }
    proto_out_done(&inner);
    proto_out_done(&line);
}

static void put_strings(struct otlp_dictionary *d, struct proto_out *into)
{

    proto_out_bytes(into, OTLP_STRINGS, "", 0);
    for (uint32_t i = 1; i <= wordset_count(&d->locations.strings); i++) {
        const struct profile_string *text = locations_string_at(&d->locations, i);
        proto_out_bytes(into, OTLP_STRINGS, text->bytes, text->len);
    }
}

/* Writing the locations adds attributes, so the table of attributes is written after them. */
void otlp_dictionary_put(struct otlp_dictionary *d, struct proto_out *into)
{
    put_mappings(d, into);
    put_locations(d, into);
    put_functions(d, into);
    put_stacks(d, into);
    put_links(d, into);
    put_attributes(d, into);
    put_strings(d, into);
}
