/* Extra fields: identifier, length, data, one after the other (APPNOTE 4.5; formats/zip, section 4, rule 10).  Each known one has
 * the length and the content that its writers give it; what is not known so may hold anything, up to 64 KiB a header. */
#include "zip_impl.h"

#include <libdeflate.h>

#define EXTRA_ZIP64 0x0001u
#define EXTRA_NTFS 0x000au
#define EXTRA_PADDING 0x4246u /* "FB": PyTorch */
#define EXTRA_TIME 0x5455u
#define EXTRA_UNIX_OLD 0x5855u
#define EXTRA_UNICODE_PATH 0x7075u
#define EXTRA_UNIX_IDS16 0x7855u
#define EXTRA_UNIX_IDS 0x7875u
#define EXTRA_AES 0x9901u
#define EXTRA_JAVA 0xcafeu
#define EXTRA_ALIGNMENT 0xd935u

static bool all(struct bytes b, uint8_t what)
{
	for (size_t i = 0; i < b.n; i++)
		if (b.at[i] != what)
			return false;
	return true;
}

/* Flags for the time of change, access and creation, four bytes each; the directory has the first of them only. */
static bool is_time(struct bytes d)
{
	unsigned flags = d.n > 0 ? d.at[0] : 8, times = (flags & 1) + (flags >> 1 & 1) + (flags >> 2 & 1);

	return flags < 8 && (d.n == 1 + 4 * (size_t)times || d.n == 1 + 4 * (size_t)(flags & 1));
}

/* Version 1, then twice a length and as many bytes: user and group.  libarchive writes no ids into the directory. */
static bool is_unix_ids(struct bytes d)
{
	size_t user, group;

	if (d.n == 0)
		return true;
	if (d.n < 3 || d.at[0] != 1)
		return false;
	user = d.at[1];
	if (user == 0 || user > 8 || d.n < 3 + user)
		return false;
	group = d.at[2 + user];
	return group > 0 && group <= 8 && d.n == 3 + user + group;
}

/* Four bytes of zeros, then attribute 1 of 24 bytes: three times. */
static bool is_ntfs(struct bytes d)
{
	return d.n == 32 && load_u32le(d.at) == 0 && load_u16le(d.at + 4) == 1 && load_u16le(d.at + 6) == 24;
}

/* The alignment, and zeros up to it. */
static bool is_alignment(struct bytes d)
{
	unsigned to = d.n >= 2 ? load_u16le(d.at) & 0x7fffu : 0;

	return to > 0 && (to & (to - 1)) == 0 && all(bytes_of(d.at + 2, d.n - 2), 0);
}

/* Version 1, the CRC of the header's own name, and a name, which readers that know the field use instead. */
static bool is_same_path(const struct zip_entry *e, struct bytes d)
{
	return d.n >= 5 && d.at[0] == 1 && load_u32le(d.at + 1) == libdeflate_crc32(0, e->name.at, e->name.n) &&
	       bytes_equal(bytes_of(d.at + 5, d.n - 5), e->name);
}

/* In the order of the bits of zip_extra.seen; what has a code of its own is judged where that is. */
static const uint16_t known[] = { EXTRA_ZIP64, EXTRA_NTFS, EXTRA_PADDING, EXTRA_TIME, EXTRA_UNIX_OLD,
	EXTRA_UNICODE_PATH, EXTRA_UNIX_IDS16, EXTRA_UNIX_IDS, EXTRA_AES, EXTRA_JAVA, EXTRA_ALIGNMENT };
#define N_KNOWN (sizeof(known) / sizeof(known[0]))

static unsigned index_of(uint16_t id)
{
	unsigned i = 0;

	while (i < N_KNOWN && known[i] != id)
		i++;
	return i;
}

static bool is_as_written(uint16_t id, struct bytes d)
{
	switch (id) {
	case EXTRA_NTFS: return is_ntfs(d);
	case EXTRA_PADDING: return all(d, 'Z');
	case EXTRA_TIME: return is_time(d);
	case EXTRA_UNIX_OLD: return d.n == 8 || d.n == 12;  /* two times; two ids too */
	case EXTRA_UNIX_IDS16: return d.n == 0 || d.n == 4; /* none in the directory */
	case EXTRA_UNIX_IDS: return is_unix_ids(d);
	case EXTRA_JAVA: return d.n == 0;
	case EXTRA_ALIGNMENT: return is_alignment(d);
	default: return true;
	}
}

/* Neither zip nor Python nor torch writes such a field into an archive of weights. */
static void report_unknown(struct zip *z, const struct zip_entry *e, uint16_t id, uint64_t at)
{
	bool weights = z->o.profile == ZIP_TORCH || z->o.profile == ZIP_NPZ;

	zip_report(
	    z, weights ? WLK_F_ZIP_EXTRA_CONTENT : WLK_F_ZIP_EXTRA_UNKNOWN, e, at, value_number(id), zip_no_value);
}

static void take_field(
    struct zip *z, const struct zip_entry *e, uint16_t id, struct bytes data, uint64_t at, struct zip_extra *ret)
{
	unsigned index = index_of(id);
	bool again = index < N_KNOWN && (ret->seen >> index & 1) != 0;

	if (index == N_KNOWN) {
		report_unknown(z, e, id, at);
		return;
	}
	ret->seen = (uint16_t)(ret->seen | 1u << index);
	if (id == EXTRA_ZIP64) {
		if (again) /* readers take the first, the last or both */
			zip_report_at(z, WLK_F_ZIP_ZIP64_EXTRA, e, at);
		ret->has_zip64 = true;
		ret->zip64 = data;
	} else if (id == EXTRA_UNICODE_PATH && !is_same_path(e, data)) {
		zip_report_at(z, WLK_F_ZIP_EXTRA_UNICODE_PATH, e, at);
	} else if (id == EXTRA_AES) {
		zip_report(z, WLK_F_ZIP_ENCRYPTED, e, at, value_number(id), zip_no_value);
	} else if (again || !is_as_written(id, data)) {
		zip_report(z, WLK_F_ZIP_EXTRA_CONTENT, e, at, value_number(id), zip_no_value);
	}
	if (id == EXTRA_PADDING && !all(data, 'Z'))
		ret->odd_padding = true;
}

void zip_extra_read(struct zip *z, const struct zip_entry *e, struct bytes extra, uint64_t at, struct zip_extra *ret)
{
	struct cursor c = cur_over(extra, at);

	*ret = (struct zip_extra){ 0 };
	while (cur_left(&c) > 0) {
		uint64_t field_at = c.pos;
		struct bytes data;
		uint16_t id, n;

		if (!cur_u16le(&c, &id) || !cur_u16le(&c, &n) || !cur_bytes(&c, n, &data)) {
			zip_report_at(z, WLK_F_ZIP_EXTRA_MALFORMED, e, field_at);
			return;
		}
		take_field(z, e, id, data, field_at, ret);
	}
}
