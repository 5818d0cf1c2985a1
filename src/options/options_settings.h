/*
 * options_settings.h - settings of JFR events in the option string: settings=default, profile or a
 * .jfc file, and jdk.EVENT#NAME=VALUE, for what engines measure.
 *
 * A group has rows of those that it understands (struct options_setting): each sets one of its
 * options, or turns the engine on. Of a file, what no engine has is passed over, as the JDK does
 * it, with a note of what is known and has a value that is none; what is said in the option string
 * itself must be right. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "options/options.h"

enum {
    OPTIONS_SETTINGS_NAME = 96, /* room of "jdk.EVENT#NAME" with its end */
    OPTIONS_SETTINGS_VALUE = 48,
};

struct options_group;

/** One that is in force, as it goes into a recording. */
struct options_settings_one {
    const char *event, *name;
    char value[OPTIONS_SETTINGS_VALUE];
};

/**
 * What settings=`from` says: the word default or profile, or the path of a .jfc file. Errors: 0,
 * with a sentence in e->note where something of the file was passed over that is known; E_SYNTAX
 * with the reason, in one line, in e->text. Context: any; reads the file.
 */
int options_settings_load(struct options *o, const char *from, struct options_error *e);
/** What "jdk.EVENT#NAME" = `value` says: the event is measured. Errors: 0, E_SYNTAX as above.
 * Context: any. */
int options_settings_set(struct options *o, const char *name, const char *value,
                         struct options_error *e);
/** Whether this event is measured, and its setting has it on. Context: any. */
bool options_settings_is_on(const struct options *o, const char *event);
/** The setting at place *at on, of all that engines have; false at the end. Context: any. */
bool options_settings_next(const struct options *o, int *at, struct options_settings_one *ret);
