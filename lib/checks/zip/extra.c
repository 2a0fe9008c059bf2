/* Extra fields: identifier, length, data, one after the other (APPNOTE 4.5; formats/zip, section 4, rule 10). */
#include "zip_impl.h"

#define EXTRA_ZIP64 0x0001u
#define EXTRA_NTFS 0x000au
#define EXTRA_PADDING 0x4246u /* "FB": PyTorch */
#define EXTRA_TIME 0x5455u
#define EXTRA_UNICODE_PATH 0x7075u
#define EXTRA_UNIX_IDS 0x7875u

static bool all_z(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		if (b.at[i] != 'Z')
			return false;
	return true;
}

/* What is known not to change what a reader sees. */
static bool is_harmless(uint16_t id)
{
	return id == EXTRA_NTFS || id == EXTRA_PADDING || id == EXTRA_TIME || id == EXTRA_UNIX_IDS;
}

static void take_field(
    struct zip *z, const struct zip_entry *e, uint16_t id, struct bytes data, uint64_t at, struct zip_extra *ret)
{
	if (id == EXTRA_ZIP64) {
		if (ret->has_zip64) /* readers take the first, the last or both */
			zip_report_at(z, WLK_F_ZIP_ZIP64_EXTRA, e, at);
		ret->has_zip64 = true;
		ret->zip64 = data;
	} else if (id == EXTRA_UNICODE_PATH) {
		zip_report_at(z, WLK_F_ZIP_EXTRA_UNICODE_PATH, e, at);
	} else if (!is_harmless(id)) {
		zip_report(z, WLK_F_ZIP_EXTRA_UNKNOWN, e, at, value_number(id), zip_no_value);
	}
	if (id == EXTRA_PADDING && !all_z(data))
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
