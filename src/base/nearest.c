/*
 * nearest.c - edit distance with swaps of neighbours (optimal string alignment).
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/nearest.h"
#include <string.h>

enum { WORD_MAX = 32, ABBREVIATION_MIN = 2 };

static unsigned min2(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned nearest_distance(const char *typed, const char *known)
{
    size_t m = strlen(typed), n = strlen(known);
    unsigned d[WORD_MAX + 1][WORD_MAX + 1];
    if (m > WORD_MAX || n > WORD_MAX)
        return NEAREST_FAR;
    if (m >= ABBREVIATION_MIN && strncmp(typed, known, m) == 0)
        return 0;
    for (size_t i = 0; i <= m; i++)
        d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= n; j++)
        d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= m; i++) {
        for (size_t j = 1; j <= n; j++) {
            unsigned changed = d[i - 1][j - 1] + (typed[i - 1] != known[j - 1]);
            d[i][j] = min2(changed, min2(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && typed[i - 1] == known[j - 2] && typed[i - 2] == known[j - 1])
                d[i][j] = min2(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    /* If more than a third of the longer word is wrong, it is no slip. One wrong letter is always
     * allowed. */
    size_t longer = m > n ? m : n;
    size_t allowed = longer / 3 > 0 ? longer / 3 : 1;
    return d[m][n] <= allowed && d[m][n] < n ? d[m][n] : NEAREST_FAR;
}
