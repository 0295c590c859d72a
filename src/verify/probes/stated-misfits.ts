import type { Contract } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { type ResourceBinding, resourcesIn } from '../../resources/bind.ts'
import { linksOf } from '../../resources/record-links.ts'
import { isObject } from '../../validation/objects.ts'
import { type CheckDefinition, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import { recordIn, segmentsOf, sentPlace, valuesIn } from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { codesIn, withOwnCodes } from '../session/own-codes.ts'
import { linksByLastWords } from '../session/property-links.ts'
import { ENDINGS } from '../session/record-states.ts'
import type { Session } from '../session/session.ts'
import { hasWords, sentencesOf, spaced } from '../session/stated-rules.ts'
import { creationRequest } from '../session/valid-request.ts'
import { recordSchema, withValues } from '../test-data/full-body.ts'
import { isNumber, keyword, withoutNull } from '../test-data/values.ts'
import { isOnRecord } from './actions.ts'
import { ORDER, type Probe } from './probe.ts'
import { doAction, onRecord } from './stated-conflicts.ts'
import { idOfCreated, NOT_REACHED } from './steps.ts'

/**
 * What does not fit a record, where the document says in words that it is refused: the code of another one, as in "409 if `pickupCode` is
 * not the parcel's code", and a record that is too small, as in "409 if the locker is smaller than the parcel".
 */
export function statedMisfitProbes(
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  return groups.flatMap((group) => {
    const { create } = group.bindings
    if (create?.operation.method !== 'POST') return []
    const actions = group.actions.filter((one) => isOnRecord(one, create))
    return [
      ...actions.flatMap((action) => codeProbes(create, action, actions, texts)),
      ...[create, ...actions].flatMap((one) => sizeProbes(create, one, groups, contract, texts)),
    ]
  })
}

/** What says that a value is another one than the right one. */
const WRONG =
  /\b(wrong|incorrect|invalid|mismatch\w*|differs?|different|another|other than|unless|(is|are|does|do) not|doesn't|isn't|must (be|match|equal)|has to (be|match|equal))\b/i

/** The sentences that say with which status something is refused. */
function refusing(operationId: string, texts: DocumentTexts): readonly string[] {
  const all = sentencesOf(texts.operation(operationId)).map(spaced)
  return all.filter((one) => /\b4\d\d\b|\bconflict\b|\brefused\b/.test(one))
}

function codeProbes(
  create: ResourceBinding,
  action: ResourceBinding,
  all: readonly ResourceBinding[],
  texts: DocumentTexts,
): Probe[] {
  const { operation } = action
  const said = refusing(operation.id, texts).filter((one) => WRONG.test(one))
  return codesIn(operation).flatMap(([name]) => {
    const words = [spaced(name), spaced(name).split(' ').at(-1) ?? '']
    const sentence = said.find((one) => words.some((word) => hasWords(one, word)))
    if (sentence === undefined) return []
    const text = `refuses another ${name} than that of the record`
    const check = operationCheck(operation, `stated/other-${name}`, text, (responses) => {
      const tried = responses.findLast(({ request }) => request.operation === operation)
      return tried ? passIf(!isSuccess(tried), tried, `4xx: "${sentence.trim()}"`) : NOT_REACHED
    })
    const giving = all.filter((one) => one !== action && givesCode(one, name, texts)).at(0)
    return [codeProbe({ create, action, giving }, name, check)]
  })
}

/** Whether an action comes before others, and a record may have a code after it: a parcel gets it in its locker. */
function givesCode(
  { operation, resource }: ResourceBinding,
  name: string,
  texts: DocumentTexts,
): boolean {
  const isEnd = ENDINGS.test(segmentsOf(operation.path).at(-1) ?? '')
  const isNamed = hasWords(spaced(texts.operation(operation.id)), spaced(name))
  return propertiesOf(resource.schema).has(name) && isNamed && !isEnd
}

interface CodedAction {
  readonly create: ResourceBinding
  readonly action: ResourceBinding
  /** The action after which a record has the code. */
  readonly giving: ResourceBinding | undefined
}

function codeProbe(
  { create, action, giving }: CodedAction,
  name: string,
  check: CheckDefinition,
): Probe {
  return {
    order: ORDER.change + 0.73,
    maxRequests: 5,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const plain = await creationRequest(create.operation, session)
      const record = await session.send({ ...plain, isValid: true })
      const values = isSuccess(record) ? valuesIn(recordIn(record, create)) : undefined
      const isThere = isObject(values) && (values[name] ?? null) !== null
      if (giving && !isThere)
        await doAction(session, record, create, giving, { keepsRefusal: true })
      const request = await onRecord(session, record, create, action)
      const right = request && parseJsonText(withOwnCodes(request, session.responses).body ?? '')
      const sent = request && parseJsonText(request.body ?? '')
      // Without the right one, nothing says that another one is wrong.
      const isOther = isObject(sent) && isObject(right) && sent[name] !== right[name]
      if (!request || !isOther) return []
      const { sample: _sample, ...rest } = request
      return [await session.send({ ...rest, keepsRefusal: true })]
    },
  }
}

