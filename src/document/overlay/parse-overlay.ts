import type { JSONPathQuery } from 'json-p3'
import { isObject } from '../../validation/objects.ts'
import type { Pointer } from '../json-pointer.ts'
import { asString, type JsonObject } from '../json-value.ts'
import { type Mistake, Mistakes, throwMistakes } from '../mistake.ts'
import type { Source } from '../source.ts'
import type { PathCompiler } from './path-compiler.ts'

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
