/*
 * agent_start.h - have the agent start a recording; a user who waits long for that learns why.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "cli/agent_link.h"

/** Send "start,ITEMS". Errors: as agent_link_send(). */
int agent_start(struct agent_link *l, const char *command);
