import {
  type FilterFunction,
  JSONPathEnvironment,
  type JSONPathNode,
  type JSONPathQuery,
  JSONPathRecursionLimitError,
} from 'json-p3'
import { isObject } from '../validation/objects.ts'
import { MAX_DEPTH } from './explain-yaml.ts'
import { asString, copyDocument, type JsonObject, type Pointer } from './json-value.ts'
import { type Mistake, Mistakes, throwMistakes } from './mistake.ts'
import { runInTime, untimedLength } from './schemas/time-limit.ts'
import type { Source } from './source.ts'

/** One change of an overlay. */
export interface OverlayAction {
  /** The `target` as it is written. */
  readonly target: string
  readonly query: JSONPathQuery
  /** What to do with each value that the target selects. */
  readonly change:
    | { readonly kind: 'remove' }
    | { readonly kind: 'update'; readonly value: unknown }
    | { readonly kind: 'copy'; readonly from: JSONPathQuery }
  /** The place of the action in the overlay. */
  readonly pointer: Pointer
}

/** A parsed overlay. */
export interface Overlay {
  readonly source: Source
  /** Whether a list as an update is appended item by item, as since version 1.1, or as one item. */
  readonly concatenates: boolean
  readonly actions: readonly OverlayAction[]
}

const VERSION_HELP = 'Write "overlay: 1.0.0" or "overlay: 1.1.0".'

/** Reads the actions of an overlay. Throws `Mistakes` when the file is not an overlay, or when a JSONPath is invalid. */
export function parseOverlay(source: Source, compile: PathCompiler['compile']): Overlay {
  const root = source.value
  const fail = (reason: string, pointer: Pointer, help: string): Mistakes =>
    new Mistakes([{ reason, location: source.locate(pointer), help }])
  if (!isObject(root) || root.overlay === undefined) {
    throw fail('the file is not an OpenAPI overlay', [], VERSION_HELP)
  }
  const version = String(root.overlay)
  if (!/^1(\.[01](\.\d+)?)?$/.test(version)) {
    throw fail(`version ${version} of overlays is not supported`, ['overlay'], VERSION_HELP)
  }
  if (!Array.isArray(root.actions)) {
    const help = 'Write a list of actions, each with a target.'
    throw fail('the overlay has no list of actions', ['actions'], help)
  }
  const parsed = root.actions.map((action, index) =>
    parseAction(action, source, ['actions', String(index)], compile),
  )
  throwMistakes(parsed.filter(isMistake))

  return {
    source,
    concatenates: version.startsWith('1.1'),
    actions: parsed.flatMap((one) => (isMistake(one) ? [] : [one])),
  }
}

function isMistake(value: OverlayAction | Mistake): value is Mistake {
  return 'reason' in value
}

function parseAction(
  action: unknown,
  source: Source,
  pointer: Pointer,
  compile: PathCompiler['compile'],
): OverlayAction | Mistake {
  const fail = (reason: string, at: Pointer, help: string): Mistake => ({
    reason,
    location: source.locate(at),
    help,
  })
  if (!isObject(action) || typeof action.target !== 'string') {
    return fail('an action needs a target', pointer, 'Write a JSONPath such as $.paths.*.get.')
  }
  const query = parsePath(action.target, compile)
  if ('error' in query) return fail(query.error, [...pointer, 'target'], PATH_HELP)
  const base = { target: action.target, query, pointer }
  if (action.remove === true) return { ...base, change: { kind: 'remove' } }
  const change = parseChange(action, compile)
  if (!change) {
    const reason = 'an action needs "update", "remove: true" or "copy"'
    return fail(reason, pointer, 'Write what to do with the target.')
  }

  return 'error' in change
    ? fail(change.error, [...pointer, 'copy'], PATH_HELP)
    : { ...base, change }
}

const PATH_HELP = 'Correct the JSONPath (RFC 9535), for example $.paths["/books"].get.'

