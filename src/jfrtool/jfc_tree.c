/*
 * jfc_tree.c - see jfc_tree.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jfrtool/jfc_tree.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/err.h"
#include "base/utf8.h"
#include "base/xml.h"
#include "command/textbuf.h"

enum {
    BUDGET = 64 << 20,
    NEEDED = 3,
    BUCKETS = 16, /* buckets of a java.util.HashMap with up to 12 entries */
};

/* The JDK's rules for each kind of element. */
static const struct known {
    const char *name;
    const char *needs[NEEDED]; /* attributes without which the JDK refuses the file */
    bool is_inline;            /* the JDK writes no empty lines around it */
} knowns[] = {
    [JFC_TREE_AND] = {"and", {0}, true},
    [JFC_TREE_CONDITION] = {"condition", {"name"}, false},
    [JFC_TREE_CONFIGURATION] = {"configuration", {"version", "label"}, false},
    [JFC_TREE_CONTROL] = {"control", {0}, false},
    [JFC_TREE_EVENT] = {"event", {"name"}, false},
    [JFC_TREE_FLAG] = {"flag", {"name", "label"}, false},
    [JFC_TREE_NOT] = {"not", {0}, true},
    [JFC_TREE_OPTION] = {"option", {"name", "label"}, true},
    [JFC_TREE_OR] = {"or", {0}, true},
    [JFC_TREE_SELECTION] = {"selection", {"name", "label", "default"}, false},
    [JFC_TREE_SETTING] = {"setting", {"name"}, true},
    [JFC_TREE_TEST] = {"test", {"name", "operator", "value"}, true},
    [JFC_TREE_TEXT] = {"text", {"name", "label"}, false},
};

enum { KNOWNS = sizeof(knowns) / sizeof(knowns[0]) };

int jfc_tree_init(struct jfc_tree *t)
{
    *t = (struct jfc_tree){0};
    arena_init(&t->arena, BUDGET);
    t->root = jfc_tree_add(t, NULL, knowns[JFC_TREE_CONFIGURATION].name);
    return t->root ? 0 : -ENOMEM;
}

void jfc_tree_done(struct jfc_tree *t)
{
    arena_done(&t->arena);
}

/* ---- elements */

static const char *copy(struct jfc_tree *t, const char *text)
{
    size_t size = strlen(text) + 1;
    char *own = arena_alloc(&t->arena, size);
    return own ? memcpy(own, text, size) : NULL;
}

static enum jfc_tree_kind kind_of(const char *name)
{
    for (unsigned i = JFC_TREE_OTHER + 1; i < KNOWNS; i++)
        if (strcasecmp(knowns[i].name, name) == 0)
            return (enum jfc_tree_kind)i;
    return JFC_TREE_OTHER;
}

struct jfc_element *jfc_tree_add(struct jfc_tree *t, struct jfc_element *parent, const char *name)
{
    struct jfc_element *e = arena_alloc(&t->arena, sizeof(*e));
    if (!e)
        return NULL;
    e->kind = kind_of(name);
    e->name = e->kind == JFC_TREE_OTHER ? copy(t, name) : knowns[e->kind].name;
    e->content = "";
    e->parent = parent;
    if (!e->name)
        return NULL;
    if (parent) {
        struct jfc_element **link = parent->last ? &parent->last->next : &parent->children;
        *link = e;
        parent->last = e;
    }
    return e;
}

