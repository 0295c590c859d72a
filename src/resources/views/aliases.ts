import { typesIn } from '../../contract/schema.ts'
import { parametersIn, shapeOf, withoutNames } from '../../inference/path-shape.ts'
import { type Awaitable, allKnown, bothKnown, whenKnown } from '../../records/awaitable.ts'
import { type Id, idsLike, type StoredRecord } from '../../records/record-table.ts'
import { matcherOf, type RecordSelection, type RecordTest } from '../../records/selection.ts'
import { asType } from '../../responses/documented-value.ts'
import { getOwn, isObject, once } from '../../validation/objects.ts'
import type { ResourceBinding } from '../bind.ts'
import { collectionName, type PathValues } from '../collection-name.ts'
import { idOf } from '../id-generator.ts'
import { keyTexts } from '../keys.ts'
import type { Alias, AliasBinding, Resource } from '../resource.ts'
import type { Records } from '../store/records.ts'
import type { Store } from '../store/store.ts'
import { callerId, type RequestCaller } from './caller-record.ts'
import { withValueAt } from './record-body.ts'
import { valueAt } from './service-values.ts'
import { idsWithMember, type UnitedRecords, uniteBelow } from './united-records.ts'

// A path that is an alias shows a part of a collection: the records that have the values of its path parameters.

/** The alias that leads to the records of an operation; `undefined` when its path is below that of the collection. */
export const aliasOf: (binding: ResourceBinding) => Alias | undefined = once(
  ({ operation, resource }) => aliasAt(operation.path, resource),
)

/** The alias of a resource that a path is below; `undefined` when it is below its own path. */
export function aliasAt(template: string, resource: Resource): Alias | undefined {
  const { aliases = [] } = resource
  if (aliases.length === 0) return undefined
  const path = `${withoutNames(shapeOf(template).path)}/`
  const isBelow = ({ path: one }: Pick<Resource, 'path'>): boolean =>
    path.startsWith(`${withoutNames(decodeURI(one))}/`)
  const depth = ({ path: one }: Pick<Resource, 'path'>): number => one.split('/').length
  const found = aliases.filter(({ at }) => isBelow(at))
  const [deepest] = [...found].sort((one, two) => depth(two.at) - depth(one.at))
  const isOwn = isBelow(resource) && depth(resource) >= (deepest ? depth(deepest.at) : 0)

  return isOwn ? undefined : deepest
}

/** The part of a collection that a path shows. */
export interface Part {
  readonly alias: Alias
  /** The values of the path parameters of the alias. */
  readonly parameters: PathValues
  readonly selection: RecordSelection
}

/**
 * The part of a collection that a path shows with these parameters. Parameters without a value select nothing. `keys` are the further keys
 * of the record right above, by which records may name it as well.
 */
function partAt(alias: Alias, parameters: PathValues, keys: readonly string[] = []): Part {
  const last = alias.at.parents?.at(-1)
  const known = alias.by.flatMap(({ parameter, place, isListed = false }) => {
    const value = getOwn(parameters, parameter)
    const others = parameter === last ? keys : []
    return value === undefined
      ? []
      : [{ place, isListed, wanted: [...idsLike(toId(value)), ...others] }]
  })
  const where: Record<string, unknown> = {}
  const tests: RecordTest[] = []
  for (const { place, isListed, wanted } of known) {
    if (place.length === 1 && !isListed) where[place[0]] = wanted
    else tests.push({ places: [place], is: 'equal', wanted })
  }
  return { alias, parameters, selection: { where, ...(tests.length > 0 && { tests }) } }
}

/** The part of a collection that a path shows; its records may be those that have a record of the path among what is below them. */
export function selectedPart(
  alias: Alias,
  located: PathValues,
  own: PathValues,
  store: Store,
): Awaitable<Part> {
  const { members } = alias
  const below = members?.of()
  if (!members || !below)
    return whenKnown(keysAbove(alias, located, store), (keys) => partAt(alias, located, keys))
  const part = partAt(alias, located)
  const member = getOwn(located, members.parameter)
  return whenKnown(idsAbove(alias.of(), own, store), async (first) => {
    const ids = await idsWithMember({ below, member, first, own }, store)
    const where = { [alias.of().id]: ids }
    return { ...part, selection: bothSelections(part.selection, { where }) }
  })
}

/** The further keys of the record right above the records of an alias, where these have its id or one of them. */
function keysAbove(alias: Alias, located: PathValues, store: Store): Awaitable<readonly string[]> {
  const above = alias.above()
  const id = getOwn(located, alias.at.parents?.at(-1) ?? '')
  const hasText = alias.by.some(({ schema }) => typesIn(schema).has('string'))
  if (!above?.keys?.length || id === undefined || !hasText) return []
  const parents = Object.fromEntries(
    parametersIn(above.path).map((name) => [name, getOwn(located, name)] as const),
  )
  return whenKnown(store.open(above, parents), (records) =>
    whenKnown(records.get(toId(id)), (record) => (record ? namesOf(record, above) : [])),
  )
}

