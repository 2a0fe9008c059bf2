/* See config_family.h. */
#include "config_family.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define NAME_MAX_BYTES 128u /* longer base names are none of these */

static const char *const names_of[CONFIG_N_FAMILIES] = {
#define X(id, names) [CONFIG_##id] = names,
	CONFIG_FAMILIES(X)
#undef X
};

/* At most two stars a pattern, and short names: trying each place is cheap. */
static bool fits(const char *pattern, size_t n, const char *name)
{
	while (n > 0 && *pattern != '*') {
		if (*name == '\0' || *name != *pattern)
			return false;
		pattern++, name++, n--;
	}
	if (n == 0)
		return *name == '\0';
	for (pattern++, n--;; name++) {
		if (fits(pattern, n, name))
			return true;
		if (*name == '\0')
			return false;
	}
}

static bool list_fits(const char *list, const char *name)
{
	for (size_t n; *list != '\0'; list += n, list += strspn(list, " ")) {
		n = strcspn(list, " ");
		if (fits(list, n, name))
			return true;
	}
	return false;
}

/* Transformers takes every template in there. */
static bool ends_with_folder(const char *name, size_t n, const char *folder)
{
	size_t length = strlen(folder);

	return n >= length && strncmp(name + (n - length), folder, length) == 0;
}

/* Of sources, pages and settings; txt, gguf or chat may be anybody's. */
static bool is_ending(const char *at, size_t n)
{
	static const char *const endings[] = { "asm", "bash", "bat", "c", "cc", "cfg", "cl", "cmake", "conf", "cpp",
		"cs", "css", "cu", "cuh", "cxx", "env", "f", "glsl", "go", "h", "hcl", "hh", "hlsl", "hpp", "htm",
		"html", "hxx", "in", "inc", "ini", "java", "jl", "js", "json", "jsx", "kt", "lua", "m", "md", "metal",
		"mk", "ml", "mlir", "mm", "nix", "php", "pl", "proto", "ptx", "py", "pyi", "pyx", "r", "rb", "rs",
		"rst", "s", "scala", "scss", "sh", "sql", "svg", "sv", "swift", "td", "tex", "tf", "toml", "ts", "tsx",
		"v", "vhd", "wgsl", "xhtml", "xml", "yaml", "yml", "zig" };

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strlen(endings[i]) == n && memcmp(endings[i], at, n) == 0)
			return true;
	return false;
}

/* A template of another file, whose ending stands before its own: page.html.j2, kernel.S.j2.  Not a release: qwen2.5.jinja. */
static bool is_generator(const char *lower)
{
	static const char *const endings[] = { ".j2", ".jinja", ".jinja2" };
	const char *dot = strrchr(lower, '.'), *letter = dot;
	bool template = false;

	for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++)
		template |= strcmp(dot, endings[i]) == 0;
	while (template && letter > lower && letter[-1] >= 'a' && letter[-1] <= 'z')
		letter--;
	return template && letter - lower >= 2 && letter[-1] == '.' && is_ending(letter, (size_t)(dot - letter));
}

enum config_family config_family_hint(const char *name)
{
	const char *slash = name != NULL ? strrchr(name, '/') : NULL, *base = slash != NULL ? slash + 1 : name;
	char lower[NAME_MAX_BYTES];
	size_t n = base != NULL ? strnlen(base, NAME_MAX_BYTES) : 0;

	if (n == 0 || n == NAME_MAX_BYTES)
		return CONFIG_NONE;
	if (slash != NULL && ends_with_folder(name, (size_t)(base - name), "additional_chat_templates/"))
		return CONFIG_CHAT_TEMPLATE;
	for (size_t i = 0; i <= n; i++)
		lower[i] = (char)(base[i] >= 'A' && base[i] <= 'Z' ? base[i] | 0x20 : base[i]);
	if (is_generator(lower) && !list_fits("*chat*", lower)) /* changelog_template.rst.jinja2 */
		return CONFIG_GENERATOR;
	for (unsigned i = 1; i < CONFIG_N_FAMILIES; i++)
		if (list_fits(names_of[i], lower))
			return (enum config_family)i;
	return CONFIG_NONE;
}
