/*
 * dumpline.h - one line of a log: is it a part of a thread dump, and of which one?
 *
 * Knows single lines only. Source: HotSpot thread.cpp, javaThread.cpp, vframe.cpp, threads.cpp
 * (print_on); jdk.internal.vm.ThreadDumper. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "attach/threaddump.h"

enum dumpline {
    DUMPLINE_FOREIGN, /* no line of a dump */
    DUMPLINE_BLANK,
    DUMPLINE_BEGIN,     /* "Full thread dump ..." */
    DUMPLINE_HEAD,      /* the first line of a thread, as jstack prints it */
    DUMPLINE_FILE_HEAD, /* the first line of a thread, as Thread.dump_to_file prints it */
    DUMPLINE_STATE,     /* "java.lang.Thread.State: ..." */
    DUMPLINE_FRAME,     /* "at ..." */
    DUMPLINE_LOCK,      /* "- ..." */
    DUMPLINE_OWNED,     /* "Locked ownable synchronizers:" */
    DUMPLINE_MORE,      /* another line of a thread, which nobody needs */
    DUMPLINE_END,       /* "JNI global refs": no thread follows */
    DUMPLINE_DEADLOCK,  /* a line about a deadlock */
    DUMPLINE_THROWABLE, /* the first line of an exception's stack, which is no thread's */
};

/** What the line is, without the blanks at its ends: *ret_text is the part behind words that are
 * the same in each such line ("at ", "- "). */
enum dumpline dumpline_of(struct threaddump_text line, struct threaddump_text *ret_text);

/** Takes away what a logger put in front of a line. `prefix` stands in front of the first line of
 * the dump; a line has a prefix of the same shape if digits stand for digits, letters for letters,
 * and all else is equal. Returns whether the line has it; an empty prefix fits each line. */
bool dumpline_cut_prefix(struct threaddump_text *line, struct threaddump_text prefix);
/** Whether the text is a moment as a dump has it in front: "2026-11-29 14:00:00", or with a T. */
bool dumpline_is_time(struct threaddump_text line);
/** Whether the text consists of digits. */
bool dumpline_is_number(struct threaddump_text line);
/** Where `word` begins in the text; NULL: nowhere. */
const char *dumpline_find(struct threaddump_text text, const char *word);
bool dumpline_begins(struct threaddump_text text, const char *word);
