import type { Schema } from '../../contract/contract.ts'
import { itemsOf, propertiesOf } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { referenceName, singular } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import { type Evaluation, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  concretePath,
  isOnItem,
  isSameTemplate,
  pathOf,
  plainName,
  recordIn,
  recordTemplate,
  segmentsOf,
  valuesIn,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { ENDINGS } from '../session/record-states.ts'
import type { Session } from '../session/session.ts'
import { escaped, sentencesOf, spaced } from '../session/stated-rules.ts'
import { creationRequest, validRequest } from '../session/valid-request.ts'
import { ORDER, type Probe } from './probe.ts'
import { doAction, onRecord } from './stated-conflicts.ts'
import { sentAgain } from './stated-once.ts'
import { itemOf } from './stated-relations.ts'
import { idOfCreated, NOT_REACHED, withOtherReferences } from './steps.ts'

/** What says that a record gives back what it has taken of another one: "frees its space", "the seats are free again". */
const GIVES_BACK =
  /\b(frees?|freed|releases?|released|restores?|restored|again|(gives?|given|puts?|takes?|taken|goes|go|comes?|brings?)( [\w ]{1,40})? back|becomes? (free|available|vacant)|returns? (to|them|it|its|the)|returned to|no longer)\b/i

/** What says that it sets something of another one: "sets the status of the tool to available". */
const SETS = /\bsets?\b.*\bof (the|its) .*\bto\b/i

/** What says that something is left as it is, or when it is not. */
const KEEPS = /\b(stays?|remains?|keeps?|kept|not|unchanged|untouched|unless|409|422)\b/i

function partsOf(text: string): readonly string[] {
  return sentencesOf(text).flatMap((one) => one.split(/,\s+/))
}

/** What an operation that ends a record gives back to another one: to that above it, or to one that it refers to. */
export function givenBackProbes(groups: readonly BoundResource[], texts: DocumentTexts): Probe[] {
  const reads = groups.flatMap(({ bindings: { read } }) => read ?? [])
  return groups.flatMap(({ bindings: { create, remove }, actions }) => {
    if (create?.operation.method !== 'POST') return []
    const ends = [...actions, ...(remove ? [remove] : [])].filter((one) =>
      isOnItem(create, itemOf(one)),
    )
    return ends.flatMap((end) => {
      const said = partsOf(texts.operation(end.operation.id)).filter(
        (one) => (GIVES_BACK.test(one) || SETS.test(one)) && !KEEPS.test(one),
      )
      const take = said.length > 0 ? takingBefore(end, actions, create) : undefined
      return said.length > 0 && (take || isOfOthers(create))
        ? [givenBackProbe({ create, take, end, reads }, said.map(spaced))]
        : []
    })
  })
}

/** Words of actions that take something, and of those that give it back. */
const PAIRS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(assign|claim|allocate|reserve|hold|take)$/, /^(release|free|return|vacate)$/],
  [/^(lend|borrow|rent|loan|issue|checkout)$/, /^(return|giveback|checkin|takeback)$/],
  [/^(store|put|place|load|park|stow)$/, /^(retrieve|takeout|unload|leave|fetch|pickup)$/],
  [/^(attach|connect|mount|link)$/, /^(detach|disconnect|unmount)$/],
  [/^(suspend|pause|freeze|lock)$/, /^(resume|reactivate|thaw|release)$/],
  [/^(activate|enable)$/, /^(deactivate|disable)$/],
  [/^(archive)$/, /^(restore)$/],
]

/** Whether an action undoes what another one does: `unassign` and `assign`, `return` and `lend`. */
function undoes(end: ResourceBinding, start: ResourceBinding): boolean {
  const [last, first] = [end, start].map(({ operation: { path } }) =>
    plainName(segmentsOf(path).at(-1) ?? ''),
  )
  if (first === undefined || last === undefined) return false
  return last === `un${first}` || PAIRS.some(([does, ends]) => does.test(first) && ends.test(last))
}

/** Names of what was so before. */
const EARLIER = /^(last|previous|prior|former|recent|past|total|first)|(count|history|version)$/i

/** What says that nothing of a holder or a place is left. */
const LEFT_FREE =
  /\b(null|clears?|cleared|nobody|no one|no longer|empt(y|ies)|out of|frees?|freed|removes?)\b/i

/** An action that gives back what another one has taken: of its own record, and of those to which the other one refers. */
export function undoneProbes(groups: readonly BoundResource[], texts: DocumentTexts): Probe[] {
  const reads = groups.flatMap(({ bindings: { read } }) => read ?? [])
  return groups.flatMap(({ bindings: { create, read }, actions }) => {
    if (create?.operation.method !== 'POST' || !read || !isOnItem(create, read)) return []
    const own = actions.filter((one) => isOnItem(create, itemOf(one)))
    return own.flatMap((end) => {
      const start = own.find((one) => undoes(end, one))
      return start ? [undoneProbe({ create, read, start, end, reads }, texts)] : []
    })
  })
}

