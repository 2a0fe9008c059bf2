// The page's own script.  Every line of the list has its data behind it as JSON, which nobody reads before the line is opened.
// What comes from a scanned file is only ever a text node (text()), never markup, an attribute or an address.
"use strict";
(() => {
const SVG = "http://www.w3.org/2000/svg";
const NOT_SHOWN = /[\p{C}\p{Zl}\p{Zp}]/gu;
const DOT = " \u00b7 ";
const TENSORS_AT_ONCE = 100;
const MEMBERS_AT_ONCE = 300;
const WORST_FIRST = ["reject", "error", "review", "accept"];
const WORDS = { reject: "rejects", review: "to review", accept: "note" };

// ---- building ----

// Nothing in it acts, reorders or hides: what people do not see is spelled out.
const shown = (value) => String(value).replace(NOT_SHOWN, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
const text = (value) => document.createTextNode(shown(value));

// Our own markup: tag and class are constants of this script.
function make(tag, name, ...children) {
  const e = document.createElement(tag);
  if (name) e.className = name;
  for (const c of children.flat(Infinity))
    if (c !== null && c !== undefined) e.append(c instanceof Node ? c : text(c));
  return e;
}
function draw(tag, numbers, name) {
  const e = document.createElementNS(SVG, tag);
  for (const key of Object.keys(numbers)) e.setAttribute(key, String(numbers[key]));
  if (name) e.setAttribute("class", name);
  return e;
}
const bytes = (value) => make("bdi", "bytes", value);
const section = (title, ...children) => make("section", "", make("h3", "", title), ...children);
const folded = (title, ...children) => make("details", "fold", make("summary", "", title), ...children);
function button(label, name, act) {
  const b = make("button", name, label);
  b.type = "button";
  b.addEventListener("click", act);
  return b;
}

// ---- numbers ----

const number = (value) => (value === undefined || value === null ? NaN : Number(value));
const grouped = (n) => Math.trunc(n).toLocaleString("en-US");
const plural = (n, word) => grouped(n) + " " + word + (n === 1 ? "" : "s");
function size(n) {
  const units = ["bytes", "kB", "MB", "GB", "TB", "PB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) { n /= 1000; i++; }
  return i === 0 ? plural(n, "byte") : n.toPrecision(3) + " " + units[i];
}
const percent = (part, whole) => (whole > 0 ? (100 * part / whole).toFixed(part > 0 && part / whole < 0.001 ? 4 : 1) + " %" : "");
const place = (o) => number(o.member_offset ?? o.offset);

// ---- tables ----

const isNumber = (cell) => typeof cell === "number" || cell?.className === "num";
const row = (cells) => make("tr", "", cells.map((c) => make("td", isNumber(c) ? "num" : "", typeof c === "number" ? grouped(c) : c)));
// Heads stand where their numbers stand.
function heads(head, first) {
  return make("thead", "", make("tr", "", head.map((c, i) => {
    const th = make("th", first && isNumber(first[i]) ? "num" : "", c);
    th.scope = "col";
    return th;
  })));
}
function table(name, head, rows, first) {
  return make("div", "scroll", make("table", name, heads(head, first || rows[0]), make("tbody", "", rows.map(row))));
}
// Pairs; those without a value are left out.
function pairs(...list) {
  return make("dl", "pairs", list.filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([key, value]) => make("div", "", make("dt", "", key), make("dd", "", value))));
}
// A table that grows when asked to: nobody reads two thousand rows at once.
function growing(name, head, all, toRow, step) {
  const holder = table(name, head, [], all.length ? toRow(all[0]) : null);
  const body = holder.querySelector("tbody");
  let next = 0;
  const more = button("", "more", () => grow());
  function grow() {
    for (const end = Math.min(all.length, next + step); next < end; next++) body.append(row(toRow(all[next])));
    more.hidden = next >= all.length;
    more.textContent = "show " + grouped(Math.min(step, all.length - next)) + " more of " + grouped(all.length);
  }
  grow();
  return [holder, more];
}

// ---- findings ----

const rules = JSON.parse(document.getElementById("rules").textContent);

// Sixteen bytes a line, those that the finding is about marked.
function hexOf(finding, views) {
  const key = finding.member_offset !== undefined ? "member_offset" : "offset";
  const from = number(finding[key]), to = from + Math.max(1, number(finding.length) || 1);
  const around = (views?.bytes || []).find((b) => b[key] !== undefined && (b.member || "") === (finding.member || "") &&
    from >= number(b[key]) && from - number(b[key]) <= b.hex.length / 2);
  if (!around) return null;
  const begin = number(around[key]), all = around.hex.match(/../g) || [], pre = make("pre", "hex");
  for (let line = 0; line < all.length; line += 16) {
    const here = all.slice(line, line + 16);
    const marked = here.map((_, i) => begin + line + i >= from && begin + line + i < to);
    const ascii = here.map((h) => { const c = parseInt(h, 16); return c >= 32 && c < 127 ? String.fromCharCode(c) : "."; });
    pre.append(make("span", "at", (begin + line).toString(16).padStart(8, "0")), "  ");
    runs(pre, here, marked, " ");
    pre.append("   ".repeat(16 - here.length) + "  ");
    runs(pre, ascii, marked, "");
    pre.append("\n");
  }
  return make("div", "scroll", pre);
}
// Cells of a line, neighbours that are marked in one mark.
function runs(pre, cells, marked, between) {
  for (let i = 0, j; i < cells.length; i = j) {
    for (j = i; j < cells.length && marked[j] === marked[i]; j++);
    const run = cells.slice(i, j).join(between);
    pre.append(marked[i] ? make("mark", "", run) : run);
    if (j < cells.length) pre.append(between);
  }
}
function whereOf(o) {
  const at = place(o), parts = [];
  if (!Number.isNaN(at)) parts.push("byte " + grouped(at) + " (0x" + at.toString(16) + ")");
  if (o.member !== undefined)
    parts.push(o.member_offset !== undefined ? "of what " : "in ", bytes(o.member), o.member_offset !== undefined ? " decodes to" : "");
  return parts.length ? make("span", "where", parts.map((p, i) => [i ? " " : "", p]).flat()) : null;
}
function valueOf(value) {
  return value === undefined || value === null ? undefined : bytes(typeof value === "number" ? grouped(value) : value);
}
// Why and what to do: once for all findings of a code.
function ruleOf(code) {
  const rule = rules[code];
  if (!rule) return null;
  const references = rule.references.split(" ").filter((r) => r), many = references.length > 4;
  return [pairs(["Why it matters", rule.why], ["What to do", rule.fix], ["Written in", rule.clause], ["Advisories", many ? "" : references.join(", ")]),
    many ? folded(grouped(references.length) + " advisories", make("p", "facts", references.join(", "))) : null];
}
function findingOf(finding, says, views, told) {
  const action = WORDS[finding.action] ? finding.action : "review", again = told.has(finding.code);
  told.add(finding.code);
  return make("article", "finding " + action,
    make("h4", "", make("span", "v", WORDS[action]), " ", bytes(says || finding.message)),
    make("p", "facts", make("code", "", finding.code), DOT, finding.severity, DOT, finding.class,
      place(finding) >= 0 || finding.member !== undefined ? [DOT, whereOf(finding)] : null,
      finding.count > 1 ? [DOT, grouped(finding.count) + " times"] : null),
    pairs(["About", valueOf(finding.subject)], ["Found", valueOf(finding.found)], ["Allowed", valueOf(finding.allowed)]),
    hexOf(finding, views), again ? null : ruleOf(finding.code));
}
function findingsOf(data) {
  const all = data.verdict.findings.map((f, i) => ({ f, says: data.says[i] }));
  const decide = all.filter((x) => x.f.action !== "accept"), notes = all.filter((x) => x.f.action === "accept");
  const told = new Set(), list = (some) => some.map((x) => findingOf(x.f, x.says, data.views, told));
  const suppressed = data.verdict.suppressed || [];
  if (all.length + suppressed.length === 0) return null;
  return section("Findings", decide.length ? list(decide) : make("p", "quiet", "Nothing that the policy minds."),
    notes.length ? folded(plural(notes.length, "note"), list(notes)) : null,
    suppressed.length ? folded(plural(suppressed.length, "finding") + " set aside by a rule", suppressed.map(suppressedOf)) : null);
}
function suppressedOf(s) {
  return make("article", "finding accept", pairs(...Object.keys(s).map((k) => [k, bytes(typeof s[k] === "object" ? JSON.stringify(s[k]) : s[k])])));
}

// ---- calls ----

function callsOf(data) {
  const calls = data.verdict.calls, opcodes = data.views?.opcodes || [];
  if (!calls || (!calls.length && !opcodes.length)) return null;
  const steps = make("pre", "code", opcodes.map((o) => make("span", o.calls ? "calls" : "",
    place(o).toString(16).padStart(8, "0") + "  ", bytes(o.text), "\n")));
  const loud = calls.filter((c) => c.standing !== "allowed"), allowed = calls.filter((c) => c.standing === "allowed");
  return section("What loading it would call", loud.map(callOf), loud.length === 0 ? make("p", "quiet", "Nothing that is not allowed.") : null,
    allowed.length ? folded(plural(allowed.length, "call") + " that may be made", allowed.map(callOf)) : null,
    opcodes.length ? folded("Opcodes that lead to a call", make("div", "scroll", steps)) : null);
}
function callOf(c) {
  return make("div", "call " + (c.standing === "dangerous" ? "reject" : c.standing === "allowed" ? "accept" : "review"),
    make("pre", "code", bytes(c.text), c.cut ? " ... (cut)" : ""), make("p", "facts", make("span", "v", c.standing), DOT, whereOf(c)));
}

// ---- layout ----

const KINDS = { header: "header", tensor: "tensors", padding: "padding", member: "members, packed or of no format", metadata: "metadata",
  unexplained: "explained by no format", unlisted: "not listed: too many pieces", trailing: "behind the end" };
const LOUD = { unexplained: 1, trailing: 1 };

function rangesOf(data, whole) {
  const dtypes = [];
  const ranges = data.views.map.map((m) => {
    const from = number(m.offset), to = from + number(m.length);
    let kind = KINDS[m.kind] ? m.kind : "unlisted";
    if (kind === "unexplained" && to >= whole && from > 0) kind = "trailing";
    return { from, to, kind, dtype: m.dtype || "", n: number(m.extents) };
  });
  for (const r of ranges) if (r.dtype && !dtypes.includes(r.dtype)) dtypes.push(r.dtype);
  for (const r of ranges) r.name = r.dtype ? "t" + dtypes.indexOf(r.dtype) % 8 : "k-" + r.kind;
  return ranges;
}
function tensorsOf(data) {
  return (data.tensors || []).filter((t) => t.file === undefined);
}
// Those that lie in the file itself, in its order.
function placedOf(data) {
  return tensorsOf(data).filter((t) => Array.isArray(t.offsets)).map((t) => ({ t, from: number(t.offsets[0]), to: number(t.offsets[1]) }))
    .filter((t) => t.to > t.from).sort((a, b) => a.from - b.from);
}
function lastBefore(list, at) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].from <= at) low = middle + 1; else high = middle;
  }
  return low - 1;
}
function sumUp(ranges) {
  const kinds = new Map();
  for (const r of ranges) {
    const key = r.kind + " " + r.dtype, k = kinds.get(key) || { ...r, bytes: 0, n: 0 };
    k.bytes += r.to - r.from;
    k.n += r.n;
    kinds.set(key, k);
  }
  return [...kinds.values()];
}
function swatch(name) {
  const svg = draw("svg", { viewBox: "0 0 12 12", width: 12, height: 12, "aria-hidden": "true" }, "swatch");
  svg.append(draw("rect", { x: 0, y: 0, width: 12, height: 12, rx: 2 }, name));
  return svg;
}
function bar(name, part, whole) {
  const svg = draw("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" }, "bar");
  svg.append(draw("rect", { x: 0, y: 0, width: whole > 0 ? Math.max(0.5, 100 * part / whole) : 0, height: 8 }, name));
  return svg;
}
function layoutOf(data) {
  const whole = number(data.verdict.file?.size);
  if (!data.views?.map.length || !(whole > 0)) return null;
  const ranges = rangesOf(data, whole);
  const map = new Picture(ranges, placedOf(data), data.verdict.findings, whole);
  const legend = sumUp(ranges).map((k) => [make("span", "key", swatch(k.name), " ", KINDS[k.kind] + (k.dtype ? " " + k.dtype : "")),
    bar(k.name, k.bytes, whole), k.bytes, make("span", "num", percent(k.bytes, whole)), k.n]);
  return section("Layout", map.node, table("legend", ["what", "", "bytes", "share", "pieces"], legend));
}

