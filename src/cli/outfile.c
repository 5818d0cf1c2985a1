/*
 * outfile.c - naming the output, and keeping what was there before.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "outfile.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/say.h"

enum { OLD_MAX = 10000 }; /* the last one is overwritten */

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);

    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/*
 * JVMs may start anywhere, so the name must be absolute. A '%' in the working directory is part of
 * a name: the agent reads "%%" as one. A comma would end the agent's option: the agent reads "%c"
 * as one.
 */
static void put_name(FILE *out, const char *text, bool keeps_percent)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == ',')
            fputs("%c", out);
        else if (*c == '%' && !keeps_percent)
            fputs("%%", out);
        else
            putc(*c, out);
    }
}

static char *absolute(const char *name)
{
    char *text = NULL;
    size_t len = 0;
    char *cwd = name[0] == '/' ? NULL : getcwd(NULL, 0);
    FILE *out = name[0] == '/' || cwd != NULL ? open_memstream(&text, &len) : NULL;

    if (out != NULL) {
        if (cwd != NULL) {
            put_name(out, cwd, false);
            putc('/', out);
        }
        put_name(out, name, true);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    free(cwd);
    return text;
}

int outfile_check_folder(const char *command, const char *name)
{
    const char *slash = strrchr(name, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(name, (size_t)(slash - name) + 1);
    int r = folder == NULL ? -ENOMEM : access(folder, W_OK | X_OK) < 0 ? -errno : 0;

    if (r < 0)
        say("%s: cannot write into the folder of --output '%s': %s", command, name, strerror(-r));
    free(folder);
    return r;
}

int outfile_init(struct outfile *o, const char *named, int binary)
{
    *o = (struct outfile){.binary = binary > 0};
    if (named == NULL)
        named = o->binary ? "hprof-%p.hprof" : "hprof-%p.txt";
    else if (binary < 0)
        o->binary = ends_with(named, ".hprof");
    if (*named == '\0' || ends_with(named, "/")) {
        say("run: --output '%s': name a file, as in --output profile.txt", named);
        return -EINVAL;
    }
    int r = outfile_check_folder("run", named);
    if (r < 0)
        return r;
    o->named = named;
    o->path = absolute(named);
    if (o->path == NULL) {
        r = -errno;
        say("run: --output '%s': %s", named, strerror(-r));
    }
    return r;
}

/* PATH.old, or the first of PATH.old.2, PATH.old.3 ... that nobody has. */
static char *free_old_name(const char *path)
{
    struct stat st;
    char *old = NULL;

    for (int n = 1; n <= OLD_MAX; n++) {
        if ((n == 1 ? asprintf(&old, "%s.old", path) : asprintf(&old, "%s.old.%d", path, n)) < 0)
            return NULL;
        if (lstat(old, &st) < 0 || n == OLD_MAX)
            return old;
        free(old);
    }
    return NULL;
}

int outfile_move_aside(const char *command, const char *path, char **ret_old)
{
    struct stat st;
    char *old = NULL;

    if (lstat(path, &st) < 0)
        return 0;
    if (!S_ISREG(st.st_mode)) {
        say("%s: --output '%s' is %s; name a file", command, path,
            S_ISDIR(st.st_mode) ? "a directory" : "not a regular file");
        return -EINVAL;
    }
    old = free_old_name(path);
    if (old == NULL) {
        say("%s: %s", command, strerror(ENOMEM));
        return -ENOMEM;
    }
    if (rename(path, old) < 0) {
        int r = -errno;

        say("%s: cannot move '%s' to '%s': %s", command, path, old, strerror(-r));
        free(old);
        return r;
    }
    say("%s: '%s' was there already and is now '%s'", command, path, old);
    *ret_old = old;
    return 0;
}

int outfile_set_aside(struct outfile *o)
{
    /* A name with %p or %t is new each time; should it exist, the agent adds its process id. */
    return strchr(o->named, '%') != NULL ? 0 : outfile_move_aside("run", o->named, &o->old);
}

void outfile_restore(struct outfile *o)
{
    if (o->old != NULL && access(o->named, F_OK) < 0 && rename(o->old, o->named) == 0)
        say("run: '%s' is back", o->named);
}

void outfile_done(struct outfile *o)
{
    free(o->path);
    free(o->old);
    *o = (struct outfile){0};
}
