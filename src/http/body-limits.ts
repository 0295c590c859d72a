import { problems } from './problem.ts'

/** How many values a body may have, where its size limit is not raised. */
const MAX_VALUES = 2 ** 20

/** With a higher size limit, a body may have a value for each of so many bytes of it. */
const BYTES_PER_VALUE = 10

/** An element or attribute of XML takes as long as so many other values. */
const VALUES_PER_ELEMENT = 10

/**
 * A member of a very large object takes as long as so many other values: each step of a request copies the object. A member also has
 * six characters, so that bodies of 1 MiB, the limit of the shipped API, are not affected.
 */
const VALUES_PER_MEMBER = 6

/**
 * Counts the values of a body before they are made: the items of lists, the members of objects, cells, or elements and attributes.
 * A value takes much more memory than its text, which may be a single character.
 */
export class ValueLimit {
  readonly #max: number
  readonly #noun: string
  #left: number

  private constructor(max: number, noun: string) {
    this.#max = max
    this.#noun = noun
    this.#left = max
  }

  /** The limit of a body of at most `bodyLimit` bytes. */
  static ofBody(bodyLimit: number): ValueLimit {
    return new ValueLimit(maxValues(bodyLimit), 'values')
  }

  /** The limit of an XML body of at most `bodyLimit` bytes. */
  static ofXml(bodyLimit: number): ValueLimit {
    const max = Math.floor(maxValues(bodyLimit) / VALUES_PER_ELEMENT)
    return new ValueLimit(max, 'elements and attributes')
  }

  /** How many more values there may be. */
  get left(): number {
    return this.#left
  }

  /** Counts the values of a JSON text. Throws a 413 for too many of them, also in one object. */
  countJson(text: string, values: number): void {
    this.count(values)
    const max = this.#maxMembers
    if (values > max && hasLargerObject(text, max)) throw problems.tooManyMembers(max)
  }

  /** Throws a 413 for more members than one object may have. */
  checkMembers(members: number): void {
    if (members > this.#maxMembers) throw problems.tooManyMembers(this.#maxMembers)
  }

  get #maxMembers(): number {
    return Math.ceil(this.#max / VALUES_PER_MEMBER)
  }

  /** Throws a 413 for more values than are left. */
  count(values: number): void {
    this.#left -= values
    if (this.#left < 0) throw problems.tooManyValues(this.#max, this.#noun)
  }

  /** What is left now, for each of several meanings of the same text. */
  copy(): ValueLimit {
    const copy = new ValueLimit(this.#max, this.#noun)
    copy.#left = this.#left
    return copy
  }
}

function maxValues(bodyLimit: number): number {
  return Math.max(MAX_VALUES, Math.floor(bodyLimit / BYTES_PER_VALUE))
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/**
 * The maximum depth of the body of a request. No contract needs more, and no recursive function runs out of stack at this
 * depth.
 */
export const MAX_BODY_DEPTH = 100

/** The limits of a JSON text from outside. */
interface JsonLimits {
  /** Levels of nesting. */
  readonly levels: number
  /** Values in lists and objects, at all levels together. By default, any number. */
  readonly values?: number
}

/** How large a JSON text is. */
interface JsonSize {
  /** Values in lists and objects, at all levels together, up to the excess. */
  readonly values: number
  /** The first limit that the text exceeds; `undefined` when it exceeds none. */
  readonly excess: keyof JsonLimits | undefined
}

/** The first limit that a JSON text exceeds; `undefined` when it exceeds none. */
export function excessOf(text: string, limits: JsonLimits): keyof JsonLimits | undefined {
  return sizeOfJson(text, limits).excess
}

/** Reads each character once and stops at the first excess, so that it can be called before the text is parsed. */
export function sizeOfJson(
  text: string,
  { levels, values = Number.POSITIVE_INFINITY }: JsonLimits,
): JsonSize {
  let open = 0
  let found = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA) found += 1
    else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) open -= 1
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      open += 1
      found += 1
    }
    if (open > levels) return { values: found, excess: 'levels' }
    if (found > values) return { values: found, excess: 'values' }
  }
  return { values: found, excess: undefined }
}

/** Whether an object of a JSON text has more than `max` members. */
export function hasLargerObject(text: string, max: number): boolean {
  const around: number[] = []
  let members = NOT_COUNTED
  for (let at = 0; at < text.length && members <= max; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === COMMA) members += 1
    else if (code === CLOSING_BRACKET || code === CLOSING_BRACE)
      members = around.pop() ?? NOT_COUNTED
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      around.push(members)
      members = startOf(code)
    }
  }
  return members > max
}

/** The count at an opening bracket. */
function startOf(code: number): number {
  return code === OPENING_BRACE ? 1 : NOT_COUNTED
}

/** Of a list: its items are not members. */
const NOT_COUNTED = Number.NEGATIVE_INFINITY

/** The index of the closing quote of the string that starts at `start`; the length of the text when the quote is missing. */
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at += 1
  }
  return text.length
}

/** In bytes. */
export const MEBIBYTE: number = 1024 * 1024

/** The body is longer than the limit. */
export class BodyTooLongError extends Error {
  override readonly name = 'BodyTooLong'
}

/**
 * Reads a body to its end as text. Counts its bytes as they come, after decompression, and cancels the rest of a body of
 * more than `limit` bytes: a server may send a few bytes that decompress to gigabytes. Rejects with {@link BodyTooLongError}.
 */
export async function readBodyText(
  { body }: { readonly body: ReadableStream<Uint8Array> | null },
  limit: number,
): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    size += read.value.length
    if (size > limit) {
      // Not awaited: a stream may never confirm that it was cancelled.
      void reader?.cancel().catch(() => undefined)
      throw new BodyTooLongError(`A body has more than ${limit} bytes`)
    }
    text += decoder.decode(read.value, { stream: true })
  }
  return text + decoder.decode()
}
