import type { Operation } from '../contract/contract.ts'
import { type OperationHints, SERVICE_VALUES } from '../contract/hints.ts'
import { plainName, propertiesOf } from '../contract/schema.ts'
import { inferEffect, inferTransition, type NamedAction } from './action-effects.ts'
import type { Group } from './groups.ts'
import { isSameWord } from './id-property.ts'
import { type InferredResource, responseSchemaOf } from './infer-resource.ts'
import {
  actionHints,
  isAlike,
  type ResourceFinder,
  sentHints,
  shownHints,
} from './message-hints.ts'
import { actionIn, recordPathAbove, shapeOf, wordOf } from './path-shape.ts'
import { findRecord, isFree, type RecordContext } from './record-place.ts'
import { queryValues } from './sent-values.ts'

/**
 * An action on a record, such as `POST /orders/{id}/cancel`: its response is the record, or its name tells what it sets. A DELETE
 * undoes what another method on the path does.
 */
export function actionBelow(
  operation: Operation,
  path: string,
  known: ResourceFinder,
): OperationHints | undefined {
  const { named, resource } = actionOnSingle(path, known) ?? actionOnRecord(path, known)
  if (!resource?.context.known || COPY.test(named?.name ?? '')) return undefined
  const isUndone = operation.method === 'DELETE' && hasOpposite(known.group(path))
  if (!isUndone && !/^(POST|PUT|PATCH)$/.test(operation.method)) return undefined
  const effect =
    named &&
    (effectHints(operation, { name: named.name, isUndone }, resource, known) ??
      takenBack(path, resource, known))
  const isShown = showsRecord(operation, resource.context, effect !== undefined)
  const isKnown =
    effect !== undefined || (!isUndone && (isShown || sendsParts(operation, resource)))
  if (!isKnown) return undefined

  return {
    ...actionHints('act', resource),
    ...(isShown && shownHints(operation, 'act', resource, known.describe)),
    ...sentHints(operation, 'act', resource),
    ...effect,
  }
}

/** An action, and whose records it is about. */
interface Acted {
  readonly named: ReturnType<typeof actionIn>
  readonly resource: InferredResource | undefined
}

function actionOnRecord(path: string, known: ResourceFinder): Acted {
  const named = actionIn(path)
  const { stem } = shapeOf(named?.recordPath ?? recordPathAbove(path) ?? '')

  return { named, resource: stem === undefined ? undefined : known.resource(stem) }
}

/** An action on a single record, such as `PUT /player/pause`; `undefined` when the path is below no such record. */
function actionOnSingle(path: string, known: ResourceFinder): Acted | undefined {
  const [, recordPath = '', name = ''] = /^(.*\/[^{}/]+)\/([A-Za-z][\w-]*)$/.exec(path) ?? []
  const resource = recordPath === '' ? undefined : known.resource(recordPath)

  return resource?.hints.isSingle ? { named: { recordPath, name }, resource } : undefined
}

/** Verbs for a change of properties. */
const CHANGES =
  /^(rename|update|edit|modify|change|set|assign|move|attach|associate|connect|link|bind|mount|resize|transfer)/i

/** What takes back such a change, and the change that it takes back. */
const TAKES_BACK = /^(?:un|de|dis)(assign|tach|associate|connect|link|bind|mount)$/i

/** Whether an action is called as a change of properties, and its body or query has nothing else: `PUT /books/{id}/title`, `POST /books/{id}/rename`. */
function sendsParts(operation: Operation, { context, hints }: InferredResource): boolean {
  const { body, path } = operation
  const { known = {} } = context
  const inQuery = queryValues(operation, 'act', hints.id, context) ?? {}
  const names = [...propertiesOf(body?.schema ?? {}).keys(), ...Object.values(inQuery)]
  const own = propertiesOf(known)
  const last = wordOf(path)
  const [word, plain] = [plainName(last), names.map(plainName)]
  const isCalled =
    CHANGES.test(last) || plain.some((name) => isSameWord(name, word) || name.startsWith(word))

  return isCalled && names.length > 0 && names.every((name) => name !== hints.id && own.has(name))
}

/** What a path such as `/volumes/{id}/detach` takes back: the properties that requests to `/volumes/{id}/attach` have. */
function takenBack(
  path: string,
  { context: { known = {} }, hints }: InferredResource,
  { group }: ResourceFinder,
): Pick<OperationHints, 'set'> | undefined {
  const last = wordOf(path)
  const [, verb = ''] = TAKES_BACK.exec(last) ?? []
  const done = verb === 'tach' ? 'attach' : verb
  const change = done === '' ? undefined : group(path.slice(0, -last.length) + done)
  const bodies = (change?.collection ?? []).flatMap(({ body }) => (body ? [body.schema] : []))
  const names = bodies.flatMap((body) => [...propertiesOf(body).keys()])
  const own = names.filter((name) => name !== hints.id && propertiesOf(known).has(name))

  return own.length > 0
    ? { set: Object.fromEntries(own.map((name) => [name, SERVICE_VALUES.absent])) }
    : undefined
}

/** What an action sets, and what the record must have before it; `undefined` when its name does not tell. */
function effectHints(
  operation: Operation,
  action: Omit<NamedAction, 'word'>,
  { context: { word, known: record = {} } }: InferredResource,
  { describe }: ResourceFinder,
): Pick<OperationHints, 'set' | 'from'> | undefined {
  const set = inferEffect({ ...action, word }, record)
  const from = set && inferTransition(set, record, conflictOf(operation, describe))

  return set && { set, ...(from && { from }) }
}

/** What a document says of the conflict of an action: at its 409 and, if it has one, where it says that the action is done once only. */
function conflictOf(operation: Operation, describe: ResourceFinder['describe']): string {
  if (!operation.responses.some(({ status }) => status === CONFLICT)) return ''
  const sentences = describe(operation).split(/(?<=[.!?])\s/)
  const once = sentences.filter((one) => /\b(again|twice|once)\b/i.test(one))

  return [describe(operation, CONFLICT), ...once].join(' ')
}

const CONFLICT = 409

/** Actions that make another record. */
const COPY = /^(copy|clone|duplicate|fork)/i

/** Whether the path of an action has another method than DELETE. */
function hasOpposite(group: Group | undefined): boolean {
  return group?.collection.some(({ method }) => /^(POST|PUT|PATCH)$/.test(method)) ?? false
}

/** Whether an action answers with the record. A response that may be anything is the record where the action is known. */
function showsRecord(operation: Operation, context: RecordContext, isKnown: boolean): boolean {
  const body = responseSchemaOf(operation)
  const shown = body && findRecord(body, context)?.schema
  if (!shown) return false

  return (isKnown && isFree(shown)) || isAlike(shown, context.known ?? {})
}