const char *jfc_tree_attribute(const struct jfc_element *e, const char *name)
{
    for (const struct jfc_attribute *a = e->attributes; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return a->value;
    return NULL;
}

int jfc_tree_set_attribute(struct jfc_tree *t, struct jfc_element *e, const char *name,
                           const char *value)
{
    struct jfc_attribute **link = &e->attributes;
    while (*link && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    if (!*link) {
        struct jfc_attribute *a = arena_alloc(&t->arena, sizeof(*a));
        if (!a || !(a->name = copy(t, name)))
            return -ENOMEM;
        *link = a;
    }
    (*link)->value = copy(t, value);
    return (*link)->value ? 0 : -ENOMEM;
}

int jfc_tree_set_content(struct jfc_tree *t, struct jfc_element *e, const char *content)
{
    const char *own = copy(t, content);
    if (!own)
        return -ENOMEM;
    if (!e->before)
        e->before = e->content;
    e->content = own;
    return 0;
}

struct jfc_element *jfc_tree_next(const struct jfc_element *under, const struct jfc_element *e,
                                  enum jfc_tree_kind kind)
{
    const struct jfc_element *at = e ? e : under;
    do {
        if (at->children) {
            at = at->children;
        } else {
            while (at != under && !at->next)
                at = at->parent;
            at = at == under ? NULL : at->next;
        }
    } while (at && at->kind != kind);
    return (struct jfc_element *)at;
}

/* ---- reading */

/* The state while a document is read. */
struct reading {
    struct jfc_tree *tree;
    struct xml xml;
    /* The root of this document. At the end its children move to the tree's root. */
    struct jfc_element *root;
    struct jfc_element *open;
    unsigned depth;
    struct textbuf text;  /* the text since the end of the last tag */
    struct textbuf plain; /* the text of the current part, with references resolved */
    char reason[JFC_TREE_REASON];
};

static int refuse(struct reading *r, const char *format, const char *what)
{
    snprintf(r->reason, sizeof(r->reason), format, what);
    return xml_fail(&r->xml, r->reason);
}

/* Puts the part's text into r->plain. Errors: 0, -ENOMEM. */
static int take_plain(struct reading *r, const struct xml_part *part)
{
    r->plain.len = 0;
    if (!textbuf_grow(&r->plain, part->text_len + 1))
        return -ENOMEM;
    r->plain.len = xml_text(part, r->plain.bytes, part->text_len + 1);
    return 0;
}

static int take_name(struct reading *r, const struct xml_part *part)
{
    r->plain.len = 0;
    textbuf_bytes(&r->plain, part->name, part->name_len);
    textbuf_char(&r->plain, '\0');
    return r->plain.is_bad ? -ENOMEM : 0;
}

/* Adds the text since the last tag to the content of the open element. White space at both ends is
 * dropped. If the element has text before an element within it, a blank separates the two texts. */
static int take_content(struct reading *r)
{
    static const char blanks[] = " \t\r\n";
    const char *text = r->text.bytes, *before = r->open->content;
    size_t len = r->text.len, lead = 0;
    char *own;
    while (lead < len && strchr(blanks, text[lead]))
        lead++;
    while (len > lead && strchr(blanks, text[len - 1]))
        len--;
    r->text.len = 0;
    if (len == lead)
        return 0;
    own = arena_alloc(&r->tree->arena, strlen(before) + 1 + len - lead + 1);
    if (!own)
        return -ENOMEM;
    sprintf(own, "%s%s%.*s", before, *before ? " " : "", (int)(len - lead), text + lead);
    r->open->content = own;
    return 0;
}

static int begin_element(struct reading *r, const struct xml_part *part)
{
    struct jfc_element *e;
    if (take_name(r, part) < 0 || (r->open && take_content(r) < 0))
        return -ENOMEM;
    if (!r->open && r->root)
        return refuse(r, "there is more than one <%s>", r->root->name);
    if (!r->root && kind_of(r->plain.bytes) != JFC_TREE_CONFIGURATION)
        return refuse(r, "the first element is not <%s>", "configuration");
    if (++r->depth > JFC_TREE_DEPTH)
        return refuse(r, "<%s> is too deep within other elements", r->plain.bytes);
    e = jfc_tree_add(r->tree, r->open, r->plain.bytes);
    if (!e)
        return -ENOMEM;
    e->document = r->tree->documents + 1;
    if (!r->root)
        r->root = e;
    r->open = e;
    return 0;
}

static int add_attribute(struct reading *r, const struct xml_part *part)
{
    char name[JFC_TREE_REASON / 2];
    if (part->name_len >= sizeof(name))
        return refuse(r, "an attribute of <%s> has a name that is too long", r->open->name);
    memcpy(name, part->name, part->name_len);
    name[part->name_len] = '\0';
    return take_plain(r, part) < 0 ? -ENOMEM
                                   : jfc_tree_set_attribute(r->tree, r->open, name, r->plain.bytes);
}

static int check_test(struct reading *r, const struct jfc_element *e)
{
    const char *word = jfc_tree_attribute(e, "operator");
    if (strcasecmp(word, "equal") != 0)
        return refuse(r, "the operator '%.100s' is not known, only 'equal' is", word);
    return e->children ? refuse(r, "<%s> has elements within it", e->name) : 0;
}

/* Checks elements in which the JDK wants a certain number of children. */
static int check_children(struct reading *r, const struct jfc_element *e)
{
    unsigned count = 0;
    for (const struct jfc_element *child = e->children; child; child = child->next)
        count++;
    if (e->kind == JFC_TREE_TEST)
        return check_test(r, e);
    if (e->kind == JFC_TREE_SELECTION && !jfc_tree_next(e, NULL, JFC_TREE_OPTION))
        return refuse(r, "<%s> has no <option>", e->name);
    if (e->kind == JFC_TREE_NOT && count != 1)
        return refuse(r, "<%s> does not have one element within it", e->name);
    if (e->kind == JFC_TREE_CONDITION && count > 1)
        return refuse(r, "<%s> has more than one element within it", e->name);
    return 0;
}

static int check_element(struct reading *r, const struct jfc_element *e)
{
    char what[64];
    for (int i = 0; i < NEEDED && knowns[e->kind].needs[i]; i++)
        if (!jfc_tree_attribute(e, knowns[e->kind].needs[i])) {
            snprintf(what, sizeof(what), "<%s> has no %s", e->name, knowns[e->kind].needs[i]);
            return refuse(r, "%s", what);
        }
    if (e->kind == JFC_TREE_CONFIGURATION && strcmp(jfc_tree_attribute(e, "version"), "2.0") != 0)
        return refuse(r, "the version is '%.100s', and only 2.0 is known",
                      jfc_tree_attribute(e, "version"));
    return check_children(r, e);
}

static int end_element(struct reading *r, const struct xml_part *part)
{
    if (!r->open || strlen(r->open->name) != part->name_len ||
        strncasecmp(part->name, r->open->name, part->name_len) != 0)
        return refuse(r, "the end of an element that is not the open one%s", "");
    if (take_content(r) < 0)
        return -ENOMEM;
    if (check_element(r, r->open) < 0)
        return E_SYNTAX;
    r->depth--;
    r->open = r->open->parent;
    return 0;
}

static int take_part(struct reading *r, const struct xml_part *part)
{
    switch (part->kind) {
    case XML_OPENS:
        return begin_element(r, part);
    case XML_ATTRIBUTE:
        return add_attribute(r, part);
    case XML_CLOSES:
        return end_element(r, part);
    case XML_TEXT:
        break;
    }
    if (take_plain(r, part) < 0)
        return -ENOMEM;
    textbuf_bytes(&r->text, r->plain.bytes, r->plain.len);
    return r->text.is_bad ? -ENOMEM : 0;
}

/* Appends the children of the document's <configuration> to those of the tree. */
static void adopt(struct jfc_tree *t, struct jfc_element *root)
{
    struct jfc_element **link = t->root->last ? &t->root->last->next : &t->root->children;
    *link = root->children;
    if (root->last)
        t->root->last = root->last;
    for (struct jfc_element *child = root->children; child; child = child->next)
        child->parent = t->root;
    t->documents++;
}

int jfc_tree_read(struct jfc_tree *t, const char *text, size_t len,
                  struct jfc_tree_error *ret_error)
{
    struct reading r = {.tree = t};
    struct xml_part part;
    int error = 0, more = 0;
    xml_open(&r.xml, text, len);
    while (error == 0 && (more = xml_next(&r.xml, &part)) > 0)
        error = take_part(&r, &part);
    if (error == 0 && more == 0 && !r.root)
        error = xml_fail(&r.xml, "there is no <configuration>");
    else if (error == 0 && more == 0 && r.open)
        error = refuse(&r, "<%s> does not end", r.open->name);
    if (error == 0)
        error = more;
    textbuf_done(&r.text);
    textbuf_done(&r.plain);
    if (error == E_SYNTAX) {
        ret_error->line = r.xml.line;
        snprintf(ret_error->reason, sizeof(ret_error->reason), "%s", r.xml.why);
    } else if (error == 0) {
        adopt(t, r.root);
    }
    return error;
}

/* ---- writing */

static const char head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<!-- Made by hprof jfr configure, which can change it, as jfr configure of the JDK can. -->\n";

/* Decodes one character of one to four bytes of UTF-8. */
static uint32_t character_of(const unsigned char *bytes, size_t len)
{
    uint32_t c = len == 1 ? bytes[0] : bytes[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++)
        c = c << 6 | (bytes[i] & 0x3f);
    return c;
}

static void write_character(uint32_t c, struct textbuf *to)
{
    switch (c) {
    case '"':
        textbuf_text(to, "&quot;");
        break;
    case '&':
        textbuf_text(to, "&amp;");
        break;
    case '\'':
        textbuf_text(to, "&apos;");
        break;
    case '<':
        textbuf_text(to, "&lt;");
        break;
    case '>':
        textbuf_text(to, "&gt;");
        break;
    default:
        if (c > 0x7f)
            textbuf_printf(to, "&#%u;", c);
        else
            textbuf_char(to, (char)c);
    }
}

static bool is_blank(char c)
{
    return c == '\n' || c == '\t' || c == '\r';
}

static void write_text(const char *text, struct textbuf *to)
{
    for (size_t left = strlen(text); left > 0;) {
        unsigned char bytes[UTF8_BYTES];
        size_t len, taken = utf8_next(text, left, bytes, &len);
        write_character(is_blank(*text) ? (uint32_t)*text : character_of(bytes, len), to);
        text += taken;
        left -= taken;
    }
}

/* The JDK keeps attributes in a java.util.HashMap and writes them in the order of its buckets,
 * which are the lowest bits of a hash of the name. That order is kept here, so a file of ours and a
 * file of the JDK can be compared line by line. */
static unsigned bucket_of(const char *name)
{
    uint32_t hash = 0;
    for (; *name; name++)
        hash = hash * 31 + (unsigned char)*name;
    return (hash ^ hash >> 16) % BUCKETS;
}

static void write_attributes(const struct jfc_element *e, struct textbuf *to)
{
    for (unsigned bucket = 0; bucket < BUCKETS; bucket++)
        for (const struct jfc_attribute *a = e->attributes; a; a = a->next)
            if (bucket_of(a->name) == bucket) {
                textbuf_printf(to, " %s=\"", a->name);
                write_text(a->value, to);
                textbuf_char(to, '"');
            }
}

static void write_element(const struct jfc_element *e, unsigned depth, struct textbuf *to)
{
    bool is_apart = false;
    textbuf_fill(to, ' ', (size_t)depth * 2);
    textbuf_printf(to, "<%s", e->name);
    write_attributes(e, to);
    if (!e->children && !e->content[0]) {
        textbuf_text(to, "/>\n");
        return;
    }
    textbuf_char(to, '>');
    write_text(e->content, to);
    if (e->children)
        textbuf_char(to, '\n');
    for (const struct jfc_element *child = e->children; child; child = child->next) {
        is_apart = !knowns[child->kind].is_inline;
        if (is_apart)
            textbuf_char(to, '\n');
        write_element(child, depth + 1, to);
    }
    if (is_apart)
        textbuf_char(to, '\n');
    if (e->children)
        textbuf_fill(to, ' ', (size_t)depth * 2);
    textbuf_printf(to, "</%s>\n", e->name);
}

void jfc_tree_write(const struct jfc_tree *t, struct textbuf *to)
{
    textbuf_text(to, head);
    write_element(t->root, 0, to);
}
