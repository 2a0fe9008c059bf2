// weighlock for Node: the contract of clients/python, in its own modules only.
'use strict';
const { spawn } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Readable } = require('node:stream');
const { promisify } = require('node:util');
const wire = require('./wire.js');

const SOCKET = '/run/weighlock/weighlock.sock';
const TIMEOUT_MS = 3600000; // for one call, with all of its waiting
const PAUSE_MAX_MS = 30000;
const BUILT_IN = ['default', 'ci', 'reference', 'strict'];
const SCHEMA = 'weighlock.verdict/1';

class WeighlockError extends Error {
  constructor(...of) {
    super(...of);
    this.name = this.constructor.name;
  }
}

// Judged, and not accepted.
class Rejected extends WeighlockError {
  constructor(verdict, why) {
    const codes = verdict ? [...new Set(verdict.findings.filter((f) => f.action !== 'accept').map((f) => f.code))].join(', ') : '';
    super(verdict ? `${verdict.name}: ${verdict.verdict}${codes ? ` (${codes})` : ''}` : why);
    this.verdict = verdict;
  }
}

// There is no verdict.  retryAfter: seconds until asking again may help; null: it will not help.
class NotJudged extends WeighlockError {
  constructor(why, retryAfter = null, verdict = null) {
    super(why);
    this.retryAfter = retryAfter;
    this.verdict = verdict;
  }
}

// There is nobody here who could judge; the message says what to do about it.
class Unavailable extends WeighlockError {}

// An integer of the interface: those above 2^53-1 come as decimal strings, and become a BigInt.
function number(value) {
  if (Number.isInteger(value)) return value;
  return typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : null;
}

const part = (document, key) => (document[key] !== null && typeof document[key] === 'object' ? document[key] : {});
const rows = (document, key) => (Array.isArray(document[key]) ? document[key].filter((r) => r !== null && typeof r === 'object') : []);

// About one file.  Only `accepted` is accept: `verdict` can be a word that this version does not know.
class Verdict {
  constructor(raw) {
    const file = part(raw, 'file');
    this.verdict = String(raw.verdict);
    this.complete = raw.complete === true;
    this.name = file.name ?? null;
    this.size = number(file.size);
    this.sha256 = file.sha256 ?? null;
    this.format = raw.format ?? null;
    this.policy = part(raw, 'policy').name ?? null;
    this.reasons = Array.isArray(raw.reasons) ? raw.reasons.map(String) : [];
    this.findings = rows(raw, 'findings');
    this.weights = raw.weights ?? null;
    this.tensors = 'tensors' in raw ? rows(raw, 'tensors') : null;
    this.tensorsListed = raw.tensors_listed === true;
    Object.defineProperty(this, 'raw', { value: raw });
  }

  get accepted() {
    return this.verdict === 'accept' && this.complete && this.raw.schema === SCHEMA;
  }

  require() {
    if (!this.accepted) throw new Rejected(this);
    return this;
  }
}

// Accept needs proof: a whole scan of the bytes that were given.
function judged(raw, name, size, sha256) {
  const verdict = new Verdict(raw);
  if (raw.schema !== SCHEMA) throw new NotJudged(`${name}: the verdict's schema is ${raw.schema}`);
  if (verdict.verdict === 'error') {
    const scan = part(raw, 'scan');
    throw new NotJudged(`${name}: the scan did not finish: ${scan.error}${scan.detail ? ` (${scan.detail})` : ''}`, scan.retry === 'never' ? null : 1, verdict);
  }
  if (verdict.verdict === 'accept' && !(verdict.complete && Number(verdict.size) === size && /^[0-9a-f]{64}$/.test(verdict.sha256)
      && (sha256 === null || verdict.sha256 === sha256))) {
    throw new NotJudged(`${name}: accept, but not of the bytes that were given`, 1);
  }
  return verdict;
}

