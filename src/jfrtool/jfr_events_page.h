/*
 * jfr_events_page.h - the page jfr_events.html, made by tools/embed in two parts: the data are
 * written between them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

extern const unsigned char jfr_events_page_head[], jfr_events_page_tail[];
extern const size_t jfr_events_page_head_len, jfr_events_page_tail_len;