/** The further keys of a record that cannot be the id of another one. */
function namesOf(record: StoredRecord, resource: Resource): readonly string[] {
  return keyTexts(record, resource).filter((text) => !/^\d+$/.test(text))
}

function toId(value: unknown): Id {
  return typeof value === 'number' ? value : String(value)
}

export function isInPart(record: StoredRecord, { selection }: Part): boolean {
  return matcherOf(selection).matches(record)
}

/** Records that are in both selections, or in the only one. */
export function bothSelections(
  one: RecordSelection | undefined,
  other: RecordSelection,
): RecordSelection
export function bothSelections(
  one: RecordSelection | undefined,
  other: RecordSelection | undefined,
): RecordSelection | undefined
export function bothSelections(
  one: RecordSelection | undefined,
  other: RecordSelection | undefined,
): RecordSelection | undefined {
  if (!(one && other)) return one ?? other
  const where = { ...one.where }
  const tests = [...(one.tests ?? []), ...(other.tests ?? [])]
  for (const [name, wanted] of Object.entries(other.where ?? {})) {
    if (Object.hasOwn(where, name))
      tests.push({ places: [[name]], is: 'equal', wanted: [wanted].flat() })
    else where[name] = wanted
  }
  return { where, ...(tests.length > 0 && { tests }) }
}

/** What says where the records of an alias are. */
interface AliasRequest {
  /** The values of the path parameters, with the ids of the records above. */
  readonly located: PathValues
  /** The same as the path has them. */
  readonly named: PathValues
  readonly caller?: RequestCaller | undefined
  /** The record that a request creates, if it does. */
  readonly sent?: unknown
}

/** The path parameters of the collection that has the records of an alias. */
export function ownParameters(
  alias: Alias,
  { located, named, caller, sent }: AliasRequest,
  store: Store,
): Awaitable<PathValues> {
  const { own, owners, callers, across } = alias
  const known = [
    ...own.map(([name, here]) => [name, getOwn(located, here)] as const),
    ...owners.map(([name, here]) => [name, getOwn(named, here)] as const),
  ]
  const { path } = alias.of()
  const called = callers.map(({ name, of, word }) => {
    const resource = of()
    const isAbove = resource !== undefined && path.startsWith(`${resource.path}/{${name}}`)
    const key = isAbove
      ? callerId(resource, store, caller)
      : keyOfCaller(resource, name, { caller, store })
    return whenKnown(key, (known = word) => [name, known] as const)
  })
  const given = across.map(({ parameter, place }, at) => {
    const isLast = at === across.length - 1
    return [parameter, valueAt(sent, place) ?? (isLast ? undefined : NO_PARENT)] as const
  })
  const [parameter, value] = given.at(-1) ?? []
  const one =
    parameter !== undefined && value === undefined
      ? whenKnown(firstAbove(alias, Object.fromEntries([...known, ...given]), store), (first) => [
          [parameter, first] as const,
        ])
      : []
  return bothKnown(allKnown(called), one, (all, parent) =>
    Object.fromEntries([...known, ...all, ...given, ...parent]),
  )
}

/** The id of the first record above those of all collections. */
function firstAbove({ above }: Alias, own: PathValues, store: Store): Awaitable<unknown> {
  return whenKnown(idsAbove(above(), own, store), ([id = NO_PARENT]) => id)
}

/** What the parent is called where there is none. */
const NO_PARENT = 'default'

/** So many collections are listed together, besides those that were changed. */
const MOST_PARENTS = 50

function idsAbove(
  parent: Resource | undefined,
  own: PathValues,
  store: Store,
): Awaitable<readonly Id[]> {
  if (!parent) return []
  return whenKnown(store.open(parent, own), (records) =>
    whenKnown(records.page({ limit: MOST_PARENTS }), ({ records: all }) =>
      all.flatMap((record) => idOf(record, parent.id) ?? []),
    ),
  )
}

/** The records below all parents. */
export async function unitedRecords(
  { alias }: Part,
  parameters: PathValues,
  store: Store,
): Promise<UnitedRecords> {
  const ids = await idsAbove(alias.above(), parameters, store)
  const across = alias.across.map(({ parameter }) => parameter)
  return uniteBelow(alias.at.name, alias.of(), { ids, across, parameters }, store)
}

/** What paths call the caller, or the only record of a resource: a text such as its login, else its id. */
function keyOfCaller(
  resource: Resource | undefined,
  parameter: string,
  { caller, store }: { readonly caller: RequestCaller | undefined; readonly store: Store },
): Awaitable<Id | undefined> {
  if (!resource) return undefined
  const id = resource.isSingle ? undefined : callerId(resource, store, caller)
  const found = whenKnown(store.open(resource), (records) =>
    whenKnown(id, (known) =>
      known === undefined
        ? whenKnown(records.page({ limit: 1 }), ({ records: [only] }) => only)
        : records.get(known),
    ),
  )
  return whenKnown(found, (record = {}) => {
    const names = [parameter, 'login', 'username', 'slug', 'name', 'id']
    return names.map((name) => idOf(record, name)).find((key) => key !== undefined)
  })
}

