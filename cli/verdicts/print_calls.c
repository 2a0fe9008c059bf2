/* See print_findings.h. */
#include "print_findings.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "verdict.h"
#include "verdict_json.h"

#define INDENT "        "
#define DEEPER INDENT "  "

static bool is_allowed(const json_t *call)
{
	return strcmp(verdict_member(call, "standing"), "allowed") == 0;
}

static enum paint paint_of(const json_t *call)
{
	const char *standing = verdict_member(call, "standing");

	if (is_allowed(call))
		return PAINT_NONE;
	return standing[0] == '\0' || strcmp(standing, "dangerous") == 0 ? PAINT_BAD : PAINT_DOUBT;
}

static void put_call(const struct page *p, const json_t *call)
{
	char *place = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&place, &n);
	char standing[16];

	if (f == NULL)
		return;
	print_place(f, p, call, " (");
	fputs(ftell(f) > 0 ? ")" : "", f);
	(void)fclose(f);
	(void)snprintf(standing, sizeof(standing), "%-10.10s", verdict_member(call, "standing"));
	fputs(DEEPER, p->f);
	page_put(p, paint_of(call), standing);
	page_put(p, PAINT_NONE, verdict_member(call, "text"));
	page_put(p, PAINT_NONE, place != NULL ? place : "");
	fputc('\n', p->f);
	free(place);
}

void print_calls(const struct page *p, const json_t *verdict)
{
	const json_t *calls = json_object_get(verdict, "calls"), *call;
	uint64_t left_out = 0;
	size_t i;

	if (!json_is_array(calls))
		return;
	fputs(json_array_size(calls) > 0 ? INDENT "loading it would call, in this order:\n"
					 : INDENT "no call was seen that loading it would make\n",
	    p->f);
	(void)json_to_number(json_object_get(json_object_get(verdict, "facts"), "calls_omitted"), &left_out);
	json_array_foreach (calls, i, call) {
		if (is_allowed(call) && !p->style->verbose)
			left_out++;
		else
			put_call(p, call);
	}
	if (left_out > 0)
		fprintf(p->f, DEEPER "and %zu more%s\n", (size_t)left_out,
		    p->style->verbose ? "" : " that are allowed, or beyond what is listed");
}
