/*
 * agent_start.h - a recording that has been started, and may not have all classes yet.
 *
 * Up to JDK 11 the agent changes loaded classes a few at a time, which takes minutes where there
 * are thousands; what counts calls exactly is whole only then. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "cli/agent_link.h"

/**
 * Ask how many classes of recording `id` wait for their turn, and if there are any say so, once.
 * `*told`: whether that has been said. Errors: 0, and *ret_left; CMD_FAILED as agent_link_send().
 */
int agent_start_ask(struct agent_link *l, unsigned id, bool *told, unsigned *ret_left);
