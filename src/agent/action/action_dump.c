/*
 * action_dump.c - the action dump: write what the recording has so far.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/action/action.h"
#include "agent/agent.h"
#include "agent/engine/crew_dump.h"
#include "agent/recording/recording.h"

extern const struct action action_dump;

static int run(const struct action_call *c)
{
    struct recording *r = NULL;
    agent_lock(c->agent);
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (c->agent->recordings[i] && c->agent->recordings[i]->number == c->recording)
            r = c->agent->recordings[i];
    agent_unlock(c->agent);
    return r ? crew_dump(c->agent, r) : 0; /* a recording that has ended has written everything */
}

const struct action action_dump = {.run = run};
