import type { Operation } from '../contract/contract.ts'
import { plainName, typesIn } from '../contract/schema.ts'
import { once } from '../validation/objects.ts'
import { isCallerPath } from './callers.ts'
import type { Group } from './groups.ts'
import { formsOf, isSameWord } from './id-property.ts'
import { wordOf } from './path-shape.ts'

// The records above a collection may be at another path: the parameter of `/flags/{projectKey}` names one of the `/projects`, and that of
// `/lists/{list}/tasks` one of the caller's own `/me/lists`.

/** The paths of the collections whose records the parameters of a path name, by the names of the parameters. */
type Parents = Readonly<Record<string, string>>

/**
 * The collections at other paths whose records the parameters of paths name, by the paths of those below. Only the first parameter of a path
 * is found to name such a record, and only where no request is for a collection before it. Its name says which collection at the top that is.
 */
export const parentsElsewhere: (
  groups: ReadonlyMap<string, Group>,
) => ReadonlyMap<string, Parents> = once((groups: ReadonlyMap<string, Group>) => {
  const tops = [...groups.values()].filter(isReadableAtTop)
  const found = [...groups.values()].flatMap((group) => {
    const parents = parentsOf(group, groups, tops)
    return parents ? [[group.path, parents] as const] : []
  })
  return new Map(found)
})

function isReadableAtTop({ path, itemPath, item }: Group): boolean {
  const isReadable = item.some(({ method }) => method === 'GET')
  return itemPath !== undefined && isReadable && !path.includes('{')
}

function parentsOf(
  { path, collection, item }: Group,
  groups: ReadonlyMap<string, Group>,
  tops: readonly Group[],
): Parents | undefined {
  const [, start = '', parameter] = FIRST_PARAMETER.exec(path) ?? []
  if (parameter === undefined) return undefined
  const before = groups.get(start)
  const isRecord = before !== undefined && !groups.has(`${start}/{${parameter}}`)
  if (isRecord || (before && before.collection.length > 0)) return undefined
  const above = start.slice(0, start.lastIndexOf('/'))
  const named = tops.filter((top) =>
    isSameWord(top.word, wordOf(start))
      ? isOfCaller(top, above) && top.parameter === parameter
      : top.path === `${above}/${top.word}` && isNamedBy(parameter, top),
  )
  const [only, ...others] = named
  const isAlike =
    only && typesOf(parameter, [...collection, ...item]) === typesOf(only.parameter, only.item)

  return only && others.length === 0 && isAlike ? { [parameter]: only.path } : undefined
}

/** Whether a collection has what belongs to the caller: `/users/@me/lists`, whose tasks are below `/lists/{list}`. */
function isOfCaller({ path, word }: Group, above: string): boolean {
  const rest = path.startsWith(`${above}/`) ? path.slice(above.length) : ''
  const [caller] = rest.endsWith(`/${word}`) ? [rest.slice(0, -word.length - 1)] : []
  return caller !== undefined && caller !== '' && isCallerPath(caller)
}

const FIRST_PARAMETER = /^([^{}]*)\/\{([^{}/]+)\}(?=\/|$)/

/** Whether a parameter is the word for a record and what paths name it by, as `project_id` is of `/projects/{id}`. */
function isNamedBy(parameter: string, { word, parameter: own = '' }: Group): boolean {
  const key = keyIn(parameter, word)
  if (key === undefined) return false
  if (plainName(own) === plainName(parameter)) return true
  return key !== '' && key === (keyIn(own, word) ?? plainName(own))
}

/** What follows the word for a record in the name of a parameter; `undefined` where it is another name. */
function keyIn(parameter: string, word: string): string | undefined {
  const plain = plainName(parameter)
  const form = formsOf(word).find((one) => plain.startsWith(one) && isKey(plain.slice(one.length)))
  return form === undefined ? undefined : plain.slice(form.length)
}

/** The ends of the names of parameters that name records: `projectKey`, `project_id`, `projectIdOrKey`. */
function isKey(rest: string): boolean {
  return /^((id|key|slug|name|uuid|guid|number|code)(or)?)*$/.test(rest)
}

function typesOf(name: string | undefined, operations: readonly Operation[]): string {
  const parameters = operations.flatMap((one) => one.parameters)
  const found = parameters.find((one) => one.in === 'path' && one.name === name)
  return [...typesIn(found?.schema ?? {})].sort().join()
}