// The file from its first byte to its last, to scale, or a part of it.  What is thinner than a pixel is a pixel, so that it is seen.
class Picture {
  constructor(ranges, tensors, findings, whole) {
    Object.assign(this, { ranges, tensors, whole, from: 0, to: whole, at: -1 });
    this.marks = findings.filter((f) => f.offset !== undefined).map((f) => ({ f, from: number(f.offset) })).filter((m) => m.from <= whole);
    this.things = [...ranges.filter((r) => r.kind !== "tensor" || !tensors.length), ...tensors].sort((a, b) => a.from - b.from);
    this.svg = draw("svg", { height: 64, preserveAspectRatio: "none", tabindex: 0, role: "img",
      "aria-label": "Layout of the file to scale; arrow keys go from part to part, plus and minus zoom" }, "map");
    this.svg.addEventListener("pointermove", (e) => this.point(e.clientX));
    this.svg.addEventListener("pointerleave", () => this.tell(null));
    this.svg.addEventListener("keydown", (e) => this.key(e));
    this.ends = [make("span", ""), make("span", "")];
    this.readout = make("p", "readout");
    this.readout.setAttribute("aria-live", "polite");
    const zoom = (by) => () => this.zoom(by, (this.from + this.to) / 2);
    this.node = make("div", "picture", this.svg, make("div", "axis", this.ends[0],
      make("span", "zoom", button("\u2212", "", zoom(2)), button("+", "", zoom(0.5)), button("all", "", () => this.show(0, this.whole))), this.ends[1]),
      this.readout);
    this.node.querySelectorAll("button").forEach((b, i) => b.setAttribute("aria-label", ["zoom out", "zoom in", "show all"][i]));
    new ResizeObserver(() => this.paint()).observe(this.node);
    this.tell(null);
  }
  show(from, to) {
    this.from = Math.max(0, from);
    this.to = Math.min(this.whole, Math.max(to, this.from + 1));
    this.paint();
  }
  zoom(by, around) {
    const span = Math.min(this.whole, Math.max(16, (this.to - this.from) * by));
    const share = (around - this.from) / (this.to - this.from);
    const from = Math.min(Math.max(0, around - span * share), this.whole - span);
    this.show(from, from + span);
  }
  x(at) { return (at - this.from) / (this.to - this.from) * this.width; }
  paint() {
    const width = this.svg.clientWidth || 800;
    this.width = width;
    this.svg.setAttribute("viewBox", "0 0 " + width + " 64");
    this.svg.replaceChildren(draw("rect", { x: 0, y: 14, width, height: 44 }, "ground"));
    this.paintRanges();
    this.paintTensors();
    for (const m of this.marks) if (m.from >= this.from && m.from <= this.to) this.paintMark(m);
    if (this.at >= 0) this.paintCursor(this.things[this.at]);
    this.ends[0].textContent = this.from === 0 ? "0" : "byte " + grouped(this.from);
    this.ends[1].textContent = this.to === this.whole ? size(this.whole) : "byte " + grouped(this.to);
  }
  paintRanges() {
    const thin = new Map();
    for (const r of this.ranges) {
      if (r.to <= this.from || r.from >= this.to) continue;
      const x0 = Math.max(0, this.x(r.from)), x1 = Math.min(this.width, this.x(r.to));
      if (x1 - x0 >= 1) this.svg.append(draw("rect", { x: x0, y: 14, width: x1 - x0, height: 44 }, r.name));
      else {
        const cell = Math.min(Math.floor(x0), Math.floor(this.width) - 1), other = thin.get(cell);
        if (!other || LOUD[r.kind] || (!LOUD[other.kind] && r.to - r.from > other.to - other.from)) thin.set(cell, r);
      }
    }
    for (const [x, r] of thin) this.svg.append(draw("rect", { x, y: LOUD[r.kind] ? 10 : 14, width: LOUD[r.kind] ? 2 : 1, height: LOUD[r.kind] ? 52 : 44 }, r.name));
  }
  paintTensors() {
    let last = -3;
    for (const t of this.tensors) {
      const x = this.x(t.from);
      if (x < 0 || x > this.width || x - last < 3) continue;
      this.svg.append(draw("rect", { x: x - 0.25, y: 14, width: 0.5, height: 44 }, "edge"));
      last = x;
    }
  }
  paintMark(m) {
    const x = Math.min(Math.max(5, this.x(m.from)), this.width - 5);
    this.svg.append(draw("path", { d: "M" + (x - 5) + " 1h10l-5 10z" }, "mark " + (WORDS[m.f.action] ? m.f.action : "review")));
  }
  paintCursor(t) {
    const x0 = Math.max(0, this.x(t.from)), x1 = Math.min(this.width, this.x(t.to));
    this.svg.append(draw("rect", { x: x0, y: 12, width: Math.max(2, x1 - x0), height: 48 }, "cursor"));
  }
  point(clientX) {
    const box = this.svg.getBoundingClientRect(), px = clientX - box.left;
    const at = this.from + px / box.width * (this.to - this.from), slack = 5 / box.width * (this.to - this.from);
    const mark = this.marks.find((m) => Math.abs(m.from - at) <= slack);
    this.tell(this.thingAt(at), mark);
  }
  thingAt(at) {
    const t = this.tensors[lastBefore(this.tensors, at)];
    if (t && at < t.to) return t;
    const r = this.ranges[lastBefore(this.ranges, at)];
    return r && at < r.to ? r : null;
  }
  tell(thing, mark) {
    this.readout.replaceChildren();
    if (!thing) {
      this.readout.append("Point at a part, or use the arrow keys, to see what it is.");
      return;
    }
    if (thing.t) this.readout.append(bytes(thing.t.name), " " + thing.t.dtype + " [" + (thing.t.shape || []).join(", ") + "]");
    else this.readout.append(KINDS[thing.kind] + (thing.dtype ? " " + thing.dtype : "") + (thing.n > 1 ? ", " + grouped(thing.n) + " pieces" : ""));
    this.readout.append(make("span", "quiet", DOT + size(thing.to - thing.from) + ", bytes " + grouped(thing.from) + " to " + grouped(thing.to - 1)));
    if (mark) this.readout.append(make("span", "v", DOT + mark.f.code));
  }
  key(e) {
    const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
    const t = this.things[this.at];
    if (e.key in steps) this.at = Math.min(this.things.length - 1, Math.max(0, this.at + steps[e.key]));
    else if (e.key === "+" || e.key === "-") this.zoom(e.key === "+" ? 0.5 : 2, t ? t.from : (this.from + this.to) / 2);
    else if (e.key === "0") this.show(0, this.whole);
    else return;
    e.preventDefault();
    e.stopPropagation();
    if (e.key in steps) {
      const now = this.things[this.at];
      if (now.from < this.from || now.from >= this.to) this.show(now.from - (this.to - this.from) / 2, now.from + (this.to - this.from) / 2);
      else this.paint();
      this.tell(now);
    }
  }
}

