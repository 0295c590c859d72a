import type { Schema } from '../contract/contract.ts'
import { isEventFlag, type SubscriptionHints } from '../contract/hints.ts'
import { listedValues, parsePointer, schemaAt, typesIn } from '../contract/schema.ts'
import { isActiveValue } from '../inference/subscriptions.ts'
import type { StoredRecord } from '../records/record-table.ts'
import { collectionPath, hasParents } from '../resources/collection-name.ts'
import { idOf } from '../resources/id-generator.ts'
import { isMade } from '../resources/record-origin.ts'
import type { Resource } from '../resources/resource.ts'
import type { Records } from '../resources/store/records.ts'
import type { Store } from '../resources/store/store.ts'
import { withValueAt } from '../resources/views/record-body.ts'
import { valueAt } from '../resources/views/service-values.ts'
import { isObject } from '../validation/objects.ts'

/** Who gets an event: an address, and the secret with which its deliveries are signed. */
export interface Receiver {
  readonly url: string
  /** The path of the record of the subscription, such as `hooks/1`; absent for an address of the options and of a callback. */
  readonly subscription?: string
  /** The secrets of the subscription; absent when it has none, so that the sandbox's own is used. */
  readonly secrets?: readonly string[]
  /** `true` when a program that receives events here sends them on, and not the sandbox. */
  readonly forwarded?: true
}

/** A subscription, as it is at some time. */
export interface Subscription extends Receiver {
  readonly subscription: string
  /** The names of the events that it gets; absent when it gets all. */
  readonly events?: readonly string[]
  /** Whether somebody made it. Those that the sandbox itself has invented get nothing. */
  readonly isMade: boolean
  /** Whether events are sent to it: somebody made it, and its record does not say that it is paused. */
  readonly isActive: boolean
}

/** So many subscriptions of one collection are asked. */
const MAX_SUBSCRIPTIONS = 1000

/**
 * The subscriptions that may get an event about what is at a path, such as `orgs/acme/repos/api/issues/7`: those of collections without
 * parents, and those below the same records. Where a collection of subscriptions is below other records, all that were opened count.
 */
export async function subscriptionsFor(
  about: string | undefined,
  resources: readonly Resource[],
  store: Store,
): Promise<readonly Subscription[]> {
  const found: Subscription[] = []
  for (const resource of resources) {
    if (!resource.subscription) continue
    for (const records of await collectionsFor(about, resource, store)) {
      const { records: rows } = await records.page({ limit: MAX_SUBSCRIPTIONS })
      for (const row of rows) {
        const subscription = subscriptionOf(row, records, resource.subscription)
        if (subscription) found.push(subscription)
      }
    }
  }
  return found
}

async function collectionsFor(
  about: string | undefined,
  resource: Resource,
  store: Store,
): Promise<readonly Records[]> {
  // Nobody has subscribed in a collection that was never opened. Opening it would write it to a shared store.
  if (!hasParents(resource))
    return (await store.wasOpened(resource)) ? [await store.open(resource, {})] : []
  const opened = await store.opened()
  const own = opened.filter((records) => records.resource.name === resource.name)
  if (about === undefined) return own
  const near = own.filter((records) => isBeside(about, resource, collectionPath(records)))

  return near.length > 0 || isBelow(about, resource) ? near : own
}

/** Whether what is at a path is below the record that a collection of subscriptions is below. */
function isBeside(about: string, { path }: Resource, collection: string): boolean {
  const above = collection.split('/').slice(0, depthAbove(path))
  return above.every((part, at) => about.split('/')[at] === part)
}

/** Whether a path goes through a record of the kind that the subscriptions are below. */
function isBelow(about: string, { path }: Resource): boolean {
  const above = path.slice(1).split('/').slice(0, depthAbove(path))
  const parts = about.split('/')
  return (
    parts.length >= above.length &&
    above.every((part, at) => part.includes('{') || part === parts[at])
  )
}

