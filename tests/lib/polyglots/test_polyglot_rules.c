/* The polyglot rules for archives behind programs, single places, grammars from byte 0, programs and markup: what they
 * find, what is a byte beside it, and where their windows end.  The older rules: test_polyglot.c. */
#include "harness.h"

#include <stdio.h>

#include <libdeflate.h>

#include "member.h"
#include "polyglot_file.h"

static void put_u32be(size_t at, uint32_t v)
{
	const uint8_t b[4] = { (uint8_t)(v >> 24), (uint8_t)(v >> 16), (uint8_t)(v >> 8), (uint8_t)v };

	put(at, b, sizeof(b));
}

static void put_crc(size_t at, size_t from, size_t n)
{
	store_u32le(file + at, libdeflate_crc32(0, file + from, n));
}

/* -- P5 to P7 -- */

static void put_7z(size_t at)
{
	put(at, "7z\xBC\xAF\x27\x1C\0\4", 8);
	put_text(at + 12, "offset, size and CRC");
	put_crc(at + 8, at + 12, 20);
}

static void put_rar4(size_t at)
{
	put(at, "Rar!\x1A\x07\0..\x73\0\0\x0D\0", 14);
	store_u16le(file + at + 7, (uint16_t)libdeflate_crc32(0, file + at + 9, 11));
}

static void put_rar5(size_t at)
{
	put(at, "Rar!\x1A\x07\1\0....\4\1\5\0\0", 17);
	put_crc(at + 8, at + 12, 5);
}

static void put_arj(size_t at)
{
	put(at, "\x60\xEA\x21\0\x1E\x0B\1\2\0\0\2", 11);
	put_crc(at + 4 + 33, at + 4, 33);
}

static const struct archive {
	enum wlk_finding code;
	void (*make)(size_t at);
	size_t n, within; /* bytes that matter; first offset beyond the window */
} archives[] = {
	{ WLK_F_POLYGLOT_7Z, put_7z, 32, (8 << 20) + 1 },
	{ WLK_F_POLYGLOT_RAR, put_rar4, 20, (8 << 20) + 1 },
	{ WLK_F_POLYGLOT_RAR, put_rar5, 17, (8 << 20) + 1 },
	{ WLK_F_POLYGLOT_ARJ, put_arj, 41, (8 << 20) + 1 },
};
#define N_ARCHIVES (sizeof(archives) / sizeof(archives[0]))

START_TEST(test_archives_are_found_with_their_checksum_and_not_without)
{
	for (size_t i = 0; i < N_ARCHIVES; i++) {
		const struct archive *a = &archives[i];

		file_new(5000);
		a->make(1001);
		ck_assert_found(a->code, 1001);
		for (size_t k = 0; k < a->n; k++)
			if (i != 0 || k != 7) /* 7z's minor version is nobody's */
				ck_assert_clean_with_byte_changed(a->code, 1001 + k);
		file_n = 1001 + a->n;
		ck_assert_found(a->code, 1001);
		file_n--;
		ck_assert_clean(a->code);
	}
}
END_TEST

START_TEST(test_archives_are_found_as_far_as_unpackers_search)
{
	for (size_t i = 0; i < N_ARCHIVES; i++) {
		const struct archive *a = &archives[i];

		file_new(FILE_MAX);
		a->make(a->within - 1);
		ck_assert_found(a->code, a->within - 1);
		file_new(FILE_MAX);
		a->make(a->within);
		ck_assert_clean(a->code);
	}
}
END_TEST

START_TEST(test_signatures_cut_by_pieces_of_the_pass_are_found)
{
	for (size_t i = 0; i < N_ARCHIVES; i++) {
		file_new(3000);
		archives[i].make(1000);
		for (file_cut = 980; file_cut < 1045; file_cut++)
			ck_assert_found(archives[i].code, 1000);
		file_cut = 0;
		file_new(FILE_MAX);
		archives[i].make(PASS_BLOCK / 4 - 3);
		ck_assert_found(archives[i].code, PASS_BLOCK / 4 - 3);
	}
	file_new(FILE_MAX);
	for (size_t at = PASS_BLOCK - 7; at < PASS_BLOCK + 2; at++) {
		memset(file + PASS_BLOCK - 64, 0, 128);
		put_7z(at);
		ck_assert_found(WLK_F_POLYGLOT_7Z, at);
	}
}
END_TEST

START_TEST(test_an_archive_behind_false_signatures_is_found)
{
	struct judged j;

	file_new(20000);
	for (size_t at = 100; at < 100 + 59 * 40; at += 40) {
		put_7z(at);
		file[at + 9] ^= 1;
	}
	ck_assert_clean(WLK_F_POLYGLOT_7Z);
	put_7z(5000);
	ck_assert_found(WLK_F_POLYGLOT_7Z, 5000);
	/* More than are confirmed one by one are a find by themselves. */
	for (size_t at = 6000; at < 6000 + 100 * 40; at += 40) {
		put_7z(at);
		file[at + 9] ^= 1;
	}
	ck_assert_found(WLK_F_POLYGLOT_7Z, 5000); /* the 161st is none yet */
	put_7z(10000);
	file[10000 + 9] ^= 1;
	judge_as(&j, WLK_FORMAT_SAFETENSORS, SOURCE_IMMUTABLE);
	ck_assert_uint_eq(j.told.facts->n_findings, 2);
	ck_assert_uint_eq(j.told.facts->findings[0].offset, 5000);
	told_done(&j.told);
}
END_TEST

