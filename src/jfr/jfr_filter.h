/*
 * jfr_filter.h - which events of a JFR file the user means: comma-separated names with * and ?.
 *
 * A name matches the whole name of an event ("jdk.CPULoad") or the part after its last dot
 * ("CPULoad"). A category matches any of the event's categories, or the first letters of a category
 * of several words ("JVM" for "Java Virtual Machine").
 * Source: jdk.jfr, Filters.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct jfr_type;

struct jfr_filter {
    const char *events, *categories; /* NULL: all; an event must match both if both are given */
};

bool jfr_filter_fits(const struct jfr_filter *filter, const struct jfr_type *type);
/** Whether the name of an event matches one of the patterns. */
bool jfr_filter_names(const char *patterns, const char *name);
/** Whether a text matches one of the patterns. Dots in the text have no meaning. */
bool jfr_filter_texts(const char *patterns, const char *text);
/** Whether the text matches one pattern with * and ?. */
bool jfr_filter_glob(const char *pattern, const char *text);
/** The category with index `number` of an event type, from 0; NULL: there are no more. */
const char *jfr_filter_category(const struct jfr_type *type, unsigned number);
/**
 * The path of a field inside an event. For the path "tracer.user" it is "user" if the event is
 * named tracer, Tracer or org.acme.Tracer. Returns NULL if the path belongs to other events.
 */
const char *jfr_filter_field(const struct jfr_type *type, const char *path);
/** The part of a name after its last dot. */
const char *jfr_filter_simple(const char *name);
