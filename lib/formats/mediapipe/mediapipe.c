/* The archive: see mediapipe.h.  Its rules are those of metadata::ExtractFilesfromZipFile() in MediaPipe
 * (mediapipe/tasks/cc/metadata/utils/zip_utils.cc): members are stored; nothing of them is unpacked. */
#include "mediapipe.h"

#include "member.h"
#include "zip_layout.h"

/* Bundles of language models name their parts (mediapipe/tasks/cc/genai/inference/utils/llm_utils). */
static bool is_model_name(struct bytes name)
{
	return bytes_end_with(name, ".tflite") || bytes_equal(name, bytes_of_text("TF_LITE_PREFILL_DECODE"));
}

static bool is_bundle_name(struct bytes name)
{
	return bytes_end_with(name, ".task");
}

/* What a member called so has to be. */
static bool is_what_it_says(const struct zip_entry *e)
{
	if (e->method != ZIP_METHOD_STORED)
		return false;
	if (is_model_name(e->name))
		return e->member->id == WLK_FORMAT_TFLITE;
	return !is_bundle_name(e->name) || e->member->id == WLK_FORMAT_MEDIAPIPE;
}

static enum wlk_status judge_member(struct layout *l, struct zip_archive *a, const struct zip_entry *e)
{
	enum wlk_status status = zip_judge_or_text(l, e, WLK_F_FORMAT_UNKNOWN);

	(void)a;
	if (status == WLK_DONE && !is_what_it_says(e))
		zip_report_entry(l, e, WLK_F_MEDIAPIPE_STRUCTURE);
	return status;
}

static bool probe(const struct probe *p)
{
	struct bytes name;

	return zip_first_name(p, &name) && (is_model_name(name) || is_bundle_name(name));
}

static enum wlk_status layout(struct layout *l)
{
	static const struct zip_reader reader = {
		.id = WLK_FORMAT_MEDIAPIPE, .profile = ZIP_PLAIN, .member = judge_member
	};

	return zip_layout(l, &reader);
}

const struct wlk_format format_mediapipe = { .id = WLK_FORMAT_MEDIAPIPE,
	.probe = probe,
	.layout = layout,
	.finish = zip_layout_finish,
	.nested = NESTED_RANDOM };
