/*
 * hex.h - hexadecimal digits.
 * Context of everything here: any. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** The value of a digit, 0 to 15, of either case; -1: it is none. */
static inline int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}
