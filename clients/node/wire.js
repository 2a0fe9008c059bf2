// The daemon's protocol (docs/api.md): one question, and an answer that is believed only whole.
'use strict';
const crypto = require('node:crypto');
const http = require('node:http');
const { pipeline } = require('node:stream');

const LINE_MAX = 16 << 20; // of a verdict 1 MiB is the rule
const LISTED_MAX = 256 << 20; // with a list of tensors: half of what a string may be
const SILENCE_MS = 60000; // without a byte: the daemon says something every five seconds

// The answer is not one, or did not come.
class Broken extends Error {}

// Why there is no verdict (RFC 9457).
class Problem extends Error {
  constructor(document, status, headers) {
    super(`${status}: ${document.title || 'refused'}: ${document.detail || ''}`);
    this.status = status;
    this.type = String(document.type).split(':').pop();
    this.later = document.retry === 'later';
    this.after = /^\d{1,9}$/.test(headers['retry-after'] || '') ? Number(headers['retry-after']) : 0;
  }
}

// JSON.parse() takes the last of two members of one name, and others take the first.
function refuseTwice(text) {
  const open = [];
  let names = null; // of the object that is open; null: an array
  let isName = false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/g)) {
    if (token === '{' || token === '[') {
      open.push(names);
      names = token === '{' ? new Set() : null;
      isName = names !== null;
    } else if (token === '}' || token === ']') {
      names = open.pop();
      isName = false;
    } else if (token === ',') {
      isName = names !== null;
    } else if (isName) {
      const name = JSON.parse(token);
      if (names.has(name)) throw new Broken('a name comes twice in the answer');
      names.add(name);
      isName = false;
    }
  }
}

function parse(text) {
  let document;
  try {
    document = JSON.parse(text);
  } catch (e) {
    throw new Broken(`the answer is not JSON: ${e.message}`);
  }
  if (document === null || typeof document !== 'object' || Array.isArray(document)) throw new Broken('the answer is no JSON object');
  refuseTwice(text);
  return document;
}

// Documents of lines, each with its end.
async function readLines(stream, most) {
  const documents = [];
  let held = [];
  let bytes = 0;
  for await (const block of stream) {
    let rest = block;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      documents.push(parse(Buffer.concat([...held, rest.subarray(0, at)]).toString()));
      held = [];
      bytes = 0;
      rest = rest.subarray(at + 1);
    }
    held.push(rest);
    bytes += rest.length;
    if (bytes > most) throw new Broken('a line of the answer is too long');
  }
  if (bytes > 0) throw new Broken('the last line has no end');
  return documents;
}

// The one document that is no progress, and the last.
function decided(documents) {
  const verdicts = documents.filter((d) => !('event' in d));
  if (verdicts.length !== 1 || verdicts[0] !== documents[documents.length - 1]) throw new Broken('the answer has no verdict, or something follows it');
  if (documents.some((d) => 'event' in d && 'verdict' in d)) throw new Broken('a line is progress and a verdict at once');
  return verdicts[0];
}

async function readAnswer(reply, most) {
  const type = reply.headers['content-type'];
  const stream = type === 'application/x-ndjson';
  if (reply.headers['transfer-encoding'] !== 'chunked' && !('content-length' in reply.headers)) throw new Broken('the answer has no length');
  let document;
  if (stream) {
    document = decided(await readLines(reply, most));
  } else {
    const blocks = [];
    let bytes = 0;
    for await (const block of reply) {
      blocks.push(block);
      bytes += block.length;
      if (bytes > most) throw new Broken('the answer is too long');
    }
    document = parse(Buffer.concat(blocks).toString());
  }
  if (!reply.complete) throw new Broken('the answer was cut');
  if (String(document.type).startsWith('urn:weighlock:problem:')) {
    throw new Problem(document, Number.isInteger(document.status) ? document.status : reply.statusCode, reply.headers);
  }
  if (reply.statusCode === 202) return { status: 202, document, stream, headers: reply.headers };
  if (reply.statusCode !== 200 || !('verdict' in document)) throw new Broken(`the answer is ${reply.statusCode}`);
  return { status: 200, document, stream, headers: reply.headers };
}

function query(values) {
  const pairs = Object.entries(values).filter(([, v]) => v !== undefined && v !== null).map(([k, v]) => `${k}=${encodeURIComponent(v)}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

// Ask once.  `body`: a Readable, sent when the daemon wants it; `size`: of it, undefined where nobody knows.  The answer has
// `sent`: how many bytes went out, and their digest.
function ask({ socket, method, target, body, size, signal, silence, most = LINE_MAX }) {
  const sent = { size: 0, digest: crypto.createHash('sha256') };
  const headers = { Accept: 'application/x-ndjson' };
  if (body) Object.assign(headers, { Expect: '100-continue' }, size === undefined ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': size });
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath: socket, method, path: target, agent: false, headers, signal, timeout: silence || SILENCE_MS });
    request.on('timeout', () => request.destroy(new Broken('the daemon is silent')));
    request.on('error', reject);
    request.on('continue', () => pipeline(body, async function* tee(blocks) {
      for await (const block of blocks) {
        sent.digest.update(block);
        sent.size += block.length;
        yield block;
      }
    }, request, (e) => { if (e) reject(e); }));
    request.on('response', (reply) => readAnswer(reply, most).then((answer) => {
      resolve({ ...answer, size: sent.size, sha256: sent.digest.digest('hex') });
    }, reject).finally(() => request.destroy()));
    if (body) request.flushHeaders(); else request.end();
  }).finally(() => { if (body) body.destroy(); });
}

module.exports = { ask, query, readLines, Broken, Problem, LINE_MAX, LISTED_MAX };