START_TEST(test_rar_headers_of_other_types_and_sizes_are_not_found)
{
	file_new(500);
	put_rar5(100);
	file[113] = 2; /* a file's header, its checksum right */
	put_crc(108, 112, 5);
	ck_assert_clean(WLK_F_POLYGLOT_RAR);
	file[113] = 4; /* encrypted archives begin so */
	put_crc(108, 112, 5);
	ck_assert_found(WLK_F_POLYGLOT_RAR, 100);
	put(112, "\x80\x80\x80\1", 4); /* a size of four bytes */
	ck_assert_clean(WLK_F_POLYGLOT_RAR);
	file_new(500);
	put_rar4(100);
	file[109] = 0x74; /* a file's header, its checksum right */
	store_u16le(file + 107, (uint16_t)libdeflate_crc32(0, file + 109, 11));
	ck_assert_clean(WLK_F_POLYGLOT_RAR);
	file_new(500);
	put_rar4(100);
	store_u16le(file + 112, 12); /* smaller than the header is */
	store_u16le(file + 107, (uint16_t)libdeflate_crc32(0, file + 109, 10));
	ck_assert_clean(WLK_F_POLYGLOT_RAR);
}
END_TEST

START_TEST(test_arj_headers_have_a_size_between_30_and_2600)
{
	static const struct {
		uint16_t size;
		bool found;
	} sizes[] = { { 29, false }, { 30, true }, { 2600, true }, { 2601, false } };

	for (size_t i = 0; i < 4; i++) {
		file_new(5000);
		put_arj(100);
		store_u16le(file + 102, sizes[i].size);
		put_crc(104u + sizes[i].size, 104, sizes[i].size);
		ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_ARJ), sizes[i].found ? 100 : UINT64_MAX);
	}
	file_new(500);
	put_arj(100);
	file[110] = 1; /* a file's header, its checksum right */
	put_crc(104 + 33, 104, 33);
	ck_assert_clean(WLK_F_POLYGLOT_ARJ);
	file_new((8 << 20) + 8 + 2600);
	put(file_n - 8 - 2600, "\x60\xEA\x28\x0A", 4);
	file[file_n - 8 - 2600 + 10] = 2;
	put_crc(file_n - 4, file_n - 4 - 2600, 2600);
	ck_assert_found(WLK_F_POLYGLOT_ARJ, 8 << 20);
}
END_TEST

/* -- P8, P9, P17 -- */

START_TEST(test_disc_images_are_found_in_three_sectors)
{
	static const char types[] = { 0, 1, 2, 3, (char)255, 4, (char)254 };

	for (size_t sector = 15; sector <= 19; sector++) {
		file_new(64 * 1024);
		put(sector * 2048, "\1CD001\1", 7);
		ck_assert_uint_eq(
		    found_at(WLK_F_POLYGLOT_ISO9660), sector >= 16 && sector <= 18 ? sector * 2048 : UINT64_MAX);
	}
	for (size_t i = 0; i < sizeof(types); i++) {
		file_new(64 * 1024);
		put(32768, "\1CD001\1", 7);
		file[32768] = (uint8_t)types[i];
		ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_ISO9660), i < 5 ? 32768 : UINT64_MAX);
	}
	put(32768, "\0BEA01\1", 7);
	ck_assert_found(WLK_F_POLYGLOT_ISO9660, 32768);
	put(32768, "\0NSR03\1", 7);
	ck_assert_found(WLK_F_POLYGLOT_ISO9660, 32768);
	for (size_t i = 1; i < 7; i++)
		if (i != 5) /* NSR02 is one too */
			ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_ISO9660, 32768 + i);
	file_n = 32768 + 6;
	ck_assert_clean(WLK_F_POLYGLOT_ISO9660);
}
END_TEST

START_TEST(test_dicom_is_found_with_its_first_element)
{
	file_new(300);
	put(128, "DICM\2\0\0\0UL", 10);
	ck_assert_found(WLK_F_POLYGLOT_DICOM, 128);
	for (size_t i = 0; i < 6; i++)
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_DICOM, 128 + i);
	file[136] = 'u';
	ck_assert_clean(WLK_F_POLYGLOT_DICOM);
	file[136] = 'U';
	file_n = 138;
	ck_assert_found(WLK_F_POLYGLOT_DICOM, 128);
	file_n = 137;
	ck_assert_clean(WLK_F_POLYGLOT_DICOM);
}
END_TEST

START_TEST(test_disk_footers_are_found_in_the_last_512_bytes)
{
	uint32_t sum = 0;

	file_new(1000);
	put_text(488, "conectix");
	put_text(600, "the rest");
	for (size_t i = 488; i < 1000; i++)
		sum += file[i];
	put_u32be(488 + 64, ~sum);
	ck_assert_found(WLK_F_POLYGLOT_DISK_FOOTER, 488);
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_DISK_FOOTER, 488);
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_DISK_FOOTER, 488 + 67);
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_DISK_FOOTER, 999);
	file_n = 999;
	ck_assert_clean(WLK_F_POLYGLOT_DISK_FOOTER);
	file_new(512);
	put(0, "koly\0\0\0\4\0\0\2\0", 12);
	ck_assert_found(WLK_F_POLYGLOT_DISK_FOOTER, 0);
	for (size_t i = 0; i < 12; i++)
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_DISK_FOOTER, i);
	file_n = 511;
	ck_assert_clean(WLK_F_POLYGLOT_DISK_FOOTER);
}
END_TEST

