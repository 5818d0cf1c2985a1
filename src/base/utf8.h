/*
 * utf8.h - turns the VM's modified UTF-8 into UTF-8 that every reader accepts.
 *
 * A VM writes a character beyond U+FFFF as two surrogates of three bytes each, and a name may hold
 * characters that control a terminal (plain.h). Files for other programs get real UTF-8 without
 * such characters. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { UTF8_BYTES = 4 };

/** Whether utf8_next() would leave `text` unchanged. */
bool utf8_is_plain(const char *text, size_t len);
/**
 * Converts the character at the front of `text`, which has at least one byte, to *ret_len bytes of
 * UTF-8 in `ret_bytes`. A character that is not plain becomes '?'. Returns how many bytes of `text`
 * the character had.
 */
size_t utf8_next(const char *text, size_t len, unsigned char ret_bytes[UTF8_BYTES],
                 size_t *ret_len);
