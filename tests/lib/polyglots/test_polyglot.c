/* The polyglot rules, each with what its real readers accept, with near misses, and at its borders.  Files
 * are built in memory.  The rules that came with the second set: test_polyglot_rules.c. */
#include "harness.h"

#include "polyglot_file.h"

/* P18: numeric magics. */

static void prefix_file(uint64_t n)
{
	file_new(256);
	store_u64le(file, n);
	put_text(8, "{\"w\":");
}

START_TEST(test_lengths_that_spell_the_signature_of_a_program_or_archive_are_found)
{
	static const uint64_t lengths[] = { 67324752, 8483, 6365475, 23117, 559903, 17337119 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		prefix_file(lengths[i]);
		ck_assert_found(WLK_F_POLYGLOT_MAGIC, 0);
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_MAGIC, 0);
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_MAGIC, 1);
	}
}
END_TEST

START_TEST(test_common_lengths_that_spell_harmless_prefixes_are_not_found)
{
	static const uint64_t lengths[] = { 640, 896, 1152, 1408, 1368, 265, 376, 8312, 11923, 40056, 49025, 55928,
		60000, 64, 88, 33639248 /* PK12 */, 35615 /* gzip without its method */ };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		prefix_file(lengths[i]);
		ck_assert_clean(WLK_F_POLYGLOT_MAGIC);
	}
}
END_TEST

/* P1: ZIP. */

#define DIRECTORY_BYTES 51 /* one entry with a name of five */
#define END_BYTES 22

static void put_directory(size_t at)
{
	put(at, "PK\1\2", 4);
	file[at + 28] = 5;
	put_text(at + 46, "x.txt");
}

static void put_end(size_t at, uint32_t size, uint32_t offset)
{
	put(at, "PK\5\6", 4);
	file[at + 8] = file[at + 10] = 1;
	store_u32le(file + at + 12, size);
	store_u32le(file + at + 16, offset);
}

/* A directory and its end record, the record at `end`. */
static void put_zip(size_t end)
{
	put_directory(end - DIRECTORY_BYTES);
	put_end(end, DIRECTORY_BYTES, (uint32_t)(end - DIRECTORY_BYTES));
}

START_TEST(test_a_zip_at_the_end_is_found)
{
	file_new(1000);
	put_zip(1000 - END_BYTES);
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 1000 - END_BYTES);
	for (size_t i = 0; i < 4; i++)
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_ZIP, 1000 - END_BYTES + i);
	for (size_t i = 0; i < 4; i++)
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_ZIP, 1000 - END_BYTES - DIRECTORY_BYTES + i);
}
END_TEST

START_TEST(test_an_end_record_must_be_whole)
{
	file_new(1000);
	put_zip(1000 - END_BYTES);
	file_n--;
	ck_assert_clean(WLK_F_POLYGLOT_ZIP);
}
END_TEST

START_TEST(test_a_zip_as_far_from_the_end_as_readers_search_is_found)
{
	file_new(200000);
	put_zip(200000 - 74192);
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 200000 - 74192);
	file_new(200001);
	put_zip(200000 - 74192);
	ck_assert_clean(WLK_F_POLYGLOT_ZIP);
}
END_TEST

START_TEST(test_a_directory_is_found_by_either_way_of_counting)
{
	file_new(2000);
	put_directory(500);
	put_end(1000, 500, 7); /* counted back from the record; the offset is of the archive alone */
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 1000);
	put_end(1000, 7, 500); /* at its offset, with something between it and the record */
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 1000);
	put_end(1000, 499, 501);
	ck_assert_clean(WLK_F_POLYGLOT_ZIP);
	put_end(1000, 0xffffffff, 0xffffffff);
	ck_assert_clean(WLK_F_POLYGLOT_ZIP);
}
END_TEST

