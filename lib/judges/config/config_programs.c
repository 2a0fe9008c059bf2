/* Programs that a configuration has started, and packages that it has installed, by single keys whoever reads them: formats/configs,
 * section 2.3.  Each rule names the source of the loader. */
#include "config_references.h"

static struct bytes text_of(const struct config *c, uint32_t node)
{
	return node != NODE_NONE && c->nodes[node].type == CONFIG_TEXT ? c->nodes[node].text : bytes_of(NULL, 0);
}

static uint32_t parent_of(const struct config *c, uint32_t node)
{
	return node != NODE_NONE ? c->nodes[node].parent : NODE_NONE;
}

static bool is_named(const struct config *c, uint32_t node, const char *words)
{
	return node != NODE_NONE && config_is_word_of(c->nodes[node].name, words);
}

/* -- commands -- */

/* Servers of tools that a client starts (Model Context Protocol, huggingface_hub's tiny agents), hooks of editors, and the entry
 * points of mlflow/projects: `command` beside what says that it is one.  Elsewhere it is a container's, and another's to run. */
static void judge_command(struct config *c, uint32_t node)
{
	uint32_t map = parent_of(c, node);

	if ((text_of(c, node).n > 0 || c->nodes[node].first != NODE_NONE) &&
	    (is_named(
		 c, parent_of(c, map), "mcpServers mcp_servers servers mcp context_servers lspServers entry_points") ||
		is_named(c, map, "server_params mcp_server") ||
		config_is_word_of(text_of(c, config_find(c, map, KEY_TYPE)), "stdio command mcp StdioServerParams") ||
		config_is_word_of(text_of(c, config_find(c, map, KEY_TRANSPORT)), "stdio")))
		config_tell(c, WLK_F_CONFIG_COMMAND, node);
}

/* Cog, Truss, LangGraph: lines for a shell when the image is built. */
static void judge_lines(struct config *c, uint32_t list)
{
	uint32_t first = c->nodes[list].type == CONFIG_LIST ? c->nodes[list].first : NODE_NONE;

	if (text_of(c, first).n > 0)
		config_tell(c, WLK_F_CONFIG_COMMAND, first);
}

/* bentoml/_internal/bento/build_config.py, DockerOptions.system_packages: put behind `apt-get install` as they are. */
static void judge_system_packages(struct config *c, uint32_t list)
{
	for (uint32_t i = c->nodes[list].first; i != NODE_NONE; i = c->nodes[i].next) {
		struct bytes text = text_of(c, i);

		for (size_t k = 0; k < text.n; k++)
			if ((text.at[k] < '0' && memchr("+-.", text.at[k], 3) == NULL) ||
			    memchr(";<>?[]\\^`{|}", text.at[k], 12) != NULL) {
				config_tell(c, WLK_F_CONFIG_COMMAND, i);
				break;
			}
	}
}

/* Lines of the Dockerfile that BentoML writes: FROM an image, ENV a name (CVE-2026-44345, CVE-2026-44346). */
static void judge_docker_line(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node);

	if (config_in(c, CONFIG_BENTOML) && text.n > 0 &&
	    (memchr(text.at, '\n', text.n) != NULL || memchr(text.at, '\r', text.n) != NULL ||
		memchr(text.at, ' ', text.n) != NULL || memchr(text.at, ';', text.n) != NULL ||
		memchr(text.at, '$', text.n) != NULL))
		config_tell(c, WLK_F_CONFIG_COMMAND, node);
}

/* docs.npmjs.com, "scripts": those that `npm install` starts of itself in the folder; code of the repository, as its sources are. */
static void judge_npm_script(struct config *c, uint32_t node)
{
	uint32_t map = parent_of(c, node);

	if (is_named(c, map, "scripts") && node_is_outermost(c, map) && text_of(c, node).n > 0)
		config_tell(c, WLK_F_REPO_CODE, node);
}

/* containers.dev, "Lifecycle scripts": on the host, before there is a container. */
static void judge_host_command(struct config *c, uint32_t node)
{
	if (node_is_outermost(c, node) && (text_of(c, node).n > 0 || c->nodes[node].first != NODE_NONE))
		config_tell(c, WLK_F_REPO_CODE, node);
}

static bool judge_program_key(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node);

	switch ((enum config_key)c->nodes[node].key) {
	case KEY_COMMAND: judge_command(c, node); return true;
	case KEY_RUN_ON: /* .vscode/tasks.json */
		if (bytes_equal(text, bytes_of_text("folderOpen")))
			config_tell(c, WLK_F_CONFIG_COMMAND, node);
		return true;
	case KEY_ON_READY: /* koboldcpp.py, --onready, which a .kcpps sets */
		if (node_is_outermost(c, node) && text.n > 0)
			config_tell(c, WLK_F_CONFIG_COMMAND, node);
		return true;
	case KEY_PREINSTALL:
	case KEY_INSTALL:
	case KEY_POSTINSTALL:
	case KEY_PREPARE: judge_npm_script(c, node); return true;
	case KEY_INITIALIZE_COMMAND: judge_host_command(c, node); return true;
	case KEY_MCP_CONFIG: /* Flowise's nodes: a command, and source that is run */
	case KEY_SCRIPT_FUNCTION:
		if (text.n > 0 || c->nodes[node].first != NODE_NONE)
			config_tell(c, WLK_F_CONFIG_COMMAND, node);
		return true;
	case KEY_RUN:
		if (is_named(c, parent_of(c, node), "build"))
			judge_lines(c, node);
		return true;
	case KEY_BUILD_COMMANDS:
	case KEY_DOCKERFILE_LINES: judge_lines(c, node); return true;
	case KEY_SYSTEM_PACKAGES: judge_system_packages(c, node); return true;
	case KEY_BASE_IMAGE: judge_docker_line(c, node); return true;
	case KEY_NAME:
		if (is_named(c, parent_of(c, parent_of(c, node)), "envs"))
			judge_docker_line(c, node);
		return false;
	default: return false;
	}
}

