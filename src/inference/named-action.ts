import type { Operation } from '../contract/contract.ts'
import { type OperationHints, SERVICE_VALUES } from '../contract/hints.ts'
import { isObjectSchema, itemsOf, plainName, propertiesOf } from '../contract/schema.ts'
import {
  describedEffect,
  inferEffect,
  inferTransition,
  type NamedAction,
} from './action-effects.ts'
import { COPY } from './copies.ts'
import type { Group } from './groups.ts'
import { isSameWord, wordsOf } from './id-property.ts'
import { type InferredResource, responseSchemaOf } from './infer-resource.ts'
import {
  actionHints,
  isAlike,
  type ResourceFinder,
  sentHints,
  shownHints,
} from './message-hints.ts'
import { actionIn, recordPathAbove, shapeOf, withoutNames, wordOf } from './path-shape.ts'
import { findRecord, isFree, type RecordContext } from './record-place.ts'
import { RENEW, renewedBy, SECRET, secretIn } from './secrets.ts'
import { queryValues } from './sent-values.ts'
import { eventIn, isMoment } from './time-names.ts'

/**
 * An action on a record, such as `POST /orders/{id}/cancel`: its response is the record, or its name tells what it sets. A DELETE
 * undoes what another method on the path does.
 */
export function actionBelow(
  operation: Operation,
  path: string,
  known: ResourceFinder,
): OperationHints | undefined {
  const { named, resource } = actedOn(path, known)
  if (!resource?.context.known || COPY.test(named?.name ?? '')) return undefined
  const isUndone = operation.method === 'DELETE' && hasOpposite(known.group(path))
  if (!isUndone && !/^(POST|PUT|PATCH)$/.test(operation.method)) return undefined
  const effect =
    named &&
    (effectHints(operation, { name: named.name, isUndone }, resource, known) ??
      effectOnPart(named, resource) ??
      takenBack(path, resource, known))
  const inside = effect ? undefined : changeInside(operation, named?.name, resource)
  const isShown = showsRecord(operation, resource.context, effect !== undefined)
  const isPlain = (): boolean => !isUndone && (isShown || sendsParts(operation, resource))
  if (!(effect ?? inside) && !isPlain()) return undefined

  return {
    ...actionHints('act', resource),
    ...(isShown && shownHints(operation, 'act', resource, known.describe)),
    ...(inside ?? sentHints(operation, 'act', resource)),
    ...effect,
    ...(!isShown && shownSecret(operation, effect?.set, resource)),
    ...onlyOne(named, effect?.set, resource),
  }
}

/** A path with two words below a record: a part of it, and what is done to that. */
const PART_BELOW = /^(.*\/\{[^{}/]+\})\/([A-Za-z][\w-]*)\/([A-Za-z]+)$/

/**
 * What replaces a secret of the record above, where nothing else shows it: `rotate` and `secret` of `POST /apps/{id}/secret/rotate`, if apps
 * have one.
 */
function renewalOf(path: string, known: ResourceFinder): Acted | undefined {
  const [, recordPath = '', noun = '', verb = ''] = PART_BELOW.exec(shapeOf(path).path) ?? []
  const { stem } = shapeOf(recordPath)
  const resource = RENEW.test(verb) && stem !== undefined ? resourceAt(stem, known) : undefined
  const name = `${verb}-${noun}`
  const isShown = known.group(`${recordPath}/${noun}`)?.collection.length !== 0
  const isOwn = !isShown && renewedBy(name, resource?.context.known ?? {}, false) !== undefined

  return resource && isOwn ? { named: { recordPath, name }, resource } : undefined
}

/** Where a response that is not the record shows the secret that its request has replaced, and what it calls it. */
function shownSecret(
  operation: Operation,
  set: OperationHints['set'],
  { context }: InferredResource,
): Pick<OperationHints, 'record' | 'views'> {
  const [name, ...others] = Object.entries(set || {}).flatMap(([one, value]) =>
    value === SERVICE_VALUES.revision ? one : [],
  )
  const body = name === undefined || others.length > 0 ? undefined : responseSchemaOf(operation)
  const found = body && findRecord(body, context)
  const shown = found && propertiesOf(found.schema)
  if (name === undefined || !shown || shown.size === 0) return {}
  if (shown.has(name)) return { record: found.place }
  const other = secretIn(found.schema)

  return other === undefined ? {} : { record: found.place, views: { [other]: name } }
}

