// look.js MODULES CHROMIUM PAGE FOLDER [few]: opens the page as people do, and prints as JSON what a browser made of it; pictures go
// into FOLDER.  MODULES: where puppeteer-core is.  few: not every line is opened.
const { createRequire } = require('module');
const [modules, chromium, page, folder, few] = process.argv.slice(2);
const puppeteer = createRequire(modules + '/')('puppeteer-core');

const found = { console: [], errors: [], requests: [], dialogs: [], shots: [] };

async function listen(tab) {
  tab.on('console', (m) => found.console.push(m.type() + ': ' + m.text()));
  tab.on('pageerror', (e) => found.errors.push(String(e)));
  tab.on('request', (r) => { if (r.url() !== 'file://' + page) found.requests.push(r.url()); });
  tab.on('dialog', (d) => { found.dialogs.push(d.message()); d.dismiss(); });
}

// Until it was drawn.
async function load(tab) {
  const begun = Date.now();
  await tab.goto('file://' + page, { waitUntil: 'load' });
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return Date.now() - begun;
}

async function shoot(tab, name) {
  const path = folder + '/' + name + '.png';
  await tab.screenshot({ path });
  found.shots.push(path);
}

// In the page: every line opened, and what is there then.
function openAll() {
  for (const e of document.querySelectorAll('.entry')) e.open = true;
  return new Promise((done) => setTimeout(() => {
    for (const d of document.querySelectorAll('details')) d.open = true;
    for (const b of document.querySelectorAll('.more:not([hidden])')) b.click();
    requestAnimationFrame(() => requestAnimationFrame(() => done({
      tags: [...new Set([...document.querySelectorAll('*')].map((e) => e.tagName.toLowerCase()))].sort(),
      scripts: [...document.scripts].filter((s) => s.type !== 'application/json').length,
      handlers: [...document.querySelectorAll('*')].flatMap((e) => [...e.attributes]).filter((a) => /^on|^href|^src/.test(a.name)).length,
      text: document.body.innerText,
      rendered: document.querySelectorAll('.entry .all').length,
      entries: document.querySelectorAll('.entry').length,
      parts: [...document.querySelectorAll('svg.map')].map((s) => s.querySelectorAll('rect').length),
      marks: document.querySelectorAll('.hex mark').length,
    })));
  }, 0));
}

// WCAG 2.2, 1.4.3: of what says a verdict, against what it stands on.
function contrasts() {
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const numbers = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);
  const ground = light(numbers(getComputedStyle(document.getElementById('entries')).backgroundColor));
  return [...document.querySelectorAll('.entry > summary > .v, .entry > summary > .kind, .entry > summary > .why')].map((e) => {
    const own = light(numbers(getComputedStyle(e).color));
    return (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05);
  });
}

async function wide(tab) {
  found.ms = await load(tab);
  await shoot(tab, 'wide');
  found.open = await tab.evaluate(() => [...document.querySelectorAll('.entry')].filter((e) => e.open).length);
  found.first = await tab.evaluate(() => document.querySelector('.entry').dataset.verdict);
  found.light = Math.min(...await tab.evaluate(contrasts));
}

async function keyboard(tab) {
  if (await tab.evaluate(() => document.querySelectorAll('.entry').length) < 2) return;
  await tab.keyboard.press('j');
  await tab.keyboard.press('Enter');
  await tab.waitForFunction(() => document.activeElement.closest('.entry').querySelector('.all'));
  await tab.keyboard.press('/');
  await tab.keyboard.type('system');
  found.searched = await tab.evaluate(() => [...document.querySelectorAll('.entry:not([hidden]) .name')].map((e) => e.textContent));
  await tab.keyboard.press('Escape');
  await tab.click('#totals > .accept button');
  found.filtered = await tab.evaluate(() => [...document.querySelectorAll('.entry:not([hidden])')].map((e) => e.dataset.verdict));
  await tab.click('#totals > .accept button');
}

async function picture(tab) {
  const map = await tab.$('.entry[open] svg.map');
  if (!map) return;
  const all = await tab.$$eval('.entry[open] svg.map', (maps) => maps.map((m) => m.querySelectorAll('.edge').length));
  const most = (await tab.$$('.entry[open] svg.map'))[all.indexOf(Math.max(...all))];
  await most.evaluate((m) => m.scrollIntoView({ block: 'center' }));
  const box = await most.boundingBox();
  const readout = () => most.evaluate((m) => m.parentElement.querySelector('.readout').textContent);
  await tab.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
  found.pointed = await readout();
  await most.evaluate((m) => m.focus());
  await tab.keyboard.press('Home');
  found.home = await readout();
  await tab.keyboard.press('ArrowRight');
  found.next = await readout();
  await tab.keyboard.press('+');
  found.zoomed = await most.evaluate((m) => m.parentElement.querySelector('.axis').textContent);
}

async function phone(tab) {
  await tab.setViewport({ width: 360, height: 740, deviceScaleFactor: 1 });
  await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
  await load(tab);
  await shoot(tab, 'phone-dark');
  found.dark = Math.min(...await tab.evaluate(contrasts));
  await tab.evaluate(openAll);
  found.sideways = await tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

async function everything(tab) {
  found.all = await tab.evaluate(openAll);
  await picture(tab);
  found.printed = (await tab.pdf({ format: 'a4' })).length;
  await phone(tab);
}

async function main() {
  const browser = await puppeteer.launch({ executablePath: chromium, headless: true,
    args: ['--disable-gpu', '--no-first-run', ...(process.getuid() === 0 ? ['--no-sandbox'] : [])] });
  try {
    const tab = await browser.newPage();
    await listen(tab);
    await tab.setViewport({ width: 1280, height: 900, deviceScaleFactor: 1 });
    await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }]);
    await wide(tab);
    await keyboard(tab);
    if (!few) await everything(tab);
  } finally {
    await browser.close();
  }
  console.log(JSON.stringify(found));
}

main().catch((e) => { console.error(e); process.exit(1); });
