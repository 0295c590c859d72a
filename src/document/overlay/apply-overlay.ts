import { type JSONPathNode, JSONPathRecursionLimitError } from 'json-p3'
import { isObject } from '../../validation/objects.ts'
import { type Mistake, Mistakes } from '../mistake.ts'
import { copyDocument } from '../references/copy-document.ts'
import type { Overlay, OverlayAction } from './parse-overlay.ts'
import { type PathCompiler, SlowPathError } from './path-compiler.ts'

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
