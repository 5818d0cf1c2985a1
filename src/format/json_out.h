/*
 * json_out.h - texts from other programs as strings of JSON.
 *
 * Such a string may also stand in a <script> of an HTML page. Source: RFC 8259.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "profile/ids.h"

struct profile;
struct sink;

/** Writes the text in quotes, as UTF-8 without unusual characters (base/utf8.h) and without "<". */
void json_out_text(struct sink *s, const char *text, size_t len);
/** Writes a string of the profile in quotes; 0: an empty one. */
void json_out_string(struct sink *s, struct profile *p, string_id id);
