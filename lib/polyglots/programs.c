/* P14, programs: at byte 0 of hosts that allow anything in front of them.  Readers of these files start them by their
 * first bytes alone. */
#include "probes.h"

#include "checked.h"

/* ELF: class, byte order and version exist.  Chance: 54 bits. */
static bool is_elf(struct bytes b)
{
	return begins_with(b,
		   "\x7f"
		   "ELF",
		   4) &&
	       b.n >= 16 && (b.at[4] == 1 || b.at[4] == 2) && (b.at[5] == 1 || b.at[5] == 2) && b.at[6] == 1;
}

/* PE: the DOS header leads to the signature.  Chance: 48 bits. */
#define PE_POINTER 60

static bool is_pe(struct view *v)
{
	uint8_t b[4];

	return begins_with(v->head, "MZ", 2) && v->head.n >= PE_POINTER + 4 &&
	       look(v, load_u32le(v->head.at + PE_POINTER), b, sizeof(b)) && memcmp(b, "PE\0", 4) == 0;
}

/* Mach-O, of either width and byte order, with a number of load commands that makes sense; or a universal file with a
 * number of architectures that no Java class has for a version.  Chance: 48 bits; 59 bits. */
#define MACHO_COMMANDS 16 /* offset of their number */
#define MACHO_COMMANDS_MAX 0xffffu
#define MACHO_ARCHITECTURES_MAX 30u

static bool is_macho(struct bytes b)
{
	uint32_t magic = b.n >= 20 ? load_u32be(b.at) : 0, commands;

	switch (magic) {
	case 0xfeedface:
	case 0xfeedfacf: commands = load_u32be(b.at + MACHO_COMMANDS); break;
	case 0xcefaedfe:
	case 0xcffaedfe: commands = load_u32le(b.at + MACHO_COMMANDS); break;
	case 0xcafebabe:
	case 0xcafebabf: commands = load_u32be(b.at + 4); return commands >= 1 && commands <= MACHO_ARCHITECTURES_MAX;
	default: return false;
	}
	return commands >= 1 && commands <= MACHO_COMMANDS_MAX;
}

/* A script, as Linux starts it: the interpreter's name ends within the first 256 bytes.  Chance: 24 bits and the name's,
 * at the first byte of hosts that begin otherwise. */
#define SCRIPT_LINE 256

static bool is_script(struct bytes b)
{
	size_t n = b.n < SCRIPT_LINE ? b.n : SCRIPT_LINE, i = 2, name;

	if (!begins_with(b, "#!", 2))
		return false;
	while (i < n && (b.at[i] == ' ' || b.at[i] == '\t'))
		i++;
	name = i;
	while (i < n && b.at[i] > ' ' && b.at[i] < 0x7f)
		i++;
	return i > name && i < n && (b.at[i] == '\n' || b.at[i] == ' ' || b.at[i] == '\t' || b.at[i] == 0);
}

void find_program(struct view *v)
{
	if (is_elf(v->head))
		found(v, WLK_F_POLYGLOT_ELF, 0, "ELF", "class, byte order and version exist");
	if (is_pe(v))
		found(v, WLK_F_POLYGLOT_PE, 0, "PE", "the DOS header leads to PE");
	if (is_macho(v->head))
		found(v, WLK_F_POLYGLOT_MACHO, 0, "Mach-O", "a number of commands that makes sense");
	if (is_script(v->head))
		found(v, WLK_F_POLYGLOT_SCRIPT, 0, "script", "a line that names an interpreter");
}
