import { documentedResponse } from '../../contract/documented-response.ts'
import { parseJsonText } from '../../contract/json.ts'
import { parsePointer } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { JsonObject } from '../../document/json-value.ts'
import { surelyMatches } from '../../generate/matches.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { referenceName, singular } from '../../resources/reference-names.ts'
import { withValueAt } from '../../resources/views/record-body.ts'
import { isObject } from '../../validation/objects.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import { sentRecord } from '../checks/shown-values.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  isOnItem,
  pathOf,
  plainName,
  recordTemplate,
  segmentsOf,
  sentPlace,
  valueAt,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { isInvalidInput } from '../session/accepted-bodies.ts'
import { ENDINGS } from '../session/record-states.ts'
import type { Session } from '../session/session.ts'
import { escaped, sentencesOf, spaced } from '../session/stated-rules.ts'
import { createAt, creationRequest } from '../session/valid-request.ts'
import { fullValues, requiredOnly, withValues } from '../test-data/full-body.ts'
import { unguessableId, unguessableWord, withOtherWords } from '../test-data/unguessable.ts'
import { isDate, typeOf, withoutNull } from '../test-data/values.ts'
import { onAction } from './actions.ts'
import { heldIn, limitedIn, type OnceRule, onceIn, propertiesSent } from './once-rules.ts'
import { ORDER, type Probe } from './probe.ts'
import { doAction, onRecord } from './stated-conflicts.ts'
import { conflictsIn, itemOf, MAX_RULES, UNIQUE } from './stated-relations.ts'
import {
  creation,
  idOfCreated,
  NOT_REACHED,
  type Step,
  storyOf,
  withOtherReferences,
} from './steps.ts'

/**
 * What the document allows only once in words: "One plan for a date and slot (409)", "409 if another loan has a day in common with the
 * period". It is tried with creations, with changes of a second record, and with actions.
 */
export function statedOnceProbes(group: BoundResource, texts: DocumentTexts): Probe[] {
  const { create } = group.bindings
  if (create?.operation.method !== 'POST') return []
  const actions = group.actions.filter((one) => isOnItem(create, itemOf(one)))
  const stated = [create, ...changesOf(group, create), ...actions].flatMap((one) =>
    conflictsIn(one, texts)
      .flatMap((sentence) => {
        const rules = onceIn(sentence, one, create)
        if (rules.length > 0 || one !== create) return rules
        const held = heldIn(sentence, create, texts)
        return held.length > 0 ? held : limitedIn(sentence, create)
      })
      .slice(0, MAX_RULES)
      .flatMap((rule) => [
        onceProbe(create, one, rule),
        ...(one === create ? elsewhereProbe(create, rule) : []),
        ...(one === create ? againProbe(create, group.actions, rule) : []),
      ]),
  )
  const several = actions.flatMap((one) => severalTimesProbe(create, one, texts))
  const isKnown = ({ checks: [check] }: Probe): boolean =>
    stated.some(({ checks }) => checks[0]?.id === check?.id)
  const ofProperties = uniqueProperties(create, texts).flatMap((rule) =>
    elsewhereProbe(create, rule),
  )
  return [...stated, ...several, ...ofProperties.filter((one) => !isKnown(one)).slice(0, MAX_RULES)]
}

/** How often an action may be done: "A loan can be extended twice; a third time is answered with 409". */
const TIMES = /\b(?:can|may|at most|up to|only)\b.*\b(twice|(two|three|four|five|[2-5]) times)\b/
const COUNTS: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4, five: 5 }

/** Limits for a time, after which the action is possible again. */
const FOR_A_TIME = /\b(per|a|an|each|every|within|in|in an?) (minute|hour|day|week|month|year)s?\b/

/** What says that only one may have something: "409 if somebody has it", and words of actions that take it. */
const TAKEN =
  /\b(somebody|someone|anybody|anyone)( else)?( already)? (has|holds|uses|works|is using)\b/
const TAKES =
  /^(assign|claim|allocate|reserve|hold|take|lend|borrow|rent|loan|checkout|occupy|book)$/

/** How often the description of an action allows it for one record. */
function timesIn(
  { operation: { id, path } }: ResourceBinding,
  texts: DocumentTexts,
): { readonly times: number; readonly sentence: string } | undefined {
  const sentences = sentencesOf(texts.operation(id)).map(spaced)
  const at = sentences.findIndex((one) => TIMES.test(one) && !FOR_A_TIME.test(one))
  const sentence = sentences.slice(at, at + 2).join(' ')
  const taken = sentences.find((one) => /\b409\b/.test(one) && TAKEN.test(one))
  const word = plainName(segmentsOf(path).at(-1) ?? '')
  if (taken !== undefined && TAKES.test(word)) return { times: 1, sentence: taken }
  const [, said = '', count = ''] = TIMES.exec(sentence) ?? []
  if (at < 0 || !/\b409\b/.test(sentence)) return undefined
  return { times: said === 'twice' ? 2 : (COUNTS[count] ?? Number(count)), sentence }
}

