import type { Operation } from '../contract/contract.ts'
import type { MarkHints, OperationHints } from '../contract/hints.ts'
import { once } from '../validation/objects.ts'
import { callerMark } from './action-effects.ts'
import { isCallerPath } from './callers.ts'
import type { Group } from './groups.ts'
import { type InferredResource, responseSchemaOf } from './infer-resource.ts'
import { actionHints, hintsOf, isAlike, type ResourceFinder } from './message-hints.ts'
import { actionBelow } from './named-action.ts'
import { actionIn, parametersIn, shapeOf, withoutNames, wordOf } from './path-shape.ts'
import { findListed } from './record-place.ts'

// Marks that callers put on records: `PUT /posts/{id}/star`, and `PUT /user/starred/{owner}/{repo}` with the list `GET /user/starred`.

interface KnownRecords extends ResourceFinder {
  readonly paths: ReadonlyMap<string, string>
  readonly isAlias: (path: string) => boolean
  /** The collection that has the records of callers. */
  readonly callers: () => InferredResource | undefined
}

/** Whether a path is called as one of a mark. */
export function isMarkPath(path: string): boolean {
  return callerMark(wordOf(path), {}) !== undefined
}

/** Whether an operation at the path of a mark may mark the records of one of some collections, by the paths alone. */
export function mayMark(path: string, collections: readonly string[]): boolean {
  const { stem = '' } = shapeOf(actionIn(path)?.recordPath ?? '')
  return collections.includes(stem) || isBelowCaller(basePathOf(path))
}

/** What an operation does with a mark of the caller; `undefined` for others. */
export function markHints(
  operation: Operation,
  path: string,
  known: KnownRecords,
): OperationHints | undefined {
  return (
    markBelow(operation, path, known) ??
    markOfCaller(operation, known) ??
    markOfOther(operation, path, known)
  )
}

/** The list of what another one has marked: `GET /users/{username}/starred` beside `GET /user/starred`. */
function markOfOther(
  operation: Operation,
  path: string,
  known: KnownRecords,
): OperationHints | undefined {
  const word = wordOf(path)
  const [, stem, parameter] = /^([^{}]+)\/\{([^{}/]+)\}\/[^{}/]+$/.exec(path) ?? []
  if (operation.method !== 'GET' || parameter === undefined || !callerMark(word, {}))
    return undefined
  const callers = known.callers()?.hints
  const base = [...known.paths.values()].find(
    (one) => wordOf(one) === word && isCallerPath(one.slice(0, one.lastIndexOf('/'))),
  )
  const found = callers?.path === stem && base !== undefined ? markedBy(known)(base) : undefined
  const hints = found && hintsOf(operation, 'list', found.resource, known.describe)

  return hints?.record === undefined
    ? undefined
    : { ...hints, mark: { ...found?.mark, name: found?.mark.name ?? word, of: parameter } }
}

/** A mark at the path of an action on a record, which shows or counts it. */
function markBelow(
  operation: Operation,
  path: string,
  known: KnownRecords,
): OperationHints | undefined {
  const { recordPath = '', name = '' } = actionIn(path) ?? {}
  if (!callerMark(name, {})) return undefined
  const resource = known.resource(shapeOf(recordPath).stem ?? '')
  const found = callerMark(name, resource?.context.known ?? {})
  if (!resource || !found) return undefined
  const { mark, isOpposite } = found
  const { flag, count } = mark
  // A flag that clients can set is a part of the record.
  if ((flag ?? count) === undefined || resource.sent.has(flag ?? '')) return undefined
  const own = { ...mark, ...callersOf(known) }
  if (operation.method === 'GET') return readHints(operation, own, resource)
  const acted = actionBelow(operation, path, known) ?? actionHints('act', resource)
  const { set = {}, ...hints }: OperationHints = acted
  if (Object.keys(set).some((one) => one !== flag)) return undefined
  const isTakenBack = isOpposite || operation.method === 'DELETE'

  return { ...hints, mark: { ...own, change: isTakenBack ? 'remove' : 'add' } }
}

