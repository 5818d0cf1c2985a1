/*
 * options_wall.h - the options of wall-clock samples (event=wall): the interval, the threads, the
 * states.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

/** The states of a thread. The order is that of the words of wallstates=. */
enum options_wall_state {
    OPTIONS_WALL_RUNNING,
    OPTIONS_WALL_NATIVE,
    OPTIONS_WALL_SLEEPING,
    OPTIONS_WALL_WAITING,
    OPTIONS_WALL_PARKED,
    OPTIONS_WALL_BLOCKED,
    OPTIONS_WALL_IN_VM,
    OPTIONS_WALL_STATES,
};

enum options_wall_daemon {
    OPTIONS_WALL_BOTH,
    OPTIONS_WALL_DAEMONS,
    OPTIONS_WALL_NO_DAEMONS,
};

/** Which thread walks the stack of a thread that runs Java. */
enum options_wall_walkin {
    OPTIONS_WALL_HANDLER, /* the thread itself, in a signal handler */
    OPTIONS_WALL_THREAD,  /* the sampling thread, while a signal handler stops the other one */
};

struct options_wall {
    uint64_t interval_ns;
    char threads[OPTIONS_ROW_TEXT], exclude[OPTIONS_ROW_TEXT]; /* patterns of names; "": none */
    int daemon;                                                /* enum options_wall_daemon */
    int walkin;                                                /* enum options_wall_walkin */
    unsigned states; /* a bit for each wanted enum options_wall_state */
    bool interval_said, walkin_said, states_said;
};

extern const struct options_group options_wall;

/** The options of wall-clock samples. Context: any. */
static inline const struct options_wall *options_wall_of(const struct options *o)
{
    return options_group_own(o, &options_wall);
}
/** Whether some threads or some states are left out. Context: any. */
bool options_wall_chooses(const struct options_wall *o);