/** A flag of which only one record beside others has it. */
const ONLY_ONE = /^(is)?(default|primary)$/

/** What makes a record the only one with a flag: `PUT /addresses/{id}/default` takes it from the address that had it. */
function onlyOne(
  named: ReturnType<typeof actionIn>,
  set: OperationHints['set'],
  { hints: { item } }: InferredResource,
): Pick<OperationHints, 'also'> {
  const [[flag, value] = [], ...others] = Object.entries(set || {})
  const isOne = flag !== undefined && value === true && ONLY_ONE.test(plainName(flag))
  const { stem, parameter } = shapeOf(named?.recordPath ?? '')
  const isOwn = item !== undefined && withoutNames(item) === withoutNames(named?.recordPath ?? '')
  if (!isOne || others.length > 0 || stem === undefined || !isOwn) return {}
  const collection = stem.replaceAll(/\{([^{}]+)\}/g, '{path.$1}')

  return {
    also: [
      { in: collection, where: { [flag]: true }, set: { [flag]: false } },
      { in: collection, id: `{path.${parameter}}`, set: { [flag]: true } },
    ],
  }
}

/**
 * An action at a path whose GET asks by its status alone whether it was done: `GET /pulls/{number}/merge` is a 204 for what is `merged`, else
 * a 404. `undefined` for another operation.
 */
export function askedAction(
  operation: Operation,
  path: string,
  known: ResourceFinder,
): OperationHints | undefined {
  const { collection = [], item = [] } = known.group(path) ?? {}
  const question = collection.find(({ method }) => method === 'GET')
  const { named, resource } = actionOnRecord(path, known)
  const { word, known: record } = resource?.context ?? {}
  if (!(question && named && resource && record && word !== undefined) || item.length > 0)
    return undefined
  const isAsked = question.responses.some(({ status }) => status === NOT_FOUND)
  if (!isAsked || responseSchemaOf(question)) return undefined
  const set = inferEffect({ name: named.name, word, isUndone: false }, record) ?? {}
  const states = Object.entries(set).filter(([, value]) => value === true)
  if (states.length === 0) return undefined
  if (operation !== question) return actionBelow(operation, path, known)
  const unless = Object.fromEntries(states.map(([name, value]) => [`record.${name}`, value]))

  return { ...actionHints('read', resource), refuse: [{ unless, status: NOT_FOUND }] }
}

const NOT_FOUND = 404

/**
 * A change of one property of the record, whose value the request has: an object, as at `PUT /sites/{id}/theme` and `POST
 * /servers/{id}/change_protection`, or an item of a list, as at `POST /networks/{id}/add_subnet`.
 */
function changeInside(
  { method, body }: Operation,
  action: string | undefined,
  { context: { known = {} } }: InferredResource,
): Pick<OperationHints, 'part' | 'list'> | undefined {
  if (action === undefined) return undefined
  const sent = [...propertiesOf(body?.schema ?? {}).keys()]
  if (method === 'DELETE' || sent.length === 0) return undefined
  const [, verb = '', noun = action] = CHANGE_OF.exec(action) ?? []
  const [property, schema = {}] =
    [...propertiesOf(known)].find(([name]) => isSameWord(plainName(name), plainName(noun))) ?? []
  if (property === undefined || sent.includes(property)) return undefined
  const items = itemsOf(schema)
  const own = propertiesOf(items ?? schema)
  if (sent.filter((name) => own.has(name)).length < sent.length * LIKE_PART) return undefined
  const change = itemChangeOf(verb)
  if (!items) return change === undefined ? { part: property } : undefined

  return change && { list: { property, change, sent: '' } }
}

function itemChangeOf(verb: string): 'add' | 'remove' | undefined {
  if (verb === 'add') return 'add'
  return verb === 'remove' || verb === 'delete' ? 'remove' : undefined
}

/** So much of what a request has tells that it is the property. */
const LIKE_PART = 0.6

