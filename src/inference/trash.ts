import type { Operation } from '../contract/contract.ts'
import { EVERY_ID, type OperationHints } from '../contract/hints.ts'
import { inferEffect } from './action-effects.ts'
import type { InferredResource } from './infer-resource.ts'
import { actionHints, hintsOf, type ResourceFinder } from './message-hints.ts'
import { actionIn, shapeOf, withoutNames } from './path-shape.ts'

// What is removed into a trash, and comes back: `DELETE /files/{id}`, `GET /files/trash` and `POST /files/{id}/restore`.

const RESTORES = ['restore', 'undelete', 'untrash', 'recover']
const TRASHES = ['trash', 'trashed', 'deleted', 'bin', 'recycle-bin', 'recycle_bin']
const SAYS_TRASH = /\b(trash|recycle bin|soft[- ]?delet\w*|can be restored)\b/i

/** The operations that may say something of a trash, by their paths: few, so that few schemas are read. */
export function mayHaveTrash(operations: readonly Operation[]): readonly Operation[] {
  const near = new Set(
    operations.flatMap(({ path }) => {
      const at = path.lastIndexOf('/')
      const word = path.slice(at + 1).toLowerCase()
      return isTrashWord(word) || isTrashWord(actionIn(path)?.name) ? [path, path.slice(0, at)] : []
    }),
  )
  return operations.filter(({ method, path }) => {
    if (near.has(path)) return true
    return method === 'DELETE' && near.has(path.slice(0, path.lastIndexOf('/')))
  })
}

function isTrashWord(word = ''): boolean {
  return RESTORES.includes(word) || TRASHES.includes(word)
}

/** The list of what is in the trash, and its emptying: `GET` and `DELETE /files/trash`; `undefined` for other paths. */
export function trashOf(
  operation: Operation,
  path: string,
  known: ResourceFinder,
): OperationHints | undefined {
  const at = path.lastIndexOf('/')
  const resource = TRASHES.includes(path.slice(at + 1).toLowerCase())
    ? known.resource(path.slice(0, at))
    : undefined
  if (!resource || !hasTrash(resource, known)) return undefined
  if (operation.method === 'DELETE')
    return { ...actionHints('remove', resource), ids: EVERY_ID, trash: 'shown' }
  const hints = operation.method === 'GET' && hintsOf(operation, 'list', resource, known.describe)

  return hints && hints.record !== undefined ? { ...hints, trash: 'shown' } : undefined
}

/** What a removal and an action do with the trash, where records have one; nothing of other operations. */
export function withTrash(
  operation: Operation,
  { action, resource: name = '', ids, trash, set }: OperationHints,
  known: ResourceFinder & { readonly paths: ReadonlyMap<string, string> },
): Pick<OperationHints, 'trash' | 'set'> {
  const isMoved = action === 'remove' && ids === undefined && trash === undefined
  const isRestored = action === 'act' && RESTORES.includes(actionIn(operation.path)?.name ?? '')
  const resource = isMoved || isRestored ? known.resource(known.paths.get(name) ?? '') : undefined
  if (!resource || !hasTrash(resource, known)) return {}
  if (isRestored) return { trash: 'restore' }
  const { item = '' } = resource.hints
  if (withoutNames(shapeOf(operation.path).path) !== withoutNames(shapeOf(item).path)) return {}
  const { known: record = {}, word } = resource.context
  const effect = { ...set, ...inferEffect({ name: 'trash', word, isUndone: false }, record) }

  return { trash: 'move', ...(Object.keys(effect).length > 0 && { set: effect }) }
}

/**
 * Whether what is removed can come back: an action restores it, where none archives records, or a list shows the trash, and the removal says
 * so.
 */
function hasTrash({ hints }: InferredResource, known: ResourceFinder): boolean {
  const { path, item } = hints
  const removal = known.group(path)?.item.find(({ method }) => method === 'DELETE')
  if (item === undefined || !removal) return false
  const has = (name: string): boolean => known.group(name) !== undefined
  const isRestored = RESTORES.some((word) => has(`${item}/${word}`))
  const isListed = TRASHES.some((word) => has(`${path}/${word}`))
  const isSaid = SAYS_TRASH.test(known.describe(removal))

  return (isRestored && (isSaid || isListed || !has(`${item}/archive`))) || (isListed && isSaid)
}
