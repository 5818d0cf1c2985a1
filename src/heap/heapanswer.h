/*
 * heapanswer.h - the answer to a question about a heap, as text for people, as JSON, or as
 * Markdown.
 *
 * A question writes facts, sentences, tables and lists once, and knows no form. JSON is one object:
 * a fact is a member, a table an array of objects whose members are the columns, a list an array of
 * objects with facts, tables and lists of their own. Sentences are for people, and not in JSON.
 * Bytes are numbers in JSON and "12.3 MB" (units of 1024) elsewhere. Names come from a file: in
 * JSON and Markdown they are escaped here, in text the sink replaces what is not plain
 * (command/plainout.h). docs/heap-questions.md has the members of each question.
 *
 * Calls must nest: a table ends before the next one begins. A failed sink stays failed, and nobody
 * needs to ask before the end.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct question_asked;
struct sink;

enum heapanswer_form { HEAPANSWER_TEXT, HEAPANSWER_JSON, HEAPANSWER_MARKDOWN };

enum heapanswer_unit {
    HEAPANSWER_COUNT,
    HEAPANSWER_BYTES,
    HEAPANSWER_CHANGE,       /* bytes with a sign */
    HEAPANSWER_CHANGE_COUNT, /* a count with a sign */
    HEAPANSWER_PERCENT,
    HEAPANSWER_ID,   /* of an object: 0x7f00 in text, "0x7f00" in JSON */
    HEAPANSWER_FLAG, /* true or false in JSON, yes or no elsewhere */
    HEAPANSWER_NAME, /* a text; only the last column of a table may be long */
};

/** A column of a table. */
struct heapanswer_column {
    /* The member of JSON; NULL: only people see the column. "": the rows of JSON are the values of
     * this column, and no objects. */
    const char *key;
    const char *title; /* over the column of text; NULL: only JSON has the column */
    enum heapanswer_unit unit;
    unsigned width; /* of a column of text; 0: what is usual for the unit */
};

enum { HEAPANSWER_DEPTH = 16, HEAPANSWER_BYTES_ROOM = 32 };

struct heapanswer {
    struct sink *out;
    enum heapanswer_form form;
    unsigned depth;                          /* of lists and tables that are open */
    bool has_members[HEAPANSWER_DEPTH];      /* JSON: a comma must come before the next member */
    unsigned indent;                         /* text: of the items of lists */
    const struct heapanswer_column *columns; /* of the open table */
    unsigned column_count, column;
    uint64_t rows;
    bool is_bare;     /* JSON: the rows of the open table are no objects */
    bool has_titles;  /* text, Markdown: the titles of the open table were written */
    bool is_at_start; /* text: nothing was written yet */
    bool is_in_block; /* Markdown: a list or table, which an empty line ends */
};

/** Begins an answer in the form, and into the sink, that was asked for. JSON begins with the name
 * of the question and a version of the schema. */
void heapanswer_begin(struct heapanswer *a, const struct question_asked *asked,
                      const char *question);
void heapanswer_end(struct heapanswer *a);

/** Facts. `title` NULL: only JSON has the fact. `key` NULL: a value of a list, which has no name.
 */
void heapanswer_fact(struct heapanswer *a, const char *key, const char *title,
                     enum heapanswer_unit unit, uint64_t value);
void heapanswer_fact_text(struct heapanswer *a, const char *key, const char *title,
                          const char *value);
void heapanswer_fact_percent(struct heapanswer *a, const char *key, const char *title,
                             double value);
void heapanswer_fact_bool(struct heapanswer *a, const char *key, bool value);
/** Facts until heapanswer_object_end() are those of an object of JSON; people see no difference. */
void heapanswer_object(struct heapanswer *a, const char *key);
void heapanswer_object_end(struct heapanswer *a);

/** A sentence or heading for people. */
void heapanswer_say(struct heapanswer *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void heapanswer_heading(struct heapanswer *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** A command that may come next, and why, for people. */
void heapanswer_command(struct heapanswer *a, const char *command, const char *why);

/** A table. `title` is a heading for people; NULL: none. The title of a column that is the only one
 * may be empty. A table without rows is a line that says `none`, if that is not NULL. */
void heapanswer_table(struct heapanswer *a, const char *key, const char *title,
                      const struct heapanswer_column *columns, unsigned count);
/** People see the rows that follow below a heading of their own. */
void heapanswer_table_part(struct heapanswer *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** The cells of a row, in the order of the columns; the last one ends the row. */
void heapanswer_number(struct heapanswer *a, uint64_t value);
void heapanswer_change(struct heapanswer *a, int64_t value);
void heapanswer_percent(struct heapanswer *a, double value);
void heapanswer_text(struct heapanswer *a, const char *value);
void heapanswer_flag(struct heapanswer *a, bool value);
/** There is no value: null in JSON, "-" elsewhere. */
void heapanswer_nothing(struct heapanswer *a);
/** The row has no such cell: in JSON the member is missing. */
void heapanswer_none(struct heapanswer *a);
/** A cell that is `json` in JSON, and `text` elsewhere. */
void heapanswer_literal(struct heapanswer *a, const char *json, const char *text);
/** A cell that is an object in JSON, with the facts until heapanswer_cell_end(). Elsewhere `text`
 * is the cell. */
void heapanswer_cell(struct heapanswer *a, const char *text);
void heapanswer_cell_end(struct heapanswer *a);
/** A line for people below the last row, under its last column. */
void heapanswer_note(struct heapanswer *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void heapanswer_table_end(struct heapanswer *a, const char *none);

/** A list of items, each with facts, tables and lists. */
void heapanswer_list(struct heapanswer *a, const char *key);
void heapanswer_item(struct heapanswer *a);
void heapanswer_item_end(struct heapanswer *a);
void heapanswer_list_end(struct heapanswer *a);

/** "12.3 MB", "512 B". Returns `ret_text`. */
const char *heapanswer_bytes(uint64_t bytes, char ret_text[HEAPANSWER_BYTES_ROOM]);
