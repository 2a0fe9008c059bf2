/* Members by name: see pytorch_members.h. */
#include "pytorch_members.h"

#include "pytorch_types.h"

static const struct {
	const char *name;
	enum torch_member member;
} names[] = {
	{ "data.pkl", TORCH_MEMBER_DATA_PKL },
	{ "version", TORCH_MEMBER_VERSION },
	{ ".data/version", TORCH_MEMBER_INNER_VERSION },
	{ ".format_version", TORCH_MEMBER_FORMAT_VERSION },
	{ ".storage_alignment", TORCH_MEMBER_ALIGNMENT },
	{ "byteorder", TORCH_MEMBER_BYTEORDER },
	{ ".data/serialization_id", TORCH_MEMBER_SERIALIZATION_ID },
	{ ".data/extern_modules", TORCH_MEMBER_PACKAGE },
	{ ".data/python_version", TORCH_MEMBER_PACKAGE },
	{ "constants.pkl", TORCH_MEMBER_SCRIPT },
	{ "attributes.pkl", TORCH_MEMBER_SCRIPT },
	{ "bytecode.pkl", TORCH_MEMBER_SCRIPT },
	{ "traced_inputs.pkl", TORCH_MEMBER_SCRIPT },
	{ "mobile_debug_handles.pkl", TORCH_MEMBER_SCRIPT },
	{ "model.json", TORCH_MEMBER_SCRIPT },
};

static struct bytes behind(struct bytes name, const char *folder)
{
	size_t n = strlen(folder);

	return bytes_of(name.at + n, name.n - n);
}

static enum torch_member member_in_folder(struct bytes name)
{
	if (bytes_begin_with(name, "data/") && torch_is_decimal(behind(name, "data/")))
		return TORCH_MEMBER_STORAGE;
	if (bytes_begin_with(name, "code/") || bytes_end_with(name, ".so") || bytes_end_with(name, ".cpp"))
		return TORCH_MEMBER_CODE;
	if (bytes_begin_with(name, "constants/") || bytes_begin_with(name, "traced_inputs/") ||
	    bytes_begin_with(name, "extra/"))
		return TORCH_MEMBER_SCRIPT;
	return TORCH_MEMBER_UNKNOWN;
}

enum torch_member torch_member_of(struct bytes name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (bytes_equal(name, bytes_of_text(names[i].name)))
			return names[i].member;
	return member_in_folder(name);
}

bool torch_member_split(struct bytes path, struct bytes *ret_root, struct bytes *ret_name)
{
	const uint8_t *slash = path.n > 0 ? memchr(path.at, '/', path.n) : NULL;

	if (slash == NULL || slash == path.at)
		return false;
	*ret_root = bytes_of(path.at, (size_t)(slash - path.at));
	*ret_name = bytes_of(slash + 1, path.n - ret_root->n - 1);
	return true;
}