// ---- weights ----

function dtypesOf(data) {
  const counts = data.verdict.facts?.tensors_by_dtype;
  if (!counts) return null;
  const known = data.views ? rangesOf(data, number(data.verdict.file.size)) : [];
  const rows = Object.keys(counts).map((dtype) => {
    const mine = known.filter((r) => r.dtype === dtype);
    return { dtype, n: number(counts[dtype]), name: mine.length ? mine[0].name : "t0", bytes: mine.reduce((sum, r) => sum + r.to - r.from, 0) };
  });
  const measured = rows.every((r) => r.bytes > 0), of = (r) => (measured ? r.bytes : r.n);
  rows.sort((a, b) => of(b) - of(a));
  const most = Math.max(...rows.map(of));
  return section("Types of tensors", table("legend", ["type", "", measured ? "bytes" : "", "tensors"],
    rows.map((r) => [make("span", "key", swatch(r.name), " ", bytes(r.dtype)), bar(r.name, of(r), most), measured ? r.bytes : "", r.n])));
}
function weightsOf(verdict) {
  const w = verdict.weights;
  if (!w || !number(w.tensors)) return null;
  const bad = w.nonfinite || [], count = (value) => number(value) || 0;
  return section("Weights", table("legend", ["tensors", "elements", "NaN", "+Inf", "\u2212Inf", "invalid booleans"],
    [[count(w.tensors), count(w.elements), count(w.nan), count(w.pos_inf), count(w.neg_inf), count(w.bool_invalid)]]),
    bad.length ? growing("legend", ["tensor", "type", "NaN", "+Inf", "\u2212Inf", "invalid booleans", "first at byte"], bad, (r) => [bytes(r.tensor), r.dtype,
      count(r.nan), count(r.pos_inf), count(r.neg_inf), count(r.bool_invalid), count(r.first_offset ?? r.member_offset)], TENSORS_AT_ONCE)
      : count(w.elements) ? make("p", "quiet", "Every element that was examined is finite.") : null,
    number(w.nonfinite_omitted) > 0 ? make("p", "note", plural(number(w.nonfinite_omitted), "more tensor") + " with such elements.") : null);
}
function tensorTable(data) {
  const all = tensorsOf(data), mappings = (data.tensors || []).filter((t) => t.file !== undefined), known = (data.tensors || []).length;
  const notes = [data.rows > known ? "The page has the first " + grouped(known) + " of " + grouped(data.rows) + "; scan --tensors lists all." : "",
    data.listed === false && data.rows > 0 ? "Not all tensors of this file are known." : ""].filter((n) => n);
  const toRow = (t) => [bytes(t.name), bytes(t.dtype), "[" + (t.shape || []).join(", ") + "]",
    t.offsets ? number(t.offsets[1]) - number(t.offsets[0]) : "", t.offsets ? number(t.offsets[0]) : "", t.member !== undefined ? bytes(t.member) : ""];
  return [all.length ? section("Tensors", notes.map((n) => make("p", "note", n)),
    growing("legend", ["name", "type", "shape", "bytes", "first byte", "in"], all, toRow, TENSORS_AT_ONCE)) : null,
  mappings.length ? section("What it says about other files",
    growing("legend", ["tensor", "is in"], mappings, (t) => [bytes(t.name), bytes(t.file)], TENSORS_AT_ONCE)) : null];
}

