/*
 * json_out.h - texts of others as strings of JSON.
 *
 * Such a string may stand in a <script> of a page, too. Source: RFC 8259.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "profile/ids.h"

struct profile;
struct sink;

/** With its quotes: UTF-8 with nothing odd in it (base/utf8.h), and no "<". */
void json_out_text(struct sink *s, const char *text, size_t len);
/** A string of the profile; 0: an empty one. */
void json_out_string(struct sink *s, struct profile *p, string_id id);
