/*
 * secret.h - which values of properties and variables, and which arguments, are kept secret.
 *
 * Patterns decide: a key is secret because of its name, an argument because of its text. The
 * patterns have * and ? and ignore case. The built-in patterns, and the text that replaces a
 * secret, are those of the JDK's own recorder since JDK 27. A secret without a telling name beside
 * it is not found.
 * Source: JEP 536, and the recordings of JDK 27. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define SECRET_INSTEAD "[REDACTED]"

enum { SECRET_MORE = sizeof(SECRET_INSTEAD) }; /* bytes by which a word can become longer */

/**
 * The values of the options `redact-key=` and `redact-argument=`: patterns between semicolons. With
 * a '+' in front the patterns are added to the built-in ones; "" or NULL: only the built-in ones;
 * "none": nothing is secret.
 */
struct secret {
    const char *keys, *arguments;
};

/** Whether the value of this property or environment variable is secret. */
bool secret_has_key(const struct secret *s, const char *key);
/**
 * Writes arguments with blanks between them and a final NUL; a secret is replaced.
 *
 * Shape:   `words` has `len` bytes, and each word ends with a NUL. `to` has room for `len` bytes,
 *          SECRET_MORE for each word, and one byte.
 * Returns: the length.
 */
size_t secret_join(const struct secret *s, const char *words, size_t len, char *to);
/** Turns a text into words as secret_join() wants them, in place: words are separated by blanks,
 * and the last word gets the NUL of the text. Returns the length of all words. */
size_t secret_split(char *text);
/** The most bytes that secret_join() can need for `words`. */
size_t secret_room(const char *words, size_t len);
