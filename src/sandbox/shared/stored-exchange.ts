import type { Service } from '../../engine/service.ts'
import type { ExchangeFacts } from '../../journal/exchange-facts.ts'
import { RecordedExchange } from '../../journal/recorded-exchange.ts'
import type { JournalEntry } from '../../journal/ring-buffer.ts'
import { StoreUnavailableError } from '../../state/store-unavailable-error.ts'
import type { StoredExchange } from '../../state/world-store.ts'
import { isExchangeText, type StoredFacts } from './check-exchange.ts'

/** The text of an exchange in the store. It has no id, which the store gives. */
export function toExchangeText({ numbers, facts }: JournalEntry<ExchangeFacts>): string {
  const stored: StoredFacts = {
    ...facts,
    requestBody: toStoredBody(facts.requestBody),
    responseBody: toStoredBody(facts.responseBody),
  }
  // JSON has no `NaN`, which stands for a number that does not exist: it becomes `null`.
  return JSON.stringify({ numbers: numbers.slice(1), facts: stored })
}

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
      requestBody: typeof requestBody === 'object' ? toBytes(requestBody) : requestBody,
      responseBody: typeof responseBody === 'object' ? toBytes(responseBody) : responseBody,
    },
  }
}

/** An exchange from the store, as the journal shows it. */
export function toExchange(stored: StoredExchange, service: Service): RecordedExchange {
  return recordedExchange(toEntry(stored), service)
}

/** An entry as the journal shows it. */
export function recordedExchange(
  entry: JournalEntry<ExchangeFacts>,
  { access, crossOrigin, clientOf }: Service,
): RecordedExchange {
  return new RecordedExchange(
    entry,
    crossOrigin,
    access.namesOf('header'),
    access.writeQuota,
    clientOf,
  )
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
