/*
 * probe_known.h - what is known of a probe besides its note: the names of its arguments, which of
 * them are texts, and the flag that it needs.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { PROBE_KNOWN_WORD = 32 };

/** One argument as users see it: one descriptor, or for a text two. */
struct probe_known_field {
    char name[PROBE_KNOWN_WORD];
    bool is_text;   /* a pointer and a length */
    bool is_gone;   /* the text cannot be read later */
    bool is_string; /* a pointer to a text that ends with a 0: one descriptor */
};

/** The words for the arguments of a probe; "": not known. *ret_flag: what the JVM must have been
 * started with, or NULL. */
const char *probe_known_words(const char *provider, const char *name, const char **ret_flag);
/** The field with index `i` of these words. If there are fewer words it is argI, a number. */
struct probe_known_field probe_known_field(const char *words, unsigned i);