/** Whether the caller has marked a record, where the response has nothing but its status. */
function readHints(
  operation: Operation,
  mark: MarkHints,
  resource: InferredResource,
): OperationHints | undefined {
  return responseSchemaOf(operation) ? undefined : { ...actionHints('read', resource), mark }
}

/** The paths below the caller's record to a mark and the list of what is marked. */
interface MarkedPaths {
  readonly resource: InferredResource
  readonly mark: MarkHints
}

/** A mark at a path below the caller's record, which names the marked record. */
function markOfCaller(operation: Operation, known: KnownRecords): OperationHints | undefined {
  const { path } = shapeOf(operation.path)
  const base = basePathOf(path)
  if (!isBelowCaller(base) || !callerMark(wordOf(base), {})) return undefined
  const found = markedBy(known)(base)
  if (!found) return undefined
  const { resource, mark } = found
  if (operation.method === 'GET') {
    if (path !== base) return readHints(operation, mark, resource)
    const hints = hintsOf(operation, 'list', resource, known.describe)
    return hints.record === undefined ? undefined : { ...hints, mark }
  }
  const change = operation.method === 'DELETE' ? 'remove' : 'add'
  return path === base ? undefined : { ...actionHints('act', resource), mark: { ...mark, change } }
}

/** The part of a path before its parameters. */
function basePathOf(path: string): string {
  return path.split('/{')[0] ?? ''
}

function isBelowCaller(path: string): boolean {
  return isCallerPath(path.slice(0, path.lastIndexOf('/')))
}

/** Finds what is marked at paths such as `/user/starred`. */
const markedBy = once((known: KnownRecords) => {
  const all = new Map<string, MarkedPaths | undefined>()
  return (base: string): MarkedPaths | undefined => {
    if (!all.has(base)) all.set(base, findMarked(base, known))
    return all.get(base)
  }
})

function findMarked(base: string, known: KnownRecords): MarkedPaths | undefined {
  const groups = [...known.paths.values()].flatMap((path) => known.group(path) ?? [])
  const list = groups.find(({ path }) => path === base)
  const marks = groups.find(({ path, item }) => isMarking(path, base) && canMark(item))
  const isCollection = list?.collection.some(({ method }) => method !== 'GET')
  if (!marks?.itemPath || isCollection) return undefined
  const { itemPath } = marks
  const resource = groups
    .filter(({ path, itemPath: item }) => !path.startsWith(base) && isLike(item, itemPath))
    .flatMap(({ path }) => (known.isAlias(path) ? [] : (known.resource(path) ?? [])))
    .find((one) => isMarked(one, list, itemPath))
  const { mark } = callerMark(wordOf(base), resource?.context.known ?? {}) ?? {}

  return resource && mark && { resource, mark: { ...mark, ...callersOf(known) } }
}

function isMarking(path: string, base: string): boolean {
  return path === base || path.startsWith(`${base}/{`)
}

/** Whether requests without values mark what their path names, and take the mark back. */
function canMark(item: Group['item']): boolean {
  const isAdded = item.some(({ method, body }) => /^(PUT|POST)$/.test(method) && !body?.required)
  return isAdded && item.some(({ method }) => method === 'DELETE')
}

/** Whether a path names a record by as many parameters as that of a mark does, one after the other. */
function isLike(item: string | undefined, marks: string): boolean {
  const parameters = /(?:\/\{\})+$/.exec(withoutNames(marks))?.[0] ?? '-'
  const [, end] = /^[^{}]+?((?:\/\{\})+)$/.exec(withoutNames(item ?? '')) ?? []
  return end === parameters
}

/** Whether a list shows the records of a resource; without a list, the parameter tells. */
function isMarked(
  { context, hints }: InferredResource,
  list: Group | undefined,
  itemPath: string,
): boolean {
  const read = list?.collection.find(({ method }) => method === 'GET')
  const body = read && responseSchemaOf(read)
  const found = body && findListed(body, context)
  if (found) return isAlike(found.schema, context.known ?? {})
  const [own, other] = [hints.item ?? '', itemPath].map((path) => parametersIn(path).at(-1))

  return !read && own === other && own !== 'id'
}

function callersOf({ callers }: KnownRecords): Pick<MarkHints, 'by'> {
  const by = callers()?.hints.name
  return by === undefined ? {} : { by }
}
