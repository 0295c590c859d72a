import type { Ask } from '../message.ts'

/** What a request's `Prefer` header (RFC 7240) asks the sandbox for. */
export interface Preference {
  /** The status that the client would like, as `429`. */
  readonly code?: number
  /** The outcome that the client would like, as `banned`. */
  readonly outcome?: string
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number
  /** The preferences as they were sent, for `Preference-Applied`. */
  readonly text: string
}

const PREFERENCE = /(?:^|[,;\s])(code|outcome|retry-after)\s*=\s*"?([\w-]+)"?/gi

/** The preferences that the sandbox knows; others are ignored, as RFC 7240, section 2, asks. */
export function readPreference(ask: Ask): Preference | undefined {
  const header = ask.header('prefer')
  if (header === undefined) return undefined
  const found = [...header.matchAll(PREFERENCE)]
  const wishes = new Map(found.map(([, name = '', value = '']) => [name.toLowerCase(), value]))
  if (wishes.size === 0) return undefined
  const outcome = wishes.get('outcome')
  const code = wholeNumber(wishes.get('code'))
  const retryAfter = wholeNumber(wishes.get('retry-after'))

  return {
    ...(code !== undefined && { code }),
    ...(outcome !== undefined && { outcome }),
    ...(retryAfter !== undefined && { retryAfter }),
    text: [...wishes].map(([name, value]) => `${name}=${value}`).join(', '),
  }
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined
}