interface Undoing extends Omit<Ending, 'take'> {
  readonly read: ResourceBinding
  readonly start: ResourceBinding
}

function undoneProbe(undoing: Undoing, texts: DocumentTexts): Probe {
  const { read, start, end, reads } = undoing
  let states: readonly Shown[] = []
  const said = partsOf(texts.operation(end.operation.id))
  const { id } = start.operation
  const text = `undoes what ${id} has set in its record`
  const check = operationCheck(end.operation, `undone/${id}`, text, () => {
    const response = states[2]?.[0]
    const [before, taken, after] = states.map(([one]) => one && valuesIn(recordIn(one, read)))
    if (!response || !isObject(before) || !isObject(taken) || !isObject(after)) return NOT_REACHED
    const set = changedIn(before, taken).filter(
      (name) => !EARLIER.test(name) && (typeof taken[name] !== 'number' || before[name] === null),
    )
    const kept = set.filter((name) => after[name] === taken[name])
    const isFree = said.some((one) => LEFT_FREE.test(one) && !KEEPS.test(one))
    const isEmptied = (name: string): boolean =>
      before[name] === null && (isFree || said.some((one) => hasWord(spaced(one), spaced(name))))
    const lost = kept.length === set.length ? kept[0] : kept.find(isEmptied)
    if (set.length === 0) return NOT_REACHED
    return passIf(lost === undefined, response, `"${lost}": ${JSON.stringify(before[lost ?? ''])}`)
  })
  const gives = said.filter((one) => GIVES_BACK.test(one) && !KEEPS.test(one)).map(spaced)
  const more = `gives back what ${id} has taken of another record, as the description says`
  const back = operationCheck(end.operation, `given-back/${id}`, more, () => {
    const [before, taken, after] = states.map((shown) => shown.slice(1))
    return judgedBack(before && taken && after && [before, taken, after], reads, gives)
  })
  return {
    order: ORDER.change + 0.895,
    maxRequests: 12,
    requires: 'writes',
    checks: gives.length > 0 ? [check, back] : [check],
    send: async (session) => {
      const sent: ProbeResponse[] = []
      states = await statesOfActions(session, undoing, gives.length > 0 ? reads : [], sent)
      return sent
    },
  }
}

/** A new record and those to which an action refers, before the action, after it, and after the one that undoes it. Adds the responses to `sent`. */
async function statesOfActions(
  session: Session,
  { create, read, start, end }: Undoing,
  reads: readonly ResourceBinding[],
  sent: ProbeResponse[],
): Promise<readonly Shown[]> {
  const send = async (request: ProbeRequest): Promise<ProbeResponse> => {
    const response = await session.send(request)
    sent.push(response)
    return response
  }
  const created = await send({
    ...(await creationRequest(create.operation, session)),
    isValid: true,
  })
  const plain = await onRecord(session, created, create, start)
  const [reading, ending] = [
    await onRecord(session, created, create, read),
    await onRecord(session, created, create, end),
  ]
  if (!plain || !reading || !ending) return []
  const starting = {
    ...(await session.references.inRequest(plain)),
    keepsReferences: true as const,
  }
  const states: Shown[] = []
  for (const action of [undefined, starting, ending]) {
    const done = action && (await send({ ...action, keepsRefusal: true }))
    if (done && !isSuccess(done)) return []
    const found = await send(reading)
    const others = await readOthers(session, starting, reads)
    sent.push(...others)
    states.push([found, ...others])
  }
  return states
}

/** What other records show before a creation, after it, and after the operation that ends the new record. */
type States = readonly [before: Shown, created: Shown, after: Shown]
type Shown = readonly ProbeResponse[]

/** Whether a record is below another one, or may refer to one. */
function isOfOthers({ operation: { path, body } }: ResourceBinding): boolean {
  return recordTemplate({ path }).length > 0 || (body !== undefined && mayRefer(body.schema))
}

function mayRefer(schema: Schema, depth = 0): boolean {
  return [...propertiesOf(schema)].some(
    ([name, one]) =>
      REFERS.test(name) || (depth < MAX_DEPTH && mayRefer(itemsOf(one) ?? one, depth + 1)),
  )
}

/** Names of properties with ids, keys and numbers of other records. */
const REFERS = /ids?$|number$|key$/i

/** How deep objects in a record are searched for references. */
const MAX_DEPTH = 2