// ---- what is judged: a path, bytes, or a stream that can be read once ----

const read = promisify(fs.read);

async function* blocks(file) {
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await read(file, Buffer.allocUnsafe(1 << 18), 0, 1 << 18, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function open(input, name) {
  if (typeof input === 'string' || input instanceof URL) {
    const file = fs.openSync(input, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
    const stat = fs.fstatSync(file);
    if (!stat.isFile()) {
      fs.closeSync(file);
      throw new TypeError(`${input} is no regular file`);
    }
    const bodies = [];
    const close = async () => { // not while one is still reading: the number may be another file's by then
      await Promise.all(bodies.map((b) => b.closed || new Promise((resolve) => { b.destroy(); b.once('close', resolve); })));
      fs.closeSync(file);
    };
    const body = () => {
      bodies.push(Readable.from(blocks(file), { objectMode: false }).on('error', () => {}));
      return bodies[bodies.length - 1];
    };
    return { name: name ?? path.basename(String(input)), fd: file, size: stat.size, again: true, body, close };
  }
  if (input instanceof Uint8Array) {
    return { name: name ?? '-', size: input.length, again: true, body: () => Readable.from(input.length > 0 ? [input] : [], { objectMode: false }), close() {} };
  }
  const body = input instanceof Readable ? input : Readable.from(input); // also a web stream, or anything that gives bytes
  return { name: name ?? '-', again: false, body: () => body, close: () => body.destroy() };
}

// As the interface takes names: at most 1024 bytes of UTF-8.
function shown(name) {
  let text = name.toWellFormed ? name.toWellFormed() : name;
  while (Buffer.byteLength(text) > 1024) text = [...text].slice(0, -1).join('');
  return text || '-';
}

// ---- the time there is ----

function deadlineOf({ timeout = TIMEOUT_MS, signal }) {
  const own = AbortSignal.timeout(timeout);
  const both = new AbortController();
  const end = (from) => () => both.abort(from.reason);
  const listeners = [own, signal].filter(Boolean).map((s) => [s, end(s)]);
  for (const [s, listener] of listeners) {
    if (s.aborted) listener(); else s.addEventListener('abort', listener, { once: true });
  }
  return { signal: both.signal, until: Date.now() + timeout, outOfTime: () => own.aborted && !(signal && signal.aborted),
    done: () => listeners.forEach(([s, listener]) => s.removeEventListener('abort', listener)) };
}

function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => { clearTimeout(timer); reject(signal.reason); }, { once: true });
  });
}

// Whatever a call ends with: what the caller's signal says, or one of our errors.
async function within(options, call) {
  const deadline = deadlineOf(options);
  try {
    return await call(deadline);
  } catch (e) {
    if (options.signal && options.signal.aborted) throw options.signal.reason;
    if (deadline.outOfTime()) throw new NotJudged('out of time', 1);
    throw e;
  } finally {
    deadline.done();
  }
}

// ---- who judges ----

function findCommand() {
  if (process.env.WEIGHLOCK_COMMAND) return process.env.WEIGHLOCK_COMMAND;
  const folders = (process.env.PATH || '').split(':').filter((f) => path.isAbsolute(f));
  return folders.map((f) => path.join(f, 'weighlock')).find((f) => {
    try {
      fs.accessSync(f, fs.constants.X_OK);
      return true;
    } catch {
      return false;
    }
  }) ?? null;
}

// A daemon that was named, or is there, and does not answer is never passed over: its operator's policy is not ours.
function findSocket(options) {
  if (process.platform !== 'linux') throw new Unavailable('weighlock judges files on Linux only: ask on a Linux machine, or in a container');
  return options.socket ?? process.env.WEIGHLOCK_SOCKET ?? (fs.existsSync(SOCKET) ? SOCKET : '');
}

