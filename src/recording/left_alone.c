/*
 * left_alone.c - see left_alone.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "recording/left_alone.h"
#include <stdio.h>
#include <stdlib.h>
#include "recording/manifest.h"

char *left_alone_names(const struct manifest *m)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = m->left_count > 0 ? open_memstream(&text, &len) : NULL;
    if (!out)
        return NULL;
    for (size_t i = 0; i < m->left_count; i++)
        fprintf(out, "%s%s (process %ld)",
                i == 0                  ? ""
                : i + 1 < m->left_count ? ", "
                                        : " and ",
                m->left[i].tool, m->left[i].pid);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
