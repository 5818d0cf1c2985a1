/*
 * heaptally_answer.h - the answer to `histo` when the dump was counted in one pass.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct heaptally;
struct question_asked;

/** Writes the answer, as the question `histo` does, but without what is retained. Of `asked` the
 * sink, the form and the number of rows count. */
void heaptally_answer(const struct heaptally *t, const struct question_asked *asked);