// ---- members, sets, the scan ----

function membersOf(views) {
  const all = views?.members || [];
  if (!all.length) return null;
  const toRow = (m) => {
    const path = make("span", "", bytes(m.path));
    path.style.paddingInlineStart = Math.min(8, m.path.split("!").length - 1) * 1.25 + "em";
    return [path, m.format || "not recognised", m.size === null ? "" : number(m.size), m.coding, m.understood ? "yes" : "no"];
  };
  return section("Members", growing("legend", ["path", "format", "bytes", "coding", "understood"], all, toRow, MEMBERS_AT_ONCE));
}
function setOf(verdict) {
  const folder = verdict.name || "";
  const toRow = (m) => {
    const entry = byName.get(shown(folder.endsWith("/") ? folder + m.name : folder + "/" + m.name));
    const word = make("span", "pill " + (WORST_FIRST.includes(m.verdict) ? m.verdict : "error"), make("span", "v", m.verdict));
    return [word, entry ? button(m.name, "link", () => open(entry)) : bytes(m.name), m.format || "", m.size === null ? "" : number(m.size)];
  };
  return section("Files of the set", growing("legend", ["verdict", "file", "format", "bytes"], verdict.members || [], toRow, MEMBERS_AT_ONCE));
}
function scanOf(verdict) {
  const s = verdict.scan, p = verdict.policy || {};
  return section("How it was judged", pairs(["Policy", p.name ? [bytes(p.name), " ", make("code", "", p.sha256)] : ""],
    ["Engine", s.engine], ["Rules", s.rules ? ["version " + s.rules_version + " ", make("code", "", s.rules)] : ""],
    ["Reader", s.reader ? s.reader.format + ", revision " + s.reader.revision : ""], ["At", s.time],
    ["Took", s.duration_ms === undefined ? "" : Number(s.duration_ms).toFixed(1) + " ms"], ["Bytes from", s.source], ["Digest taken by", s.digest_by],
    ["Cached", s.cached ? "facts of an earlier scan" : ""], ["Layers of the jail", (s.layers || []).join(", ")]));
}
function headOf(verdict) {
  const file = verdict.file || verdict, facts = verdict.facts || {};
  const bytesOf = (n) => (n === undefined || n === null ? "not known" : size(number(n)) + (number(n) >= 1000 ? " (" + grouped(number(n)) + " bytes)" : ""));
  const head = pairs(["SHA-256", file.sha256 ? make("code", "", file.sha256) : "not known"], ["Size", verdict.file ? bytesOf(file.size) : ""],
    ["Format", verdict.file ? verdict.format || "not known" : ""], ["Looks like", verdict.media_type],
    ["Examined", verdict.complete === undefined ? "" : verdict.complete ? "to its last byte" : "not whole"], ["Not judged because", verdict.scan.error],
    ["In words", verdict.scan.detail], ["Decided by", (verdict.reasons || []).join(", ")],
    ...Object.keys(facts).filter((k) => typeof facts[k] !== "object").map((k) => [k.replaceAll("_", " "), bytes(facts[k])]));
  head.classList.add("head");
  return head;
}

