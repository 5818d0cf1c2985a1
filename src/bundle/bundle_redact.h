/*
 * bundle_redact.h - a text without the values that are secret.
 *
 * A line "KEY=VALUE" or "KEY: VALUE" whose key is secret loses its value; so does a word
 * "-DKEY=VALUE" or "KEY=VALUE" within a line, and an option that is secret by its text
 * (base/secret.h).
 * Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct secret;
struct textbuf;

/** Adds the text to `ret`. Returns how many values were replaced. */
uint32_t bundle_redact_text(const struct secret *s, const char *text, size_t len,
                            struct textbuf *ret);
