/* Lines that are given to pip, and packages that are given to pip or conda.  Follows pip's req_file.py and packaging's
 * requirements: what is harmless is a name, extras, versions, a marker and hashes - the operator's own index answers for those;
 * and the options that name no place.  All else installs from somewhere that the file chooses. */
#include <strings.h>

#include "config_impl.h"
#include "config_lines.h"

/* -- addresses -- */

/* The host of https://host/...: neither user nor port stands before or behind it, for those are no usual address. */
static bool is_usual_address(struct bytes address)
{
	static const char *const hosts[] = { "pypi.org", "files.pythonhosted.org", "download.pytorch.org",
		"data.pyg.org", "pypi.nvidia.com", "conda.anaconda.org" };
	struct bytes host;
	const uint8_t *slash;

	if (!config_begins(address, "https://") || memchr(address.at, '@', address.n) != NULL ||
	    memchr(address.at, '\\', address.n) != NULL)
		return false;
	host = bytes_of(address.at + 8, address.n - 8);
	slash = memchr(host.at, '/', host.n);
	host.n = slash != NULL ? (size_t)(slash - host.at) : host.n;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
		if (bytes_equal(host, bytes_of_text(hosts[i])))
			return true;
	return false;
}

/* http: in any case, alone or behind git+. */
static bool is_insecure(struct bytes text)
{
	for (size_t i = 0; i + 5 <= text.n; i++)
		if (strncasecmp((const char *)text.at + i, "http:", 5) == 0 ||
		    (i + 6 <= text.n && text.at[i + 3] == ':' && text.at[i + 4] == '/' && text.at[i + 5] == '/' &&
			(strncasecmp((const char *)text.at + i, "git", 3) == 0 ||
			    strncasecmp((const char *)text.at + i, "ftp", 3) == 0)))
			return true;
	return false;
}

/* What pip is told to fetch or read. */
enum wlk_finding config_place_fault(struct bytes place)
{
	if (is_insecure(place))
		return WLK_F_CONFIG_REQUIREMENT_INSECURE;
	if (config_holds(place, "://"))
		return is_usual_address(place) ? 0 : WLK_F_CONFIG_REQUIREMENT;
	return config_path_fault(place) != 0 ? WLK_F_CONFIG_REQUIREMENT_INSECURE : WLK_F_CONFIG_REQUIREMENT;
}

/* -- options -- */

/* Those that name nothing to be installed from. */
static const char harmless[] =
    "--pre --no-binary --only-binary --prefer-binary --require-hashes --use-feature --no-index";
/* Another file of the same kind, which is judged as what it is. */
static const char files[] = "-r --requirement --requirements -c --constraint";

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '=';
}

#define CLIMBS_MAX 4u /* folders of one project; beyond it lies what others can write to */

/* A file of the same project, which lies where the line stands or some folders above: ../requirements/base.txt. */
static bool is_neighbour(struct bytes place)
{
	for (unsigned i = 0; i < CLIMBS_MAX && config_begins(place, "../"); i++)
		place = bytes_of(place.at + 3, place.n - 3);
	return config_ends(place, ".txt") && !config_holds(place, "://") && !config_holds(place, " ") &&
	       config_path_fault(place) == 0;
}

/* `--option=value`, `--option value`, `-ovalue`.  optparse takes beginnings of long options: those are none of ours. */
static enum wlk_finding option_fault(struct bytes line)
{
	size_t n = line.n > 1 && line.at[1] == '-' ? 0 : 2, at;
	struct bytes option, value;
	enum wlk_finding fault;

	if (n == 0)
		while (n < line.n && !is_blank(line.at[n]))
			n++;
	option = bytes_of(line.at, n < line.n ? n : line.n);
	for (at = option.n; at < line.n && is_blank(line.at[at]);)
		at++;
	value = config_trim(bytes_of(line.at + at, line.n - at));
	if (config_is_word_of(option, harmless)) /* another may stand behind it on the line */
		return config_begins(value, "-") || config_holds(value, " -") ? WLK_F_CONFIG_REQUIREMENT : 0;
	if (config_begins(option, "--trust"))
		return WLK_F_CONFIG_REQUIREMENT_INSECURE;
	if (config_is_word_of(option, files) && is_neighbour(value))
		return 0;
	fault = config_place_fault(value);
	return fault == 0 && (config_begins(option, "-e") || config_begins(option, "--e")) &&
		       !config_begins(option, "--extra")
		   ? WLK_F_CONFIG_REQUIREMENT
		   : fault;
}

