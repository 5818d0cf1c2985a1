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
#include "base/newfile.h"
#include "cli/convert.h"
#include "cli/say.h"
#include "format/format.h"
#include "gzip/gzsink.h"

enum { OLD_MAX = 10000 };

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
    FILE *out = name[0] == '/' || cwd ? open_memstream(&text, &len) : NULL;

    if (out) {
        if (cwd) {
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
    if (newfile_is_special(name))
        return 0;
    const char *slash = strrchr(name, '/');
    char *folder = !slash ? strdup(".") : strndup(name, (size_t)(slash - name) + 1);
    int r = !folder ? -ENOMEM : access(folder, W_OK | X_OK) < 0 ? -errno : 0;

    if (r < 0)
        say("%s: cannot write into the folder of --output '%s': %s", command, name, strerror(-r));
    free(folder);
    return r;
}

/* Of the agent's file beside a picture. */
static const char *profile_suffix(const struct outfile *o)
{
    return o->binary ? ".hprof" : ".hprof.txt";
}

char *outfile_picture_path(const struct outfile *o, const char *path)
{
    const char *suffix = profile_suffix(o);
    size_t len = strlen(path) - (ends_with(path, suffix) ? strlen(suffix) : 0);
    char *picture = NULL;

    return asprintf(&picture, "%.*s%s", (int)len, path, o->picture_suffix) < 0 ? NULL : picture;
}

/* A file that the agent does not write itself. */
static const struct format *picture_for(const char *named)
{
    const struct format *format = convert_format_for(named);

    return format && format->is_picture ? format : NULL;
}

/* "x.html.gz": from ".html" on. */
static const char *suffix_of_picture(const char *named)
{
    const char *at = named + strlen(named) - gzsink_suffix(named);

    do
        at--;
    while (*at != '.');
    return at;
}

int outfile_init(struct outfile *o, const char *named, int binary)
{
    *o = (struct outfile){.binary = binary > 0};
    if (!named) {
        named = o->binary ? "hprof-%p.hprof" : "hprof-%p.txt";
    } else if ((o->picture = picture_for(named)) != NULL) {
        o->picture_suffix = suffix_of_picture(named);
        if (asprintf(&o->own_name, "%.*s%s", (int)(o->picture_suffix - named), named,
                     profile_suffix(o)) < 0) {
            o->own_name = NULL;
            say("run: %s", strerror(ENOMEM));
            return -ENOMEM;
        }
        named = o->own_name;
    } else if (gzsink_suffix(named) > 0) {
        say("run: --output '%s': what the JVM writes is not packed; name it without .gz, and "
            "'hprof report -o' packs it",
            named);
        return -EINVAL;
    } else if (binary < 0) {
        o->binary = ends_with(named, ".hprof");
        o->is_recording = ends_with(named, ".jfr");
    }
    if (*named == '\0' || ends_with(named, "/")) {
        say("run: --output '%s': name a file, as in --output profile.txt", named);
        return -EINVAL;
    }
    int r = outfile_check_folder("run", named);
    if (r < 0)
        return r;
    o->named = named;
    o->path = absolute(named);
    if (!o->path) {
        r = -errno;
        say("run: --output '%s': %s", named, strerror(-r));
    }
    return r;
}

/* To PATH.old, or the first of PATH.old.2, PATH.old.3 ... that nobody has; *ret_old says which. */
static int rename_to_old(const char *path, char **ret_old)
{
    int r = -EEXIST;

    for (int n = 1; n <= OLD_MAX && r == -EEXIST; n++) {
        char *old = NULL;

        if ((n == 1 ? asprintf(&old, "%s.old", path) : asprintf(&old, "%s.old.%d", path, n)) < 0)
            return -ENOMEM;
        r = newfile_rename(path, old);
        if (r == 0)
            *ret_old = old;
        else
            free(old);
    }
    return r;
}

int outfile_move_aside(const char *command, const char *path, char **ret_old)
{
    struct stat st;
    int r;

    if (newfile_is_special(path) || lstat(path, &st) < 0)
        return 0;
    if (S_ISDIR(st.st_mode)) {
        say("%s: --output '%s' is a directory; name a file", command, path);
        return -EINVAL;
    }
    r = rename_to_old(path, ret_old);
    if (r < 0)
        say("%s: cannot move '%s' to '%s.old': %s", command, path, path, strerror(-r));
    else
        say("%s: '%s' was there already and is now '%s'", command, path, *ret_old);
    return r;
}

int outfile_set_aside(struct outfile *o)
{
    /* A name with %p or %t is new each time; should it exist, the agent adds its process id. */
    return strchr(o->named, '%') ? 0 : outfile_move_aside("run", o->named, &o->old);
}

int outfile_open(const char *command, const char *path, struct newfile *ret_file)
{
    const char *why = "";
    char *old = NULL;
    int r;

    if (strcmp(path, "-") == 0) {
        *ret_file = (struct newfile){.fd = STDOUT_FILENO};
        return 0;
    }
    r = outfile_move_aside(command, path, &old);
    if (r == 0)
        r = newfile_open(path, 0666, NEWFILE_KEEP, ret_file, &why);
    if (r < 0 && *why != '\0')
        say("%s: cannot write '%s': %s", command, path, why);
    free(old);
    return r;
}

void outfile_restore(struct outfile *o)
{
    if (o->old && newfile_rename(o->old, o->named) == 0)
        say("run: '%s' is back", o->named);
}

void outfile_done(struct outfile *o)
{
    free(o->path);
    free(o->own_name);
    free(o->old);
    *o = (struct outfile){0};
}
