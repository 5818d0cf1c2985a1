/*
 * run_file.c - see run_file.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/run_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/newfile.h"
#include "command/outfile.h"
#include "recording/recorded.h"
#include "command/say.h"
#include "format/format.h"
#include "gzip/gzsink.h"
#include "options/options_parse.h"

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

/*
 * JVMs may start in any folder, so the name must be absolute. A '%' in the working directory is
 * written as "%%", because the agent reads '%' as a placeholder. A comma is written as "%c",
 * because it would end the agent's option.
 */
static void put_name(FILE *out, const char *text, bool keeps_percent)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == ',')
            fputs("%c", out);
        else if (*c == '%' && !keeps_percent)
            fputs("%%", out);
        else
            putc(*c, out);
    }
}

static char *absolute(const char *name)
{
    char *text = NULL;
    size_t len = 0;
    char *cwd = name[0] == '/' ? NULL : getcwd(NULL, 0);
    FILE *out = name[0] == '/' || cwd ? open_memstream(&text, &len) : NULL;
    if (out) {
        if (cwd) {
            put_name(out, cwd, false);
            putc('/', out);
        }
        put_name(out, name, true);
        if (fclose(out) != 0) {
            free(text);
            text = NULL;
        }
    }
    free(cwd);
    return text;
}

/* The suffix of the agent's file beside a picture. */
static const char *profile_suffix(const struct run_file *o)
{
    if (o->is_timed)
        return ".jfr";
    return o->binary ? ".hprof" : ".hprof.txt";
}

/* The text before the pid in the name of another JVM's file. */
static const char *before_pid(const struct run_file *o)
{
    return o->is_timed ? "" : ".hprof";
}

/* Finds the ".4711" in "x.hprof.4711.txt" or "x.4711.jfr", the file of another JVM. *ret_len is its
 * length. NULL: the name has none. */
static const char *find_pid(const struct run_file *o, const char *path, int *ret_len)
{
    const char *before = before_pid(o), *behind = profile_suffix(o) + strlen(before),
               *end = path + strlen(path) - strlen(behind);
    const char *at = end;
    if (!ends_with(path, behind))
        return NULL;
    while (at > path && at[-1] >= '0' && at[-1] <= '9')
        at--;
    if (at == end || at - path <= (long)strlen(before) || *--at != '.' ||
        strncmp(at - strlen(before), before, strlen(before)) != 0)
        return NULL;
    *ret_len = (int)(end - at);
    return at;
}

const char *run_file_format(const struct run_file *o)
{
    return o->is_recording || o->is_timed ? "jfr" : o->binary ? "b" : "a";
}

char *run_file_picture_path(const struct run_file *o, const char *path)
{
    const char *suffix = profile_suffix(o);
    size_t len = strlen(path) - (ends_with(path, suffix) ? strlen(suffix) : 0);
    int pid_len = 0;
    const char *pid = find_pid(o, path, &pid_len);
    char *picture = NULL;
    if (pid)
        len = (size_t)(pid - path) - strlen(before_pid(o));
    return asprintf(&picture, "%.*s%.*s%s", (int)len, path, pid_len, pid ? pid : "",
                    o->picture_suffix) < 0
               ? NULL
               : picture;
}

char *run_file_picture_of_all(const struct run_file *o)
{
    const char *end = o->named + strlen(o->named) - strlen(profile_suffix(o));
    bool is_said = false;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out)
        return NULL;
    for (const char *c = o->named; c < end; c++) {
        bool is_one = *c == '%' && (c[1] == 'p' || c[1] == 't');
        if (is_one)
            fputs("all", out);
        else
            putc(*c, out);
        if (is_one || (*c == '%' && c[1] == '%'))
            c++;
        is_said |= is_one;
    }
    fprintf(out, "%s%s", is_said ? "" : ".all", o->picture_suffix);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* The format of a file that the agent does not write itself; NULL: the agent writes it. */
static const struct format *picture_for(const char *named)
{
    const struct format *format = outfile_format(named);
    return format && writer_can(format->writer, WRITER_PICTURE) ? format : NULL;
}

