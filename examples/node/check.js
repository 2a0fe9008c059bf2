#!/usr/bin/env node
// Ask weighlockd about a file: Node, its own modules only.
//
//     check.js [--policy=NAME] [--attempts=N] [--silence=SECONDS] [--total=SECONDS] SOCKET FILE
//
// Uploads FILE while the daemon examines it, shows progress, asks again when that may help, and ends with
//
//     0 accept    1 reject    2 no verdict, or error    3 review, or a verdict this program does not know    4 usage
//
// Publish FILE on 0 and on nothing else.
'use strict';
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const path = require('path');

const LINE_MAX = 1 << 20; // bytes of a verdict; more is none of ours
const WAIT_MAX = 30; // seconds between two attempts

// Why there is no verdict, whether asking again may help, and when.
class NoVerdict extends Error {
  constructor(why, later = true, after = 0) {
    super(why);
    this.later = later;
    this.after = after;
  }
}

function parse(text) {
  let document;
  try {
    document = JSON.parse(text);
  } catch (e) {
    throw new NoVerdict(`the answer is not JSON: ${e.message}`);
  }
  if (document === null || typeof document !== 'object' || Array.isArray(document)) throw new NoVerdict('the answer is no JSON object');
  return document;
}

function problem(document, status, reply) {
  const after = /^\d{1,9}$/.test(reply.headers['retry-after']) ? Number(reply.headers['retry-after']) : 0;
  return new NoVerdict(`${status}: ${document.title}: ${document.detail || ''}`, document.retry === 'later', after);
}

// Lines as they come.  What is still held at the end is a line without its end.
class Lines {
  constructor(take) {
    this.take = take;
    this.held = Buffer.alloc(0);
  }

  feed(block) {
    let rest = Buffer.concat([this.held, block]);
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      this.take(rest.subarray(0, at).toString());
      rest = rest.subarray(at + 1);
    }
    if (rest.length > LINE_MAX) throw new NoVerdict('a line of the answer is too long');
    this.held = rest;
  }
}

// The stream's last line, once the stream came to its proper end.
async function readStream(reply) {
  let last = null;
  const lines = new Lines((line) => {
    if (last !== null) throw new NoVerdict('something follows the verdict');
    const document = parse(line);
    if ('event' in document) console.error('check:', line);
    else last = document;
  });
  for await (const block of reply) lines.feed(block); // throws when the connection is cut
  if (!reply.complete || lines.held.length > 0 || last === null) throw new NoVerdict('the stream ended without a verdict');
  if (!('verdict' in last)) throw problem(last, last.status, reply);
  return last;
}

async function readAnswer(reply) {
  const type = reply.headers['content-type'];
  if (reply.statusCode === 200 && type === 'application/x-ndjson') return readStream(reply);
  let text = '';
  for await (const block of reply) {
    text += block;
    if (text.length > LINE_MAX) throw new NoVerdict('the answer is too long');
  }
  if (reply.statusCode >= 400 && type === 'application/problem+json') throw problem(parse(text), reply.statusCode, reply);
  throw new NoVerdict(`the answer is ${reply.statusCode}`, reply.statusCode >= 500 || reply.statusCode === 200);
}

// Send the file once the daemon wants it.  `sent` says how many bytes went out, and digests them.
function upload(request, file, sent) {
  const stream = fs.createReadStream(file);
  stream.on('data', (block) => { sent.digest.update(block); sent.size += block.length; });
  stream.on('error', (e) => request.destroy(e));
  stream.pipe(request);
  return stream;
}

// One attempt, of `left` seconds at most: the verdict's document.
function ask(options, left) {
  const query = new URLSearchParams({ name: path.basename(options.file) });
  if (options.policy) query.set('policy', options.policy);
  const target = `/v1/scan?${query.toString().replace(/\+/g, '%20')}`;
  const sent = { size: 0, digest: crypto.createHash('sha256') };
  let stream = null;
  let timer = null;
  const answer = new Promise((resolve, reject) => {
    const size = fs.statSync(options.file).size;
    const request = http.request({ socketPath: options.socket, method: 'POST', path: target, agent: false, timeout: options.silence * 1000,
      headers: { 'Content-Length': size, 'Accept': 'application/x-ndjson', 'Expect': '100-continue' } });
    const giveUp = (why) => { const e = new NoVerdict(why); reject(e); request.destroy(e); };
    timer = setTimeout(() => giveUp('out of time'), left * 1000);
    request.on('timeout', () => giveUp('the daemon is silent'));
    request.on('error', (e) => reject(new NoVerdict(e.code || e.message)));
    request.on('continue', () => { stream = upload(request, options.file, sent); });
    request.on('response', (reply) => readAnswer(reply).then(resolve, reject).finally(() => request.destroy()));
    request.flushHeaders();
  });
  return answer.catch((e) => {
    throw e instanceof NoVerdict ? e : new NoVerdict(e.code || e.message); // a cut stream, for example
  }).then((verdict) => {
    const file = verdict.file || {};
    // accept needs proof: a whole scan of exactly the bytes that were sent.
    if (verdict.verdict === 'accept' && !(verdict.schema === 'weighlock.verdict/1' && verdict.complete === true
        && String(file.size) === String(sent.size) && file.sha256 === sent.digest.digest('hex'))) {
      throw new NoVerdict('accept, but not of the bytes that were sent');
    }
    return verdict;
  }).finally(() => { clearTimeout(timer); if (stream) stream.destroy(); });
}

async function attempt(options, left) {
  try {
    const verdict = await ask(options, left);
    if (verdict.verdict !== 'error') return verdict;
    const scan = verdict.scan || {};
    return new NoVerdict(`error: ${scan.error}`, scan.retry !== 'never');
  } catch (e) {
    return e;
  }
}

// Ask until there is a verdict, or no hope: the exit code.
async function check(options) {
  const deadline = Date.now() + options.total * 1000;
  for (let n = 0; n < options.attempts; n += 1) {
    const got = await attempt(options, (deadline - Date.now()) / 1000);
    if (!(got instanceof Error)) {
      console.log(JSON.stringify(got));
      return got.verdict === 'accept' ? 0 : got.verdict === 'reject' ? 1 : 3;
    }
    console.error('check:', got.message);
    const wait = Math.min(Math.max(got.after || 0, 2 ** n), WAIT_MAX);
    if (!got.later || n + 1 === options.attempts || Date.now() + wait * 1000 > deadline) break;
    await new Promise((resolve) => { setTimeout(resolve, wait * 1000); });
  }
  return 2;
}

function usage() {
  console.error('usage: check.js [--policy=NAME] [--attempts=N] [--silence=SECONDS] [--total=SECONDS] SOCKET FILE');
  process.exit(4);
}

const options = { policy: '', attempts: 4, silence: 60, total: 3600 };
const words = [];
for (const word of process.argv.slice(2)) {
  const option = /^--(policy|attempts|silence|total)=(.+)$/.exec(word);
  if (option) options[option[1]] = option[1] === 'policy' ? option[2] : Number(option[2]);
  else if (word.startsWith('--')) usage();
  else words.push(word);
}
if (words.length !== 2 || [options.attempts, options.silence, options.total].some((n) => !(n > 0))) usage();
[options.socket, options.file] = words;
if (!fs.existsSync(options.file) || !fs.statSync(options.file).isFile()) usage();
check(options).then((code) => process.exit(code), (e) => { console.error('check:', e); process.exit(2); });
