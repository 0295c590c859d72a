import type { Operation } from '../contract/contract.ts'
import type { OperationHints } from '../contract/hints.ts'
import { nameAt, plainName, propertiesOf } from '../contract/schema.ts'
import { inferEffect } from './action-effects.ts'
import { type InferredResource, responseSchemaOf } from './infer-resource.ts'
import { actionHints, hintsOf, isAlike, type ResourceFinder } from './message-hints.ts'
import { shapeOf } from './path-shape.ts'
import { findListed, findRecord } from './record-place.ts'
import { idsPlace, lists, namedHints } from './several-records.ts'
import { lastWordOf, SEARCH, type Verb } from './verb-paths.ts'

// Operations whose paths say in words what they do, while the request names the record: `GET /books/details?id=1` and `POST /channels.archive`.

/** What an operation does to the record that its request names; `undefined` when nothing tells. */
export function callHints(
  operation: Operation,
  path: string,
  verb: Exclude<Verb, 'renew'> | undefined,
  known: ResourceFinder,
): OperationHints | undefined {
  const resource = known.resource(path)
  if (!resource || verb === undefined || verb === 'list' || verb === 'watch') return undefined
  const called = calledIn(path, resource, known)
  if (verb !== 'act') return namedHints(operation, verb, resource, known, called)
  const body = SEARCH.test(operation.path) ? responseSchemaOf(operation) : undefined
  if (body && lists(body, resource, isAlike))
    return hintsOf(operation, 'list', resource, known.describe)

  return namedAct(operation, resource, known, called)
}

/** An action that is called by its name: it sets what its name says, or the properties that its request has besides the id. */
function namedAct(
  operation: Operation,
  resource: InferredResource,
  known: ResourceFinder,
  called: readonly string[],
): OperationHints | undefined {
  const { hints, context } = resource
  const { known: record = {}, word } = context
  const ids = idsPlace(operation, { id: hints.id, context: { ...context, called } })
  if (operation.method === 'GET' || ids === undefined) return undefined
  const set = inferEffect({ name: lastWordOf(operation).word, word, isUndone: false }, record)
  const body = responseSchemaOf(operation)
  const shown = body && findRecord(body, context)?.schema
  const isShown = shown !== undefined && isAlike(shown, record)
  const act = isShown
    ? hintsOf(operation, 'act', resource, known.describe)
    : actionHints('act', resource)
  if (set) return { ...act, set, ids }
  const update = namedHints(operation, 'update', resource, known, called)
  if (!update) return isShown ? { ...act, ids } : undefined
  const { record: _, ...unseen } = update

  return isShown ? update : unseen
}

/** What requests may call the id of a record as, besides its own names: `channel` where a list shows them as `channels`, or one as `channel`. */
function calledIn(
  path: string,
  { context }: InferredResource,
  { group }: ResourceFinder,
): readonly string[] {
  const { collection = [], posted = [] } = group(path) ?? {}
  const places = [...collection, ...posted].flatMap((operation) => {
    const body = responseSchemaOf(operation)
    const found = body && (findListed(body, context) ?? findRecord(body, context))
    return found ? nameAt(found.place) : []
  })
  const words = [context.word, ...places, shapeOf(path).path.split('/').at(-1) ?? '']
  return [...new Set(words.map(plainName))].filter((one) => one !== '' && !isOwn(one, context))
}

/** Whether records have a property of a name, so that a value with it says what they have. */
function isOwn(name: string, { known = {} }: InferredResource['context']): boolean {
  return [...propertiesOf(known).keys()].some((one) => plainName(one) === name)
}
