/*
 * jfc.h - the settings in a .jfc file, as the JDK's Flight Recorder has them: one after another.
 *
 * <event name="…"> holds <setting name="…">value</setting>; everything else is passed over, as
 * <control>, whose choices have been made in the values.
 * Text goes in, errors come out with their line; knows neither files nor options.
 * Source: jdk.jfr, default.jfc and jfc.xsd of JDK 8 to 28. Context of everything here: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/xml.h"

enum {
    JFC_TEXT = 128,         /* room of a name or value with its end; longer ones are cut */
    JFC_FILE_MAX = 1 << 20, /* bytes of a file */
};

struct jfc_setting {
    char event[JFC_TEXT], name[JFC_TEXT], value[JFC_TEXT];
};

struct jfc {
    struct xml xml;             /* its line and reason are those of an error */
    struct jfc_setting setting; /* as far as it is known; its event is the open one; "": none */
    char *name; /* where the attribute `name` of the present element goes; NULL: nowhere */
    bool is_in_setting;
    bool has_root; /* <configuration> has been met */
};

/** `text` is borrowed. */
void jfc_open(struct jfc *j, const char *text, size_t len);
/** Returns 1 and the next setting; 0 at the end; E_SYNTAX with j->xml.why and j->xml.line, also
 * from then on. */
int jfc_next(struct jfc *j, struct jfc_setting *ret);
