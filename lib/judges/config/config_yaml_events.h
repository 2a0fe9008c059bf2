/* Configurations in YAML, by libyaml's events: formats/configs, section 5. */
#pragma once

#include "config.h"

#define CONFIG_YAML_BYTES_MAX ((uint64_t)16 << 20)

/**
 * config_yaml_read() - feed all of a text to @c, and tell what tags, aliases, repeated keys and parsers' quarrels mean
 * Memory that libyaml takes is counted against the arena before it starts, and its want of memory is a limit.
 * Return: WLK_DONE; WLK_INCOMPLETE.  What libyaml refuses is a finding; what was fed before stays.  *ret_whole: it was YAML.
 */
enum wlk_status config_yaml_read(struct config *c, struct bytes text, bool *ret_whole);