/** An action as often as its description allows it, and once more. */
function severalTimesProbe(
  create: ResourceBinding,
  action: ResourceBinding,
  texts: DocumentTexts,
): Probe[] {
  const { times, sentence } = timesIn(action, texts) ?? {}
  if (times === undefined || !documentedResponse(action.operation, 409)) return []
  const name = `is refused after ${times === 1 ? 'one time' : `${times} times`}, as the description says`
  const check = operationCheck(action.operation, `stated/${times}-times`, name, (all) => {
    const tried = all.filter(({ request }) => request.operation === action.operation)
    const last = tried.at(-1)
    if (!last || tried.length <= times || !tried.slice(0, times).every(isSuccess))
      return NOT_REACHED
    return passIf(!isSuccess(last), last, `409: "${sentence}"`)
  })
  const acted = onAction(action, create)
  const steps: Step[] = Array.from({ length: times + 1 }, () => async (session, before) => {
    const request = await acted(session, before)
    return request && { ...request, keepsRefusal: true }
  })
  return [storyOf(ORDER.change + 0.88, [creation(create), ...steps], [check])]
}

/** The properties whose own descriptions say among which records they are unique: "Unique within the study". */
function uniqueProperties(create: ResourceBinding, texts: DocumentTexts): readonly OnceRule[] {
  const { id } = create.operation
  if (!documentedResponse(create.operation, 409)) return []
  return [...propertiesSent(create)].flatMap(([name, schema]) => {
    const sentences = sentencesOf(texts.property(id, name)).map(spaced)
    const sentence = sentences.find((one) => UNIQUE.test(one))
    return sentence !== undefined && ['string', 'integer'].includes(typeOf(schema) ?? '')
      ? [{ names: [name], isPeriod: false, sentence }]
      : []
  })
}

/** What is there once below a record may be there below another one, too: "a number that another certificate of the same vessel has". */
function elsewhereProbe(create: ResourceBinding, { names, sentence, isPeriod }: OnceRule): Probe[] {
  const template = recordTemplate(create.operation)
  const word = template.at(-2)
  const noun = word === undefined ? '' : spaced(singular(word))
  const said = escaped(noun)
  const isOfParent =
    noun !== '' &&
    new RegExp(
      `\\b(same|of|in|within|per|for) (the |a |an |its |each |one |that |this )?(whole |entire )?${said}\\b|\\b(if|when) the ${said} (already )?has\\b|\\bthe ${said} has (already )?another\\b`,
    ).test(sentence)
  const isOfAll = noun !== '' && !isOfParent && OF_ALL.test(sentence)
  const isBelow = create.operation.path.startsWith(`/${template.join('/')}/`)
  if (isPeriod || !(isOfParent || isOfAll) || !isBelow) return []
  const what = names.join('+')
  const deed = isOfAll ? 'refuses' : 'accepts'
  const name = `${deed} the same ${names.join(' and ')} below another ${noun}`
  const id = `stated/once/${what}/elsewhere`
  const check = operationCheck(create.operation, id, name, ([first, second, other]) => {
    if (!first || !second || !isSuccess(first)) return NOT_REACHED
    if (pathOf(first.request.target) === pathOf(second.request.target)) return NOT_REACHED
    // Another value is accepted there, so that it is this one that is refused.
    const isRefused = second.status === 409 && other !== undefined && isSuccess(other)
    if (isOfAll) return passIf(!isSuccess(second), second, `409: "${sentence.trim()}"`)
    return passIf(!isRefused, second, `2xx: "${sentence.trim()}"`)
  })
  return [
    {
      order: ORDER.change + 0.865,
      maxRequests: 4,
      creations: 3,
      requires: 'writes',
      checks: [check],
      send: async (session) => {
        const plain = await creationRequest(create.operation, session)
        const first = await session.send({ ...plain, isValid: true })
        if (idOfCreated(first, create) === undefined) return [first]
        const other = await createAt(template, create.operation, session)
        const words = segmentsOf(create.operation.path).slice(template.length)
        const path = `/${[...other.slice(1), ...words].join('/')}`
        const send = async (values: JsonObject): Promise<ProbeResponse> => {
          const plain = await creationRequest(create.operation, session)
          const fresh = withValues(plain, create, { ...laterDates(plain, create), ...values })
          const target = withPath(fresh.target, path)
          return await session.send({ ...fresh, target, isRepeated: true, keepsParent: true })
        }
        const second = await send(sentValues(first, create, names))
        return second.status === 409 ? [first, second, await send({})] : [first, second]
      },
    },
  ]
}

