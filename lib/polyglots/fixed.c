/* P8, P9, P17, P21: formats whose readers look at one place only. */
#include "probes.h"

#include "checked.h"

/* -- P8: ISO 9660 (ECMA-119, 8.1) and UDF (ECMA-167, part 2): descriptors in the sectors from 16 on.
 * Chance: 3 places; 53 bits (ISO), 56 bits (UDF). -- */

#define SECTOR 2048
#define FIRST_SECTOR 16
#define LAST_SECTOR 18

static bool is_iso_type(uint8_t type)
{
	return type <= 3 || type == 255;
}

static void judge_sector(struct view *v, uint64_t at)
{
	uint8_t b[7]; /* type, name, version */

	if (!look(v, at, b, sizeof(b)) || b[6] != 1)
		return;
	if (memcmp(b + 1, "CD001", 5) == 0 && is_iso_type(b[0]))
		found(v, WLK_F_POLYGLOT_ISO9660, at, "ISO 9660", "a volume descriptor");
	else if (b[0] == 0 &&
		 (memcmp(b + 1, "BEA01", 5) == 0 || memcmp(b + 1, "NSR02", 5) == 0 || memcmp(b + 1, "NSR03", 5) == 0))
		found(v, WLK_F_POLYGLOT_ISO9660, at, "UDF", "a volume recognition descriptor");
}

void find_iso9660(struct view *v)
{
	for (uint64_t sector = FIRST_SECTOR; sector <= LAST_SECTOR; sector++)
		judge_sector(v, sector * SECTOR);
}

/* -- P9: DICOM (PS3.10, 7.1): a preamble of anything, the prefix, and the first element of the file's own group, little
 * endian with its type in two capitals.  Chance: 57 bits. -- */

static bool is_capital(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

void find_dicom(struct view *v)
{
	const uint8_t *b = v->head.at + 128;

	if (v->head.n >= 138 && memcmp(b, "DICM\2\0", 6) == 0 && is_capital(b[8]) && is_capital(b[9]))
		found(v, WLK_F_POLYGLOT_DICOM, 128, "DICOM", "the prefix, and an element of group 2");
}

/* -- P17: disk images, known by their last 512 bytes.  Chance: 96 bits (VHD), 96 bits (DMG). -- */

#define FOOTER 512
#define VHD_SUM 64 /* "Virtual Hard Disk Image Format", hard disk footer: one's complement of the sum of the rest */

static bool is_vhd(const uint8_t footer[FOOTER])
{
	uint32_t sum = 0;

	if (memcmp(footer, "conectix", 8) != 0)
		return false;
	for (size_t i = 0; i < FOOTER; i++)
		sum += i < VHD_SUM || i >= VHD_SUM + 4 ? footer[i] : 0u;
	return load_u32be(footer + VHD_SUM) == ~sum;
}

/* koly: version 4, 512 bytes. */
static bool is_dmg(const uint8_t footer[FOOTER])
{
	return memcmp(footer, "koly\0\0\0\4\0\0\2", 12) == 0;
}

void find_disk_footer(struct view *v)
{
	struct bytes footer = tail_of(v, FOOTER);
	uint64_t at;

	if (!sub_u64(v->src->size, FOOTER, &at))
		return;
	if (is_vhd(footer.at))
		found(v, WLK_F_POLYGLOT_DISK_FOOTER, at, "VHD", "footer with its checksum");
	else if (is_dmg(footer.at))
		found(v, WLK_F_POLYGLOT_DISK_FOOTER, at, "DMG", "trailer of version 4");
}

/* -- P21: ext2 to ext4: the first 1,024 bytes are nobody's.  Linux, e2fsprogs, blkid and file(1) look at the start of the file,
 * 7-Zip in the first 8 MiB [measured].  What a superblock has to be: search.c.  Chance: 2^23 places; 107 bits. -- */

void find_ext(struct view *v)
{
	judge_first(v, SEARCH_EXT, WLK_F_POLYGLOT_FILESYSTEM, "ext2", "a superblock", no_more_asked);
}
