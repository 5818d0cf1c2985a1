/*
 * otlp_dictionary.h - the tables that OpenTelemetry's profiles refer to.
 *
 * Row 0 of each is empty; nothing is in them twice. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "format/locations.h"
#include "format/wordset.h"

struct proto_out;

struct otlp_dictionary {
    struct locations locations;
    struct wordset
        attributes;        /* a key, whether it is a number, a text of the profile or the number */
    struct wordset sets;   /* numbers of attributes: those of a sample */
    struct wordset stacks; /* numbers of locations */
    uint64_t *numbers;     /* of a list that is being written */
    uint32_t number_room;
};

void otlp_dictionary_init(struct otlp_dictionary *d, struct profile *p);
void otlp_dictionary_done(struct otlp_dictionary *d);
/** The number of an attribute; 0: no memory. `text` is not 0: it lies in the attribute. */
uint32_t otlp_dictionary_text(struct otlp_dictionary *d, const char *key, string_id text);
/** The same for what a thread worked for, by the name of its key. */
uint32_t otlp_dictionary_context(struct otlp_dictionary *d, string_id key, string_id text);
uint32_t otlp_dictionary_number(struct otlp_dictionary *d, const char *key, uint32_t number);
/** *ret_stack is 0 for a trace without frames. Returns whether there was memory. */
bool otlp_dictionary_stack(struct otlp_dictionary *d, trace_id trace, uint32_t *ret_stack);
/** A list of the numbers in a row of words. */
void otlp_dictionary_list(struct otlp_dictionary *d, struct proto_out *into, unsigned field,
                          const struct wordset_row *row);
/** A text as an AnyValue. */
void otlp_dictionary_any(struct proto_out *into, unsigned field, const struct profile_string *text);
/** All tables, as fields of `into`. */
void otlp_dictionary_put(struct otlp_dictionary *d, struct proto_out *into);