function parseChange(
  action: JsonObject,
  compile: PathCompiler['compile'],
): OverlayAction['change'] | { readonly error: string } | undefined {
  if (action.update !== undefined) return { kind: 'update', value: action.update }
  const copy = asString(action.copy)
  if (copy === undefined) return undefined
  const from = parsePath(copy, compile)

  return 'error' in from ? from : { kind: 'copy', from }
}

function parsePath(
  path: string,
  compile: PathCompiler['compile'],
): JSONPathQuery | { readonly error: string } {
  try {
    return compile(path)
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : '').split('\n')
    return { error: `"${path}" is not a JSONPath: ${line}` }
  }
}

type Container = Record<string | number, unknown> | unknown[]

/**
 * Applies the actions of an overlay to a document, one after the other. Changes the document in place, and returns it. A
 * target that selects nothing, and an update that does not fit its target, are mistakes, and change nothing. Throws `Mistakes`
 * when a JSONPath takes too long.
 */
export function applyOverlay(
  document: unknown,
  overlay: Overlay,
  { inTime }: Pick<PathCompiler, 'inTime'>,
): { readonly document: unknown; readonly mistakes: readonly Mistake[] } {
  // The document becomes a property, so that `$` can be replaced like any other value.
  const holder = { document }
  const mistakes = overlay.actions.flatMap((action) => {
    const reason = tryAction(holder, action, overlay, inTime)
    const location = overlay.source.locate([...action.pointer, 'target'])
    const help = 'Check the target against the document.'

    return reason === undefined ? [] : [{ reason, location, help }]
  })

  return { document: holder.document, mistakes }
}

/** An overlay can make a document deeper than a JSONPath can visit: each `copy` of a value into itself adds its depth. */
function tryAction(
  holder: { document: unknown },
  action: OverlayAction,
  { source, concatenates }: Overlay,
  inTime: PathCompiler['inTime'],
): string | undefined {
  try {
    return inTime(() => applyAction(holder, action, concatenates))
  } catch (error) {
    if (error instanceof JSONPathRecursionLimitError || error instanceof RangeError)
      return `the document is nested too deeply for the target "${action.target}"`
    if (!(error instanceof SlowPathError)) throw error
    const location = source.locate([...action.pointer, 'target'])
    const help = 'Select fewer values, or use a simpler pattern.'
    throw new Mistakes([
      { reason: `the target "${action.target}" takes too long to evaluate`, location, help },
    ])
  }
}

/** Returns why the action changes nothing, or nothing for some of its targets. */
function applyAction(
  holder: { document: unknown },
  { target, query, change }: OverlayAction,
  concatenates: boolean,
): string | undefined {
  const { nodes } = query.query(asJson(holder.document))
  if (nodes.length === 0) return `the target "${target}" selects nothing`
  if (change.kind === 'remove') return remove(holder.document, nodes, target)
  const source = change.kind === 'copy' ? change.from.query(asJson(holder.document)).nodes : []
  if (change.kind === 'copy' && source.length !== 1) {
    return `"copy" must select one value, and selects ${source.length}`
  }
  const update = change.kind === 'copy' ? source[0]?.value : change.value
  const misfits = nodes.filter((node) => {
    const merged = mergeTarget(node.value, copyDocument(update), concatenates)
    if (merged === MISFIT) return true
    replace(holder, node, merged)
    return false
  })

  return misfits.length === 0 ? undefined : `the update does not fit the target "${target}"`
}

/** The value of a document is JSON. */
function asJson(value: unknown): JSONPathNode['value'] {
  return value as JSONPathNode['value']
}

const MISFIT = Symbol('misfit')

function mergeTarget(target: unknown, update: unknown, concatenates: boolean): unknown {
  if (Array.isArray(target)) {
    return concatenates && Array.isArray(update) ? [...target, ...update] : [...target, update]
  }
  if (isObject(target) !== isObject(update) || Array.isArray(update)) return MISFIT

  return merge(target, update)
}

/** Merges objects property by property, and appends lists. Other values replace each other. */
function merge(target: unknown, update: unknown): unknown {
  if (Array.isArray(target) && Array.isArray(update)) return [...target, ...update]
  if (!isObject(target) || !isObject(update)) return update
  const merged = Object.entries(update).map(([key, value]) => [
    key,
    Object.hasOwn(target, key) ? merge(target[key], value) : value,
  ])

  return { ...target, ...Object.fromEntries(merged) }
}

