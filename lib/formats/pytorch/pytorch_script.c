/* Members that run: TorchScript, torch.package, exported programs.  They are named, and TorchScript's source is read as
 * text for the few operators that reach outside of the model.  Follows formats/pytorch, section 2. */
#include "nested.h"
#include "pytorch_zip_impl.h"

/* Operators that open files, and namespaces of foreign code; as serialized source spells them. */
static const char *const operators[] = { "torch.from_file(", "ops.aten.from_file(", "torch.save(", "torch.load(",
	"ops.aten.save(", "ops.image.read_file(", "ops.image.write_file(", "ops.video.", "ops.torchaudio.", "ops.rpc.",
	"__torch__.torch.classes." };

#define OPERATORS (sizeof(operators) / sizeof(operators[0]))

/* How much of each text the bytes seen last spell. */
struct search {
	size_t matched[OPERATORS];
	const char *found;
	uint64_t at; /* behind it */
};

/* The texts have no two ways to go on after a mismatch but from their first letter: none repeats it with what follows. */
static void search_byte(struct search *s, uint8_t byte, uint64_t offset)
{
	for (size_t i = 0; i < OPERATORS; i++) {
		const char *text = operators[i];

		if ((uint8_t)text[s->matched[i]] != byte)
			s->matched[i] = (uint8_t)text[0] == byte ? 1 : 0;
		else
			s->matched[i]++;
		if (text[s->matched[i]] == '\0') {
			s->found = text;
			s->at = offset + 1;
			return;
		}
	}
}

static uint64_t search_feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct search *s = ctx;

	for (size_t i = 0; i < n && s->found == NULL; i++)
		search_byte(s, at[i], offset + i);
	return s->found != NULL ? FEED_END : offset + n;
}

static enum wlk_status search_source(struct torch_zip *t, const struct zip_entry *e)
{
	struct search s = { .found = NULL };

	if (stream_preview(&e->member->stream, t->l->arena, (struct feeder){ search_feed, &s }, NULL) == STREAM_FAILED)
		return layout_stop(t->l);
	if (s.found != NULL)
		torch_zip_report(
		    t, WLK_F_TORCH_SCRIPT_OPERATOR, e, value_text(bytes_of_text(s.found)), (struct value){ 0 });
	return WLK_DONE;
}

static bool ends_with(struct bytes name, const char *text)
{
	size_t n = strlen(text);

	return name.n >= n && memcmp(name.at + name.n - n, text, n) == 0;
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

enum wlk_status torch_zip_code(struct torch_zip *t, const struct zip_entry *e, enum torch_member kind)
{
	torch_zip_at(t, kind == TORCH_MEMBER_PACKAGE ? WLK_F_TORCH_PACKAGE : WLK_F_TORCH_SCRIPT_CODE, e);
	if (ends_with(e->name, ".pkl") || ends_with(e->name, ".debug_pkl"))
		return judge_pickle(t, e);
	if (!ends_with(e->name, ".py"))
		return judge_content(t, e);
	e->member->understood = true;
	return search_source(t, e);
}
