/* Bytes as hexadecimal digits, as digests are told and asked for. */
#pragma once

#include "bytes.h"

#define SHA256_HEX 64

/* @ret: room for 2n digits, lower case, and the NUL behind them. */
static inline void hex_write(const uint8_t *at, size_t n, char *ret)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		ret[2 * i] = digits[at[i] >> 4];
		ret[2 * i + 1] = digits[at[i] & 15];
	}
	ret[2 * n] = '\0';
}

/* -1: no digit. */
static inline int hex_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* n bytes of exactly 2n digits, in either case.  Return: false, and nothing of @ret means anything, if they are no such. */
static inline bool hex_read(struct bytes digits, uint8_t *ret, size_t n)
{
	if (digits.n % 2 != 0 || digits.n / 2 != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int high = hex_digit(digits.at[2 * i]), low = hex_digit(digits.at[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		ret[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* A digest as we write it, in lower case: another spelling would be another key. */
static inline bool is_sha256_hex(const char *text)
{
	return strspn(text, "0123456789abcdef") == SHA256_HEX && text[SHA256_HEX] == '\0';
}

/* NULL is none. */
static inline bool sha256_of_hex(const char *text, uint8_t ret[32])
{
	return text != NULL && is_sha256_hex(text) && hex_read(bytes_of_text(text), ret, 32);
}
