/*
 * project_file.c - see project_file.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/project_file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command/cmd.h"
#include "command/conffile.h"
#include "command/opts.h"
#include "cli/project_output.h"
#include "command/say.h"

static const char file_name[] = "hprof.conf";

/* ---- the lines */

/* Whether the command line has the option. Errors in the command line are reported when the command
 * itself reads it. */
static bool is_typed(const struct project_file *p, const struct cmd *cmd, const struct opt *row)
{
    struct opts opts;
    int id;
    opts_init(&opts, cmd, p->argc, p->argv);
    opts.is_silent = true;
    do
        id = opts_next(&opts);
    while ((id > 0 && id != row->id) || (id == OPTS_WORD && !cmd->ends_at_word));
    return id == row->id;
}

static int keep(struct project_file *p, const struct opt *row, const char *value)
{
    char **grown = realloc(p->made, (p->made_count + 1) * sizeof(*grown)), *text;
    if (!grown)
        return -ENOMEM;
    p->made = grown;
    if (asprintf(&text, "--%s%s%s", row->name, row->arg ? "=" : "", row->arg ? value : "") < 0)
        return -ENOMEM;
    p->made[p->made_count++] = text;
    return 0;
}

/* The row that allows a project's file to set this option; NULL: there is none. */
static const struct project_option *find_taken(const struct cmd *cmd, const struct opt *row)
{
    const struct project_option *taken = cmd->project;
    while (taken->id && taken->id != row->id)
        taken++;
    return taken->id ? taken : NULL;
}

/* Why the option or its value is not accepted from a file; NULL: it is accepted. */
static const char *why_not(const struct cmd *cmd, const struct opt *row, const char *value)
{
    const struct project_option *taken = find_taken(cmd, row);
    if (!taken)
        return "not taken from a file, where only what is measured may stand; type it";
    if (taken->as == PROJECT_PRESET && value[0] && strcmp(value, "default") != 0 &&
        strcmp(value, "profile") != 0)
        return "not taken from a file: default and profile are; type others";
    return taken->as == PROJECT_OUTPUT ? project_output_refuse(value) : NULL;
}

/* Takes "--name value", "--name=value", "-x value", or an option without a value. */
static int take_option(struct project_file *p, const struct cmd *cmd, const char *name,
                       unsigned line, char *text)
{
    bool is_long = strncmp(text, "--", 2) == 0;
    char *rest, *word = conffile_word(text, is_long ? "= \t" : " \t", &rest);
    const struct opt *row = NULL;
    if (is_long)
        row = opts_row(cmd, word + 2, strlen(word + 2));
    else if (word[0] == '-' && word[1] != '\0' && word[2] == '\0')
        for (row = cmd->options; row->name && row->letter != word[1];)
            row++;
    if (!row || !row->name)
        return conffile_refuse(name, line, word,
                               "no option of the command, which 'hprof help' lists");
    if (!row->arg && rest[0])
        return conffile_refuse(name, line, word, "takes no value; one option in a line");
    if (row->arg && row->arg[0] != '[' && !rest[0])
        return conffile_refuse(name, line, word, "needs a value in the same line");
    const char *why = why_not(cmd, row, rest);
    if (why) /* only a message: the user's measurement goes on without the option */
        say("%s:%u: '%s%s%s': %s", name, line, word, rest[0] ? " " : "", rest, why);
    return why || is_typed(p, cmd, row) ? 0 : keep(p, row, rest);
}

struct reading {
    struct project_file *file;
    const struct cmd *cmd;
};

static int take_line(void *with, const char *name, unsigned line, char *text)
{
    const struct reading *r = with;
    char *rest, *word = conffile_word(text, " \t", &rest);
    if (strcmp(word, r->cmd->name) == 0)
        return take_option(r->file, r->cmd, name, line, rest);
    for (const struct cmd *const *other = cmd_all; *other; other++)
        if ((*other)->project && strcmp(word, (*other)->name) == 0)
            return 0;
    return conffile_refuse(
        name, line, word,
        "a line begins with the command that its option is for, as in 'run --event cpu'");
}

int project_file_parse(struct project_file *p, const struct cmd *cmd, FILE *in, const char *name)
{
    struct reading r = {p, cmd};
    return conffile_read(in, name, take_line, &r);
}

/* ---- the file */

/* Finds the file in the working directory or the nearest folder above. NULL: there is none. */
static char *find(void)
{
    char *folder = getcwd(NULL, 0), *path = NULL;
    while (folder && !path) {
        char *slash = strrchr(folder, '/');
        if (asprintf(&path, "%s/%s", folder, file_name) < 0)
            path = NULL;
        if (!path || access(path, F_OK) == 0 || !slash || !folder[0])
            break;
        free(path);
        path = NULL;
        *slash = '\0';
    }
    free(folder);
    if (path && access(path, F_OK) != 0) {
        free(path);
        path = NULL;
    }
    return path;
}

static int read_file(struct project_file *p, const struct cmd *cmd)
{
    int fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
    int error = 0;
    /* A file of another user in a folder above must not prevent the command from working. */
    if (!in) {
        say("%s: not read: %s", p->path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return 0;
    }
    if (conffile_is_trusted(fd, S_IWOTH))
        error = project_file_parse(p, cmd, in, p->path);
    else
        say("%s: not read: others can have written it; it must be a file of yours, or root's",
            p->path);
    (void)fclose(in);
    return error;
}

/* Puts the options of the file between the command's name and the user's words. */
static int join(struct project_file *p)
{
    size_t count = (size_t)p->argc + p->made_count;
    char **all = calloc(count + 1, sizeof(*all));
    if (!all) {
        say("%s", strerror(ENOMEM));
        return -ENOMEM;
    }
    all[0] = p->argv[0];
    memcpy(all + 1, p->made, p->made_count * sizeof(*all));
    memcpy(all + 1 + p->made_count, p->argv + 1, ((size_t)p->argc - 1) * sizeof(*all));
    p->argv = p->joined = all;
    p->argc = (int)count;
    return 0;
}

static void say_taken(const struct project_file *p, const struct cmd *cmd)
{
    char *all = NULL;
    size_t len;
    FILE *out = open_memstream(&all, &len);
    for (size_t i = 0; out && i < p->made_count; i++)
        (void)fprintf(out, " %s", p->made[i]);
    if (out && fclose(out) == 0)
        say("%s: with options of '%s':%s", cmd->name, p->path, all);
    free(all);
}

int project_file_open(struct project_file *p, const struct cmd *cmd, int argc, char **argv)
{
    int error = 0;
    *p = (struct project_file){.argc = argc, .argv = argv};
    if (!cmd->project || !(p->path = find()))
        return 0;
    error = read_file(p, cmd);
    if (error || p->made_count == 0)
        return error;
    say_taken(p, cmd);
    return join(p);
}

void project_file_done(struct project_file *p)
{
    for (size_t i = 0; i < p->made_count; i++)
        free(p->made[i]);
    free(p->joined);
    free(p->made);
    free(p->path);
    *p = (struct project_file){0};
}
