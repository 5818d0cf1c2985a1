/*
 * jfr_context.h - contextual events: their fields are marked as Contextual (JDK 25) and describe
 * the other events of the same thread, for example by a user, an order or a trace id.
 *
 * A contextual event is written when it ends, which is after the events that it describes. So the
 * file is read for contextual events before anything is printed. Source: what the tool of JDK 28
 * prints.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "jfr/jfr_around.h"

struct jfr_printer;
struct jfr_record;
struct jfr_type;

/** Writes what a contextual event says about other events. */
typedef void jfr_context_writer(struct jfr_printer *o, const struct jfr_type *type,
                                const struct jfr_record *record);

/**
 * Reads all contextual events of the file, and writes each with `put`, with the depth, digits and
 * clock of the printer `like`. `a` must be empty; the caller passes it to jfr_around_done(). Damage
 * of the file is not reported. Errors: 0; E_LIMIT after saying that the events take too much
 * memory; -ENOMEM.
 */
int jfr_context_read(struct jfr_around *a, const char *path, jfr_context_writer *put,
                     const struct jfr_printer *like);
