/* Parquet: columns of tables, and a footer in Thrift that says where they are.  See parquet_impl.h.
 *
 * The footer is read to its last byte, and every chunk and index it tells of is compared with the file and with each
 * other.  It is data, no model.  The pages in the chunks are not looked at, and readers were seen to abort on them: a file is never
 * accepted. */
#include "parquet.h"
#include "parquet_impl.h"

#include "checked.h"
#include "identify_signs.h"
#include "utf8.h"

#include <string.h>

#define MAGIC_BYTES 4u
#define TAIL_BYTES 8u       /* the footer's length, the magic */
#define SIGNATURE_BYTES 28u /* behind a footer that is signed and not encrypted: nonce and tag */
#define NUMBERS 16u         /* fields of a column chunk and its metadata are below */

struct numbers {
	int64_t of[NUMBERS];
	uint32_t present;
};

struct parquet {
	struct layout *l;
	uint64_t footer; /* where it begins */
	struct parquet_tree tree;
	struct numbers column, meta;
	struct bytes path;
	struct bytes key, value;
	uint64_t value_at;
	uint64_t columns; /* of the row group at hand */
	bool encrypted;   /* columns or all of it */
	bool broken;      /* told */
	bool failed;      /* no memory */
};

static void tell(struct parquet *p, enum wlk_finding code, uint64_t at, const char *what)
{
	p->broken = true;
	layout_finding(
	    p->l, &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = bytes_of_text(what) });
}

static void tell_once(struct parquet *p, enum wlk_finding code, uint64_t at, const char *what)
{
	if (p->l->report->per_code[code] == 0)
		tell(p, code, at, what);
}

/* -- where things are -- */

static bool has(const struct numbers *n, unsigned id)
{
	return (n->present >> id & 1) != 0;
}

static void add_extent(struct parquet *p, uint64_t begin, uint64_t end, enum extent_kind kind)
{
	struct extent *e = extents_add(p->l->extents);

	if (e != NULL)
		*e = (struct extent){ .begin = begin, .end = end, .kind = (uint8_t)kind };
	else
		p->failed = true;
}

/* Between the magic and the footer. */
static void claim(struct parquet *p, uint64_t at, int64_t offset, int64_t bytes, const char *what)
{
	uint64_t begin = (uint64_t)offset;

	if (bytes == 0)
		return;
	if (offset < (int64_t)MAGIC_BYTES || bytes < 0 || begin > p->footer || (uint64_t)bytes > p->footer - begin)
		tell(p, WLK_F_PARQUET_CHUNK, at, what);
	else
		add_extent(p, begin, begin + (uint64_t)bytes, EXTENT_METADATA);
}

/* A dictionary stands in front of the data, of which there may be none. */
static void claim_pages(struct parquet *p, uint64_t at)
{
	int64_t data = p->meta.of[META_DATA_AT], dictionary = p->meta.of[META_DICTIONARY_AT];
	bool first = has(&p->meta, META_DICTIONARY_AT) && dictionary > 0 && (dictionary < data || data == 0);

	claim(p, at, first ? dictionary : data, p->meta.of[META_BYTES], "column chunk");
}

static void end_column(struct parquet *p, uint64_t at)
{
	p->columns++;
	if (p->path.n > 0) {
		p->broken = true;
		layout_finding(p->l,
		    &(struct finding){
			.code = WLK_F_PARQUET_EXTERNAL_FILE, .has_offset = true, .offset = at, .subject = p->path });
	} else if (has(&p->column, COLUMN_META)) {
		claim_pages(p, at);
	} else if (!has(&p->column, COLUMN_CRYPTO)) {
		tell(p, WLK_F_PARQUET_FOOTER, at, "column without metadata");
	}
	if (p->path.n == 0 && has(&p->meta, META_BLOOM_BYTES))
		claim(p, at, p->meta.of[META_BLOOM_AT], p->meta.of[META_BLOOM_BYTES], "bloom filter");
	claim(p, at, p->column.of[COLUMN_OFFSETS_AT], p->column.of[COLUMN_OFFSETS_BYTES], "offset index");
	claim(p, at, p->column.of[COLUMN_INDEX_AT], p->column.of[COLUMN_INDEX_BYTES], "column index");
}

/* -- the footer -- */

#define ARROW_KEY "ARROW:schema"

static void end_pair(struct parquet *p)
{
	bool sound;

	if (!bytes_equal(p->key, bytes_of_text(ARROW_KEY)))
		return;
	if (!parquet_check_arrow(p->l, p->value, p->value_at, &sound))
		p->failed = true;
	p->broken = p->broken || !sound;
}

