/*
 * wall_choice.h - which threads each recording wants to see, and doing what.
 *
 * A thread that no recording wants is not looked at, and what nobody wants of one that is, is
 * dropped before its stack is read where the VM says beforehand what the thread does. All functions
 * need the agent's lock. Context: java. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/agent.h"
#include "agent/wall/wall_look.h"

struct options_wall;

/** Sets of recordings are a bit for the place of each. */
struct wall_choice {
    uint32_t all;                                    /* that there are */
    const struct options_wall *of[AGENT_RECORDINGS]; /* their options, borrowed; by place */
};

/** The recording at that place begins, with these options, which stay there until it has ended. */
void wall_choice_add(struct wall_choice *c, int place, const struct options_wall *options);
void wall_choice_remove(struct wall_choice *c, int place);
/** The recordings that want this thread, whatever it does. */
uint32_t wall_choice_of_thread(const struct wall_choice *c, const char *name, bool is_daemon);
/** The recordings that want a thread in any of these states; a bit for each enum wall_state. */
uint32_t wall_choice_of_states(const struct wall_choice *c, unsigned states);
