/*
 * jfc.h - reads the settings in a .jfc file of the JDK's Flight Recorder, one after another.
 *
 * <event name="…"> contains <setting name="…">value</setting>. All other elements are skipped, for
 * example <control>, whose choices are already in the values. Text goes in; an error comes out with
 * its line. This file knows no files.
 * Source: jdk.jfr, default.jfc and jfc.xsd of JDK 8 to 28. Context of everything here: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/xml.h"
#include "options/options_row.h"

enum {
    /* bytes for a name or value with its final 0; longer ones are cut */
    JFC_TEXT = 128,
    JFC_FILE_MAX = 1 << 20, /* largest file in bytes */
};

struct jfc_setting {
    char event[JFC_TEXT], name[JFC_TEXT], value[JFC_TEXT];
};

struct jfc {
    struct xml xml; /* has line and reason of an error */
    /* the current setting as far as it was read; event "": not inside an <event> */
    struct jfc_setting setting;
    /* where the attribute `name` of the current element is stored; NULL: it is ignored */
    char *name;
    bool is_in_setting;
    bool has_root; /* <configuration> was met */
};

/** `text` is borrowed. */
void jfc_open(struct jfc *j, const char *text, size_t len);
/** Returns 1 and the next setting; 0 at the end; E_SYNTAX with j->xml.why and j->xml.line, also at
 * each later call. */
int jfc_next(struct jfc *j, struct jfc_setting *ret);

/*
 * The value of a setting of a JFR event becomes the value of an option.
 *
 * The JDK writes "20 ms", "150/s", everyChunk, infinity. Some of these values mean that an event
 * never happens; options have no such value. A value that the JDK ignores is an error here.
 * Source: jdk.jfr.internal.settings and its ValueParser and Rate, JDK 8 to 28.
 */

enum { JFC_VALUE_TEXT = 48 };

enum jfc_value {
    JFC_VALUE_IS,    /* `ret` is the value of the option */
    JFC_VALUE_NEVER, /* the event never happens */
};

/** Convert `value` to a value of the option `row`. Returns an enum jfc_value. Errors: E_SYNTAX: it
 * is no value. Context: any. */
int jfc_value_for(const struct options_row *row, const char *value, char ret[JFC_VALUE_TEXT]);
/**
 * Like jfc_value_for(), for a throttle whose option is a period of each thread. A rate ("500/s")
 * counts for all `processors` together, each busy all the time. Source: CPUThrottleSetting, JDK 25.
 */
int jfc_value_throttle(const struct options_row *row, const char *value, long processors,
                       char ret[JFC_VALUE_TEXT]);
/** Parse the value of a setting `enabled`. Errors: 0, E_SYNTAX. Context: any. */
int jfc_value_enabled(const char *value, bool *ret);