/** A verb for a change, and what it changes: `add` and `subnet`. */
const CHANGE_OF = /^(add|remove|delete|change|set|update|edit|configure)(?:[-_]|(?=[A-Z]))(.+)$/

function actedOn(path: string, known: ResourceFinder): Acted {
  const found = renewalOf(path, known) ?? actionOnSingle(path, known) ?? actionOnRecord(path, known)
  return found.named ? found : (actionOnPart(path, known) ?? found)
}

/** An action on a part of the record above, such as `enable` of `POST /servers/{id}/backups/enable`, where servers have `backups`. */
function actionOnPart(path: string, known: ResourceFinder): Acted | undefined {
  const [, recordPath = '', part = '', name = ''] = PART_BELOW.exec(shapeOf(path).path) ?? []
  const { stem } = shapeOf(recordPath)
  const resource = stem === undefined ? undefined : resourceAt(stem, known)
  const named = { recordPath, name, part }

  return resource && effectOnPart(named, resource) ? { named, resource } : undefined
}

/** What turns off a part of a record that is only on or off. */
const ENDS_PART = /^(cancel|stop|end|remove|deactivate)$/i

/** What an action sets in the part of a record that its path names. */
function effectOnPart(
  { name, part }: NonNullable<Acted['named']>,
  { context: { known: record = {} } }: InferredResource,
): Pick<OperationHints, 'set'> | undefined {
  const [property, schema] =
    [...propertiesOf(record)].find(([one]) => plainName(one) === plainName(part ?? '')) ?? []
  if (part === undefined || property === undefined || !schema || !isObjectSchema(schema))
    return undefined
  const set = [name, ...(ENDS_PART.test(name) ? ['disable'] : [])]
    .map((one) => inferEffect({ name: one, word: part, isUndone: false }, schema))
    .find((one) => one !== undefined)

  return set && { set: { [property]: set } }
}

/** An action, and whose records it is about. */
interface Acted {
  readonly named:
    | (NonNullable<ReturnType<typeof actionIn>> & { readonly part?: string })
    | undefined
  readonly resource: InferredResource | undefined
}

function actionOnRecord(path: string, known: ResourceFinder): Acted {
  const named = actionIn(path)
  const { stem } = shapeOf(named?.recordPath ?? recordPathAbove(path) ?? '')

  return { named, resource: stem === undefined ? undefined : resourceAt(stem, known) }
}

/** The resource of a path, also of one that begins with a word for a kind of request: `/simulations/transfers` is about `/transfers`. */
function resourceAt(stem: string, known: ResourceFinder): InferredResource | undefined {
  const found = known.resource(stem)
  const [, rest] = /^\/[^{}/]+(\/.+)$/.exec(stem) ?? []
  if (found?.context.known || rest === undefined) return found
  const other = resourceAt(rest, known)
  return other?.hints.item === undefined ? found : other
}

/** An action on a single record, such as `PUT /player/pause`; `undefined` when the path is below no such record. */
function actionOnSingle(path: string, known: ResourceFinder): Acted | undefined {
  const [, recordPath = '', name = ''] =
    /^(.*\/[^{}/]+)\/([A-Za-z][\w-]*)$/.exec(shapeOf(path).path) ?? []
  const resource = recordPath === '' ? undefined : known.resource(recordPath)

  return resource?.hints.isSingle ? { named: { recordPath, name }, resource } : undefined
}

/** Verbs for a change of properties. */
const CHANGES =
  /^(rename|update|edit|modify|change|set|assign|move|attach|associate|connect|link|bind|mount|resize|transfer)/i

/** Those whose requests say, besides the properties, how the change is done. */
const CHANGES_PART = /^(update|edit|modify|change|set|assign|attach|associate|mount)/i

/** What takes back such a change, and the change that it takes back. */
const TAKES_BACK = /^(?:un|de|dis)(assign|tach|associate|connect|link|bind|mount)$/i

/**
 * Whether an action is called as a change of properties, and its body or query has nothing else: `PUT /books/{id}/title`, `POST
 * /books/{id}/rename`. A PUT that answers with nothing sets what it has, whatever it is called: `PUT /users/{id}/status` with `enabled`.
 */
