/*
 * jfr_split.c - `hprof jfr assemble` and `disassemble`: put the chunks of several files into one
 * file, and the chunks of one file into several.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfrtool.h"
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/err.h"
#include "base/plural.h"
#include "command/cmd.h"
#include "jfrtool/jfr_input.h"
#include "jfrtool/jfr_output.h"
#include "command/say.h"

static int picks_recording(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return len > 4 && strcmp(entry->d_name + len - 4, ".jfr") == 0;
}

/* Appends the chunks of a file. Returns whether the whole file was appended; *error is the error of
 * the sink. */
static bool append_file(const char *path, struct sink *s, int *error)
{
    struct jfr_input in;
    int r = jfr_input_open(&in, path, true);
    if (r < 0)
        return false;
    while ((r = jfr_file_next_chunk(&in.file)) > 0 &&
           (r = jfr_output_chunk(s, &in.file.chunk, NULL, NULL)) == 0)
        ;
    *error = sink_error(s);
    if (r < 0 && *error == 0)
        jfr_input_say(&in, r);
    return jfr_input_close(&in) && r == 0;
}

/* The paths of the recordings in a folder, sorted by name. */
struct found {
    char **paths;
    int count;
};

static void found_done(struct found *f)
{
    for (int i = 0; i < f->count; i++)
        free(f->paths[i]);
    free(f->paths);
}

/* Finds the recordings in the folder. The output of an earlier call may lie in the same folder and
 * is left out. */
static int find_parts(struct found *f, const char *repository, const char *output)
{
    struct dirent **names = NULL;
    int count = scandir(repository, &names, picks_recording, alphasort), r = 0;
    if (count < 0)
        r = -errno;
    f->paths = calloc((size_t)(count > 0 ? count : 1), sizeof(*f->paths));
    if (r == 0 && !f->paths)
        r = -ENOMEM;
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (r == 0 && asprintf(&path, "%s/%s", repository, names[i]->d_name) < 0)
            r = -ENOMEM;
        else if (r == 0 && jfr_output_takes(output, path))
            free(path);
        else if (r == 0)
            f->paths[f->count++] = path;
        free(names[i]);
    }
    free(names);
    return r;
}

static int append_all(const struct found *f, struct sink *s, bool *ret_is_whole)
{
    int error = 0;
    for (int i = 0; i < f->count && error == 0; i++)
        *ret_is_whole &= append_file(f->paths[i], s, &error);
    return error == 0 && sink_position(s) == 0 ? E_NOT_FOUND : error;
}

int jfr_split_assemble(const char *repository, const char *output)
{
    struct found found = {0};
    struct jfr_output out;
    bool is_whole = true;
    int r = find_parts(&found, repository, output);
    if (r < 0) {
        say("%s: %s", repository, strerror(-r));
    } else if (found.count == 0) {
        say("%s: has no *.jfr: the folder is wanted that the JVM's log names as its repository",
            repository);
        r = E_NOT_FOUND;
    }
    if (r == 0) {
        r = jfr_output_open(&out, output);
        if (r == 0)
            r = append_all(&found, &out.sink, &is_whole);
        r = jfr_output_close(&out, r);
    }
    found_done(&found);
    return r == 0 && is_whole ? CMD_OK : CMD_FAILED;
}

/* How many chunks each file gets. The input is read once for the plan and once to copy, because a
 * JVM may append to it between the two. */
struct plan {
    uint64_t *chunks;
    unsigned parts, room;
};

/* The state while a file is split. */
struct parts {
    const struct jfrtool_split *split;
    struct plan plan;
    const char *name; /* name of the input, without its folder */
    int name_len;     /* length of the name without its suffix */
    int digits;       /* digits of the last part's number */
    unsigned number;
    uint64_t chunks; /* chunks in the current part */
    bool is_open;
    char *path;
    struct jfr_output out;
};

