/*
 * wall_choice.c - see wall_choice.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/wall/wall_choice.h"
#include <string.h>
#include "options/options_wall.h"
#include "vm/method_filter.h"

_Static_assert((int)WALL_STATES == (int)OPTIONS_WALL_STATES &&
                   (int)WALL_IN_VM == (int)OPTIONS_WALL_IN_VM &&
                   (int)WALL_PARKED == (int)OPTIONS_WALL_PARKED,
               "the states of the options are those of the threads");

void wall_choice_add(struct wall_choice *c, int place, const struct options_wall *options)
{
    c->all |= UINT32_C(1) << place;
    c->of[place] = options;
}

void wall_choice_remove(struct wall_choice *c, int place)
{
    c->all &= ~(UINT32_C(1) << place);
    c->of[place] = NULL;
}

static bool wants(const struct options_wall *o, const char *name, bool is_daemon)
{
    const struct method_filter names = {.include = o->threads, .exclude = o->exclude};
    if (o->daemon != OPTIONS_WALL_BOTH && (o->daemon == OPTIONS_WALL_DAEMONS) != is_daemon)
        return false;
    return method_filter_wants_class(&names, name, strlen(name));
}

uint32_t wall_choice_of_thread(const struct wall_choice *c, const char *name, bool is_daemon)
{
    uint32_t set = 0;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (c->of[i] && wants(c->of[i], name, is_daemon))
            set |= UINT32_C(1) << i;
    return set;
}

uint32_t wall_choice_of_states(const struct wall_choice *c, unsigned states)
{
    uint32_t set = 0;
    for (int i = 0; i < AGENT_RECORDINGS; i++)
        if (c->of[i] && (c->of[i]->states & states))
            set |= UINT32_C(1) << i;
    return set;
}
