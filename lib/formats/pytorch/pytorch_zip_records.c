/* The small members of a checkpoint's archive: versions, byte order, alignment, identification.  Follows
 * formats/pytorch, section 2. */
#include "checked.h"
#include "pytorch_types.h"
#include "pytorch_zip_impl.h"

#define RECORD_MAX 64u /* bytes; the longest has 40 */
#define VERSION_MAX 10u
#define ALIGNMENT_MAX 65536u
#define SERIALIZATION_ID_BYTES 40u

/* Decimal digits as far as a small number needs them. */
static bool read_decimal(struct bytes text, uint64_t *ret)
{
	uint64_t n = 0;

	if (!torch_is_decimal(text))
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (!mul_u64(n, 10, &n) || !add_u64(n, text.at[i] - '0', &n))
			return false;
	*ret = n;
	return true;
}

/* A decimal number and a line feed, as every writer makes it. */
static void read_version(struct torch_zip *t, const struct zip_entry *e, struct bytes text)
{
	uint64_t version = 0;

	if (t->version != NULL)
		torch_zip_at(t, WLK_F_TORCH_VERSION_DUPLICATE, e);
	t->version = e;
	if (text.n > 0 && text.at[text.n - 1] == '\n')
		text.n--;
	if (!read_decimal(text, &version) || version == 0 || version > VERSION_MAX)
		torch_zip_report(t, WLK_F_TORCH_VERSION_INVALID, e, value_text(text), value_number(VERSION_MAX));
}

static void read_byteorder(struct torch_zip *t, const struct zip_entry *e, struct bytes text)
{
	t->big_endian = bytes_equal(text, bytes_of_text("big"));
	if (t->big_endian) /* releases before 2.1 know no such record */
		torch_zip_at(t, WLK_F_TORCH_BYTEORDER_BIG, e);
	else if (!bytes_equal(text, bytes_of_text("little")))
		torch_zip_report(t, WLK_F_TORCH_BYTEORDER_INVALID, e, value_text(text), (struct value){ 0 });
}

static void read_format_version(struct torch_zip *t, const struct zip_entry *e, struct bytes text)
{
	uint64_t version;

	if (!read_decimal(text, &version) || version != 1)
		torch_zip_report(t, WLK_F_TORCH_FORMAT_VERSION, e, value_text(text), value_number(1));
	else
		t->format_version = true;
}

static void read_alignment(struct torch_zip *t, const struct zip_entry *e, struct bytes text)
{
	uint64_t n;

	if (!read_decimal(text, &n) || n == 0 || n > ALIGNMENT_MAX || (n & (n - 1)) != 0)
		torch_zip_report(t, WLK_F_TORCH_STORAGE_ALIGNMENT, e, value_text(text), value_number(ALIGNMENT_MAX));
	else
		t->alignment = n;
}

static void read_serialization_id(struct torch_zip *t, const struct zip_entry *e, struct bytes text)
{
	bool digits = text.n == SERIALIZATION_ID_BYTES;

	for (size_t i = 0; i < text.n; i++)
		digits &= text.at[i] >= '0' && text.at[i] <= '9';
	if (!digits)
		torch_zip_report(t, WLK_F_TORCH_SERIALIZATION_ID, e, value_text(text), (struct value){ 0 });
}

typedef void (*read_fn)(struct torch_zip *t, const struct zip_entry *e, struct bytes text);

static read_fn reader_of(enum torch_member kind)
{
	switch (kind) {
	case TORCH_MEMBER_VERSION:
	case TORCH_MEMBER_INNER_VERSION: return read_version;
	case TORCH_MEMBER_BYTEORDER: return read_byteorder;
	case TORCH_MEMBER_FORMAT_VERSION: return read_format_version;
	case TORCH_MEMBER_ALIGNMENT: return read_alignment;
	case TORCH_MEMBER_SERIALIZATION_ID: return read_serialization_id;
	default: return NULL;
	}
}

/* A record that is too long is cut: no reader below takes that many bytes. */
static enum wlk_status read_record(struct torch_zip *t, const struct zip_entry *e)
{
	struct bytes name, text;
	read_fn read = torch_zip_name(t, e, &name) ? reader_of(torch_member_of(name)) : NULL;

	if (read == NULL || !e->readable)
		return WLK_DONE;
	if (!torch_zip_head(t, e, &text))
		return layout_stop(t->l);
	read(t, e, bytes_of(text.at, text.n < RECORD_MAX ? text.n : RECORD_MAX));
	e->member->understood = e->size <= RECORD_MAX;
	return WLK_DONE;
}

enum wlk_status torch_zip_records(struct torch_zip *t)
{
	for (size_t i = 0; i < t->zip.n; i++) {
		enum wlk_status status = read_record(t, &t->zip.entries[i]);

		if (status != WLK_DONE)
			return status;
	}
	if (t->version == NULL)
		torch_zip_at(t, WLK_F_TORCH_VERSION_MISSING, NULL);
	return WLK_DONE;
}