/** What says that something is there once below all records: "Unique among the bins of all households", "by a copy of whatever game". */
const OF_ALL =
  /\b(of|in|across|among|within|over) (all|every|any|whatever|whichever|the (whole|entire))\b|\bany other\b|\bglobally\b/

/** The operations that change the records of a group by values. */
function changesOf(
  { bindings: { update, replace } }: BoundResource,
  create: ResourceBinding,
): readonly ResourceBinding[] {
  return [...new Set([update, replace])].flatMap((one) =>
    one?.operation.body && one !== create && isOnItem(create, one) ? [one] : [],
  )
}

/** The most actions after which another record is created. */
const MAX_ENDS = 2

/** Where only one may be in a state, another one may be created after an action has ended the first one. */
function againProbe(
  create: ResourceBinding,
  actions: readonly ResourceBinding[],
  { names, state, sentence }: OnceRule,
): Probe[] {
  const ends = actions
    .filter((one) => isOnItem(create, itemOf(one)) && !one.operation.body)
    .filter((one) => ENDINGS.test(segmentsOf(one.operation.path).at(-1) ?? ''))
    .slice(0, MAX_ENDS)
  if (state === undefined || ends.length === 0) return []
  const name = `accepts another one when none is ${state}, as the description says`
  const id = `stated/once/${names.join('+') || 'one'}/again`
  const check = operationCheck(create.operation, id, name, (all) => {
    const ended = all.findIndex(
      (one) => one.request.operation === create.operation && one.status === 409,
    )
    const [refused, done] = [all[ended], all[ended - 1]]
    if (!refused || !done) return all.length > 2 ? 'passed' : NOT_REACHED
    const isEnded = isSuccess(done) && !isIn(done, state)
    return isEnded ? passIf(false, refused, `2xx: "${sentence.trim()}"`) : NOT_REACHED
  })
  const send: Probe['send'] = async (session) => {
    const plain = await creationRequest(create.operation, session)
    const first = await session.send({ ...plain, isValid: true })
    if (!isIn(first, state)) return [first]
    const responses = [first]
    for (const end of ends) {
      const last = responses.at(-1) ?? first
      const done = await doAction(session, last, create, end, { keepsRefusal: true })
      if (!done || !isSuccess(done)) break
      responses.push(done, await session.send({ ...sentAgain(first, create, names), ...REPEATED }))
    }
    return responses
  }
  const maxRequests = 2 + 3 * MAX_ENDS
  const order = ORDER.change + 0.868
  return [{ order, maxRequests, creations: 3, requires: 'writes', checks: [check], send }]
}

const REPEATED = { isRepeated: true, keepsParent: true } as const

/** Whether a response shows a record in a state. */
function isIn(response: ProbeResponse, state: string): boolean {
  return isSuccess(response) && response.text.toLowerCase().includes(`"${state.toLowerCase()}"`)
}

/** The same creation twice, or the same action on two records that are alike in what the rule names. */
function onceProbe(create: ResourceBinding, binding: ResourceBinding, rule: OnceRule): Probe {
  const { names, sentence, state, flags = [] } = rule
  const what = names.join('+') || 'one'
  const alike = names.length > 0 ? ` with the same ${names.join(' and ')}` : ''
  const name = `is refused a second time${alike}, as the description says`
  const isChange = ['update', 'replace'].includes(binding.action)
  const check = operationCheck(binding.operation, `stated/once/${what}`, name, (all) => {
    const changed = isChange ? all.at(-1) : undefined
    if (changed?.request.operation === binding.operation)
      return passIf(!isSuccess(changed), changed, `409: "${sentence.trim()}"`)
    const tried = all.filter(({ request }) => request.operation === binding.operation)
    const [first, second] = tried
    if (!first || !second || !isSuccess(first)) return { leftOut: 'it was refused the first time' }
    const isOwn = binding === create || isChange
    if (isOwn && !rule.isPeriod && lacksValues(first, create, names)) return NOT_REACHED
    const accepted = tried.slice(1).find(isSuccess)
    // Other values are accepted, so that it is these that are refused, with another status.
    const isOther = isOtherRefusal(second, rule) && accepted !== undefined
    return passIf(!accepted, isOther ? second : (accepted ?? second), `409: "${sentence.trim()}"`)
  })
  return {
    order: ORDER.change + 0.86,
    maxRequests: 6,
    creations: 3,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const plain = await creationRequest(create.operation, session)
      const set = Object.fromEntries(flags.map((one) => [one, true]))
      const told = withValues(withTold(plain, create, names), create, set)
      const first = await session.send({ ...told, isValid: true })
      if (idOfCreated(first, create) === undefined) return [first]
      if (state !== undefined && !isIn(first, state)) return [first]
      if (binding === create) return [first, ...(await createdAgain(session, first, create, rule))]
      if (isChange) return [first, ...(await changedAlike(session, first, create, binding, rule))]
      const kept = binding.operation.body ? [] : names
      const fresh = await creationRequest(create.operation, session)
      const alike = withValues(fresh, create, sentValues(first, create, kept))
      const second = await session.send({ ...alike, isValid: true })
      if (idOfCreated(second, create) === undefined) return [first, second]
      return [first, second, ...(await doneTwice(session, [first, second], create, binding))]
    },
  }
}

