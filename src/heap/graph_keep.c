/*
 * graph_keep.c - FILE.hidx: what was found about a dump, beside the dump.
 *
 * The file is a head, sections in pages, and a checksum for each page; docs/format/heap-index.md
 * describes it. What is small is read at once and checked; the tables that have a row for each
 * object are read page by page when they are needed. Names, fields and texts are not in it: they
 * are read from the dump, whose places the index has.
 *
 * An index is believed only if it is a file of this user or root that no other may write, and its
 * dump is the same by device, inode, size, times and the contents of 64 blocks. All numbers in it
 * are compared with their bounds, at once or when they are used.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "heap/graph_keep.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/err.h"
#include "base/newfile.h"
#include "heap/graph.h"
#include "heap/graph_parts.h"

enum {
    PAGE = GRAPH_KEEP_PAGE,
    PROBE = 4096,
    NAME = 4096,
    SHARE = 2, /* an index is no larger than such a part of its dump */
    FACTS = 32,
};

/* Rows of sections. */
struct class_row {
    uint64_t id, record_at, objects, elements, least_gap, is_array;
};

struct page_row {
    uint64_t key, words[ADDRMAP_WORDS];
};

struct root_row {
    uint64_t object, thread, kind, thread_serial, frame;
};

struct thread_row {
    uint64_t object, serial, trace;
};

struct large_row {
    uint64_t object, units;
};

static void name_index(const struct graph *g, char name[NAME])
{
    snprintf(name, NAME, "%s.hidx", g->path);
}

static uint64_t nanoseconds(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * UINT64_C(1000000000) + (uint64_t)t->tv_nsec;
}

/* Whether the input is a file, and the one with the name that the user gave: no core and no
 * process, from which a dump was made. */
static bool is_file(const struct graph *g)
{
    const struct stat *of = &g->input.file;
    struct stat st;
    return S_ISREG(of->st_mode) && stat(g->path, &st) == 0 && st.st_dev == of->st_dev &&
           st.st_ino == of->st_ino;
}

/* Errors: 0; -errno: the dump cannot be read. */
static int identify(struct graph *g, struct graph_keep_identity *ret_id)
{
    const struct stat *st = &g->input.file;
    const struct graph_options *o = &g->options;
    struct graph_keep_identity id = {.device = st->st_dev,
                                     .inode = st->st_ino,
                                     .bytes = (uint64_t)st->st_size,
                                     .changed_ns = nanoseconds(&st->st_mtim),
                                     .altered_ns = nanoseconds(&st->st_ctim),
                                     .dump = o->dump};
    id.options = (uint64_t)o->follows_weak | (uint64_t)o->skips_classes << 1 |
                 (uint64_t)(o->sizes == GRAPH_SIZES_MAT) << 2;
    uint64_t bytes = g->input.bytes, step = bytes / GRAPH_KEEP_PROBES;
    for (uint64_t i = 0; i < GRAPH_KEEP_PROBES; i++) {
        uint64_t at = step * i, len = bytes - at < PROBE ? bytes - at : PROBE;
        const unsigned char *b = heapinput_see(&g->look, at, len);
        if (!b)
            return g->look.error < 0 ? g->look.error : -EIO;
        id.probes[i] = heaptable_check(b, len);
    }
    *ret_id = id;
    return 0;
}

/* The facts as a row of numbers, in both directions. */
static void move_facts(struct graph_facts *f, uint64_t row[FACTS], bool writes)
{
    uint64_t *const numbers[] = {
        &f->objects,
        &f->instances,
        &f->object_arrays,
        &f->primitive_arrays,
        &f->classes,
        &f->bytes,
        &f->reachable,
        &f->reachable_bytes,
        &f->damage.missing_bytes,
        &f->damage.unknown_records,
        &f->damage.unknown_at,
        &f->damage.duplicates,
    };
    unsigned *const sizes[] = {&f->layout.id_bytes, &f->layout.ref_bytes, &f->layout.header_bytes,
                               &f->layout.array_bytes, &f->layout.alignment};
    bool *const flags[] = {&f->layout.is_guessed, &f->damage.is_cut};
    size_t at = 0;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++, at++)
        *(writes ? &row[at] : numbers[i]) = writes ? *numbers[i] : row[at];
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++, at++) {
        if (writes)
            row[at] = *sizes[i];
        else
            *sizes[i] = row[at] < UINT16_MAX ? (unsigned)row[at] : 0;
    }
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++, at++) {
        if (writes)
            row[at] = *flags[i];
        else
            *flags[i] = row[at] != 0;
    }
}

