/*
 * fuzz_headroom_text.c - what Linux says of memory cgroups: three texts, a zero behind each.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/headroom_text.h"
#include "fuzz.h"

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* Each line in a block of its own, so that a step beyond it is seen. */
static void each_line(const char *text, struct headroom_text_groups *groups, bool are_mounts)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        char *line = strndup(text, n);
        struct headroom_text_mount mount;
        if (!line)
            return;
        if (!are_mounts) {
            headroom_text_group(line, groups);
        } else if (headroom_text_mount(line, groups, &mount)) {
            must(mount.version == 1 || mount.version == 2);
            must(mount.folder >= line && mount.folder + strlen(mount.folder) <= line + n);
            must(mount.way[0] == '/' || mount.way[0] == '\0');
            must(!strstr(mount.way, "/.."));
        }
        free(line);
        text += n + (text[n] == '\n');
    }
}

/* The text behind the last zero. */
static char *next_text(const uint8_t *bytes, size_t len, size_t *at)
{
    const char *from = (const char *)bytes + *at;
    char *text = *at < len ? strndup(from, len - *at) : strdup("");
    *at += text ? strlen(text) + 1 : 0;
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct headroom_text_groups groups = {{"", "", ""}};
    size_t at = 0;
    char *list = next_text(bytes, len, &at), *mounts = next_text(bytes, len, &at),
         *numbers = next_text(bytes, len, &at);
    if (list && mounts && numbers) {
        each_line(list, &groups, 0);
        for (int i = 0; i < HEADROOM_TEXT_VERSIONS; i++)
            must(strlen(groups.paths[i]) < sizeof(groups.paths[i]));
        each_line(mounts, &groups, 1);
        (void)headroom_text_limit(numbers);
        (void)headroom_text_number(numbers, "total_active_file");
    }
    free(list);
    free(mounts);
    free(numbers);
    return 0;
}
