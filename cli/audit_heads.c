/* weighlock audit head: where an audit log stands, for somebody else to keep; and reading what was kept. */
#include "audit_heads.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audit_head.h"
#include "cleanup.h"
#include "cli.h"
#include "hex.h"
#include "key_files.h"

#define SHORT_OPTIONS ":hV"
#define HEAD_FILE "/var/lib/weighlock/" AUDIT_HEAD
#define LINE_BYTES_MAX 4096u /* of a head; a signed one has 700 */

/* ---- heads that were kept ---- */

bool audit_heads_add(struct audit_heads *h, const struct audit_wanted *w)
{
	if (h->n == h->room) {
		size_t room = h->room > 0 ? 2 * h->room : 16;
		struct audit_wanted *at = reallocarray(h->at, room, sizeof(*at));

		if (at == NULL) {
			say("out of memory");
			return false;
		}
		h->at = at;
		h->room = room;
	}
	h->at[h->n++] = *w;
	return true;
}

void audit_heads_done(struct audit_heads *h)
{
	free(h->at);
	*h = (struct audit_heads){ 0 };
}

static const char *read_unsigned(struct bytes text, struct audit_wanted *w)
{
	struct audit_chain c;
	char digits[SHA256_HEX + 1];

	if (audit_head_parse(text, &c)) {
		memcpy(w->head, c.head, sizeof(w->head));
		w->has_next = true;
		w->next = c.next;
		return NULL;
	}
	if (text.n != SHA256_HEX)
		return "neither a head nor 64 hexadecimal digits; of one that is signed, --key is needed";
	memcpy(digits, text.at, SHA256_HEX);
	digits[SHA256_HEX] = '\0';
	return sha256_of_hex(digits, w->head) ? NULL : "neither a head nor 64 hexadecimal digits";
}

static const char *read_signed(const struct dsse_key *k, struct bytes text, struct audit_wanted *w)
{
	uint8_t *payload = NULL;
	size_t n;
	const char *why = dsse_open(k, text, AUDIT_HEAD_TYPE, &payload, &n);

	if (why == NULL)
		why = read_unsigned(bytes_of(payload, n), w);
	free(payload);
	return why;
}

/* Return: whether that was a head. */
static int read_line(
    struct audit_heads *h, const char *name, uint64_t number, struct bytes text, const struct dsse_key *k)
{
	struct audit_wanted w = { 0 };
	const char *why = k ? read_signed(k, text, &w) : read_unsigned(text, &w);

	if (why == NULL)
		return audit_heads_add(h, &w) ? CLI_OK : CLI_INCOMPLETE;
	say("%s:%" PRIu64 ": %s", name, number, why);
	return CLI_FAILED;
}

static int read_lines(struct audit_heads *h, FILE *f, const char *name, const struct dsse_key *k)
{
	char line[LINE_BYTES_MAX];
	uint64_t number = 0;
	size_t before = h->n;
	int status = CLI_OK;

	while (status == CLI_OK && fgets(line, sizeof(line), f)) {
		size_t n = strcspn(line, "\n");

		number++;
		while (n > 0 && line[n - 1] == ' ')
			n--;
		if (n > 0)
			status = read_line(h, name, number, bytes_of((const uint8_t *)line, n), k);
	}
	if (status != CLI_OK)
		return status;
	if (ferror(f)) {
		say("%s: %s", name, strerror(errno));
		return CLI_INCOMPLETE;
	}
	if (h->n > before)
		return CLI_OK;
	say("%s: there is no head in it", name);
	return CLI_FAILED;
}

int audit_heads_read(struct audit_heads *h, const char *name, const struct dsse_key *k)
{
	FILE *f = fopen(name, "re");
	int status;

	if (f == NULL) {
		say("%s: %s", name, strerror(errno));
		return CLI_INCOMPLETE;
	}
	status = read_lines(h, f, name, k);
	(void)fclose(f);
	return status;
}

/* ---- weighlock audit head ---- */

enum { OPT_SIGNING_KEY = 256 };

static const struct option long_options[] = {
	{ "signing-key", required_argument, NULL, OPT_SIGNING_KEY },
	USAGE_LONG_OPTIONS,
};

static void make_text(const struct audit_chain *c, char *text, size_t room)
{
	char hex[SHA256_HEX + 1], when[32] = "1970-01-01T00:00:00Z";
	time_t now = time(NULL);
	struct tm tm;

	hex_write(c->head, 32, hex);
	if (gmtime_r(&now, &tm) != NULL)
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	(void)snprintf(text, room,
	    "{\"schema\":\"" AUDIT_HEAD_SCHEMA "\",\"seq\":%" PRId64 ",\"head\":\"%s\",\"time\":\"%s\"}",
	    (int64_t)c->next - 1, hex, when);
}

static int print_signed(const char *text, const char *key_file)
{
	struct dsse_key *k = key_read_private(key_file);
	uint8_t signature[DSSE_SIGNATURE_BYTES];
	_cleanup_(freep) char *envelope = NULL;

	if (k == NULL)
		return CLI_USAGE;
	if (dsse_sign(k, AUDIT_HEAD_TYPE, bytes_of_text(text), signature))
		envelope = dsse_envelope(AUDIT_HEAD_TYPE, bytes_of_text(text), dsse_key_id(k), signature);
	dsse_key_free(k);
	if (envelope == NULL) {
		say("%s: the head cannot be signed", key_file);
		return CLI_INCOMPLETE;
	}
	printf("%s\n", envelope);
	return output_finish(CLI_OK);
}

static int print_head(const char *name, const char *key_file)
{
	struct audit_chain c;
	char text[256];

	switch (audit_head_read(AT_FDCWD, name, &c)) {
	case AUDIT_HEAD_NONE: say("%s: there is no head", name); return CLI_FAILED;
	case AUDIT_HEAD_BAD:
		say("%s: %s", name, errno != 0 ? strerror(errno) : "that is no head of an audit log");
		return errno != 0 ? CLI_INCOMPLETE : CLI_FAILED;
	case AUDIT_HEAD_GOOD: break;
	}
	make_text(&c, text, sizeof(text));
	if (key_file != NULL)
		return print_signed(text, key_file);
	printf("%s\n", text);
	return output_finish(CLI_OK);
}

int audit_head_command(int argc, char **argv)
{
	const char *key_file = NULL;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1) {
		if (option != OPT_SIGNING_KEY)
			return usage_option("audit", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
		key_file = optarg;
	}
	if (argc - optind > 1)
		return usage_error("audit", "head: one file at most");
	return print_head(optind < argc ? argv[optind] : HEAD_FILE, key_file);
}
