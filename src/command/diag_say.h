/*
 * diag_say.h - what libraries report (base/diag.h) goes to stderr: a message as say() writes it,
 * and the progress of a long work as progress.h shows it.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct diag;

/** There is one for the whole command, which works on one file at a time. */
struct diag *diag_say(void);
