/*
 * manifest.c - reads the list of files.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/manifest.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/say.h"

static int fail(const char *what, const char *path, int error)
{
    say("cannot %s '%s': %s", what, path, strerror(error));
    return -error;
}

int manifest_open(struct manifest *m)
{
    const char *folder = getenv("TMPDIR");
    *m = (struct manifest){0};
    /* A comma would end the agent's option, so the path must not have one. */
    if (!folder || folder[0] != '/' || strchr(folder, ','))
        folder = "/tmp";
    if (asprintf(&m->path, "%s/hprof-run-XXXXXX", folder) < 0) {
        m->path = NULL;
        return fail("make", folder, ENOMEM);
    }
    int fd = mkstemp(m->path);
    if (fd < 0) {
        int r = fail("make a temporary file", m->path, errno);
        free(m->path);
        m->path = NULL;
        return r;
    }
    close(fd);
    return 0;
}

/* A build tool may start several JVMs. The first is enough for the message. */
static void add_left(struct manifest *m, long pid, const char *tool)
{
    for (size_t i = 0; i < m->left_count; i++)
        if (strcmp(m->left[i].tool, tool) == 0)
            return;
    if (m->left_count == MANIFEST_TOOLS_MAX || strlen(tool) >= sizeof(m->left[0].tool))
        return;
    struct manifest_left *left = &m->left[m->left_count++];
    left->pid = pid;
    memcpy(left->tool, tool, strlen(tool) + 1);
}

static int add_to(struct manifest_entry **entries, size_t *count, long pid, const char *name)
{
    struct manifest_entry *grown = reallocarray(*entries, *count + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    *entries = grown;
    char *path = strdup(name);
    if (!path)
        return -ENOMEM;
    grown[(*count)++] = (struct manifest_entry){.pid = pid, .path = path};
    return 0;
}

/* The file that the process has begun; NULL: none. */
static struct manifest_entry *open_of(const struct manifest *m, long pid)
{
    for (size_t i = 0; i < m->open_count; i++)
        if (m->open[i].pid == pid)
            return &m->open[i];
    return NULL;
}

static void take_open_away(struct manifest *m, long pid)
{
    struct manifest_entry *open = open_of(m, pid);
    if (!open)
        return;
    free(open->path);
    *open = m->open[--m->open_count];
}

int manifest_finish(struct manifest *m, long pid)
{
    const struct manifest_entry *open = open_of(m, pid);
    int r = open ? add_to(&m->entries, &m->count, pid, open->path) : 0;
    take_open_away(m, pid);
    return r;
}

static int add(struct manifest *m, char *line)
{
    char *tab = strchr(line, '\t');
    long pid = strtol(line, NULL, 10);
    if (tab && tab[1] == '=')
        add_left(m, pid, tab + 2);
    if (tab && tab[1] == '+' && tab[2] == '/')
        return add_to(&m->open, &m->open_count, pid, tab + 2);
    /* A JVM may have died while it wrote: half a line is not an entry. */
    if (!tab || tab[1] != '/')
        return 0;
    take_open_away(m, pid);
    return add_to(&m->entries, &m->count, pid, tab + 1);
}

int manifest_parse(struct manifest *m, FILE *in)
{
    char *line = NULL;
    size_t room = 0;
    int r = 0;
    while (r == 0) {
        ssize_t len = getline(&line, &room, in);
        if (len < 0 || line[len - 1] != '\n')
            break;
        line[len - 1] = '\0';
        r = add(m, line);
    }
    free(line);
    return r;
}

int manifest_read(struct manifest *m)
{
    FILE *in = fopen(m->path, "re");
    if (!in)
        return fail("read", m->path, errno);
    int r = manifest_parse(m, in);
    if (r < 0)
        fail("read", m->path, -r);
    (void)fclose(in);
    return r;
}

static void free_entries(struct manifest_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(entries[i].path);
    free(entries);
}

void manifest_close(struct manifest *m)
{
    if (m->path)
        (void)unlink(m->path);
    free_entries(m->entries, m->count);
    free_entries(m->open, m->open_count);
    free(m->path);
    *m = (struct manifest){0};
}
