import type { Settings } from '../engine/settings.ts'
import { type EventSettings, resolveEventOptions } from '../events/event-settings.ts'
import { isObject } from '../validation/objects.ts'
import type { ContractIdentity } from './world-store.ts'

/** How many digits of a digest tell the values of one option apart. */
const DIGITS = 16

/**
 * What tells the contract and the options of a sandbox from others that a store cannot serve at the same time. `options` are those that
 * the settings do not have.
 */
export async function contractIdentity(
  settings: Settings,
  options: Readonly<Record<string, unknown>> = {},
): Promise<ContractIdentity> {
  const { contract, keys, persist: _, events, ...rest } = settings
  const sent = eventsIdentity(events)
  const values = { document: contract, 'plans and keys': keys, ...rest, ...sent, ...options }
  const parts: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    const text = JSON.stringify(plain(value, new Map())) ?? ''
    parts[name] = (await digestOf(text)).slice(0, DIGITS)
  }
  const digest = await digestOf(JSON.stringify(Object.entries(parts).sort()))

  return { title: contract.title, version: contract.version, digest, parts }
}

/**
 * What all servers of a store send alike; nothing for servers that were started without options about events. Whether a server may send to
 * its own machine depends on its own address.
 */
function eventsIdentity(settings: EventSettings): { readonly events?: object } {
  const shared = ({ deliver: _, thisMachine: __, ...events }: EventSettings): object => events
  const [events, defaults] = [shared(settings), shared(resolveEventOptions())]
  return JSON.stringify(events) === JSON.stringify(defaults) ? {} : { events }
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
