/* Guests that readers find far from the first byte: tar in every block, cpio, file systems, PDF.  What
 * real programs make of such files: tests/loaders/test_polyglots.py. */
#include "harness.h"

#include <stdio.h>

#include "polyglot_file.h"
#include "tar_blocks.h"

#define TOO_FAR (((size_t)8 << 20) + 1)

static void seal_tar(size_t at)
{
	unsigned sum = 8 * ' ';
	char text[8];

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i < 148 || i >= 156 ? file[at + i] : 0u;
	snprintf(text, sizeof(text), "%06o", sum);
	put(at + 148, text, 7);
	file[at + 155] = ' ';
}

/* Without magic, and with no number that is asked for but its size. */
static void put_tar(size_t at)
{
	memset(file + at, 0, TAR_BLOCK);
	put_text(at, "a");
	put_text(at + 124, "00000000000");
	seal_tar(at);
}

START_TEST(test_tar_is_found_in_every_block_and_nowhere_else)
{
	for (size_t at = TAR_BLOCK; at < 9 << 20; at += 1 << 20) {
		file_new(FILE_MAX);
		put_tar(at);
		ck_assert_found(WLK_F_POLYGLOT_TAR, at);
		file_n = at + TAR_BLOCK;
		ck_assert_found(WLK_F_POLYGLOT_TAR, at);
		file_n--;
		ck_assert_clean(WLK_F_POLYGLOT_TAR);
	}
	file_new(5000);
	put_tar(1025);
	ck_assert_clean(WLK_F_POLYGLOT_TAR);
	put_text(1025 + 257, "ustar");
	seal_tar(1025);
	ck_assert_found(WLK_F_POLYGLOT_TAR, 1025);
}
END_TEST

START_TEST(test_tar_that_pieces_of_the_pass_cut_is_found)
{
	file_new(3000);
	put_tar(1024);
	for (file_cut = 1020; file_cut < 1540; file_cut++)
		ck_assert_found(WLK_F_POLYGLOT_TAR, 1024);
	file_cut = 0;
}
END_TEST

START_TEST(test_every_byte_of_a_tar_header_counts)
{
	file_new(3000);
	put_tar(1024);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		if (i != 155) /* behind the NUL of the checksum */
			ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_TAR, 1024 + i);
}
END_TEST

START_TEST(test_a_tar_without_magic_needs_a_name_or_two_numbers)
{
	file_new(3000);
	put_tar(1024);
	file[1024] = 1;
	seal_tar(1024);
	ck_assert_clean(WLK_F_POLYGLOT_TAR);
	put_text(1024 + 100, "0");
	seal_tar(1024);
	ck_assert_clean(WLK_F_POLYGLOT_TAR);
	put_text(1024 + 136, " 7");
	seal_tar(1024);
	ck_assert_found(WLK_F_POLYGLOT_TAR, 1024);
	put(1024 + 124, "\x80\0\0\0\0\0\0\0\0\0\0\3", 12);
	seal_tar(1024);
	ck_assert_found(WLK_F_POLYGLOT_TAR, 1024);
	put(1024 + 124, "\x80\0\0\1\0\0\0\0\0\0\0\3", 12); /* more than a file can have */
	seal_tar(1024);
	ck_assert_clean(WLK_F_POLYGLOT_TAR);
}
END_TEST

START_TEST(test_the_sum_of_signed_bytes_counts_as_well)
{
	file_new(3000);
	put_tar(1024);
	memset(file + 1024 + 400, 0xff, 10);
	put_text(1024 + 148, "  ");
	file[1024 + 154] = ' ';
	seal_tar(1024);
	ck_assert_found(WLK_F_POLYGLOT_TAR, 1024);
}
END_TEST

/* -- what is searched for -- */

static void put_cpio(size_t at)
{
	memset(file + at, '0', 110);
	put_text(at, "070701");
	put_text(at + 14, "000081A4");
	put_text(at + 94, "00000002");
}

static void put_cpio_old(size_t at)
{
	memset(file + at, '0', 76);
	put_text(at, "070707");
	put_text(at + 18, "100644");
	put_text(at + 59, "000002");
}

static void put_cpio_little(size_t at)
{
	static const uint8_t b[28] = { 0xC7, 0x71, 0, 0, 0, 0, 0xA4, 0x81, 0, 0, 0, 0, 1, [20] = 2, [26] = 'a' };

	put(at, b, sizeof(b));
}

static void put_cpio_big(size_t at)
{
	static const uint8_t b[28] = { 0x71, 0xC7, 0, 0, 0, 0, 0x81, 0xA4, 0, 0, 0, 0, 0, 1, [21] = 2, [26] = 'a' };

	put(at, b, sizeof(b));
}