/** A record as one of a part: it has the values of the path. */
export function inPart(record: StoredRecord, { alias, parameters }: Part): StoredRecord {
  return alias.by.reduce((changed, binding) => {
    const value = getOwn(parameters, binding.parameter)
    return value === undefined ? changed : withBound(changed, binding, value)
  }, record)
}

/**
 * A record with the value of a path parameter; as it is where the property cannot have it. A list has it besides what it has, unless that is
 * not known to exist.
 */
export function withBound(
  record: StoredRecord,
  { place, schema, isListed }: AliasBinding,
  value: unknown,
  { isFirst = false }: { readonly isFirst?: boolean } = {},
): StoredRecord {
  const typed = asType(value, schema)
  if (typed === undefined) return record
  if (isListed) {
    const [name, ...inner] = place
    const items = [getOwn(record, name) ?? []].flat()
    const isThere = items.some((item) => valueAt(item, inner) === typed)
    if (isThere && !isFirst) return record
    const own = withValueAt(isFirst && inner.length > 0 ? items[0] : undefined, inner, typed)
    return { ...record, [name]: isFirst ? [own] : [...items, own] }
  }
  const changed = withValueAt(record, place, typed)
  return isObject(changed) ? changed : record
}

/** The values of the path parameters of an alias that lead to a record, as far as it has them. `own` are those of its collection. */
export function parametersFor(alias: Alias, record: StoredRecord, own: PathValues): PathValues {
  const bound = alias.by.flatMap(({ parameter, place }) => {
    const value = valueAt(record, place)
    const isKnown = typeof value === 'string' || typeof value === 'number'
    return isKnown ? [[parameter, value] as const] : []
  })
  const shared = [...alias.own, ...alias.owners].map(
    ([name, here]) => [here, getOwn(own, name)] as const,
  )
  return Object.fromEntries([...shared, ...bound])
}

/** A record that was removed, and where it was. */
interface Removed {
  readonly record: StoredRecord
  readonly parameters: PathValues
  readonly store: Store
}

/**
 * Removes the records below a removed one that other paths show, and those below them, and its id from the records of others. Resolves with a
 * function that undoes it. What its own path shows below a record is gone without it.
 */
export async function removeBelow(
  resource: Resource,
  removed: Removed,
): Promise<() => Promise<void>> {
  const undoBelow = await removeAll(resource.findBelow?.() ?? [], resource, removed)
  const undoForget = await removed.store.forget(resource, removed.parameters, removed.record)
  return async () => {
    await undoForget()
    await undoBelow()
  }
}

async function removeAll(
  aliases: readonly Alias[],
  resource: Resource,
  { record, parameters, store }: Removed,
): Promise<() => Promise<void>> {
  const undone: (() => Promise<void>)[] = []
  const above = Object.values(ownValues(resource.path, parameters))
  const id = idOf(record, resource.id)
  for (const alias of aliases) {
    // Records below an owner, and paths to them, may name it by each of its keys.
    const keys = alias.owners.length > 0 ? keyTexts(record, resource) : namesOf(record, resource)
    const names = [id, ...keys]
    for (const name of names) undone.push(await removeShown(alias, [...above, name], store))
  }
  return async () => {
    for (const undo of undone.reverse()) await undo()
  }
}

/** Removes what an alias shows, where its first parameters have these values. */
async function removeShown(
  alias: Alias,
  values: readonly unknown[],
  store: Store,
): Promise<() => Promise<void>> {
  const undone: (() => Promise<void>)[] = []
  const names = parametersIn(alias.at.path).slice(0, values.length)
  const known = Object.fromEntries(names.map((name, at) => [name, values[at]] as const))
  const resource = alias.of()
  const parameters = await ownParameters(alias, { located: known, named: known }, store)
  const records = await store.open(resource, parameters)
  const { records: found } = await records.page(partAt(alias, known).selection)
  for (const record of found) {
    const one = idOf(record, resource.id) ?? ''
    if (!(await records.remove(one))) continue
    const undo = await removeBelow(resource, { parameters, record, store })
    undone.push(async () => {
      await records.undo(one, record, undefined)
      await undo()
    })
  }
  return async () => {
    for (const undo of undone.reverse()) await undo()
  }
}

/** The values of the parameters in a path, in their order. */
function ownValues(path: string, parameters: PathValues): PathValues {
  return Object.fromEntries(parametersIn(path).map((name) => [name, getOwn(parameters, name)]))
}

/**
 * Adds first records to a part below a record that nobody created, if it has none and never had any: whatever a client names there has
 * some. They are those that a collection of its own at this path would start with. Resolves with whether it added some.
 */
export async function startPart(part: Part, records: Records, store: Store): Promise<boolean> {
  const { alias, parameters, selection } = part
  if (alias.by.length === 0 || (await records.count(selection))) return false
  const rows = await store.firstBelow(alias, parameters)
  if (rows.length === 0) return false
  const { id } = alias.at
  const values = rows.map(({ [id]: _, ...row }) => inPart(row, part))

  return records.start(`/${collectionName(alias.at, parameters)}`, values)
}