/* Python runs such a file, whatever these fields say. */
START_TEST(test_disk_numbers_counts_and_comment_do_not_hide_a_zip)
{
	for (size_t field = 4; field < 12; field++) {
		file_new(1000);
		put_zip(900);
		file[900 + field] = 9;
		ck_assert_found(WLK_F_POLYGLOT_ZIP, 900);
	}
	file_new(1000);
	put_zip(900);
	store_u16le(file + 900 + 20, 65535);
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 900);
}
END_TEST

START_TEST(test_a_zip_behind_other_end_signatures_is_found)
{
	file_new(2000);
	memset(file, 0x11, 2000);
	for (size_t at = 0; at < 1200; at += 4)
		put(at, "PK\5\6", 4);
	memset(file + 1200, 0, 200);
	file[1210] = 1; /* the last signature is no empty archive */
	put_zip(1300);
	put(1990, "PK\5\6", 4);
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 1300);
}
END_TEST

START_TEST(test_an_empty_archive_is_found)
{
	file_new(1000);
	put(978, "PK\5\6", 4);
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 978);
	for (size_t field = 4; field < 16; field++)
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_ZIP, 978 + field);
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_ZIP, 978 + 20); /* a comment of 1 does not fit */
	file_n = 1001;
	file[978 + 20] = 1;
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 978);
}
END_TEST

/* directory 400..450, ZIP64 record at `record`, locator at 600 pointing to `pointer`, end record at 620 */
static void put_zip64(size_t record, uint64_t pointer, uint64_t size, uint64_t offset)
{
	file_new(1000);
	put_directory(400);
	put(record, "PK\6\6", 4);
	store_u64le(file + record + 40, size);
	store_u64le(file + record + 48, offset);
	put(600, "PK\6\7", 4);
	store_u64le(file + 608, pointer);
	put_end(620, UINT32_MAX, UINT32_MAX);
}

START_TEST(test_a_zip64_archive_is_found)
{
	put_zip64(544, 544, 144, 0);
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 620);
	put_zip64(544, UINT64_MAX, 144, 0); /* Python looks in front of the locator only */
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 620);
	put_zip64(500, 500, UINT64_MAX, 400); /* others believe the pointer */
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 620);
	put_zip64(544, 544, 0, 0); /* empty */
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 620);
}
END_TEST

START_TEST(test_a_broken_zip64_chain_is_not_found)
{
	put_zip64(544, 544, 143, 401);
	ck_assert_clean(WLK_F_POLYGLOT_ZIP);
	put_zip64(543, 544, 144, 400);
	ck_assert_clean(WLK_F_POLYGLOT_ZIP);
	put_zip64(544, 544, UINT64_MAX, UINT64_MAX - 3);
	ck_assert_clean(WLK_F_POLYGLOT_ZIP);
	put_zip64(544, 544, 144, 0);
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_ZIP, 600); /* the locator's signature */
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_ZIP, 544); /* the record's */
}
END_TEST

/* The directory lies where nothing was captured. */
static void far_zip(void)
{
	file_new(FILE_MAX);
	put_directory(FILE_MAX / 2);
	put_end(FILE_MAX - END_BYTES, DIRECTORY_BYTES, (uint32_t)(FILE_MAX / 2));
}

START_TEST(test_a_directory_far_from_the_end_is_read_again)
{
	far_zip();
	ck_assert_found(WLK_F_POLYGLOT_ZIP, FILE_MAX - END_BYTES);
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_ZIP, FILE_MAX / 2);
}
END_TEST

START_TEST(test_a_file_that_changed_before_the_second_look_is_not_judged)
{
	struct judged j;

	far_zip();
	judge_as(&j, WLK_FORMAT_SAFETENSORS, SOURCE_MUTABLE);
	ck_assert_int_eq(j.status, WLK_DONE);
	ck_assert_ptr_nonnull(told_finding(&j.told, WLK_F_POLYGLOT_ZIP));
	told_done(&j.told);

	file_changes = true;
	judge_as(&j, WLK_FORMAT_SAFETENSORS, SOURCE_MUTABLE);
	ck_assert_int_eq(j.status, WLK_INCOMPLETE);
	ck_assert_int_eq(j.told.report.cause, WLK_CAUSE_INPUT_CHANGED);
	told_done(&j.told);
}
END_TEST

