/*
 * agent_start.h - a recording that has been started, and may not have all classes yet.
 *
 * Up to JDK 11 the agent changes loaded classes a few at a time, which takes minutes where there
 * are thousands; what counts calls exactly is whole only then. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "cli/agent_link.h"

/** How many classes of recording `id` wait for their turn; 0: none, or there is no answer, which
 * has been said as agent_link_send() does. */
unsigned agent_start_left(struct agent_link *l, unsigned id);
/** Say that so many do, if any. */
void agent_start_say(const struct agent_link *l, unsigned left);
