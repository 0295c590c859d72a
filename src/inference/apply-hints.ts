import type { Operation } from '../contract/contract.ts'
import {
  type CountedHints,
  callersIn,
  countedWord,
  type FailureHints,
  HIDDEN_ID,
  heldStateIn,
  type OperationHints,
  type ResourceHints,
  wordBelow,
} from '../contract/hints.ts'
import { mainView } from '../contract/operation-cases.ts'
import { once } from '../validation/objects.ts'
import type { GivenAliases } from './aliases.ts'
import { shapeOf, UNNAMED, withoutNames, wordOf } from './path-shape.ts'

/** The hints of a document. Each is found when it is first needed, because that reads the schemas of its operations. */
export interface Inference {
  of(operation: Operation): OperationHints
  /** The paths of the collections by the names of their resources. What describes no records turns out to be no resource. */
  readonly paths: ReadonlyMap<string, string>
  /** A resource by its name; `undefined` when nothing describes its records. */
  resource(name: string): ResourceHints | undefined
  /** The path of the collection that a path is an alias of; `undefined` for another path. */
  aliasOf(path: string): string | undefined
}

/**
 * Corrects what was inferred by the hints of the document. A hint replaces the field of its name as a whole, and `false` removes
 * it. With `inference: false`, only the hints count. `operations` are those of the document.
 */
export function applyHints(
  inferred: Inference,
  given: GivenHints,
  operations: readonly Operation[],
): Inference {
  const before = given.inference ? inferred : NOTHING
  const { paths, resource, aliasOf, renamed } = withPaths(before, given.paths)
  const bound = (hints: OperationHints): OperationHints =>
    hints.action === 'stateless' || resource(hints.resource ?? '')
      ? hints
      : { ...UNBOUND, ...answering(hints) }
  const { failures } = given
  const corrected = (operation: Operation): OperationHints => {
    const hints = given.operations.get(operation.id)
    if (!hints) return renamed(before.of(operation))
    const { cases: givenCases, ...own } = hints
    const cases = (givenCases || []).map(({ when, ...one }) => ({
      ...bound(correctOperation(UNSAID, { ...(failures && { failures }), ...one })),
      when,
    }))
    return {
      ...bound(correctOperation(renamed(before.of(operation)), own)),
      ...(cases.length > 0 && { cases }),
    }
  }
  const of = (operation: Operation): OperationHints => {
    const hints = corrected(operation)
    const isOwn = given.operations.get(operation.id)?.failures !== undefined
    return failures && !isOwn ? { ...hints, failures } : hints
  }

  const isAbove = createIsAbove(given, operations)
  // Only hints say what happens later, so few operations are read.
  const later = operations.filter(({ id }) => given.operations.get(id)?.after)
  const keyedAbove = createKeyedAbove(paths, resource)

  return {
    of,
    paths,
    aliasOf,
    resource: (name) => {
      const hints = resource(name)
      if (!hints) return undefined
      const changesLater =
        hints.changesLater ?? later.some((operation) => of(operation).resource === name)
      const hasChildren = isAbove(hints)
      const keyed = keyedAbove(hints.path)
      const view = hints.view ?? mainView(name, operationsElsewhere(hints, operations, given))?.id
      const callers = Object.values(hints.values ?? {})
        .map(callersIn)
        .find(Boolean)
      return {
        ...hints,
        ...(view !== undefined && { view }),
        ...(changesLater && { changesLater }),
        ...(hasChildren && { hasChildren }),
        ...(keyed.length > 0 && { keyed }),
        ...(callers !== undefined && { callers }),
      }
    },
  }
}

/** Finds out whether there are collections below the records of a resource: by their paths, or as hints say. */
function createIsAbove(
  { paths }: GivenHints,
  operations: readonly Operation[],
): (resource: ResourceHints) => boolean {
  const above = new Set(operations.map(({ path }) => withoutNames(parentOf(path))))
  const named = new Set([...paths.values()].flatMap(({ within }) => Object.values(within || {})))
  return ({ name, item, hasChildren }) =>
    hasChildren === true || named.has(name) || (item !== undefined && above.has(withoutNames(item)))
}

/**
 * The operations that hints bind to a resource of which no path of the document has records, as in calls by name; none for other resources,
 * whose operations are found by their paths.
 */