/* P2: PDF. */

START_TEST(test_a_pdf_marker_with_an_object_is_found_below_1024)
{
	file_new(4096);
	put_text(1023, "%PDF-");
	put_text(2000, " 1 0 obj");
	ck_assert_found(WLK_F_POLYGLOT_PDF, 1023);
	file_new(4096);
	put_text(1024, "%PDF-x.7"); /* further on only with a version */
	put_text(2000, " 1 0 obj");
	ck_assert_clean(WLK_F_POLYGLOT_PDF);
}
END_TEST

START_TEST(test_a_pdf_marker_alone_is_found_unless_it_is_a_mention)
{
	file_new(256);
	put_text(20, "{\"k\":\"%PDF-1.4\"}");
	ck_assert_found(WLK_F_POLYGLOT_PDF, 26);
	put_text(20, "{\"k\":\"x%PDF-2.0\"}");
	ck_assert_found(WLK_F_POLYGLOT_PDF, 27);
	put_text(20, "{\"k\":\" %PDF-2.0\"}");
	ck_assert_found(WLK_F_POLYGLOT_PDF, 27);
	put_text(20, "{\"k\":\"a %PDF-1.4\"}");
	ck_assert_found(WLK_F_PDF_MARKER, 28);
	put_text(20, "{\"k\":\"a %PDF-1.4 %PDF-1.5%PDF-1.6\"}"); /* the third is glued */
	ck_assert_found(WLK_F_POLYGLOT_PDF, 45);
	file_new(256);
	put_text(20, "{\"k\":\"%PDF-x.4\"}");
	ck_assert_clean(WLK_F_POLYGLOT_PDF);
	put_text(20, "{\"k\":\"%PDf-1.4\"}");
	ck_assert_clean(WLK_F_POLYGLOT_PDF);
	file_new(8);
	put_text(0, "%PDF-1.4");
	ck_assert_found(WLK_F_POLYGLOT_PDF, 0);
	file_n = 7;
	ck_assert_clean(WLK_F_POLYGLOT_PDF);
}
END_TEST

static bool mention_is_found_with(size_t at, const char *structure)
{
	struct judged j;
	bool document;

	file_new(FILE_MAX);
	put_text(100, "a %PDF-1.4");
	put_text(at, structure);
	judge_as(&j, WLK_FORMAT_SAFETENSORS, SOURCE_IMMUTABLE);
	document = told_finding(&j.told, WLK_F_POLYGLOT_PDF) != NULL;
	ck_assert_int_eq(told_finding(&j.told, WLK_F_PDF_MARKER) != NULL, !document);
	told_done(&j.told);
	return document;
}

START_TEST(test_a_mention_with_the_structure_of_a_pdf_is_found)
{
	ck_assert(mention_is_found_with(200, "12 0 obj"));
	ck_assert(mention_is_found_with(200, "7\r\n0\tobj"));
	ck_assert(mention_is_found_with(200, "startxref"));
	ck_assert(mention_is_found_with(102 + 65536, "12 0 obj"));
	ck_assert(mention_is_found_with(FILE_MAX - 2048, "startxref"));
	ck_assert(mention_is_found_with(FILE_MAX - 8, "12 0 obj"));
}
END_TEST

START_TEST(test_a_mention_with_less_than_the_structure_of_a_pdf_is_not_found)
{
	ck_assert(!mention_is_found_with(200, "x an obj"));
	ck_assert(!mention_is_found_with(200, "x 0 obj"));
	ck_assert(!mention_is_found_with(200, "x 12 0obj"));
	ck_assert(!mention_is_found_with(200, "x 120 obj"));
	ck_assert(!mention_is_found_with(200, "startxre"));
	ck_assert(!mention_is_found_with(80, "1 0 obj")); /* in front of the marker */
	ck_assert(!mention_is_found_with(102 + POLYGLOT_PDF_BEHIND, "12 0 obj"));
	ck_assert(!mention_is_found_with(FILE_MAX - 2049, "startxref"));
}
END_TEST

