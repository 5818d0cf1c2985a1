/*
 * cmd.h - the registry of commands.
 *
 * Each command is one file cmd_NAME.c that exports one `const struct cmd`; the list in meson.build
 * is the whole registry, and the table cmd_all[] is made from it. Help, option parsing, suggestions
 * and the checks of the man pages all read these rows: nothing else lists commands or options.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** What a command returns, and so the exit status of `hprof`; `run` passes on its child's. */
enum cmd_status {
    CMD_OK = 0,
    CMD_FAILED = 1,
    CMD_USAGE = 2,
    CMD_NOT_EXECUTABLE = 126, /* as shells have it */
    CMD_NOT_FOUND = 127,
};

/** One option. Rows end with one that is all zero. */
struct opt {
    int id;           /* the command's own number, > 0 */
    char letter;      /* -x, or 0 */
    const char *name; /* --name, without the dashes */
    const char *arg;  /* name of its value, NULL for a switch; "[=NAME]": only one behind '=' */
    const char *help; /* one line, no full stop */
};

/** An option that a project's file (cli/project_file.h) may have: what measures, and nothing that
 * names code to run, opens a door or writes elsewhere. */
struct project_option {
    int id;
    enum {
        PROJECT_ANY,
        PROJECT_PRESET,
        PROJECT_OUTPUT
    } as; /* its value: anything; "", default or
             profile; a file below the folder */
};

/** The parts of `hprof help`, in its order; their titles are in help.c. */
enum cmd_group { CMD_RECORDS, CMD_READS, CMD_LOOKS, CMD_ACTS, CMD_ABOUT, CMD_GROUPS };

struct cmd {
    const char *name;
    enum cmd_group group;
    const char *help;     /* one line, no full stop */
    const char *operands; /* what follows the options, "" for nothing */
    const char *needs;    /* what must be there for it to work: "a file", or NULL for nothing */
    const char *jdk_tool; /* the JDK's program that does this, where no name is near; or NULL */
    const struct opt *options;
    bool ends_at_word; /* what is behind the first operand is another program's */
    const struct project_option *project; /* the last has id 0. NULL: none is taken from there */
    /** `argv[0]` is the command's name. Returns an exit status; has said why if it is not 0. */
    int (*run)(const struct cmd *self, int argc, char **argv);
};

/** All commands, in the order of the list in meson.build; NULL at the end. */
extern const struct cmd *const cmd_all[];
