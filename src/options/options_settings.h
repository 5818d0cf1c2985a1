/*
 * options_settings.h - settings of JFR events in the option string: settings=default, profile or a
 * .jfc file, and jdk.EVENT#NAME=VALUE, for what engines measure.
 *
 * A group has rows of those that it understands (struct options_setting): each sets one of its
 * options, or turns the engine on. Of a file, what no engine has is passed over, as the JDK does
 * it; what is said in the option string itself must be known. SPDX-License-Identifier: Apache-2.0
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
 * What settings=`from` says: the word default or profile, or the path of a .jfc file. Errors: 0;
 * E_SYNTAX with the reason, in one line, in ret_why. Context: any; reads the file.
 */
int options_settings_load(struct options *o, const char *from, char *ret_why, size_t size);
/** What "jdk.EVENT#NAME" = `value` says: the event is measured. Errors: as above. Context: any. */
int options_settings_set(struct options *o, const char *name, const char *value, char *ret_why,
                         size_t size);
/** The setting at place *at on, of all that engines have; false at the end. Context: any. */
bool options_settings_next(const struct options *o, int *at, struct options_settings_one *ret);