/* P3: tar. */

static void put_octal(size_t at, size_t digits, uint64_t value)
{
	for (size_t i = digits; i-- > 0; value /= 8)
		file[at + i] = (uint8_t)('0' + value % 8);
}

/* The checksum of the header, bytes unsigned or signed. */
static uint64_t tar_sum(bool is_signed)
{
	int64_t sum = 0;

	for (size_t i = 0; i < 512; i++) {
		uint8_t c = i >= 148 && i < 156 ? ' ' : file[i];

		sum += is_signed ? (int8_t)c : c;
	}
	return (uint64_t)sum;
}

/* A header as `tar` writes it. */
static void tar_file(void)
{
	file_new(2048);
	store_u64le(file, 80);
	put_text(8, "{\"w\":{\"dtype\":\"U8\"}}");
	put_octal(100, 7, 0644);
	put_octal(124, 11, 5);
	put_text(257, "ustar");
	put_octal(148, 6, tar_sum(false));
	file[155] = ' ';
}

START_TEST(test_a_tar_header_with_its_checksum_is_found)
{
	tar_file();
	ck_assert_found(WLK_F_POLYGLOT_TAR, 0);
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_TAR, 0);   /* the sum is over every byte, */
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_TAR, 511); /* the last too */
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_TAR, 153);
	file_n = 511;
	ck_assert_clean(WLK_F_POLYGLOT_TAR);
	file_n = 512;
	ck_assert_found(WLK_F_POLYGLOT_TAR, 0);
}
END_TEST

START_TEST(test_the_letters_ustar_alone_are_not_a_tar)
{
	file_new(2048);
	put_text(257, "ustar");
	ck_assert_clean(WLK_F_POLYGLOT_TAR);
}
END_TEST

START_TEST(test_a_tar_without_ustar_needs_a_size)
{
	tar_file();
	put(257, "\0\0\0\0\0", 5);
	put_octal(148, 6, tar_sum(false));
	ck_assert_found(WLK_F_POLYGLOT_TAR, 0);
	file[124] = 'x';
	put_octal(148, 6, tar_sum(false));
	ck_assert_clean(WLK_F_POLYGLOT_TAR);
	put(124, "\x80\0\0\0\0\0\0\1\0\0\0\0", 12); /* GNU: big endian behind the mark */
	put_octal(148, 6, tar_sum(false));
	ck_assert_found(WLK_F_POLYGLOT_TAR, 0);
}
END_TEST

START_TEST(test_a_tar_with_ustar_needs_no_size)
{
	tar_file();
	file[124] = 'x';
	put_octal(148, 6, tar_sum(false));
	ck_assert_found(WLK_F_POLYGLOT_TAR, 0);
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_TAR, 257);
}
END_TEST

START_TEST(test_checksums_are_read_as_python_reads_them)
{
	tar_file();
	file[300] = 0xff;
	put_octal(148, 6, tar_sum(true));
	ck_assert_found(WLK_F_POLYGLOT_TAR, 0);
	put_octal(148, 6, tar_sum(false));
	ck_assert_found(WLK_F_POLYGLOT_TAR, 0);
	put_octal(148, 8, tar_sum(false)); /* no terminator */
	ck_assert_found(WLK_F_POLYGLOT_TAR, 0);
	put(148, " +0o\0\0\0\0", 8);
	ck_assert_clean(WLK_F_POLYGLOT_TAR);
	put(148, "\x80\0\0\0\0\0\0\0", 8);
	file[154] = (uint8_t)(tar_sum(false) >> 8);
	file[155] = (uint8_t)tar_sum(false);
	ck_assert_found(WLK_F_POLYGLOT_TAR, 0);
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_TAR, 149);
	put_octal(149, 6, tar_sum(false));
	file[148] = '+';
	file[155] = '_';
	ck_assert_found(WLK_F_POLYGLOT_TAR, 0);
	file[148] = '-';
	ck_assert_clean(WLK_F_POLYGLOT_TAR);
}
END_TEST