/** The action with which a record takes something of another one, such as the locker of a parcel, where another action ends that. */
function takingBefore(
  end: ResourceBinding,
  actions: readonly ResourceBinding[],
  create: ResourceBinding,
): ResourceBinding | undefined {
  const starts = Object.entries(end.hints.from ?? {})
  return actions.find(
    (one) =>
      one !== end &&
      isOnItem(create, itemOf(one)) &&
      [...propertiesOf(one.operation.body?.schema ?? {}).keys()].some(
        (name) => referenceName(name).hasIdSuffix,
      ) &&
      (starts.length === 0
        ? Object.keys(one.hints.set ?? {}).length > 0 && !ENDINGS.test(wordOf(one))
        : starts.some(([name, allowed]) => [allowed].flat().includes(one.hints.set?.[name]))),
  )
}

/** The word of an action after its record. */
function wordOf({ operation }: ResourceBinding): string {
  return segmentsOf(operation.path).at(-1) ?? ''
}

function givenBackProbe(ending: Ending, said: readonly string[]): Probe {
  const { end, reads } = ending
  let states: States | undefined
  const text = 'gives back what the record has taken of another one, as the description says'
  const check = operationCheck(end.operation, 'given-back', text, () =>
    judgedBack(states, reads, said),
  )
  return {
    order: ORDER.change + 0.89,
    maxRequests: 12,
    creations: 3,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const sent: ProbeResponse[] = []
      states = await (ending.take ? statesAroundTaking : statesAround)(session, ending, sent)
      return sent
    },
  }
}

/** Whether other records have again what was taken of them. */
function judgedBack(
  states: States | undefined,
  reads: readonly ResourceBinding[],
  said: readonly string[],
): Evaluation {
  const taken = (states ? takenIn(states, reads, said) : []).toSorted(
    (one, other) => Number(other.isNamed) - Number(one.isNamed),
  )
  const [first] = taken
  if (!first) return NOT_REACHED
  // Where the description does not say what is given back, anything is enough.
  const kept = taken.filter((one) => one.isNamed === first.isNamed && one.isKept)
  const isWrong = first.isNamed ? kept.length > 0 : kept.length === taken.length
  const { response, name, old } = kept[0] ?? first
  return passIf(!isWrong, response, `"${name}": ${JSON.stringify(old)}`)
}

interface Ending {
  readonly create: ResourceBinding
  /** What takes something of another record, where the creation does not. */
  readonly take: ResourceBinding | undefined
  readonly end: ResourceBinding
  readonly reads: readonly ResourceBinding[]
}

/** What the records that an action names show before it, after it, and after the one that ends what it did. Adds the responses to `sent`. */
async function statesAroundTaking(
  session: Session,
  { create, take, end, reads }: Ending,
  sent: ProbeResponse[],
): Promise<States | undefined> {
  const plain = await creationRequest(create.operation, session)
  const created = await session.send({ ...plain, isValid: true })
  sent.push(created)
  const own = take && (await onRecord(session, created, create, take))
  if (!own) return undefined
  for (const _ of ['first', 'second']) {
    const request = await session.references.inRequest(own)
    const before = await readOthers(session, request, reads)
    const done = await session.send({ ...request, keepsRefusal: true })
    sent.push(...before, done)
    if (!isSuccess(done)) {
      // The state of the other record may allow it only once.
      if (done.status === 409 && session.renewReferences(done.request)) continue
      return undefined
    }
    const taken = await readOthers(session, request, reads)
    const ended = await doAction(session, created, create, end, { keepsRefusal: true })
    sent.push(...taken, ...(ended ? [ended] : []))
    if (!ended || !isSuccess(ended)) return undefined
    const after = await readOthers(session, request, reads)
    sent.push(...after)
    return [before, taken, after]
  }
  return undefined
}

/** What the other records show around a creation and the end of the new record. Adds the responses to `sent`. */
async function statesAround(
  session: Session,
  { create, end, reads }: Ending,
  sent: ProbeResponse[],
): Promise<States | undefined> {
  const plain = await creationRequest(create.operation, session)
  const first = await session.send({ ...plain, isValid: true })
  sent.push(first)
  if (idOfCreated(first, create) === undefined) return undefined
  // What the first record has taken may not be there for a second one.
  const beside = { ...plain, target: withPath(plain.target, pathOf(first.request.target)) }
  for (const next of [sentAgain(first, create, []), undefined]) {
    const other = next ?? (await withOtherReferences(session, beside, first.request))
    if (!other) continue
    const { isValid: _valid, sample: _sample, ...request } = other
    const flags = { isRepeated: true, keepsReferences: true, keepsParent: true } as const
    const before = await readOthers(session, request, reads)
    const created = await session.send({ ...request, ...flags })
    sent.push(...before, created)
    if (idOfCreated(created, create) === undefined) continue
    const taken = await readOthers(session, request, reads)
    const done = await doAction(session, created, create, end, { keepsRefusal: true })
    sent.push(...taken, ...(done ? [done] : []))
    if (!done || !isSuccess(done)) return undefined
    const after = await readOthers(session, request, reads)
    sent.push(...after)
    return [before, taken, after]
  }
  return undefined
}

