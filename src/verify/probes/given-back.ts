import type { DocumentTexts } from '../../document/document-texts.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { singular } from '../../resources/reference-names.ts'
import { isObject } from '../../validation/objects.ts'
import { operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  concretePath,
  isOnItem,
  isSameTemplate,
  pathOf,
  recordIn,
  recordTemplate,
  segmentsOf,
  valuesIn,
  withPath,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import type { Session } from '../session/session.ts'
import { escaped, sentencesOf, spaced } from '../session/stated-rules.ts'
import { creationRequest, validRequest } from '../session/valid-request.ts'
import { ORDER, type Probe } from './probe.ts'
import { doAction } from './stated-conflicts.ts'
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
      return said.length > 0 ? [givenBackProbe(create, end, reads, said.map(spaced))] : []
    })
  })
}

/** What other records show before a creation, after it, and after the operation that ends the new record. */
type States = readonly [before: Shown, created: Shown, after: Shown]
type Shown = readonly ProbeResponse[]

function givenBackProbe(
  create: ResourceBinding,
  end: ResourceBinding,
  reads: readonly ResourceBinding[],
  said: readonly string[],
): Probe {
  let states: States | undefined
  const text = 'gives back what the record has taken of another one, as the description says'
  const check = operationCheck(end.operation, 'given-back', text, () => {
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
  })
  return {
    order: ORDER.change + 0.89,
    maxRequests: 12,
    creations: 3,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const sent: ProbeResponse[] = []
      states = await statesAround(session, { create, end, reads }, sent)
      return sent
    },
  }
}

interface Ending {
  readonly create: ResourceBinding
  readonly end: ResourceBinding
  readonly reads: readonly ResourceBinding[]
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
