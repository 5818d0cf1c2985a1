/*
 * err.h - the one list of error codes.
 *
 * Functions return 0 or a count on success and a negative code on failure. The code is -errno when
 * a system call failed, otherwise one of the codes here. The codes here begin at -10000 and go
 * down, so they never meet an -errno. Nothing in this file prints.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum err_index {
#define E(name, text) ERR_INDEX_##name,
#include "err.def"
#undef E
    ERR_INDEX_COUNT
};

enum err_code {
#define E(name, text) E_##name = ERR_INDEX_##name == 0 ? 0 : -10000 - ERR_INDEX_##name,
#include "err.def"
#undef E
};

/**
 * The message for a negative code, either -errno or a code from here; never NULL.
 *
 * Context: any, not signal.   Owner: static.
 */
const char *err_text(int code);
