/* Headers of tar archives: see tar_header.h. */
#include "tar_header.h"

#include <string.h>

#include "checked.h"
#include "tar_python.h"

/* Where the fields are, and how long. */
enum { NAME_AT = 0, SIZE_AT = 124, SUM_AT = 148, TYPE_AT = 156, MAGIC_AT = 257, PREFIX_AT = 345 };
enum { NAME_N = 100, SIZE_N = 12, SUM_N = 8, MAGIC_N = 8, PREFIX_N = 155 };

#define BINARY_NUMBER 0x80
#define BINARY_NEGATIVE 0xff
#define MTIME_N 12
#define MAGIC_POSIX "ustar\00000"
#define MAGIC_GNU "ustar  \0"

static struct bytes text_at(const uint8_t *block, size_t at, size_t n)
{
	return bytes_of(block + at, strnlen((const char *)block + at, n));
}

/* Octal digits, blanks before them, a blank or NUL behind; or, in GNU's way, big endian behind 80. */
static bool read_number(const uint8_t *at, size_t n, uint64_t *ret)
{
	uint64_t value = 0;
	size_t i = 0;

	if (at[0] == BINARY_NUMBER) {
		for (i = 1; i < n; i++)
			if (!mul_u64(value, 256, &value) || !add_u64(value, at[i], &value))
				return false;
		*ret = value;
		return true;
	}
	while (i < n && at[i] == ' ')
		i++;
	for (; i < n && at[i] >= '0' && at[i] <= '7'; i++)
		if (!mul_u64(value, 8, &value) || !add_u64(value, at[i] - '0', &value))
			return false;
	for (size_t j = i; j < n; j++)
		if (at[j] != ' ' && at[j] != 0)
			return false;
	*ret = value;
	return true;
}

/* Of a file that nobody has changed since before 1970. */
static bool is_negative_time(const uint8_t *at, size_t n)
{
	return n == MTIME_N && at[0] == BINARY_NEGATIVE;
}

/* Mode, owners, time, device: where one of them is no number Python's archive ends without a word, and other tars go on. */
static bool numbers_are_sound(const uint8_t block[TAR_BLOCK])
{
	static const struct {
		uint16_t at;
		uint8_t n;
	} fields[] = { { 100, 8 }, { 108, 8 }, { 116, 8 }, { 136, MTIME_N }, { 329, 8 }, { 337, 8 } };
	struct tar_python python;
	uint64_t ignored;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!read_number(block + fields[i].at, fields[i].n, &ignored) &&
		    !is_negative_time(block + fields[i].at, fields[i].n))
			return false;
	return tar_python_header(block, &python);
}

static bool sum_is_right(const uint8_t block[TAR_BLOCK])
{
	uint64_t stored, sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= SUM_AT && i < SUM_AT + SUM_N ? ' ' : block[i];
	return read_number(block + SUM_AT, SUM_N, &stored) && stored == sum;
}

static bool has_magic(const uint8_t block[TAR_BLOCK])
{
	return memcmp(block + MAGIC_AT, "ustar", 5) == 0;
}

/* What only Python's tarfile takes is told by tar_header_read(): no two readers take it alike. */
bool tar_begins(const uint8_t block[TAR_BLOCK])
{
	struct tar_python python;

	return has_magic(block) || (block[0] != 0 && sum_is_right(block)) ||
	       (tar_python_header(block, &python) && (python.spelt || python.extended));
}

/* -- names -- */

static bool is_unsafe_part(struct bytes part)
{
	return part.n == 2 && part.at[0] == '.' && part.at[1] == '.';
}

/* Relative, inside, and spelt alike for every reader. */
static bool name_is_safe(struct bytes name)
{
	size_t begin = 0;

	if (name.n > 0 && name.at[0] == '/')
		return false;
	for (size_t i = 0; i <= name.n; i++) {
		uint8_t c = i < name.n ? name.at[i] : '/';

		if (c < ' ' || c == 0x7f || c == '\\' || c == ':')
			return false;
		if (c != '/')
			continue;
		if (is_unsafe_part(bytes_of(name.at + begin, i - begin)))
			return false;
		begin = i + 1;
	}
	return true;
}

static bool ends_with_slash(struct bytes name)
{
	return name.n > 0 && name.at[name.n - 1] == '/';
}

