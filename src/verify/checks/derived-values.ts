import type { Contract, Operation } from '../../contract/contract.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { isObject } from '../../validation/objects.ts'
import { isSuccess, type ProbeResponse } from '../messages.ts'
import {
  type CheckDefinition,
  type Evaluation,
  everyResponse,
  failure,
  isResponseTo,
  operationCheck,
} from './check.ts'

/** How deep objects are searched for. */
const MAX_DEPTH = 5

/** Words of a description from which a value may follow. */
const DERIVED =
  /\b(sum|total|plus|minus|times|multiplied)\b|[×*+−]|\btrue (while|when|if)\b.* is\b|\bnumber of (days|nights)\b/i

/** Differences that come from rounding. */
const ROUNDING = 0.011

/**
 * Values that their descriptions derive from others in the same object, as in "The sum of the minutes of the rows", "subtotal plus tax",
 * "quantity × price", "True while stock is less than minimum", "True when points is 100 or more" and "Number of nights from arrival to departure".
 * Only sentences that name nothing else are read.
 */
export function derivedValueChecks(
  { operations }: Contract,
  texts: DocumentTexts,
): CheckDefinition[] {
  const derived = operations.filter(({ id }) => texts.hasProperty(id, DERIVED))
  return derived.map((operation) =>
    operationCheck(
      operation,
      'derived',
      'returns the sums that descriptions state',
      everyResponse(
        (one) => isResponseTo(operation, one) && isSuccess(one),
        (response) => sumsIn(response, operation, texts),
      ),
    ),
  )
}

function sumsIn(response: ProbeResponse, operation: Operation, texts: DocumentTexts): Evaluation {
  // A description is one of the property that is the least deep: others of the same name may be something else.
  const depths = new Map<string, number>()
  const objects = [...objectsIn(response.json)].sort(([one], [other]) => one - other)
  for (const [depth, record] of objects) {
    for (const [name, value] of Object.entries(record)) {
      const first = depths.get(name) ?? depth
      depths.set(name, first)
      if (first !== depth) continue
      const expected = derived(texts.property(operation.id, name), name, record)
      if (!isOther(value, expected)) continue
      const wanted = typeof value === 'string' ? new Date(Number(expected)).toISOString() : expected
      return failure(response, `"${name}": ${wanted}, as described`, `"${name}": ${value}`)
    }
  }
  return 'passed'
}

/** Whether a value is not the expected one of its type: a time is expected in milliseconds. */
function isOther(value: unknown, expected: number | boolean | undefined): boolean {
  if (typeof value === 'string' && typeof expected === 'number') return timeOf(value) !== expected
  if (typeof value === 'number' && typeof expected === 'number')
    return Math.abs(expected - value) > ROUNDING
  return typeof value === 'boolean' && typeof expected === 'boolean' && value !== expected
}

/** The objects in a value, each with its depth. */
function objectsIn(value: unknown, depth = 0): readonly (readonly [number, JsonObject])[] {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return []
  const inner = Object.values(value).flatMap((one) => objectsIn(one, depth + 1))
  return isObject(value) && !Array.isArray(value) ? [[depth, value], ...inner] : inner
}

/** A value by its description; `undefined` where that says nothing, or more than is understood. */
function derived(text: string, name: string, record: JsonObject): number | boolean | undefined {
  if (text === '') return undefined
  if (typeof record[name] === 'boolean') return comparison(text, record)
  const [sentence = '', ...more] = text.replaceAll('`', '').split(/(?<=[.;])\s/)
  const said = ` ${plain(withWords(sentence))} `
  if (typeof record[name] === 'string') return laterTime(said, record)
  if (more.some((one) => CONDITION.test(one))) return undefined
  return sumOfItems(said, record) ?? sumOfTwo(said, name, record) ?? daysBetween(said, record)
}

/** What says that a value is another one for some records. */
const CONDITION = /\b(for|if|when|unless|except|from|less|more|discount)\b|%/i

/** A sentence with words for the signs of arithmetic. */
function withWords(sentence: string): string {
  return sentence
    .replace(/\s*[×*]\s*| x | multiplied by /g, ' times ')
    .replace(/ \+ /g, ' plus ')
    .replace(/ [−–-] /g, ' minus ')
}

/** "Number of nights from arrival to departure", "number of days, the first and the last one included", with the names of both dates. */
function daysBetween(said: string, record: JsonObject): number | undefined {
  const [, unit] = /^ number (days|nights)\b/.exec(said) ?? []
  const isWhole = /\b(included|inclusive|including)\b/.test(said)
  // Whether the last day counts is not said otherwise.
  if (unit === undefined || (unit === 'days') !== isWhole) return undefined
  const named = Object.entries(record).flatMap(([name, value]) =>
    typeof value === 'string' && DAY.test(value) && said.includes(` ${plain(name)} `)
      ? [Date.parse(value)]
      : [],
  )
  const [first, last, ...others] = named.sort((one, other) => one - other)
  if (first === undefined || last === undefined || others.length > 0) return undefined
  return (last - first) / 86_400_000 + Number(isWhole)
}