/* -- packages -- */

static void judge_place_text(struct config *c, uint32_t node)
{
	enum wlk_finding code =
	    config_requirement_says_place(text_of(c, node)) ? config_requirement_fault(text_of(c, node)) : 0;

	if (code != 0)
		config_tell(c, code, node);
}

/* A text, a list of them, or lists by name ([project.optional-dependencies]): PEP 621, PEP 735, and tools that hand such lists to
 * pip.  Names and versions are from the operator's index. */
static void judge_places(struct config *c, uint32_t node)
{
	judge_place_text(c, node);
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next) {
		judge_place_text(c, i);
		for (uint32_t k = c->nodes[i].first; k != NODE_NONE; k = c->nodes[k].next)
			if (!is_named(c, k, "deprecated")) /* npm's lock: a sentence about the package */
				judge_place_text(c, k);
	}
}

static void judge_index_text(struct config *c, uint32_t node)
{
	enum wlk_finding code =
	    text_of(c, node).n > 0 && config_holds(text_of(c, node), "://") ? config_place_fault(text_of(c, node)) : 0;

	if (code != 0)
		config_tell(c, code, node);
}

static void judge_index(struct config *c, uint32_t node)
{
	judge_index_text(c, node);
	for (uint32_t i = c->nodes[node].first; i != NODE_NONE; i = c->nodes[i].next)
		judge_index_text(c, i);
}

static void judge_trusted(struct config *c, uint32_t node)
{
	if (text_of(c, node).n > 0 || c->nodes[node].first != NODE_NONE)
		config_tell(c, WLK_F_CONFIG_REQUIREMENT_INSECURE, node);
}

/* [[tool.uv.index]], [[tool.poetry.source]], [[source]] of a Pipfile. */
static void judge_url(struct config *c, uint32_t node)
{
	uint32_t map = parent_of(c, node);

	if (is_named(c, map, "index source") || (is_named(c, parent_of(c, map), "index source")))
		judge_index_text(c, node);
}

/* x = { git = "https://..." } of a table of dependencies, [tool.uv.sources]. */
static void judge_git(struct config *c, uint32_t node)
{
	struct bytes text = text_of(c, node);

	if (text.n > 0 && memchr("<>=!~^*0123456789", text.at[0], 17) != NULL && !config_holds(text, "/") &&
	    !config_holds(text, ":") && is_named(c, parent_of(c, node), "dependencies dev-dependencies"))
		return; /* a version of the package git (pixi, conda) */
	for (uint32_t i = parent_of(c, node), n = 0; i != NODE_NONE && n < 3; i = parent_of(c, i), n++)
		if (is_named(c, i, "dependencies dev-dependencies packages dev-packages sources"))
			config_tell(c, WLK_F_CONFIG_REQUIREMENT, node);
}

/* PEP 517: the backend is imported from these folders when the package is built. */
static void judge_backend_path(struct config *c, uint32_t node)
{
	if (c->nodes[node].first != NODE_NONE)
		config_local_folder(c, node);
}

static bool judge_install_key(struct config *c, uint32_t node)
{
	switch ((enum config_key)c->nodes[node].key) {
	case KEY_DEPENDENCIES:
		if (config_in(c, CONFIG_CONDA) || config_in(c, CONFIG_BENTOML))
			return false;
		judge_places(c, node);
		return true;
	case KEY_PIP:
	case KEY_PACKAGES:
	case KEY_BUILD_DEPENDENCIES: judge_places(c, node); return false;
	case KEY_REQUIREMENTS:
	case KEY_INSTALL_REQUIRES:
	case KEY_SETUP_REQUIRES:
	case KEY_REQUIRES:
	case KEY_PIP_PACKAGES:
	case KEY_PIP_REQUIREMENTS:
	case KEY_PYTHON_PACKAGES:
	case KEY_OPTIONAL_DEPENDENCIES:
	case KEY_DEPENDENCY_GROUPS: judge_places(c, node); return true;
	case KEY_INDEX_URL:
	case KEY_INDEX_URL_:
	case KEY_EXTRA_INDEX_URL:
	case KEY_EXTRA_INDEX_URL_:
	case KEY_FIND_LINKS:
	case KEY_FIND_LINKS_: judge_index(c, node); return true;
	case KEY_TRUSTED_HOST:
	case KEY_TRUSTED_HOST_: judge_trusted(c, node); return true;
	case KEY_URL: judge_url(c, node); return true;
	case KEY_GIT: judge_git(c, node); return true;
	case KEY_BACKEND_PATH: judge_backend_path(c, node); return true;
	default: return false;
	}
}

bool judge_started_key(struct config *c, uint32_t node)
{
	return judge_program_key(c, node) || judge_install_key(c, node);
}