/** How many segments of a path are those of the record above it. */
function depthAbove(path: string): number {
  return (
    path
      .slice(1)
      .split('/')
      .findLastIndex((part) => part.includes('{')) + 1
  )
}

/**
 * Notes in the record of a subscription that nothing is sent to it any more, where its schema has a value for that. `path` is that of the record,
 * such as `hooks/1`.
 */
export async function disableSubscription(
  path: string,
  resources: readonly Resource[],
  store: Store,
): Promise<void> {
  for (const resource of resources) {
    const off = resource.subscription && disabledPart(resource.subscription, resource.schema)
    if (!off) continue
    for (const records of await collectionsFor(undefined, resource, store)) {
      const { records: rows } = await records.page({ limit: MAX_SUBSCRIPTIONS })
      const found = rows.find((row) => `${records.name}/${idOf(row, resource.id)}` === path)
      const id = found && idOf(found, resource.id)
      if (id === undefined) continue
      await records.update(id, (present) => {
        const changed = withValueAt(present, parsePointer(off.place), off.value)
        return isObject(changed) ? changed : present
      })
    }
  }
}

/** The value with which a record says that its subscription is off, and where it has it; `undefined` when its schema has none. */
function disabledPart(
  { active, inactive }: SubscriptionHints,
  schema: Schema,
): { readonly place: string; readonly value: unknown } | undefined {
  if (inactive !== undefined) return { place: inactive, value: true }
  const own = active === undefined ? undefined : schemaAt(schema, active)
  if (active === undefined || !own) return undefined
  const values = listedValues(own)
  const off = values.find((value) => DISABLED.test(String(value)))
  if (off !== undefined) return { place: active, value: off }

  return typesIn(own).has('boolean') ? { place: active, value: false } : undefined
}

/** The states of a subscription to which nothing is sent, as services call them. */
const DISABLED = /^(disabled|inactive|paused|suspended|failed|off|false)$/i

function subscriptionOf(
  record: StoredRecord,
  { name, resource }: Records,
  hints: SubscriptionHints,
): Subscription | undefined {
  const read = (place: string | undefined): unknown =>
    place === undefined ? undefined : valueAt(record, parsePointer(place))
  const url = read(hints.url)
  if (typeof url !== 'string' || url === '') return undefined
  const named = eventsIn(read(hints.events))
  const events = hints.events === '' ? named?.filter(isEventFlag) : named
  const secrets = [read(hints.secret)].flat().filter((one) => typeof one === 'string' && one !== '')
  const isOn = isActiveValue(read(hints.active)) && read(hints.inactive) !== true

  return {
    url,
    subscription: `${name}/${idOf(record, resource.id)}`,
    ...(events && { events }),
    ...(secrets.length > 0 && { secrets: secrets.map(String) }),
    isMade: isMade(record),
    isActive: isMade(record) && isOn,
  }
}

/** The names of events in a value: a text, several between commas, a list of texts, or an object of flags. */
function eventsIn(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string')
    return value === '' ? undefined : value.split(',').map((one) => one.trim())
  if (Array.isArray(value)) {
    const names = value.map((one) =>
      isObject(one) ? (one.name ?? one.type ?? one.event ?? '') : one,
    )
    return names.length === 0 ? undefined : names.map(String)
  }
  if (!isObject(value)) return undefined
  return Object.entries(value).flatMap(([name, flag]) => (flag === true ? name : []))
}

/** Whether a subscription to these names gets an event that has any of the other ones. `*`, `all` and `order.*` stand for several. */
export function isSubscribed(
  { events }: Pick<Subscription, 'events'>,
  names: readonly string[],
): boolean {
  if (!events) return true
  return events.some((pattern) => {
    if (/^(\*|all|any|everything|allevents|all_events)$/i.test(pattern)) return true
    if (!pattern.includes('*')) return names.includes(pattern)
    const start = pattern.slice(0, pattern.indexOf('*'))
    return names.some((name) => name.startsWith(start))
  })
}