/** Whether a service refused values as invalid for which the description has a 409. */
function isOtherRefusal(response: ProbeResponse, { sentence, isPeriod }: OnceRule): boolean {
  return isInvalidInput(response) && !isPeriod && /\b409\b/.test(sentence)
}

/** Whether a record was created without any of the values: "if given, unique" says nothing of records without one. */
function lacksValues(
  created: ProbeResponse,
  create: ResourceBinding,
  names: readonly string[],
): boolean {
  const values = sentValues(created, create, names)
  const has = (name: string): boolean => values[name] !== undefined && values[name] !== null
  return names.length > 0 && !names.some(has)
}

/** The request with values that it lacks. References become those to records of the run when it is sent. */
function withTold(
  request: ProbeRequest,
  create: ResourceBinding,
  names: readonly string[],
): ProbeRequest {
  const referring = withReferences(request, create, names)
  const record = valueAt(parseJsonText(referring.body ?? ''), sentPlace(create))
  const full = fullValues(create)
  const lacking = names.filter((name) => isObject(record) && (record[name] ?? null) === null)
  const filled = lacking.map((name) => [name, full[name] ?? unguessableWord()] as const)
  return filled.length > 0 ? withValues(referring, create, Object.fromEntries(filled)) : referring
}

/** The request with values for references that it lacks. */
function withReferences(
  request: ProbeRequest,
  create: ResourceBinding,
  names: readonly string[],
): ProbeRequest {
  const record = valueAt(parseJsonText(request.body ?? ''), sentPlace(create))
  const properties = propertiesSent(create)
  const missing = names.flatMap((name) => {
    const isThere = isObject(record) && record[name] !== undefined && record[name] !== null
    if (isThere || !referenceName(name).hasIdSuffix) return []
    const schema = withoutNull(properties.get(name) ?? {})
    const id = unguessableId(schema, (value) => surelyMatches(schema, value))
    return id === undefined ? [] : [[name, id] as const]
  })
  return missing.length > 0 ? withValues(request, create, Object.fromEntries(missing)) : request
}

/** Whether all values are there, and one of them is a reference, or a text that the description names. */
function isWhole(values: JsonObject, names: readonly string[]): boolean {
  const isThere = (name: string): boolean => values[name] !== undefined && values[name] !== null
  const isPlace = (name: string): boolean =>
    referenceName(name).hasIdSuffix || Number.isNaN(Date.parse(String(values[name])))
  return names.every(isThere) && names.some(isPlace)
}

/** Another record with the values of the first one. */
async function createdAgain(
  session: Session,
  first: ProbeResponse,
  create: ResourceBinding,
  rule: OnceRule,
): Promise<readonly ProbeResponse[]> {
  const { names, isPeriod } = rule
  const values = sentValues(first, create, names)
  if (isPeriod && !isWhole(values, names)) return []
  const second = await session.send({ ...sentAgain(first, create, names), ...REPEATED })
  const hasReference = names.some((name) => referenceName(name).hasIdSuffix)
  if (isOtherRefusal(second, rule)) {
    const { sample: _sample, ...fresh } = await creationRequest(create.operation, session)
    return [second, await session.send({ ...fresh, isRepeated: true })]
  }
  if (second.status !== 409 || isPeriod || !hasReference) return [second]
  // It may be refused for what else it refers to.
  const plain = await creationRequest(create.operation, session)
  const target = withPath(plain.target, pathOf(first.request.target))
  const other = await withOtherReferences(session, { ...plain, target }, first.request)
  const alike = other && withValues(other, create, values)
  if (!alike || alike.body === first.request.body) return [second]
  const flags = { isRepeated: true, keepsReferences: true } as const
  const { isValid: _valid, sample: _sample, ...rest } = alike
  return [second, await session.send({ ...rest, ...flags })]
}