function needCommand() {
  const program = findCommand();
  if (program === null) {
    throw new Unavailable('no daemon, and no program that judges: install the package weighlock, start weighlockd '
      + `(its socket is ${SOCKET}), or name a program in WEIGHLOCK_COMMAND`);
  }
  return program;
}

function policyOf(policy) {
  return policy === undefined || BUILT_IN.includes(policy) ? policy : path.resolve(policy);
}

// 429 and 503 are waited for, as long as there is time for it, and the question can be asked again.
async function askDaemon(socket, question, again, deadline) {
  for (let pause = 1000; ; pause = Math.min(2 * pause, PAUSE_MAX_MS)) {
    try {
      return await wire.ask({ socket, ...question(), signal: deadline.signal });
    } catch (e) {
      if (deadline.signal.aborted) throw e;
      if (e.syscall === 'connect') {
        throw new Unavailable(`no daemon answers at ${socket} (${e.code}): start weighlockd, name another socket in WEIGHLOCK_SOCKET, `
          + 'or set it to nothing to judge without a daemon');
      }
      if (!(e instanceof wire.Problem)) throw new NotJudged(`no answer from the daemon: ${e.message}`, 1);
      if (e.type === 'forbidden') throw new Unavailable(`the daemon at ${socket} does not serve this user: ${e.message}`);
      const wait = Math.max(e.after * 1000, pause);
      if (!again || !e.later || ![429, 503].includes(e.status) || Date.now() + wait > deadline.until) {
        throw Object.assign(new NotJudged(e.message, e.later ? wait / 1000 : null), { status: e.status });
      }
      await sleep(wait, deadline.signal);
    }
  }
}

async function scanByDaemon(socket, file, options, deadline) {
  const target = `/v1/scan${wire.query({ name: shown(file.name), policy: options.policy, sha256: options.sha256,
    tensors: options.tensors || options.tensorDigests ? 1 : undefined, tensor_digests: options.tensorDigests ? 1 : undefined })}`;
  const most = options.tensors || options.tensorDigests ? wire.LISTED_MAX : wire.LINE_MAX;
  const answer = await askDaemon(socket, () => ({ method: 'POST', target, body: file.body(), size: file.size, most }), file.again, deadline);
  if (!answer.stream) throw new NotJudged('the answer is not the stream that was asked for', 1);
  return judged(answer.document, file.name, answer.size, answer.sha256);
}

// Run a program.  What it wrote, and its status.
function run(program, argv, stdin, signal, most) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { stdio: [typeof stdin === 'number' ? stdin : stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'], signal });
    let said = '';
    child.on('error', (e) => reject(e.syscall && e.syscall.startsWith('spawn') ? new Unavailable(`${program} cannot be run: ${e.message}`) : e));
    child.stderr.on('data', (block) => { if (said.length < 65536) said += block; });
    if (stdin && typeof stdin !== 'number') {
      child.stdin.on('error', () => {}); // one that has read enough
      stdin.on('error', (e) => { child.kill('SIGKILL'); reject(e); });
      stdin.pipe(child.stdin);
    }
    const ended = new Promise((end) => { child.on('close', end); });
    most(child.stdout).then((made) => ended.then((status) => resolve({ made, status, said: said.trim() })), (e) => { child.kill('SIGKILL'); reject(e); });
  });
}

