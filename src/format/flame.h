/*
 * flame.h - the page that shows flame graphs and heat maps: one HTML file that needs no network.
 * What the formats that write the page share.
 *
 * The functions are those of struct format; flame_begin() also takes what differs between the
 * formats. Layout: docs/format/flamegraph.md.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct event;
struct writer_out;

/** Times are written in at most `cells_most` cells. `is_heat_first`: the page opens with the heat
 * map. */
int flame_begin(struct writer_out *o, uint32_t cells_most, bool is_heat_first);
int flame_add(struct writer_out *o, const struct event *event);
int flame_add_moment(struct writer_out *o, uint32_t row, const struct event *event);
int flame_end(struct writer_out *o);
