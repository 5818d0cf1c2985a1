/*
 * options_exception.h - the options of exceptions (event=exception, event=thrown).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

/** The kinds of exceptions to measure; the values of options_group_asked(). */
enum options_exception {
    OPTIONS_EXCEPTION_OFF,
    OPTIONS_EXCEPTION_MADE,   /* calls of Throwable's constructors */
    OPTIONS_EXCEPTION_THROWN, /* the VM's event for a thrown exception */
};

extern const struct options_group options_exception;
