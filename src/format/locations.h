/*
 * locations.h - stacks as tables that refer to each other by number, as in pprof and OTLP.
 *
 * A location is a place in code that ran: one frame, or a compiled frame with the frames inlined
 * into it. Each line of a location names a function. A location lies in a mapping, which says whose
 * code it is: "[java]", "[kernel]", the file of a library. Numbers begin with 1; a text with number
 * 0 is empty. Not thread-safe.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/wordset.h"
#include "profile/profile.h"

struct locations {
    struct profile *profile;  /* borrowed; gets the names that are made here */
    struct wordset strings;   /* { string_id }; no row is an empty string */
    struct wordset mappings;  /* { number of its string } */
    struct wordset functions; /* numbers of strings, in the order of enum locations_function */
    /* { mapping, then function and line number of each line, innermost first } */
    struct wordset locations;
    uint32_t *function_of; /* by method_id; 0: not made yet */
    uint32_t method_room;
    uint32_t *words; /* of the location that is being made */
    uint32_t word_room;
    uint64_t *stack; /* result of locations_of() */
    uint32_t stack_room;
};

/** The words of a row of `functions`. */
enum locations_function {
    LOCATIONS_NAME,   /* java.lang.String.length */
    LOCATIONS_SYSTEM, /* the name with its descriptor; 0: no descriptor */
    LOCATIONS_FILE,
    LOCATIONS_FUNCTION_WORDS,
};

void locations_init(struct locations *l, struct profile *profile);
void locations_done(struct locations *l);
/** Puts the locations of a trace into l->stack, innermost first. Returns how many, or -ENOMEM. */
int64_t locations_of(struct locations *l, trace_id trace);
/** The number of a string; 0: the string is empty, or no memory. */
uint32_t locations_string(struct locations *l, string_id id);
uint32_t locations_text(struct locations *l, const char *text);
/** String 1 .. wordset_count(&l->strings), as plain UTF-8. */
const struct profile_string *locations_string_at(const struct locations *l, uint32_t number);
/**
 * The kind of the frames in a mapping with this name: "[java]", "[kernel]" ... A native frame whose
 * library is known lies in a mapping with the library's name instead. FRAME_KINDS: the name is none
 * of ours.
 */
enum frame_kind locations_kind(const char *mapping, size_t len);
