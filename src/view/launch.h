/*
 * launch.h - starts a program on the user's desktop, such as a browser or an editor, and does not
 * wait for it.
 *
 * The words are not passed to a shell.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum { LAUNCH_WORDS = 64 };

/** Starts `argv`, found in PATH, with an empty standard input. Errors: 0; -errno: not started. */
int launch(char *const argv[]);
/**
 * Starts a command that the user wrote. Blanks separate its words; {file} and {line} in a word are
 * replaced. Errors: as above; E_SYNTAX: no word, or more than LAUNCH_WORDS.
 */
int launch_editor(const char *command, const char *file, int line);
