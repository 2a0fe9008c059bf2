/* The contract between a fuzz target and its drivers. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Run one input through the entry point and check its properties; abort() on a broken one.  Return 0. */
int fuzz_one(const uint8_t *data, size_t n);

/* assert() that stays in every build. */
#define FUZZ_REQUIRE(property)                                                                          \
	do {                                                                                            \
		if (!(property)) {                                                                      \
			fprintf(stderr, "%s:%d: property broken: %s\n", __FILE__, __LINE__, #property); \
			abort();                                                                        \
		}                                                                                       \
	} while (0)