/* -- P10 -- */

/* BINUNICODE, its length the header's; then pairs of POP and a constant, up to `end`. */
static size_t put_hops(size_t at, unsigned n)
{
	for (unsigned i = 0; i < n; i++, at += 43) {
		put(at, "0C(", 3);
		memset(file + at + 3, 'x', 40);
	}
	return at;
}

static size_t put_pickle_head(unsigned hops)
{
	file_new(4000);
	store_u64le(file, 0x558);
	put_text(8, "{\"");
	memset(file + 10, ' ', 1370);
	return put_hops(10, hops);
}

START_TEST(test_a_pickle_from_byte_0_that_calls_is_found_whatever_follows)
{
	size_t at = put_pickle_head(1);

	put(at, "0cbuiltins\nlen\n(X\1\0\0\0atR", 24);
	ck_assert_found(WLK_F_POLYGLOT_PICKLE, 0);
	file[at + 23] = ' '; /* no call, and nothing else that walks */
	ck_assert_clean(WLK_F_POLYGLOT_PICKLE);
	file[at + 23] = 'R';
	file[at + 4] = ' '; /* no loader gets beyond that import */
	ck_assert_clean(WLK_F_POLYGLOT_PICKLE);
}
END_TEST

START_TEST(test_a_pickle_of_data_takes_eight_opcodes_or_proto)
{
	size_t at = put_pickle_head(2); /* 5 opcodes */

	put_text(at, "NN."); /* 8 */
	ck_assert_found(WLK_F_POLYGLOT_PICKLE, 0);
	put_text(at, "N.."); /* 7 */
	ck_assert_clean(WLK_F_POLYGLOT_PICKLE);
	put_text(at, "NNN "); /* no STOP */
	ck_assert_clean(WLK_F_POLYGLOT_PICKLE);
	file_new(100);
	put(0, "\x80\4K\7.", 5); /* 3 */
	file_host = WLK_FORMAT_GZIP;
	ck_assert_found(WLK_F_POLYGLOT_PICKLE, 0);
	put(0, "\x80\6K\7.", 5); /* no such protocol */
	ck_assert_clean(WLK_F_POLYGLOT_PICKLE);
	file_host = WLK_FORMAT_SAFETENSORS;
}
END_TEST

START_TEST(test_a_pickle_may_hop_anywhere_in_the_file)
{
	file_new(FILE_MAX);
	put(0, "\x80\4B", 3);
	store_u32le(file + 3, FILE_MAX - 20);
	put_text(7 + FILE_MAX - 20, "0N.");
	file_host = WLK_FORMAT_NPY;
	ck_assert_found(WLK_F_POLYGLOT_PICKLE, 0);
	file[7 + FILE_MAX - 20] = 1;
	ck_assert_clean(WLK_F_POLYGLOT_PICKLE);
	file_host = WLK_FORMAT_SAFETENSORS;
}
END_TEST

START_TEST(test_a_pickle_that_never_ends_is_found)
{
	file_new(400000);
	put(0, "\x80\4N", 3);
	for (size_t i = 3; i < file_n; i += 2)
		put(i, "N0", i + 2 <= file_n ? 2 : 1);
	file_host = WLK_FORMAT_NPY;
	ck_assert_found(WLK_F_POLYGLOT_PICKLE, 0);
	file_n = 190000;
	ck_assert_clean(WLK_F_POLYGLOT_PICKLE); /* cut: nobody loads that */
	file_host = WLK_FORMAT_SAFETENSORS;
}
END_TEST

START_TEST(test_an_archive_is_no_persistent_id)
{
	file_new(1000);
	put(0, "PK\3\4", 4);
	memset(file + 4, 'x', 100);
	put(60, "\nNNNNNNNNN.", 11);
	file_host = WLK_FORMAT_ZIP;
	ck_assert_clean(WLK_F_POLYGLOT_PICKLE);
	file[0] = 'N';
	file[1] = 'P';
	ck_assert_found(WLK_F_POLYGLOT_PICKLE, 0);
	file_host = WLK_FORMAT_SAFETENSORS;
}
END_TEST

/* -- P11 -- */

/* Field 1 as eight bytes, a group of unknown fields, a text, the graph with a node and a name, an operator set. */
#define MODEL_GROUP_END 14
#define MODEL_GRAPH 21
#define MODEL_GRAPH_NAME 29 /* its length */
#define MODEL_OPSET 32
static size_t put_model(size_t at)
{
	static const char model[] =
	    "\x09........\xA3\6\xA0\6\5\xA4\6\x12\3abc\x3A\x09\x0A\3\x0A\1X\x12\2gg\x42\2\x10\x0B";

	put(at, model, sizeof(model) - 1);
	return at + sizeof(model) - 1;
}

