/*
 * fuzz_jfc_tree.c - a .jfc file as a tree: read, each flag chosen, written, and read again.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include "jfrtool/jfc_choice.h"
#include "command/textbuf.h"
#include "fuzz.h"

static void choose_flags(struct jfc_tree *t)
{
    char why[64];
    for (struct jfc_element *e = NULL; (e = jfc_tree_next(t->root, e, JFC_TREE_FLAG)) != NULL;)
        jfc_choice_set(t, jfc_tree_attribute(e, "name"), "true", why, sizeof(why));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct jfc_tree_error error;
    struct textbuf text = {0};
    struct jfc_tree t, again;
    if (jfc_tree_init(&t) != 0 || jfc_tree_init(&again) != 0)
        abort();
    if (jfc_tree_read(&t, (const char *)bytes, len, &error) == 0) {
        choose_flags(&t);
        jfc_tree_set_attribute(&t, t.root, "version", "2.0");
        jfc_tree_set_attribute(&t, t.root, "label", "x");
        jfc_choice_list(&t, &text);
        text.len = 0;
        jfc_tree_write(&t, &text);
        if (!text.is_bad && jfc_tree_read(&again, text.bytes, text.len, &error) != 0)
            abort(); /* what we write can be read */
    } else if (error.line == 0 || !error.reason[0]) {
        abort(); /* every refusal says where and why */
    }
    textbuf_done(&text);
    jfc_tree_done(&t);
    jfc_tree_done(&again);
    return 0;
}
