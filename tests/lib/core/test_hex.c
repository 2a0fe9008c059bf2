/* Hexadecimal digits: every byte there and back, and what are no digits of so many bytes. */
#include "harness.h"
#include "hex.h"

START_TEST(test_every_byte_is_written_and_read_back)
{
	for (unsigned i = 0; i < 256; i++) {
		const uint8_t byte = (uint8_t)i;
		char text[3], expected[3];
		uint8_t read;

		hex_write(&byte, 1, text);
		snprintf(expected, sizeof(expected), "%02x", i);
		ck_assert_str_eq(text, expected);
		ck_assert(hex_read(bytes_of_text(text), &read, 1) && read == byte);
		snprintf(expected, sizeof(expected), "%02X", i);
		ck_assert(hex_read(bytes_of_text(expected), &read, 1) && read == byte);
	}
}
END_TEST

START_TEST(test_only_hexadecimal_digits_are_digits)
{
	for (unsigned i = 0; i < 256; i++)
		ck_assert_int_eq(
		    hex_digit((uint8_t)i) >= 0, i != 0 && strchr("0123456789abcdefABCDEF", (int)i) != NULL);
}
END_TEST

START_TEST(test_as_many_digits_as_there_are_bytes_and_no_others)
{
	uint8_t ret[2];

	ck_assert(hex_read(bytes_of_text("01fF"), ret, 2) && ret[0] == 1 && ret[1] == 0xff);
	ck_assert(!hex_read(bytes_of_text("01f"), ret, 2) && !hex_read(bytes_of_text("01ff0"), ret, 2));
	ck_assert(!hex_read(bytes_of_text("01ff00"), ret, 2) && !hex_read(bytes_of_text(""), ret, 2));
	ck_assert(!hex_read(bytes_of_text("01fg"), ret, 2) && !hex_read(bytes_of_text(" 1ff"), ret, 2));
}
END_TEST

START_TEST(test_the_digest_of_a_verdict_has_lower_case_only)
{
	char text[SHA256_HEX + 2] = "";
	uint8_t ret[32];

	memset(text, 'a', SHA256_HEX);
	ck_assert(sha256_of_hex(text, ret) && ret[0] == 0xaa && ret[31] == 0xaa);
	text[SHA256_HEX - 1] = 'A';
	ck_assert(!sha256_of_hex(text, ret));
	text[SHA256_HEX - 1] = '\0';
	ck_assert(!sha256_of_hex(text, ret));
	memset(text, 'a', SHA256_HEX + 1);
	ck_assert(!sha256_of_hex(text, ret) && !sha256_of_hex("", ret) && !sha256_of_hex(NULL, ret));
}
END_TEST

HARNESS("hex", test_every_byte_is_written_and_read_back, test_only_hexadecimal_digits_are_digits,
    test_as_many_digits_as_there_are_bytes_and_no_others, test_the_digest_of_a_verdict_has_lower_case_only)