/* Classes that have numbers before those of arrays that the dump lacks are added. */
static uint64_t met_classes(const struct graph *g)
{
    return g->classes.info_count - HEAPCLASS_TYPES;
}

/* Rows and bytes of all sections, and the pages on which they are. */
static void plan(const struct graph *g, struct graph_keep_head *h)
{
    const struct graph_keep_place rows[GRAPH_KEEP_SECTIONS] = {
        [GRAPH_KEEP_FACTS] = {.row_bytes = sizeof(uint64_t), .rows = FACTS},
        [GRAPH_KEEP_CLASSES] = {.row_bytes = sizeof(struct class_row), .rows = met_classes(g)},
        [GRAPH_KEEP_PAGES] = {.row_bytes = sizeof(struct page_row), .rows = g->map.pages.count},
        [GRAPH_KEEP_BLOCKS] = {.row_bytes = sizeof(struct graph_block), .rows = g->blocks.count},
        [GRAPH_KEEP_ROOTS] = {.row_bytes = sizeof(struct root_row), .rows = g->facts.roots},
        [GRAPH_KEEP_THREADS] = {.row_bytes = sizeof(struct thread_row), .rows = g->threads.count},
        [GRAPH_KEEP_LARGE] = {.row_bytes = sizeof(struct large_row), .rows = g->d.large.count},
        [GRAPH_KEEP_HOLDERS] = {.row_bytes = sizeof(uint64_t), .rows = g->d.holders.word_count},
        [GRAPH_KEEP_DOM] = {.row_bytes = sizeof(heapnode), .rows = g->d.dom.rows},
        [GRAPH_KEEP_SHALLOW] = {.row_bytes = 1, .rows = g->d.shallow.rows},
        [GRAPH_KEEP_SUMS] = {.row_bytes = 1U << g->d.sums.row_shift, .rows = g->d.sums.rows},
    };
    h->pages = 1;
    for (uint32_t i = 0; i < GRAPH_KEEP_SECTIONS; i++) {
        h->places[i] = rows[i];
        h->places[i].kind = i;
        h->places[i].page = h->pages;
        h->pages += (rows[i].rows * rows[i].row_bytes + PAGE - 1) / PAGE;
    }
}

uint64_t graph_keep_bytes(const struct graph *g)
{
    struct graph_keep_head h = {0};
    if (!g->d.is_known)
        return 0;
    plan(g, &h);
    return h.pages * (PAGE + sizeof(uint64_t));
}

/* A file that is being written, page by page. */
struct writing {
    int fd, error;
    uint64_t page; /* the next one */
    uint64_t *checks;
    unsigned char *buffer; /* of the page */
    size_t used;
};

static void write_at(struct writing *w, const void *bytes, size_t count, uint64_t at)
{
    if (w->error == 0)
        w->error = heaptable_write_at(w->fd, bytes, count, at);
}

/* Ends a page, if there is something on it. */
static void end_page(struct writing *w)
{
    if (w->used == 0)
        return;
    memset(w->buffer + w->used, 0, PAGE - w->used);
    w->checks[w->page] = heaptable_check(w->buffer, PAGE);
    write_at(w, w->buffer, PAGE, w->page * PAGE);
    w->page++;
    w->used = 0;
}

static void put(struct writing *w, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    while (count > 0) {
        size_t some = PAGE - w->used < count ? PAGE - w->used : count;
        memcpy(w->buffer + w->used, from, some);
        w->used += some;
        from += some;
        count -= some;
        if (w->used == PAGE)
            end_page(w);
    }
}

