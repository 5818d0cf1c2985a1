/*
 * utf8.h - the VM's modified UTF-8 as UTF-8 that every reader takes.
 *
 * A VM writes characters beyond U+FFFF as two surrogates of three bytes each, and names may hold
 * what drives a terminal (plain.h). Files for other programs have real UTF-8 and nothing odd.
 * Context: any. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { UTF8_BYTES = 4 };

/** Whether `text` is what utf8_next() would make of it. */
bool utf8_is_plain(const char *text, size_t len);
/**
 * Takes the character at the front of `text`, which has at least one byte: *ret_bytes are its
 * *ret_len bytes of UTF-8, a '?' for what is not plain. Returns how many bytes of `text` it was.
 */
size_t utf8_next(const char *text, size_t len, unsigned char ret_bytes[UTF8_BYTES],
                 size_t *ret_len);
