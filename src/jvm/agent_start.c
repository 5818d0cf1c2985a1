/*
 * agent_start.c - see agent_start.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/agent_start.h"
#include <stdio.h>
#include "base/plural.h"
#include "command/cmd.h"
#include "jvm/jvm_target.h"
#include "command/say.h"
#include "jvm/stat_table.h"
#include "safe/release.h"

unsigned agent_start_left(struct agent_link *l, unsigned id)
{
    char command[64];
    if (stat_table_release(&l->attach->counters.data) >= RELEASE_STOP_IS_LINEAR)
        return 0;
    snprintf(command, sizeof(command), "status,id=%u", id);
    return agent_link_send(l, command) == CMD_OK ? (unsigned)agent_link_number(l, "classes_left")
                                                 : 0;
}

void agent_start_say(const struct agent_link *l, unsigned left)
{
    if (left > 0)
        say("%s: %u loaded class%s still to be changed, a few at a time while the program "
            "works on: what they do is not counted until then; of method times, -O "
            "include=PACKAGE.* measures fewer",
            jvm_target_name(l->jvm), left, plural_of(left, " is", "es are"));
}
