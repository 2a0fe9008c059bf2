/* Containers that are only named: see named.h. */
#include "named.h"

#include <string.h>

static bool begins_with(const struct probe *p, const char *magic, size_t n)
{
	return p->n >= n && memcmp(p->head, magic, n) == 0;
}

static bool probe_7z(const struct probe *p)
{
	return begins_with(p, "7z\xbc\xaf\x27\x1c", 6);
}

static bool probe_rar(const struct probe *p)
{
	return begins_with(p, "Rar!\x1a\x07", 6);
}

/* A frame, or a skippable one in front of it. */
static bool probe_zstd(const struct probe *p)
{
	return begins_with(p, "\x28\xb5\x2f\xfd", 4) ||
	       (p->n >= 4 && (p->head[0] & 0xf0) == 0x50 && memcmp(p->head + 1, "\x2a\x4d\x18", 3) == 0);
}

static enum wlk_status layout(struct layout *l)
{
	switch (l->id) {
	case WLK_FORMAT_SEVEN_ZIP: layout_at(l, WLK_F_ARCHIVE_7Z, 0); break;
	case WLK_FORMAT_RAR: layout_at(l, WLK_F_ARCHIVE_RAR, 0); break;
	default: layout_at(l, WLK_F_FORMAT_IDENTIFIED_ONLY, 0);
	}
	return WLK_BROKEN; /* hashed, but what is in it was not seen */
}

const struct wlk_format format_7z = {
	.id = WLK_FORMAT_SEVEN_ZIP, .probe = probe_7z, .layout = layout, .nested = NESTED_RANDOM
};
const struct wlk_format format_rar = {
	.id = WLK_FORMAT_RAR, .probe = probe_rar, .layout = layout, .nested = NESTED_RANDOM
};
const struct wlk_format format_zstd = {
	.id = WLK_FORMAT_ZSTD, .probe = probe_zstd, .layout = layout, .nested = NESTED_RANDOM
};