/* The suffix of a picture: ".html.gz" for "x.html.gz". */
static const char *suffix_of_picture(const char *named)
{
    const char *at = named + strlen(named) - gzsink_suffix(named);
    do
        at--;
    while (*at != '.');
    return at;
}

/* Whether the agent itself draws a picture with this name. */
static bool is_agents_picture(const char *named)
{
    char format = options_parse_format(named);
    return format == 'h' || format == 'c';
}

/* Whether the picture is made from a recording. */
static bool is_of_times(const struct format *picture, bool has_moments)
{
    return writer_can(picture->writer, WRITER_NEEDS_TIMES) ||
           writer_can(picture->writer, WRITER_TYPES) ||
           (writer_can(picture->writer, WRITER_TIMES) && has_moments);
}

/* Whether the name has a suffix that is not ours. A name without a suffix means text, and so does a
 * name with a placeholder in its suffix. */
static bool has_foreign_suffix(const char *named)
{
    const char *slash = strrchr(named, '/'), *name = slash ? slash + 1 : named;
    const char *dot = strrchr(name, '.');
    return dot && dot != name && !strchr(dot, '%') && !newfile_is_special(named);
}

int run_file_init(struct run_file *o, const char *named, int binary, enum run_file_for whose)
{
    bool is_agents = whose == RUN_FILE_AGENT;
    *o = (struct run_file){.binary = binary > 0};
    if (!named) {
        named = o->binary ? "hprof-%p.hprof" : "hprof-%p.txt";
    } else if (is_agents && is_agents_picture(named)) {
        o->is_agents_picture = true;
    } else if (is_agents && picture_for(named)) {
        say("run: --output '%s': the JVM itself writes .txt, .hprof, .jfr, .html and .collapsed; "
            "'hprof report -o' makes others of these",
            named);
        return -EINVAL;
    } else if ((o->picture = picture_for(named)) != NULL) {
        o->picture_suffix = suffix_of_picture(named);
        o->is_timed = binary < 0 && is_of_times(o->picture, whose == RUN_FILE_MOMENTS);
        if (asprintf(&o->own_name, "%.*s%s", (int)(o->picture_suffix - named), named,
                     profile_suffix(o)) < 0) {
            o->own_name = NULL;
            say("run: %s", strerror(ENOMEM));
            return -ENOMEM;
        }
        named = o->own_name;
    } else if (gzsink_suffix(named) > 0) {
        say("run: --output '%s': what the JVM writes is not packed; name it without .gz, and "
            "'hprof report -o' packs it",
            named);
        return -EINVAL;
    } else if (binary < 0 && !recorded_can_make(named) && has_foreign_suffix(named)) {
        say("run: --output '%s': its suffix is that of no format that can be written; "
            "'hprof formats' lists them, and --format a writes text whatever the name",
            named);
        return -EINVAL;
    } else if (binary < 0) {
        o->binary = ends_with(named, ".hprof");
        o->is_recording = ends_with(named, ".jfr");
    }
    if (*named == '\0' || ends_with(named, "/")) {
        say("run: --output '%s': name a file, as in --output profile.txt", named);
        return -EINVAL;
    }
    int r = outfile_check_folder("run", named);
    if (r < 0)
        return r;
    o->named = named;
    o->path = absolute(named);
    if (!o->path) {
        r = -errno;
        say("run: --output '%s': %s", named, strerror(-r));
    }
    return r;
}

int run_file_set_aside(struct run_file *o)
{
    /* A name with %p or %t is new each time. If the file exists all the same, the agent adds its
     * process id. */
    return strchr(o->named, '%') ? 0 : outfile_move_aside("run", o->named, &o->old);
}

void run_file_restore(struct run_file *o)
{
    if (o->old && newfile_rename(o->old, o->named) == 0)
        say("run: '%s' is back", o->named);
}

void run_file_done(struct run_file *o)
{
    free(o->path);
    free(o->own_name);
    free(o->old);
    *o = (struct run_file){0};
}