static void put_pdf(size_t at)
{
	put_text(at, "%PDF-1.4 1 0 obj");
}

static const struct guest {
	enum wlk_finding code;
	void (*make)(size_t at);
	size_t n;  /* bytes that it takes */
	bool tail; /* found in the last MiB as well */
} guests[] = {
	{ WLK_F_POLYGLOT_CPIO, put_cpio, 110, true },
	{ WLK_F_POLYGLOT_CPIO, put_cpio_old, 76, true },
	{ WLK_F_POLYGLOT_CPIO, put_cpio_little, 28, true },
	{ WLK_F_POLYGLOT_CPIO, put_cpio_big, 28, true },
	{ WLK_F_POLYGLOT_PDF, put_pdf, 16, true },
};

START_TEST(test_guests_are_found_as_far_as_readers_search)
{
	for (size_t i = 0; i < sizeof(guests) / sizeof(guests[0]); i++) {
		const struct guest *g = &guests[i];
		const size_t places[] = { 3001, PASS_BLOCK - 7, TOO_FAR - 1 };

		for (size_t k = 0; k < 3; k++) {
			file_new(FILE_MAX);
			g->make(places[k]);
			ck_assert_found(g->code, places[k]);
		}
		file_new(FILE_MAX);
		g->make(TOO_FAR);
		ck_assert_clean(g->code);
		file_new(FILE_MAX);
		g->make(FILE_MAX - (1 << 20));
		ck_assert_uint_eq(found_at(g->code), g->tail ? FILE_MAX - (1 << 20) : UINT64_MAX);
	}
}
END_TEST

/* The window is said of the first byte, not of the signature. */
START_TEST(test_what_begins_in_the_window_and_is_told_behind_it)
{
	for (size_t out = 0; out < 2; out++) {
		file_new(FILE_MAX);
		put_tar(TOO_FAR - 12 + 12 * out);
		put_text(TOO_FAR - 12 + 12 * out + 257, "ustar");
		seal_tar(TOO_FAR - 12 + 12 * out);
		ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_TAR), out ? UINT64_MAX : TOO_FAR - 12);
		file_new(FILE_MAX);
		for (size_t k = 0; k < 44; k += 4)
			store_u32le(file + TOO_FAR - 1 + out + 1024 + k, k == 20 || k == 24 ? 1 : 64);
		store_u32le(file + TOO_FAR - 1 + out + 1024 + 56, 0xEF53);
		ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_FILESYSTEM), out ? UINT64_MAX : TOO_FAR - 1);
	}
}
END_TEST

START_TEST(test_guests_that_the_file_or_a_piece_cuts)
{
	for (size_t i = 0; i < sizeof(guests) / sizeof(guests[0]); i++) {
		const struct guest *g = &guests[i];

		file_new(4000);
		g->make(1500);
		for (file_cut = 1490; file_cut < 1640; file_cut++)
			ck_assert_found(g->code, 1500);
		file_cut = 0;
		file_n = 1500 + g->n;
		ck_assert_found(g->code, 1500);
		file_n--;
		ck_assert_clean(g->code);
	}
}
END_TEST

START_TEST(test_a_superblock_has_counts_and_sizes)
{
	static const struct {
		size_t at;
		uint32_t value;
	} wrong[] = { { 0, 0 }, { 4, 0 }, { 20, 2 }, { 24, 7 }, { 32, 0 }, { 40, 0 }, { 56, 0xEF52 }, { 76, 2 } };

	for (size_t i = 0; i <= 8; i++) {
		file_new(5000);
		for (size_t k = 0; k < 44; k += 4)
			store_u32le(file + 1024 + k, k == 20 || k == 24 ? 1 : 64);
		store_u32le(file + 1024 + 56, 0xEF53);
		if (i < 8)
			store_u32le(file + 1024 + wrong[i].at, wrong[i].value);
		ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_FILESYSTEM), i < 8 ? UINT64_MAX : 0);
	}
}
END_TEST

HARNESS("polyglot-places", test_tar_is_found_in_every_block_and_nowhere_else,
    test_tar_that_pieces_of_the_pass_cut_is_found, test_every_byte_of_a_tar_header_counts,
    test_a_tar_without_magic_needs_a_name_or_two_numbers, test_the_sum_of_signed_bytes_counts_as_well,
    test_guests_are_found_as_far_as_readers_search, test_what_begins_in_the_window_and_is_told_behind_it,
    test_guests_that_the_file_or_a_piece_cuts, test_a_superblock_has_counts_and_sizes)
