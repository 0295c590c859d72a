import { nestedSchema } from '../contract/bracket-names.ts'
import type { Operation, Schema } from '../contract/contract.ts'
import { type CaseHints, type OperationHints, SERVICE_VALUES } from '../contract/hints.ts'
import {
  depthOf,
  itemsOf,
  listedValues,
  nameAt,
  parsePointer,
  plainName,
  propertiesOf,
  requiredNames,
  schemaAt,
  typesIn,
} from '../contract/schema.ts'
import { doneWords, inferEffect } from './action-effects.ts'
import { isSameWord } from './id-property.ts'
import { type InferredResource, responseSchemaOf } from './infer-resource.ts'
import { isAlike, type ResourceFinder } from './message-hints.ts'
import { recordPathAbove, shapeOf, wordOf } from './path-shape.ts'

// A request may name in its body what it does to a record: `{ "type": "power_off" }` at `POST /servers/{id}/actions`, or `{ "state_event":
// "close" }` at `PUT /issues/{id}`.

/** A record that a request acts on, and where it is. */
interface Acted {
  readonly resource: InferredResource
  /** The path parameter with its id, where the request creates something below it; absent where the request is about the record itself. */
  readonly parameter?: string
}

/** The cases of an operation whose body names an action: each sets what the action of that name does; nothing for other operations. */
export function inferBodyActions(
  operation: Operation,
  hints: OperationHints,
  known: ResourceFinder & { readonly paths: ReadonlyMap<string, string> },
): Pick<OperationHints, 'cases'> {
  const { method, body } = operation
  if (!/^(POST|PUT|PATCH)$/.test(method) || !body || hints.cases || hints.set) return {}
  const acted = actedOn(operation, hints, known)
  const record = acted?.resource.context.known
  if (!acted || !record) return {}
  const { resource, parameter } = acted
  const word = resource.context.word
  const named = namedActions(body.schema, record, { path: operation.path, isOwn: !parameter })
  if (!named) return {}
  const [property, actions] = named
  const cases = actions.flatMap((action): CaseHints | readonly CaseHints[] => {
    const set = inferEffect({ name: action, word, isUndone: false }, record)
    const when = { [`body.${property}`]: action }
    if (!set) return []
    if (parameter === undefined) return { when, ...hints, set }
    const also = { in: collectionPath(resource.hints.path), id: `{path.${parameter}}`, set }
    return { when, ...hints, also: [...(hints.also ?? []), also] }
  })

  return cases.length > 0 ? { cases } : {}
}

/**
 * The case of a creation whose request may have several records instead of the one: `{ "transactions": [ … ] }` instead of `{ "transaction":
 * { … } }`. Its response may have a place for these, too.
 */
export function inferSeveralSent(
  operation: Operation,
  hints: OperationHints,
): Pick<OperationHints, 'cases' | 'answer'> {
  const { action, body: place = '', record = '', cases } = hints
  const one = nameAt(place)
  if (!operation.body || action !== 'create' || cases || one === undefined || depthOf(place) > 1)
    return {}
  const sent = nestedSchema(operation.body.schema)
  const own = propertiesOf(sent).get(one)
  const isList = (name: string, items: Schema | undefined): boolean =>
    name !== one && isSameWord(name, one) && items !== undefined && isAlike(items, own ?? {})
  const several = [...propertiesOf(sent)].find(([name, schema]) => isList(name, itemsOf(schema)))
  if (!several || requiredNames(sent).has(one) || !/^[\w-]+$/.test(one + several[0])) return {}
  const [list] = several
  const beside = `${record.slice(0, record.lastIndexOf('/'))}/${list}`
  const shown = responseSchemaOf(operation) ?? {}
  const isShown = record !== '' && itemsOf(schemaAt(shown, beside) ?? {}) !== undefined
  const when = { [`body.${list}`]: { exists: true }, [`body.${one}`]: SERVICE_VALUES.absent }
  if (!isShown) return { cases: [{ when, ...hints, body: `/${list}` }] }

  // The response shows what the request has: one or several.
  return {
    cases: [{ when, ...hints, body: `/${list}`, record: beside, ...without(record, shown) }],
    ...without(beside, shown),
  }
}

/** The answer without what has a place in it, where the schema of the response does not require it. */
function without(place: string, shown: Schema): Pick<OperationHints, 'answer'> {
  const above = place.slice(0, place.lastIndexOf('/'))
  const name = nameAt(place) ?? ''
  if (requiredNames(schemaAt(shown, above) ?? {}).has(name)) return {}
  const absent: Readonly<Record<string, unknown>> = { [name]: SERVICE_VALUES.absent }
  const answer = parsePointer(above).reduceRight((inner, one) => ({ [one]: inner }), absent)

  return { answer }
}

/** The record that an operation is about: its own, or the one above what it creates, or above a path without records. */
function actedOn(
  { path }: Operation,
  { action, resource: name, list, ids, caller }: OperationHints,
  { paths, resource }: ResourceFinder & { readonly paths: ReadonlyMap<string, string> },
): Acted | undefined {
  if (list ?? ids ?? caller) return undefined
  if (action === 'update' || action === 'replace' || action === 'act') {
    const own = resource(paths.get(name ?? '') ?? '')
    return own && { resource: own }
  }
  const recordPath = recordPathAbove(shapeOf(path).path)
  const { stem, parameter } = shapeOf(recordPath ?? '')
  if (action !== 'create' || stem === undefined || parameter === undefined) return undefined
  const above = resource(stem)
  return above?.hints.path === stem && !above.hints.isSingle
    ? { resource: above, parameter }
    : undefined
}

