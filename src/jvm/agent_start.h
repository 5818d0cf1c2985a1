/*
 * agent_start.h - a recording that has been started, but whose classes may not all be changed yet.
 *
 * Up to JDK 11 the agent changes loaded classes a few at a time, which takes minutes if a program
 * has thousands of classes. Until all classes are changed, an engine that counts calls exactly
 * misses calls.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "jvm/agent_link.h"

/** How many classes of recording `id` still wait to be changed. 0: none, or there was no answer and
 * agent_link_send() has said so. */
unsigned agent_start_left(struct agent_link *l, unsigned id);
/** Say that `left` classes still wait, if there are any. */
void agent_start_say(const struct agent_link *l, unsigned left);
