/*
 * jfr_input.c - see jfr_input.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_input.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "command/diag_say.h"
#include "command/say.h"

int jfr_input_open(struct jfr_input *in, const char *path, bool with_constants)
{
    return jfr_input_open_as(in, path, path, with_constants);
}

int jfr_input_open_as(struct jfr_input *in, const char *path, const char *name, bool with_constants)
{
    int r;
    *in = (struct jfr_input){.path = name, .fd = open(path, O_RDONLY | O_CLOEXEC)};
    r = in->fd < 0 ? -errno : gzfeed_open(&in->feed, in->fd);
    if (r < 0) {
        say("%s: %s", name, strerror(-r));
        if (in->fd >= 0) {
            gzfeed_close(&in->feed);
            close(in->fd);
        }
        return r;
    }
    r = jfr_file_open(&in->file, &in->feed.feed,
                      &(struct jfr_chunk_reading){.with_constants = with_constants});
    if (r == 0)
        return 0;
    if (in->feed.feed.len == 0 && in->feed.feed.error != 0)
        say("%s: %s", name, in->feed.feed.why ? in->feed.feed.why : err_text(in->feed.feed.error));
    else if (in->feed.feed.len == 0)
        say("%s: the file is empty; was its JVM killed before it could write?", name);
    else
        say("%s: offset 0: not a JFR file: it does not begin with FLR", name);
    jfr_input_close(in);
    return r;
}

void jfr_input_say(const struct jfr_input *in, int error)
{
    if (error == E_UNSUPPORTED)
        jfr_file_tell_version(&in->file, in->path, diag_say());
    else if (error != -EPIPE)
        say("%s: %s", in->path, err_text(error));
}

int jfr_input_next(struct jfr_input *in)
{
    int r = jfr_file_next_chunk(&in->file);
    if (r < 0)
        jfr_input_say(in, r);
    return r;
}

bool jfr_input_close(struct jfr_input *in)
{
    const struct jfr_file *f = &in->file;
    bool is_whole = f->damage_count == 0;
    jfr_file_tell_damage(f, in->path, diag_say());
    jfr_file_close(&in->file);
    gzfeed_close(&in->feed);
    close(in->fd);
    return is_whole;
}
