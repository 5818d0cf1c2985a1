/*
 * launch.h - a program of the user's desk that is started and left alone: a browser, an editor.
 *
 * No shell sees the words. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum { LAUNCH_WORDS = 64 };

/** Starts `argv`, found in PATH, without our terminal's input. Errors: 0; -errno: not started. */
int launch(char *const argv[]);
/**
 * Starts a command that the user wrote, its words parted by blanks: {file} and {line} in a word
 * become these. Errors: as above; E_SYNTAX: no word, or more than LAUNCH_WORDS.
 */
int launch_editor(const char *command, const char *file, int line);
