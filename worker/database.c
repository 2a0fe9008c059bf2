/* See database.h.  A standalone program is moved to machines that have no libmagic, or one whose database has another
 * format, so it looks for none there. */
#include "database.h"

#include <stddef.h>
#include <stdint.h>

#ifdef WLK_MAGIC_DATABASE

/* Aligned as libmagic's own mapping would be at least: it reads the records where they lie. */
__asm__(".pushsection .rodata.magic, \"a\", @progbits\n"
	".balign 64\n"
	"magic_begin:\n"
	".incbin \"" WLK_MAGIC_DATABASE "\"\n"
	"magic_end:\n"
	".popsection\n");

extern const char magic_begin[] __attribute__((visibility("hidden")));
extern const char magic_end[] __attribute__((visibility("hidden")));

bool database_load(magic_t magic)
{
	/* Not written to: it is of this machine's byte order, for libmagic would swap it in place. */
	void *buffers[] = { (void *)(uintptr_t)magic_begin };
	size_t sizes[] = { (size_t)(magic_end - magic_begin) };

	return magic_load_buffers(magic, buffers, sizes, 1) == 0;
}

#else

bool database_load(magic_t magic)
{
	return magic_load(magic, NULL) == 0;
}

#endif