/* "./a//b/" is a/b: the same file to whoever unpacks both. */
static void set_name(struct tar_header *h, struct bytes name)
{
	size_t begin = 0;

	h->name_n = 0;
	for (size_t i = 0; i <= name.n; i++) {
		struct bytes part = bytes_of(name.at + begin, i - begin);

		if (i < name.n && name.at[i] != '/')
			continue;
		begin = i + 1;
		if (part.n == 0 || (part.n == 1 && part.at[0] == '.'))
			continue;
		if (h->name_n > 0)
			h->name[h->name_n++] = '/'; /* never longer than what it is made of */
		bytes_copy(h->name + h->name_n, part);
		h->name_n += part.n;
	}
}

static bool is_posix(const uint8_t block[TAR_BLOCK])
{
	return memcmp(block + MAGIC_AT, MAGIC_POSIX, MAGIC_N) == 0;
}

/* The name of the header itself: a prefix before it in POSIX archives. */
static struct bytes own_name(const uint8_t block[TAR_BLOCK], uint8_t buf[PREFIX_N + 1 + NAME_N])
{
	struct bytes name = text_at(block, NAME_AT, NAME_N), prefix = text_at(block, PREFIX_AT, PREFIX_N);
	size_t n = 0;

	if (is_posix(block) && prefix.n > 0) {
		bytes_copy(buf, prefix);
		buf[prefix.n] = '/';
		n = prefix.n + 1;
	}
	bytes_copy(buf + n, name);
	return bytes_of(buf, n + name.n);
}

/* -- headers -- */

static bool read_kind(uint8_t type, enum tar_kind *ret, enum wlk_finding *ret_code)
{
	switch (type) {
	case 0:
	case '0': *ret = TAR_FILE; return true;
	case '5': *ret = TAR_FOLDER; return true;
	case 'L': *ret = TAR_LONG_NAME; return true;
	case 'x': *ret = TAR_PAX; return true;
	case '1':
	case '2':
	case 'K': *ret_code = WLK_F_TAR_LINK; return false;
	case 'g': *ret_code = WLK_F_TAR_PAX; return false;
	default: *ret_code = WLK_F_TAR_SPECIAL_FILE; return false;
	}
}

static bool refuse(enum wlk_finding code, enum wlk_finding *ret_code)
{
	*ret_code = code;
	return false;
}

/* An extended size stands where the header's own is too small for it, and then that is 0 or the same. */
static bool read_size(
    const uint8_t block[TAR_BLOCK], const struct tar_extended *x, struct tar_header *h, enum wlk_finding *ret_code)
{
	if (!read_number(block + SIZE_AT, SIZE_N, &h->size))
		return refuse(WLK_F_TAR_SIZE, ret_code);
	if (x->has_size && h->size != 0 && h->size != x->size)
		return refuse(WLK_F_TAR_PAX, ret_code);
	if (x->has_size)
		h->size = x->size;
	if (h->kind == TAR_FOLDER && h->size != 0)
		return refuse(WLK_F_TAR_SIZE, ret_code);
	if ((h->kind == TAR_LONG_NAME || h->kind == TAR_PAX) && h->size > TAR_NAME_MAX)
		return refuse(WLK_F_TAR_PAX, ret_code);
	return true;
}

/* A file whose name ends with a slash was a folder to the tars of old, and is to Python where its type is NUL: it then takes
 * what follows for the next header.  Where nothing follows all agree. */
static bool read_slash(
    const uint8_t block[TAR_BLOCK], const struct tar_extended *x, struct tar_header *h, enum wlk_finding *ret_code)
{
	bool own = ends_with_slash(text_at(block, NAME_AT, NAME_N));
	bool given = x->has_name && ends_with_slash(bytes_of(x->name, x->name_n));

	if (h->kind != TAR_FILE || !(own || given))
		return true;
	if (block[TYPE_AT] != 0 || h->size != 0 || x->any)
		return refuse(WLK_F_TAR_SPECIAL_FILE, ret_code);
	h->kind = TAR_FOLDER;
	return true;
}

static bool read_member(
    const uint8_t block[TAR_BLOCK], struct tar_extended *x, struct tar_header *h, enum wlk_finding *ret_code)
{
	uint8_t buf[PREFIX_N + 1 + NAME_N];
	struct bytes name = x->has_name ? bytes_of(x->name, x->name_n) : own_name(block, buf);

	if (!name_is_safe(name))
		return refuse(WLK_F_TAR_NAME_TRAVERSAL, ret_code);
	if (!read_slash(block, x, h, ret_code))
		return false;
	set_name(h, name);
	if (h->name_n == 0 && h->kind == TAR_FILE)
		return refuse(WLK_F_TAR_NAME_TRAVERSAL, ret_code);
	*x = (struct tar_extended){ 0 };
	return true;
}

