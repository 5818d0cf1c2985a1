/*
 * fuzz_kallsyms.c - the kernel's list of symbols, or whatever stands in its place.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "elf/kallsyms.h"
#include <stdlib.h>
#include <string.h>
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *text = malloc(len + 1);
    struct kallsyms k;
    if (!text)
        return 0;
    memcpy(text, bytes, len);
    text[len] = '\0';
    kallsyms_parse(text, &k);
    if (k.count == 0) /* and the text is freed */
        return 0;
    for (uint32_t i = 0; i < k.count; i++) {
        const struct kallsyms_symbol *found = kallsyms_at(&k, k.list[i].start);
        if ((i > 0 && k.list[i - 1].start > k.list[i].start) ||
            (found && found->start != k.list[i].start))
            abort();
    }
    free(k.list);
    free(text);
    return 0;
}