static void put_classes(struct writing *w, const struct graph *g)
{
    uint32_t fixed = heap_record_bytes(HEAP_RECORD_CLASS, g->head.id_bytes);
    for (uint64_t i = 0; i < met_classes(g); i++) {
        const struct heapclass_row *row = heapclass_row(&g->classes, (graph_class)i);
        struct class_row to = {.id = row->id,
                               .record_at = row->has_record ? row->body_at - fixed : 0,
                               .objects = row->objects,
                               .elements = row->elements,
                               .least_gap = row->least_gap,
                               .is_array = row->is_array};
        put(w, &to, sizeof(to));
    }
    end_page(w);
}

static void put_addresses(struct writing *w, const struct graph *g)
{
    const struct addrmap_page *pages = (const void *)g->map.pages.at;
    for (uint64_t i = 0; i < g->map.pages.count; i++) {
        put(w, &pages[i].key, sizeof(pages[i].key));
        put(w, pages[i].words, sizeof(pages[i].words));
    }
    end_page(w);
    put(w, g->blocks.at, g->blocks.count * sizeof(struct graph_block));
    end_page(w);
}

static void put_roots(struct writing *w, const struct graph *g)
{
    const struct graph_thread *threads = (const void *)g->threads.at;
    for (uint64_t i = 0; i < g->facts.roots; i++) {
        const struct graph_root *r = &g->roots[i];
        struct root_row to = {r->object, r->thread, r->kind, r->thread_serial, r->frame};
        put(w, &to, sizeof(to));
    }
    end_page(w);
    for (uint64_t i = 0; i < g->threads.count; i++) {
        struct thread_row to = {threads[i].object, threads[i].serial, threads[i].trace};
        put(w, &to, sizeof(to));
    }
    end_page(w);
}

static void put_table(struct writing *w, const struct heaptable *t)
{
    unsigned bytes = 1U << t->row_shift;
    if (t->at)
        put(w, t->at, t->rows * bytes);
    for (uint64_t i = 0; !t->at && i < t->rows && w->error == 0; i++) {
        uint64_t v = heaptable_get(t, i);
        uint32_t four = (uint32_t)v;
        uint8_t one = (uint8_t)v;
        put(w, bytes == 8 ? (void *)&v : bytes == 4 ? (void *)&four : (void *)&one, bytes);
    }
    end_page(w);
}

static void put_all(struct writing *w, struct graph *g)
{
    uint64_t facts[FACTS] = {0};
    const struct graph_large *large = (const void *)g->d.large.at;
    w->page = 1;
    move_facts(&g->facts, facts, true);
    put(w, facts, sizeof(facts));
    end_page(w);
    put_classes(w, g);
    put_addresses(w, g);
    put_roots(w, g);
    for (uint64_t i = 0; i < g->d.large.count; i++) {
        struct large_row to = {large[i].object, large[i].value};
        put(w, &to, sizeof(to));
    }
    end_page(w);
    put(w, g->d.holders.words, g->d.holders.word_count * sizeof(uint64_t));
    end_page(w);
    put_table(w, &g->d.dom);
    put_table(w, &g->d.shallow);
    put_table(w, &g->d.sums);
}

/* Writes everything into the open file. */
static int fill(struct graph *g, struct writing *w)
{
    struct graph_keep_head h = {
        .magic = GRAPH_KEEP_MAGIC, .version = GRAPH_KEEP_VERSION, .node_bytes = sizeof(heapnode)};
    int error = identify(g, &h.of);
    if (error < 0)
        return error;
    plan(g, &h);
    h.shift = g->map.shift;
    uint64_t bytes = h.pages * sizeof(*w->checks);
    w->checks = heaproom_take(&g->room, bytes);
    w->buffer = heaproom_take(&g->room, PAGE);
    if (!w->checks || !w->buffer)
        w->error = E_LIMIT;
    else
        w->error = -posix_fallocate(w->fd, 0, (off_t)(h.pages * PAGE + bytes));
    if (w->error == 0)
        put_all(w, g);
    if (w->error == 0 && w->page != h.pages)
        w->error = E_FORMAT; /* a table has changed */
    if (w->error == 0) {
        write_at(w, w->checks, bytes, h.pages * PAGE);
        h.checks = heaptable_check((const unsigned char *)w->checks, bytes);
        h.check =
            heaptable_check((const unsigned char *)&h, offsetof(struct graph_keep_head, check));
        write_at(w, &h, sizeof(h), 0);
    }
    heaproom_give(&g->room, w->checks, bytes);
    heaproom_give(&g->room, w->buffer, PAGE);
    return w->error;
}