function sendsParts(operation: Operation, { context, hints }: InferredResource): boolean {
  const { body, path, method } = operation
  const inQuery = queryValues(operation, 'act', hints.id, context) ?? {}
  const names = [...propertiesOf(body?.schema ?? {}).keys(), ...Object.values(inQuery)]
  const own = propertiesOf(context.known ?? {})
  const last = wordOf(path)
  const [word, plain] = [plainName(last), names.map(plainName)]
  const isCalled =
    CHANGES.test(last) || plain.some((name) => isSameWord(name, word) || name.startsWith(word))

  const known = names.filter((name) => name !== hints.id && own.has(name))
  // A request to attach or to change may say how it is done, too.
  const isMost = CHANGES_PART.test(last) && known.length * 2 >= names.length

  const isAll = names.length > 0 && known.length === names.length
  const sets = method !== 'POST' && responseSchemaOf(operation) === undefined

  return (isCalled && (isAll || (isMost && names.length > 0))) || (sets && isAll)
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

/** What an action sets, and what the record must have before it; `undefined` when neither its name nor its description tells. */
function effectHints(
  operation: Operation,
  action: Omit<NamedAction, 'word'>,
  resource: InferredResource,
  { describe }: ResourceFinder,
): Pick<OperationHints, 'set' | 'from'> | undefined {
  const { context, offered } = resource
  const { word, known: record = {} } = context
  const isBare = operation.body === undefined
  const named =
    inferEffect({ ...action, word, isBare, offered }, record) ??
    (action.isUndone ? undefined : renewedSecret(operation, action.name, context))
  const said = describedEffect(describe(operation), record)
  const times = renewalTimes(named, resource)
  const set = named || said ? { ...named, ...times, ...said } : undefined
  const from = set && inferTransition(set, record, conflictOf(operation, describe))

  return set && { set, ...(from && { from }) }
}

/** The secret that only the response of an action shows, which replaces it: the `token` of `POST /keys/{id}/rotate`. */
function renewedSecret(
  operation: Operation,
  action: string,
  context: RecordContext,
): OperationHints['set'] {
  const [verb = '', ...nouns] = wordsOf(action)
  const body = RENEW.test(verb) ? responseSchemaOf(operation) : undefined
  const shown = body && findRecord(body, context)?.schema
  const isOfSecret = nouns.length === 0 || SECRET.test(nouns.join(''))
  const name =
    (shown && renewedBy(action, shown, false)) ?? (isOfSecret && shown && secretIn(shown))

  return name ? { [name]: SERVICE_VALUES.revision } : undefined
}

/** When a secret was replaced; where a path has nothing but the secret, also when that was created. */
function renewalTimes(
  set: OperationHints['set'],
  { context: { known = {} }, hints: { isSingle } }: InferredResource,
): OperationHints['set'] {
  if (!Object.values(set || {}).includes(SERVICE_VALUES.revision)) return {}
  const times = [...propertiesOf(known)].flatMap(([name, schema]) => {
    const event = isMoment(schema) ? eventIn(plainName(name), schema) : undefined
    const isNow = event !== undefined && (RENEWED.test(event) || (isSingle && event === 'created'))
    return isNow ? [[name, SERVICE_VALUES.now] as const] : []
  })
  return Object.fromEntries(times)
}

const RENEWED = /^(last)?(rotated|regenerated|renewed|reset|rolled|refreshed)$/

/**
 * What a document says of the conflict of an action: at its 409 and, if it has one, where it says that the action is done once only, or
 * in which state of the record it is refused, and nothing else.
 */
function conflictOf(operation: Operation, describe: ResourceFinder['describe']): string {
  if (!operation.responses.some(({ status }) => status === CONFLICT)) return ''
  const sentences = describe(operation)
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?])\s/)
  const said = sentences.filter(
    (one) => /\b(again|twice|once)\b/i.test(one) || (OF_STATE.test(one) && !OF_OTHERS.test(one)),
  )
  return [describe(operation, CONFLICT), ...said].join(' ')
}

/** A sentence about a conflict with the state of a record, and words that make it one about something else. */
const OF_STATE = /\b409\b.*\b(is|are|was|already|not|unless|only)\b/i
const OF_OTHERS = /\b(an?other|others|any|each|every|has|have|still|while|without|least|most)\b/i

const CONFLICT = 409

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
