/*
 * agent_ask.c - see agent_ask.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/agent_ask.h"
#include <stdio.h>
#include <string.h>
#include "cli/agent_link.h"
#include "cli/asking.h"
#include "cli/cmd.h"
#include "cli/say.h"

enum { NAME_MAX_BYTES = 900, COMMAND_BYTES = 1024 };

static int ask(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct asking_line *line = with;
    char command[COMMAND_BYTES];
    struct agent_link link;
    int status = agent_link_open_loaded(&link, a, jvm);

    if (status != CMD_OK)
        return status;
    /* A recording is called by its name, or by its number. */
    const char *name = line->count > 0 ? line->words[0] : NULL;
    bool is_number = name && name[strspn(name, "0123456789")] == '\0';
    snprintf(command, sizeof(command), "%s%s%s", line->q.cmd->name,
             !name       ? ""
             : is_number ? ",id="
                         : ",name=",
             name ? name : "");
    status = agent_link_send(&link, command);
    if (status == CMD_OK)
        asking_put_line(link.answer);
    else if (link.end == AGENT_LINK_GONE)
        say("%d: the JVM has ended", (int)jvm->process.pid);
    return status;
}

int agent_ask_run(const struct cmd *self, int argc, char **argv)
{
    struct asking_line line = {.q = {.cmd = self}};
    int status = asking_read(&line, argc, argv, 1);
    const char *name = line.words[0];

    if (status < 0 && name && (strlen(name) > NAME_MAX_BYTES || strchr(name, ','))) {
        say("%s: '%s' is the name of no recording", self->name, name);
        status = CMD_USAGE;
    }
    return status >= 0 ? status : asking_each(&line.q, ask, &line);
}