export function operationsElsewhere(
  { name, path }: Pick<ResourceHints, 'name' | 'path'>,
  operations: readonly Operation[],
  { operations: given }: Pick<GivenHints, 'operations'>,
): readonly Operation[] {
  const ids = idsByResource(given).get(name)
  if (!ids) return []
  const naming = operations.filter(({ id }) => ids.has(id))
  const own = withoutNames(path)
  const isHere = operations.some((one) => `${withoutNames(one.path)}/`.startsWith(`${own}/`))

  return isHere ? [] : naming
}

/** The ids of the operations whose hints name a resource. */
const idsByResource = once((given: GivenHints['operations']) => {
  const byResource = new Map<string, Set<string>>()
  for (const [id, { resource, cases }] of given) {
    for (const name of [resource, ...(cases || []).map((one) => one.resource)]) {
      if (typeof name === 'string')
        byResource.set(name, (byResource.get(name) ?? new Set()).add(id))
    }
  }
  return byResource
})

/** What the hints of a document say about aliases. */
export function givenAliases({ paths }: GivenHints): GivenAliases {
  return {
    paths: [...paths].flatMap(([path, { aliases }]) => (aliases ? path : [])),
    of: (path) => paths.get(path)?.aliases,
    isOwn: (path) => {
      const { resource, collection } = paths.get(path) ?? {}
      return resource !== undefined || collection !== undefined
    },
  }
}

/** Finds which properties of the records above a collection count or list its records, by its path. */
export function countersOf({
  paths,
  resource,
}: Pick<Inference, 'paths' | 'resource'>): (path: string) => CountedHints | undefined {
  const names = new Map([...paths].map(([name, path]) => [withoutNames(path), name]))
  return (path) => {
    const { stem = '' } = shapeOf(parentOf(path))
    const name = names.get(withoutNames(stem))
    const values = name === undefined ? {} : (resource(name)?.values ?? {})
    const word = wordOf(path)
    const counts = Object.entries(values).flatMap(([by, value]) =>
      countedWord(value) === word ? { by, state: heldStateIn(value) } : [],
    )
    const listed = Object.entries(values).flatMap(([property, value]) =>
      wordBelow(value) === word ? property : [],
    )
    if (name === undefined || counts.length + listed.length === 0) return undefined
    const inState = counts.flatMap(({ by, state }) => (state ? { by, ...state } : []))
    return {
      resource: name,
      by: counts.flatMap(({ by, state }) => (state ? [] : by)),
      ...(inState.length > 0 && { inState }),
      ...(listed.length > 0 && { listed }),
    }
  }
}

/** The path above that of a collection: `/orgs/{org}` of `/orgs/{org}/repos` and of `/orgs/{org}/repos/{repo}`. */
export function parentOf(template: string): string {
  const { path, stem = path } = shapeOf(template)
  return stem.slice(0, stem.lastIndexOf('/'))
}

/** Finds the resources above a path whose records have further keys or other names, those at the top first. */
export function createKeyedAbove(
  paths: Inference['paths'],
  resource: Inference['resource'],
): (path: string) => readonly string[] {
  const byPath = once((_: Inference['paths']) => {
    return new Map([...paths].map(([name, path]) => [withoutNames(path), name]))
  })
  return (path) => {
    const segments = withoutNames(path).split('/')
    return segments.flatMap((segment, at) => {
      if (segment !== UNNAMED) return []
      const name = byPath(paths).get(segments.slice(0, at).join('/'))
      const { keys, renames, callerId, idWords } = (name !== undefined && resource(name)) || {}
      return name !== undefined && (keys || renames || callerId || idWords) ? name : []
    })
  }
}

/** An operation of a resource that a hint removed. */
const UNKNOWN: OperationHints = { action: 'stateless', reason: 'hint' }

/** What an operation does of which no hint says anything. */
const UNSAID: OperationHints = { action: 'stateless', reason: 'no-action' }

const NOTHING: Inference = {
  of: () => UNSAID,
  paths: new Map(),
  resource: () => undefined,
  aliasOf: () => undefined,
}

/** An operation of a resource that does not exist. */
const UNBOUND: OperationHints = { action: 'stateless', reason: 'no-record' }

interface CorrectedPaths extends Pick<Inference, 'paths' | 'resource' | 'aliasOf'> {
  /** The hints of an operation with the name that its resource has now. */
  renamed(hints: OperationHints): OperationHints
}

