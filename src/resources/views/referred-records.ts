import type { Schema } from '../../contract/contract.ts'
import { ITSELF } from '../../contract/hints.ts'
import { itemsOf, parsePointer, propertiesOf, withBranches } from '../../contract/schema.ts'
import { matches } from '../../generate/matches.ts'
import type { Id, StoredRecord } from '../../records/record-table.ts'
import { asType } from '../../responses/documented-value.ts'
import { areEqual, getOwn, isObject } from '../../validation/objects.ts'
import { givenName } from '../hidden-properties.ts'
import { idOf } from '../id-generator.ts'
import type { Reference, Resource } from '../resource.ts'
import { callerId, type RequestCaller } from './caller-record.ts'
import { find, keyIn, type Referring, viewIn } from './followed-records.ts'
import { absentNames } from './service-values.ts'

type Values = readonly (readonly [name: string, value: unknown])[]

/**
 * The values of a record in which the objects that refer to others show these, as far as they exist: `assignee: 'ann'` and `assignee: {
 * login: 'ann' }` become what the schema shows of this user, and so does `assignee_id: 7`. What the client sent of such an object stays.
 */
export async function withReferred(
  given: StoredRecord,
  request: Referring & {
    /** What the request has of the values. */
    readonly sent: StoredRecord
    readonly isChange: boolean
    readonly caller: RequestCaller | undefined
  },
): Promise<StoredRecord> {
  const values = await withCallers(given, request)
  const referring =
    values === given ? request : { ...request, sent: await withCallers(request.sent, request) }
  const found: (readonly [name: string, value: unknown])[] = []
  for (const reference of referring.resource.references ?? []) {
    if (reference.name === ITSELF)
      found.push(...(await shownByItself(values, reference, referring)))
    else if (reference.shows !== undefined)
      found.push(...(await valueBeside(values, reference, referring)))
    else found.push(...(await referredBy(values, reference, referring)))
  }
  return found.length === 0 ? values : { ...values, ...Object.fromEntries(found) }
}

/** The values that name the caller by its id, where paths have a text for it: `assignee: 'me'`. */
async function withCallers(
  values: StoredRecord,
  { resource, store, caller }: Pick<Parameters<typeof withReferred>[1], 'caller'> & Referring,
): Promise<StoredRecord> {
  let named = values
  for (const { name, by = name, of, shows } of resource.references ?? []) {
    const target = shows === undefined && name !== ITSELF ? of() : undefined
    const text = target?.callerId
    const places = [...new Set([name, by])].filter((one) => isCalled(getOwn(values, one), text))
    const id = target && places.length > 0 ? await callerId(target, store, caller) : undefined
    if (id === undefined) continue
    const own = places.map((one) => [one, calledBy(getOwn(values, one), text, id)] as const)
    named = { ...named, ...Object.fromEntries(own) }
  }
  return named
}

/** Whether a value, or an item of a list, is the text for the caller. */
function isCalled(value: unknown, text: string | undefined): boolean {
  return text !== undefined && [value].flat().includes(text)
}

function calledBy(value: unknown, text: string | undefined, id: Id): unknown {
  return Array.isArray(value) ? value.map((one) => (one === text ? id : one)) : id
}

/** One value of the record that a property names, such as `account_name` beside `account_id`. */
async function valueBeside(
  values: StoredRecord,
  { name, by = name, of, shows = name }: Reference,
  { isChange, sent, ...referring }: Parameters<typeof withReferred>[1],
): Promise<Values> {
  if (Object.hasOwn(sent, name)) return [[givenName(name), true]]
  const target = of()
  const key = getOwn(sent, by) ?? getOwn(values, by)
  if (!target || !(typeof key === 'string' || typeof key === 'number')) return []
  const found = await find(key, target, referring)
  const value = getOwn((await viewIn(target.schema, found, referring.view)) ?? {}, shows)

  if (value === undefined) return []
  return [[name, value], ...(isChange ? [[givenName(name), false] as const] : [])]
}

/** What a record has that shows another one, besides what a client sent: the values of that one, by which lists select it, too. */
async function shownByItself(
  values: StoredRecord,
  { of }: Reference,
  { isChange, sent, ...referring }: Parameters<typeof withReferred>[1],
): Promise<Values> {
  const target = of()
  const key = target && keyIn(values, target)
  if (isChange || !target || key === undefined) return []
  const shown = await viewIn(
    referring.resource.schema,
    await find(key, target, referring),
    referring.view,
  )
  const known = propertiesOf(target.schema)

  return Object.entries(shown ?? {}).filter(
    ([name]) => known.has(name) && name !== referring.resource.id && !Object.hasOwn(sent, name),
  )
}

/** What values say about a reference: what it shows, the key in the property beside it, and whether the client gave the rest. */
async function referredBy(
  values: StoredRecord,
  reference: Reference,
  { isChange, sent, ...referring }: Parameters<typeof withReferred>[1],
): Promise<Values> {
  const { name, by = name } = reference
  const properties = propertiesOf(referring.resource.schema)
  const schema = properties.get(name)
  const value = await namedValue(values, reference, { ...referring, isChange, sent })
  if (!schema || value === undefined) return []
  const beside = by === name ? undefined : properties.get(by)
  const isSent = (one: string): boolean => Object.hasOwn(sent, one)
  if (value === null) {
    const emptied = [...(beside && matches(beside, null) ? [by] : []), name]
    return emptied.filter((one) => !isSent(one)).map((one) => [one, null])
  }
  const { shown, isGiven } = await shownIn(value, schema, reference, referring)
  const key = beside && !isSent(by) ? keyBeside(shown, beside, reference) : undefined

  return [
    ...(shown === getOwn(values, name) ? [] : [[name, shown] as const]),
    ...(key === undefined ? [] : [[by, key] as const]),
    ...(isGiven || isChange ? [[givenName(name), isGiven] as const] : []),
  ]
}

