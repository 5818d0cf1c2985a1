/*
 * textin.h - reading a text file of a profile: its lines, and taking numbers and names off them.
 *
 * A reading stops at its first failure: then there are no more lines. Nothing here knows a record;
 * format_hprof_text.c has the list of those of HPROF text, textin_cpu.c, textin_monitor.c and
 * textin_sites.c read the tables. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "profile/frame_list.h"
#include "profile/profile.h"

struct feed;
struct format_in;

/** A piece of the file; taking things off its front or end moves `at` or `end`. */
struct textin_span {
    const char *at, *end;
};

/** What a block of exact times says of the rows of the table behind it. */
struct textin_exact {
    enum kind_id kind;
    uint64_t total_ns;
    uint64_t *ns; /* by rank */
    uint32_t count, room;
};

/** The state of one reading, from textin_open() to textin_close(). */
struct textin {
    struct profile *profile;
    struct sieve *sieve; /* which stacks are read; NULL: all */
    uint32_t counted;    /* serial of the trace of the present row, while the sieve is counting */
    struct feed *feed;
    struct textin_span rest; /* the lines that have not been taken */
    struct textin_span line; /* the present line, without its end */
    uint64_t line_number;
    bool end_is_free;        /* the last line is whole without a line break */
    struct frame_list stack; /* of the present TRACE */
    int code;                /* 0, or what went wrong at the present line */
    const char *detail;
    struct textin_exact exact;
    uint64_t lost_before; /* what the profile had lost when the reading began */
};

/** Begins to read in->feed; the state is in->state. NULL: no memory. */
struct textin *textin_open(struct format_in *in);
/**
 * Calls `read_line` for some lines, the present one, until there are no more, or the profile is
 * full. Returns what `next` of a format returns.
 */
int textin_read_lines(struct format_in *in, void (*read_line)(struct textin *t));
/** What `open` of a format returns. */
int textin_result(struct format_in *in);
void textin_close(struct format_in *in);

/** Remember the first failure. Returns false. */
bool textin_fail(struct textin *t, int code, const char *detail);
/** Take the next line; false at the end of the file, or after a failure. */
bool textin_next(struct textin *t);
/** The next line will be the present one again. */
void textin_put_back(struct textin *t);

bool textin_starts_with(struct textin_span s, const char *prefix);
bool textin_is(struct textin_span s, const char *text);
/** Take `prefix` off the front; false: it is not there, and nothing has changed. */
bool textin_take(struct textin_span *s, const char *prefix);
void textin_skip_blanks(struct textin_span *s);
void textin_skip_word(struct textin_span *s);
/** Decimal, or hexadecimal for base 16. Returns false where there is no number, or one above `max`,
 * which is taken off all the same; *ret_value is `max` then. */
bool textin_number(struct textin_span *s, unsigned base, uint64_t max, uint64_t *ret_value);
/** A decimal number behind any blanks. */
bool textin_column(struct textin_span *s, uint64_t *ret_value);
bool textin_u4(struct textin_span *s, uint32_t *ret_value);
/** "rank self% accum%", as rows of tables begin: takes it off. Returns whether there is a rank. */
bool textin_rank(struct textin_span *s);
/** "63.41%" behind any blanks, in hundredths of a percent; what is no number is 0. */
void textin_percent(struct textin_span *s, uint32_t *ret_hundredths);
/** Where `text` stands for the last time in `s`, or NULL. */
const char *textin_find_last(struct textin_span s, const char *text);

/** What is wrong with counts that textin_count() refuses. */
extern const char textin_too_large[];
/** Adds a row to the sums of its kind. A reading fails whose sums need more than 64 bits. */
void textin_count(struct textin *t, const struct event *event);
/** 0 for an empty span. */
string_id textin_string(struct textin *t, struct textin_span s);
/** Put the frame at `depth`, innermost first, into t->stack. Returns false without memory. */
bool textin_push(struct textin *t, uint32_t depth, frame_id frame);
/** CLASS.METHOD: only the class has dots. */
method_id textin_method(struct textin *t, struct textin_span s, string_id descriptor,
                        string_id source);
thread_id textin_thread(struct textin *t, uint32_t serial);
/** The trace of a row; if it is not in the file, one of the method `method`, or an empty one; if
 * the sieve does not let it pass, the folded one. */
trace_id textin_trace(struct textin *t, uint32_t serial, struct textin_span method);
