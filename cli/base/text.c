/* Text for terminals.  Names and findings carry bytes chosen by whoever made the file, so nothing reaches a
 * terminal that text_escape() has not passed. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "json_line.h"
#include "verdict.h"

/* The worst text_escape() makes of a byte: \xNN. */
#define ESCAPED_PER_BYTE 4u
#define COLUMNS_MAX 1000 /* beyond that, COLUMNS is a mistake */

/* text_escape() doubles backslashes so that its output is unambiguous.  What we print was escaped before (it
 * comes from a verdict), and a reader wants it as it stands there. */
static void backslashes_halve(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; from++) {
		if (from[0] == '\\' && from[1] == '\\')
			from++;
		*to++ = *from;
	}
	*to = '\0';
}

char *text_escaped(const char *text)
{
	size_t n = strlen(text);
	size_t room = n * ESCAPED_PER_BYTE + 1;
	char *escaped = n < SIZE_MAX / ESCAPED_PER_BYTE - 1 ? malloc(room) : NULL;

	return escaped != NULL ? text_escape(bytes_of(text, n), escaped, room) : NULL;
}

char *text_safe(const char *text)
{
	char *safe = text_escaped(text);

	if (safe != NULL)
		backslashes_halve(safe);
	return safe;
}

__attribute__((format(printf, 1, 0))) static void say_va(const char *format, va_list args)
{
	_cleanup_(freep) char *text = NULL;
	_cleanup_(freep) char *safe = NULL;

	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	safe = text != NULL ? text_safe(text) : NULL;
	fprintf(stderr, "weighlock: %s\n", safe != NULL ? safe : "out of memory");
}

void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_va(format, args);
	va_end(args);
}

int usage_error(const char *command, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_va(format, args);
	va_end(args);
	fprintf(stderr, "Try 'weighlock %s%s--help'.\n", command != NULL ? command : "", command != NULL ? " " : "");
	return CLI_USAGE;
}

char *text_grouped(uint64_t n, char buf[TEXT_GROUPED_MAX])
{
	char digits[TEXT_GROUPED_MAX];
	int n_digits = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	char *to = buf;

	for (int i = 0; i < n_digits; i++) {
		if (i > 0 && (n_digits - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return buf;
}

char *text_size(uint64_t n_bytes, char buf[TEXT_SIZE_MAX])
{
	static const char units[] = "kMGTPE";
	double value = (double)n_bytes;
	int unit = -1;

	while (value >= 999.5 && units[unit + 1] != '\0') {
		value /= 1000;
		unit++;
	}
	if (unit < 0)
		(void)snprintf(buf, TEXT_SIZE_MAX, "%" PRIu64 " byte%s", n_bytes, n_bytes == 1 ? "" : "s");
	else
		(void)snprintf(buf, TEXT_SIZE_MAX, "%.3g %cB", value, units[unit]);
	return buf;
}

size_t word_index(const char *text, const char *const *words, size_t n)
{
	size_t i = 0;

	while (i < n && strcmp(text, words[i]) != 0)
		i++;
	return i;
}

bool color_parse(const char *text, enum color_when *ret)
{
	static const char *const names[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never"
	};
	size_t i = word_index(text, names, sizeof(names) / sizeof(names[0]));

	*ret = (enum color_when)i;
	return i < sizeof(names) / sizeof(names[0]);
}

static bool environment_says(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && value[0] != '\0';
}

bool color_wanted(enum color_when when, FILE *f)
{
	const char *force = getenv("CLICOLOR_FORCE");
	const char *term = getenv("TERM");

	if (when != COLOR_AUTO)
		return when == COLOR_ALWAYS;
	if (environment_says("NO_COLOR"))
		return false;
	if (force != NULL && force[0] != '\0' && strcmp(force, "0") != 0)
		return true;
	return isatty(fileno(f)) && term != NULL && strcmp(term, "dumb") != 0;
}

size_t width_wanted(FILE *f)
{
	const char *said = getenv("COLUMNS");
	long columns = said != NULL ? strtol(said, NULL, 10) : 0;
	struct winsize w;

	if (columns > 0 && columns <= COLUMNS_MAX)
		return (size_t)columns;
	return isatty(fileno(f)) && ioctl(fileno(f), TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

int output_finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	say("cannot write to standard output: %s", strerror(errno));
	return status == CLI_OK || status == CLI_NO_MODEL ? CLI_INCOMPLETE : status;
}

static int output_end(const char *text, int status)
{
	if (text != NULL)
		return output_finish(status);
	say("out of memory");
	return CLI_INCOMPLETE;
}

int output_text(const char *text, int status)
{
	if (text != NULL)
		fputs(text, stdout);
	return output_end(text, status);
}

int output_json(struct json_t *json)
{
	_cleanup_(freep) char *line = json_line(json, JSON_COMPACT);

	json_decref(json);
	if (line != NULL)
		puts(line);
	return output_end(line, CLI_OK);
}

int64_t now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t now_ms(void)
{
	return now_us() / 1000;
}