/* -- requirements -- */

static bool is_file(struct bytes name)
{
	static const char *const ends[] = { ".whl", ".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".tbz", ".txz",
		".tlz", ".lz", ".lzma", ".egg" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (config_ends(name, ends[i]))
			return true;
	return false;
}

/* ` --hash=sha256:...` behind a requirement, as often as there is one. */
static struct bytes without_hashes(struct bytes line)
{
	const uint8_t *hash = line.n > 9 ? memmem(line.at, line.n, " --hash=", 8) : NULL;

	for (const uint8_t *p = hash; p != NULL && p < line.at + line.n; p++)
		if (!config_is_word_byte(*p) && memchr(" \t-=:", *p, 5) == NULL)
			return line;
	return hash != NULL ? config_trim(bytes_of(line.at, (size_t)(hash - line.at))) : line;
}

/* PEP 508: what a marker compares, and with what; anything else behind a semicolon is another's command (CVE-2025-15379: MLflow gave
 * the line to a shell). */
static bool is_marker(struct bytes text)
{
	static const char words[] =
	    "python_version python_full_version os_name os.name sys_platform sys.platform platform_machine "
	    "platform.machine "
	    "platform_release platform_system platform_version platform.version platform_python_implementation "
	    "platform.python_implementation implementation_name implementation_version python_implementation extra "
	    "extras "
	    "dependency_groups and or not in";
	bool compared = false;

	for (size_t i = 0; i < text.n;) {
		uint8_t b = text.at[i];
		size_t from = i;

		if (b == '"' || b == '\'') {
			const uint8_t *end = memchr(text.at + i + 1, b, text.n - i - 1);

			if (end == NULL)
				return false;
			i = (size_t)(end - text.at) + 1;
		} else if (config_is_word_byte(b)) {
			while (i < text.n && (config_is_word_byte(text.at[i]) || text.at[i] == '.'))
				i++;
			if (!config_is_word_of(bytes_of(text.at + from, i - from), words))
				return false;
		} else {
			if (memchr(" \t()<>=!~", b, 9) == NULL)
				return false;
			compared = compared || memchr("<>=!~", b, 5) != NULL;
			i++;
		}
	}
	return compared || config_holds(text, " in ");
}

/* Behind these a version stands, or what makes it another sign: `numpy|id` and `numpy>file` are a shell's. */
static bool is_followed_by_version(struct bytes line, size_t at)
{
	uint8_t sign = line.at[at];

	for (at++; at < line.n && (line.at[at] == ' ' || line.at[at] == '\t');)
		at++;
	if (at == line.n)
		return false;
	return (line.at[at] >= '0' && line.at[at] <= '9') || memchr("=*'\"v", line.at[at], 5) != NULL ||
	       (sign == '|' && memchr("<>!~", line.at[at], 4) != NULL);
}

/* name[extra]>=1,<2; python_version < "3.8": none of these bytes begins a place. */
static bool is_plain(struct bytes line)
{
	const uint8_t *semicolon = memchr(line.at, ';', line.n);
	size_t begin = 0;

	if (semicolon != NULL) {
		size_t n = (size_t)(semicolon - line.at);

		if (!is_marker(bytes_of(semicolon + 1, line.n - n - 1)))
			return false;
		line = config_trim(bytes_of(line.at, n));
	}

	while (begin < line.n && config_is_word_byte(line.at[begin]))
		begin++;
	if (begin == 0)
		return false;
	for (size_t i = begin; i < line.n; i++)
		if (((!config_is_word_byte(line.at[i]) || line.at[i] >= 0x80) &&
			memchr(" \t.-[],<>=!~*+|:()'\"", line.at[i], 20) == NULL) ||
		    (memchr("<>|", line.at[i], 3) != NULL && !is_followed_by_version(line, i)))
			return false;
	return !config_holds(line, " -") && !is_file(line);
}

/* `name @ https://...` too is from the usual places, or not. */
static enum wlk_finding package_fault(struct bytes line)
{
	const uint8_t *sign = memchr(line.at, '@', line.n);
	struct bytes place = line;

	if (is_plain(without_hashes(line)))
		return 0;
	if (sign != NULL && is_plain(bytes_of(line.at, (size_t)(sign - line.at))))
		place = config_trim(bytes_of(sign + 1, line.n - (size_t)(sign - line.at) - 1));
	return config_place_fault(place);
}

enum wlk_finding config_requirement_fault(struct bytes line)
{
	line = config_trim(line);
	if (line.n == 0)
		return 0;
	return line.at[0] == '-' ? option_fault(line) : package_fault(line);
}

/* -- files -- */

/* `#` at the beginning or behind a blank; in addresses it is no comment. */
static struct bytes without_comment(struct bytes line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.at[i] == '#' && (i == 0 || line.at[i - 1] == ' ' || line.at[i - 1] == '\t'))
			return bytes_of(line.at, i);
	return line;
}

