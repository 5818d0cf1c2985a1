/*
 * life_agent.c - see life_agent.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/life_agent.h"
#include "agent/agent.h"
#include "agent/names.h"
#include "agent/threads.h"

static struct names the_names;
static struct threads the_threads;
struct agent life_agent = {.locks.agent = LOCK_INIT(AGENT),
                           .locks.dumps = LOCK_INIT(DUMPS),
                           .names = &the_names,
                           .threads = &the_threads};