/** The path of a collection with what stands for the values of its parameters. */
function collectionPath(path: string): string {
  return path.replaceAll(/\{([^{}/]+)\}/g, '{path.$1}')
}

/**
 * Whether each item of a list in the body says what is done to it: `{ "op": "delete", "id": 7 }` beside items with `create`. A property of the
 * records themselves says nothing of this.
 */
export function isMixed({ body }: Operation, record: Schema = {}): boolean {
  const sent = nestedSchema(body?.schema ?? {})
  const parts: readonly Schema[] = [sent, ...propertiesOf(sent).values()]
  const lists = parts.flatMap((one): Schema | readonly Schema[] => itemsOf(one) ?? [])
  return lists.some((items) =>
    [...propertiesOf(items)].some(([name, schema]) => {
      const isNamed = NAMES_CHANGE.test(plainName(name)) && !propertiesOf(record).has(name)
      return isNamed && listedValues(schema).filter((one) => CHANGE.test(String(one))).length > 1
    }),
  )
}

/** What a request does that may say of each of its records what is done to it; `undefined` for another request. */
export function mixedHints(
  operation: Operation,
  resource: InferredResource,
): OperationHints | undefined {
  const cases = changedLists(operation, resource)
  if (cases) return { action: 'stateless', reason: 'mixed', cases }

  return isMixed(operation, resource.context.known)
    ? { action: 'stateless', reason: 'mixed' }
    : undefined
}

/** What the lists of a request are called, by what is done to their records. */
const CHANGED_LISTS = {
  create: /^(creates?|created|inserts?|adds?|added|new)$/,
  update: /^(updates?|updated|edits?|changes?|changed|modif(y|ied))$/,
  remove: /^(deletes?|deleted|removes?|removed|destroy)$/,
}

/**
 * The cases of a request that has a list of what to create, one of what to change and one of what to remove, as `POST /books/batch` may: each
 * is performed where the request has only that. `undefined` for another request.
 */
function changedLists(
  operation: Operation,
  { hints: { id, name: resource }, context: { known = {} } }: InferredResource,
): readonly CaseHints[] | undefined {
  const lists = [...propertiesOf(operation.body?.schema ?? {})].flatMap(([list, schema]) => {
    const items = itemsOf(schema)
    const action = CHANGES.find((one) => CHANGED_LISTS[one].test(plainName(list)))
    return items && action && /^[\w-]+$/.test(list) ? { list, items, action } : []
  })
  if (new Set(lists.map(({ action }) => action)).size < 2) return undefined
  const shown = responseSchemaOf(operation) ?? {}
  const cases = lists.flatMap(({ list, items, action }): CaseHints | readonly CaseHints[] => {
    const ids = propertiesOf(items).has(id) ? `/${list}/${id}` : `/${list}`
    const isNamed = propertiesOf(items).has(id) || propertiesOf(items).size === 0
    if (action === 'create' ? !isAlike(items, known) : !isNamed) return []
    const others = lists.filter((one) => one.list !== list).map((one) => one.list)
    const absent = others.map((one) => [`body.${one}`, { exists: false }] as const)
    const place = `/${list}`
    const isShown = itemsOf(schemaAt(shown, place) ?? {}) !== undefined
    const left = others.filter((one) => !requiredNames(shown).has(one))
    const answer = Object.fromEntries(left.map((one) => [one, SERVICE_VALUES.absent]))
    return {
      when: { [`body.${list}`]: { exists: true }, ...Object.fromEntries(absent) },
      ...{ resource, action },
      ...(action !== 'remove' && { body: place }),
      ...(action !== 'create' && { ids }),
      ...(isShown && { record: place, ...(left.length > 0 && { answer }) }),
    }
  })
  return cases.length > 1 ? cases : undefined
}

const CHANGES = ['create', 'update', 'remove'] as const

const NAMES_CHANGE = /^(op|operation|action|method|verb)(type|name)?$/
const CHANGE = /^(create|add|insert|update|delete|remove|upsert|replace|post|put|patch)d?$/i

/** What names an action in a body. */
const NAMES_ACTION =
  /^(action|command|operation|transition|verb|event)(name|type)?$|^(state|status)(event|action|transition)$/
/** What does so on the path of actions only. */
const NAMES_KIND = /^(type|kind|name)$/
const ACTIONS = /^(actions?|commands?|operations?|transitions?|lifecycle|events?)$/i

/** The most actions of a record. */
const MAX_ACTIONS = 100

/** The property of a body that names an action on a record, with its values. It is no property of the record itself. */
function namedActions(
  body: Schema,
  record: Schema,
  { path, isOwn }: { readonly path: string; readonly isOwn: boolean },
): readonly [property: string, actions: readonly string[]] | undefined {
  const own = new Set([...propertiesOf(record).keys()].map(plainName))
  const isOfActions = ACTIONS.test(wordOf(path)) && !shapeOf(path).path.endsWith('}')
  for (const [property, schema] of propertiesOf(body)) {
    const plain = plainName(property)
    const actions = listedValues(schema).filter((one) => typeof one === 'string')
    if (!typesIn(schema).has('string') || actions.length === 0 || actions.length > MAX_ACTIONS)
      continue
    const isKind = isOfActions && NAMES_KIND.test(plain)
    // Where every value is a known action, the name of the property does not matter.
    const isKnown = isOwn && actions.every((one) => doneWords(one).length > 0)
    const isNamed = NAMES_ACTION.test(plain) || isKind || isKnown
    if (isNamed && (isKind || !own.has(plain)) && /^[\w-]+$/.test(property))
      return [property, [...new Set(actions)]]
  }
  return undefined
}
