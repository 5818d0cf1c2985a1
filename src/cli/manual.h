/*
 * manual.h - the manual pages, shown by the program man: installed ones and those of the build
 * tree.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** What has a page besides the commands; `page` is the name of its file. Rows end with NULL. */
struct manual_topic {
    const char *name, *what, *page;
};
extern const struct manual_topic manual_topics[];

/** The topic of this name, or NULL. */
const struct manual_topic *manual_find(const char *name);

/**
 * Becomes the program man, which shows the page: through a pager on a terminal, else plain.
 * Returns only if that fails: -ENOENT there is no page, else the -errno of starting man; *ret_path,
 * malloc'ed, is where the page is, NULL nowhere.
 */
int manual_show(const char *page, char **ret_path);
