/*
 * agent_start.c - see agent_start.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/agent_start.h"
#include <stdio.h>
#include "cli/cmd.h"
#include "cli/jvm_target.h"
#include "cli/say.h"
#include "cli/stat_table.h"
#include "safe/release.h"

int agent_start_ask(struct agent_link *l, unsigned id, bool *told, unsigned *ret_left)
{
    char command[64];

    *ret_left = 0;
    if (stat_table_release(&l->attach->counters.data) >= RELEASE_STOP_IS_LINEAR)
        return CMD_OK;
    snprintf(command, sizeof(command), "status,id=%u", id);
    int status = agent_link_send(l, command);
    if (status == CMD_OK)
        *ret_left = (unsigned)agent_link_number(l, "classes_left");
    if (*ret_left > 0 && !*told) {
        say("%s: %u loaded classes are still to be changed, a few at a time while the program "
            "works on: their calls are not counted until then; -O include=PACKAGE.* measures fewer",
            jvm_target_name(l->jvm), *ret_left);
        *told = true;
    }
    return status;
}