/* Opens a new file for the index; `temporary` is "" if it has no name yet. */
static int open_new(const char *name, char temporary[NAME], struct newfile *ret)
{
    const char *why;
    uint64_t random = (uint64_t)getpid();
    if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
        random ^= (uint64_t)(uintptr_t)temporary;
    if ((size_t)snprintf(temporary, NAME, "%s.%016" PRIx64, name, random) >= NAME)
        return -ENAMETOOLONG;
    int error = newfile_open_unnamed(name, 0600, ret);
    return error == -EOPNOTSUPP ? newfile_open(temporary, 0600, NEWFILE_KEEP, ret, &why) : error;
}

int graph_keep_write(struct graph *g, char ret_why[GRAPH_WHY])
{
    char name[NAME], temporary[NAME];
    struct newfile file;
    struct stat st;
    ret_why[0] = '\0';
    name_index(g, name);
    if (!g->d.is_known || g->kept.is_used)
        return 0;
    if (!is_file(g)) {
        snprintf(ret_why, GRAPH_WHY, "only the dump in a file has an index");
        return E_UNSUPPORTED;
    }
    if (graph_keep_bytes(g) > (uint64_t)g->input.file.st_size / SHARE) {
        snprintf(ret_why, GRAPH_WHY,
                 "%.300s is not written: it would have more than half of the dump", name);
        return E_LIMIT;
    }
    int error = open_new(name, temporary, &file);
    if (error < 0)
        return snprintf(ret_why, GRAPH_WHY, "%.300s: %s", name, err_text(error)), error;
    struct writing w = {.fd = file.fd};
    error = fill(g, &w);
    bool is_unnamed = fstat(file.fd, &st) == 0 && st.st_nlink == 0;
    if (error == 0 && is_unnamed)
        error = newfile_link(&file, temporary);
    if (error == 0 && rename(temporary, name) != 0)
        error = -errno;
    if (error < 0)
        unlink(temporary);
    close(file.fd);
    if (error < 0)
        snprintf(ret_why, GRAPH_WHY, "%.300s: %s", name, err_text(error));
    return error;
}

/* An index that is being read. */
struct loading {
    struct graph *g;
    struct graph_keep_head h;
    int fd;
};

/* Opens FILE.hidx. Returns a descriptor. Errors: -errno; E_FORMAT: not a file to believe. */
static int open_index(const char *name, uint64_t *ret_bytes)
{
    struct stat st;
    int fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    bool is_good = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && !(st.st_mode & 022) &&
                   (st.st_uid == geteuid() || st.st_uid == 0);
    if (!is_good) {
        close(fd);
        return E_FORMAT;
    }
    *ret_bytes = (uint64_t)st.st_size;
    return fd;
}

/* Whether each section lies within the file, behind the one before. */
static bool has_places(const struct graph_keep_head *h)
{
    uint64_t page = 1;
    for (uint32_t i = 0; i < GRAPH_KEEP_SECTIONS; i++) {
        const struct graph_keep_place *p = &h->places[i];
        if (p->kind != i || p->page != page || p->row_bytes == 0 || p->row_bytes > PAGE ||
            p->rows > (uint64_t)UINT32_MAX * PAGE / p->row_bytes)
            return false;
        page += (p->rows * p->row_bytes + PAGE - 1) / PAGE;
    }
    return page == h->pages && h->pages < UINT32_MAX;
}

