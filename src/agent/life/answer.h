/*
 * answer.h - the one line that answers a command, and the file that the line goes into.
 *
 * Functions with a recording need the agent's lock. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct recording;

enum { ANSWER_BYTES = 4096 }; /* with its newline */

/** An answer that would be longer is cut. */
struct answer {
    size_t len;
    char text[ANSWER_BYTES];
};

__attribute__((format(printf, 2, 3))) void answer_add(struct answer *to, const char *format, ...);
void answer_append(struct answer *to, const struct answer *from);
/**
 * Append a tab, which separates recordings, and a sentence for people: what `r` measures, since
 * when, and into which file.
 */
void answer_add_sentence(struct answer *to, const struct recording *r);
/** Append the facts about `r` as words from id= on, without the file. */
void answer_add_recording(struct answer *to, const struct recording *r);
/** Append the file of `r`. It comes last, because its name may have blanks. */
void answer_add_file(struct answer *to, const struct recording *r);
/**
 * Open the file for the answer before the command is carried out: a command whose answer cannot be
 * delivered is not carried out.
 * Errors: 0 (fd -1: nobody waits for an answer), or negative after a message.
 * Owner: answer_write() closes the descriptor.
 */
int answer_open(const char *path, int *ret_fd);
/** Write the answer as one line. Errors: 0, or negative after a message. */
int answer_write(int fd, struct answer *answer);
