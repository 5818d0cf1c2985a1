/*
 * load.c - from a path to a profile.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "load.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "cli/say.h"
#include "format/format.h"
#include "profile/profile.h"

/* The model takes pages as it grows; 16 bytes of it for one of the file is far more than a text or
 * binary profile needs, and still a bound. */
enum { MODEL_PER_BYTE = 16, MODEL_MIN = 64 * 1024 * 1024, PIPE_CHUNK = 256 * 1024 };

/* A pipe has no size: as with `hprof report <(zcat old.txt.gz)`. */
static int read_pipe(int fd, struct load *load)
{
    size_t room = 0;

    for (;;) {
        if (room - load->len < PIPE_CHUNK) {
            room = room * 2 + PIPE_CHUNK;
            unsigned char *grown = realloc(load->bytes, room);
            if (!grown)
                return -ENOMEM;
            load->bytes = grown;
        }
        ssize_t n = read(fd, load->bytes + load->len, room - load->len);
        if (n == 0)
            return 0;
        if (n < 0 && errno != EINTR)
            return -errno;
        load->len += n > 0 ? (size_t)n : 0;
    }
}

static int read_bytes(int fd, struct load *load)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -errno;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    if (!S_ISREG(st.st_mode) || st.st_size == 0)
        return read_pipe(fd, load);

    void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return -errno;
    load->bytes = bytes;
    load->len = (size_t)st.st_size;
    load->mapped = true;
    return 0;
}

static void say_damage(const char *path, const struct format_error *error)
{
    const char *rest = error->offset > 0 ? "; what came before it was read" : "";
    const char *detail = error->detail ? error->detail : err_text(error->code);

    if (error->line != 0)
        say("%s: offset %" PRIu64 " (line %" PRIu64 "): %s%s", path, error->offset, error->line,
            detail, rest);
    else
        say("%s: offset %" PRIu64 ": %s; what came before it was read", path, error->offset,
            detail);
}

static int parse(const char *path, struct load *load)
{
    struct format_error error = {0};

    load->profile = profile_new(MODEL_MIN + MODEL_PER_BYTE * load->len);
    if (!load->profile)
        return -ENOMEM;
    if (load->format->read(load->bytes, load->len, load->profile, &error) < 0) {
        say_damage(path, &error);
        load->damaged = true;
    }
    if (profile_lost(load->profile) > 0) {
        say("%s: too much for the memory allowed; %" PRIu64 " parts of it are missing", path,
            profile_lost(load->profile));
        load->damaged = true;
    }
    return 0;
}

int load_open(const char *path, const struct format *format, struct load *ret_load)
{
    *ret_load = (struct load){.format = format};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int r = fd < 0 ? -errno : read_bytes(fd, ret_load);

    if (fd >= 0)
        close(fd);
    if (r < 0) {
        say("%s: %s", path, strerror(-r));
        return r;
    }
    if (ret_load->len == 0) {
        say("%s: the file is empty; was its JVM killed before it could write?", path);
        return E_FORMAT;
    }
    if (!format)
        ret_load->format = format_probe(ret_load->bytes, ret_load->len);
    if (!ret_load->format) {
        say("%s: offset 0: not a profile in any known format; 'hprof formats' lists them", path);
        return E_FORMAT;
    }
    r = parse(path, ret_load);
    if (r < 0)
        say("%s: %s", path, err_text(r));
    return r;
}

void load_close(struct load *load)
{
    profile_free(load->profile);
    if (load->mapped)
        munmap(load->bytes, load->len);
    else
        free(load->bytes);
    *load = (struct load){0};
}
