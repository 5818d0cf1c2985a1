/*
 * action_stop.c - the action stop: write the recording and end it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/action/action.h"
#include "agent/life/life.h"

extern const struct action action_stop;

static int run(const struct action_call *c)
{
    return c->is_dying ? 0 : life_stop(c->agent, c->env, c->recording);
}

const struct action action_stop = {.run = run};
