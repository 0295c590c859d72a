import type { Schema } from '../contract/contract.ts'
import {
  plainName,
  propertiesOf,
  requiredNames,
  typesIn,
  withBranches,
} from '../contract/schema.ts'
import { wordsOf } from './id-property.ts'

// What only the holder of a record knows, and what replaces it.

/** Verbs for what replaces a secret. */
export const RENEW: RegExp = /^(reset|rotate|regenerate|renew|roll|recreate|refresh)$/i
/** What only its holder knows. */
export const SECRET: RegExp = /(secret|token|key|password|passcode|code|pin)$/

/** The only property of a record that only its holder knows; `undefined` when there are several, or none. */
export function secretIn(record: Schema): string | undefined {
  const secrets = secretsIn(record)
  return secrets.length === 1 ? secrets[0] : undefined
}

function secretsIn(record: Schema): readonly string[] {
  return [...propertiesOf(record)].flatMap(([name, schema]) =>
    SECRET.test(plainName(name)) && typesIn(schema).has('string') ? name : [],
  )
}

/**
 * The secret that an action replaces, such as `stream_key` of `reset-stream-key`: the one that it names, or the only one. A request without
 * values at `POST /environments/{id}/apiKey` replaces `apiKey`, too.
 */
export function renewedBy(action: string, record: Schema, isBare: boolean): string | undefined {
  const [verb = '', ...others] = wordsOf(action)
  const isVerb = RENEW.test(verb)
  if (!(isVerb || isBare)) return undefined
  const nouns = isVerb ? others : [verb, ...others]
  const secrets = secretsIn(record)
  const noun = nouns.join('')
  const named = secrets.map(plainName).filter((one) => (isVerb ? one.endsWith(noun) : one === noun))

  return named.length === 1 ? secrets.find((name) => plainName(name) === named[0]) : undefined
}

/** The secrets of which the description says that only the response of a creation has them, and that records need not have. */
export function shownOnceIn(record: Schema): readonly string[] {
  const required = requiredNames(record)
  return [...propertiesOf(record)].flatMap(([name, schema]) => {
    const isSaid = withBranches(schema).some(({ describedOnce }) => describedOnce)
    return isSaid && SECRET.test(plainName(name)) && !required.has(name) ? name : []
  })
}
