/*
 * left_out.h - what a format that is written in bounded room (format_out.room) has no room
 * for: all of it together is one stack of one frame, so that the values stay whole and who looks at
 * the file sees what is not told apart.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct event;
struct format_out;

/** What the frame is called. */
extern const char left_out_name[];

/** The event's values are among those that are left out. */
void left_out_add(struct format_out *o, const struct event *event);
