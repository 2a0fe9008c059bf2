/* Members that run: TorchScript, torch.package, exported programs.  They are named; TorchScript's source is read as text
 * (script_text.h), its constants as a checkpoint of their own.  Follows formats/pytorch, sections 2 and 7. */
#include "nested.h"
#include "pytorch_zip_impl.h"
#include "script_text.h"

/* Operators that open files: as the lite interpreter's instructions name them, and as they stand in a source that nobody could
 * read to its end. */
static const char *const in_bytecode[] = { "aten::from_file", "aten::save", "image::read_file", "image::write_file",
	"video::", "torchaudio::", "rpc::", NULL };
static const char *const in_source[] = { "torch.from_file(", "ops.aten.from_file(", "torch.save(", "torch.load(",
	"ops.aten.save(", "ops.image.read_file(", "ops.image.write_file(", "ops.video.", "ops.torchaudio.", "ops.rpc.",
	NULL };

#define OPERATORS_MAX 12

/* How much of each text the bytes seen last spell. */
struct search {
	const char *const *texts;
	size_t matched[OPERATORS_MAX];
	const char *found;
	struct script_show *show;
};

/* The texts have no two ways to go on after a mismatch but from their first letter: none repeats it with what follows. */
static void search_byte(struct search *s, uint8_t byte)
{
	for (size_t i = 0; s->texts[i] != NULL; i++) {
		const char *text = s->texts[i];

		if ((uint8_t)text[s->matched[i]] != byte)
			s->matched[i] = (uint8_t)text[0] == byte ? 1 : 0;
		else
			s->matched[i]++;
		if (text[s->matched[i]] == '\0') {
			s->found = text;
			return;
		}
	}
}

/* Found, and shown to the end of its arguments if that is asked for. */
static bool is_done(const struct search *s)
{
	return s->found != NULL && !s->show->active &&
	       (s->show->fault == CALL_ALLOWED || !s->show->report->wants_calls);
}

static uint64_t search_feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct search *s = ctx;

	for (size_t i = 0; i < n; i++) {
		if (is_done(s))
			return FEED_END;
		if (s->found == NULL) {
			search_byte(s, at[i]);
			if (s->found != NULL)
				script_show_fault(s->show, CALL_DANGEROUS);
		}
		script_show_byte(s->show, at[i], offset + i);
	}
	return is_done(s) ? FEED_END : offset + n;
}

static enum wlk_status search(struct torch_zip *t, const struct zip_entry *e, const char *const *texts)
{
	const struct stream *stream = &e->member->stream;
	struct script_show show;
	struct search s = { .texts = texts, .show = &show };

	script_show_begin(&show, t->l->report, stream->part.member, stream_origin(stream));
	if (stream_preview(&e->member->stream, t->l->arena, (struct feeder){ search_feed, &s }, NULL) == STREAM_FAILED)
		return layout_stop(t->l);
	script_show_end(&show);
	if (s.found != NULL && texts == in_bytecode)
		script_show_name(&show, s.found);
	if (s.found != NULL)
		torch_zip_report(
		    t, WLK_F_TORCH_SCRIPT_OPERATOR, e, value_text(bytes_of_text(s.found)), (struct value){ 0 });
	return WLK_DONE;
}

/* Its operators are texts of a pickle; what else it says nobody works out. */
static enum wlk_status search_bytecode(struct torch_zip *t, const struct zip_entry *e)
{
	torch_zip_at(t, WLK_F_TORCH_SCRIPT_BYTECODE, e);
	return search(t, e, in_bytecode);
}

static uint64_t read_feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct script_text *s = ctx;

	script_feed(s, at, n, offset);
	return s->done ? FEED_END : offset + n;
}

static enum wlk_status read_source(struct torch_zip *t, const struct zip_entry *e)
{
	struct script_text s;
	struct value about;

	script_begin(&s, t->l->report, e->member->stream.part.member, stream_origin(&e->member->stream));
	if (stream_preview(&e->member->stream, t->l->arena, (struct feeder){ read_feed, &s }, NULL) == STREAM_FAILED)
		return layout_stop(t->l);
	script_end(&s);
	about = value_text(bytes_of_text(s.about)); /* the report copies it */
	if (s.answer == SCRIPT_ACTS)
		torch_zip_report(t, WLK_F_TORCH_SCRIPT_OPERATOR, e, about, (struct value){ 0 });
	else if (s.answer == SCRIPT_UNKNOWN)
		torch_zip_report(t, WLK_F_TORCH_SCRIPT_UNKNOWN, e, about, (struct value){ 0 });
	return s.answer != SCRIPT_ACTS && s.done ? search(t, e, in_source) : WLK_DONE;
}

/* Pickles of TorchScript's own hold tensors, as data.pkl does. */
static enum wlk_status judge_pickle(struct torch_zip *t, const struct zip_entry *e)
{
	enum wlk_status status = torch_zip_judge_pickle(t, e, PICKLE_TORCH);

	e->member->understood = status == WLK_DONE;
	return status == WLK_INCOMPLETE ? status : WLK_DONE;
}

/* Anything else is judged like any other content. */
static enum wlk_status judge_content(struct torch_zip *t, const struct zip_entry *e)
{
	enum wlk_format_id id;
	enum wlk_status status = nested_judge(t->l, e->member, &id);

	return status == WLK_INCOMPLETE ? status : WLK_DONE;
}

/* What compiles, links or evaluates; nothing of it is TorchScript's. */
static bool is_program(struct bytes name)
{
	return bytes_end_with(name, ".so") || bytes_end_with(name, ".cpp") || bytes_end_with(name, "/model.json");
}

/* Once: an archive of a hundred modules has a hundred sources. */
static void name_it(struct torch_zip *t, const struct zip_entry *e, enum torch_member kind)
{
	if (kind == TORCH_MEMBER_PACKAGE) {
		torch_zip_at(t, WLK_F_TORCH_PACKAGE, e);
	} else if (is_program(e->name)) {
		torch_zip_at(t, WLK_F_TORCH_NATIVE_CODE, e);
	} else if (!t->script_told) {
		torch_zip_at(t, WLK_F_TORCH_SCRIPT_CODE, e);
		t->script_told = true;
	}
}

enum wlk_status torch_zip_code(struct torch_zip *t, const struct zip_entry *e, enum torch_member kind)
{
	enum wlk_status status = WLK_DONE;

	name_it(t, e, kind);
	if (e->size == 0) /* traced_inputs/0: what a model was traced with, less its elements */
		e->member->understood = true;
	if (e->member->understood) /* a constant, or their pickle */
		return WLK_DONE;
	if (bytes_end_with(e->name, "/bytecode.pkl"))
		status = search_bytecode(t, e);
	if (status != WLK_DONE)
		return status;
	if (bytes_end_with(e->name, ".pkl") || bytes_end_with(e->name, ".debug_pkl"))
		return judge_pickle(t, e);
	if (!bytes_end_with(e->name, ".py"))
		return judge_content(t, e);
	e->member->understood = true;
	return read_source(t, e);
}
