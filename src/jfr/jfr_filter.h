/*
 * jfr_filter.h - which events of a JFR file are meant: comma-separated names with * and ?.
 *
 * A name is an event's whole name or what follows its last dot, a category any of an event's, or
 * the first letters of one of several words. Source: jdk.jfr, Filters.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct jfr_type;

struct jfr_filter {
    const char *events, *categories; /* NULL: all; where both are given both must fit */
};

bool jfr_filter_fits(const struct jfr_filter *filter, const struct jfr_type *type);
/** Whether the name of an event is one of the patterns. */
bool jfr_filter_names(const char *patterns, const char *name);
/** Whether any text, whose dots part nothing, is one of the patterns. */
bool jfr_filter_texts(const char *patterns, const char *text);
/** Whether the text is what a pattern with * and ? says. */
bool jfr_filter_glob(const char *pattern, const char *text);
/** Category `number` of an event type, from 0; NULL: it has no more. */
const char *jfr_filter_category(const struct jfr_type *type, unsigned number);
/**
 * The path of a field within events of the type: of "tracer.user" it is "user" for events tracer,
 * Tracer, or org.acme.Tracer. NULL: the path is of other events.
 */
const char *jfr_filter_field(const struct jfr_type *type, const char *path);
/** The name behind the last dot. */
const char *jfr_filter_simple(const char *name);