/** What names the record of a reference: what the request has, else what the service knows of it. */
async function namedValue(
  values: StoredRecord,
  reference: Reference,
  { isChange, sent, ...referring }: Parameters<typeof withReferred>[1],
): Promise<unknown> {
  const { name, by = name } = reference
  const known = [sent, values].flatMap((one) => [getOwn(one, name), getOwn(one, by)])
  const given = idInside(values, name, referring.resource) ?? known.find((one) => one !== undefined)
  const isChosen = !isChange && (given === undefined || given === null)

  return (isChosen ? await chosen(reference, referring) : undefined) ?? given
}

/** What names the record of a reference whose id is that of the record itself: `user` of the member at `/members/{user_id}`. */
function idInside(
  values: StoredRecord,
  name: string,
  { id, viewHints }: Resource,
): StoredRecord | undefined {
  const [outer, key, ...inner] = parsePointer(viewHints?.id ?? '')
  const own = getOwn(values, id)
  const isNamed = outer === name && key !== undefined && inner.length === 0 && own !== undefined

  return isNamed ? { [key]: own } : undefined
}

/** The id of a record for a reference that requests cannot name, such as the workspace of a task; `undefined` for others. */
async function chosen(
  { name, by, of }: Reference,
  { resource, store }: Referring,
): Promise<unknown> {
  const { schema, sent = [] } = resource
  const target = of()
  const own = propertiesOf(schema).get(name)
  const isSent = sent.some((one) => {
    const names = propertiesOf(one)
    return names.has(name) || (by !== undefined && names.has(by))
  })
  const isNone = absentNames(resource).has(name)
  const isFree = own && !itemsOf(own) && !matches(own, null) && !isSent && !isNone
  if (!(target && isFree) || target.parents?.length || target === resource) return undefined
  const records = await store.open(target)
  const {
    records: [first],
  } = await records.page({ limit: 1 })

  return first && idOf(first, target.id)
}

/** The key of what a reference shows, or a list of keys, as the property beside it has it; `undefined` when it cannot. */
function keyBeside(shown: unknown, schema: Schema, { of }: Reference): unknown {
  const target = of()
  const items = itemsOf(schema)
  const keyOf = (one: unknown, own: Schema): unknown => {
    const key = target && keyIn(one, target)
    return key === undefined ? undefined : asType(key, own)
  }
  if (!(items && Array.isArray(shown))) return items ? undefined : keyOf(shown, schema)
  const keys = shown.map((one) => keyOf(one, items))

  return keys.includes(undefined) ? undefined : keys
}

/** What is shown for a value, and whether a client said more of it than what names the record. */
interface Shown {
  readonly shown: unknown
  readonly isGiven: boolean
}

async function shownIn(
  value: unknown,
  schema: Schema,
  reference: Reference,
  referring: Referring,
): Promise<Shown> {
  const items = itemsOf(schema)
  if (!items) return shownFor(value, schema, reference, referring)
  if (!Array.isArray(value)) return { shown: value, isGiven: false }
  const all: Shown[] = []
  for (const item of value) all.push(await shownFor(item, items, reference, referring))
  const isSame = all.every(({ shown }, at) => shown === value[at])

  return {
    shown: isSame ? value : all.map(({ shown }) => shown),
    isGiven: all.some(({ isGiven }) => isGiven),
  }
}

/** What a schema shows of the record that a value names; the value itself when it names none. */
export async function shownAs(
  value: unknown,
  schema: Schema,
  reference: Pick<Reference, 'of'>,
  referring: Referring,
): Promise<unknown> {
  return (await shownFor(value, schema, reference, referring)).shown
}

async function shownFor(
  value: unknown,
  schema: Schema,
  { of }: Pick<Reference, 'of'>,
  referring: Referring,
): Promise<Shown> {
  const unchanged = { shown: value, isGiven: false }
  const target = of()
  const shown = withBranches(schema).find((one) => propertiesOf(one).size > 0)
  const key = target && keyIn(value, target)
  if (!(target && shown) || key === undefined) return unchanged
  const found = await find(key, target, referring)
  if (!found.record)
    return isObject(value)
      ? unchanged
      : { shown: unknownAs(key, schema, shown, target), isGiven: false }
  const own = await viewIn(schema, found, referring.view)
  if (!own) return unchanged
  const whole = isObject(value) ? { ...own, ...value } : own
  const isAllowed = matches(shown, whole)

  return { shown: isAllowed ? whole : own, isGiven: isAllowed && saysMore(value, own, target) }
}

/** Whether a client sent other values of a record than it has, besides its keys. */
function saysMore(value: unknown, own: StoredRecord, { id, keys = [] }: Resource): boolean {
  if (!isObject(value)) return false
  return Object.entries(value).some(
    ([name, one]) =>
      ![id, ...keys].includes(name) && Object.hasOwn(own, name) && !areEqual(one, own[name]),
  )
}

/** An object with the key of a record that does not exist, where the schema has no place for the key alone. */
function unknownAs(key: string | number, schema: Schema, shown: Schema, target: Resource): unknown {
  if (matches(schema, key)) return key
  const properties = propertiesOf(shown)
  for (const name of [target.id, ...(target.keys ?? [])]) {
    const own = properties.get(name)
    const typed = own && asType(key, own)
    if (typed !== undefined) return { [name]: typed }
  }
  return key
}
