/* What tar_python_header() says of blocks on standard input, 512 bytes each: a byte for each block, '1' for a header.  For the
 * test that compares it with Python's tarfile. */
#include <stdio.h>

#include "tar_python.h"

int main(void)
{
	uint8_t block[TAR_PYTHON_BLOCK];
	struct tar_python header;

	while (fread(block, sizeof(block), 1, stdin) == 1)
		putchar(tar_python_header(block, &header) ? '1' : '0');
	return 0;
}
