/* Pictures and documents in XML that are no model.  SVG is a side file when nothing in it runs, refers to something outside
 * of it, or is unknown.  Other XML is only read for what is wrong with its text: programs that make objects of such files
 * (Java's XMLDecoder, XAML, Ant) give any element any meaning, so it is never accepted. */
#pragma once

#include "format.h"

extern const struct wlk_format format_svg, format_xml;
