/*
 * candidates.h - prints the words that may stand at the cursor of a command line, for the
 * completion of shells.
 *
 * A candidate is a line: the whole word, a tab, and a description. Lines that begin with ':' are
 * for the scripts in completions/:
 *
 *   :files [SUFFIX...]  the names of files may stand there, too; folders always, files with one of
 *                       these suffixes, or all files
 *   :folders            the names of folders
 *   :from N             the names begin after N bytes of the word: 9 in --output=x.txt
 *   :command N          another program's command line begins with word N; the first word is 0
 *   :nospace            no blank follows a candidate
 *
 * A word that a shell could take for more than a word (with a blank, a quotation mark, '$' ...) is
 * left out, because some candidates are names that others gave.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct candidates {
    const char *word; /* the word at the cursor */
    size_t front;     /* so many bytes of it stand in front of the part that is completed */
};

/** Let the part that is completed begin after the last comma or plus sign, because the value is a
 * list. */
void candidates_in_list(struct candidates *c);
/** Print a candidate if its beginning is typed. `about` NULL: no description. */
void candidates_add(struct candidates *c, const char *text, const char *about);
/** Print the words of "a|b|c" as candidates. Words with capital letters, '<' or '[' stand for
 * something else and are left out. */
void candidates_add_alternatives(struct candidates *c, const char *text);
/** Let the shell add names of files. `suffixes` are separated by blanks; "": all files. */
void candidates_add_files(const struct candidates *c, const char *suffixes);
void candidates_add_folders(const struct candidates *c);
/** Let the shell complete the command line of another program, which begins with word `at`. */
void candidates_hand_over(int at);
/** Let the cursor stay behind the candidate. */
void candidates_no_space(void);