/* Reads the head and the checksums. Errors: E_FORMAT: no index of this dump; others. */
static int read_head(struct loading *l, uint64_t bytes)
{
    struct graph_keep_identity now;
    struct graph *g = l->g;
    int error = heaptable_read_at(l->fd, &l->h, sizeof(l->h), 0);
    if (error < 0)
        return error;
    const struct graph_keep_head *h = &l->h;
    if (h->magic != GRAPH_KEEP_MAGIC || h->version != GRAPH_KEEP_VERSION ||
        h->node_bytes != sizeof(heapnode) ||
        h->check !=
            heaptable_check((const unsigned char *)h, offsetof(struct graph_keep_head, check)) ||
        !has_places(h) || h->pages * (PAGE + sizeof(uint64_t)) != bytes)
        return E_FORMAT;
    error = identify(g, &now);
    if (error < 0)
        return error;
    if (memcmp(&now, &h->of, sizeof(now)) != 0)
        return E_FORMAT;
    g->kept.pages = h->pages;
    g->kept.checks = heaproom_take(&g->room, h->pages * sizeof(uint64_t));
    if (!g->kept.checks)
        return E_LIMIT;
    error = heaptable_read_at(l->fd, g->kept.checks, h->pages * sizeof(uint64_t), h->pages * PAGE);
    if (error == 0 && h->checks != heaptable_check((const unsigned char *)g->kept.checks,
                                                   h->pages * sizeof(uint64_t)))
        error = E_FORMAT;
    return error;
}

/* A walk over the rows of a section, which are read and checked page by page. */
struct rows {
    struct loading *l;
    const struct graph_keep_place *place;
    unsigned char *buffer; /* of a page */
    uint64_t page, next;   /* the page in the buffer + 1; the next row */
    int error;
};

/* The next row, `bytes` long as this build wants it. Returns whether there is one. */
static bool next_row(struct rows *r, void *to, size_t bytes)
{
    unsigned char *out = to;
    if (r->error < 0 || r->next >= r->place->rows)
        return false;
    for (uint64_t at = r->next * bytes, end = at + bytes; at < end;) {
        uint64_t page = r->place->page + at / PAGE, in = at % PAGE;
        uint64_t some = PAGE - in < end - at ? PAGE - in : end - at;
        if (r->page != page + 1) {
            r->error = heaptable_read_at(r->l->fd, r->buffer, PAGE, page * PAGE);
            if (r->error == 0 && heaptable_check(r->buffer, PAGE) != r->l->g->kept.checks[page])
                r->error = E_FORMAT;
            if (r->error < 0)
                return false;
            r->page = page + 1;
        }
        memcpy(out, r->buffer + in, some);
        out += some;
        at += some;
    }
    r->next++;
    return true;
}

static struct rows begin(struct loading *l, enum graph_keep_section section, size_t bytes)
{
    struct rows r = {.l = l, .place = &l->h.places[section]};
    if (r.place->row_bytes != bytes)
        r.error = E_FORMAT;
    r.buffer = heaproom_take(&l->g->room, PAGE);
    if (!r.buffer)
        r.error = E_LIMIT;
    return r;
}

static int end(struct rows *r)
{
    heaproom_give(&r->l->g->room, r->buffer, PAGE);
    return r->error == 0 && r->next != r->place->rows ? E_FORMAT : r->error;
}

static bool is_layout(const struct graph_layout *l, unsigned id_bytes)
{
    return l->id_bytes == id_bytes && (l->ref_bytes == 4 || l->ref_bytes == 8) &&
           l->header_bytes <= 16 && l->array_bytes <= 24 && l->alignment >= 8 &&
           l->alignment <= 256 && (l->alignment & (l->alignment - 1)) == 0;
}

static int load_facts(struct loading *l)
{
    struct graph *g = l->g;
    uint64_t facts[FACTS];
    size_t count = 0;
    struct rows r = begin(l, GRAPH_KEEP_FACTS, sizeof(uint64_t));
    while (count < FACTS && next_row(&r, &facts[count], sizeof(facts[0])))
        count++;
    int error = end(&r);
    if (error < 0 || count < FACTS)
        return error < 0 ? error : E_FORMAT;
    move_facts(&g->facts, facts, false);
    memcpy(g->facts.version, g->head.version, sizeof(g->facts.version));
    g->facts.created_ms = g->head.created_ms;
    g->facts.file_bytes = g->input.bytes;
    return is_layout(&g->facts.layout, g->head.id_bytes) ? 0 : E_FORMAT;
}

