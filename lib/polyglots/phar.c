/* P16, phar: PHP runs the stub and mounts what the manifest behind it names.  Found by the token that ends the stub, which
 * PHP searches for.  Chance: 2^21 places, 144 bits. */
#include "probes.h"

#include "search.h"

#define TOKEN 18u    /* __HALT_COMPILER(); */
#define MANIFEST 10u /* length, number of files, version of the API */
#define LENGTH_MIN 10u
#define LENGTH_MAX ((uint32_t)100 << 20)
#define FILES_MAX ((uint32_t)1 << 20)
#define API_MAJOR 1u

/* The end of the stub that may follow the token: " ?>" or "?>", and the end of a line. */
static size_t stub_end(const uint8_t *b)
{
	size_t i = 0;

	if (memcmp(b, " ?>", 3) == 0)
		i = 3;
	else if (memcmp(b, "?>", 2) == 0)
		i = 2;
	if (b[i] == '\r' && b[i + 1] == '\n')
		return i + 2;
	return b[i] == '\n' ? i + 1 : i;
}

static bool is_manifest(const uint8_t *b)
{
	uint32_t length = load_u32le(b);

	return length >= LENGTH_MIN && length <= LENGTH_MAX && load_u32le(b + 4) < FILES_MAX && b[8] >> 4 <= API_MAJOR;
}

static bool confirm(struct view *v, const struct search_hit *h)
{
	uint8_t b[5 + MANIFEST] = { 0 };
	uint64_t left = v->src->size - h->at - TOKEN;

	return look(v, h->at + TOKEN, b, left < sizeof(b) ? (size_t)left : sizeof(b)) && is_manifest(b + stub_end(b));
}

void find_phar(struct view *v)
{
	judge_hits(v, SEARCH_PHAR, WLK_F_POLYGLOT_PHAR, "phar", "the end of a stub, and a manifest", confirm);
}