/** Another record that is changed to the values of the first one. What a change cannot send, they have in common from the start. */
async function changedAlike(
  session: Session,
  first: ProbeResponse,
  create: ResourceBinding,
  binding: ResourceBinding,
  { names, isPeriod }: OnceRule,
): Promise<readonly ProbeResponse[]> {
  const values = sentValues(first, create, names)
  if (isPeriod ? !isWhole(values, names) : Object.keys(values).length < names.length) return []
  const [given, changed] = [propertiesSent(create), propertiesSent(binding)]
  const isLater = (name: string): boolean => isPeriod && isDate(given.get(name) ?? {})
  const before = Object.entries(values).flatMap(([name, value]) => {
    if (isLater(name)) return [[name, later(String(value))] as const]
    return changed.has(name) ? [] : [[name, value] as const]
  })
  const other = await creationRequest(create.operation, session)
  const apart = withValues(other, create, Object.fromEntries(before))
  const kept = before.map(([name]) => name).filter((name) => !isLater(name))
  const isRepeated = kept.length > 0 ? ({ isRepeated: true } as const) : {}
  const second = await session.send({ ...apart, isValid: true, ...isRepeated })
  const own = sentValues(second, create, kept)
  const request = await onRecord(session, second, create, binding)
  if (!request || kept.some((name) => own[name] !== values[name])) return [second]
  const next = Object.fromEntries(Object.entries(values).filter(([name]) => changed.has(name)))
  const fill = binding.action === 'replace' ? withValues : requiredOnly
  const alike = fill(request, binding, next)
  const flags = { isRepeated: true, keepsReferences: true, keepsRefusal: true } as const
  return alike === request ? [second] : [second, await session.send({ ...alike, ...flags })]
}

/** A day or a time two months later, in the same form. */
function later(text: string): string {
  const time = Date.parse(text) + 60 * 24 * 3_600_000
  return Number.isNaN(time)
    ? text
    : new Date(time).toISOString().slice(0, text.length > 10 ? undefined : 10)
}

/** The dates of a request, later, so that what it creates overlaps with nothing. */
export function laterDates(request: ProbeRequest, create: ResourceBinding): JsonObject {
  const record = valueAt(parseJsonText(request.body ?? ''), sentPlace(create))
  const dates = [...propertiesSent(create)].flatMap(([name, schema]) => {
    const value = isObject(record) && isDate(schema) ? record[name] : undefined
    return typeof value === 'string' ? [[name, later(value)] as const] : []
  })
  return Object.fromEntries(dates)
}

/** The values with which a record was created. */
function sentValues(
  created: ProbeResponse,
  create: ResourceBinding,
  names: readonly string[],
): JsonObject {
  const record = sentRecord(created, create)
  const sent = Object.entries(isObject(record) ? record : {})
  return Object.fromEntries(sent.filter(([name]) => names.includes(name)))
}

/** The same action on two records. */
async function doneTwice(
  session: Session,
  [first, second]: readonly [ProbeResponse, ProbeResponse],
  create: ResourceBinding,
  binding: ResourceBinding,
): Promise<readonly ProbeResponse[]> {
  const done = await doAction(session, first, create, binding, { keepsRefusal: true })
  if (!done || !isSuccess(done)) return done ? [done] : []
  const other = await onRecord(session, second, create, binding)
  if (!other) return [done]
  const { body } = done.request
  const again = { ...other, ...(body !== undefined && { body }), keepsReferences: true } as const
  return [done, await session.send({ ...again, keepsRefusal: true })]
}

/** A creation with the same values, but for words that only the run has, of which it has others unless they are those of `names`. */
export function sentAgain(
  { request }: ProbeResponse,
  create: ResourceBinding,
  names: readonly string[],
): ProbeRequest {
  const place = sentPlace(create)
  const body = parseJsonText(request.body ?? '')
  const record = valueAt(body, place)
  if (!isObject(record)) return request
  const own: JsonObject = Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      names.includes(name) ? value : withOtherWords(value),
    ]),
  )
  const next = JSON.stringify(withValueAt(body, parsePointer(place), own))
  const { isValid: _valid, sample: _sample, ...others } = request
  return {
    ...others,
    target: withPath(request.target, pathOf(request.target)),
    body: next,
    keepsReferences: true,
  }
}
