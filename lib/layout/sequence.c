/* Records from front to back: see sequence.h. */
#include "sequence.h"

bool sequence_fault(struct sequence *s, enum wlk_finding code, uint64_t at, struct bytes what, const char *found)
{
	layout_finding(s->l, &(struct finding){ .code = code,
				 .has_offset = true,
				 .offset = at,
				 .subject = what,
				 .found = value_text(bytes_of_text(found)) });
	s->broken = true;
	return false;
}

bool sequence_fault_number(
    struct sequence *s, enum wlk_finding code, unsigned bytes, const char *what, uint64_t found, uint64_t allowed)
{
	layout_finding(s->l, &(struct finding){ .code = code,
				 .has_offset = true,
				 .offset = s->pos - bytes,
				 .subject = bytes_of_text(what),
				 .found = value_number(found),
				 .allowed = value_number(allowed) });
	s->broken = true;
	return false;
}

bool sequence_skip(struct sequence *s, uint64_t n)
{
	uint64_t left = s->l->part.size - s->pos;

	if (n > left)
		return sequence_fault_number(s, s->cut, 0, "bytes", left, n);
	s->pos += n;
	return true;
}

bool sequence_take(struct sequence *s, void *to, size_t n)
{
	return sequence_skip(s, n) && part_read_guarded(&s->l->part, s->pos - n, to, n);
}

/* Of at most four bytes. */
static bool take_number(struct sequence *s, size_t n, uint32_t *ret)
{
	uint8_t bytes[4] = { 0 };

	if (!sequence_take(s, bytes, n))
		return false;
	*ret = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
	return true;
}

bool sequence_u8(struct sequence *s, uint32_t *ret)
{
	return take_number(s, 1, ret);
}

bool sequence_u16(struct sequence *s, uint32_t *ret)
{
	return take_number(s, 2, ret);
}

bool sequence_u32(struct sequence *s, uint32_t *ret)
{
	return take_number(s, 4, ret);
}
