/* The names of members: what they may be, and which of them two readers take for one (formats/zip, section 5).
 *
 * Three tables in turn: names as they are, which stays for zip_find(); names in lower case, for miniz looks them up like
 * that; names as a file system with Unicode folding sees them.  Of Unicode's folding we do what hides a name from an eye
 * most easily, and no more: full-width forms of ASCII (U+FF01 to U+FF5E), and the precomposed letters of Latin-1 and
 * Latin Extended-A (U+00C0 to U+017F) against a letter with a combining mark. */
#include <string.h>

#include "zip_impl.h"

/* -- the hash: a polynomial modulo 2^61 - 1 at a secret point -- */

/* Names are the attacker's.  Two of n bytes meet for at most n of 2^61 points.  It grows by a byte at a time, so that all
 * leading parts of a path are hashed at the price of one. */
#define PRIME ((UINT64_C(1) << 61) - 1)

__extension__ typedef unsigned __int128 wide;

static uint64_t mod_prime(wide n)
{
	uint64_t r = (uint64_t)(n & PRIME) + (uint64_t)(n >> 61);

	return r >= PRIME ? r - PRIME : r;
}

/* Between 2^32 and the prime. */
static uint64_t hash_point(const struct zip *z)
{
	uint64_t point = mod_prime((wide)(z->o.seed.k0 ^ (z->o.seed.k1 << 7 | z->o.seed.k1 >> 57)));

	return point | UINT64_C(1) << 32;
}

static uint64_t hash_byte(uint64_t hash, uint64_t point, uint8_t byte)
{
	return mod_prime((wide)hash * point + byte + 1);
}

static uint64_t hash_name(const struct zip *z, struct bytes name)
{
	uint64_t hash = 0, point = hash_point(z);

	for (size_t i = 0; i < name.n; i++)
		hash = hash_byte(hash, point, name.at[i]);
	return hash;
}

/* -- UTF-8 -- */

/* One character (RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF).  Return: its bytes; 0 when it is
 * none. */