// ---- an entry ----

function render(entry) {
  const script = entry.querySelector(":scope > script");
  if (!script || entry.dataset.made) return;
  entry.dataset.made = "1";
  const data = JSON.parse(script.textContent), v = data.verdict;
  const parts = [headOf(v), findingsOf(data), callsOf(data), layoutOf(data), dtypesOf(data), weightsOf(v), tensorTable(data), membersOf(data.views),
    v.members?.length ? setOf(v) : null, scanOf(v)];
  entry.querySelector(":scope > .plain").replaceWith(make("div", "all", parts.flat()));
}
function open(entry) {
  entry.hidden = false;
  entry.open = true;
  entry.scrollIntoView({ block: "start" });
  entry.querySelector("summary").focus({ preventScroll: true });
}

// ---- the list ----

const list = document.getElementById("entries"), entries = [...list.children];
const nameOf = (entry) => entry.querySelector(".name").textContent;
const byName = new Map(entries.map((e) => [nameOf(e), e]));
const words = new Map(entries.map((e) => [e, [".entry > summary", ".plain"].map((s) => e.querySelector(s).textContent).join(" ").toLowerCase()]));
const hidden = new Set();
const search = make("input", "");
const order = make("select", "", ["worst first", "as scanned", "by name", "largest first"].map((o) => make("option", "", o)));
const count = make("output", "quiet");

