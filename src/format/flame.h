/*
 * flame.h - the page of flame graphs and heat maps, one HTML file that needs no network: what the
 * formats that write it share.
 *
 * The functions are those of struct format, with the format's own wishes. Layout:
 * docs/format/flamegraph.md. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct event;
struct format_out;

/** Times lie in at most `cells_most` cells; the page begins with them if `is_heat_first`. */
int flame_begin(struct format_out *o, uint32_t cells_most, bool is_heat_first);
int flame_add(struct format_out *o, const struct event *event);
int flame_add_moment(struct format_out *o, uint32_t row, const struct event *event);
int flame_end(struct format_out *o);
