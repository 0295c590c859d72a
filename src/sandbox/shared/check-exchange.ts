import type { ExchangeFacts } from '../../journal/exchange-facts.ts'
import { isObject } from '../../validation/objects.ts'
import {
  fields,
  integerFrom,
  is,
  listOf,
  mistakesIn,
  oneOf,
  type ValueCheck,
} from '../../validation/value-check.ts'

interface Base64 {
  readonly base64: string
}

/** The facts of an exchange as JSON. */
export interface StoredFacts extends Omit<ExchangeFacts, 'requestBody' | 'responseBody'> {
  readonly requestBody: number | Base64 | undefined
  readonly responseBody: string | number | Base64
}

/** An exchange in the store, without its id. */
interface ExchangeText {
  readonly numbers: readonly (number | null)[]
  readonly facts: StoredFacts
}

const TEXT = is('a string', (value) => typeof value === 'string')
const SIZE = integerFrom(0)
const NUMBER = is('a number or null', (value) => value === null || Number.isFinite(value))
const BASE64 = fields({ base64: is('base64', isBase64) }, ['base64'])

const NOTE = fields({ kind: TEXT, place: TEXT }, ['kind', 'place'])

const REFUSAL = fields(
  {
    code: TEXT,
    message: TEXT,
    errors: listOf(fields({ location: TEXT, keyword: TEXT }, ['location'])),
  },
  ['code', 'message'],
)

const HEADERS = is(
  'an object of strings',
  (value) => isObject(value) && Object.values(value).every((one) => typeof one === 'string'),
)

const FACTS = fields(
  {
    method: TEXT,
    base: TEXT,
    target: TEXT,
    operation: TEXT,
    caller: oneOf('caller', ['valid', 'missing', 'invalid']),
    key: TEXT,
    plan: TEXT,
    status: SIZE,
    preflight: fields({ origin: TEXT, method: TEXT }, ['origin', 'method']),
    refusal: REFUSAL,
    forced: TEXT,
    notes: listOf(NOTE),
    requestHeaders: listOf(TEXT),
    requestBody: (value, ...rest) => (isObject(value) ? BASE64 : SIZE)(value, ...rest),
    responseHeaders: HEADERS,
    responseBody: (value, ...rest) => bodyCheck(value)(value, ...rest),
  },
  [
    'method',
    'base',
    'target',
    'caller',
    'status',
    'notes',
    'requestHeaders',
    'responseHeaders',
    'responseBody',
  ],
)

/** The count of numbers of an entry in a journal, without its id. */
const NUMBERS = 10

const LIST_OF_NUMBERS = is(
  `an array of ${NUMBERS} numbers`,
  (value) => Array.isArray(value) && value.length === NUMBERS,
)

const EXCHANGE = fields(
  {
    numbers: (value, path, mistakes) => {
      LIST_OF_NUMBERS(value, path, mistakes)
      listOf(NUMBER)(value, path, mistakes)
    },
    facts: FACTS,
  },
  ['numbers', 'facts'],
)

/** Whether a value is an exchange as servers write it. */
export function isExchangeText(value: unknown): value is ExchangeText {
  return mistakesIn(value, EXCHANGE).length === 0
}

function bodyCheck(value: unknown): ValueCheck {
  if (isObject(value)) return BASE64
  return typeof value === 'number' ? SIZE : TEXT
}

function isBase64(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0
}
