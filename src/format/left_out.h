/*
 * left_out.h - events for which a format that is written in limited memory (writer_out.room) has no
 * room.
 *
 * The values of all such events become one stack with one frame. So the sums stay complete, and a
 * user who looks at the file sees how much could not be told apart.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct event;
struct writer_out;

/** The name of this frame. */
extern const char left_out_name[];

/** Add the event's values to those that are left out. */
void left_out_add(struct writer_out *o, const struct event *event);
