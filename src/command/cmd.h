/*
 * cmd.h - the registry of commands.
 *
 * Each command is one file cmd_NAME.c that exports one `const struct cmd`. The list in meson.build
 * is the whole registry, and the table cmd_all[] is made from it. Help, option parsing, suggestions
 * and the checks of the man pages all read these rows: nothing else lists commands or options.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** The result of a command, which is the exit status of `hprof`. `run` returns its child's
 * status. */
enum cmd_result {
    CMD_OK = 0,
    CMD_FAILED = 1,
    CMD_USAGE = 2,
    CMD_NOT_EXECUTABLE = 126, /* the numbers that shells use */
    CMD_NOT_FOUND = 127,
};

/** One option. The last row of a table is all zero. */
struct opt {
    int id;           /* the command's own number, > 0 */
    char letter;      /* -x, or 0 */
    const char *name; /* --name, without the dashes */
    const char *arg;  /* name of its value; NULL: a switch; "[=NAME]": optional, after '=' */
    const char *help; /* one line, no full stop */
};

/** An option of other commands with the same kind of table, which has no meaning here. It is
 * refused with its own reason. The last row of a table is all zero. */
struct opt_refused {
    const char *name; /* without the dashes */
    const char *why;
};

/** An option that a project's file (cli/project_file.h) may set. Such an option chooses what is
 * measured. It never names code to run, opens a port or writes outside the project's folder. */
struct project_option {
    int id;
    enum {
        PROJECT_ANY,
        PROJECT_PRESET,
        PROJECT_OUTPUT
    } as; /* its value: any text; "", default or profile; a file below the project's folder */
};

/** The parts of `hprof help`, in the order of the help; help.c holds their titles. */
enum cmd_group { CMD_RECORDS, CMD_READS, CMD_LOOKS, CMD_ACTS, CMD_ABOUT, CMD_GROUPS };

struct cmd {
    const char *name;
    enum cmd_group group;
    const char *help;     /* one line, no full stop */
    const char *operands; /* the words after the options, "" for none */
    const char *needs;    /* the thing that must exist, as in "a file"; NULL: nothing */
    /* the words of other tools for this, separated by blanks: "jmap", "asprof collect"; or NULL */
    const char *others;
    const struct opt *options;
    const struct opt_refused *refuses; /* NULL: none */
    bool ends_at_word; /* the words after the first operand belong to another program */
    /* The options that a project's file may set; the last row has id 0. NULL: none. */
    const struct project_option *project;
    /** Runs the command; `argv[0]` is its name. Returns an exit status, after saying why if it is
     * not 0. */
    int (*run)(const struct cmd *self, int argc, char **argv);
};

/** All commands, in the order of the list in meson.build; NULL at the end. */
extern const struct cmd *const cmd_all[];
