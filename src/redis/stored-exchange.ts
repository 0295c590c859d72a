import type { Service } from '../engine/service.ts'
import { CREATOR, recordedExchange } from '../engine/world-state.ts'
import { SOURCES } from '../http/message.ts'
import type { ExchangeFacts } from '../journal/exchange-facts.ts'
import { Journal, type JournalEntry } from '../journal/journal.ts'
import type { RecordedExchange } from '../journal/recorded-exchange.ts'
import { StoreUnavailableError } from '../records/stored-records.ts'
import { isObject, once } from '../validation/objects.ts'
import {
  fields,
  integerFrom,
  is,
  listOf,
  mistakesIn,
  oneOf,
  text,
  type ValueCheck,
} from '../validation/value-check.ts'
import type { StoredExchange } from './world-store.ts'

/** The text of an exchange in the store. It has no id, which the store gives. */
export function toExchangeText({ numbers, facts }: JournalEntry<ExchangeFacts>): string {
  // JSON has no `NaN`, which stands for a number that does not exist: it becomes `null`.
  return `{"numbers":${JSON.stringify(numbers.slice(1))},"facts":${factsText(facts)}}`
}

/** Repeated exchanges have the same facts. */
const factsText = once((facts: ExchangeFacts): string => {
  const stored: StoredFacts = {
    ...facts,
    requestBody: toStoredBody(facts.requestBody),
    responseBody: toStoredBody(facts.responseBody),
  }
  return JSON.stringify(stored)
})

/** The entry of a journal for an exchange in the store. Throws a StoreUnavailableError for a text that no server wrote. */
export function toEntry({ id, text }: StoredExchange): JournalEntry<ExchangeFacts> {
  const value = parsed(text)
  if (!isExchangeText(value)) {
    throw new StoreUnavailableError(
      `The exchange ${id} of a world in the store cannot be read. Reset the world.`,
    )
  }
  const { numbers, facts } = value
  const { requestBody, responseBody, ...rest } = facts

  return {
    numbers: [id, ...numbers.map((number) => number ?? Number.NaN)],
    facts: {
      ...rest,
      operation: rest.operation,
      key: rest.key,
      plan: rest.plan,
      preflight: rest.preflight,
      refusal: rest.refusal,
      forced: rest.forced,
      source: rest.source,
      sourceReason: rest.sourceReason,
      requestBody: typeof requestBody === 'object' ? toBytes(requestBody) : requestBody,
      responseBody: typeof responseBody === 'object' ? toBytes(responseBody) : responseBody,
    },
  }
}

/** An exchange from the store, as the journal shows it. */
export function toExchange(stored: StoredExchange, service: Service): RecordedExchange {
  return recordedExchange(toEntry(stored), service)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toStoredBody<Body extends number | string | undefined>(
  body: Body | Uint8Array,
): Body | { readonly base64: string } {
  if (!(body instanceof Uint8Array)) return body
  return { base64: btoa(String.fromCharCode(...body)) }
}

function toBytes({ base64 }: { readonly base64: string }): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

interface Base64 {
  readonly base64: string
}

/** The facts of an exchange as JSON. */
interface StoredFacts extends Omit<ExchangeFacts, 'requestBody' | 'responseBody'> {
  readonly requestBody: number | Base64 | undefined
  readonly responseBody: string | number | Base64
}

/** An exchange in the store, without its id. */
interface ExchangeText {
  readonly numbers: readonly (number | null)[]
  readonly facts: StoredFacts
}

const SIZE = integerFrom(0)
const NUMBER = is('a number or null', (value) => value === null || Number.isFinite(value))
const BASE64 = fields({ base64: is('base64', isBase64) }, ['base64'])

const NOTE = fields({ kind: text, place: text }, ['kind', 'place'])

const REFUSAL = fields(
  {
    code: text,
    message: text,
    errors: listOf(fields({ location: text, keyword: text }, ['location'])),
    conflict: text,
  },
  ['code', 'message'],
)

const HEADERS = is(
  'an object of strings',
  (value) => isObject(value) && Object.values(value).every((one) => typeof one === 'string'),
)

const FACTS = fields(
  {
    method: text,
    base: text,
    target: text,
    operation: text,
    caller: oneOf('caller', ['valid', 'missing', 'invalid']),
    key: text,
    plan: text,
    status: SIZE,
    preflight: fields({ origin: text, method: text }, ['origin', 'method']),
    refusal: REFUSAL,
    forced: text,
    source: oneOf('source', SOURCES),
    sourceReason: text,
    endpoint: text,
    notes: listOf(NOTE),
    requestHeaders: listOf(text),
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

/** The count of numbers of an entry in a journal, without its id. Earlier versions did not write the last three. */
const NUMBERS = 13

const LIST_OF_NUMBERS = is(
  `an array of ${NUMBERS} numbers`,
  (value) => Array.isArray(value) && (value.length === NUMBERS || value.length === NUMBERS - 3),
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
function isExchangeText(value: unknown): value is ExchangeText {
  return mistakesIn(value, EXCHANGE).length === 0
}

function bodyCheck(value: unknown): ValueCheck {
  if (isObject(value)) return BASE64
  return typeof value === 'number' ? SIZE : text
}

function isBase64(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0
}

/** The journal of a request that is answered on loaded data. It keeps nothing: the exchange is committed with what it changes. */
export class CapturedJournal extends Journal<ExchangeFacts> {
  readonly #last: number
  /** The entry of the exchange; its id is a guess until the commit. */
  entry: JournalEntry<ExchangeFacts> | undefined

  /** `last` is the id of the latest exchange when the request arrived. */
  constructor(last: number, service: Service) {
    super(0, new Set(), (entry) => recordedExchange(entry, service), CREATOR)
    this.#last = last
  }

  override get last(): number {
    return this.#last
  }

  override add(entry: JournalEntry<ExchangeFacts>): void {
    this.entry = entry
  }
}