/** The records that a request names in its path and body, as they are read. */
async function readOthers(
  session: Session,
  request: ProbeRequest,
  reads: readonly ResourceBinding[],
): Promise<Shown> {
  const { operation, target } = request
  if (!operation) return []
  const above =
    concretePath(operation, target)?.slice(0, recordTemplate(operation).length + 1) ?? []
  const shown: ProbeResponse[] = []
  for (const path of [above, ...session.references.namedBy(request)]) {
    const [, ...words] = path
    const read = reads.find((one) => isAt(segmentsOf(one.operation.path), words))
    if (!read) continue
    const plain = await validRequest(read.operation, session)
    shown.push(await session.send({ ...plain, target: `/${words.join('/')}`, isValid: true }))
  }
  return shown
}

/** Whether a concrete path is one of a template. */
function isAt(template: readonly string[], words: readonly string[]): boolean {
  const own = words.map((one, at) => (template[at]?.startsWith('{') ? (template[at] ?? '') : one))
  return words.length > 0 && isSameTemplate(template, own)
}

/** The plain properties that a creation has changed in another record, but for times. */
function changedIn(before: unknown, after: unknown): readonly string[] {
  if (!isObject(before) || !isObject(after)) return []
  return Object.keys(before).filter((name) => {
    const [old, now] = [before[name], after[name]]
    const isTime = [old, now].some((one) => typeof one === 'string' && /^\d{4}-\d\d-/.test(one))
    return typeof now !== 'object' && old !== now && !isTime
  })
}

/** What any record may have, so that a sentence with the word may be about another one. */
const STATE = /^(status|state)$/i

/** A value of another record that a creation has changed. */
interface Taken {
  readonly response: ProbeResponse
  readonly name: string
  readonly old: unknown
  /** Whether the description is about it: by a word of its name, or because it is all that has changed in the record that it names. */
  readonly isNamed: boolean
  /** Whether it is still as the creation has left it. */
  readonly isKept: boolean
}

function takenIn(
  [before, created, after]: States,
  reads: readonly ResourceBinding[],
  said: readonly string[],
): readonly Taken[] {
  return after.flatMap((response, at) => {
    const read = reads.find(({ operation }) => operation === response.request.operation)
    const shown = [before[at], created[at], response].flatMap((one) => one ?? [])
    if (!read || shown.length < 3 || !shown.every(isSuccess)) return []
    const [old, taken, now] = shown.map((one) => valuesIn(recordIn(one, read)))
    if (!isObject(old) || !isObject(taken) || !isObject(now)) return []
    return meantIn(read, changedIn(old, taken), said).map(
      ({ name, isNamed }): Taken => ({
        ...{ response, name, isNamed },
        old: old[name],
        isKept: now[name] === taken[name],
      }),
    )
  })
}

/** Those of the changed properties that sentences are about, or else the only one of them. */
function meantIn(
  read: ResourceBinding,
  changed: readonly string[],
  said: readonly string[],
): readonly Pick<Taken, 'name' | 'isNamed'>[] {
  const own = segmentsOf(read.operation.path).findLast((one) => !one.startsWith('{')) ?? ''
  const ofRecord = said.filter((one) => hasWord(one, spaced(singular(own))))
  const ofOthers = said.filter((one) => !ofRecord.includes(one) && GIVES_BACK.test(one))
  const named = changed.filter(
    (name) => isNamedIn(ofRecord, name) || (!STATE.test(name) && isNamedIn(ofOthers, name)),
  )
  const [only, ...others] = changed
  if (named.length === 1) return named.map((name) => ({ name, isNamed: true }))
  if (only === undefined || others.length > 0) return []
  if (ofRecord.length > 0) return [{ name: only, isNamed: true }]
  return ofOthers.length > 0 ? [{ name: only, isNamed: false }] : []
}

function hasWord(sentence: string, word: string): boolean {
  return new RegExp(`\\b${escaped(word)}(?:e?s)?\\b`).test(sentence)
}

function isNamedIn(sentences: readonly string[], name: string): boolean {
  const words = spaced(name)
    .split(' ')
    .filter((word) => word.length > 3)
  return words.some((word) => sentences.some((one) => hasWord(one, word.replace(/s$/, ''))))
}
