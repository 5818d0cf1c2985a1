/*
 * wall_words.c - see wall_words.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/wall_words.h"
#include <stdlib.h>
#include <string.h>
#include "command/cmd.h"
#include "recording/inject.h"
#include "jvm/own_words.h"
#include "command/say.h"
#include "options/options_group.h"
#include "options/options_parse.h"

static const struct {
    const char *option, *shown;
    char between; /* separates words in the agent's option, which a comma would end */
} rows[] = {
    [WALL_WORDS_THREADS] = {"wallthreads", "--wall-threads", ':'},
    [WALL_WORDS_STATES] = {"wallstates", "--wall-states", '+'},
    [WALL_WORDS_DAEMON] = {"walldaemon", "--wall-daemon", ','},
};

/* Whether the agent will accept the value. If not, says why. */
static bool is_good(const struct cmd *cmd, enum wall_words which, const char *value)
{
    const struct options_group *owner;
    const struct options_row *row = options_parse_row(rows[which].option, &owner);
    char why[OPTIONS_MESSAGE] = "out of memory", own_why[OWN_WORDS_MAX];
    void *own = calloc(1, owner->bytes);
    int error = own ? options_row_set(row, own, value, why, sizeof(why)) : -1;
    free(own);
    own_words_put(cmd, why, own_why, sizeof(own_why));
    if (error != 0)
        say("%s: %s '%s': %s", cmd->name, rows[which].shown, value, own_why);
    return error == 0;
}

void wall_words_add(const struct cmd *cmd, struct inject *to, enum wall_words which,
                    const char *value)
{
    char *text = strdup(value);
    for (char *p = text; p && *p != '\0'; p++)
        if (*p == ',')
            *p = rows[which].between;
    if (!text || !is_good(cmd, which, text))
        to->failed = true;
    else
        inject_add(to, rows[which].option, text, rows[which].shown);
    free(text);
}
