/*
 * outfile.c - see outfile.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/outfile.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/newfile.h"
#include "cli/say.h"
#include "format/format.h"
#include "gzip/gzsink.h"

enum { OLD_MAX = 10000 };

const struct format *outfile_format(const char *path)
{
    char *plain = strndup(path, strlen(path) - (size_t)gzsink_suffix(path));
    const struct format *format = plain ? format_for_file(plain) : NULL;

    free(plain);
    return format;
}

int outfile_check_folder(const char *command, const char *name)
{
    if (newfile_is_special(name))
        return 0;
    struct stat st;
    if (lstat(name, &st) == 0 && S_ISDIR(st.st_mode)) {
        say("%s: '%s' is a directory; name a file", command, name);
        return -EISDIR;
    }
    const char *slash = strrchr(name, '/');
    char *folder = !slash ? strdup(".") : strndup(name, (size_t)(slash - name) + 1);
    int r = !folder ? -ENOMEM : access(folder, W_OK | X_OK) < 0 ? -errno : 0;

    if (r < 0)
        say("%s: cannot write into the folder of '%s': %s", command, name, strerror(-r));
    free(folder);
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
