/*
 * answer.h - the one line that a command is answered with, and the file that it goes into.
 *
 * What tells of a recording needs the agent's lock. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct recording;

enum { ANSWER_BYTES = 4096 }; /* with its newline */

/** Cut where it would be too long. */
struct answer {
    size_t len;
    char text[ANSWER_BYTES];
};

__attribute__((format(printf, 2, 3))) void answer_add(struct answer *to, const char *format, ...);
void answer_append(struct answer *to, const struct answer *from);
/** Behind a tab, which parts one recording from the next: what it measures since when, into which
 * file: a sentence, for whoever looks himself. */
void answer_add_sentence(struct answer *to, const struct recording *r);
/** The same in words, from id= on, but the file. */
void answer_add_recording(struct answer *to, const struct recording *r);
/** The file comes last: its name may have blanks. */
void answer_add_file(struct answer *to, const struct recording *r);
/**
 * Before anything is done: whoever could not hear of it does not get it. Errors: 0 (fd -1: nobody
 * waits for an answer), or negative after a message. Owner: answer_write() closes it.
 */
int answer_open(const char *path, int *ret_fd);
/** One line, whatever names are in it. Errors: 0, or negative after a message. */
int answer_write(int fd, struct answer *answer);