/* Lines that a backslash joins, as one: what is between is blanks to us, and in an address it may be nothing. */
static struct bytes joined_line(struct config_reader *r, uint64_t *ret_at)
{
	struct bytes line;
	uint8_t *joined;
	size_t n = 0, from = r->at;

	*ret_at = from;
	line = reader_line(r, true);
	if (!config_ends(line, "\\"))
		return without_comment(line);
	while (config_ends(line, "\\") && r->at < r->text.n)
		line = reader_line(r, true);
	joined = arena_alloc(r->c->l->arena, r->at - from, 1);
	if (joined == NULL) {
		r->c->failed = true;
		return bytes_of(NULL, 0);
	}
	for (struct config_reader again = { .text = bytes_of(r->text.at, r->at), .at = from }; again.at < r->at;) {
		line = reader_line(&again, true);
		line.n -= config_ends(line, "\\");
		line = without_comment(line);
		bytes_copy(joined + n, line);
		n += line.n;
	}
	return bytes_of(joined, n);
}

/* pip, req_file.py: a comment of the first two lines may say how all is encoded, and then it is not what it looks like. */
static bool is_encoded(struct bytes text)
{
	struct config_reader r = { .text = text };

	for (unsigned i = 0; i < 2 && r.at < text.n; i++) {
		struct bytes line = reader_line(&r, false);
		const uint8_t *cookie = line.n > 7 && line.at[0] == '#' ? memmem(line.at, line.n, "coding", 6) : NULL;
		struct bytes name;

		if (cookie == NULL || cookie + 6 >= line.at + line.n || (cookie[6] != ':' && cookie[6] != '='))
			continue;
		name = config_trim(bytes_of(cookie + 7, (size_t)(line.at + line.n - cookie) - 7));
		if (strncasecmp((const char *)name.at, "utf-8", name.n < 5 ? name.n : 5) != 0)
			return true;
	}
	return false;
}

/* `-r other.txt`, which is judged by its own name as what that says; as requirements the set knows it. */
static void note_file(struct config *c, struct bytes line, uint64_t at)
{
	size_t n = config_begins(line, "--") ? 0 : 2;

	if (!config_begins(line, "-") || !config_ends(line, ".txt"))
		return;
	while (n < line.n && !is_blank(line.at[n]) && config_begins(line, "--"))
		n++;
	while (n < line.n && is_blank(line.at[n]))
		n++;
	if (!config_note_include(c, "pip", bytes_of(line.at + n, line.n - n)))
		config_found(c, WLK_F_CONFIG_REQUIREMENT, line, bytes_of(NULL, 0), at);
}

#define LINES_MAX 65536u /* of such lines; honest files have some hundreds */

void config_read_requirements(struct config *c, struct bytes text)
{
	struct config_reader r = { .c = c, .text = text };
	uint32_t lines = 0;

	if (is_encoded(text))
		config_found(c, WLK_F_CONFIG_REQUIREMENT, bytes_of(NULL, 0), bytes_of(NULL, 0), 0);
	while (r.at < text.n && !c->failed) {
		uint64_t at;
		struct bytes line = config_trim(joined_line(&r, &at));
		enum wlk_finding code = config_requirement_fault(line);

		if (code == 0) {
			note_file(c, line, at);
			continue;
		}
		if (++lines > LINES_MAX) {
			config_found(c, WLK_F_CONFIG_LIMIT, bytes_of(NULL, 0), bytes_of(NULL, 0), at);
			return;
		}
		config_found(c, code, line, bytes_of(NULL, 0), at);
	}
}
