/*
 * textin.h - reads a text file with a profile: its lines, and numbers and names in a line.
 *
 * A reading ends at its first failure: after that there are no more lines. Nothing here knows the
 * records: format_hprof_text.c has the list of the records of HPROF text, hprof_text_in.c reads its
 * tables.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/frame_list.h"
#include "profile/profile.h"

struct feed;
struct hprof_file;
struct reader_in;

/** A part of the file. Taking something off its front or its end moves `at` or `end`. */
struct textin_span {
    const char *at, *end;
};

/** The exact times of the rows of the next table. They stand in a block before the table. */
struct textin_exact {
    enum kind_id kind;
    uint64_t total_ns;
    uint64_t *ns; /* by rank */
    uint32_t count, room;
};

/** The state of one reading, from textin_open() to textin_close(). */
struct textin {
    struct profile *profile;
    struct hprof_file *file; /* of HPROF text: attached to the profile; otherwise NULL */
    struct sieve *sieve;     /* which stacks are read; NULL: all */
    /* While the sieve is counting: the serial number of the trace of the present row. */
    uint32_t counted;
    struct feed *feed;
    struct textin_span rest; /* lines that have not been read yet */
    struct textin_span line; /* the present line, without its line break */
    uint64_t line_number;
    bool end_is_free;        /* the last line may lack a line break */
    struct frame_list stack; /* frames of the present TRACE */
    int code;                /* 0, or the failure at the present line */
    const char *detail;
    struct textin_exact exact;
    uint64_t lost_before; /* profile_lost() when the reading began */
};

/** Begins to read in->feed and puts the state into in->state. NULL: no memory. */
struct textin *textin_open(struct reader_in *in);
/**
 * Calls `read_line` for the next lines, each of which is then the present line. Stops after some
 * lines, at the end, or when the profile is nearly full. Returns the result of struct format's
 * `next`.
 */
int textin_read_lines(struct reader_in *in, void (*read_line)(struct textin *t));
/** The result of struct format's `open`. */
int textin_result(struct reader_in *in);
void textin_close(struct reader_in *in);

/** Keeps the first failure. Returns false. */
bool textin_fail(struct textin *t, int code, const char *detail);
/** Reads the next line. Returns false at the end of the file, or after a failure. */
bool textin_next(struct textin *t);
/** The next textin_next() will read the present line again. */
void textin_put_back(struct textin *t);

bool textin_starts_with(struct textin_span s, const char *prefix);
bool textin_is(struct textin_span s, const char *text);
/** Takes `prefix` off the front. Returns false if it is not there; then nothing has changed. */
bool textin_take(struct textin_span *s, const char *prefix);
void textin_skip_blanks(struct textin_span *s);
void textin_skip_word(struct textin_span *s);
/** Takes a number off the front: decimal, or hexadecimal for base 16. Returns false if there is
 * none. A number above `max` is taken off, too, but *ret_value is `max` and the result is false. */
bool textin_number(struct textin_span *s, unsigned base, uint64_t max, uint64_t *ret_value);
/** Takes a decimal number off the front, after any blanks. */
bool textin_column(struct textin_span *s, uint64_t *ret_value);
bool textin_u4(struct textin_span *s, uint32_t *ret_value);
/** Takes "rank self% accum%" off the front, the first columns of a table. Returns whether there is
 * a rank. */
bool textin_rank(struct textin_span *s);
/** Takes "63.41%" off the front, after any blanks, as 6341. A word that is no number is 0. */
void textin_percent(struct textin_span *s, uint32_t *ret_hundredths);
/** The last place where `text` stands in `s`, or NULL. */
const char *textin_find_last(struct textin_span s, const char *text);

/** The detail for a sum that textin_count() refuses. */
extern const char textin_too_large[];
/** Adds a row to the sums of its kind. If a sum would need more than 64 bits the reading fails. */
void textin_count(struct textin *t, const struct event *event);
/** The text of a span as a string of the model; 0 for an empty span. */
string_id textin_string(struct textin *t, struct textin_span s);
/** Puts a frame into t->stack; depth 0 is the innermost frame. Returns false after a failure. */
bool textin_push(struct textin *t, uint32_t depth, frame_id frame);
/** The method CLASS.METHOD. Only the class may contain dots. */
method_id textin_method(struct textin *t, struct textin_span s, string_id descriptor,
                        string_id source);
