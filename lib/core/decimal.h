/* Numbers as text, for names made up by readers ("array-3").  The library does not call printf: its formats, locales and
 * buffers are no part of what a jailed worker needs. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define DECIMAL_MAX 20 /* digits of UINT64_MAX */

/* Return: digits written to buf, without a NUL. */
static inline size_t decimal_text(uint64_t n, char buf[DECIMAL_MAX])
{
	char reversed[DECIMAL_MAX];
	size_t digits = 0;

	do {
		reversed[digits++] = (char)('0' + n % 10);
		n /= 10;
	} while (n > 0);
	for (size_t i = 0; i < digits; i++)
		buf[i] = reversed[digits - 1 - i];
	return digits;
}
