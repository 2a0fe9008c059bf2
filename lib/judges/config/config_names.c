/* See config_names.h. */
#include "config_names.h"

#include "known.h"

#define NAME_BYTES_MAX 512u
#define PARTS_MAX 12u
#define MODULE_PARTS 2u /* of a module reached through another: asked about each part, it is kept cheap */

/* Constructors that configurations of models name: they make modules, and call nothing they are given. */
static const char common[] = "torch.nn. torch.optim. torch.utils.data. torchmetrics. torchaudio.transforms. "
			     "torchvision.transforms. transformers. diffusers. peft. lightning.pytorch. "
			     "pytorch_lightning. omegaconf. nemo. megatron. monai. ignite. torch.nn.functional.* "
			     "torch.nn.init.* =torch.manual_seed =torch.device =torch.tensor =torch.zeros =torch.ones "
			     "=torch.arange =torch.linspace =random.seed =numpy.random.seed";
/* Parts of names that are below those and do run what they are told. */
static const char uncommon[] = "cli bundle apps auto3dseg app agents";
/* Denied to pickles and ordinary in configurations; a dot at the end: and all below. */
static const char ordinary[] = "functools.partial torch.distributed. torch.compile transformers.pipeline";
static const char trampolines[] =
    "hydra.utils.instantiate hydra.utils.call hydra.utils.get_class hydra.utils.get_method "
    "hydra.utils.get_static_method hydra.utils.get_object "
    "lightning.pytorch.cli.instantiate_module lightning.pytorch.cli.instantiate_class";
/* Gadgets of the libraries that are vouched for as a whole: speechbrain/utils/superpowers.py (run_shell), monai/utils/misc.py,
 * sentence_transformers/util/misc.py; gluonts/shell/util.py (locate()), dataset/artificial/recipe.py (eval()). */
static const char gadgets[] = "speechbrain.utils.superpowers. monai.utils.misc.run_cmd monai.utils.run_cmd "
			      "sentence_transformers.util.misc.import_ gluonts.shell. gluonts.dataset.artificial. "
			      "gluonts.core.serde.";
/* Classes that modules of those libraries have imported from elsewhere, and some of their own: they run, load, import or open what they
 * are told. */
static const char foreign[] =
    "Popen partial CDLL PyDLL WinDLL OleDLL LibraryLoader Unpickler ForkingPickler Pickler Thread Timer Process "
    "SpawnContext Pool ThreadPool ThreadPoolExecutor ProcessPoolExecutor Executor ZipFile TarFile "
    "Path FileIO FileStream TemporaryDirectory HfApi UnixFileLock Extension SourceFileLoader "
    "ExtensionFileLoader InteractiveConsole Server Connection Session Client "
    "LazyModule _LazyModule DeprecatedModuleRedirect MERT" /* the last trusts the repository that it is given: speechbrain */
    ;
/* What functions of a library may not begin with though the library is vouched for. */
static const char *const acting[] = { "load", "read", "open", "save", "write", "fetch", "download", "from_", "import",
	"run", "exec", "eval", "main", "call_", "install", "spawn", "shell", "system", "unpack", "extract", "delete",
	"remove", "hf_hub", "snapshot", "cached", "get_file", "check_requirements", "attempt", "unpickle", "register" };

bool config_holds(struct bytes b, const char *text)
{
	return b.n > 0 && memmem(b.at, b.n, text, strlen(text)) != NULL;
}

/* The next word of a list. */
static struct bytes next_word(const char **list)
{
	const char *p = *list, *from;

	while (*p == ' ')
		p++;
	for (from = p; *p != '\0' && *p != ' ';)
		p++;
	*list = p;
	return bytes_of(from, (size_t)(p - from));
}

bool config_is_word_of(struct bytes b, const char *words)
{
	for (struct bytes w = next_word(&words); w.n > 0; w = next_word(&words))
		if (bytes_equal(w, b))
			return true;
	return false;
}

static bool has_prefix(struct bytes b, struct bytes prefix)
{
	return b.n >= prefix.n && memcmp(b.at, prefix.at, prefix.n) == 0;
}

/* Words that end in a dot or an underscore stand for all that begins so. */
static bool is_listed(struct bytes b, const char *words)
{
	for (struct bytes w = next_word(&words); w.n > 0; w = next_word(&words)) {
		uint8_t last = w.at[w.n - 1];

		if (last == '.' || last == '_' ? has_prefix(b, w) : bytes_equal(w, b))
			return true;
	}
	return false;
}

/* -- shape -- */

