import type { Settings } from '../../engine/settings.ts'
import type { ContractIdentity } from '../../state/world-store.ts'
import { isObject } from '../../validation/is-object.ts'

/** What tells the contract and the settings of a sandbox from others that a store cannot serve at the same time. */
export async function contractIdentity(settings: Settings): Promise<ContractIdentity> {
  const { contract, worlds: _, persist: __, ...rest } = settings
  const text = JSON.stringify(plain([contract, rest], new Map()))
  return { title: contract.title, version: contract.version, digest: await digestOf(text) }
}

/** The SHA-256 of a text, in hexadecimal digits. */
export async function digestOf(text: string): Promise<string> {
  const bytes = new Uint8Array(
    await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)),
  )
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * A value as JSON that is the same for equal values: names are sorted, functions are left out, and an object that occurs again, as
 * in a recursive schema, is replaced by the place where it occurred first.
 */
function plain(value: unknown, seen: Map<unknown, number>): unknown {
  if (typeof value === 'function') return undefined
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
  if (typeof value !== 'object' || value === null) return value
  const place = seen.get(value)
  if (place !== undefined) return { seen: place }
  seen.set(value, seen.size)
  if (Array.isArray(value)) return value.map((one) => plain(one, seen))
  if (value instanceof Map) return [...value].map((one) => plain(one, seen))
  if (value instanceof Set) return [...value].map((one) => plain(one, seen))
  if (value instanceof RegExp) return String(value)
  if (!isObject(value)) return String(value)

  return Object.keys(value)
    .sort()
    .map((name) => [name, plain(value[name], seen)])
    .filter(([, one]) => one !== undefined)
}
