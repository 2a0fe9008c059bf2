/* Files recognised as a whole, by a grammar of their own: see identify.h.
 *
 * git-lfs pointer, spec v1: lines of "key value\n"; "version" first, the others in alphabetical order, which
 * puts the extensions (ext-0-NAME to ext-9-NAME) before "oid" and "size". */
#include "identify.h"

#include "checked.h"

#define LFS_POINTER_MAX 1024 /* git-lfs reads no further */
#define LFS_VERSION "version https://git-lfs.github.com/spec/v1"
#define LFS_HASH "sha256:"
#define SHA256_HEX 64

/* Take the text up to the next line feed.  False when there is none. */
static bool take_line(struct bytes *rest, struct bytes *ret_line)
{
	const uint8_t *lf = rest->n > 0 ? memchr(rest->at, '\n', rest->n) : NULL;

	if (lf == NULL)
		return false;
	*ret_line = bytes_of(rest->at, (size_t)(lf - rest->at));
	*rest = bytes_of(lf + 1, rest->n - ret_line->n - 1);
	return true;
}

/* Drop this text from the beginning.  False, and nothing dropped, when the line begins otherwise. */
static bool take_text(struct bytes *line, const char *text)
{
	size_t n = strlen(text);

	if (line->n < n || memcmp(line->at, text, n) != 0)
		return false;
	*line = bytes_of(line->at + n, line->n - n);
	return true;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* The rest of the line: "sha256:" and 64 lower-case hex digits. */
static bool parse_hash(struct bytes line, struct bytes *ret_hex)
{
	if (!take_text(&line, LFS_HASH) || line.n != SHA256_HEX)
		return false;
	for (size_t i = 0; i < line.n; i++) {
		if (!is_digit(line.at[i]) && (line.at[i] < 'a' || line.at[i] > 'f'))
			return false;
	}
	*ret_hex = line;
	return true;
}

/* The rest of the line: a plain decimal number, no leading zero. */
static bool parse_size(struct bytes line, uint64_t *ret)
{
	uint64_t size = 0;

	if (line.n == 0 || (line.n > 1 && line.at[0] == '0'))
		return false;
	for (size_t i = 0; i < line.n; i++) {
		if (!is_digit(line.at[i]) || !mul_u64(size, 10, &size) || !add_u64(size, line.at[i] - '0', &size))
			return false;
	}
	*ret = size;
	return true;
}

/* "ext-N-NAME sha256:HEX", N a digit, NAME visible ASCII. */
static bool parse_extension(struct bytes line, uint8_t *ret_order)
{
	uint8_t order;
	struct bytes hex;
	size_t name_n = 0;

	if (!take_text(&line, "ext-") || line.n < 2 || !is_digit(line.at[0]) || line.at[1] != '-')
		return false;
	order = line.at[0];
	line = bytes_of(line.at + 2, line.n - 2);
	while (name_n < line.n && line.at[name_n] > ' ' && line.at[name_n] < 0x7f)
		name_n++;
	line = bytes_of(line.at + name_n, line.n - name_n);
	if (name_n == 0 || !take_text(&line, " ") || !parse_hash(line, &hex))
		return false;
	*ret_order = order;
	return true;
}

bool identify_lfs_pointer(struct bytes file, struct bytes *ret_oid, uint64_t *ret_size)
{
	struct bytes rest = file, line, oid;
	uint8_t order, last_order = 0;
	uint64_t size;

	if (file.n > LFS_POINTER_MAX || !take_line(&rest, &line) || !bytes_equal(line, bytes_of_text(LFS_VERSION)))
		return false;
	if (!take_line(&rest, &line))
		return false;
	while (parse_extension(line, &order)) {
		if (order <= last_order || !take_line(&rest, &line))
			return false;
		last_order = order;
	}
	if (!take_text(&line, "oid ") || !parse_hash(line, &oid))
		return false;
	if (!take_line(&rest, &line) || !take_text(&line, "size ") || !parse_size(line, &size) || rest.n > 0)
		return false;
	*ret_oid = oid;
	*ret_size = size;
	return true;
}
