/*
 * secret.h - which values of properties and variables, and which arguments, are not told.
 *
 * A key is secret by its name, an argument by what it looks like, both by patterns with * and ?
 * that ignore case. The patterns of the beginning and what stands in place of a secret are those of
 * the JDK's own recorder from 27 on. It knows no value that has no telling name beside it.
 * Source: JEP 536, and the recordings of JDK 27. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define SECRET_INSTEAD "[REDACTED]"

enum { SECRET_MORE = sizeof(SECRET_INSTEAD) }; /* bytes by which a word can become longer */

/** As `redact-key=` and `redact-argument=` have them: patterns between semicolons; behind a '+'
 * they are added to those of the beginning; "" or NULL: those alone; "none": nothing is secret. */
struct secret {
    const char *keys, *arguments;
};

/** Whether the value of this property or variable is secret. */
bool secret_has_key(const struct secret *s, const char *key);
/**
 * Writes arguments with blanks between them, without what is secret, and a NUL.
 *
 * Shape:  `words` are `len` bytes, of which each word's last is a NUL; `to` has room for `len`
 *         bytes and SECRET_MORE for each word, and one.
 * Returns the length.
 */
size_t secret_join(const struct secret *s, const char *words, size_t len, char *to);
/** Makes words, as above, of a text in which blanks part them, in its place: the NUL behind it is
 * the last word's. Returns their length. */
size_t secret_split(char *text);
/** Bytes that secret_join() can need for `words`. */
size_t secret_room(const char *words, size_t len);