function withPaths(before: Inference, paths: GivenHints['paths']): CorrectedPaths {
  // Without hints for paths, no resource is read that is not needed.
  if (paths.size === 0) return { ...before, renamed: (hints) => hints }
  const inferred = [...before.paths.keys()].flatMap((name) => before.resource(name) ?? [])
  const { resources, names } = correctResources(inferred, paths)
  const byName = new Map(resources.map((resource) => [resource.name, resource]))
  const aliases = new Map(
    resources.flatMap(({ path, aliases: own = {} }) =>
      Object.keys(own).map((alias) => [alias, path] as const),
    ),
  )

  return {
    aliasOf: (path) => aliases.get(path),
    paths: new Map(resources.map(({ name, path }) => [name, path])),
    resource: (name) => byName.get(name),
    renamed: (hints) => rename(hints, names),
  }
}

function rename(
  { streams, ...others }: OperationHints,
  names: ReadonlyMap<string, string>,
): OperationHints {
  const left = streams === undefined ? [] : [streams].flat().flatMap((one) => names.get(one) ?? [])
  const hints = left.length === 0 ? others : { ...others, streams: left }
  if (hints.resource === undefined) return hints
  const resource = names.get(hints.resource)
  if (resource === undefined) return UNKNOWN

  return resource === hints.resource ? hints : { ...hints, resource }
}

function correctOperation(inferred: OperationHints, given: GivenOperationHints): OperationHints {
  const { action: _action, reason: _reason, ...optional } = inferred
  const { action: _given, reason, ...corrections } = given
  const action = actionOf(inferred, given)
  if (action === 'stateless') {
    const { streams = given.resource === false ? false : inferred.streams } = given
    const answer = answering(streams === undefined ? given : { ...given, streams })
    return { action, reason: reason || 'hint', ...answer }
  }

  return { action, ...correctFields(optional, corrections) }
}

/** The hints that a stateless operation may have, too. */
function answering({
  answer,
  streams,
  failures,
  codes,
}: GivenOperationHints): Pick<OperationHints, 'answer' | 'streams' | 'failures' | 'codes'> {
  return {
    ...(answer && { answer }),
    ...(streams && { streams }),
    ...(failures && { failures }),
    ...(codes && { codes }),
  }
}

function actionOf(
  inferred: OperationHints,
  { action, resource, set, from, after, refuse, also }: GivenOperationHints,
): OperationHints['action'] {
  if (resource === false) return 'stateless'
  if (action) return action
  // What changes a record is an action on it.
  const isAct = set || from || after || refuse || also
  return inferred.action === 'stateless' && isAct ? 'act' : inferred.action
}

/** The resources of a document with the hints of its paths. */
interface CorrectedResources {
  readonly resources: readonly ResourceHints[]
  /** The name of each inferred resource that is left, by the name that was inferred. */
  readonly names: ReadonlyMap<string, string>
}

/** Corrects the resources that were inferred, and adds those that hints name. */
function correctResources(
  inferred: readonly ResourceHints[],
  paths: GivenHints['paths'],
): CorrectedResources {
  const given = [...paths].map(([path, hints]) => {
    return { path, hints, target: targetOf(path, hints, inferred) }
  })
  const left = inferred.flatMap((resource) => {
    const own = given.flatMap(({ hints, target }) => (target === resource ? [hints] : []))
    const isRemoved = own.some((hints) => hints.resource === false)
    return isRemoved ? [] : [[resource.name, own.reduce(correctResource, resource)] as const]
  })
  const added = new Map<string, ResourceHints>()
  for (const { path, hints, target } of given) {
    const { collection = path } = hints
    if (!hints.resource || target) continue
    const before = added.get(collection) ?? newResource(path, collection, hints)
    added.set(collection, correctResource(before, hints))
  }
  return {
    resources: [...left.map(([, resource]) => resource), ...added.values()],
    names: new Map(left.map(([origin, { name }]) => [origin, name])),
  }
}

/** The inferred resource that the hints of a path are about: that of a collection before that of a record. */
function targetOf(
  path: string,
  { collection = path }: GivenResourceHints,
  inferred: readonly ResourceHints[],
): ResourceHints | undefined {
  return (
    inferred.find((one) => one.path === collection) ??
    inferred.find((one) => one.path === path) ??
    inferred.find((one) => one.item === path)
  )
}

