/* Pictures in XML.  SVG is a side file when nothing in it runs, refers to something outside of it, or is unknown. */
#pragma once

#include "format.h"

extern const struct wlk_format format_svg;