START_TEST(test_a_file_that_is_a_whole_model_is_found_and_no_part_of_one)
{
	size_t n;

	file_new(1000);
	n = put_model(0);
	for (file_n = 1; file_n < n + 3; file_n++)
		ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_PROTOBUF), file_n == n ? 0 : UINT64_MAX);
	file_n = n;
	for (file_cut = 1; file_cut < n; file_cut++)
		ck_assert_found(WLK_F_POLYGLOT_PROTOBUF, 0);
	file_cut = 0;
}
END_TEST

START_TEST(test_a_model_needs_a_graph_that_is_a_message_and_operator_sets)
{
	file_new(1000);
	file_n = put_model(0);
	file[MODEL_GRAPH] = 0x32; /* the graph is another field */
	ck_assert_clean(WLK_F_POLYGLOT_PROTOBUF);
	file[MODEL_GRAPH] = 0x3A;
	file[MODEL_OPSET] = 0x4A; /* the operator set is */
	ck_assert_clean(WLK_F_POLYGLOT_PROTOBUF);
	file[MODEL_OPSET] = 0x42;
	file[MODEL_GRAPH_NAME] = 3; /* the graph's last field is longer than the graph */
	ck_assert_clean(WLK_F_POLYGLOT_PROTOBUF);
	file[MODEL_GRAPH_NAME] = 1; /* and one byte is left over, a tag without its value */
	ck_assert_clean(WLK_F_POLYGLOT_PROTOBUF);
	file[MODEL_GRAPH_NAME] = 2;
	file[MODEL_GROUP_END] ^= 8; /* the group ends as another */
	ck_assert_clean(WLK_F_POLYGLOT_PROTOBUF);
}
END_TEST

START_TEST(test_broken_wire_formats_are_not_found)
{
	static const char *const tails[] = {
		"\x04",                                           /* field 0 */
		"\x0E",                                           /* wire type 6 */
		"\x0C",                                           /* the end of a group that is not open */
		"\x0B",                                           /* a group that does not end */
		"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\1", /* a varint of eleven bytes */
		"\x88\x80\x80\x80\x80\x01\1",                     /* a tag above 32 bits */
		"\x12\x80\x80\x80\x80\x80\x80\x80\x80\x80\1",     /* a length above what is left */
	};

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		size_t n;

		file_new(1000);
		n = put_model(0);
		put_text(n, tails[i]);
		file_n = n + strlen(tails[i]);
		ck_assert_clean(WLK_F_POLYGLOT_PROTOBUF);
	}
}
END_TEST

START_TEST(test_groups_nest_as_deep_as_readers_take_them)
{
	for (size_t depth = 100; depth <= 101; depth++) {
		size_t n;

		file_new(1000);
		n = put_model(0);
		memset(file + n, 0x0B, depth);
		memset(file + n + depth, 0x0C, depth);
		file_n = n + 2 * depth;
		ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_PROTOBUF), depth == 100 ? 0 : UINT64_MAX);
	}
}
END_TEST

/* -- P12 -- */

/* Every type there is. */
static size_t put_map(size_t at)
{
	static const char map[] =
	    "\x85\xA1"
	    "a\xDC\0\5\xC0\xC2\xC3\x7F\xE0"
	    "\xD9\1b\x9A\xCC.\xCD..\xCE....\xCF........\xD0.\xD1..\xD2....\xD3........\xCA....\xCB........"
	    "\xDA\0\1c\x97\xD4..\xD5...\xD6.....\xD7.........\xD8.................\xC7\1..\xC8\0\1.."
	    "\xDB\0\0\0\1d\xDE\0\1\xC4\1k\xC5\0\2vv"
	    "\xC6\0\0\0\1e\xDD\0\0\0\2\x90\xDF\0\0\0\0";

	put(at, map, sizeof(map) - 1);
	return at + sizeof(map) - 1;
}

START_TEST(test_a_file_that_is_a_whole_map_is_found_and_no_part_of_one)
{
	size_t n;

	file_new(1000);
	n = put_map(0);
	for (file_n = 1; file_n < n + 3; file_n++)
		ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_MSGPACK), file_n == n ? 0 : UINT64_MAX);
	file_n = n;
	for (file_cut = 1; file_cut < n; file_cut++)
		ck_assert_found(WLK_F_POLYGLOT_MSGPACK, 0);
	file_cut = 0;
}
END_TEST

static uint64_t map_of(const char *bytes, size_t n)
{
	file_new(n);
	put(0, bytes, n);
	return found_at(WLK_F_POLYGLOT_MSGPACK);
}

START_TEST(test_maps_have_text_for_keys)
{
	ck_assert_uint_eq(map_of("\x81\xA1k\1", 4), 0);
	ck_assert_uint_eq(map_of("\x81\xC4\1k\1", 5), 0);
	ck_assert_uint_eq(map_of("\x81\1\1", 3), UINT64_MAX);
	ck_assert_uint_eq(map_of("\x81\xA1k\x81\1\1", 6), UINT64_MAX);
	ck_assert_uint_eq(map_of("\x81\xA1k\xC1", 4), UINT64_MAX); /* never used */
	ck_assert_uint_eq(map_of("\x91\xA1k", 3), UINT64_MAX);     /* a list */
	ck_assert_uint_eq(map_of("\x82\xA1k\1", 4), UINT64_MAX);   /* one pair is missing */
	ck_assert_uint_eq(map_of("\x81\xA1k\xDD\xFF\xFF\xFF\xFF\1", 9), UINT64_MAX);
	ck_assert_uint_eq(map_of("\x80", 1), 0);
	ck_assert_uint_eq(map_of("\x80\x80", 2), UINT64_MAX); /* two maps */
}
END_TEST

