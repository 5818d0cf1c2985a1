/*
 * hprof_text_form.c - see hprof_text_form.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "format/hprof_text_form.h"
#include <stddef.h>

const struct hprof_text_form hprof_text_form_of[EVENT_KINDS] = {
    [EVENT_SAMPLE] = {"CPU SAMPLES", NULL, "", "method"},
    [EVENT_CALL] = {"CPU TIME (ms)", "EXACT CPU TIME (ns)", "", "method"},
    [EVENT_OPEN_CALL] = {"UNFINISHED CALLS (ms)", "EXACT UNFINISHED CALLS (ns)", "", "method"},
    [EVENT_WAIT] = {"WAITING (ms)", "EXACT WAITING (ns)", "", "method"},
    [EVENT_OPEN_WAIT] = {"UNFINISHED WAITS (ms)", "EXACT UNFINISHED WAITS (ns)", "", "method"},
    [EVENT_ENTER] = {"MONITOR TIME", "EXACT MONITOR TIME (ns)", " ms", "monitor"},
};
