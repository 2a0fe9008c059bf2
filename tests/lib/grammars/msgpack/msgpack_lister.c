/* What the MessagePack walker makes of bytes: a line for each line of hexadecimal digits on standard input, "ok" or "bad"
 * and what was told.  For the test that compares it with Python's msgpack over thousands of inputs. */
#include <stdlib.h>

#include "msgpack_log.h"

#define BYTES_MAX ((size_t)1 << 20)

static size_t read_hex(const char *line, uint8_t *to)
{
	size_t n = 0;
	unsigned byte;

	for (; sscanf(line + 2 * n, "%2x", &byte) == 1; n++)
		to[n] = (uint8_t)byte;
	return n;
}

int main(void)
{
	static char line[2 * BYTES_MAX + 2], text[8 * BYTES_MAX];
	static uint8_t bytes[BYTES_MAX];

	while (fgets(line, sizeof(line), stdin) != NULL) {
		struct msgpack_log log = { .text = text, .room = sizeof(text), .enter = 1000 };
		bool ok = msgpack_log_walk(&log, bytes, read_hex(line, bytes), 4096);

		if (log.n >= log.room)
			return EXIT_FAILURE;
		printf("%s %.*s\n", ok ? "ok" : "bad", (int)log.n, text);
	}
	return EXIT_SUCCESS;
}