static int end_part(struct parts *p, int error)
{
    if (!p->is_open)
        return error;
    p->is_open = false;
    uint64_t bytes = sink_position(&p->out.sink);
    error = jfr_output_close(&p->out, error);
    if (error == 0 && bytes > 0) {
        say_out("%s: %" PRIu64 " chunk%s, %" PRIu64 " bytes", p->path, p->chunks,
                plural_s(p->chunks), bytes);
        putchar('\n');
    }
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
    p->chunks = 0;
    return jfr_output_open(&p->out, p->path);
}

static int begin_planned(struct plan *plan)
{
    if (plan->parts == plan->room) {
        unsigned room = plan->room * 2 + 16;
        uint64_t *chunks = realloc(plan->chunks, room * sizeof(*chunks));
        if (!chunks)
            return -ENOMEM;
        plan->chunks = chunks;
        plan->room = room;
    }
    plan->chunks[plan->parts++] = 0;
    return 0;
}

static int make_plan(struct plan *plan, const struct jfrtool_split *split, struct jfr_input *in)
{
    uint64_t bytes = 0;
    int r;
    while ((r = jfr_file_next_chunk(&in->file)) > 0) {
        const uint64_t *chunks = plan->parts > 0 ? &plan->chunks[plan->parts - 1] : NULL;
        size_t len = in->file.chunk.len;
        if (!in->file.chunk.has_types)
            continue;
        if (!chunks || (split->chunks_max > 0 && *chunks >= split->chunks_max) ||
            (split->bytes_max > 0 && *chunks > 0 && bytes + len > split->bytes_max)) {
            if (begin_planned(plan) < 0)
                return -ENOMEM;
            bytes = 0;
        }
        plan->chunks[plan->parts - 1]++;
        bytes += len;
    }
    return r;
}

/* The last part also takes chunks that were appended after the plan was made. */
static int put_parts(struct parts *p, struct jfr_input *in)
{
    int r;
    while ((r = jfr_file_next_chunk(&in->file)) > 0) {
        bool is_full =
            p->is_open && p->number < p->plan.parts && p->chunks == p->plan.chunks[p->number - 1];
        if (!in->file.chunk.has_types) /* the input reports the loss */
            continue;
        if (is_full && (r = end_part(p, 0)) < 0)
            break;
        if (!p->is_open && (r = begin_part(p)) < 0)
            break;
        r = jfr_output_chunk(&p->out.sink, &in->file.chunk, NULL, NULL);
        if (r < 0)
            break;
        p->chunks++;
    }
    return end_part(p, r);
}

static int plan_parts(struct parts *p, const char *path)
{
    const char *slash = strrchr(path, '/');
    struct jfr_input in;
    int r = jfr_input_open(&in, path, false);
    if (r < 0)
        return r;
    p->name = slash ? slash + 1 : path;
    const char *suffix = strstr(p->name, ".jfr");
    p->name_len = (int)(suffix ? (size_t)(suffix - p->name) : strlen(p->name));
    r = make_plan(&p->plan, p->split, &in);
    if (r < 0)
        jfr_input_say(&in, r);
    p->digits = snprintf(NULL, 0, "%u", p->plan.parts - 1);
    in.file.damage_count = 0; /* the second pass reports the damage */
    jfr_input_close(&in);
    if (r == 0 && p->plan.parts <= 1) {
        say("%s: has no more than goes into one file: nothing to take apart", path);
        r = E_NOT_FOUND;
    }
    return r;
}

int jfr_split_file(const struct jfrtool_split *split, const char *path)
{
    struct parts p = {.split = split};
    struct jfr_input in;
    int r = plan_parts(&p, path);
    if (r == 0)
        r = jfr_input_open(&in, path, true);
    if (r == 0) {
        r = put_parts(&p, &in);
        r = jfr_input_close(&in) ? r : E_TRUNCATED;
    }
    free(p.plan.chunks);
    return r == 0 ? CMD_OK : CMD_FAILED;
}
