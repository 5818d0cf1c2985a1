/*
 * cmd_start.c - `hprof start TARGET`: makes a running JVM record until it is told to stop.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "jvm/agent_link.h"
#include "recording/agent_words.h"
#include "jvm/agentlib.h"
#include "command/opts.h"
#include "command/say.h"
#include "command/values.h"
#include "options/options_group.h"
#include "options/options_parse.h"

enum { OPT_OUTPUT = AGENT_WORDS_END, OPT_DURATION, OPT_LOOP, OPT_KEEP, OPT_NAME, OPT_ON };

static const struct opt options[] = {
    AGENT_WORDS_ROWS,
    {OPT_OUTPUT, 'o', "output", "FILE",
     "where the JVM writes, by its own root folder; %p, %t, %n and %{ENV} in it are the process, "
     "the time, the number of the file and a variable (hprof-%p.jfr)"},
    {OPT_DURATION, 'd', "duration", "TIME",
     "end by itself after so long; a bare number is seconds"},
    {OPT_LOOP, 0, "loop", "TIME", "begin a new file so often, as 1h (hprof-%p-%t.jfr)"},
    {OPT_KEEP, 0, "keep", "N", "of the finished files of --loop let the last N stay (all)"},
    {OPT_ON, 0, "on", "TRIGGER", AGENT_WORDS_ON_HELP},
    {OPT_NAME, 0, "name", "NAME", "what stop, dump and status call it by"},
    {0},
};

extern const struct cmd cmd_start;

struct request {
    char *library;
    const char *items;
};

static int start(struct attach *a, const struct jvm *jvm, void *with)
{
    const struct request *r = with;
    struct agent_link link;
    char *command = NULL;
    int status = agent_link_open(&link, a, jvm, r->library);
    link.cmd = &cmd_start;
    if (status == CMD_OK && asprintf(&command, "start,%s", r->items) < 0) {
        say("start: out of memory");
        command = NULL;
        status = CMD_FAILED;
    }
    if (command)
        status = agent_link_send(&link, command);
    free(command);
    if (status == CMD_OK) {
        asking_put_line(link.answer);
        agent_link_say_left(&link,
                            agent_link_left(&link, (unsigned)agent_link_number(&link, "id")));
    } else if (link.end == AGENT_LINK_GONE)
        say("%d: the JVM has ended", (int)jvm->process.pid);
    agent_link_close(&link);
    return status;
}

/* The agent needs an absolute path, so a relative path is put after our working folder. Each '%' in
 * the folder's name is doubled, because a single '%' begins a placeholder such as %p. */
static void add_file(struct agent_words *w, const char *named)
{
    char path[PATH_MAX], folder[PATH_MAX] = "";
    size_t n = 0;
    if (*named != '/' && getcwd(folder, sizeof(folder) - 1))
        memcpy(folder + strlen(folder), "/", sizeof("/"));
    for (const char *c = folder; *c && n + 2 < sizeof(path); c++) {
        if (*c == '%')
            path[n++] = '%';
        path[n++] = *c;
    }
    if (n + strlen(named) < sizeof(path))
        memcpy(path + n, named, strlen(named) + 1);
    else
        w->items.failed = true;
    if (!w->items.failed)
        inject_add(&w->items, "file", path, "--output");
    inject_add(&w->items, "expand", "y", "--output");
}

/* Whether the triggers only print threads, dump the heap or start a program. Then nothing is
 * recorded. */
static bool only_watches(const struct agent_words *w, const struct inject *triggers)
{
    struct options o = {0};
    struct options_error e;
    bool is_so = false;
    if (!w->has_event && triggers->text && options_parse(triggers->text, NULL, &o, &e) == 0) {
        unsigned marks = options_group_marks(&o);
        is_so = (marks & OPTIONS_MARK_WATCHES) &&
                !(marks & (OPTIONS_MARK_WAITS | OPTIONS_MARK_STEERED));
    }
    options_done(&o);
    return is_so;
}

static void add_trigger(struct agent_words *w, const char *text, struct inject *triggers)
{
    agent_words_add_on(&w->items, text);
    if (!w->items.failed)
        agent_words_add_on(triggers, text);
}

/* Take one option. Returns an exit status if the command ends here, else a negative number. */
static int take(struct agent_words *w, const struct opts *opts, int id, const char **output,
                struct inject *triggers)
{
    static const struct {
        int id;
        const char *name, *shown;
    } passed[] = {{OPT_DURATION, "duration", "--duration"},
                  {OPT_LOOP, "loop", "--loop"},
                  {OPT_KEEP, "keep", "--keep"},
                  {OPT_NAME, "name", "--name"}};
    for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
        if (passed[i].id != id)
            continue;
        inject_add(&w->items, passed[i].name, opts->value, passed[i].shown);
        if (id == OPT_LOOP && !*output)
            *output = "hprof-%p-%t.jfr";
        return -1;
    }
    if (id == OPT_OUTPUT)
        *output = opts->value;
    else if (id == OPT_ON)
        add_trigger(w, opts->value, triggers);
    else
        return agent_words_take(w, opts, id);
    return -1;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct agent_words w = {.line = {.q = {.cmd = self}}, .items.command = self->name};
    struct inject triggers = {.command = self->name};
    const char *output = NULL;
    struct request r = {0};
    struct opts opts;
    int status = -1;
    opts_init(&opts, self, argc, argv);
    for (int id; status < 0 && (id = opts_next(&opts)) != OPTS_END;)
        status = take(&w, &opts, id, &output, &triggers);
    if (status < 0) {
        if (output || !only_watches(&w, &triggers)) {
            agent_words_end(&w);
            add_file(&w, output ? output : "hprof-%p.jfr");
        }
        status = w.items.failed ? CMD_USAGE : asking_check(&w.line, 0);
        if (status == 0)
            status = agent_words_check(&w, "");
        if (status == 0 && agentlib_find(w.library, &r.library) < 0)
            status = CMD_FAILED;
        r.items = w.items.text;
        if (status == 0)
            status = asking_each(&w.line.q, start, &r);
    }
    free(r.library);
    inject_done(&triggers);
    inject_done(&w.items);
    return status;
}

/* A project's file may not set --output: the JVM writes in its own folders, which this command does
 * not see and cannot check. */
static const struct project_option project[] = {
    AGENT_WORDS_PROJECT,     {OPT_DURATION, PROJECT_ANY}, {OPT_LOOP, PROJECT_ANY},
    {OPT_KEEP, PROJECT_ANY}, {OPT_NAME, PROJECT_ANY},     {0, PROJECT_ANY}};

const struct cmd cmd_start = {
    .name = "start",
    .group = CMD_RECORDS,
    .help = "Have a running JVM record until it is told to stop",
    .operands = "TARGET",
    .needs = "a live JVM",
    .options = options,
    .project = project,
    .run = run,
};