static int load_class(struct graph *g, const struct class_row *row)
{
    graph_class klass = heapclass_of(&g->classes, row->id);
    if (klass == GRAPH_NO_CLASS)
        return E_LIMIT;
    if (row->record_at != 0) {
        struct dumpscan s;
        if (!graph_look_at(g, row->record_at, &s) || !dumpscan_next(&s) ||
            s.tag != HEAP_RECORD_CLASS || s.r.object != row->id)
            return E_FORMAT;
        int error = heapclass_take(&g->classes, &s);
        if (error < 0)
            return error;
    }
    struct heapclass_row *to = heapclass_row(&g->classes, klass);
    to->objects = row->objects;
    to->elements = row->elements;
    to->least_gap = row->least_gap;
    to->is_array = row->is_array != 0;
    return 0;
}

static int load_classes(struct loading *l)
{
    struct graph *g = l->g;
    struct class_row row;
    struct rows r = begin(l, GRAPH_KEEP_CLASSES, sizeof(row));
    heapclass_init(&g->classes, &g->room, &g->names, &g->look, g->head.id_bytes);
    while (next_row(&r, &row, sizeof(row)))
        r.error = load_class(g, &row);
    int error = end(&r);
    return error < 0 || g->classes.rows.count == l->h.places[GRAPH_KEEP_CLASSES].rows ? error
                                                                                      : E_FORMAT;
}

static int load_addresses(struct loading *l)
{
    struct graph *g = l->g;
    struct page_row row;
    uint64_t last = 0;
    if (l->h.shift != 0 && l->h.shift != 3)
        return E_FORMAT;
    addrmap_init(&g->map, &g->room, (unsigned)l->h.shift);
    struct rows r = begin(l, GRAPH_KEEP_PAGES, sizeof(row));
    while (next_row(&r, &row, sizeof(row))) {
        if (r.next > 1 && row.key <= last)
            r.error = E_FORMAT;
        else
            r.error = addrmap_add_page(&g->map, row.key, row.words);
        last = row.key;
    }
    int error = end(&r);
    if (error == 0 && (g->map.count > HEAPNODE_MAX || g->map.count != g->facts.objects))
        error = E_FORMAT;
    return error < 0 ? error : addrmap_seal(&g->map);
}

static int load_blocks(struct loading *l)
{
    struct graph_block row, *to;
    struct rows r = begin(l, GRAPH_KEEP_BLOCKS, sizeof(row));
    while (next_row(&r, &row, sizeof(row))) {
        to = heaproom_list_add(&l->g->blocks, &l->g->room, sizeof(*to));
        if (to)
            *to = row;
        else
            r.error = E_LIMIT;
    }
    return end(&r);
}

static int load_roots(struct loading *l)
{
    struct graph *g = l->g;
    struct root_row row;
    uint64_t last = 0;
    struct rows r = begin(l, GRAPH_KEEP_ROOTS, sizeof(row));
    g->root_rows = l->h.places[GRAPH_KEEP_ROOTS].rows;
    if (r.error == 0 && g->root_rows > UINT32_MAX)
        r.error = E_FORMAT;
    g->roots = r.error == 0 ? heaproom_take(&g->room, g->root_rows * sizeof(*g->roots)) : NULL;
    if (!g->roots && r.error == 0)
        r.error = E_LIMIT;
    while (g->roots && next_row(&r, &row, sizeof(row))) {
        if (row.object >= g->map.count || row.object < last || row.kind >= GRAPH_ROOT_KINDS ||
            (row.thread >= g->map.count && row.thread != GRAPH_NONE)) {
            r.error = E_FORMAT;
            break;
        }
        last = row.object;
        g->roots[g->facts.roots++] =
            (struct graph_root){row.object, row.thread, (enum graph_root_kind)row.kind,
                                (uint32_t)row.thread_serial, (uint32_t)row.frame};
    }
    return end(&r);
}

static int load_threads(struct loading *l)
{
    struct graph *g = l->g;
    struct thread_row row;
    struct rows r = begin(l, GRAPH_KEEP_THREADS, sizeof(row));
    while (next_row(&r, &row, sizeof(row))) {
        struct graph_thread *to = heaproom_list_add(&g->threads, &g->room, sizeof(*to));
        if (!to)
            r.error = E_LIMIT;
        else if (row.object >= g->map.count && row.object != GRAPH_NONE)
            r.error = E_FORMAT;
        else
            *to = (struct graph_thread){(uint32_t)row.serial, (uint32_t)row.trace, row.object};
    }
    return end(&r);
}

