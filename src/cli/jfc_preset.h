/*
 * jfc_preset.h - default.jfc and profile.jfc of a JDK, from what is known of its events.
 *
 * The events are those of jfr_catalogue.h, by their names; what governs their settings was made
 * from the JDKs as they were (tools/jfr-facts). SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct textbuf;

/** Whether `word` names one of the two: "default", "profile", also with ".jfc". */
bool jfc_preset_is(const char *word);
/** The text of the one that `word` names, of the JDK `jdk`, a number of jfr_catalogue_releases().
 */
void jfc_preset_text(const char *word, unsigned jdk, struct textbuf *to);
