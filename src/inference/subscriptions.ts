import type { Schema } from '../contract/contract.ts'
import { isEventFlag, type SubscriptionHints } from '../contract/hints.ts'
import { escapeKey, itemsOf, plainName, propertiesOf, typesIn } from '../contract/schema.ts'
import { wordOf } from './path-shape.ts'

// A record of some collections is a subscription: it has the address to which the service sends events.

/** Collections whose records are subscriptions when they have an address. */
const HOOKS = /hook|callback|event[-_]?subscription/
/** Collections whose records may be something else, so that more than an address is needed. */
const OTHERS =
  /subscription|subscriber|listener|notification|endpoint|observer|watch|channel|event|push/

/** What the address of a receiver is called, the plainest names first. */
const ADDRESSES: readonly RegExp[] = [
  /^(url|targeturl|callbackurl|webhookurl|hookurl|notificationurl|deliveryurl|endpointurl|subscriberurl|destinationurl|publicationurl|payloadurl|posturl)$/,
  /^(uri|targeturi|callbackuri|webhookuri|hookuri|notificationuri|endpointuri)$/,
  /^(callback|endpoint|address|destination|target|webhook)$/,
]
/** Addresses that are those of a receiver whatever the collection is called. */
const RECEIVER = /^(target|callback|webhook|hook|notification|delivery|subscriber)(url|uri)$/

/** What the events of a subscription are called, the plainest names first. */
const EVENTS: readonly RegExp[] = [
  /^(enabled|subscribed|selected|active)?(events?|eventtypes?|eventnames?|eventlist)$/,
  /^(topics?|triggers?|filtertypes|subscriptiontypes?|notificationtypes?|messagetypes?|types)$/,
]
const SECRETS =
  /^(secret|signingsecret|hooksecret|webhooksecret|sharedsecret|secretkey|signingkey|secrettoken|hmackey|hmacsecret)$/
const ACTIVE = /^(is)?(active|enabled)$/
const INACTIVE = /^(is)?(disabled|paused|inactive|suspended)$/
/** The values of a state in which a subscription gets events. */
const ACTIVE_STATES = /^(active|enabled|on|verified|subscribed)$/i

/** Objects of a record that may contain these properties. */
const CONTAINERS =
  /^(config|configuration|settings|attributes|data|delivery|endpoint|properties|http|webhook)$/
const MAX_DEPTH = 2

/** Whether the records at a path may be subscriptions, before their schemas are read. */
export function mayBeSubscriptions(path: string): boolean {
  const word = wordOf(path).toLowerCase()
  return HOOKS.test(word) || OTHERS.test(word)
}

/**
 * The properties that make a record a subscription; `undefined` for other records. The address is one that requests set: another one, such as the
 * `url` of the records of GitHub, may be that of the record itself.
 */
export function inferSubscription(
  path: string,
  { views, sent }: { readonly views: readonly Schema[]; readonly sent: readonly Schema[] },
): SubscriptionHints | undefined {
  if (!mayBeSubscriptions(path)) return undefined
  const isHook = HOOKS.test(wordOf(path).toLowerCase())
  const settable = sent.flatMap((schema) => [...propertiesIn(schema)])
  const properties = [...settable, ...views.flatMap((schema) => [...propertiesIn(schema)])]
  const url = named(settable, ADDRESSES, ({ schema }) => isText(schema) && schema.readOnly !== true)
  if (!url) return undefined
  const events = named(properties, EVENTS, ({ schema }) => isText(schema) || isList(schema))
  const flags = events ? undefined : named(properties, EVENTS, ({ schema }) => isFlags(schema))
  const place = (events ?? flags)?.place ?? (hasOwnFlags(properties) ? '' : undefined)
  const isReceiver = RECEIVER.test(url.name)
  if (!(isHook || place !== undefined || isReceiver)) return undefined
  const secret = named(properties, [SECRETS], ({ schema }) => isText(schema))
  const active = named(properties, [ACTIVE], ({ schema }) => typesIn(schema).has('boolean'))
  const inactive = named(properties, [INACTIVE], ({ schema }) => typesIn(schema).has('boolean'))
  const state = named(properties, [/^(status|state)$/], ({ schema }) => hasActiveState(schema))

  return {
    url: url.place,
    ...(place !== undefined && { events: place }),
    ...(secret && { secret: secret.place }),
    ...((active ?? state) && { active: (active ?? state)?.place ?? '' }),
    ...(!active && !state && inactive && { inactive: inactive.place }),
  }
}

/** A property of a record, by its plain name and its place. */
interface PlacedProperty {
  readonly name: string
  readonly place: string
  readonly schema: Schema
}

function* propertiesIn(schema: Schema, above = '', depth = 0): Generator<PlacedProperty> {
  const properties = [...propertiesOf(schema)].map(([name, property]) => ({
    // Forms write the names of objects before those of their properties, as in `Configuration.Url`.
    name: plainName(name.slice(name.lastIndexOf('.') + 1)),
    place: `${above}/${escapeKey(name)}`,
    schema: property,
  }))
  yield* properties
  if (depth === MAX_DEPTH) return
  for (const { name, place, schema: inner } of properties)
    if (CONTAINERS.test(name)) yield* propertiesIn(inner, place, depth + 1)
}

/** The property with the plainest name, the outermost first. */
function named(
  properties: readonly PlacedProperty[],
  names: readonly RegExp[],
  isFit: (property: PlacedProperty) => boolean,
): PlacedProperty | undefined {
  const depthOf = ({ place }: PlacedProperty): number => place.split('/').length
  for (const pattern of names) {
    const fit = properties.filter((one) => pattern.test(one.name) && isFit(one))
    const [first] = fit.sort((one, other) => depthOf(one) - depthOf(other))
    if (first) return first
  }
  return undefined
}

function isText(schema: Schema): boolean {
  const types = typesIn(schema)
  return types.size === 0 ? propertiesOf(schema).size === 0 && !isList(schema) : types.has('string')
}

function isList(schema: Schema): boolean {
  return itemsOf(schema) !== undefined
}

/** Whether each event is a property of its own: `{ "order.created": true }`. */
function isFlags(schema: Schema): boolean {
  const flags = [...propertiesOf(schema).values()]
  return flags.length > 0 && flags.every((flag) => typesIn(flag).has('boolean'))
}

/** Whether the record itself has a flag for each kind of events, such as `push_events` and `issues_events`. */
function hasOwnFlags(properties: readonly PlacedProperty[]): boolean {
  const flags = properties.filter(
    ({ place, schema }) => isEventFlag(place.slice(1)) && typesIn(schema).has('boolean'),
  )
  return new Set(flags.map(({ place }) => place)).size > 1
}

function hasActiveState(schema: Schema): boolean {
  return (schema.enum ?? []).some((value) => ACTIVE_STATES.test(String(value)))
}

/** Whether the value of the property that says whether a subscription is active means that it is. */
export function isActiveValue(value: unknown): boolean {
  return typeof value === 'string' ? ACTIVE_STATES.test(value) : value !== false && value !== null
}
