/*
 * help.h - help texts, made from the rows of cmd_all[], and manual pages, which the program man
 * shows: installed pages and those of the build tree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdio.h>

struct cmd;
struct opt;

/** A placeholder in the help text of an option: it is replaced by the words of all series. */
#define HELP_SERIES "%series"

/** The option that every command has without a row for it. */
extern const struct opt help_row;

/** Prints what `hprof help` prints: each command in a line. */
void help_all(FILE *out);
/** Prints what `hprof help NAME` prints. */
void help_cmd(FILE *out, const struct cmd *cmd);
/** Prints the help text of one option, with the words of series in the place of HELP_SERIES. */
void help_option_text(FILE *out, const struct opt *row);
/** The command of this name; NULL: there is none. */
const struct cmd *help_named(const char *name);
/** Like help_named(). NULL: there is none, after naming the commands with similar names. */
const struct cmd *help_find(const char *name);

/** A topic that has a manual page and is not a command; `page` is the name of the page's file. The
 * last row is all NULL. */
struct help_topic {
    const char *name, *what, *page;
};
extern const struct help_topic help_topics[];

/** The topic of this name, or NULL. */
const struct help_topic *help_find_topic(const char *name);

/**
 * Becomes the program man, which shows the page: through a pager on a terminal, otherwise as plain
 * text. Returns only after an error: -ENOENT: there is no page; another -errno: man could not be
 * started. *ret_path, malloc'ed, is the path of the page; NULL: there is none.
 */
int help_show_page(const char *page, char **ret_path);
