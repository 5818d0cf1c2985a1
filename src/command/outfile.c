/*
 * outfile.c - see outfile.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/outfile.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/newfile.h"
#include "command/say.h"
#include "format/format.h"
#include "gzip/gzsink.h"

enum { OLD_MAX = 10000, TRIES = 16 };

const struct format *outfile_format(const char *path)
{
    char *plain = strndup(path, strlen(path) - (size_t)gzsink_suffix(path));
    const struct format *format = plain ? format_for_file(plain) : NULL;
    free(plain);
    return format;
}

/* Makes a file in the folder, writes a byte and removes the file. Permissions alone do not show
 * that a file system is full. */
static int try_folder(const char *folder)
{
    struct newfile file;
    char *name = NULL;
    int r = 0;
    if (newfile_open_unnamed(folder, 0600, &file) < 0) {
        if (asprintf(&name, "%s.hprof-XXXXXX", folder) < 0)
            return -ENOMEM;
        file.fd = mkostemp(name, O_CLOEXEC);
        r = file.fd < 0 ? -errno : 0;
        if (r == 0)
            (void)unlink(name);
        free(name);
    }
    if (r == 0) {
        r = write(file.fd, "", 1) < 0 ? -errno : 0;
        close(file.fd);
    }
    return r;
}

int outfile_check_folder(const char *command, const char *name)
{
    if (newfile_is_special(name))
        return 0;
    const char *slash = strrchr(name, '/');
    struct stat st;
    if (lstat(name, &st) == 0 && S_ISDIR(st.st_mode)) {
        say("%s: '%s' is a directory; name a file", command, name);
        return -EISDIR;
    }
    if (strlen(slash ? slash + 1 : name) > NAME_MAX) {
        say("%s: '%s': %s", command, name, strerror(ENAMETOOLONG));
        return -ENAMETOOLONG;
    }
    char *folder = !slash ? strdup("./") : strndup(name, (size_t)(slash - name) + 1);
    int r = !folder ? -ENOMEM : try_folder(folder);

    if (r < 0)
        say("%s: cannot write into the folder of '%s': %s", command, name, strerror(-r));
    free(folder);
    return r;
}

/* Renames the file to PATH.old, or to the first free name of PATH.old.2, PATH.old.3 and so on.
 * *ret_old is the new name. */
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
        say("%s: '%s' is a directory; name a file", command, path);
        return -EINVAL;
    }
    r = rename_to_old(path, ret_old);
    if (r < 0)
        say("%s: cannot move '%s' to '%s.old': %s", command, path, path, strerror(-r));
    else
        say("%s: '%s' was there already and is now '%s'", command, path, *ret_old);
    return r;
}

static bool is_folder(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* On a file system without unnamed files, moves an existing file aside and opens the new one under
 * its name. */
static int open_named(struct outfile *o)
{
    const char *why = "";
    int r = outfile_move_aside(o->command, o->path, &o->old);
    if (r == 0)
        r = newfile_open(o->path, 0666, NEWFILE_KEEP, &o->file, &why);
    if (r == 0)
        return 0;
    if (*why != '\0')
        say("%s: cannot write '%s': %s", o->command, o->path, why);
    if (o->old)
        (void)newfile_rename(o->old, o->path);
    free(o->old);
    return r;
}

int outfile_open(const char *command, const char *path, struct outfile *ret_file)
{
    *ret_file = (struct outfile){.command = command, .path = path};
    if (strcmp(path, "-") == 0) {
        ret_file->file.fd = STDOUT_FILENO;
        return 0;
    }
    ret_file->is_unnamed = !newfile_is_special(path) && !is_folder(path) &&
                           newfile_open_unnamed(path, 0666, &ret_file->file) == 0;
    return ret_file->is_unnamed ? 0 : open_named(ret_file);
}

/* Gives the file its name. Another process may make a file of that name again and again, so the
 * attempts are counted. */
static int take_name(struct outfile *o)
{
    int r = -EEXIST;
    for (int tries = 0; tries < TRIES && r == -EEXIST; tries++) {
        int moved = outfile_move_aside(o->command, o->path, &o->old);
        if (moved < 0)
            return moved;
        r = newfile_link(&o->file, o->path);
    }
    if (r < 0)
        say("%s: cannot write '%s': %s", o->command, o->path, strerror(-r));
    return r;
}

int outfile_close(struct outfile *o, int error)
{
    if (error == 0 && o->is_unnamed)
        error = take_name(o);
    if (o->file.fd != STDOUT_FILENO && close(o->file.fd) < 0 && error == 0) {
        error = -errno;
        say("%s: cannot write '%s': %s", o->command, o->path, strerror(-error));
        o->is_unnamed = false; /* the file already has its name */
    }
    if (error < 0 && o->file.is_ours && !o->is_unnamed)
        unlink(o->path);
    if (error < 0 && o->old && newfile_rename(o->old, o->path) == 0)
        say("%s: '%s' is back", o->command, o->path);
    free(o->old);
    o->old = NULL;
    return error;
}