static bool has_known_magic(const uint8_t block[TAR_BLOCK])
{
	static const uint8_t no_magic[MAGIC_N];

	return is_posix(block) || memcmp(block + MAGIC_AT, MAGIC_GNU, MAGIC_N) == 0 ||
	       memcmp(block + MAGIC_AT, no_magic, MAGIC_N) == 0;
}

bool tar_header_read(
    const uint8_t block[TAR_BLOCK], struct tar_extended *x, struct tar_header *ret, enum wlk_finding *ret_code)
{
	ret->name_n = 0;
	if (!sum_is_right(block))
		return refuse(WLK_F_TAR_CHECKSUM, ret_code);
	if (!has_known_magic(block))
		return refuse(WLK_F_TAR_SPECIAL_FILE, ret_code);
	if (!read_kind(block[TYPE_AT], &ret->kind, ret_code) || !read_size(block, x, ret, ret_code))
		return false;
	if (!numbers_are_sound(block))
		return refuse(WLK_F_TAR_SIZE, ret_code);
	/* Python and 7-Zip put it before the name in any archive, others only where POSIX' magic stands. */
	if (!is_posix(block) && block[PREFIX_AT] != 0)
		return refuse(WLK_F_TAR_PAX, ret_code);
	if (ret->kind != TAR_LONG_NAME && ret->kind != TAR_PAX)
		return read_member(block, x, ret, ret_code);
	return !x->any || refuse(WLK_F_TAR_PAX, ret_code);
}

/* -- extended headers -- */

static bool take_name(struct tar_extended *x, struct bytes name)
{
	if (x->has_name || name.n == 0 || name.n > TAR_NAME_MAX || memchr(name.at, 0, name.n) != NULL)
		return false;
	bytes_copy(x->name, name);
	x->name_n = name.n;
	x->has_name = true;
	return true;
}

static bool read_decimal(struct bytes text, uint64_t *ret)
{
	uint64_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		if (text.at[i] < '0' || text.at[i] > '9' || !mul_u64(n, 10, &n) || !add_u64(n, text.at[i] - '0', &n))
			return false;
	*ret = n;
	return text.n > 0;
}

static bool key_is(struct bytes key, const char *text)
{
	return bytes_equal(key, bytes_of_text(text));
}

/* Times and owners change nothing about what is unpacked; everything else does, or nobody knows. */
static bool is_harmless(struct bytes key)
{
	return key_is(key, "mtime") || key_is(key, "atime") || key_is(key, "ctime") || key_is(key, "uid") ||
	       key_is(key, "gid") || key_is(key, "uname") || key_is(key, "gname");
}

static bool take_record(struct tar_extended *x, struct bytes key, struct bytes value)
{
	if (key_is(key, "path"))
		return take_name(x, value);
	if (key_is(key, "size")) {
		if (x->has_size || !read_decimal(value, &x->size))
			return false;
		x->has_size = true;
		return true;
	}
	return is_harmless(key);
}

/* "18 path=some name\n": the length counts itself and the line's end. */
static bool read_record(struct tar_extended *x, struct bytes *rest)
{
	const uint8_t *blank = memchr(rest->at, ' ', rest->n), *equals;
	size_t digits = blank != NULL ? (size_t)(blank - rest->at) : 0;
	struct bytes body;
	uint64_t n;

	if (digits == 0 || rest->at[0] == '0' || !read_decimal(bytes_of(rest->at, digits), &n) || n > rest->n ||
	    n < digits + 3 || rest->at[n - 1] != '\n')
		return false;
	body = bytes_of(blank + 1, (size_t)n - digits - 2);
	equals = memchr(body.at, '=', body.n);
	if (equals == NULL)
		return false;
	*rest = bytes_of(rest->at + n, rest->n - (size_t)n);
	return take_record(x, bytes_of(body.at, (size_t)(equals - body.at)),
	    bytes_of(equals + 1, body.n - (size_t)(equals - body.at) - 1));
}

bool tar_extended_read(struct tar_extended *x, enum tar_kind kind, struct bytes content)
{
	x->any = true;
	if (kind == TAR_LONG_NAME) /* a NUL ends it */
		return content.n > 0 && content.at[content.n - 1] == 0 &&
		       take_name(x, bytes_of(content.at, content.n - 1));
	while (content.n > 0)
		if (!read_record(x, &content))
			return false;
	return true;
}
