/* Loops a fuzz target in AFL++'s persistent mode: thousands of inputs a second in one process. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

__AFL_FUZZ_INIT();

int main(void)
{
	const unsigned char *shared;

	__AFL_INIT();
	shared = __AFL_FUZZ_TESTCASE_BUF;
	while (__AFL_LOOP(10000)) {
		size_t n = (size_t)__AFL_FUZZ_TESTCASE_LEN;
		/* An exact-size block, so that the sanitizer sees a read one byte past it. */
		uint8_t *data = malloc(n > 0 ? n : 1);

		if (data == NULL)
			return 1;
		memcpy(data, shared, n);
		fuzz_one(data, n);
		free(data);
	}
	return 0;
}
