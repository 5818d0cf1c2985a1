/*
 * action_start.c - the action start: begin the recording that waits for the trigger.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/action/action.h"
#include "agent/agent.h"
#include "agent/life/life.h"

extern const struct action action_start;

static int run(const struct action_call *c)
{
    const struct life_start how = {
        .line = c->line, .name = c->name, .is_command = true, .is_begun = true};
    uint32_t number;
    return c->is_dying ? 0 : life_begin(c->agent, c->agent->vm.java, c->env, &how, &number);
}

const struct action action_start = {.run = run};
