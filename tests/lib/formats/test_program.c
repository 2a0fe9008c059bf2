/* Which loader would run a program: by what its header and its names say. */
#include "harness.h"

#include <string.h>

#include "program.h"

static uint8_t file[512];

static struct bytes elf(uint8_t type, bool interpreter, const char *entry)
{
	memset(file, 0, sizeof(file));
	memcpy(file,
	    "\x7f"
	    "ELF\2\1\1",
	    7);
	file[16] = type;
	file[32] = 64; /* program headers: one */
	file[54] = 56;
	file[56] = 1;
	file[64] = interpreter ? 3 : 1;
	memcpy(file + 256, entry, strlen(entry));
	return bytes_of(file, sizeof(file));
}

static bool says(enum wlk_format_id id, struct bytes b, const char *what)
{
	uint8_t buf[REPORT_STRING_MAX];
	struct bytes words = program_words(id, b, buf);

	return memmem(words.at, words.n, what, strlen(what)) != NULL;
}

START_TEST(test_the_entry_of_a_library_says_who_loads_it)
{
	ck_assert(says(WLK_FORMAT_ELF, elf(3, false, "PyInit_model"), "Python would import it"));
	ck_assert(says(WLK_FORMAT_ELF, elf(3, false, "RegisterCustomOps"), "ONNX Runtime would load it"));
	ck_assert(says(WLK_FORMAT_ELF, elf(3, false, "TRITONBACKEND_Initialize"), "Triton would load it as a backend"));
	ck_assert(says(WLK_FORMAT_ELF, elf(3, false, "main"), "where its name is given"));
}
END_TEST

START_TEST(test_what_has_an_interpreter_is_started)
{
	ck_assert(says(WLK_FORMAT_ELF, elf(3, true, "PyInit_model"), "whoever starts it"));
	ck_assert(says(WLK_FORMAT_ELF, elf(2, false, "PyInit_model"), "whoever starts it"));
}
END_TEST

START_TEST(test_libraries_of_other_systems)
{
	memset(file, 0, sizeof(file));
	memcpy(file, "MZ", 2);
	file[60] = 64;
	memcpy(file + 64, "PE\0\0", 4);
	ck_assert(says(WLK_FORMAT_PE, bytes_of(file, sizeof(file)), "whoever starts it"));
	file[64 + 23] = 0x20;
	ck_assert(says(WLK_FORMAT_PE, bytes_of(file, sizeof(file)), "where its name is given"));
	memcpy(file, "\xcf\xfa\xed\xfe\0\0\0\0\0\0\0\0\2\0\0\0", 16);
	ck_assert(says(WLK_FORMAT_MACHO, bytes_of(file, sizeof(file)), "whoever starts it"));
	file[12] = 6;
	ck_assert(says(WLK_FORMAT_MACHO, bytes_of(file, sizeof(file)), "where its name is given"));
	ck_assert(says(WLK_FORMAT_LLAMAFILE, bytes_of(file, 0), "llama.cpp would load the GGUF in it"));
}
END_TEST

/* Memory of exactly that size: what reads beyond it is seen with ASan. */
START_TEST(test_a_header_cut_anywhere_is_never_read_beyond)
{
	struct bytes whole = elf(3, true, "");

	whole.at = file;
	for (size_t n = 0; n < 140; n++) {
		uint8_t *exact = malloc(n + 1);

		memcpy(exact + 1, file, n);
		(void)says(WLK_FORMAT_ELF, bytes_of(exact + 1, n), "");
		(void)says(WLK_FORMAT_PE, bytes_of(exact + 1, n), "");
		(void)says(WLK_FORMAT_MACHO, bytes_of(exact + 1, n), "");
		free(exact);
	}
	file[32] = file[33] = file[39] = 0xff;
	ck_assert(says(WLK_FORMAT_ELF, whole, "where its name is given"));
}
END_TEST

HARNESS("program", test_the_entry_of_a_library_says_who_loads_it, test_what_has_an_interpreter_is_started,
    test_libraries_of_other_systems, test_a_header_cut_anywhere_is_never_read_beyond)
