import type { Ask } from '../message.ts'
import { ANONYMOUS_PLAN, type Plan } from './plan.ts'

/** How every request of a magic key ends, whatever came before. */
export type Always = 'rate-limited' | 'day-exhausted' | 'banned'

/** Who sends a request. */
export interface Caller {
  /** What requests are counted under: the API key, or `anonymous` for all callers without a valid one. */
  readonly account: string
  readonly plan: Plan
  /** `missing`: no bearer token was sent; `invalid`: one that is no key was. */
  readonly key: 'valid' | 'missing' | 'invalid'
  readonly always?: Always
}

/** The callers there can be. */
export interface Keys {
  readonly byKey: ReadonlyMap<string, Caller>
  readonly missing: Caller
  readonly invalid: Caller
}

/** What a key is configured to be. */
export interface KeySettings {
  readonly plan: string
  readonly always?: Always
}

/** Every `plan` named in `settings` must be one of `plans`. */
export function createKeys(
  settings: Readonly<Record<string, KeySettings>>,
  plans: ReadonlyMap<string, Plan>,
): Keys {
  const planOf = (name: string): Plan => plans.get(name) ?? { name, minute: 0, day: 0 }
  const anonymous = { account: 'anonymous', plan: planOf(ANONYMOUS_PLAN) }
  const byKey = new Map<string, Caller>()
  for (const [key, { plan, ...always }] of Object.entries(settings)) {
    byKey.set(key, { account: key, plan: planOf(plan), key: 'valid', ...always })
  }

  return {
    byKey,
    missing: { ...anonymous, key: 'missing' },
    invalid: { ...anonymous, key: 'invalid' },
  }
}

/** A key, for showing. */
export interface KeyInfo {
  readonly key: string
  readonly plan: Plan
  readonly always?: Always
}

export function listKeys({ byKey }: Keys): readonly KeyInfo[] {
  return [...byKey].map(([key, { plan, always }]) => ({ key, plan, ...(always && { always }) }))
}

/** SERVICE.md, Authentication: the key is the bearer token of the `Authorization` header (RFC 6750, section 2.1). */
export function identify(ask: Ask, keys: Keys): Caller {
  const token = bearerToken(ask.header('authorization'))
  if (token === undefined) return keys.missing

  return keys.byKey.get(token) ?? keys.invalid
}

/** The token of an `Authorization` header; `undefined` when it has none. */
export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.slice(0, 6).toLowerCase() !== 'bearer')
    return undefined
  const rest = authorization.slice(6)
  const token = rest.trim()

  return rest.startsWith(' ') && token !== '' ? token : undefined
}