START_TEST(test_maps_nest_as_deep_as_readers_take_them)
{
	for (size_t depth = 1023; depth <= 1024; depth++) { /* below the map */
		file_new(3 + depth + 1);
		put(0, "\x81\xA1k", 3);
		memset(file + 3, 0x91, depth);
		ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_MSGPACK), depth == 1023 ? 0 : UINT64_MAX);
	}
}
END_TEST

/* -- P13 to P16, P18, P19 -- */

START_TEST(test_a_safetensors_file_is_found_in_another_host)
{
	static const char header[] = "{\"w\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}  ";

	file_new(8 + sizeof(header) - 1);
	store_u64le(file, sizeof(header) - 1);
	put_text(8, header);
	ck_assert_clean(WLK_F_POLYGLOT_SAFETENSORS); /* it is itself */
	file_host = WLK_FORMAT_ZIP;
	ck_assert_found(WLK_F_POLYGLOT_SAFETENSORS, 0);
	for (size_t at = 0; at < 9; at++)
		if (at != 0)
			ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_SAFETENSORS, at);
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_SAFETENSORS, 9);          /* a name without quotes */
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_SAFETENSORS, file_n - 4); /* a bracket */
	file[file_n - 1] = 'e';                                                    /* behind the last bracket */
	ck_assert_clean(WLK_F_POLYGLOT_SAFETENSORS);
	file[file_n - 1] = ' ';
	store_u64le(file, sizeof(header));
	ck_assert_clean(WLK_F_POLYGLOT_SAFETENSORS); /* longer than the file */
	file_host = WLK_FORMAT_SAFETENSORS;
}
END_TEST

START_TEST(test_programs_are_found_at_byte_0)
{
	file_host = WLK_FORMAT_ZIP;
	file_new(500);
	put(0,
	    "\x7f"
	    "ELF\2\1\1",
	    7);
	ck_assert_found(WLK_F_POLYGLOT_ELF, 0);
	file[4] = 3;
	ck_assert_clean(WLK_F_POLYGLOT_ELF);
	file_new(500);
	put_text(0, "MZ");
	store_u32le(file + 60, 496);
	put_text(496, "PE");
	ck_assert_found(WLK_F_POLYGLOT_PE, 0);
	ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_PE, 499);
	store_u32le(file + 60, 497);
	ck_assert_clean(WLK_F_POLYGLOT_PE);
	file_new(500);
	put(0, "\xCF\xFA\xED\xFE", 4);
	ck_assert_clean(WLK_F_POLYGLOT_MACHO);
	file[16] = 20;
	ck_assert_found(WLK_F_POLYGLOT_MACHO, 0);
	put(0, "\xFE\xED\xFA\xCE", 4);
	ck_assert_clean(WLK_F_POLYGLOT_MACHO);
	file[19] = 20;
	file[16] = 0;
	ck_assert_found(WLK_F_POLYGLOT_MACHO, 0);
	put(0, "\xCA\xFE\xBA\xBE\0\0\0\x1E", 8);
	ck_assert_found(WLK_F_POLYGLOT_MACHO, 0);
	file[7]++; /* a Java class */
	ck_assert_clean(WLK_F_POLYGLOT_MACHO);
	file_host = WLK_FORMAT_SAFETENSORS;
}
END_TEST

START_TEST(test_scripts_are_found_by_their_interpreter)
{
	file_host = WLK_FORMAT_ZIP;
	file_new(500);
	put_text(0, "#! \t/bin/sh -e\n");
	ck_assert_found(WLK_F_POLYGLOT_SCRIPT, 0);
	put_text(0, "#!a\n            ");
	ck_assert_found(WLK_F_POLYGLOT_SCRIPT, 0);
	put_text(0, "#!\n");
	ck_assert_clean(WLK_F_POLYGLOT_SCRIPT);
	put_text(0, "#!\1/bin/sh\n");
	ck_assert_clean(WLK_F_POLYGLOT_SCRIPT);
	memset(file + 2, 'a', 400);
	ck_assert_clean(WLK_F_POLYGLOT_SCRIPT); /* longer than the kernel looks */
	file[255] = '\n';
	ck_assert_found(WLK_F_POLYGLOT_SCRIPT, 0);
	file_host = WLK_FORMAT_SAFETENSORS;
}
END_TEST

START_TEST(test_html_is_found_as_browsers_tell_it)
{
	static const struct {
		const char *text;
		uint64_t at;
	} cases[] = { { "<html>", 0 }, { " \n\t<HtMl lang=en>", 3 }, { "<!DOCTYPE HTML>", 0 }, { "<!--x", 0 },
		{ "<A >", 0 }, { "<htmlx>", UINT64_MAX }, { "<html", UINT64_MAX }, { "x<html>", UINT64_MAX },
		{ "<c>", UINT64_MAX } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		file_host = WLK_FORMAT_ZIP;
		file_new(100);
		put_text(0, cases[i].text);
		ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_HTML), cases[i].at);
		file_host = WLK_FORMAT_SAFETENSORS;
	}
}
END_TEST