/* P4: HDF5. */

#define HDF5_SIGNATURE "\x89HDF\r\n\x1a\n"

START_TEST(test_hdf5_is_found_at_every_doubling_offset_and_nowhere_else)
{
	for (size_t at = 0; at < FILE_MAX; at = at ? at * 2 : 512) {
		file_new(FILE_MAX);
		put(at, HDF5_SIGNATURE, 8);
		ck_assert_found(WLK_F_POLYGLOT_HDF5, at);
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_HDF5, at);
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_HDF5, at + 7);
		file_new(FILE_MAX);
		put(at + 1, HDF5_SIGNATURE, 8);
		ck_assert_clean(WLK_F_POLYGLOT_HDF5);
	}
	file_new(4096);
	put(256, HDF5_SIGNATURE, 8);
	put(1536, HDF5_SIGNATURE, 8);
	ck_assert_clean(WLK_F_POLYGLOT_HDF5);
}
END_TEST

START_TEST(test_hdf5_superblock_versions_end_at_3)
{
	file_new(4096);
	put(2048, HDF5_SIGNATURE, 8);
	file[2056] = 3;
	ck_assert_found(WLK_F_POLYGLOT_HDF5, 2048);
	file[2056] = 4;
	ck_assert_clean(WLK_F_POLYGLOT_HDF5);
}
END_TEST

START_TEST(test_hdf5_at_the_end_of_the_file_needs_its_version)
{
	static const size_t places[] = { 2048, 262144 }; /* in the head; by a probe */

	for (size_t i = 0; i < 2; i++) {
		file_new(places[i] + 9);
		put(places[i], HDF5_SIGNATURE, 8);
		ck_assert_found(WLK_F_POLYGLOT_HDF5, places[i]);
		file_n--;
		ck_assert_clean(WLK_F_POLYGLOT_HDF5);
	}
}
END_TEST

/* TFRecord. */

START_TEST(test_a_length_followed_by_its_masked_crc_is_a_tfrecord)
{
	file_new(64);
	store_u64le(file, 318506); /* the smallest length whose checksum is JSON text */
	put_text(8, "{\"7M");
	ck_assert_found(WLK_F_POLYGLOT_TFRECORD, 0);
	for (size_t i = 0; i < 12; i++)
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_TFRECORD, i);
	file_n = 12;
	ck_assert_found(WLK_F_POLYGLOT_TFRECORD, 0);
	file_n = 11;
	ck_assert_clean(WLK_F_POLYGLOT_TFRECORD);
}
END_TEST

/* All rules. */

START_TEST(test_files_too_short_for_any_rule_are_clean)
{
	for (size_t n = 0; n < 64; n++) {
		file_new(n);
		ck_assert_clean(WLK_F_POLYGLOT_MAGIC);
	}
}
END_TEST

START_TEST(test_every_rule_that_matches_is_reported)
{
	struct judged j;

	file_new(4096);
	put_text(0, "MZ");
	put_text(600, "%PDF-1.4");
	put(2048, HDF5_SIGNATURE, 8);
	put_zip(4000);
	judge_as(&j, WLK_FORMAT_SAFETENSORS, SOURCE_IMMUTABLE);
	ck_assert_uint_eq(j.told.facts->n_findings, 4);
	ck_assert_ptr_nonnull(told_finding(&j.told, WLK_F_POLYGLOT_MAGIC));
	ck_assert_ptr_nonnull(told_finding(&j.told, WLK_F_POLYGLOT_PDF));
	ck_assert_ptr_nonnull(told_finding(&j.told, WLK_F_POLYGLOT_HDF5));
	ck_assert_ptr_nonnull(told_finding(&j.told, WLK_F_POLYGLOT_ZIP));
	told_done(&j.told);
}
END_TEST

