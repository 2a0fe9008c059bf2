// Types of weighlock for Node, by hand; documents are those of docs/verdict.schema.json.
import { Readable } from 'node:stream';

export interface Options {
  /** A policy's name; without a daemon also a file. */
  policy?: string;
  /** Of the daemon; '' for none.  Default: WEIGHLOCK_SOCKET, else the usual one where this user can see it. */
  socket?: string;
  /** Milliseconds for the call, with all of its waiting; default an hour. */
  timeout?: number;
  /** The call rejects with its reason. */
  signal?: AbortSignal;
}

export interface ScanOptions extends Options {
  /** What it is called, in the verdict and for rules that go by names; default: the file's name. */
  name?: string;
  /** What its digest must be. */
  sha256?: string;
  tensors?: boolean;
  tensorDigests?: boolean;
}

/** A path, bytes, or a stream of bytes, which is read once. */
export type Input = string | URL | Uint8Array | Readable | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;

/** An integer of the interface; above 2^53-1 a bigint. */
export type Integer = number | bigint;

export interface Finding {
  code: string;
  class: string;
  severity: string;
  action: string;
  message: string;
  offset?: number | string;
  length?: number | string;
  member?: string;
  subject?: string;
  found?: unknown;
  allowed?: unknown;
  count?: number | string;
}

export interface Tensor {
  name: string;
  dtype: string;
  shape: (number | string)[];
  offsets: [number | string, number | string];
  member?: string;
  sha256?: string;
  stats?: { elements: number | string; min?: number; max?: number; mean?: number; zero_share?: number; nonfinite?: number | string };
}

/** About one file.  Only `accepted` is accept. */
export class Verdict {
  readonly verdict: string;
  readonly accepted: boolean;
  readonly complete: boolean;
  readonly name: string | null;
  readonly size: Integer | null;
  readonly sha256: string | null;
  readonly format: string | null;
  readonly policy: string | null;
  readonly reasons: string[];
  readonly findings: Finding[];
  readonly weights: Record<string, unknown> | null;
  readonly tensors: Tensor[] | null;
  readonly tensorsListed: boolean;
  readonly raw: Record<string, unknown>;
  /** Itself if it is accepted, else Rejected is thrown. */
  require(): this;
}

export class WeighlockError extends Error {}
/** Judged, and not accepted. */
export class Rejected extends WeighlockError {
  /** null of admit(): the message has the reasons. */
  readonly verdict: Verdict | null;
}
/** There is no verdict. */
export class NotJudged extends WeighlockError {
  /** Seconds until asking again may help; null: it will not. */
  readonly retryAfter: number | null;
  readonly verdict: Verdict | null;
}
/** There is nobody here who could judge; the message says what to do. */
export class Unavailable extends WeighlockError {}

export interface Admitted {
  /** Of the copy, which is exactly the bytes that were judged. */
  path: string;
  sha256: string;
}

export function scan(input: Input, options?: ScanOptions): Promise<Verdict>;
/** In the order of the inputs, so many at a time. */
export function scanMany<T extends Input>(inputs: Iterable<T> | AsyncIterable<T>, options?: ScanOptions & { atOnce?: number }):
  AsyncGenerator<{ input: T; verdict: Verdict; error?: undefined } | { input: T; verdict?: undefined; error: unknown }>;
/** What a daemon has kept; null: nothing. */
export function stored(sha256: string, options?: Options & { name?: string }): Promise<Verdict | null>;
/** A copy of the file in a folder of the caller's own, or a rejection. */
export function admit(file: string, options?: Options & { into?: string }): Promise<Admitted>;