function filter() {
  const wanted = search.value.toLowerCase().split(/\s+/).filter((w) => w);
  let n = 0;
  for (const e of entries) {
    e.hidden = hidden.has(e.dataset.verdict) || !wanted.every((w) => words.get(e).includes(w));
    n += e.hidden ? 0 : 1;
  }
  count.textContent = n === entries.length ? "" : grouped(n) + " of " + grouped(entries.length) + " shown";
}
function sort() {
  const ways = [(a, b) => WORST_FIRST.indexOf(a.dataset.verdict) - WORST_FIRST.indexOf(b.dataset.verdict), null,
    (a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0), (a, b) => Number(b.dataset.size) - Number(a.dataset.size)];
  const way = ways[order.selectedIndex];
  const main = list.parentNode;
  list.remove(); // moving many lines costs seconds while somebody looks
  list.append(...(way ? [...entries].sort(way) : entries));
  main.append(list);
}
function tools() {
  search.type = "search";
  search.placeholder = "Search names, formats, findings";
  search.setAttribute("aria-label", "Search ( / )");
  search.addEventListener("input", filter);
  order.setAttribute("aria-label", "Order");
  order.addEventListener("change", sort);
  if (entries.length > 1) document.getElementById("tools").append(search, order, count, make("span", "keys", "/ search, j and k next and previous"));
  for (const li of document.querySelectorAll("#totals > li")) {
    const b = button("", "", () => {
      const off = b.getAttribute("aria-pressed") === "true";
      b.setAttribute("aria-pressed", off ? "false" : "true");
      if (off) hidden.add(li.dataset.verdict); else hidden.delete(li.dataset.verdict);
      filter();
    });
    b.append(...li.childNodes);
    b.setAttribute("aria-pressed", "true");
    b.title = "Show or hide";
    li.append(b);
  }
}
function step(by) {
  const seen = [...list.children].filter((e) => !e.hidden), now = document.activeElement?.closest?.(".entry");
  const next = seen[Math.min(seen.length - 1, Math.max(0, seen.indexOf(now) + by))];
  if (!next) return;
  next.querySelector("summary").focus();
  next.scrollIntoView({ block: "nearest" });
}
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.target === search && e.key === "Escape") { search.value = ""; filter(); search.blur(); }
  if (e.target instanceof HTMLInputElement || e.target instanceof HTMLSelectElement) return;
  if (e.key === "/" && entries.length > 1) { e.preventDefault(); search.focus(); }
  if (e.key === "j") step(1);
  if (e.key === "k") step(-1);
});
list.addEventListener("toggle", (e) => { if (e.target.open && e.target.classList.contains("entry")) render(e.target); }, true);

tools();
sort();
if (entries.length === 1) entries[0].open = true;
for (const e of entries) if (e.open) render(e);
})();