START_TEST(test_a_file_of_no_known_format_is_not_also_something)
{
	struct judged j;

	file_new(1000);
	put_zip(900);
	judge_as(&j, WLK_FORMAT_UNKNOWN, SOURCE_IMMUTABLE);
	ck_assert_int_eq(j.status, WLK_DONE);
	ck_assert_uint_eq(j.told.facts->n_findings, 0);
	told_done(&j.told);
}
END_TEST

START_TEST(test_the_largest_file_there_can_be_fits_the_captures)
{
	static struct pass pass;
	struct arena arena;
	struct source src;
	struct polyglot pg;
	struct told told;

	told_init(&told);
	arena_init(&arena, 1 << 20);
	source_init(&src, file_read, NULL, INT64_MAX, SOURCE_IMMUTABLE, &arena, 0);
	pass_init(&pass, &src, &told.report);
	ck_assert_int_eq(polyglot_plan(&pg, &pass, WLK_FORMAT_SAFETENSORS, NULL, (struct siphash_key){ 0 }), WLK_DONE);
	ck_assert_uint_eq(pg.probes[pg.n_probes - 1]->begin, UINT64_C(1) << 62);
	ck_assert_uint_lt(pass.n_captures, PASS_CAPTURES_MAX);
	source_done(&src);
	arena_done(&arena);
	told_done(&told);
}
END_TEST

START_TEST(test_a_plan_without_memory_is_incomplete)
{
	static struct pass pass;
	struct arena arena;
	struct source src;
	struct polyglot pg;
	struct told told;

	told_init(&told);
	arena_init(&arena, 140 * 1024);
	source_init(&src, file_read, NULL, FILE_MAX, SOURCE_IMMUTABLE, &arena, 0);
	pass_init(&pass, &src, &told.report);
	ck_assert_int_eq(
	    polyglot_plan(&pg, &pass, WLK_FORMAT_SAFETENSORS, NULL, (struct siphash_key){ 0 }), WLK_INCOMPLETE);
	ck_assert_int_eq(told.report.cause, WLK_CAUSE_LIMIT_MEMORY);
	source_done(&src);
	arena_done(&arena);
	told_done(&told);
}
END_TEST

HARNESS("polyglot", test_lengths_that_spell_the_signature_of_a_program_or_archive_are_found,
    test_common_lengths_that_spell_harmless_prefixes_are_not_found, test_a_zip_at_the_end_is_found,
    test_an_end_record_must_be_whole, test_a_zip_as_far_from_the_end_as_readers_search_is_found,
    test_a_directory_is_found_by_either_way_of_counting, test_disk_numbers_counts_and_comment_do_not_hide_a_zip,
    test_a_zip_behind_other_end_signatures_is_found, test_an_empty_archive_is_found, test_a_zip64_archive_is_found,
    test_a_broken_zip64_chain_is_not_found, test_a_directory_far_from_the_end_is_read_again,
    test_a_file_that_changed_before_the_second_look_is_not_judged, test_a_pdf_marker_with_an_object_is_found_below_1024,
    test_a_pdf_marker_alone_is_found_unless_it_is_a_mention, test_a_mention_with_the_structure_of_a_pdf_is_found,
    test_a_mention_with_less_than_the_structure_of_a_pdf_is_not_found, test_a_tar_header_with_its_checksum_is_found,
    test_the_letters_ustar_alone_are_not_a_tar, test_a_tar_without_ustar_needs_a_size,
    test_a_tar_with_ustar_needs_no_size, test_checksums_are_read_as_python_reads_them,
    test_hdf5_is_found_at_every_doubling_offset_and_nowhere_else, test_hdf5_superblock_versions_end_at_3,
    test_hdf5_at_the_end_of_the_file_needs_its_version, test_a_length_followed_by_its_masked_crc_is_a_tfrecord,
    test_files_too_short_for_any_rule_are_clean, test_every_rule_that_matches_is_reported,
    test_a_file_of_no_known_format_is_not_also_something, test_the_largest_file_there_can_be_fits_the_captures,
    test_a_plan_without_memory_is_incomplete)
