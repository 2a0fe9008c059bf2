/* weighlock verify: is this a verdict that this key has signed, and is it about these files? */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "cleanup.h"
#include "cli.h"
#include "commands.h"
#include "dsse.h"
#include "file_digest.h"
#include "key_files.h"
#include "statement.h"
#include "verdict.h"
#include "verdict_json.h"
#include "hex.h"

#define SHORT_OPTIONS ":hV"

enum { OPT_KEY = 256 };

static const struct option long_options[] = {
	{ "key", required_argument, NULL, OPT_KEY },
	USAGE_LONG_OPTIONS,
};

/* ---- files ---- */

static int unreadable(const char *name, int error)
{
	say("%s: %s", name, strerror(error));
	return CLI_INCOMPLETE;
}

static int check_file(const char *name, const struct statement *s)
{
	uint8_t sha256[32];
	char hex[SHA256_HEX + 1];
	int error = file_digest(name, sha256);

	if (error != 0)
		return unreadable(name, error);
	hex_write(sha256, 32, hex);
	if (strcmp(hex, s->sha256) == 0)
		return CLI_OK;
	say("%s: found SHA-256 %s, expected %s", name, hex, s->sha256);
	return CLI_FAILED;
}

/* ---- the envelope ---- */

static int status_of(const char *verdict)
{
	if (strcmp(verdict, "accept") == 0)
		return CLI_OK;
	return strcmp(verdict, "error") == 0 ? CLI_INCOMPLETE : CLI_FAILED;
}

static void print_text(const char *key, const char *text)
{
	_cleanup_(freep) char *safe = text ? text_safe(text) : NULL;

	printf("%-8s %s\n", key, safe ? safe : "-");
}

static void print_statement(const struct dsse_key *k, const struct statement *s)
{
	const json_t *policy = json_object_get(s->whole, "policy"), *scan = json_object_get(s->whole, "scan");
	char hex[SHA256_HEX + 1];

	hex_write(dsse_key_id(k), 32, hex);
	print_text("verdict", s->verdict);
	if (json_object_get(s->whole, "effective") != NULL)
		print_text("passes as", verdict_text(verdict_effective_of(s->whole)));
	print_text("name", s->name);
	print_text("sha256", s->sha256);
	print_text("policy", json_string_value(json_object_get(policy, "name")));
	print_text("scanned", json_string_value(json_object_get(scan, "time")));
	print_text("engine", json_string_value(json_object_get(scan, "engine")));
	print_text("key", hex);
}

/* FAILED wins over INCOMPLETE: see enum cli_exit. */
static int worse(int a, int b)
{
	if (a == CLI_FAILED || b == CLI_FAILED)
		return CLI_FAILED;
	return a != CLI_OK ? a : b;
}

static int check_statement(const struct dsse_key *k, const struct statement *s, char **files, int n)
{
	int status = status_of(verdict_text(verdict_effective_of(s->whole)));

	for (int i = 0; i < n; i++)
		status = worse(status, check_file(files[i], s));
	print_statement(k, s);
	return output_finish(status);
}

static int check_envelope(const struct dsse_key *k, const char *name, char **files, int n_files)
{
	size_t n, payload_n;
	_cleanup_(freep) uint8_t *at = file_read_whole(name, DSSE_ENVELOPE_MAX, &n);
	uint8_t *payload = NULL;
	struct statement s = { 0 };
	const char *why;
	int status = CLI_FAILED;

	if (at == NULL)
		return CLI_INCOMPLETE;
	why = dsse_open(k, bytes_of(at, n), STATEMENT_PAYLOAD_TYPE, &payload, &payload_n);
	if (why == NULL)
		why = statement_read(payload, payload_n, &s);
	if (why != NULL)
		say("%s: %s", name, why);
	else
		status = check_statement(k, &s, files, n_files);
	statement_done(&s);
	free(payload);
	return status;
}

/* ---- the command line ---- */

int cmd_verify(int argc, char **argv)
{
	const char *key = NULL;
	struct dsse_key *k;
	int option, status;

	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1) {
		if (option != OPT_KEY)
			return usage_option("verify", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
		key = optarg;
	}
	if (key == NULL)
		return usage_error("verify", "--key is needed: whose signature is it to be?");
	if (optind == argc)
		return usage_error("verify", "an envelope is needed");
	k = key_read_public(key);
	if (k == NULL)
		return CLI_USAGE;
	status = check_envelope(k, argv[optind], argv + optind + 1, argc - optind - 1);
	dsse_key_free(k);
	return status;
}