static void put_phar(size_t at, const char *stub_end)
{
	size_t manifest = at + 18 + strlen(stub_end);

	put_text(at, "__HALT_COMPILER();");
	put_text(at + 18, stub_end);
	store_u32le(file + manifest, 47);
	store_u32le(file + manifest + 4, 1);
	file[manifest + 8] = 0x11;
}

START_TEST(test_phars_are_found_with_their_manifest)
{
	static const char *const ends[] = { "", "\n", " ?>\r\n", " ?>\n", "?>", " ?>" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		file_new(300);
		put_phar(100, ends[i]);
		ck_assert_found(WLK_F_POLYGLOT_PHAR, 100);
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_PHAR, 100);
		ck_assert_clean_with_byte_changed(WLK_F_POLYGLOT_PHAR, 117);
		file[118 + strlen(ends[i])] = 9; /* a manifest of nine bytes */
		ck_assert_clean(WLK_F_POLYGLOT_PHAR);
		file[118 + strlen(ends[i])] = 10;
		if (strchr(ends[i], '\n') == NULL)
			file[118 + strlen(ends[i])] = 11; /* 10 would be the end of the line */
		ck_assert_found(WLK_F_POLYGLOT_PHAR, 100);
		file[118 + strlen(ends[i]) + 8] = 0x21; /* of a version to come */
		ck_assert_clean(WLK_F_POLYGLOT_PHAR);
	}
}
END_TEST

START_TEST(test_phars_are_found_in_the_first_and_last_mebibyte)
{
	static const struct {
		size_t at;
		bool found;
	} places[] = { { (1 << 20) - 1, true }, { 1 << 20, false }, { FILE_MAX - (1 << 20) - 1, false },
		{ FILE_MAX - (1 << 20), true }, { FILE_MAX - (1 << 20) + PASS_BLOCK - 5, true },
		{ FILE_MAX - 28, true } };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		file_new(FILE_MAX);
		put_phar(places[i].at, "");
		ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_PHAR), places[i].found ? places[i].at : UINT64_MAX);
	}
}
END_TEST

START_TEST(test_gzip_is_found_when_its_first_block_inflates)
{
	struct judged j;

	for (unsigned right = 0; right <= 1; right++) {
		file_new(2000);
		memset(file, 'j', file_n);
		store_u64le(file, 0x088B1F);
		put_text(8, "{\"x");
		put(11, right ? " @\xDF\xBF" : " @\xDF\xBE", 4); /* a stored block: its length, and that inverted */
		memset(file + 15, 'j', file_n - 15);
		judge_as(&j, WLK_FORMAT_SAFETENSORS, SOURCE_IMMUTABLE);
		ck_assert_ptr_nonnull(told_finding(&j.told, WLK_F_POLYGLOT_MAGIC));
		ck_assert_int_eq(told_finding(&j.told, WLK_F_POLYGLOT_GZIP) != NULL, right);
		told_done(&j.told);
	}
}
END_TEST

START_TEST(test_markup_in_a_header_is_noted)
{
	static const char *const texts[] = { "a <?php b", "a <SCRIPT>b", "a <html>", "#!/bin/sh", "<!DocType HTML>" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		file_new(1000);
		store_u64le(file, 900);
		put_text(8, "{\"__metadata__\":{\"a\":\"");
		put_text(700, texts[i]);
		ck_assert_found(WLK_F_MARKUP_IN_METADATA, 700 + (texts[i][0] == 'a' ? 2 : 0));
	}
	put_text(700, "<!DocType HTM <ph <scrip #! /");
	ck_assert_clean(WLK_F_MARKUP_IN_METADATA);
	put_text(908, "<?php"); /* a tensor's bytes */
	ck_assert_clean(WLK_F_MARKUP_IN_METADATA);
}
END_TEST

/* -- finds, hosts, members -- */

/* Vocabularies hold the marker as a token. */
START_TEST(test_a_pdf_outside_of_json_takes_a_version_and_objects)
{
	file_host = WLK_FORMAT_NPY;
	file_new(3000);
	put_text(500, "%PDF-1.4");
	ck_assert_found(WLK_F_PDF_MARKER, 500);
	put_text(600, " 1 0 obj");
	ck_assert_found(WLK_F_POLYGLOT_PDF, 500);
	file[505] = 'x';
	ck_assert_clean(WLK_F_POLYGLOT_PDF);
	file_host = WLK_FORMAT_SAFETENSORS;
}
END_TEST

