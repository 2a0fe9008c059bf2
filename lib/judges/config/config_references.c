/* See config_references.h.  transformers' dynamic_module_utils.get_class_from_dynamic_module(): one `--` parts the repository
 * from the rest, and the rest is split at its one dot; both become parts of a path. */
#include "config_references.h"

static bool is_word_byte(uint8_t c, bool first)
{
	return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (!first && ((c >= '0' && c <= '9') || c == '-'));
}

static bool is_file(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		if (!is_word_byte(b.at[i], i == 0))
			return false;
	return b.n > 0;
}

/* owner/name, or name. */
static bool is_repository(struct bytes b)
{
	size_t slashes = 0;

	for (size_t i = 0; i < b.n; i++) {
		slashes += b.at[i] == '/';
		if (b.at[i] == '\\' || b.at[i] == ':')
			return false;
	}
	return b.n > 0 && b.at[0] != '/' && b.at[0] != '.' && slashes <= 1 && b.at[b.n - 1] != '/' &&
	       config_path_fault(b) == 0;
}

static bool note_file(struct config *c, struct bytes file)
{
	if (!c->l->of_set || file.n + 4 > sizeof(c->code) - c->code_n)
		return false;
	bytes_copy(c->code + c->code_n, file);
	memcpy(c->code + c->code_n + file.n, ".py\n", 4);
	c->code_n += file.n + 4;
	return true;
}

/* Whether the file is there the set knows. */
static void tell_local(struct config *c, struct bytes file, uint32_t node)
{
	bool plain = memchr(file.at, '\n', file.n) == NULL;

	config_tell(c, plain && note_file(c, file) ? WLK_F_CONFIG_CODE_IN_SET : WLK_F_CONFIG_AUTO_MAP, node);
}

void config_local_code(struct config *c, struct bytes file, uint32_t node)
{
	if (config_ends(file, ".py"))
		file.n -= 3;
	if (config_path_fault(file) != 0)
		config_tell(c, WLK_F_CONFIG_PATH_ESCAPE, node);
	else
		tell_local(c, file, node);
}

void config_local_folder(struct config *c, uint32_t node)
{
	config_tell(c, WLK_F_CONFIG_AUTO_MAP, node);
}

void judge_reference(struct config *c, uint32_t node)
{
	struct bytes text = c->nodes[node].text, repository = { NULL, 0 };
	const uint8_t *part = text.n > 2 ? memmem(text.at, text.n, "--", 2) : NULL, *dot;

	if (c->nodes[node].type != CONFIG_TEXT || text.n == 0)
		return;
	if (part != NULL) {
		repository = bytes_of(text.at, (size_t)(part - text.at));
		text = bytes_of(part + 2, text.n - repository.n - 2);
	}
	dot = memchr(text.at, '.', text.n);
	text.n = dot != NULL ? (size_t)(dot - text.at) : text.n;
	if ((part != NULL && !is_repository(repository)) || config_path_fault(c->nodes[node].text) != 0 ||
	    memchr(text.at, '/', text.n) != NULL || memchr(text.at, '\\', text.n) != NULL || text.n == 0)
		config_tell(c, WLK_F_CONFIG_PATH_ESCAPE, node);
	else if (part != NULL)
		config_tell(c, WLK_F_CONFIG_REMOTE_CODE_GATED, node);
	else if (is_file(text))
		tell_local(c, text, node);
	else
		config_tell(c, WLK_F_CONFIG_AUTO_MAP, node);
}

void judge_references(struct config *c, uint32_t node)
{
	judge_reference(c, node);
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next)
		if (c->nodes[i].type == CONFIG_TEXT)
			judge_reference(c, i);
		else
			for (uint32_t k = c->nodes[i].first; k != NODE_NONE; k = c->nodes[k].next)
				judge_reference(c, k);
}
