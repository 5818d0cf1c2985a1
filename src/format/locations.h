/*
 * locations.h - stacks as tables that refer to each other by number, as pprof and OTLP have them.
 *
 * A location is a place in code that ran: one frame, or a compiled one with those inlined into it;
 * its lines name functions, and it lies in a mapping, which tells what code it is: "[java]",
 * "[kernel]", the file of a library. Numbers begin with 1; texts of number 0 are empty.
 * Not thread-safe. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "format/wordset.h"
#include "profile/profile.h"

struct locations {
    struct profile *profile;  /* borrowed; gets the names that are made here */
    struct wordset strings;   /* { string_id }, never one that is empty */
    struct wordset mappings;  /* { number of its string } */
    struct wordset functions; /* numbers of strings, as enum locations_function says */
    struct wordset locations; /* { mapping, function and line of each line, innermost first } */
    uint32_t *function_of;    /* by method_id; 0: not asked yet */
    uint32_t method_room;
    uint32_t *words; /* of the location that is being made */
    uint32_t word_room;
    uint64_t *stack; /* what locations_of() found */
    uint32_t stack_room;
};

/** The words of a function. */
enum locations_function {
    LOCATIONS_NAME,   /* java.lang.String.length */
    LOCATIONS_SYSTEM, /* with its descriptor; 0 where that is unknown */
    LOCATIONS_FILE,
    LOCATIONS_FUNCTION_WORDS,
};

void locations_init(struct locations *l, struct profile *profile);
void locations_done(struct locations *l);
/** The locations of a trace, innermost first, in l->stack. Returns how many, or -ENOMEM. */
int64_t locations_of(struct locations *l, trace_id trace);
/** The number of a string; 0 for an empty one, and where there is no memory. */
uint32_t locations_string(struct locations *l, string_id id);
uint32_t locations_text(struct locations *l, const char *text);
/** String 1 .. wordset_count(&l->strings): plain UTF-8. */
const struct profile_string *locations_string_at(const struct locations *l, uint32_t number);
/** The mappings of Java frames and the kernel are no files; a library's name is one. */
const char *locations_mapping_of(enum frame_kind kind);
