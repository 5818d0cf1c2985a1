/*
 * options_exception.h - what the option string says of exceptions.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "options/options_group.h"

/** What is measured: options_group_asked(). */
enum options_exception {
    OPTIONS_EXCEPTION_OFF,
    OPTIONS_EXCEPTION_MADE,   /* constructors of Throwable */
    OPTIONS_EXCEPTION_THROWN, /* the VM's event */
};

extern const struct options_group options_exception;
