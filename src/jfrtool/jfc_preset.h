/*
 * jfc_preset.h - makes default.jfc and profile.jfc of a JDK from what is known of its events.
 *
 * The events are those of jfr_catalogue.h, sorted by name. The controls of their settings were read
 * from the JDKs themselves (tools/jfr-facts).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct textbuf;

/** Whether `word` names a preset: "default", "profile", "default.jfc" or "profile.jfc". */
bool jfc_preset_is(const char *word);
/** Writes the preset that `word` names, for the JDK `jdk`, a number of jfr_catalogue_releases(). */
void jfc_preset_text(const char *word, unsigned jdk, struct textbuf *to);
