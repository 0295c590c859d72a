import type { Contract, Schema } from '../../contract/contract.ts'
import { documentedResponse } from '../../contract/documented-response.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { type ResourceBinding, resourcesIn } from '../../resources/bind.ts'
import { linksOf } from '../../resources/record-links.ts'
import { singular } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import { type LeftOut, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  boundTo,
  isOnItem,
  isSameTemplate,
  itemTarget,
  pathOf,
  recordIn,
  recordTemplate,
  segmentsOf,
  sentPlace,
  valuesIn,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { memberTemplate } from '../session/item-templates.ts'
import { linksByLastWords } from '../session/property-links.ts'
import type { Session } from '../session/session.ts'
import { type Member, membersOf, mentions, sentencesOf } from '../session/stated-rules.ts'
import { createAt, creationRequest, validRequest } from '../session/valid-request.ts'
import { requiredOnly, withValues } from '../test-data/full-body.ts'
import { ENDS } from './other-key.ts'
import { ORDER, type Probe } from './probe.ts'
import { idOfCreated } from './steps.ts'

/** The most states of a record in which an operation is tried. */
const MAX_STATES = 3

/** The most actions that are tried to bring a record into a state. */
const MAX_ACTIONS = 3

/** The most records that are created below a record to bring it into a state. */
const MAX_BELOW = 2

/** A value of a property in which the document does not allow an operation, by a sentence of its description. */
interface StatedConflict {
  readonly property: string
  readonly value: unknown
  readonly sentence: string
}

/**
 * Operations that the document forbids in words while a record is in a state, as in "Only drafts can be sent" and "Answers 409 if the
 * course is archived": a record of the run is brought into the state, and the operation must not succeed.
 */
export function statedConflictProbes(
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  return groups.flatMap((group) => {
    const { create, update, replace, remove, read } = group.bindings
    if (create?.operation.method !== 'POST')
      return memberTemplateOf(create, contract)
        ? creationProbes(group, groups, contract, texts)
        : []
    const onItem = [update, replace, remove, ...group.actions].flatMap((one) =>
      one && isOnRecord(one, create) ? [one] : [],
    )
    const schema = (read ?? create).resource.schema
    return [
      ...onItem.flatMap((one) =>
        conflictsOf(one, schema, texts).map((conflict) => itemProbe(group, create, one, conflict)),
      ),
      ...creationProbes(group, groups, contract, texts),
    ]
  })
}

/** The path template of the record that a new entry names at the end of its path, if it names one. */
function memberTemplateOf(
  create: ResourceBinding | undefined,
  contract: Contract,
): readonly string[] | undefined {
  return create?.operation.method === 'PUT' ? memberTemplate(create.operation, contract) : undefined
}

/** Whether an operation is on one record of those that another one creates, or on a word after it. */
function isOnRecord(one: ResourceBinding, create: ResourceBinding): boolean {
  const { path } = one.operation
  const item = { ...one, operation: { ...one.operation, path: itemPathOf(path) } }
  return isOnItem(create, item)
}

/** The path of the record that an operation is about. */
function itemPathOf(path: string): string {
  return `/${recordTemplate({ path }).join('/')}`
}

/** Creations that the state of a record forbids: of the one above, or of one that the new record refers to. */
function creationProbes(
  { bindings: { create } }: BoundResource,
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  if (!create?.operation.body || !documentedResponse(create.operation, 409)) return []
  const schema = schemaAt(create.operation.body.schema, sentPlace(create)) ?? {}
  const links = linksOf({ ...create.resource, schema }, resourcesIn(contract))
  const above = parentTemplate(create)
  return groups.flatMap((group) => {
    const parent = group.bindings.create
    if (!parent || parent === create || parent.operation.method !== 'POST') return []
    const isAbove = groupHas(group, above)
    const link = links.find(({ to }) => to === parent.resource)?.property
    if (!isAbove && link === undefined) return []
    const noun = singular(segmentsOf(parent.resource.path).at(-1) ?? '')
    // What has no such state itself says it of the record above.
    const hasOwn = (property: string): boolean => propertiesOf(create.resource.schema).has(property)
    return conflictsOf(create, (group.bindings.read ?? parent).resource.schema, texts)
      .filter(
        ({ sentence, property }) =>
          plain(sentence).includes(plain(noun)) || (isAbove && !hasOwn(property)),
      )
      .map((conflict) => creationProbe(group, { create, parent, link }, conflict))
  })
}

/** The path template of the record below which an operation creates others. */
function parentTemplate({ operation: { path, method } }: ResourceBinding): readonly string[] {
  const collection = method === 'PUT' ? segmentsOf(path).slice(0, -1).join('/') : path
  return recordTemplate({ path: `/${collection.replace(/^\//, '')}` })
}

/** Whether a template is that of the records of a group. */
function groupHas(
  { bindings: { read, update, remove } }: BoundResource,
  template: readonly string[],
): boolean {
  return [read, update, remove].some(
    (one) => one && template.length > 0 && isSameTemplate(segmentsOf(one.operation.path), template),
  )
}

function plain(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
}

/** Words that make a sentence say more than which states are forbidden. */
const CONDITION = /\b(unless|except|until|before|once|from\b.*\bto|whether or not)\b/i

/** What has a state after it that a record must have: "Answers 409 unless the order is a draft". */
const UNLESS = /\b(?:409|conflict|refused|can ?not|can't)\b.*\bunless\b(.*)/i

/** The states in which the description of an operation forbids it. Only where it has a 409. */
function conflictsOf(
  binding: ResourceBinding,
  schema: Schema,
  texts: DocumentTexts,
): readonly StatedConflict[] {
  const { operation, hints } = binding
  if (!documentedResponse(operation, 409)) return []
  const ofResponse = sentencesOf(texts.response(operation.id, 409)).map((one) => `409 if ${one}`)
  const own = sentencesOf(texts.operation(operation.id))
  const sentences = [...own, ...ofResponse].filter(
    (one) => UNLESS.test(one) || !CONDITION.test(one),
  )
  const found = [...propertiesOf(schema)].flatMap(([property, state]) => {
    const effect = hints.set?.[property]
    // What an action sets to a word is a state, whatever it is called.
    const members = membersOf(property, state, typeof effect === 'string' || undefined)
    const found = [
      ...sentences.flatMap((sentence) =>
        forbiddenIn(sentence, members, effect).map((value) => [value, sentence] as const),
      ),
      ...otherStatesIn(own, members, effect),
    ]
    return found.map(([value, sentence]) => ({ property, value, sentence }))
  })
  const byValue = new Map(found.map((one) => [`${one.property}=${one.value}`, one]))
  return [...byValue.values()].slice(0, MAX_STATES)
}

/** "Another status" is any but those that the sentences before name: "Changes an open order. An order with another status answers 409". */
const OTHER_STATE =
  /\b(?:with|in|has|having) (?:another|any other|a different) (?:status|state|phase|stage)\b|^any other (?:status|state|phase|stage)\b/i

function otherStatesIn(
  sentences: readonly string[],
  members: readonly Member[],
  effect: unknown,
): readonly (readonly [value: unknown, sentence: string])[] {
  return sentences.flatMap((sentence, at) => {
    const before = sentences.slice(0, at).join(' ')
    const named = members.filter((one) => one[0] !== effect && mentions(before, one))
    if (!OTHER_STATE.test(sentence) || named.length === 0) return []
    return members.flatMap((one) => (named.includes(one) ? [] : [[one[0], sentence] as const]))
  })
}

/** The parts of a sentence that depend on nothing but a state: "if a published course still has lessons" is about its lessons, too. */
function withoutConditions(sentence: string): string {
  const parts = sentence.split(/,\s+|\bor\s+(?=(?:another|if|when)\b)/i)
  // "The venue of a published event" is one property.
  const hasMore =
    /\b(ha(s|ve)(?! (already )?been\b)|still|without|while|than|exceeds?|would)\b|\bthe [\w-]+ of (an?|the)\b/i
  return parts.filter((one) => !hasMore.test(one)).join(', ')
}

/** What something must not be, with the status of the refusal behind it: "The host is a member that is not suspended (409)". */
const MUST_NOT_BE = /\b(?:that|which|who) (?:is|are) not((?: \w+){1,2}?) \(409\b[^)]*\)[.;]?\s*$/i
/** What says that the sentence is about what is refused, and not about what is allowed. */
const TELLS_REFUSAL =
  /\b(?:answer(?:s|ed)?|refused?|rejected|conflict|error|if|when|returns?|gets?|gives?|fails?)\b/i

/** The values that a sentence forbids. `effect` is what the operation sets. */
function forbiddenIn(
  sentence: string,
  members: readonly Member[],
  effect: unknown,
): readonly unknown[] {
  const [, unwanted = ''] = MUST_NOT_BE.exec(sentence) ?? []
  if (unwanted !== '' && !TELLS_REFUSAL.test(sentence))
    return members.flatMap((one) => (mentions(unwanted, one) ? [one[0]] : []))
  const isForbidding = /\b409\b|\bconflict\b|\b(can ?not|can't|may not|must not|no longer)\b/i
  const [, before = ''] = /\b(?:can|may)\b(.*?)\bonly\b *(?:[,;:.]|$)/i.exec(sentence) ?? []
  const [, after = ''] =
    /\bonly\b(.*?)(\b(?:can|may|could)\b|\b(?<!\b(?:that|which|who) )(?:is|are)\b|[,;:.]|$)/i.exec(
      sentence,
    ) ?? []
  // "Only while the loan is a draft (409)" has no other verb.
  const [, during = ''] =
    /^only (?:while|when|if|as long as)\b(.*?)(?:[(;:.]|$)/i.exec(sentence) ?? []
  const [, unless = ''] = UNLESS.exec(sentence) ?? []
  const [needed = ''] = unless.split(/\band\b/i)
  // "Adds a result to an open order (otherwise 409)", "Ends an active stay (409 otherwise)".
  const [, instead = ''] =
    /^(.*)\b(?:(?:otherwise|or else)\b.*\b409\b|409,? (?:otherwise|if not)\b)/i.exec(sentence) ?? []
  const allowing = `${before} ${after} ${during} ${withoutConditions(needed)} ${instead}`
  const allowed = members.filter((one) => one[0] !== effect && mentions(allowing, one))
  // A word in parentheses is the code of the error.
  const said = withoutConditions(sentence.replace(/\([\w-]*\)/g, ''))
  const [, denied = ''] =
    /\b(?:(?:is|are|was)(?: not| no(?: longer)?|n't| neither)|if not|other than)((?: \w+){1,4})/i.exec(
      said,
    ) ?? []
  const negated = /\b409\b/.test(sentence) ? members.filter((one) => mentions(denied, one)) : []
  const only = [...allowed, ...negated]
  if (only.length > 0)
    return members.flatMap((one) => (only.includes(one) || only.length > 2 ? [] : [one[0]]))
  // "`open` becomes `closed`, and the box is no longer used" is what an action does.
  const isTold = /\bbecomes?\b/i.test(sentence) && !/\b409\b|\bconflict\b/i.test(sentence)
  if (unless !== '' || isTold || !isForbidding.test(sentence)) return []
  const isDone = /\b409\b|\balready\b/.test(sentence)
  return members.flatMap((one) =>
    mentions(said, one) && (isDone || one[0] !== effect) ? [one[0]] : [],
  )
}

const NO_STATE: LeftOut = { leftOut: 'no record was brought into the state that forbids it' }

/** The operation on a record of the run in the state. */
function itemProbe(
  group: BoundResource,
  create: ResourceBinding,
  binding: ResourceBinding,
  conflict: StatedConflict,
): Probe {
  return conflictProbe(binding, conflict, async (session) => {
    const created = await recordInState(session, group, create, conflict, binding)
    if (!created) return []
    const request = await onRecord(session, created, create, binding)
    return request ? [await session.send({ ...request, keepsRefusal: true })] : []
  })
}

/** The creation below a record in the state, or of a record that refers to it. */
function creationProbe(
  group: BoundResource,
  {
    create,
    parent,
    link,
  }: {
    readonly create: ResourceBinding
    readonly parent: ResourceBinding
    readonly link: string | undefined
  },
  conflict: StatedConflict,
): Probe {
  const isPut = create.operation.method === 'PUT'
  const above = parentTemplate(create)
  return conflictProbe(create, conflict, async (session) => {
    const record = await recordInState(session, group, parent, conflict, create)
    const id = record && idOfCreated(record, parent)
    if (!record || id === undefined) return []
    const request = await creationRequest(create.operation, session)
    if (link !== undefined) {
      const number = Number(id)
      const values = [{ [link]: id }, { [link]: number }]
      const [own] = values.flatMap((one) => {
        const changed = withValues(request, create, one)
        return changed.body?.includes(JSON.stringify(one[link])) ? [changed] : []
      })
      const flags = { isRepeated: true, keepsRefusal: true } as const
      return own ? [await session.send({ ...own, ...flags })] : []
    }
    const start = itemTarget(record, { path: `/${above.join('/')}` }, id)
    const words = segmentsOf(create.operation.path).slice(above.length)
    // An entry that is put has the id of a new record at the end of its path.
    const last = isPut ? segmentsOf(pathOf(request.target)).slice(-1) : []
    const path = [start, ...words.slice(0, words.length - last.length), ...last].join('/')
    const target = withPath(request.target, path)
    return [await session.send({ ...request, target, keepsRefusal: true })]
  })
}

function conflictProbe(
  { operation }: ResourceBinding,
  { property, value, sentence }: StatedConflict,
  send: Probe['send'],
): Probe {
  const state = `${property}=${value}`
  const name = `is refused where the description says so: ${state}`
  const check = operationCheck(operation, `stated/${state}`, name, ([tried]) =>
    tried ? passIf(!isSuccess(tried), tried, `409: "${sentence.trim()}"`) : NO_STATE,
  )
  return {
    order: ORDER.change + 0.8,
    maxRequests: 4 + 4 * (MAX_ACTIONS + 1) + 8 * MAX_BELOW,
    creations: 3,
    requires: 'writes',
    checks: [check],
    send,
  }
}

/**
 * A new record in a state: as it is created, or after actions or a change; else one that refers to other records, because these may allow
 * the state only once. `undefined` when none leads to the state.
 */
async function recordInState(
  session: Session,
  group: BoundResource,
  create: ResourceBinding,
  conflict: StatedConflict,
  tried: ResourceBinding,
): Promise<ProbeResponse | undefined> {
  const { created, isThere } = await newInState(session, group, create, conflict, tried)
  if (isThere || !session.renewReferences(created.request)) return isThere ? created : undefined
  const other = await newInState(session, group, create, conflict, tried)
  if (!other.isThere) return undefined
  session.references.keepApart(create.operation)
  return other.created
}

/** A new record, and whether it came into a state. */
async function newInState(
  session: Session,
  group: BoundResource,
  create: ResourceBinding,
  conflict: StatedConflict,
  tried: ResourceBinding,
): Promise<{ readonly created: ProbeResponse; readonly isThere: boolean }> {
  const request = await creationRequest(create.operation, session)
  const created = await session.send({ ...request, isValid: true })
  if (idOfCreated(created, create) === undefined) return { created, isThere: false }
  const trying = tried.action === 'act' && (await onRecord(session, created, create, tried))
  if (trying) await session.states.prepare(trying)
  if (isInState(created, create, conflict)) return { created, isThere: true }
  const record = { session, group, create, created }
  const isSet = group.actions.some(({ hints }) => hints.set?.[conflict.property] === conflict.value)
  const isThere =
    // An action that sets another state may leave it for good.
    (!isSet && (await isAfterCreation(record, conflict))) ||
    (await isAfterActions(record, conflict)) ||
    (await isAfterChange(record, conflict, tried)) ||
    (isSet && (await isAfterCreation(record, conflict)))
  return { created, isThere }
}

/** A new record of a group. */
interface NewRecord {
  readonly session: Session
  readonly group: BoundResource
  readonly create: ResourceBinding
  readonly created: ProbeResponse
}

function isInState(
  response: ProbeResponse,
  binding: ResourceBinding,
  { property, value }: StatedConflict,
): boolean {
  const values = isSuccess(response) ? valuesIn(recordIn(response, binding)) : undefined
  return isObject(values) && values[property] === value
}

/** Whether a record is in a state when it is read. */
async function isReadIn(
  { session, group, create, created }: NewRecord,
  conflict: StatedConflict,
): Promise<boolean> {
  const { read } = group.bindings
  if (!read || !isOnItem(create, read)) return false
  const reading = await onRecord(session, created, create, read)
  return reading !== undefined && isInState(await session.send(reading), read, conflict)
}

/** Whether what is created below a record, or refers to it, brings it into a state: a bed with an open stay is occupied. */
async function isAfterCreation(record: NewRecord, conflict: StatedConflict): Promise<boolean> {
  const { session, group, create, created } = record
  const item = segmentsOf(group.bindings.read?.operation.path ?? '')
  const below = session.contract.operations.filter(
    (one) =>
      one.method === 'POST' &&
      session.gate.creations.has(one) &&
      isSameTemplate(segmentsOf(one.path).slice(0, -1), item),
  )
  for (const operation of below.slice(0, MAX_BELOW)) {
    const request = await onRecord(session, created, create, { operation })
    const made = request && (await session.send(request))
    if (made && isSuccess(made) && (await isReadIn(record, conflict))) return true
  }
  for (const { binding, property } of referringTo(create, session).slice(0, MAX_BELOW)) {
    const id = idOfCreated(created, create) ?? ''
    const plain = await creationRequest(binding.operation, session)
    const [text, number] = [id, Number(id)].map((one) =>
      withValues(plain, binding, { [property]: one }),
    )
    const request = text?.body === plain.body ? number : text
    const made = request && (await session.send({ ...request, isValid: true }))
    if (made && isSuccess(made) && (await isReadIn(record, conflict))) return true
  }
  return await isAfterUse(record, conflict)
}

/** Whether an action on another record, which then refers to it, brings a record into a state: a locker with a parcel is occupied. */
async function isAfterUse(record: NewRecord, conflict: StatedConflict): Promise<boolean> {
  const { session, group, create, created } = record
  const { contract } = session
  const id = idOfCreated(created, create) ?? ''
  const acts = contract.operations.flatMap((operation) => {
    const binding = /^(POST|PUT)$/.test(operation.method) ? boundTo(contract, operation) : undefined
    const isAct = binding?.action === 'act' && !group.actions.some((one) => one === binding)
    return binding && isAct ? linkTo(create.resource, binding, contract) : []
  })
  for (const { binding, property } of acts.slice(0, 1)) {
    const template = recordTemplate(binding.operation)
    if (template.length === 0 || !session.gate.creations.at(template, binding.operation)) continue
    await createAt(template, binding.operation, session)
    const plain = await validRequest(binding.operation, session)
    const [text, number] = [id, Number(id)].map((one) =>
      withValues(plain, binding, { [property]: one }),
    )
    const request = text?.body === plain.body ? number : text
    const done = request && (await session.send({ ...request, keepsRefusal: true }))
    if (done && isSuccess(done) && (await isReadIn(record, conflict))) return true
  }
  return false
}

/** The property of the body of an operation with which it refers to records of a collection. */
function linkTo(
  owner: ResourceBinding['resource'],
  binding: ResourceBinding,
  contract: Contract,
): readonly { readonly binding: ResourceBinding; readonly property: string }[] {
  if (!binding.operation.body) return []
  const schema = schemaAt(binding.operation.body.schema, sentPlace(binding)) ?? {}
  const resources = resourcesIn(contract)
  const links = [
    ...linksOf({ ...binding.resource, schema }, resources),
    ...linksByLastWords({ ...binding.resource, schema }, resources),
  ]
  const found = links.find(({ to }) => to === owner)
  return found ? [{ binding, property: found.property }] : []
}

/** The creations of records that refer to those of a resource, and the properties with which they do so. */
function referringTo(
  { resource: owner }: ResourceBinding,
  { contract, gate }: Session,
): readonly { readonly binding: ResourceBinding; readonly property: string }[] {
  const resources = resourcesIn(contract)
  return contract.operations.flatMap((operation) => {
    const binding = gate.creations.has(operation) ? boundTo(contract, operation) : undefined
    if (!binding || !operation.body || operation.method !== 'POST') return []
    const schema = schemaAt(operation.body.schema, sentPlace(binding)) ?? {}
    const links = linksOf({ ...binding.resource, schema }, resources)
    return links.flatMap(({ property, to }) => (to === owner ? [{ binding, property }] : []))
  })
}

/** Whether an action brings a record into a state, or several after each other. */
async function isAfterActions(record: NewRecord, conflict: StatedConflict): Promise<boolean> {
  const { session, group, create, created } = record
  const [first, ...others] = leadingTo(group, conflict)
  const stateAfter = async (action: ResourceBinding): Promise<'reached' | 'other' | 'refused'> => {
    // An action may need something below its record, such as the lines of an order.
    const done = await doAction(session, created, create, action)
    if (!done || !isSuccess(done)) return 'refused'
    if (isInState(done, action, conflict)) return 'reached'
    return (await isReadIn(record, conflict)) ? 'reached' : 'other'
  }
  if (!first) return false
  if ((await stateAfter(first)) === 'reached') return true
  // The first one may be possible only after another.
  for (const other of others) {
    const state = await stateAfter(other)
    if (state === 'reached') return true
    if (state === 'other' && (await stateAfter(first)) === 'reached') return true
  }
  return false
}

/** The response to an action on a record. What its body refers to may be used up, such as an empty box: then it refers to another one. */
export async function doAction(
  session: Session,
  created: ProbeResponse,
  create: ResourceBinding,
  action: ResourceBinding,
  flags: Pick<ProbeRequest, 'keepsRefusal'> = {},
): Promise<ProbeResponse | undefined> {
  const request = await onRecord(session, created, create, action)
  if (!request) return undefined
  const sent = { ...request, ...flags }
  const done = await session.send(sent)
  const isUsedUp = done.status === 409 && session.renewReferences(done.request)
  return isUsedUp ? await session.send(sent) : done
}

/** The actions on the records of a group that set the state, and then others, at first those that need no body. */
function leadingTo(
  { actions }: BoundResource,
  { property, value }: StatedConflict,
): readonly ResourceBinding[] {
  const rank = ({ hints, operation: { body, path } }: ResourceBinding): number => {
    if (hints.set?.[property] === value) return 0
    return 1 + Number(body?.required ?? false) + Number(ENDS.test(segmentsOf(path).at(-1) ?? ''))
  }
  return [...actions].sort((one, other) => rank(one) - rank(other)).slice(0, MAX_ACTIONS)
}

/** Whether a change of the property brings a record into a state. */
async function isAfterChange(
  { session, group, create, created }: NewRecord,
  conflict: StatedConflict,
  tried: ResourceBinding,
): Promise<boolean> {
  const { update } = group.bindings
  if (!update || update === tried || !isOnItem(create, update)) return false
  const change = await onRecord(session, created, create, update)
  const set = change && requiredOnly(change, update, { [conflict.property]: conflict.value })
  if (!set?.body?.includes(`"${conflict.property}"`)) return false
  return isInState(await session.send({ ...set, keepsRefusal: true }), update, conflict)
}

/** A valid request on a created record, or on a word after it. */
export async function onRecord(
  session: Session,
  created: ProbeResponse,
  create: ResourceBinding,
  { operation }: Pick<ResourceBinding, 'operation'>,
): Promise<ProbeRequest | undefined> {
  const id = idOfCreated(created, create)
  if (id === undefined) return undefined
  const request = await validRequest(operation, session)
  const template = recordTemplate(operation)
  const start = itemTarget(created, { path: itemPathOf(operation.path) }, id)
  const target = [start, ...segmentsOf(operation.path).slice(template.length)].join('/')
  return { ...request, target: withPath(request.target, target), isValid: true }
}