static void on_open(void *ctx, const struct thrift_struct *s, uint64_t at)
{
	struct parquet *p = ctx;

	if (s == &parquet_group) {
		p->columns = 0;
	} else if (s == &parquet_column) {
		p->column = p->meta = (struct numbers){ 0 };
		p->path = (struct bytes){ 0 };
	} else if (s == &parquet_meta) {
		p->column.present |= 1u << COLUMN_META;
	} else if (s == &parquet_pair) {
		p->key = p->value = (struct bytes){ 0 };
	} else if (s == &parquet_crypto) {
		p->encrypted = true;
		p->column.present |= 1u << COLUMN_CRYPTO;
		tell_once(p, WLK_F_PARQUET_ENCRYPTED, at, "encryption");
	}
}

static void on_close(void *ctx, const struct thrift_struct *s, uint64_t at)
{
	struct parquet *p = ctx;

	if (s == &parquet_element && !parquet_tree_add(&p->tree))
		tell_once(p, WLK_F_PARQUET_FOOTER, at, "schema");
	else if (s == &parquet_column)
		end_column(p, at);
	else if (s == &parquet_group && p->columns != p->tree.leaves)
		tell(p, WLK_F_PARQUET_FOOTER, at, "columns of a row group");
	else if (s == &parquet_pair)
		end_pair(p);
	else if (s == &parquet_file && (p->tree.depth > 0 || !p->tree.begun))
		tell(p, WLK_F_PARQUET_FOOTER, at, "schema");
}

static void keep(struct numbers *n, const struct thrift_value *v)
{
	if (v->id < NUMBERS) {
		n->of[v->id] = v->number;
		n->present |= 1u << v->id;
	}
}

/* Readers know types, kinds and codecs by number, and names as UTF-8. */
static bool value_fits(const struct thrift_value *v)
{
	enum { TYPE_MAX = 7, REPETITION_MAX = 2, CONVERTED_MAX = 21, CODEC_MAX = 7 };
	uint64_t n = (uint64_t)v->number;

	if (v->in == &parquet_element)
		switch (v->id) {
		case ELEMENT_TYPE: return n <= TYPE_MAX;
		case ELEMENT_LENGTH: return v->number >= 0;
		case ELEMENT_REPETITION: return n <= REPETITION_MAX;
		case ELEMENT_NAME: return utf8_check(v->text) == v->text.n;
		case ELEMENT_CONVERTED: return n <= CONVERTED_MAX;
		default: return true;
		}
	if (v->in == &parquet_meta)
		return (v->id != META_TYPE || n <= TYPE_MAX) && (v->id != META_CODEC || n <= CODEC_MAX);
	return v->in != &parquet_file || v->id != FILE_CREATED_BY || utf8_check(v->text) == v->text.n;
}

static void on_value(void *ctx, const struct thrift_value *v)
{
	struct parquet *p = ctx;

	if (!value_fits(v))
		tell_once(p, WLK_F_PARQUET_FOOTER, v->at, "a number or text that readers do not know");

	if (v->in == &parquet_element) {
		p->tree.typed = p->tree.typed || v->id == ELEMENT_TYPE;
		if (v->id == ELEMENT_CHILDREN)
			p->tree.children = v->number;
	} else if (v->in == &parquet_column) {
		keep(&p->column, v);
		if (v->id == COLUMN_PATH)
			p->path = v->text;
	} else if (v->in == &parquet_meta) {
		keep(&p->meta, v);
	} else if (v->in == &parquet_pair) {
		*(v->id == PAIR_KEY ? &p->key : &p->value) = v->text;
		p->value_at = v->at;
	} else if ((v->in == &parquet_group && v->id == GROUP_ROWS) || (v->in == &parquet_file && v->id == FILE_ROWS)) {
		if (v->number < 0)
			tell(p, WLK_F_PARQUET_FOOTER, v->at, "rows");
	}
}

static void read_footer(struct parquet *p, struct bytes footer)
{
	struct thrift t = {
		.cursor = cur_over(footer, p->footer), .ctx = p, .open = on_open, .value = on_value, .close = on_close
	};
	uint64_t left;

	if (!thrift_read(&t, &parquet_file)) {
		tell(p, WLK_F_PARQUET_FOOTER, t.cursor.pos, t.fault);
		return;
	}
	left = cur_left(&t.cursor);
	if (left != 0 && !(p->encrypted && left == SIGNATURE_BYTES)) {
		p->broken = true;
		layout_value(p->l, WLK_F_PARQUET_FOOTER, t.cursor.pos, left, 0);
	}
}