START_TEST(test_finds_come_in_the_order_of_their_offsets_with_guest_and_evidence)
{
	struct judged j;

	file_new(FILE_MAX);
	put_rar5(90000);
	put_7z(500000);
	put_7z(70000);
	put_arj(80000);
	put_phar(200000, "");
	judge_as(&j, WLK_FORMAT_SAFETENSORS, SOURCE_IMMUTABLE);
	ck_assert_uint_eq(j.told.facts->n_findings, 5);
	for (size_t i = 0; i + 1 < 5; i++)
		ck_assert_uint_lt(j.told.facts->findings[i].offset, j.told.facts->findings[i + 1].offset);
	ck_assert(bytes_equal(j.told.facts->findings[0].subject, bytes_of_text("7z")));
	ck_assert(bytes_equal(j.told.facts->findings[0].found.text, bytes_of_text("start header with its CRC-32")));
	told_done(&j.told);
}
END_TEST

START_TEST(test_more_finds_than_are_ordered_are_reported_all_the_same)
{
	struct judged j;

	file_new(20000);
	for (size_t i = 0; i < 95; i++)
		put_arj(100 + i * 50);
	for (size_t i = 0; i < 95; i++)
		put_7z(10000 + i * 50);
	judge_as(&j, WLK_FORMAT_SAFETENSORS, SOURCE_IMMUTABLE);
	ck_assert_uint_eq(j.told.facts->n_findings, 190); /* more than POLYGLOT_FINDS_MAX */
	told_done(&j.told);
}
END_TEST

START_TEST(test_a_host_is_not_a_polyglot_of_itself)
{
	static const struct {
		enum wlk_format_id host;
		enum wlk_finding code;
		void (*make)(size_t at);
	} hosts[] = { { WLK_FORMAT_SEVEN_ZIP, WLK_F_POLYGLOT_7Z, put_7z },
		{ WLK_FORMAT_RAR, WLK_F_POLYGLOT_RAR, put_rar5 } };
	static const enum wlk_format_id begin_as_pickles[] = { WLK_FORMAT_PICKLE, WLK_FORMAT_PYTORCH_LEGACY };

	for (size_t i = 0; i < 2; i++) {
		file_new(1000);
		hosts[i].make(0);
		file_host = WLK_FORMAT_NPY;
		ck_assert_found(hosts[i].code, 0);
		file_host = hosts[i].host;
		ck_assert_clean(hosts[i].code);
	}
	for (size_t i = 0; i < sizeof(begin_as_pickles) / sizeof(begin_as_pickles[0]); i++) {
		file_new(100);
		put(0, "\x80\4K\7.", 5);
		file_host = begin_as_pickles[i];
		ck_assert_clean(WLK_F_POLYGLOT_PICKLE);
	}
	file_host = WLK_FORMAT_PYTORCH;
	ck_assert_uint_eq(found_at(WLK_F_POLYGLOT_PICKLE), 0);
	file_host = WLK_FORMAT_SAFETENSORS;
}
END_TEST

/* A host with one stored member over [begin, begin + 1000). */
struct host {
	struct arena arena;
	struct extents x;
	struct member *m;
};

static void host_with_member(struct host *h, uint64_t begin)
{
	arena_init(&h->arena, 1 << 20);
	extents_init(&h->x, &h->arena);
	h->m = member_add(&h->x, begin, begin + 1000);
	ck_assert_ptr_nonnull(h->m);
	h->m->stream.part = (struct part){ .origin = begin, .size = 1000 };
	h->m->stream.codec = CODEC_STORED;
	file_members = &h->x;
	file_host = WLK_FORMAT_TAR;
}

static void host_done(struct host *h)
{
	arena_done(&h->arena);
	file_members = NULL;
	file_host = WLK_FORMAT_SAFETENSORS;
}

START_TEST(test_a_member_that_was_judged_by_its_content_is_no_second_nature_of_the_host)
{
	for (size_t i = 0; i < N_ARCHIVES; i++) {
		struct host h;

		file_new(5000);
		archives[i].make(512);
		host_with_member(&h, 512);
		ck_assert_found(archives[i].code, 512); /* the bytes of a tensor */
		h.m->by_content = true;
		ck_assert_clean(archives[i].code);
		archives[i].make(600);
		ck_assert_found(archives[i].code, 600); /* in the middle of a file of another kind */
		h.m->id = WLK_FORMAT_ZIP;
		ck_assert_clean(archives[i].code); /* a member of an archive in the archive */
		archives[i].make(2000);
		ck_assert_found(archives[i].code, 2000); /* outside of members */
		host_done(&h);
	}
}
END_TEST

/* A header of tar without data, so that the next block is where the archive goes on. */
static void put_tar_header(size_t at)
{
	unsigned sum = 8 * ' ';
	char text[8];

	put_text(at, "a");
	put_text(at + 124, "00000000000");
	put_text(at + 257, "ustar");
	for (size_t i = 0; i < 512; i++)
		sum += i < 148 || i >= 156 ? file[at + i] : 0u;
	snprintf(text, sizeof(text), "%06o", sum);
	put(at + 148, text, 7);
}

START_TEST(test_an_archive_that_goes_on_behind_its_member_is_found)
{
	struct host h;

	file_new(5000);
	put_tar_header(512);
	put_tar_header(1024);
	host_with_member(&h, 512); /* up to 1512 */
	file_host = WLK_FORMAT_ZIP;
	h.m->by_content = true;
	h.m->id = WLK_FORMAT_TAR;
	ck_assert_clean(WLK_F_POLYGLOT_TAR);
	put_tar_header(1536);
	ck_assert_found(WLK_F_POLYGLOT_TAR, 1536);
	host_done(&h);
}
END_TEST

