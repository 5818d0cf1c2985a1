/*
 * jfr_input.c - see jfr_input.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfr_input.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "base/plural.h"
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
        say("%s: a JFR file of version %u.%u: read are 1 and 2, those of JDK 8u262 and later",
            in->path, in->file.chunk.header.major, in->file.chunk.header.minor);
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
    uint32_t count = f->damage_count;
    for (uint32_t i = 0; i < count && i < JFR_DAMAGES; i++) {
        const struct jfr_damage *d = &f->damages[i];
        if (d->lost > 0)
            say("%s: offset %" PRIu64 ": %s (%" PRIu64 " byte%s)", in->path, d->offset, d->what,
                d->lost, plural_s(d->lost));
        else
            say("%s: offset %" PRIu64 ": %s", in->path, d->offset, d->what);
    }
    if (count > JFR_DAMAGES)
        say("%s: and %u more such place%s", in->path, count - JFR_DAMAGES,
            plural_s(count - JFR_DAMAGES));
    jfr_file_close(&in->file);
    gzfeed_close(&in->feed);
    close(in->fd);
    return count == 0;
}
