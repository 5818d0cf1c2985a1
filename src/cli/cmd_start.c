/*
 * cmd_start.c - `hprof start TARGET`: have a running JVM record, until it is told to stop.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/cmd.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/agent_link.h"
#include "cli/agent_words.h"
#include "cli/agentlib.h"
#include "cli/on_words.h"
#include "cli/opts.h"
#include "cli/say.h"
#include "cli/values.h"

enum { OPT_OUTPUT = AGENT_WORDS_END, OPT_DURATION, OPT_NAME, OPT_ON };

static const struct opt options[] = {
    AGENT_WORDS_ROWS,
    {OPT_OUTPUT, 'o', "output", "FILE",
     "where the JVM writes, by its own root folder (hprof-%p.jfr)"},
    {OPT_DURATION, 'd', "duration", "TIME",
     "end by itself after so long; a bare number is seconds"},
    {OPT_ON, 0, "on", "TRIGGER", ON_WORDS_HELP},
    {OPT_NAME, 0, "name", "NAME", "what stop, dump and status call it by"},
    {0},
};

struct request {
    char *library;
    const char *items;
};

static int start(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct request *r = with;
    struct agent_link link;
    char *command;
    int status = agent_link_open(&link, a, jvm, r->library);

    if (status != CMD_OK)
        return status;
    if (asprintf(&command, "start,%s", r->items) < 0) {
        say("start: out of memory");
        return CMD_FAILED;
    }
    status = agent_link_send(&link, command);
    free(command);
    if (status == CMD_OK)
        asking_put_line(link.answer);
    else if (link.end == AGENT_LINK_GONE)
        say("%d: the JVM has ended", (int)jvm->process.pid);
    return status;
}

/* The agent takes paths as the JVM has them: ours is made absolute by our folder. */
static void add_file(struct agent_words *w, const char *named)
{
    char path[PATH_MAX], folder[PATH_MAX];

    if (*named == '/' || !getcwd(folder, sizeof(folder)))
        snprintf(path, sizeof(path), "%s", named);
    else if (snprintf(path, sizeof(path), "%s/%s", folder, named) >= (int)sizeof(path))
        w->items.failed = true;
    inject_add(&w->items, "file", path, "--output");
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct agent_words w = {.line = {.q = {.cmd = self}}, .items.command = self->name};
    const char *output = "hprof-%p.jfr";
    struct request r = {0};
    struct opts opts;
    int status = -1;

    opts_init(&opts, self, argc, argv);
    for (int id; status < 0 && (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPT_OUTPUT)
            output = opts.value;
        else if (id == OPT_DURATION)
            inject_add(&w.items, "duration", opts.value, "--duration");
        else if (id == OPT_NAME)
            inject_add(&w.items, "name", opts.value, "--name");
        else if (id == OPT_ON)
            on_words_add(&w.items, opts.value);
        else
            status = agent_words_take(&w, &opts, id);
    }
    if (status < 0) {
        agent_words_end(&w);
        add_file(&w, output);
        status = w.items.failed ? CMD_USAGE : asking_check(&w.line, 0);
        if (status == 0 && agentlib_find(w.library, &r.library) < 0)
            status = CMD_FAILED;
        r.items = w.items.text;
        if (status == 0)
            status = asking_each(&w.line.q, start, &r);
    }
    free(r.library);
    inject_done(&w.items);
    return status;
}

const struct cmd cmd_start = {
    .name = "start",
    .help = "Have a running JVM record until it is told to stop",
    .operands = "TARGET",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
