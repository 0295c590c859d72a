import type { Operation, Schema } from '../contract/contract.ts'
import type { OperationHints } from '../contract/hints.ts'
import {
  isObjectSchema,
  itemsOf,
  parsePointer,
  plainName,
  propertiesOf,
} from '../contract/schema.ts'
import { addsByPath, type Group } from './groups.ts'
import { isSameWord, wordsOf } from './id-property.ts'
import { parametersIn } from './path-shape.ts'
import { inferList, type ListContext } from './record-lists.ts'
import { sentRecordOf } from './sent-values.ts'

/** What is below the records of a document. */
export interface ChildFinder extends ListContext {
  /** The paths of the collections by the names of their resources. */
  readonly paths: ReadonlyMap<string, string>
  /** The words of the collections below the records of a group. */
  readonly below: (group: Group) => readonly string[]
}

/** The records that a creation adds below the new one: the lists in its body that are called as collections there, and show their records. */
export function sentChildren(
  operation: Operation,
  hints: OperationHints,
  known: ChildFinder,
): Pick<OperationHints, 'also'> {
  const isCreation = hints.action === 'create' && hints.ids === undefined
  const owner = isCreation ? known.resource(known.paths.get(hints.resource ?? '') ?? '') : undefined
  const group = owner && known.group(owner.hints.path)
  const sent = owner && sentRecordOf(operation, owner.context)
  if (!owner || !group?.itemPath || !sent) return {}
  const words = known.below(group)
  const { id } = owner.hints
  const properties = [...propertiesOf(sent.schema)]
  const isCalled =
    (word: string) =>
    ([name]: readonly [string, Schema]) =>
      isSameWord(plainName(name), plainName(word))
  const also = properties.flatMap(([name, schema]) => {
    const word =
      words.find((one) => isCalled(one)([name, schema])) ??
      words.find((one) => endsWithWord(name, one) && !properties.some(isCalled(one)))
    const path = `${group.itemPath}/${word}`
    const isOwn = word !== undefined && hasItemsLike(schema, path, known)
    const each = [...parsePointer(sent.place), name]
    const isNamable = [...each, id].every((one) => /^[\w-]+$/.test(one))
    const at = isOwn && isNamable ? placed(path, id, operation) : undefined
    return at === undefined ? [] : [{ in: at, each: `{body.${each.join('.')}}` }]
  })
  return also.length > 0 ? { also } : {}
}

/** Whether a list is called as a collection, such as `node_pools` and `pools`. */
function endsWithWord(name: string, word: string): boolean {
  const words = wordsOf(name)
  return words.some((_, at) => isSameWord(words.slice(at).join(''), plainName(word)))
}

/** Whether a path has records of its own that the items of a list describe. */
function hasItemsLike(schema: Schema, path: string, known: ChildFinder): boolean {
  const items = itemsOf(schema)
  const group = known.group(path)
  const list = group?.collection.find(({ method }) => method === 'GET')
  if (!(items && isObjectSchema(items) && group && list) || addsByPath(group)) return false
  if (known.isAlias(path) || inferList(list, path, known)) return false
  const child = known.resource(path)
  const names = [...propertiesOf(items).keys()]
  const own = propertiesOf(child?.context.known ?? {})
  const shared = names.filter((name) => own.has(name)).length

  return (
    child?.hints.path === path &&
    !child.hints.isSingle &&
    names.length > 0 &&
    shared >= names.length * LIKE_PART
  )
}

/** So much of the names of an item tells that it is a record. */
const LIKE_PART = 0.6

/** A path below the new record, with what stands for the values in it; `undefined` where the request does not have all of them. */
function placed(path: string, id: string, { path: own }: Operation): string | undefined {
  const [last = '', ...others] = [...parametersIn(path)].reverse()
  const given = new Set(parametersIn(own))
  if (others.some((name) => !given.has(name))) return undefined
  const text = path.replace(`{${last}}`, `{record.${id}}`)

  return others.reduce((known, name) => known.replace(`{${name}}`, `{path.${name}}`), text)
}
