/*
 * options_settings.h - settings of JFR events in the option string: settings=default,
 * settings=profile, settings= with a .jfc file, and jdk.EVENT#NAME=VALUE.
 *
 * A group has rows for the settings that it understands (struct options_setting). Each row sets one
 * of the group's options, or turns the engine on. In a file, settings that no engine knows are
 * skipped, as the JDK does; a known setting with a wrong value is skipped with a note. In the
 * option string itself every setting must be right.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "options/options.h"

enum {
    OPTIONS_SETTINGS_NAME = 96, /* bytes for "jdk.EVENT#NAME" with its final 0 */
    OPTIONS_SETTINGS_VALUE = 48,
};

struct options_group;

/** A setting that is in force, as it is written into a recording. */
struct options_settings_one {
    const char *event, *name;
    char value[OPTIONS_SETTINGS_VALUE];
};

/**
 * Apply settings=`from`, which is the word default or profile, or the path of a .jfc file. Reads
 * the file.
 *
 * Errors:  0, with a sentence in e->note if a known setting of the file was skipped; E_SYNTAX, with
 *          the reason in one line in e->text.
 * Context: any.
 */
int options_settings_load(struct options *o, const char *from, struct options_error *e);
/** Apply "jdk.EVENT#NAME" = `value`, which also turns the event on. Errors: 0; E_SYNTAX, with the
 * reason in e->text. Context: any. */
int options_settings_set(struct options *o, const char *name, const char *value,
                         struct options_error *e);
/** Whether this event is measured and its settings have it on. Context: any. */
bool options_settings_is_on(const struct options *o, const char *event);
/** The words of settings= that name no file: default and profile. NULL: there is none with this
 * index. */
const char *options_settings_preset(unsigned i);
/** The next setting of all engines, from index *at on. Returns false at the end. Context: any. */
bool options_settings_next(const struct options *o, int *at, struct options_settings_one *ret);