function newResource(
  path: string,
  collection: string,
  { single }: GivenResourceHints,
): ResourceHints {
  const item = path === collection ? {} : { item: path }
  // The only record of a path is named by the path, unless a property is said to be its id.
  const id = single ? ({ id: HIDDEN_ID, hasHiddenIds: true } as const) : { id: 'id' }
  return { name: collection.slice(1), path: collection, ...id, ...item }
}

function correctResource(resource: ResourceHints, hints: GivenResourceHints): ResourceHints {
  const { resource: name, collection, item, id, hiddenIds, single, ...others } = hints
  const {
    schema: schemaName,
    later: changesLater,
    keys,
    ids,
    idExample,
    callerId,
    idWords,
    renames,
    view,
    values,
    shownOnce,
    unique,
    aliases,
    references,
    idReferences,
    within,
    subscription,
  } = others
  const { name: _name, path: _path, id: _id, ...optional } = resource
  // A property that hints name is no hidden one, unless they say so.
  const hasHiddenIds = hiddenIds ?? (id === undefined ? undefined : false)
  const own = {
    item,
    keys,
    idExample,
    callerId,
    idWords,
    renames,
    view,
    schemaName,
    changesLater,
    values,
    shownOnce,
    unique,
    aliases,
    references,
    idReferences,
    within,
    subscription,
  }
  const corrections = { ...own, ids: ids === 'server' ? false : ids }

  return {
    name: name || resource.name,
    path: collection ?? resource.path,
    id: id ?? (hiddenIds ? HIDDEN_ID : resource.id),
    ...correctFields(optional, { ...corrections, hasHiddenIds, isSingle: single }),
  }
}

/** Fields with their corrections. `undefined` leaves a field as it is, and `false` removes it. */
function correctFields(
  fields: object,
  corrections: object,
): Partial<ResourceHints & OperationHints> {
  const given = Object.entries(corrections).filter(([, value]) => value !== undefined)
  const all = Object.entries({ ...fields, ...Object.fromEntries(given) })

  return Object.fromEntries(all.filter(([, value]) => value !== false))
}

/** What a document says about an operation by `x-sandbox`. `false` says that the operation has no such thing. */
export type GivenOperationHints = {
  readonly [Name in keyof OperationHints]?: OperationHints[Name] | false
}

/** What a document says about the records at a path by the `x-sandbox` of a path item. */
export interface GivenResourceHints {
  /** The name of the resource; `false` when the path has no records. */
  readonly resource?: string | false
  /** The path template of the collection; default: the path that has the hint. */
  readonly collection?: string
  /** The path template of one record; `false` when no path leads to one. */
  readonly item?: string | false
  readonly id?: string
  readonly keys?: readonly string[] | false
  readonly hiddenIds?: boolean
  readonly ids?: NonNullable<ResourceHints['ids']>
  readonly idExample?: string | false
  readonly callerId?: string | false
  readonly idWords?: NonNullable<ResourceHints['idWords']> | false
  readonly renames?: boolean
  readonly single?: boolean
  /** The path of a record of which this path leads to the caller's own; `false` when it does not. */
  readonly caller?: string | false
  readonly view?: string | false
  /** The name of the schema of a record. */
  readonly schema?: string | false
  /** Whether handlers may change the records later. */
  readonly later?: boolean
  readonly values?: ResourceHints['values'] | false
  readonly shownOnce?: ResourceHints['shownOnce'] | false
  readonly unique?: ResourceHints['unique'] | false
  readonly aliases?: ResourceHints['aliases'] | false
  readonly references?: ResourceHints['references'] | false
  readonly idReferences?: ResourceHints['idReferences'] | false
  readonly within?: ResourceHints['within'] | false
  readonly subscription?: ResourceHints['subscription'] | false
}

/** The hints of a document about its records. */
export interface GivenHints {
  /** Whether what the hints do not say is inferred. Default: yes. */
  readonly inference: boolean
  /** By the path template. */
  readonly paths: ReadonlyMap<string, GivenResourceHints>
  /** By the id of the operation. */
  readonly operations: ReadonlyMap<string, GivenOperationHints>
  /** What the document says of the failures of all operations. */
  readonly failures?: FailureHints
}
