/*
 * wall_choice.h - which threads each recording wants to see, and in which states.
 *
 * A thread that no recording wants is not looked at. If the VM tells the state of a thread
 * beforehand, and no recording wants this state, the thread's stack is not read. All functions need
 * the agent's lock. Context: java.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "agent/agent.h"
#include "agent/wall/wall_look.h"

struct options_wall;

/** A set of recordings has a bit for the place of each. */
struct wall_choice {
    uint32_t all;                                    /* the set of recordings that run */
    const struct options_wall *of[AGENT_RECORDINGS]; /* their options, borrowed; by place */
};

/** The recording at that place begins, with these options, which must stay valid until it ends. */
void wall_choice_add(struct wall_choice *c, int place, const struct options_wall *options);
void wall_choice_remove(struct wall_choice *c, int place);
/** The recordings that want this thread, in whatever state. */
uint32_t wall_choice_of_thread(const struct wall_choice *c, const char *name, bool is_daemon);
/**
 * The recordings that want threads in one of these states; `states` has a bit for each enum
 * wall_state.
 */
uint32_t wall_choice_of_states(const struct wall_choice *c, unsigned states);
