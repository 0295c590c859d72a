import { hasLargerObject } from './json-limits.ts'
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
