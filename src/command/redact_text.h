/*
 * redact_text.h - texts without the values that are secret, and the options that say which are.
 *
 * A line "KEY=VALUE" or "KEY: VALUE" whose key is secret loses its value; so does a word
 * "-DKEY=VALUE" or "KEY=VALUE" within a line, and an option that is secret by its text
 * (base/secret.h). In the lines in which the VM tells its command line, a value is also found
 * behind its option: "--password VALUE". Context: any. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/secret.h"

struct textbuf;

/** Each function adds a text to `ret`, and returns how many values were replaced. The first takes
 * any lines. */
uint32_t redact_text_put(const struct secret *s, const char *text, size_t len, struct textbuf *ret);
/** The words of a command line, with one blank between them. */
uint32_t redact_text_words(const struct secret *s, const char *text, size_t len,
                           struct textbuf *ret);
/** A main class or jar, whose name has `main_len` bytes and stays, and its arguments. */
uint32_t redact_text_arguments(const struct secret *s, const char *command, size_t main_len,
                               struct textbuf *ret);

/* ---- the options of commands that show what a JVM was started with */

enum { REDACT_TEXT_KEY, REDACT_TEXT_ARGUMENT, REDACT_TEXT_OFF };

/** The rows of these options, whose ids follow each other from `id` on. */
#define REDACT_TEXT_ROWS(id)                                                                       \
    {(id) + REDACT_TEXT_KEY, 0, "redact-key", "NAMES",                                             \
     "properties whose values are replaced; +NAMES adds, none shows all"},                         \
        {(id) + REDACT_TEXT_ARGUMENT, 0, "redact-argument", "NAMES",                               \
         "arguments that are replaced, in the same way"},                                          \
    {                                                                                              \
        (id) + REDACT_TEXT_OFF, 0, "redact", "none", "show passwords and their like"               \
    }

/** What the options say. All zero: the built-in patterns. */
struct redact_text {
    struct secret secret;
    bool is_off;    /* --redact none */
    uint32_t count; /* values that were replaced */
};

/** Takes the value of the option `which`. Errors: 0; E_SYNTAX after saying what is wanted. */
int redact_text_option(struct redact_text *r, const char *command, int which, const char *value);
/** What is secret. */
const struct secret *redact_text_secret(const struct redact_text *r);
/** Says how many values were replaced, if any were; `who` is the JVM or the command. */
void redact_text_say(const struct redact_text *r, const char *who);
