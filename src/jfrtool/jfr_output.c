/*
 * jfr_output.c - see jfr_output.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_output.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "jfrtool/jfr_secret.h"
#include "command/outfile.h"
#include "command/say.h"
#include "jfr/jfr_rewrite.h"

static int take(void *to, const unsigned char *bytes, size_t len)
{
    struct jfr_output *o = to;
    int r = o->is_open ? 0 : outfile_open(o->command, o->path, &o->file);
    if (r < 0)
        return r;
    if (!o->is_open)
        r = sink_init(&o->to, o->file.file.fd);
    o->is_open = true;
    if (r < 0)
        return r;
    sink_bytes(&o->to, bytes, len);
    return sink_error(&o->to);
}

int jfr_output_open(struct jfr_output *o, const char *path)
{
    *o = (struct jfr_output){.path = path, .command = "jfr"};
    return sink_init_taker(&o->sink, take, o);
}

static bool is_one(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool stat_folder(const char *path, struct stat *ret)
{
    char folder[PATH_MAX];
    int len = snprintf(folder, sizeof(folder), "%.*s.", (int)(last_of(path) - path), path);
    return len < (int)sizeof(folder) && stat(folder, ret) == 0;
}

bool jfr_output_takes(const char *output, const char *path)
{
    int fd = strcmp(output, "-") == 0 ? STDOUT_FILENO : newfile_descriptor(output);
    struct stat a, b;
    if (fd >= 0)
        return fstat(fd, &a) == 0 && stat(path, &b) == 0 && S_ISREG(a.st_mode) && is_one(&a, &b);
    return strcmp(last_of(output), last_of(path)) == 0 && stat_folder(output, &a) &&
           stat_folder(path, &b) && is_one(&a, &b);
}

int jfr_output_close(struct jfr_output *o, int error)
{
    int r = sink_done(&o->sink);
    /* No bytes came, or outfile_open() has said why the file could not be made. */
    if (!o->is_open)
        return error == 0 ? r : error;
    int done = sink_done(&o->to);
    r = r == 0 ? done : r;
    if (r < 0 && r != -EPIPE)
        say("%s: %s", o->path, err_text(r));
    return outfile_close(&o->file, r < 0 ? r : error);
}

int jfr_output_chunk(struct sink *s, struct jfr_chunk *c, const struct jfr_renumber *renumber,
                     struct jfr_secret *secret)
{
    const struct jfr_rewrite all = {
        .renumber = renumber, .replaces = secret ? jfr_secret_text : NULL, .with = secret};
    struct jfr_rewrite_count count = {0};
    if (!c->has_types)
        return 0;
    if (!c->is_finished || renumber || secret)
        return jfr_rewrite_chunk(&all, c, s, &count);
    sink_bytes(s, c->bytes, c->len);
    return sink_error(s);
}
