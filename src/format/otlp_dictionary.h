/*
 * otlp_dictionary.h - the tables to which OpenTelemetry's profiles refer.
 *
 * Row 0 of each table is empty, and no row is there twice.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "format/locations.h"
#include "format/wordset.h"

struct proto_out;

struct otlp_dictionary {
    struct locations locations;
    /* { key, 1 if the value is a number or 0 if it is a text, the number or the string_id } */
    struct wordset attributes;
    struct wordset sets;   /* { numbers of attributes }: those of one sample */
    struct wordset stacks; /* { numbers of locations } */
    struct wordset links;  /* { trace id, span id }: texts of hexadecimal digits, as string_ids */
    uint64_t *numbers;     /* the list that is being written */
    uint32_t number_room;
};

void otlp_dictionary_init(struct otlp_dictionary *d, struct profile *p);
void otlp_dictionary_done(struct otlp_dictionary *d);
/** The number of an attribute with a text, which must not be 0. 0: no memory. */
uint32_t otlp_dictionary_text(struct otlp_dictionary *d, const char *key, string_id text);
/** Like otlp_dictionary_text(), for what a thread worked for. `key` is the name of the
 * context key. */
uint32_t otlp_dictionary_context(struct otlp_dictionary *d, string_id key, string_id text);
uint32_t otlp_dictionary_number(struct otlp_dictionary *d, const char *key, uint32_t number);
/** Whether these values of CONTEXT_TRACE_ID and CONTEXT_SPAN_ID name a span: not 0, and of the
 * right length. */
bool otlp_dictionary_is_span(const struct otlp_dictionary *d, string_id trace, string_id span);
/** The number of the link to a span. 0: no memory. */
uint32_t otlp_dictionary_link(struct otlp_dictionary *d, string_id trace, string_id span);
/** The number of the stack of a trace; 0 for a trace without frames. Returns false without
 * memory. */
bool otlp_dictionary_stack(struct otlp_dictionary *d, trace_id trace, uint32_t *ret_stack);
/** Writes the words of a row as a packed list. */
void otlp_dictionary_list(struct otlp_dictionary *d, struct proto_out *into, unsigned field,
                          const struct wordset_row *row);
/** Writes a text as an AnyValue. */
void otlp_dictionary_any(struct proto_out *into, unsigned field, const struct profile_string *text);
/** Writes all tables as fields of `into`. */
void otlp_dictionary_put(struct otlp_dictionary *d, struct proto_out *into);