/** What says that one record is too small or too large for another one. */
const COMPARES =
  /\b(smaller|larger|bigger|lower|higher|fewer|less|more|longer|shorter|heavier|lighter|greater) (\w+ ){0,3}than\b|\btoo (small|large|big|heavy|light|low|high|long|short|many|few)\b|\b(does not|doesn't|not) fit\b|\bat least (as|the)\b|\bexceeds?\b/i

/** Two values of the same property of two records of which one does not fit the other, either this way or the other. */
interface Misfit {
  readonly own: string
  readonly other: string
  readonly values: readonly [small: unknown, large: unknown]
}

/** The records of which one does not fit the other, by a sentence of an operation that refers to one of them. */
interface Fitting {
  readonly create: ResourceBinding
  readonly binding: ResourceBinding
  readonly other: ResourceBinding
  readonly link: string
  readonly misfit: Misfit
  readonly sentence: string
}

function sizeProbes(
  create: ResourceBinding,
  binding: ResourceBinding,
  groups: readonly BoundResource[],
  contract: Contract,
  texts: DocumentTexts,
): Probe[] {
  const { operation } = binding
  const [sentence] = refusing(operation.id, texts).filter((one) => COMPARES.test(one))
  const schema = operation.body && schemaAt(operation.body.schema, sentPlace(binding))
  if (sentence === undefined || !schema) return []
  const sent = { ...binding.resource, schema }
  const resources = resourcesIn(contract)
  const links = [...linksOf(sent, resources), ...linksByLastWords(sent, resources)]
  const found = groups.flatMap(({ bindings: { create: other } }): readonly Fitting[] => {
    const link = links.find(({ to }) => to === other?.resource)?.property
    if (!other || other === create || other.operation.method !== 'POST' || link === undefined)
      return []
    const misfit = misfitOf(create, other, sentence)
    return misfit ? [{ create, binding, other, link, misfit, sentence }] : []
  })
  return found.slice(0, 1).map(sizeProbe)
}

/** The properties of two records by which one does not fit the other: a choice that both have, or numbers that a sentence names. */
function misfitOf(
  create: ResourceBinding,
  other: ResourceBinding,
  sentence: string,
): Misfit | undefined {
  const [own, others] = [create, other].map((one) => propertiesOf(recordSchema(one)))
  for (const [name, schema] of own ?? []) {
    const [members, same] = [schema, others?.get(name) ?? {}].map((one) => keyword(one, 'enum'))
    const isSize = /size|class|level|grade|category|capacity/i.test(name)
    if (isSize && members && members.length > 1 && String(members) === String(same))
      return { own: name, other: name, values: [members[0], members.at(-1)] }
  }
  const numberIn = (all: typeof own): readonly string[] =>
    [...(all ?? [])].flatMap(([name, schema]) =>
      isNumber(schema) && hasWords(sentence, spaced(name)) && allows(schema) ? [name] : [],
    )
  const [[one, ...more], [two, ...rest]] = [numberIn(own), numberIn(others)]
  if (one === undefined || two === undefined || more.length + rest.length > 0) return undefined
  return { own: one, other: two, values: [LITTLE, MUCH] }
}

/** Numbers that many properties allow. */
const [LITTLE, MUCH] = [1, 8]

function allows(schema: Parameters<typeof withoutNull>[0]): boolean {
  const { minimum = 0, maximum = MUCH } = withoutNull(schema)
  return minimum <= LITTLE && maximum >= MUCH
}

/** Both ways: a small record with a large one, and the other way round. One of them must be refused. */
function sizeProbe(fitting: Fitting): Probe {
  const { misfit, sentence } = fitting
  const { operation } = fitting.binding
  const text = `is refused where one record does not fit the other by its ${misfit.other}`
  const check = operationCheck(operation, `stated/fits/${misfit.other}`, text, (all) => {
    const tried = all.filter(({ request }) => request.operation === operation)
    const [first, second] = tried
    if (!first || !second) return first && !isSuccess(first) ? 'passed' : NOT_REACHED
    const isRefused = tried.some((one) => !isSuccess(one))
    return passIf(isRefused, second, `409 this way, or the other way round: "${sentence.trim()}"`)
  })
  return {
    order: ORDER.change + 0.74,
    maxRequests: 8,
    creations: 4,
    requires: 'writes',
    checks: [check],
    send: async (session) => {
      const [small, large] = fitting.misfit.values
      const sent: ProbeResponse[] = []
      for (const way of [
        [large, small],
        [small, large],
      ] as const) {
        const done = await triedWith(session, fitting, way)
        if (done) sent.push(done)
        if (!done || !isSuccess(done)) break
      }
      return sent
    },
  }
}

/** The operation on a record with one value that refers to one with another value; `undefined` when there are no such records. */
async function triedWith(
  session: Session,
  { create, binding, other, link, misfit }: Fitting,
  [own, its]: readonly [unknown, unknown],
): Promise<ProbeResponse | undefined> {
  const beside = await created(session, other, { [misfit.other]: its })
  const id = beside && idOfCreated(beside, other)
  if (id === undefined) return undefined
  const isCreation = binding === create
  const record = isCreation ? undefined : await created(session, create, { [misfit.own]: own })
  const onOther = record && (await onRecord(session, record, create, binding))
  const plain = isCreation ? await creationRequest(binding.operation, session) : onOther
  const values = { [link]: id, ...(isCreation && { [misfit.own]: own }) }
  const request = plain && referring(plain, binding, link, values)
  return request && (await session.send({ ...request, keepsRefusal: true, isRepeated: true }))
}

/** A new record with values; `undefined` when the document or the service does not take them. */
async function created(
  session: Session,
  create: ResourceBinding,
  values: Readonly<Record<string, unknown>>,
): Promise<ProbeResponse | undefined> {
  const plain = await creationRequest(create.operation, session)
  const request = withValues(plain, create, values)
  if (!hasAll(request, values)) return undefined
  const response = await session.send({ ...request, isValid: true })
  return isSuccess(response) && hasAll(response.request, values) ? response : undefined
}

function hasAll({ body = '' }: ProbeRequest, values: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(values).every(([name, value]) =>
    body.includes(`${JSON.stringify(name)}:${JSON.stringify(value)}`),
  )
}

/** The request that refers to a record, whose id may be a number. */
function referring(
  request: ProbeRequest,
  binding: ResourceBinding,
  link: string,
  values: Readonly<Record<string, unknown>>,
): ProbeRequest | undefined {
  const texts = values[link]
  return [texts, Number(texts)]
    .map((one) => ({ ...values, [link]: one }))
    .map((all) => ({ all, request: withValues(request, binding, all) }))
    .find(({ all, request: one }) => hasAll(one, all))?.request
}
