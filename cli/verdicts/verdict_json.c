/* See verdict_json.h. */
#include "verdict_json.h"

#include <string.h>

#include "findings.h"
#include "formats.h"
#include "hex.h"

const char *verdict_member(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text != NULL ? text : "";
}

bool verdict_is_set(const json_t *verdict)
{
	return strcmp(verdict_member(verdict, "schema"), "weighlock.set/1") == 0;
}

static enum verdict_value value_in(const json_t *verdict, const char *member)
{
	static const enum verdict_value values[] = { VERDICT_ACCEPT, VERDICT_REVIEW, VERDICT_REJECT };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (strcmp(verdict_member(verdict, member), verdict_text(values[i])) == 0)
			return values[i];
	return VERDICT_ERROR;
}

enum verdict_value verdict_value_of(const json_t *verdict)
{
	return value_in(verdict, "verdict");
}

enum verdict_value verdict_effective_of(const json_t *verdict)
{
	return value_in(verdict, json_object_get(verdict, "effective") != NULL ? "effective" : "verdict");
}

static enum wlk_format_id format_of(const json_t *verdict)
{
	enum wlk_format_id id;

	return format_by_name(verdict_member(verdict, "format"), &id) ? id : WLK_FORMAT_UNKNOWN;
}

/* What readers say when weights are in other files, which only a set has (lib/sets). */
static const enum wlk_finding external[] = { WLK_F_WEIGHTS_IN_SET, WLK_F_ONNX_EXTERNAL_UNCHECKED,
	WLK_F_OPENVINO_WEIGHTS_UNCHECKED, WLK_F_TF_DATA_UNCHECKED, WLK_F_TFJS_WEIGHTS_UNCHECKED };

static bool is_external(const char *code)
{
	for (size_t i = 0; i < sizeof(external) / sizeof(external[0]); i++)
		if (strcmp(code, finding_info(external[i])->code) == 0)
			return true;
	return false;
}

static bool has_external_data(const json_t *verdict)
{
	json_t *finding;
	size_t i;

	json_array_foreach (json_object_get(verdict, "findings"), i, finding)
		if (is_external(verdict_member(finding, "code")))
			return true;
	return false;
}

bool verdict_speaks_of_others(const json_t *verdict)
{
	const json_t *parts = json_object_get(json_object_get(verdict, "facts"), "split_count");
	enum wlk_format_id format = format_of(verdict);

	if (format == WLK_FORMAT_SAFETENSORS_INDEX || format == WLK_FORMAT_SHARD_INDEX || has_external_data(verdict))
		return true;
	return parts != NULL && (!json_is_integer(parts) || json_integer_value(parts) != 1);
}

void verdict_facts(const json_t *verdict, struct facts *ret)
{
	const json_t *file = json_object_get(verdict, "file");
	const json_t *size = json_object_get(file, "size");

	*ret = (struct facts){ .has_final = true };
	ret->final.has_digest = sha256_of_hex(verdict_member(file, "sha256"), ret->final.sha256);
	ret->final.complete = ret->final.has_digest && json_is_true(json_object_get(verdict, "complete"));
	ret->final.size = json_is_integer(size) ? (uint64_t)json_integer_value(size) : 0;
	ret->final.format = format_of(verdict);
}
