/*
 * conffile.h - files in which a user sets options: lines of words, with comments, read only if
 * others cannot have written them.
 *
 * Blanks around a line do not count; '#' begins a comment, at the beginning of a line only. What a
 * line means is the caller's. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { CONFFILE_LINES = 1000 };

/** Takes a line that has a word. Errors: 0; negative after conffile_refuse(), or -ENOMEM. */
typedef int conffile_line(void *with, const char *name, unsigned line, char *text);

/** Gives each line that is no comment to `take`, up to the first error. `name` is the file's name
 * in messages. Errors: 0; negative after saying why. */
int conffile_read(FILE *in, const char *name, conffile_line *take, void *with);
/** Says "NAME:LINE: 'TEXT': WHY". Returns -EINVAL. */
int conffile_refuse(const char *name, unsigned line, const char *text, const char *why);
/** `text` without blanks at both ends. */
char *conffile_trim(char *text);
/** The first word of `text`, which ends at one of `ends` or at the end of the text. *ret_rest is
 * the text after it, without blanks at both ends. */
char *conffile_word(char *text, const char *ends, char **ret_rest);
/** Whether the open file is a regular file of this user or root, whose mode has none of the bits
 * `not_for`, such as S_IWOTH. */
bool conffile_is_trusted(int fd, mode_t not_for);