static int load_large(struct loading *l)
{
    struct graph *g = l->g;
    struct large_row row;
    struct rows r = begin(l, GRAPH_KEEP_LARGE, sizeof(row));
    while (next_row(&r, &row, sizeof(row))) {
        struct graph_large *to = heaproom_list_add(&g->d.large, &g->room, sizeof(*to));
        if (!to)
            r.error = E_LIMIT;
        else if (row.object >= g->map.count)
            r.error = E_FORMAT;
        else
            *to = (struct graph_large){row.units, (heapnode)row.object};
    }
    return end(&r);
}

/* What is left of the dominators: tables that are read when they are needed. */
static int load_tables(struct loading *l)
{
    struct graph *g = l->g;
    const struct graph_keep_place *p = l->h.places;
    uint64_t row, at = 0;
    int error = bitrank_init(&g->d.holders, &g->room, g->map.count);
    if (error == 0 && p[GRAPH_KEEP_HOLDERS].rows != g->d.holders.word_count)
        error = E_FORMAT;
    if (error < 0)
        return error;
    struct rows r = begin(l, GRAPH_KEEP_HOLDERS, sizeof(row));
    while (next_row(&r, &row, sizeof(row)))
        g->d.holders.words[at++] = row;
    error = end(&r);
    int64_t holders = error < 0 ? error : bitrank_seal(&g->d.holders, &g->room);
    if (holders < 0)
        return (int)holders;
    if (p[GRAPH_KEEP_DOM].rows != g->map.count || p[GRAPH_KEEP_DOM].row_bytes != sizeof(heapnode) ||
        p[GRAPH_KEEP_SHALLOW].rows != g->map.count || p[GRAPH_KEEP_SHALLOW].row_bytes != 1 ||
        p[GRAPH_KEEP_SUMS].rows != (uint64_t)holders ||
        (p[GRAPH_KEEP_SUMS].row_bytes != 4 && p[GRAPH_KEEP_SUMS].row_bytes != 8))
        return E_FORMAT;
    heaptable_open_kept(&g->kept.store, &g->room, l->fd, l->h.pages, g->kept.checks);
    l->fd = -1;
    g->store.other = &g->kept.store;
    struct heaptable *const tables[] = {&g->d.dom, &g->d.shallow, &g->d.sums};
    for (int i = 0; error == 0 && i < 3; i++)
        error = heaptable_keep(tables[i], &g->kept.store, p[GRAPH_KEEP_DOM + i].rows,
                               p[GRAPH_KEEP_DOM + i].row_bytes, p[GRAPH_KEEP_DOM + i].page);
    g->d.is_known = error == 0;
    return error;
}

static int load(struct loading *l)
{
    struct graph *g = l->g;
    char why[GRAPH_WHY];
    static int (*const steps[])(struct loading *) = {
        load_facts, load_classes, load_addresses, load_blocks,
        load_roots, load_threads, load_large,     load_tables,
    };
    int error = graph_index_records(g, &g->look, why);
    for (size_t i = 0; error == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
        error = steps[i](l);
    if (error == 0)
        error = heapclass_seal(&g->classes, &g->map);
    if (error == 0)
        heapclass_measure(&g->classes, &g->facts.layout, g->options.sizes);
    return error;
}

bool graph_keep_load(struct graph *g)
{
    char name[NAME];
    uint64_t bytes = 0;
    struct loading l = {.g = g};
    name_index(g, name);
    l.fd = is_file(g) ? open_index(name, &bytes) : -1;
    if (l.fd < 0)
        return false;
    int error = read_head(&l, bytes);
    if (error == 0)
        error = load(&l);
    if (l.fd >= 0)
        close(l.fd);
    g->kept.is_used = error == 0;
    if (error < 0)
        graph_keep_forget(g);
    return error == 0;
}

void graph_keep_forget(struct graph *g)
{
    graph_dominate_forget(g);
    if (g->kept.store.room)
        heaptable_close(&g->kept.store);
    g->kept.store.room = NULL;
    g->store.other = NULL;
    heaproom_give(&g->room, g->kept.checks, g->kept.pages * sizeof(uint64_t));
    g->kept.checks = NULL;
    graph_index_forget(g);
    g->look.error = 0;
}
