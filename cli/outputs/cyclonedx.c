/* CycloneDX 1.6 (ECMA-424), the part of it that is called ML-BOM: a component for each file of a scan, by its digest, models as
 * such, and what was found as properties in the namespace `weighlock`.  Components are written as they come.
 *
 * A bill of materials says what is there, so accepted files are in it as well, with --quiet too. */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "cleanup.h"
#include "cli.h"
#include "json_line.h"
#include "output.h"
#include "verdict.h"

struct cyclonedx {
	size_t n;
};

static int property(json_t *list, const char *name, const char *value)
{
	return json_array_append_new(list, json_pack("{s:s, s:s}", "name", name, "value", value));
}

static int number_property(json_t *list, const char *name, const json_t *value)
{
	char text[32];

	if (!json_is_integer(value))
		return json_is_string(value) ? property(list, name, json_string_value(value)) : 0;
	(void)snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(value));
	return property(list, name, text);
}

/* "weights-nan: review", each once. */
static int finding_properties(json_t *list, const json_t *findings)
{
	_cleanup_(freep) char *text = NULL;
	const json_t *one, *told;
	size_t i, k;

	json_array_foreach (findings, i, one) {
		free(text);
		if (asprintf(&text, "%s: %s", verdict_member(one, "code"), verdict_member(one, "action")) < 0) {
			text = NULL;
			return -1;
		}
		json_array_foreach (list, k, told)
			if (strcmp(verdict_member(told, "value"), text) == 0)
				break;
		if (k == json_array_size(list) && property(list, "weighlock:finding", text) < 0)
			return -1;
	}
	return 0;
}

static json_t *properties_of(const json_t *verdict)
{
	const char *format = verdict_member(verdict, "format"),
		   *of_set = verdict_is_set(verdict) ? verdict_member(verdict, "sha256") : "";
	json_t *list = json_array();
	int bad = property(list, "weighlock:verdict", verdict_text(verdict_value_of(verdict)));

	bad |=
	    property(list, "weighlock:complete", json_is_true(json_object_get(verdict, "complete")) ? "true" : "false");
	bad |= property(list, "weighlock:policy", verdict_member(json_object_get(verdict, "policy"), "name"));
	bad |= property(list, "weighlock:policy-sha256", verdict_member(json_object_get(verdict, "policy"), "sha256"));
	if (format[0] != '\0')
		bad |= property(list, "weighlock:format", format);
	if (of_set[0] != '\0')
		bad |= property(list, "weighlock:set-sha256", of_set);
	bad |= number_property(list, "weighlock:size", json_object_get(json_object_get(verdict, "file"), "size"));
	bad |= finding_properties(list, json_object_get(verdict, "findings"));
	if (!bad)
		return list;
	json_decref(list);
	return NULL;
}

/* What is known of its weights; nothing of what it was trained for. */
static json_t *model_card(const json_t *verdict)
{
	const json_t *weights = json_object_get(verdict, "weights");
	static const char *const members[] = { "tensors", "elements", "nan", "pos_inf", "neg_inf" };
	json_t *list = json_array();
	int bad = 0;

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		char name[64];

		(void)snprintf(name, sizeof(name), "weighlock:%s", members[i]);
		bad |= number_property(list, name, json_object_get(weights, members[i]));
	}
	if (!bad)
		return json_pack("{s:o}", "properties", list);
	json_decref(list);
	return NULL;
}

static json_t *component_of(const json_t *verdict, size_t n)
{
	bool set = verdict_is_set(verdict), model = set || json_is_true(json_object_get(verdict, "model"));
	const json_t *file = json_object_get(verdict, "file");
	const char *name = verdict_member(set ? verdict : file, "name"), *sha256 = verdict_member(file, "sha256");
	char ref[32];
	json_t *c;

	(void)snprintf(ref, sizeof(ref), "%s-%zu", set ? "set" : "file", n);
	c = json_pack("{s:s, s:s, s:s, s:o}", "type", model ? "machine-learning-model" : "file", "bom-ref", ref, "name",
	    name[0] != '\0' ? name : "stdin", "properties", properties_of(verdict));
	if (sha256[0] != '\0' &&
	    json_object_set_new(c, "hashes", json_pack("[{s:s, s:s}]", "alg", "SHA-256", "content", sha256)) < 0)
		goto fail;
	if (model && !set && json_object_set_new(c, "modelCard", model_card(verdict)) < 0)
		goto fail;
	return c;
fail:
	json_decref(c);
	return NULL;
}

static int put(struct output *o, const struct shown *s, const json_t *verdict)
{
	struct cyclonedx *state = o->state;
	json_t *component = component_of(verdict, ++state->n);
	_cleanup_(freep) char *text = component != NULL ? json_line(component, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	(void)s;
	json_decref(component);
	if (text == NULL)
		return -ENOMEM;
	fprintf(o->f, "%s\n%s", state->n > 1 ? "," : "", text);
	return 0;
}

/* A number of its own for each document: a UUID of version 4 (RFC 9562). */
static int begin(struct output *o)
{
	uint8_t r[16];

	if (getrandom(r, sizeof(r), 0) != (ssize_t)sizeof(r))
		return -EIO;
	r[6] = (uint8_t)((r[6] & 0x0f) | 0x40);
	r[8] = (uint8_t)((r[8] & 0x3f) | 0x80);
	fprintf(o->f, "{\"$schema\":\"http://cyclonedx.org/schema/bom-1.6.schema.json\",\"bomFormat\":\"CycloneDX\","
		      "\"specVersion\":\"1.6\",\"serialNumber\":\"urn:uuid:");
	for (size_t i = 0; i < sizeof(r); i++)
		fprintf(o->f, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", r[i]);
	fputs("\",\"version\":1,\"components\":[", o->f);
	return 0;
}

static int end(struct output *o, const struct outcome *outcome)
{
	char time[TIME_TEXT_MAX];

	fprintf(o->f,
	    "\n],\"metadata\":{\"timestamp\":\"%s\",\"tools\":{\"components\":[{\"type\":\"application\",\"name\":"
	    "\"weighlock\","
	    "\"version\":\"" WLK_VERSION "\"}]},\"properties\":[{\"name\":\"weighlock:whole\",\"value\":\"%s\"}]}}\n",
	    time_text(outcome->started_at, time), outcome->whole ? "true" : "false");
	return 0;
}

const struct writer writer_cyclonedx = {
	.name = "cyclonedx", .state_size = sizeof(struct cyclonedx), .all = true, .begin = begin, .put = put, .end = end
};
