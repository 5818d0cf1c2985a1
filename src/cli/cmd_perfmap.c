/*
 * cmd_perfmap.c - `hprof perfmap TARGET`: the names of a JVM's compiled code, for perf.
 *
 * perf reads the names of code that lies in no file from /tmp/perf-PID.map. Each line of the map
 * describes one piece of code: address, length, name. This command reads the code cache from
 * outside while the JVM runs.
 * Source: perf's Documentation/jit-interface.txt.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/cmd.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/plural.h"
#include "command/help.h"
#include "jvm/jvm_target.h"
#include "command/opts.h"
#include "command/outfile.h"
#include "jvm/outside.h"
#include "command/say.h"
#include "hotspot/code_cache.h"
#include "hotspot/java_methods.h"
#include "hotspot/target.h"
#include "mem/mem_live.h"

enum {
    OPT_OUTPUT = 1,
    OPT_TIERS,
    TIER_C2 = 4, /* code of the levels 1 to 3 is made by C1 */
    PATH_MAX_BYTES = 64,
};

static const struct opt options[] = {
    {OPT_OUTPUT, 'o', "output", "FILE", "where to write (/tmp/perf-PID.map; - is standard output)"},
    {OPT_TIERS, 0, "tiers", NULL, "tell which compiler made the code: [C1] or [C2] behind a name"},
    {0},
};

struct request {
    const struct cmd *cmd;
    const char *output; /* NULL: the file that perf reads */
    bool has_tiers;
};

/* A map that is being written. */
struct map {
    FILE *out;
    bool has_tiers;
    struct java_methods methods;
    uint32_t method_count, other_count;
};

static void put_method(struct map *m, const struct code_cache_piece *piece)
{
    const struct java_method *method = java_methods_get(&m->methods, piece->method);
    say_clean(m->out, method ? method->class_name : "?");
    putc('.', m->out);
    say_clean(m->out, method ? method->name : "?");
    if (m->has_tiers && piece->kind == HS_BLOB_NMETHOD)
        fputs(piece->level >= TIER_C2 ? " [C2]" : " [C1]", m->out);
    m->method_count++;
}

static void put_piece(const struct code_cache_piece *piece, void *with)
{
    struct map *m = with;
    fprintf(m->out, "%" PRIx64 " %" PRIx64 " ", piece->start, piece->end - piece->start);
    if (piece->method != 0) {
        put_method(m, piece);
    } else {
        say_clean(m->out, piece->name);
        m->other_count++;
    }
    putc('\n', m->out);
}

/* Opens the file that is written first. perf may be reading an old map, and any user may have put a
 * link under that name in /tmp. So the map for perf is written to a new file, which gets the name
 * when it is complete. */
static FILE *open_map(const char *temporary, int fd)
{
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out)
        say("perfmap: cannot write '%s': %s", temporary, strerror(errno));
    if (!out && fd >= 0)
        close(fd);
    return out;
}

/* Writes the lines into the file of `m` and closes the file. Errors: 0; -errno. */
static int write_map(struct map *m, const struct target *t)
{
    java_methods_init(&m->methods, t);
    code_cache_each(t, put_piece, m);
    java_methods_done(&m->methods);
    errno = 0;
    int error = fflush(m->out) != 0 || ferror(m->out) ? -(errno != 0 ? errno : EIO) : 0;
    if (fclose(m->out) != 0 && error == 0)
        error = -errno;
    return error;
}

static int say_written(const char *path, const struct map *m)
{
    char counts[80];
    snprintf(counts, sizeof(counts), ": %" PRIu32 " method%s, %" PRIu32 " stub%s", m->method_count,
             plural_s(m->method_count), m->other_count, plural_s(m->other_count));
    say_clean(stderr, path);
    say_clean(stderr, counts);
    fputc('\n', stderr);
    return CMD_OK;
}

static int map_to_output(const struct request *r, const struct target *t)
{
    struct map m = {.has_tiers = r->has_tiers};
    struct outfile file;
    if (outfile_open(r->cmd->name, r->output, &file) < 0)
        return CMD_FAILED;
    m.out = open_map(r->output, fcntl(file.file.fd, F_DUPFD_CLOEXEC, 3));
    int error = m.out ? write_map(&m, t) : -EIO;
    if (m.out && error < 0)
        say("perfmap: cannot write '%s': %s", r->output, strerror(-error));
    return outfile_close(&file, error) == 0 ? say_written(r->output, &m) : CMD_FAILED;
}

static int map_for_perf(const struct request *r, pid_t pid, const struct target *t)
{
    char path[PATH_MAX_BYTES], temporary[PATH_MAX_BYTES + 8];
    struct map m = {.has_tiers = r->has_tiers};
    snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
    snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);
    m.out = open_map(temporary, mkostemp(temporary, O_CLOEXEC));
    if (!m.out)
        return CMD_FAILED;
    int error = write_map(&m, t);
    if (error == 0 && rename(temporary, path) != 0)
        error = -errno;
    if (error == 0)
        return say_written(path, &m);
    say("perfmap: cannot write '%s': %s", path,
        error == -EPERM || error == -EACCES ? "that name is another user's file"
                                            : strerror(-error));
    unlink(temporary);
    return CMD_FAILED;
}

static int map_jvm(const struct request *r, const struct jvm *jvm)
{
    pid_t pid = jvm->process.pid;
    const char *missing = "", *name = jvm_target_name(jvm);
    struct mem_live live;
    struct target t = {0};
    int status = CMD_FAILED;

    int error = mem_live_open(pid, &live);
    if (error < 0)
        outside_say_process(name, pid, error);
    else if ((error = target_open(&live.image, &t, &missing)) < 0)
        outside_say_open_live(name, pid, error, missing);
    else
        status = r->output ? map_to_output(r, &t) : map_for_perf(r, pid, &t);
    target_close(&t);
    mem_live_close(&live);
    return status;
}

static int map_all(const struct request *r, const char *word)
{
    struct jvms jvms;
    int status = jvm_target_find(r->cmd, word, r->output ? JVM_TARGET_ONE : JVM_TARGET_MANY, &jvms);

    uint32_t count = status == 0 ? jvms.count : 0;
    for (uint32_t i = 0; i < count; i++) {
        if (map_jvm(r, &jvms.rows[i]) != CMD_OK)
            status = CMD_FAILED;
    }
    jvms_done(&jvms);
    return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
    struct request r = {.cmd = self};
    const char *word = NULL;
    struct opts opts;
    opts_init(&opts, self, argc, argv);
    for (int id; (id = opts_next(&opts)) != OPTS_END;) {
        if (id == OPT_OUTPUT) {
            r.output = opts.value;
        } else if (id == OPT_TIERS) {
            r.has_tiers = true;
        } else if (id == OPTS_HELP) {
            help_cmd(stdout, self);
            return CMD_OK;
        } else if (id != OPTS_WORD) {
            return CMD_USAGE;
        } else if (word) {
            say("perfmap: one target at a time; 'all' means all JVMs");
            return CMD_USAGE;
        } else {
            word = opts.value;
        }
    }
    if (!word) {
        say("perfmap: no target named; usage: hprof perfmap [OPTION...] %s", self->operands);
        return CMD_USAGE;
    }
    return map_all(&r, word);
}

const struct cmd cmd_perfmap = {
    .name = "perfmap",
    .group = CMD_LOOKS,
    .help = "Write the names of a JVM's compiled code where perf looks for them",
    .operands = "TARGET",
    .needs = "a live JVM",
    .options = options,
    .run = run,
};
