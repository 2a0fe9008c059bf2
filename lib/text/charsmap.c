/* precompiled_charsmap: see charsmap.h. */
#include "charsmap.h"

#include "arena.h"
#include "json_text.h"

#define UNIT 4u
#define LEAF (UINT32_C(1) << 31)

/* Darts: bits 10 to 30, in units of 256 when bit 9 says so; xor with the place of the unit itself. */
static uint64_t target(uint32_t unit, uint32_t i)
{
	return (uint64_t)(i ^ ((unit >> 10) << ((unit & 512) >> 6))) | 0xFF; /* the label is any byte */
}

static bool begins_text(struct bytes texts, uint32_t at)
{
	return at < texts.n && (at == 0 || texts.at[at - 1] == '\0');
}

/* The first unit is where every search begins, whatever it holds; another one that is 0 is used by nobody. */
static enum charsmap_fault check_unit(uint32_t unit, uint32_t i, uint32_t n_units, struct bytes texts)
{
	if (unit == 0 && i > 0)
		return CHARSMAP_SOUND;
	if ((unit & LEAF) != 0 && i > 0)
		return begins_text(texts, unit & ~LEAF) ? CHARSMAP_SOUND : CHARSMAP_LEAF;
	return target(unit, i) < n_units ? CHARSMAP_SOUND : CHARSMAP_OFFSET;
}

enum charsmap_fault charsmap_check(struct bytes map, size_t *ret_at)
{
	uint32_t size = map.n >= UNIT ? load_u32le(map.at) : 0;
	struct bytes texts;
	size_t good;

	*ret_at = 0;
	if (size == 0 || size % UNIT != 0 || size > map.n - UNIT)
		return CHARSMAP_SIZE;
	texts = bytes_of(map.at + UNIT + size, map.n - UNIT - size);
	good = utf8_check(texts);
	*ret_at = UNIT + size + (good < texts.n ? good : texts.n);
	if (good < texts.n || (texts.n > 0 && texts.at[texts.n - 1] != '\0'))
		return CHARSMAP_TEXTS;
	for (uint32_t i = 0; i < size / UNIT; i++) {
		uint32_t unit = load_u32le(map.at + UNIT + (size_t)i * UNIT);
		enum charsmap_fault f = check_unit(unit, i, size / UNIT, texts);

		*ret_at = UNIT + (size_t)i * UNIT;
		if (f != CHARSMAP_SOUND)
			return f;
	}
	return CHARSMAP_SOUND;
}

const char *charsmap_words(enum charsmap_fault f)
{
	static const char *const words[] = {
		[CHARSMAP_SOUND] = "sound",
		[CHARSMAP_SIZE] = "the size of its trie",
		[CHARSMAP_TEXTS] = "its texts",
		[CHARSMAP_LEAF] = "a leaf that leads to no text",
		[CHARSMAP_OFFSET] = "a unit that leads out of its trie",
	};

	return words[f];
}

static void tell(struct layout *l, uint64_t at, enum charsmap_fault f, struct bytes subject)
{
	layout_finding(l, &(struct finding){ .code = WLK_F_TOKENIZER_CHARSMAP,
			      .has_offset = true,
			      .offset = at,
			      .subject = subject,
			      .found = value_text(bytes_of_text(charsmap_words(f))) });
}

enum wlk_status charsmap_check_part(struct layout *l, uint64_t at, uint64_t n, struct bytes subject)
{
	enum charsmap_fault f = CHARSMAP_SIZE;
	size_t fault_at = 0;
	uint8_t *map;

	if (n <= CHARSMAP_BYTES_MAX) {
		layout_raise_memory(l, n);
		map = arena_resize_raw(l->arena, NULL, (size_t)n + 1, 1);
		if (map == NULL || (n > 0 && !part_read_guarded(&l->part, at, map, (size_t)n)))
			return layout_stop(l);
		f = charsmap_check(bytes_of(map, (size_t)n), &fault_at);
		arena_release(l->arena, map);
	}
	if (f != CHARSMAP_SOUND)
		tell(l, at + fault_at, f, subject);
	return WLK_DONE;
}