function replace(holder: { document: unknown }, { location }: JSONPathNode, value: unknown): void {
  const last = location.at(-1)
  const parent = parentOf(holder.document, location)
  if (last === undefined) holder.document = value
  else if (parent) Object.assign(parent, { [last]: value })
}

function remove(
  document: unknown,
  nodes: readonly JSONPathNode[],
  target: string,
): string | undefined {
  if (nodes.some(({ location }) => location.length === 0)) {
    return `the target "${target}" is the whole document, which cannot be removed`
  }
  // A JSONPath may select a value twice.
  const unique = new Map(nodes.map((node) => [JSON.stringify(node.location), node]))
  // From the end, because the positions of later items change.
  for (const { location } of [...unique.values()].sort(byPositionDescending)) {
    const parent = parentOf(document, location)
    const last = location.at(-1)
    if (Array.isArray(parent) && typeof last === 'number') parent.splice(last, 1)
    else if (parent && last !== undefined) Reflect.deleteProperty(parent, last)
  }

  return undefined
}

/** Higher positions first, and deeper values before those that contain them. */
function byPositionDescending(one: JSONPathNode, other: JSONPathNode): number {
  const length = Math.min(one.location.length, other.location.length)
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [one.location[index], other.location[index]]
    if (typeof a === 'number' && typeof b === 'number' && a !== b) return b - a
    if (a !== b) return String(a) < String(b) ? -1 : 1
  }

  return other.location.length - one.location.length
}

function parentOf(document: unknown, location: JSONPathNode['location']): Container | undefined {
  let value: unknown = document
  for (const key of location.slice(0, -1)) {
    value = isContainer(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
  }

  return isContainer(value) ? value : undefined
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

/** What the patterns of all overlays of a document may take together, and everything else that overlays do, in milliseconds. */
const PATTERN_LIMIT = 1000
const TOTAL_LIMIT = 10_000

/** Thrown when the time of the overlays of a document is spent. */
class SlowPathError extends Error {
  override readonly name = 'SlowPath'
}

/** Compiles the JSONPaths of the overlays of one document, which share a limit of time. */
export interface PathCompiler {
  readonly compile: (path: string) => JSONPathQuery
  /** Calls a function that evaluates JSONPaths. Throws a `SlowPathError` when no time is left. */
  readonly inTime: <Result>(evaluate: () => Result) => Result
}

/** A document and its overlays may be written to be slow: JSONPath has patterns, and filters in filters. */
export function createPathCompiler(): PathCompiler {
  // A descendant segment, such as `$..get`, visits a document of any depth that is allowed.
  const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH + 1 })
  const takePatternTime = createTimer(PATTERN_LIMIT)
  for (const name of ['match', 'search']) {
    const original = environment.functionRegister.get(name)
    if (original) environment.functionRegister.set(name, withLimit(original, takePatternTime))
  }

  return { compile: (path) => environment.compile(path), inTime: createTimer(TOTAL_LIMIT) }
}

type TakeTime = <Result>(run: () => Result) => Result

function createTimer(limit: number): TakeTime {
  let left = limit
  return (run) => {
    const start = performance.now()
    const result = runInTime(() => ({ value: run() }), left)
    left -= performance.now() - start
    if (!result) throw new SlowPathError()
    return result.value
  }
}

/** `match` and `search` for texts. Nothing else matches a pattern (RFC 9535, section 2.4.6). */
function withLimit(original: FilterFunction, takeTime: TakeTime): FilterFunction {
  return {
    argTypes: original.argTypes,
    returnType: original.returnType,
    call: (text: unknown, pattern: unknown) => {
      if (typeof text !== 'string' || typeof pattern !== 'string') return false
      const isShort = text.length <= untimedLength({ pattern })
      return isShort ? original.call(text, pattern) : takeTime(() => original.call(text, pattern))
    },
  }
}