static size_t utf8_next(struct bytes b, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint8_t first = b.at[0];
	size_t n = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
	uint32_t c;

	if (n == 0 || n > b.n)
		return 0;
	c = n == 1 ? first : first & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((b.at[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (b.at[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret = c;
	return n;
}

static bool is_utf8(struct bytes name)
{
	uint32_t c;

	for (size_t i = 0, n; i < name.n; i += n) {
		n = utf8_next(bytes_of(name.at + i, name.n - i), &c);
		if (n == 0)
			return false;
	}
	return true;
}

static bool is_ascii(struct bytes name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.at[i] >= 0x80)
			return false;
	return true;
}

/* -- one name -- */

static bool is_letter(uint8_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
}

static bool is_word(struct bytes b, const char *word)
{
	size_t i = 0;

	for (; i < b.n && word[i] != '\0'; i++)
		if (lower(b.at[i]) != (uint8_t)word[i])
			return false;
	return i == b.n && word[i] == '\0';
}

/* CON, CON.txt, COM1 ...: Windows opens the device. */
static bool is_device(struct bytes segment)
{
	static const char *const devices[] = { "con", "prn", "aux", "nul" };
	const uint8_t *dot = segment.n > 0 ? memchr(segment.at, '.', segment.n) : NULL;
	struct bytes stem = bytes_of(segment.at, dot != NULL ? (size_t)(dot - segment.at) : segment.n);

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (is_word(stem, devices[i]))
			return true;
	if (stem.n != 4 || stem.at[3] < '1' || stem.at[3] > '9')
		return false;
	stem.n = 3;
	return is_word(stem, "com") || is_word(stem, "lpt");
}

/* What is wrong with a name, each once. */
struct name_faults {
	bool control, backslash, traversal, unportable;
};

static void check_segment(struct bytes segment, struct name_faults *f)
{
	if (is_word(segment, ".") || is_word(segment, ".."))
		f->traversal = true;
	else if (segment.n == 0 || segment.at[segment.n - 1] == '.' || segment.at[segment.n - 1] == ' ' ||
		 is_device(segment))
		f->unportable = true;
}

/* The slash at the end of a directory's name and one at the front of an absolute one begin no segment of their own. */
static void check_segments(struct bytes name, struct name_faults *f)
{
	size_t begin = name.n > 0 && name.at[0] == '/' ? 1 : 0;

	for (size_t i = begin; i <= name.n; i++) {
		if (i < name.n && name.at[i] != '/')
			continue;
		if (i < name.n || i > begin)
			check_segment(bytes_of(name.at + begin, i - begin), f);
		begin = i + 1;
	}
}

static struct name_faults find_faults(struct bytes name)
{
	struct name_faults f = { 0 };

	for (size_t i = 0; i < name.n; i++) {
		f.control |= name.at[i] < 0x20 || name.at[i] == 0x7f;
		f.backslash |= name.at[i] == '\\';
	}
	check_segments(name, &f);
	return f;
}

/* Do backslashes separate folders in all of the archive?  So .NET on Windows wrote it, and ML.NET its models: no name has a slash. */
static bool is_of_windows(const struct zip *z)
{
	for (size_t i = 0; i < z->n; i++)
		if (memchr(z->entries[i].name.at, '/', z->entries[i].name.n) != NULL)
			return false;
	return z->o.profile == ZIP_PLAIN;
}

/* The same name, read so, is one that leads nowhere else. */
static bool is_windows_path(struct bytes name)
{
	uint8_t path[ZIP_NAME_MAX];
	struct name_faults f = { 0 };

	if (name.n == 0 || name.n > sizeof(path) || name.at[0] == '\\' || name.at[name.n - 1] == '\\')
		return false;
	for (size_t i = 0; i < name.n; i++)
		path[i] = name.at[i] == '\\' ? '/' : name.at[i];
	check_segments(bytes_of(path, name.n), &f);
	return !f.traversal && !f.unportable && !(name.n > 1 && name.at[1] == ':');
}

static void check_name(struct zip *z, const struct zip_entry *e, bool of_windows)
{
	uint64_t at = e->central + ZIP_CENTRAL_BYTES;
	struct bytes name = e->name;
	struct name_faults f = find_faults(name);

	if (name.n == 0 || name.n > ZIP_NAME_MAX)
		zip_report_numbers(z, WLK_F_ZIP_NAME_LENGTH, e, at, name.n, ZIP_NAME_MAX);
	if (f.control)
		zip_report_at(z, WLK_F_ZIP_NAME_CONTROL, e, at);
	if (e->flags & ZIP_FLAG_UTF8 ? !is_utf8(name) : !is_ascii(name))
		zip_report_at(z, WLK_F_ZIP_NAME_ENCODING, e, at);
	if ((name.n > 0 && name.at[0] == '/') || (name.n > 1 && name.at[1] == ':' && is_letter(name.at[0])))
		zip_report_at(z, WLK_F_ZIP_NAME_ABSOLUTE, e, at);
	if (f.backslash)
		zip_report_at(
		    z, of_windows && is_windows_path(name) ? WLK_F_ZIP_NAME_WINDOWS : WLK_F_ZIP_NAME_BACKSLASH, e, at);
	if (f.traversal)
		zip_report_at(z, WLK_F_ZIP_NAME_TRAVERSAL, e, at);
	if (f.unportable)
		zip_report_at(z, WLK_F_ZIP_NAME_UNPORTABLE, e, at);
}

/* -- folding -- */

/* Letter and combining mark of U+00C0 to U+017F; 0 where a character has no decomposition (Unicode 15, NFD). */
struct decomposed {
	uint8_t letter;
	uint8_t mark; /* U+0300 plus this */
};
#define DECOMPOSED_FIRST 0xc0u
/* clang-format off */
static const struct decomposed decomposed[] = {
	{ 'A', 0x00 }, { 'A', 0x01 }, { 'A', 0x02 }, { 'A', 0x03 }, { 'A', 0x08 }, { 'A', 0x0a }, { 0, 0 }, { 'C', 0x27 }, /* U+00C0 */
	{ 'E', 0x00 }, { 'E', 0x01 }, { 'E', 0x02 }, { 'E', 0x08 }, { 'I', 0x00 }, { 'I', 0x01 }, { 'I', 0x02 }, { 'I', 0x08 }, /* U+00C8 */
	{ 0, 0 }, { 'N', 0x03 }, { 'O', 0x00 }, { 'O', 0x01 }, { 'O', 0x02 }, { 'O', 0x03 }, { 'O', 0x08 }, { 0, 0 }, /* U+00D0 */
	{ 0, 0 }, { 'U', 0x00 }, { 'U', 0x01 }, { 'U', 0x02 }, { 'U', 0x08 }, { 'Y', 0x01 }, { 0, 0 }, { 0, 0 }, /* U+00D8 */
	{ 'a', 0x00 }, { 'a', 0x01 }, { 'a', 0x02 }, { 'a', 0x03 }, { 'a', 0x08 }, { 'a', 0x0a }, { 0, 0 }, { 'c', 0x27 }, /* U+00E0 */
	{ 'e', 0x00 }, { 'e', 0x01 }, { 'e', 0x02 }, { 'e', 0x08 }, { 'i', 0x00 }, { 'i', 0x01 }, { 'i', 0x02 }, { 'i', 0x08 }, /* U+00E8 */
	{ 0, 0 }, { 'n', 0x03 }, { 'o', 0x00 }, { 'o', 0x01 }, { 'o', 0x02 }, { 'o', 0x03 }, { 'o', 0x08 }, { 0, 0 }, /* U+00F0 */
	{ 0, 0 }, { 'u', 0x00 }, { 'u', 0x01 }, { 'u', 0x02 }, { 'u', 0x08 }, { 'y', 0x01 }, { 0, 0 }, { 'y', 0x08 }, /* U+00F8 */
	{ 'A', 0x04 }, { 'a', 0x04 }, { 'A', 0x06 }, { 'a', 0x06 }, { 'A', 0x28 }, { 'a', 0x28 }, { 'C', 0x01 }, { 'c', 0x01 }, /* U+0100 */
	{ 'C', 0x02 }, { 'c', 0x02 }, { 'C', 0x07 }, { 'c', 0x07 }, { 'C', 0x0c }, { 'c', 0x0c }, { 'D', 0x0c }, { 'd', 0x0c }, /* U+0108 */
	{ 0, 0 }, { 0, 0 }, { 'E', 0x04 }, { 'e', 0x04 }, { 'E', 0x06 }, { 'e', 0x06 }, { 'E', 0x07 }, { 'e', 0x07 }, /* U+0110 */
	{ 'E', 0x28 }, { 'e', 0x28 }, { 'E', 0x0c }, { 'e', 0x0c }, { 'G', 0x02 }, { 'g', 0x02 }, { 'G', 0x06 }, { 'g', 0x06 }, /* U+0118 */
	{ 'G', 0x07 }, { 'g', 0x07 }, { 'G', 0x27 }, { 'g', 0x27 }, { 'H', 0x02 }, { 'h', 0x02 }, { 0, 0 }, { 0, 0 }, /* U+0120 */
	{ 'I', 0x03 }, { 'i', 0x03 }, { 'I', 0x04 }, { 'i', 0x04 }, { 'I', 0x06 }, { 'i', 0x06 }, { 'I', 0x28 }, { 'i', 0x28 }, /* U+0128 */
	{ 'I', 0x07 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 'J', 0x02 }, { 'j', 0x02 }, { 'K', 0x27 }, { 'k', 0x27 }, /* U+0130 */
	{ 0, 0 }, { 'L', 0x01 }, { 'l', 0x01 }, { 'L', 0x27 }, { 'l', 0x27 }, { 'L', 0x0c }, { 'l', 0x0c }, { 0, 0 }, /* U+0138 */
	{ 0, 0 }, { 0, 0 }, { 0, 0 }, { 'N', 0x01 }, { 'n', 0x01 }, { 'N', 0x27 }, { 'n', 0x27 }, { 'N', 0x0c }, /* U+0140 */
	{ 'n', 0x0c }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 'O', 0x04 }, { 'o', 0x04 }, { 'O', 0x06 }, { 'o', 0x06 }, /* U+0148 */
	{ 'O', 0x0b }, { 'o', 0x0b }, { 0, 0 }, { 0, 0 }, { 'R', 0x01 }, { 'r', 0x01 }, { 'R', 0x27 }, { 'r', 0x27 }, /* U+0150 */
	{ 'R', 0x0c }, { 'r', 0x0c }, { 'S', 0x01 }, { 's', 0x01 }, { 'S', 0x02 }, { 's', 0x02 }, { 'S', 0x27 }, { 's', 0x27 }, /* U+0158 */
	{ 'S', 0x0c }, { 's', 0x0c }, { 'T', 0x27 }, { 't', 0x27 }, { 'T', 0x0c }, { 't', 0x0c }, { 0, 0 }, { 0, 0 }, /* U+0160 */
	{ 'U', 0x03 }, { 'u', 0x03 }, { 'U', 0x04 }, { 'u', 0x04 }, { 'U', 0x06 }, { 'u', 0x06 }, { 'U', 0x0a }, { 'u', 0x0a }, /* U+0168 */
	{ 'U', 0x0b }, { 'u', 0x0b }, { 'U', 0x28 }, { 'u', 0x28 }, { 'W', 0x02 }, { 'w', 0x02 }, { 'Y', 0x02 }, { 'y', 0x02 }, /* U+0170 */
	{ 'Y', 0x08 }, { 'Z', 0x01 }, { 'z', 0x01 }, { 'Z', 0x07 }, { 'z', 0x07 }, { 'Z', 0x0c }, { 'z', 0x0c }, { 0, 0 }, /* U+0178 */
};
/* clang-format on */

#define FOLDED_MAX (ZIP_NAME_MAX * 2) /* two bytes become at most three */

static size_t put_mark(uint8_t *to, uint8_t mark)
{
	uint32_t c = 0x300u + mark;

	to[0] = (uint8_t)(0xc0 | c >> 6);
	to[1] = (uint8_t)(0x80 | (c & 0x3f));
	return 2;
}

/* One character above ASCII.  Return: bytes written; 0: it stays as it is. */
static size_t fold_wide(uint32_t c, uint8_t *to)
{
	const struct decomposed *d;

	if (c >= 0xff01 && c <= 0xff5e) {
		to[0] = lower((uint8_t)(c - 0xfee0));
		return 1;
	}
	if (c < DECOMPOSED_FIRST || c - DECOMPOSED_FIRST >= sizeof(decomposed) / sizeof(decomposed[0]))
		return 0;
	d = &decomposed[c - DECOMPOSED_FIRST];
	if (d->letter == 0)
		return 0;
	to[0] = lower(d->letter);
	return 1 + put_mark(to + 1, d->mark);
}

enum folding { FOLD_NONE, FOLD_CASE, FOLD_UNICODE };

/* A name as this folding sees it: into buf, or the name itself.  Names too long for one are refused anyhow. */
static struct bytes fold(struct bytes name, enum folding how, uint8_t buf[FOLDED_MAX])
{
	size_t to = 0, n;
	uint32_t c;

	if (how == FOLD_NONE || name.n > ZIP_NAME_MAX)
		return name;
	for (size_t i = 0; i < name.n; i += n) {
		size_t put = 0;

		n = how == FOLD_UNICODE ? utf8_next(bytes_of(name.at + i, name.n - i), &c) : 1;
		if (n > 1)
			put = fold_wide(c, buf + to);
		if (n == 0) /* not UTF-8 */
			n = 1;
		if (put == 0)
			for (; put < n; put++)
				buf[to + put] = lower(name.at[i + put]);
		to += put;
	}
	return bytes_of(buf, to);
}

/* -- which are the same? -- */

/* At most half full. */
static size_t table_size(size_t n)
{
	size_t size = 16;

	while (size / 2 < n)
		size *= 2;
	return size;
}

struct table {
	struct zip *z;
	uint32_t *slots; /* number of the entry plus one; the last of its name */
	size_t mask;
	enum folding how;
};

static bool same_folded(const struct table *t, struct bytes folded, size_t i)
{
	uint8_t buf[FOLDED_MAX];

	return bytes_equal(folded, fold(t->z->entries[i].name, t->how, buf));
}

static void report_same(const struct table *t, const struct zip_entry *e, const struct zip_entry *earlier)
{
	static const enum wlk_finding codes[] = { [FOLD_NONE] = WLK_F_ZIP_NAME_DUPLICATE,
		[FOLD_CASE] = WLK_F_ZIP_NAME_CASE_COLLISION,
		[FOLD_UNICODE] = WLK_F_ZIP_NAME_UNICODE_COLLISION };
	uint8_t a[FOLDED_MAX], b[FOLDED_MAX];

	/* The table before this one has said so. */
	if (t->how != FOLD_NONE && bytes_equal(fold(e->name, t->how - 1, a), fold(earlier->name, t->how - 1, b)))
		return;
	zip_report(t->z, codes[t->how], e, e->central, value_text(e->name), value_text(earlier->name));
}

static void table_put(const struct table *t, size_t i)
{
	uint8_t buf[FOLDED_MAX];
	struct bytes folded = fold(t->z->entries[i].name, t->how, buf);
	size_t at = hash_name(t->z, folded) & t->mask;

	for (; t->slots[at] != 0; at = (at + 1) & t->mask) {
		if (!same_folded(t, folded, t->slots[at] - 1))
			continue;
		report_same(t, &t->z->entries[i], &t->z->entries[t->slots[at] - 1]);
		break;
	}
	t->slots[at] = (uint32_t)i + 1; /* at most ZIP_ENTRIES_MAX_TORCH */
}

static bool table_fill(struct table *t)
{
	t->mask = table_size(t->z->n) - 1;
	t->slots = arena_resize(t->z->o.arena, NULL, t->mask + 1, sizeof(*t->slots));
	for (size_t i = 0; t->slots != NULL && i < t->z->n; i++)
		table_put(t, i);
	return t->slots != NULL;
}

/* A table for a finding only. */
static bool find_collisions(struct zip *z, enum folding how)
{
	struct table t = { .z = z, .how = how };

	if (!table_fill(&t))
		return false;
	arena_release(z->o.arena, t.slots);
	return true;
}

static const struct zip_entry *find_hashed(const struct zip *z, struct bytes name, uint64_t hash)
{
	for (size_t at = hash & z->slot_mask; z->slots[at] != 0; at = (at + 1) & z->slot_mask) {
		const struct zip_entry *e = &z->entries[z->slots[at] - 1];

		if (bytes_equal(e->name, name))
			return e;
	}
	return NULL;
}

const struct zip_entry *zip_find(const struct zip *z, struct bytes name)
{
	return z->slots != NULL ? find_hashed(z, name, hash_name(z, name)) : NULL;
}

/* Both x and x/y: one of them cannot be unpacked. */
static void check_parents(struct zip *z, const struct zip_entry *e)
{
	uint64_t hash = 0, point = hash_point(z);

	for (size_t i = 0; i < e->name.n && i < ZIP_NAME_MAX; i++) {
		const struct zip_entry *parent = NULL;

		if (e->name.at[i] == '/')
			parent = find_hashed(z, bytes_of(e->name.at, i), hash);
		if (parent != NULL) {
			zip_report(z, WLK_F_ZIP_NAME_FILE_AS_DIRECTORY, e, e->central, value_text(e->name),
			    value_text(parent->name));
			return;
		}
		hash = hash_byte(hash, point, e->name.at[i]);
	}
}

static bool all_ascii(const struct zip *z)
{
	for (size_t i = 0; i < z->n; i++)
		if (!is_ascii(z->entries[i].name))
			return false;
	return true;
}

enum wlk_status zip_names_check(struct zip *z)
{
	struct table t = { .z = z };
	bool of_windows = is_of_windows(z);

	for (size_t i = 0; i < z->n; i++)
		check_name(z, &z->entries[i], of_windows);
	if (!table_fill(&t))
		return zip_stop(z);
	z->slots = t.slots;
	z->slot_mask = t.mask;
	for (size_t i = 0; i < z->n; i++)
		check_parents(z, &z->entries[i]);
	/* NumPy's readers tell W from w, and people name arrays so; torch's reader (miniz) does not. */
	if (z->o.profile != ZIP_NPZ && !find_collisions(z, FOLD_CASE))
		return zip_stop(z);
	if (!all_ascii(z) && !find_collisions(z, FOLD_UNICODE))
		return zip_stop(z);
	return WLK_DONE;
}
