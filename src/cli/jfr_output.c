/*
 * jfr_output.c - see jfr_output.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/jfr_output.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "cli/outfile.h"
#include "cli/say.h"

int jfr_output_open(struct jfr_output *o, const char *path)
{
    int r = outfile_open("jfr", path, &o->file);

    o->path = path;
    if (r < 0)
        return r;
    r = sink_init(&o->sink, o->file.fd);
    if (r < 0)
        jfr_output_close(o, r);
    return r;
}

int jfr_output_close(struct jfr_output *o, int error)
{
    int r = sink_done(&o->sink);

    if (o->file.fd != STDOUT_FILENO && close(o->file.fd) < 0 && r == 0)
        r = -errno;
    if (r < 0 && r != -EPIPE)
        say("%s: %s", o->path, err_text(r));
    error = error == 0 ? r : error;
    if (error < 0 && o->file.is_ours)
        unlink(o->path);
    return error;
}