START_TEST(test_what_members_hold_takes_no_place_of_what_stands_outside)
{
	struct host h;

	file_new(20000);
	host_with_member(&h, 512);
	h.m->stream.part.size = 10000;
	h.m->by_content = true;
	h.m->id = WLK_FORMAT_ZIP;
	for (size_t i = 0; i < 200; i++)
		put_7z(600 + i * 40);
	ck_assert_clean(WLK_F_POLYGLOT_7Z);
	put_7z(12000);
	ck_assert_found(WLK_F_POLYGLOT_7Z, 12000);
	host_done(&h);
}
END_TEST

START_TEST(test_the_end_of_a_zip_that_is_a_member_is_no_end_of_the_host)
{
	struct host h;

	file_new(5000);
	put(1400, "PK\5\6", 4);
	host_with_member(&h, 512);
	h.m->by_content = true;
	ck_assert_found(WLK_F_POLYGLOT_ZIP, 1400);
	h.m->id = WLK_FORMAT_ZIP;
	ck_assert_clean(WLK_F_POLYGLOT_ZIP);
	host_done(&h);
}
END_TEST

START_TEST(test_hdf5_in_a_stored_member_is_a_note_where_the_member_begins)
{
	struct host h;

	file_new(5000);
	put(1024, "\x89HDF\r\n\x1a\n", 8);
	host_with_member(&h, 1024);
	ck_assert_found(WLK_F_POLYGLOT_HDF5, 1024);
	h.m->by_content = true;
	ck_assert_found(WLK_F_HDF5_IN_STORED_MEMBER, 1024);
	h.m->stream.part.origin = 1000;
	ck_assert_found(WLK_F_POLYGLOT_HDF5, 1024);
	host_done(&h);
}
END_TEST

START_TEST(test_an_archive_in_an_archive_in_the_file_is_looked_into_for_what_is_none)
{
	struct host h;
	struct extents *inner;
	struct member *deep;

	file_new(5000);
	put_7z(700);
	host_with_member(&h, 512);
	h.m->by_content = true;
	h.m->id = WLK_FORMAT_PYTORCH;
	h.m->stream.size = 1000;
	inner = member_inner(h.m, &h.arena);
	deep = member_add(inner, 100, 500);
	deep->stream.part = (struct part){ .origin = 612, .size = 400 };
	ck_assert_found(WLK_F_POLYGLOT_7Z, 700); /* a storage of the inner model */
	deep->by_content = true;
	ck_assert_found(WLK_F_POLYGLOT_7Z, 700);
	deep->stream.part.origin = 700; /* it is the archive */
	ck_assert_clean(WLK_F_POLYGLOT_7Z);
	host_done(&h);
}
END_TEST

HARNESS("polyglot-rules", test_archives_are_found_with_their_checksum_and_not_without,
    test_archives_are_found_as_far_as_unpackers_search, test_signatures_cut_by_pieces_of_the_pass_are_found,
    test_an_archive_behind_false_signatures_is_found, test_rar_headers_of_other_types_and_sizes_are_not_found,
    test_arj_headers_have_a_size_between_30_and_2600, test_disc_images_are_found_in_three_sectors,
    test_dicom_is_found_with_its_first_element, test_disk_footers_are_found_in_the_last_512_bytes,
    test_a_pickle_from_byte_0_that_calls_is_found_whatever_follows, test_a_pickle_of_data_takes_eight_opcodes_or_proto,
    test_a_pickle_may_hop_anywhere_in_the_file, test_a_pickle_that_never_ends_is_found,
    test_an_archive_is_no_persistent_id, test_a_file_that_is_a_whole_model_is_found_and_no_part_of_one,
    test_a_model_needs_a_graph_that_is_a_message_and_operator_sets, test_broken_wire_formats_are_not_found,
    test_groups_nest_as_deep_as_readers_take_them, test_a_file_that_is_a_whole_map_is_found_and_no_part_of_one,
    test_maps_have_text_for_keys, test_maps_nest_as_deep_as_readers_take_them,
    test_a_safetensors_file_is_found_in_another_host, test_programs_are_found_at_byte_0,
    test_scripts_are_found_by_their_interpreter, test_html_is_found_as_browsers_tell_it,
    test_phars_are_found_with_their_manifest, test_phars_are_found_in_the_first_and_last_mebibyte,
    test_gzip_is_found_when_its_first_block_inflates, test_markup_in_a_header_is_noted,
    test_a_pdf_outside_of_json_takes_a_version_and_objects, test_an_archive_that_goes_on_behind_its_member_is_found,
    test_what_members_hold_takes_no_place_of_what_stands_outside,
    test_the_end_of_a_zip_that_is_a_member_is_no_end_of_the_host,
    test_finds_come_in_the_order_of_their_offsets_with_guest_and_evidence,
    test_more_finds_than_are_ordered_are_reported_all_the_same, test_a_host_is_not_a_polyglot_of_itself,
    test_a_member_that_was_judged_by_its_content_is_no_second_nature_of_the_host,
    test_hdf5_in_a_stored_member_is_a_note_where_the_member_begins,
    test_an_archive_in_an_archive_in_the_file_is_looked_into_for_what_is_none)
