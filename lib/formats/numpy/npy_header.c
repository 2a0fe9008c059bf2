/* The header of a NumPy array: see npy_header.h. */
#include "npy_header.h"

#include "checked.h"
#include "json_text.h"

#define NDIM_USUAL 32u                      /* NumPy 1's limit */
#define EMPTY_ITEMS_MAX (UINT64_C(1) << 20) /* elements of no bytes: beyond, the shape is there to be iterated */

void npy_finding(const struct npy_place *p, enum wlk_finding code, uint64_t at)
{
	report_finding(p->report,
	    &(struct finding){ .code = code, .has_offset = true, .offset = p->origin + at, .member = p->member });
}

void npy_finding_value(const struct npy_place *p, enum wlk_finding code, uint64_t at, uint64_t found, uint64_t allowed)
{
	report_finding(p->report, &(struct finding){ .code = code,
				      .has_offset = true,
				      .offset = p->origin + at,
				      .member = p->member,
				      .found = value_number(found),
				      .allowed = value_number(allowed) });
}

struct header_reader {
	const struct npy_place *place;
	uint64_t at; /* of the text in the array */
	unsigned version;
	struct literal l;
	struct npy_header *h;
	unsigned seen; /* keys, a bit each */
};

/* A finding at the current token. */
static bool refuse(const struct header_reader *r, enum wlk_finding code)
{
	npy_finding(r->place, code, r->at + r->l.begin);
	return false;
}

static bool refuse_descr(const struct header_reader *r, enum numpy_error err)
{
	switch (err) {
	case NUMPY_UNKNOWN: return refuse(r, WLK_F_NPY_DESCR_UNKNOWN);
	case NUMPY_DUPLICATE: return refuse(r, WLK_F_NPY_FIELD_DUPLICATE);
	case NUMPY_TOO_LARGE: return refuse(r, WLK_F_NPY_FIELD_LIMIT);
	case NUMPY_MEMORY: return false;
	default: return refuse(r, WLK_F_NPY_HEADER_SYNTAX);
	}
}

static bool read_descr(struct header_reader *r)
{
	enum numpy_error err = numpy_record_read(&r->l, &r->h->record);

	return err == NUMPY_OK || refuse_descr(r, err);
}

static bool read_order(struct header_reader *r)
{
	if (r->l.kind != LITERAL_WORD || r->l.mark == 'N')
		return refuse(r, WLK_F_NPY_HEADER_SYNTAX);
	r->h->fortran_order = r->l.mark == 'T';
	literal_next(&r->l);
	return true;
}

static bool read_shape(struct header_reader *r)
{
	struct numpy_shape *s = &r->h->shape;

	if (!numpy_shape_read(&r->l, false, s))
		return refuse(r, WLK_F_NPY_HEADER_SYNTAX);
	if (s->invalid)
		return refuse(r, WLK_F_NPY_SHAPE);
	if (s->too_many)
		return refuse(r, WLK_F_NPY_NDIM_LIMIT);
	if (s->overflow)
		return refuse(r, WLK_F_NPY_SIZE_OVERFLOW);
	if (s->n > NDIM_USUAL)
		npy_finding_value(r->place, WLK_F_NPY_NDIM, r->at, s->n, NDIM_USUAL);
	return true;
}

static const struct {
	const char *name;
	bool (*read)(struct header_reader *r);
} keys[] = {
	{ "descr", read_descr },
	{ "fortran_order", read_order },
	{ "shape", read_shape },
};

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

/* 'key': value */
static bool read_pair(struct header_reader *r)
{
	size_t k = 0;

	if (r->l.kind != LITERAL_STRING)
		return refuse(r, WLK_F_NPY_HEADER_SYNTAX);
	while (k < N_KEYS && !bytes_equal(r->l.string, bytes_of_text(keys[k].name)))
		k++;
	if (k == N_KEYS || (r->seen & 1u << k) != 0)
		return refuse(r, WLK_F_NPY_HEADER_KEYS);
	r->seen |= 1u << k;
	literal_next(&r->l);
	if (!literal_take(&r->l, ':'))
		return refuse(r, WLK_F_NPY_HEADER_SYNTAX);
	return keys[k].read(r);
}