async function scanByCommand(file, options, deadline) {
  const program = needCommand();
  const argv = ['scan', '--format=json', '--no-progress', '--color=never', `--name=${shown(file.name)}`];
  const policy = policyOf(options.policy);
  if (policy !== undefined) argv.push(`--policy=${policy}`);
  if (options.tensorDigests || options.tensors) argv.push(options.tensorDigests ? '--tensor-digests' : '--tensors');
  const sent = { size: 0, digest: crypto.createHash('sha256') };
  let stdin = file.fd;
  if (stdin === undefined) {
    stdin = file.body();
    stdin.on('data', (block) => { sent.digest.update(block); sent.size += block.length; });
  }
  let done;
  try {
    done = await run(program, [...argv, '--', '-'], stdin, deadline.signal, (out) => wire.readLines(out, wire.LISTED_MAX));
  } catch (e) {
    throw e instanceof wire.Broken ? new NotJudged(`weighlock: ${e.message}`, 1) : e;
  }
  if (done.made.length === 0 && done.status === 2) throw new Unavailable(`${done.said || 'nothing can be judged here'}; \`${program} doctor\` tells what this machine lacks`);
  if (done.made.length !== 1) throw new NotJudged(done.said || `weighlock ended with ${done.status}`);
  const own = file.fd === undefined;
  return judged(done.made[0], file.name, own ? sent.size : file.size, own ? sent.digest.digest('hex') : options.sha256 ?? null);
}

// ---- the interface ----

async function scan(input, options = {}) {
  return within(options, async (deadline) => {
    const socket = findSocket(options);
    const file = open(input, options.name);
    try {
      return socket ? await scanByDaemon(socket, file, options, deadline) : await scanByCommand(file, options, deadline);
    } finally {
      await file.close();
    }
  });
}

async function* scanMany(inputs, { atOnce = 4, ...options } = {}) {
  const waiting = [];
  const one = (input) => scan(input, options).then((verdict) => ({ input, verdict }), (error) => ({ input, error }));
  for await (const input of inputs) {
    waiting.push(one(input));
    if (waiting.length >= atOnce) yield await waiting.shift();
  }
  while (waiting.length > 0) yield await waiting.shift();
}

async function stored(sha256, options = {}) {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new TypeError('a SHA-256 is 64 lower-case hex digits');
  return within(options, async (deadline) => {
    const socket = findSocket(options);
    if (!socket) throw new Unavailable("only a daemon keeps verdicts (store: on in weighlockd's configuration); none answers here");
    const target = `/v1/verdicts/${sha256}${wire.query({ name: options.name && shown(options.name), policy: options.policy })}`;
    for (;;) {
      let answer;
      try {
        answer = await askDaemon(socket, () => ({ method: 'GET', target }), true, deadline);
      } catch (e) {
        if (e.status === 404) return null;
        throw e;
      }
      if (answer.status === 200) {
        const verdict = new Verdict(answer.document);
        if (verdict.sha256 !== sha256) throw new NotJudged('the kept verdict is about other bytes');
        return verdict;
      }
      await sleep(1000 * Number(answer.headers['retry-after'] || 1), deadline.signal); // it is being scanned right now
    }
  });
}

// The command copies, judges the copy, and names it: `weighlock admit`.
async function admit(file, options = {}) {
  return within(options, async (deadline) => {
    const into = options.into ?? path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'), 'weighlock');
    const socket = findSocket(options);
    const policy = socket ? options.policy : policyOf(options.policy);
    fs.mkdirSync(path.dirname(into), { recursive: true, mode: 0o700 }); // the command makes the last folder only
    const argv = ['admit', '--into', into, ...(socket ? ['--socket', socket] : []), ...(policy !== undefined ? [`--policy=${policy}`] : []), '--', file];
    const collect = async (out) => {
      const blocks = [];
      for await (const block of out) blocks.push(block);
      return Buffer.concat(blocks).toString();
    };
    const { made, status, said } = await run(needCommand(), argv, null, deadline.signal, collect);
    const found = /\/sha256\/([0-9a-f]{2})\/([0-9a-f]{62})\/[^/]+\n$/.exec(made);
    if (status === 1) throw new Rejected(null, said || `${file} was not accepted`);
    if (status !== 0 || !found) throw new NotJudged(said || `weighlock ended with ${status}`, status === 2 ? 1 : null);
    return { path: made.slice(0, -1), sha256: found[1] + found[2] };
  });
}

module.exports = { scan, scanMany, stored, admit, Verdict, WeighlockError, Rejected, NotJudged, Unavailable };
