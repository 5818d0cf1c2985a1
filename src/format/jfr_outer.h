/*
 * jfr_outer.h - what events around others say of them: of the same thread, begun before and ended
 * behind, the innermost one that has the field.
 *
 * The field is named with its event ("Trace.user"), or alone where it is marked as Contextual (JDK
 * 25). An event around ends, and is written, behind those that it is around: so all of a file is
 * read for it first.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "jfr/jfr_around.h"

struct feed;
struct jfr_chunk;
struct jfr_file;
struct jfr_value;

/** All zero has read nothing. Owner: jfr_around_done() of the spans. */
struct jfr_outer {
    struct jfr_around spans;
    bool is_there; /* a type of events has the field, */
    bool has_all;  /* and all of the file was read for it */
    uint64_t jvm;  /* of the chunk whose events are asked for */
};

/** Reads all that lies in memory; a stream stays as it is. Errors: 0, -ENOMEM. */
int jfr_outer_read(struct jfr_outer *o, const struct feed *feed, const char *by);
/**
 * Before the events of a chunk: reads those of it that are around others, unless all are there
 * already. Errors: 0, -ENOMEM.
 */
int jfr_outer_begin(struct jfr_outer *o, struct jfr_file *f, const char *by);
/** What is said of an event of the chunk; NULL: nothing. */
const char *jfr_outer_of(const struct jfr_outer *o, const struct jfr_chunk *c,
                         const struct jfr_value *event);
