/*
 * jfr_context.h - the events of a file whose fields are marked as Contextual (JDK 25), by what they
 * say of others of their thread: a user, an order, the id of a trace.
 *
 * Such an event ends, and is written, behind those that it was around, so the file is read for it
 * before anything is printed. Source: what the tool of JDK 28 prints.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "jfr/jfr_around.h"

struct jfr_printer;
struct jfr_record;
struct jfr_type;

/** Writes what such an event says of others. */
typedef void jfr_context_writer(struct jfr_printer *o, const struct jfr_type *type,
                                const struct jfr_record *record);

/**
 * All of the file, each as `put` writes it, with the depth, the digits and the clock of `like`; `a`
 * is empty, and then to be given to jfr_around_done(). What is damaged is not said. Errors: 0;
 * E_LIMIT after saying that they take too much memory; -ENOMEM.
 */
int jfr_context_read(struct jfr_around *a, const char *path, jfr_context_writer *put,
                     const struct jfr_printer *like);