const DAY = /^\d{4}-\d\d-\d\d$/

/** In lower case, with single spaces, without articles and punctuation. */
function plain(text: string): string {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(/\b(the|its|of|all|s|their)\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** "Sum of the credits of the entries", "the sum of the rows' minutes". */
function sumOfItems(said: string, record: JsonObject): number | undefined {
  for (const [list, items] of Object.entries(record)) {
    if (!Array.isArray(items) || !items.every(isObject) || items.length === 0) continue
    for (const name of Object.keys(items[0] ?? {})) {
      const [own, other] = [plain(list), plain(name)]
      const forms = [other, `${other}s`].flatMap((one) => [
        ...[` sum ${one} ${own} `, ` sum ${own} ${one} `, ` total ${one} ${own} `],
      ])
      if (!forms.includes(said)) continue
      const values = items.map((one) => one[name])
      if (!values.every((one) => typeof one === 'number')) return undefined
      return values.reduce<number>((sum, one) => sum + Number(one), 0)
    }
  }
  return undefined
}

/** What a description says of the digits of a number. */
const ROUNDED = / (to (cent|nearest \w+)|rounded\b.*|in (cents|euros?))$/

/** "subtotal plus tax", "quantity times unit price". */
function sumOfTwo(said: string, name: string, record: JsonObject): number | undefined {
  const operators = [
    ['plus', (one: number, other: number) => one + other],
    ['minus', (one: number, other: number) => one - other],
    ['times', (one: number, other: number) => one * other],
  ] as const
  const numbers = Object.entries(record).flatMap(([key, value]) =>
    typeof value === 'number' && key !== name ? [[plain(key), value] as const] : [],
  )
  for (const [word, apply] of operators) {
    const [left, right, ...more] = said
      .split(` ${word} `)
      .map((one) => one.trim().replace(ROUNDED, ''))
    if (left === undefined || right === undefined || more.length > 0) continue
    const [first, second] = [left, right].map((part) => numbers.find(([key]) => key === part)?.[1])
    if (first !== undefined && second !== undefined) return apply(first, second)
  }
  return undefined
}

/** "departsAt plus durationMinutes", in milliseconds. */
function laterTime(said: string, record: JsonObject): number | undefined {
  const [left, right, ...more] = said.split(/ (?:plus|minus) /).map((one) => one.trim())
  if (left === undefined || right === undefined || more.length > 0) return undefined
  const [start, length] = [left, right].map(
    (words) => Object.entries(record).find(([name]) => plain(name) === words)?.[1],
  )
  const [unit] = Object.entries(UNITS).find(([word]) => right.split(' ').includes(word)) ?? []
  const time = typeof start === 'string' ? timeOf(start) : undefined
  if (time === undefined || unit === undefined || typeof length !== 'number') return undefined
  return time + (said.includes(' minus ') ? -1 : 1) * length * (UNITS[unit] ?? 0)
}

/** The milliseconds of units of time. */
export const UNITS: Readonly<Record<string, number>> = {
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000,
}

/** A day or a time in milliseconds. */
export function timeOf(text: string): number | undefined {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** "True while stock is less than minimum": what a number of the record and another one are, which may be in the sentence. */
const COMPARISON =
  /^true (?:while|when|if) (.+?) is (?:(less than|lower than|below|at most|greater than|more than|above|at least) (.+)|(\d+) or (more|less|greater|higher|lower|fewer|above|below|over))$/

function comparison(text: string, record: JsonObject): boolean | undefined {
  const [sentence = '', ...more] = text.replaceAll('`', '').split(/(?<=[.;])\s/)
  const [, left, operator, right, limit, or = ''] = COMPARISON.exec(plain(sentence)) ?? []
  const numberOf = (words = ''): unknown =>
    /^\d+$/.test(words)
      ? Number(words)
      : Object.entries(record).find(([name]) => plain(name) === words)?.[1]
  const [first, second] = [numberOf(left), numberOf(limit ?? right)]
  // What follows may be another condition.
  const isWhole = more.every((one) => !/\btrue\b|\bunless\b|\bexcept\b/i.test(one))
  if (typeof first !== 'number' || typeof second !== 'number' || !isWhole) return undefined
  const isLess = /^(less|lower|fewer|below|at most)/.test(operator ?? or)
  const isEqual = first === second && (operator === undefined || operator.startsWith('at '))
  return isEqual || (first !== second && isLess === first < second)
}
