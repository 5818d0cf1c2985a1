/*
 * manual.h - shows manual pages by the program man, installed pages and those of the build tree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** A topic that has a manual page and is not a command; `page` is the name of the page's file. The
 * last row is all NULL. */
struct manual_topic {
    const char *name, *what, *page;
};
extern const struct manual_topic manual_topics[];

/** The topic of this name, or NULL. */
const struct manual_topic *manual_find(const char *name);

/**
 * Becomes the program man, which shows the page: through a pager on a terminal, otherwise as plain
 * text. Returns only after an error: -ENOENT: there is no page; another -errno: man could not be
 * started. *ret_path, malloc'ed, is the path of the page; NULL: there is none.
 */
int manual_show(const char *page, char **ret_path);
