/*
 * jfr_split.c - see jfr_split.h.
 *
 * Chunks that are whole are copied byte for byte. One that was not finished is written again with
 * what is whole of it, for the tools of JDKs refuse it.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/jfr_split.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "cli/cmd.h"
#include "cli/jfr_input.h"
#include "cli/jfr_output.h"
#include "cli/say.h"
#include "jfr/jfr_rewrite.h"

static int put_chunk(struct jfr_chunk *c, struct sink *s)
{
    static const struct jfr_rewrite all = {0};
    struct jfr_rewrite_count count = {0};

    if (!c->has_types) /* the file says what is lost */
        return 0;
    if (!c->is_finished)
        return jfr_rewrite_chunk(&all, c, s, &count);
    sink_bytes(s, c->bytes, c->len);
    return sink_error(s);
}

static int is_recording(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 4 && strcmp(entry->d_name + len - 4, ".jfr") == 0;
}

/* Returns whether all of the file went in; *error of the sink. */
static bool append_file(const char *path, struct sink *s, int *error)
{
    struct jfr_input in;
    int r = jfr_input_open(&in, path, true);

    if (r < 0)
        return false;
    while ((r = jfr_file_next_chunk(&in.file)) > 0 && (r = put_chunk(&in.file.chunk, s)) == 0)
        ;
    *error = sink_error(s);
    if (r < 0 && *error == 0)
        jfr_input_say(&in, r);
    return jfr_input_close(&in) && r == 0;
}

static int append_all(const char *repository, struct dirent **names, int count, struct sink *s,
                      bool *ret_is_whole)
{
    int error = 0;

    for (int i = 0; i < count && error == 0; i++) {
        char *path = NULL;

        if (asprintf(&path, "%s/%s", repository, names[i]->d_name) < 0)
            return -ENOMEM;
        *ret_is_whole &= append_file(path, s, &error);
        free(path);
    }
    return error == 0 && sink_position(s) == 0 ? E_NOT_FOUND : error;
}

int jfr_split_assemble(const char *repository, const char *output)
{
    struct dirent **names = NULL;
    int count = scandir(repository, &names, is_recording, alphasort);
    struct jfr_output out;
    bool is_whole = true;
    int r = count < 0 ? -errno : 0;

    if (count < 0)
        say("%s: %s", repository, strerror(-r));
    else if (count == 0)
        say("%s: has no *.jfr: the folder is wanted that the JVM's log names as its repository",
            repository);
    if (count > 0) {
        r = jfr_output_open(&out, output);
        if (r == 0)
            r = append_all(repository, names, count, &out.sink, &is_whole);
        r = jfr_output_close(&out, r);
    }
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return count > 0 && r == 0 && is_whole ? CMD_OK : CMD_FAILED;
}

/* The files that one becomes. */
struct parts {
    const struct jfr_split *split;
    const char *name; /* of the file, without its folder */
    int name_len;     /* without its suffix */
    int digits;       /* of the last part's number */
    unsigned number;
    uint64_t chunks, bytes; /* of the present part */
    bool is_open;
    char *path;
    struct jfr_output out;
};

static int end_part(struct parts *p, int error)
{
    if (!p->is_open)
        return error;
    p->is_open = false;
    error = jfr_output_close(&p->out, error);
    if (error == 0)
        printf("%s: %" PRIu64 " chunk%s, %" PRIu64 " bytes\n", p->path, p->chunks,
               p->chunks == 1 ? "" : "s", p->bytes);
    free(p->path);
    p->path = NULL;
    return error;
}

static int begin_part(struct parts *p)
{
    if (asprintf(&p->path, "%s/%.*s_%0*u.jfr", p->split->folder, p->name_len, p->name, p->digits,
                 p->number++) < 0)
        return -ENOMEM;
    p->is_open = true;
    p->chunks = p->bytes = 0;
    return jfr_output_open(&p->out, p->path);
}

/* Whether a chunk of so many bytes is one too many for a part that has these. */
static bool is_full(const struct jfr_split *split, uint64_t chunks, uint64_t bytes, uint64_t len)
{
    return (split->chunks_max > 0 && chunks >= split->chunks_max) ||
           (split->bytes_max > 0 && chunks > 0 && bytes + len > split->bytes_max);
}

/* How many parts there will be. */
static unsigned count_parts(const struct jfr_split *split, struct jfr_input *in)
{
    uint64_t chunks = 0, bytes = 0;
    unsigned parts = 1;

    while (jfr_file_next_chunk(&in->file) > 0) {
        if (is_full(split, chunks, bytes, in->file.chunk.len)) {
            parts++;
            chunks = bytes = 0;
        }
        chunks++;
        bytes += in->file.chunk.len;
    }
    return parts;
}

static int put_parts(struct parts *p, struct jfr_input *in)
{
    int r;

    while ((r = jfr_file_next_chunk(&in->file)) > 0) {
        struct jfr_chunk *c = &in->file.chunk;

        if (p->is_open && is_full(p->split, p->chunks, p->bytes, c->len) &&
            (r = end_part(p, 0)) < 0)
            break;
        if (!p->is_open && (r = begin_part(p)) < 0)
            break;
        r = put_chunk(c, &p->out.sink);
        if (r < 0)
            break;
        p->chunks++;
        p->bytes = sink_position(&p->out.sink);
    }
    return end_part(p, r);
}

static int open_parts(struct parts *p, const char *path, struct jfr_input *in)
{
    const char *slash = strrchr(path, '/');
    int r = jfr_input_open(in, path, true);

    if (r < 0)
        return r;
    p->name = slash ? slash + 1 : path;
    const char *suffix = strstr(p->name, ".jfr");
    p->name_len = (int)(suffix ? (size_t)(suffix - p->name) : strlen(p->name));
    unsigned parts = count_parts(p->split, in);
    p->digits = snprintf(NULL, 0, "%u", parts - 1);
    in->file.damage_count = 0; /* what is damaged the other pass says */
    jfr_input_close(in);
    if (parts == 1) {
        say("%s: has no more than goes into one file: nothing to take apart", path);
        return E_NOT_FOUND;
    }
    return jfr_input_open(in, path, true);
}

int jfr_split_file(const struct jfr_split *split, const char *path)
{
    struct parts p = {.split = split};
    struct jfr_input in;
    int r = open_parts(&p, path, &in);

    if (r < 0)
        return CMD_FAILED;
    r = put_parts(&p, &in);
    return jfr_input_close(&in) && r == 0 ? CMD_OK : CMD_FAILED;
}