static bool read_dictionary(struct header_reader *r)
{
	bool more = true;

	if (r->l.text.n > 0 && r->l.text.at[0] == ' ')
		r->l.lax |= LITERAL_LAX_SPACE; /* older Pythons take it for an indentation and refuse */
	literal_next(&r->l);
	if (!literal_take(&r->l, '{'))
		return refuse(r, WLK_F_NPY_HEADER_SYNTAX);
	for (; !(r->l.kind == LITERAL_MARK && r->l.mark == '}'); more = literal_take(&r->l, ','))
		if (!more)
			return refuse(r, WLK_F_NPY_HEADER_SYNTAX);
		else if (!read_pair(r))
			return false;
	if (r->seen != (1u << N_KEYS) - 1)
		return refuse(r, WLK_F_NPY_HEADER_KEYS);
	return true;
}

/* Behind the closing brace: spaces, and one line feed. */
static bool read_padding(struct header_reader *r)
{
	struct bytes text = r->l.text;
	size_t at = r->l.at;

	while (at < text.n && text.at[at] == ' ')
		at++;
	if (at == text.n) {
		npy_finding(r->place, WLK_F_NPY_HEADER_NEWLINE, r->at + at);
		return true;
	}
	if (text.n - at == 1 && text.at[at] == '\n')
		return true;
	literal_next(&r->l); /* comments and blank lines are Python, and not a header's */
	if (r->l.kind != LITERAL_END)
		return refuse(r, WLK_F_NPY_HEADER_SYNTAX);
	return true;
}

static void note_forms(const struct header_reader *r)
{
	unsigned notes = r->h->record.type.notes;
	unsigned lax = r->l.lax & ~(unsigned)LITERAL_LAX_LONG;
	const struct {
		bool is;
		enum wlk_finding code;
	} all[] = {
		{ lax != 0, WLK_F_NPY_HEADER_NONCANONICAL },
		{ (r->l.lax & LITERAL_LAX_LONG) != 0, WLK_F_NPY_PYTHON2_LONG },
		{ (notes & NUMPY_NATIVE) != 0, WLK_F_NPY_DESCR_NATIVE },
		{ (notes & NUMPY_NONCANONICAL) != 0, WLK_F_NPY_DESCR_NONCANONICAL },
		{ (notes & NUMPY_ENDIAN_I1) != 0, WLK_F_NPY_DESCR_REDUNDANT_ORDER },
		{ (notes & NUMPY_LONG_DOUBLE) != 0, WLK_F_NPY_LONGDOUBLE },
		{ (notes & NUMPY_VOID) != 0, WLK_F_NPY_VOID_OPAQUE },
		{ r->h->fortran_order && r->h->shape.n <= 1, WLK_F_NPY_FORTRAN_REDUNDANT },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].is)
			npy_finding(r->place, all[i].code, r->at);
}

/* Python 3 has no 3L, and NumPy strips the letter from headers of version 1 and 2 only. */
static bool check_long(const struct header_reader *r)
{
	return (r->l.lax & LITERAL_LAX_LONG) == 0 || r->version < 3 || refuse(r, WLK_F_NPY_HEADER_SYNTAX);
}

/* Rules 6 and 9. */
static bool count_bytes(const struct header_reader *r)
{
	struct npy_header *h = r->h;
	uint64_t item = h->record.type.bytes, most;

	if (!mul_u64(h->shape.nonzero, item, &most) || most > INT64_MAX)
		return refuse(r, WLK_F_NPY_SIZE_OVERFLOW);
	h->data_bytes = h->shape.count > 0 ? most : 0;
	if (item == 0 && h->shape.count > EMPTY_ITEMS_MAX)
		npy_finding_value(r->place, WLK_F_NPY_ITEMSIZE_ZERO, r->at, h->shape.count, EMPTY_ITEMS_MAX);
	return true;
}

bool npy_header_read(const struct npy_place *p, struct bytes text, uint64_t at, unsigned version, struct arena *arena,
    struct npy_header *ret)
{
	struct header_reader r = { .place = p, .at = at, .version = version, .h = ret };

	*ret = (struct npy_header){ 0 };
	literal_init(&r.l, text, arena);
	if (text.n == 0 || memchr(text.at, '\0', text.n) != NULL ||
	    (version == 3 && utf8_check(text) < text.n)) /* Latin-1 before: any byte is a character */
		return refuse(&r, WLK_F_NPY_HEADER_SYNTAX);
	if (!read_dictionary(&r) || !read_padding(&r) || !check_long(&r) || !count_bytes(&r))
		return false;
	note_forms(&r);
	return true;
}