/* Letters, digits, underscores, and whatever is not ASCII. */
static bool is_name_byte(uint8_t c)
{
	return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

bool config_is_name(struct bytes name)
{
	uint8_t before = '.';

	for (size_t i = 0; i < name.n; before = name.at[i++]) {
		uint8_t c = name.at[i];

		if (c == '.' || c == ':' ? before == '.' || before == ':' : !is_name_byte(c))
			return false;
		if ((before == '.' || before == ':') && c >= '0' && c <= '9')
			return false;
	}
	return before != '.' && before != ':';
}

bool config_ends_as_file(struct bytes name)
{
	return config_ends(name, ".json") || config_ends(name, ".py") || config_ends(name, ".txt") ||
	       config_ends(name, ".md") || config_ends(name, ".csv") || config_ends(name, ".yaml") ||
	       config_ends(name, ".yml") || config_ends(name, ".html") || config_ends(name, ".xml") ||
	       config_ends(name, ".bin") || config_ends(name, ".pt") || config_ends(name, ".pth") ||
	       config_ends(name, ".so") || config_ends(name, ".dll") || config_ends(name, ".safetensors") ||
	       config_ends(name, ".onnx") || config_ends(name, ".gguf") || config_ends(name, ".model") ||
	       config_ends(name, ".h5") || config_ends(name, ".npz") || config_ends(name, ".npy") ||
	       config_ends(name, ".png") || config_ends(name, ".jpg") || config_ends(name, ".wav") ||
	       config_ends(name, ".sh") || config_ends(name, ".js") || config_ends(name, ".zip") ||
	       config_ends(name, ".gz") || config_ends(name, ".toml") || config_ends(name, ".ckpt") ||
	       config_ends(name, ".com") || config_ends(name, ".org") || config_ends(name, ".io");
}

static struct bytes last_part(struct bytes name)
{
	size_t at = name.n;

	while (at > 0 && name.at[at - 1] != '.')
		at--;
	return bytes_of(name.at + at, name.n - at);
}

/* Called as classes are: methods and functions of the same packages fetch and load what they are told
 * (AutoModel.from_pretrained). */
bool config_names_class(struct bytes name)
{
	struct bytes last = last_part(name);
	size_t i = 0;

	while (i < last.n && last.at[i] == '_')
		i++;
	return i < last.n && last.at[i] >= 'A' && last.at[i] <= 'Z';
}

bool config_names_acting(struct bytes name)
{
	struct bytes last = last_part(name);

	while (last.n > 0 && last.at[0] == '_')
		last = bytes_of(last.at + 1, last.n - 1);
	for (size_t i = 0; i < sizeof(acting) / sizeof(acting[0]); i++)
		if (config_begins(last, acting[i]))
			return true;
	return false;
}

static bool is_dunder(struct bytes part)
{
	return part.n > 4 && memcmp(part.at, "__", 2) == 0 && memcmp(part.at + part.n - 2, "__", 2) == 0;
}

/* Does @test hold for a part of the name? */
static bool any_part(struct bytes name, bool (*test)(struct bytes part))
{
	while (name.n > 0) {
		const uint8_t *dot = memchr(name.at, '.', name.n);
		size_t n = dot != NULL ? (size_t)(dot - name.at) : name.n;

		if (test(bytes_of(name.at, n)))
			return true;
		n += dot != NULL;
		name = bytes_of(name.at + n, name.n - n);
	}
	return false;
}

static bool is_uncommon(struct bytes part)
{
	return config_begins(part, "Auto") || config_is_word_of(part, uncommon);
}

/* -- tables -- */

/* Is what this name begins with, up to the part behind its module, dangerous?  @itself: not by its root alone. */
static bool is_denied_from(struct bytes name, size_t module_parts, bool itself)
{
	for (size_t i = 1; i + 1 < name.n && module_parts > 0; i++) {
		const uint8_t *rest = name.at + i + 1, *dot;
		size_t n = name.n - i - 1;
		struct pickle_standing s;

		if (name.at[i] != '.')
			continue;
		module_parts--;
		dot = memchr(rest, '.', n);
		n = dot != NULL ? (size_t)(dot - rest) : n;
		s = pickle_name_standing(bytes_of(name.at, i), bytes_of(rest, n), NULL);
		if (s.tier == PICKLE_TIER_DENIED && !(itself && s.root))
			return true;
	}
	return false;
}

/* module.name.attribute: every place at which it may be divided is asked, for which is the module only an import would
 * tell, and modules are attributes of those that import them: x.y.os.system. */
static bool is_denied(struct bytes name, bool itself)
{
	size_t parts = 1;

	for (size_t i = 0; i < name.n; i++)
		parts += name.at[i] == '.';
	if (parts > PARTS_MAX)
		return true; /* nobody's: each part is asked with all behind it */
	for (size_t i = 0; i + 1 < name.n; i++)
		if ((i == 0 || name.at[i - 1] == '.') &&
		    is_denied_from(bytes_of(name.at + i, name.n - i), i == 0 ? PARTS_MAX : MODULE_PARTS, itself))
			return true;
	return false;
}

/* A module alone: whatever is in it would be denied. */
static bool is_denied_module(struct bytes name)
{
	return pickle_name_standing(name, bytes_of("x", 1), NULL).tier == PICKLE_TIER_DENIED;
}

bool config_name_is_denied(struct bytes name)
{
	return name.n <= NAME_BYTES_MAX && is_denied(name, false);
}

bool config_name_is_denied_itself(struct bytes name)
{
	return name.n <= NAME_BYTES_MAX && config_is_name(name) && memchr(name.at, ':', name.n) == NULL &&
	       is_denied(name, true);
}

/* The words of a row that vouches; @ret_against: one of them speaks against it. */
static bool is_vouched(struct bytes name, const char *words, bool *ret_against)
{
	bool found = false;

	*ret_against = false;
	for (struct bytes w = next_word(&words); w.n > 0; w = next_word(&words)) {
		struct bytes rest = bytes_of(w.at + 1, w.n - 1);

		if (w.at[0] == '=')
			found = found || bytes_equal(rest, name);
		else if (w.at[0] == '!')
			*ret_against = *ret_against || has_prefix(name, rest);
		else if (w.at[w.n - 1] == '*')
			found = found || (has_prefix(name, bytes_of(w.at, w.n - 1)) && !config_names_acting(name));
		else
			found = found || (has_prefix(name, w) && config_names_class(name));
	}
	return found && !*ret_against;
}

static bool is_exact(struct bytes name, const char *words)
{
	for (struct bytes w = next_word(&words); w.n > 0; w = next_word(&words))
		if (w.at[0] == '=' && bytes_equal(bytes_of(w.at + 1, w.n - 1), name))
			return true;
	return false;
}

/* What a pickle may call, a configuration may. */
static bool is_data(struct bytes name, const struct pickle_names *extra)
{
	struct bytes last = last_part(name);
	struct pickle_standing s;

	if (last.n == name.n)
		return false;
	s = pickle_name_standing(bytes_of(name.at, name.n - last.n - 1), last, extra);
	return s.tier == PICKLE_TIER_EXTRA || ((s.tier == PICKLE_TIER_WEIGHTS || s.tier == PICKLE_TIER_DATA) &&
						  (s.uses & (PICKLE_USE_CALL | PICKLE_USE_NEW)) != 0);
}

static enum config_standing standing(struct bytes name, const char *vouched, const struct pickle_names *extra)
{
	bool against = false;

	if (vouched != NULL && is_exact(name, vouched))
		return CONFIG_NAME_FINE;
	if (is_listed(name, ordinary) || is_listed(name, trampolines) ||
	    config_begins(name, "transformers.AutoModel") || bytes_equal(name, bytes_of_text("__main__")))
		return CONFIG_NAME_UNLISTED;
	if (is_denied(name, false) || is_denied_module(name) || is_listed(name, gadgets) || any_part(name, is_dunder))
		return CONFIG_NAME_DENIED;
	if (!config_is_word_of(last_part(name), foreign)) {
		if (vouched != NULL && is_vouched(name, vouched, &against))
			return CONFIG_NAME_FINE;
		if (!against && !any_part(name, is_uncommon) && is_vouched(name, common, &against))
			return CONFIG_NAME_FINE;
	}
	return is_data(name, extra) ? CONFIG_NAME_FINE : CONFIG_NAME_UNLISTED;
}

enum config_standing config_name_standing(struct bytes name, const char *vouched, const struct pickle_names *extra)
{
	uint8_t buf[NAME_BYTES_MAX];

	if (name.n == 0 || config_is_word_of(name, "null None ???"))
		return CONFIG_NAME_NONE;
	if (name.n > NAME_BYTES_MAX)
		return CONFIG_NAME_UNLISTED;
	/* module:attribute is module.attribute */
	for (size_t i = 0; i < name.n; i++)
		buf[i] = name.at[i] == ':' ? '.' : name.at[i];
	name = bytes_of(buf, name.n);
	if (!config_is_name(name)) /* what a part of it may still reach is denied all the same */
		return is_denied(name, false) ? CONFIG_NAME_DENIED : CONFIG_NAME_UNLISTED;
	return standing(name, vouched, extra);
}