/* -- the file -- */

/* The length in front of the last magic.  False: told. */
static bool find_footer(struct parquet *p, bool *ret_encrypted, uint32_t *ret_n)
{
	uint64_t size = p->l->part.size;
	uint8_t head[MAGIC_BYTES], tail[TAIL_BYTES];

	if (size < MAGIC_BYTES + TAIL_BYTES) {
		tell(p, WLK_F_PARQUET_FOOTER, 0, "file");
		return false;
	}
	if (!part_read_guarded(&p->l->part, 0, head, sizeof(head)) ||
	    !part_read_guarded(&p->l->part, size - TAIL_BYTES, tail, sizeof(tail))) {
		p->failed = true;
		return false;
	}
	*ret_encrypted = memcmp(head, "PARE", MAGIC_BYTES) == 0;
	*ret_n = load_u32le(tail);
	if ((!*ret_encrypted && memcmp(head, "PAR1", MAGIC_BYTES) != 0) || memcmp(head, tail + 4, MAGIC_BYTES) != 0)
		tell(p, WLK_F_PARQUET_FOOTER, size - MAGIC_BYTES, "magic");
	else if (*ret_n > size - MAGIC_BYTES - TAIL_BYTES)
		tell(p, WLK_F_PARQUET_FOOTER, size - TAIL_BYTES, "length");
	else
		return true;
	return false;
}

static const uint8_t *pin_footer(struct parquet *p, uint32_t n)
{
	struct layout *l = p->l;

	if (n > l->lim->header_bytes) {
		p->broken = true;
		layout_value(l, WLK_F_PARQUET_FOOTER, l->part.size - TAIL_BYTES, n, l->lim->header_bytes);
		return NULL;
	}
	arena_raise_budget(l->arena, layout_memory(l->lim, n));
	source_raise_pin_budget(l->src, n);
	return part_pin(&l->part, p->footer, n);
}

/* Writers leave room between chunks, and put copies of what the footer says there: data like the pages. */
static void fill_gaps(struct parquet *p)
{
	struct extents *x = p->l->extents;
	size_t n = x->n;
	uint64_t at = 0;

	if (!x->gaps)
		return;
	for (size_t i = 0; i < n; i++) {
		uint64_t begin = x->list[i].begin, end = x->list[i].end;

		if (begin > at && !p->failed)
			add_extent(p, at, begin, EXTENT_METADATA);
		at = end > at ? end : at;
	}
	x->gaps = false;
}

static void read_file(struct parquet *p)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_PARQUET_OVERLAP,
		.hole = WLK_F_PARQUET_CHUNK,
		.out_of_bounds = WLK_F_PARQUET_CHUNK,
		.trailing = WLK_F_PARQUET_CHUNK,
		.gaps_unknown = true };
	struct layout *l = p->l;
	const uint8_t *footer;
	bool encrypted;
	uint32_t n;

	if (!find_footer(p, &encrypted, &n))
		return;
	p->footer = l->part.size - TAIL_BYTES - n;
	if (encrypted) {
		tell(p, WLK_F_PARQUET_ENCRYPTED, 0, "footer");
		return;
	}
	footer = pin_footer(p, n);
	if (footer == NULL) {
		p->failed = !p->broken;
		return;
	}
	add_extent(p, 0, MAGIC_BYTES, EXTENT_HEADER);
	read_footer(p, bytes_of(footer, n));
	add_extent(p, p->footer, l->part.size, EXTENT_HEADER);
	p->failed = p->failed || extents_cover(l->extents, 0, l->part.size, &codes, l->report) != WLK_DONE;
	if (!p->failed && !p->broken)
		fill_gaps(p);
	p->failed = p->failed || extents_cover(l->extents, 0, l->part.size, &codes, l->report) != WLK_DONE;
}

/* -- as a format -- */

static enum wlk_status layout(struct layout *l)
{
	struct parquet *p = arena_alloc(l->arena, 1, sizeof(*p));

	if (p == NULL)
		return layout_stop(l);
	p->l = l;
	read_file(p);
	if (p->failed)
		return layout_stop(l);
	if (!p->broken && l->report->per_code[WLK_F_PARQUET_OVERLAP] == 0)
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
	return WLK_BROKEN;
}

static bool probe(const struct probe *p)
{
	return identify_sign_is(WLK_FORMAT_PARQUET, bytes_of(p->head, p->n), p->size);
}

const struct wlk_format format_parquet = {
	.id = WLK_FORMAT_PARQUET, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};
