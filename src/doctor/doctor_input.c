/*
 * doctor_input.c - see doctor_input.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "doctor/doctor_input.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "attach/jvms.h"
#include "base/err.h"
#include "base/plain.h"
#include "command/cmd.h"
#include "command/say.h"
#include "command/textbuf.h"
#include "doctor/doctor_threads.h"
#include "gzip/tarfile.h"
#include "gzip/unpackread.h"
#include "jvm/outside.h"
#include "threaddump/dumpfiles.h"
#include "threaddump/dumpset.h"

enum { FACTS_MAX = 16 << 20, PIECE = 64 << 10 };

struct packed {
    struct unpackread *file;
    struct textbuf begun; /* the first bytes, which come first */
    size_t at;
};

static ssize_t read_packed(void *from, unsigned char *to, size_t room)
{
    struct packed *p = from;
    size_t len = p->begun.len - p->at < room ? p->begun.len - p->at : room;
    if (len == 0)
        return unpackread_read(p->file, to, room);
    memcpy(to, p->begun.bytes + p->at, len);
    p->at += len;
    return (ssize_t)len;
}

/* Reads at most `most` bytes to the end of the text. Returns false after an error. */
static bool read_bytes(tarfile_source *read, void *from, size_t most, struct textbuf *ret)
{
    ssize_t n = 1;
    while (n > 0 && ret->len < most) {
        char *to = textbuf_room(ret, PIECE);
        size_t room = most - ret->len < PIECE ? most - ret->len : PIECE;
        n = to ? read(from, (unsigned char *)to, room) : -ENOMEM;
        ret->len += n > 0 ? (size_t)n : 0;
    }
    return n >= 0;
}

static ssize_t read_file(void *from, unsigned char *to, size_t room)
{
    return unpackread_read(from, to, room);
}

static ssize_t read_member(void *from, unsigned char *to, size_t room)
{
    return tarfile_read(from, to, room);
}

/* The facts of an archive are one of its files. */
static bool find_facts(struct packed *p, struct textbuf *ret)
{
    struct tarfile tar = {.read = read_packed, .from = p};
    while (tarfile_next(&tar) > 0)
        if (strcmp(tar.name, DOCTOR_INPUT_FACTS) == 0)
            return read_bytes(read_member, &tar, FACTS_MAX, ret);
    return false;
}

/* Reads a file that begins as JSON, or the facts in an archive; of others only the begin is read.
 * Returns whether it is one. */
static bool read_small(const char *name, struct textbuf *ret)
{
    struct packed p = {0};
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    bool is_good = fd >= 0 && unpackread_open(fd, &p.file) == 0;
    if (is_good)
        is_good = read_bytes(read_file, p.file, TARFILE_BLOCK, &p.begun) && p.begun.len > 0;
    if (is_good && tarfile_is_one(p.begun.bytes, p.begun.len))
        is_good = find_facts(&p, ret);
    else if (is_good)
        is_good = p.begun.bytes[0] == '{' && read_bytes(read_packed, &p, FACTS_MAX, ret);
    if (p.file)
        unpackread_close(p.file);
    if (fd >= 0)
        close(fd);
    textbuf_done(&p.begun);
    return is_good && ret->len > 0 && ret->bytes[0] == '{';
}

static int judge_dumps(const char *command, const char *name, const struct dumpset *set,
                       void (*take)(void *, struct doctor_facts *), void *with)
{
    struct doctor_facts *f = malloc(sizeof(*f));
    int error = f ? 0 : -ENOMEM;
    if (f) {
        doctor_fact_init(f);
        plain_copy(f->target, DOCTOR_FACT_NAME, name);
        error = doctor_threads_judge(set, f);
    }
    if (error == 0)
        take(with, f);
    free(f);
    if (error == E_RANGE)
        say("%s: the thread dumps are of several JVMs", command);
    else if (error < 0)
        say("%s: %s", command, err_text(error));
    return error < 0 ? CMD_FAILED : CMD_OK;
}

int doctor_input_read(const char *command, const char *const *names, uint32_t count,
                      void (*take)(void *, struct doctor_facts *), void *with)
{
    struct textbuf text = {0};
    struct dumpset set = {0};
    int status = CMD_OK;
    bool is_facts = count == 1 && strcmp(names[0], "-") != 0 && read_small(names[0], &text) &&
                    doctor_fact_read(text.bytes, text.len, take, with) == 0;
    textbuf_done(&text);
    for (uint32_t i = 0; !is_facts && i < count; i++)
        status |= dumpfiles_read(names[i], &set);
    if (set.count > 0)
        status |= judge_dumps(command, names[0], &set, take, with);
    dumpset_done(&set);
    return status;
}
