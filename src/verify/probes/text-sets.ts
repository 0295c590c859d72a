import type { Contract, Operation } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { itemsOf } from '../../contract/schema.ts'
import { isObject } from '../../validation/objects.ts'
import {
  type CheckDefinition,
  failure,
  hasSuccessStatus,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { isSuccess, NotSent, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  boundTo,
  hasWholeParameters,
  isParameter,
  isSameTemplate,
  pathOf,
  type RecordPath,
  recordTemplate,
  segmentsOf,
} from '../record-address.ts'
import { memberTemplate } from '../session/item-templates.ts'
import { type PlainCreations, plainCreations } from '../session/own-records.ts'
import type { Session } from '../session/session.ts'
import { createAt } from '../session/valid-request.ts'
import { typeOf } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { NOT_REACHED } from './steps.ts'

/**
 * A set of texts of each record, such as its tags, or of records of another collection: PUT adds the one at the end of its path, and
 * DELETE removes it.
 */
interface TextSet {
  readonly list: Operation
  readonly add: Operation
  readonly remove: Operation | undefined
  readonly template: readonly string[]
  /** The template of the records of another collection, and the property with their id. */
  readonly member: { readonly template: readonly string[]; readonly id: string } | undefined
}

/** Texts and records that a record has, such as tags: each is listed once after it is added, and not after it is removed. */
export function textSetProbes(contract: Contract): Probe[] {
  return textSetsIn(contract).map(textSetProbe)
}

function textSetsIn(contract: Contract): readonly TextSet[] {
  const creations = plainCreations(contract)
  return contract.operations
    .filter((one) => addsByPath(one) && !creations.at(segmentsOf(one.path), one))
    .flatMap((add) => setOf(add, contract, creations))
}

/** Whether the path of an operation ends with what it adds to a collection of one record. */
function addsByPath(add: Operation): boolean {
  const segments = segmentsOf(add.path)
  const above = recordTemplate({ path: `/${segments.slice(0, -1).join('/')}` })
  return (
    /^(PUT|POST)$/.test(add.method) &&
    !add.body &&
    isParameter(segments.at(-1) ?? '') &&
    above.length === segments.length - 2 &&
    hasWholeParameters(add)
  )
}

function setOf(add: Operation, contract: Contract, creations: PlainCreations): readonly TextSet[] {
  const segments = segmentsOf(add.path)
  const [collection, template] = [segments.slice(0, -1), segments.slice(0, -2)]
  const at = (method: string, path: readonly string[]): Operation | undefined =>
    contract.operations.find(
      (one) => one.method === method && isSameTemplate(segmentsOf(one.path), path),
    )
  const list = at('GET', collection)
  const items = list && itemsOf(chooseResponse(list).documented?.schema ?? {})
  const member = memberOf(add, contract, creations)
  if (!list || !items || !creations.at(template, add)) return []
  if (typeOf(items) !== 'string' && !(typeOf(items) === 'object' && member)) return []
  return [{ list, add, remove: at('DELETE', segments), template, member }]
}

function memberOf(
  add: Operation,
  contract: Contract,
  creations: PlainCreations,
): TextSet['member'] {
  const template = memberTemplate(add, contract)
  const creation = template && creations.at(template, add)
  const id = creation && boundTo(contract, creation)?.resource.id
  return template && id !== undefined ? { template, id } : undefined
}

function countIn({ json }: ProbeResponse, text: string, { member }: TextSet): number {
  const all = Array.isArray(json) ? json : []
  const named = all.map((one) => (member && isObject(one) ? String(one[member.id]) : one))
  return named.filter((one) => one === text).length
}

/** The text at the end of the path of a request. */
function textOf({ request: { target } }: ProbeResponse): string {
  return decodeURIComponent(pathOf(target).split('/').at(-1) ?? '')
}

function areDone(...responses: readonly (ProbeResponse | undefined)[]): boolean {
  return responses.every((one) => one !== undefined && isSuccess(one))
}

function additionChecks(set: TextSet): CheckDefinition[] {
  const { list, add } = set
  return [
    operationCheck(add, 'added', 'adds a text to a record', ([added]) =>
      added ? hasSuccessStatus(add, added) : NOT_REACHED,
    ),
    operationCheck(list, `after/${add.id}`, 'lists an added text', ([added, listed]) => {
      if (!added || !listed || !areDone(added, listed)) return NOT_REACHED
      const text = textOf(added)
      return passIf(countIn(listed, text, set) > 0, listed, `a list with ${text}`)
    }),
    operationCheck(list, `twice/${add.id}`, 'lists a text once that was added twice', (all) => {
      const [added, , again, listed] = all
      if (!added || !again || !listed || !areDone(added, again, listed)) return NOT_REACHED
      const times = countIn(listed, textOf(added), set)
      return times > 1 ? failure(listed, `${textOf(added)} once`, `${times} times`) : 'passed'
    }),
  ]
}

function removalChecks(set: TextSet, remove: Operation): CheckDefinition[] {
  const { list } = set
  const [OTHER, REMOVED, LISTED] = [4, 5, 6]
  return [
    operationCheck(remove, 'removed', 'removes a text from a record', (all) => {
      const removed = all[REMOVED]
      return removed ? hasSuccessStatus(remove, removed) : NOT_REACHED
    }),
    operationCheck(list, `after/${remove.id}`, 'lists a removed text no more', (all) => {
      const [removed, listed] = [all[REMOVED], all[LISTED]]
      if (!removed || !listed || !areDone(removed, listed)) return NOT_REACHED
      const text = textOf(removed)
      return passIf(countIn(listed, text, set) === 0, listed, `a list without ${text}`)
    }),
    operationCheck(remove, 'others', 'removes no other text', (all) => {
      const [other, removed, listed] = [all[OTHER], all[REMOVED], all[LISTED]]
      if (!other || !listed || !areDone(other, removed, listed)) return NOT_REACHED
      const text = textOf(other)
      return passIf(countIn(listed, text, set) > 0, listed, `a list with ${text}`)
    }),
  ]
}

function textSetProbe(set: TextSet): Probe {
  const { list, add, remove, template, member } = set
  const parameter = add.parameters.findLast((one) => one.in === 'path')
  return {
    order: ORDER.change + 0.76,
    maxRequests: 8,
    creations: member ? 3 : 1,
    requires: 'writes',
    checks: [...additionChecks(set), ...(remove ? removalChecks(set, remove) : [])],
    send: async (session) => {
      const newText = (): string | number | undefined =>
        parameter && session.gate.ids.newId(parameter.schema, parameter.validate)
      const first = member ? await newMember(set, member, session) : newText()
      const second = member ? await newMember(set, member, session) : newText()
      if (first === undefined || second === undefined)
        throw new NotSent('the document allows no text that is surely new')
      const record = await createAt(template, add, session)
      const send = async (operation: Operation, text?: string | number): Promise<ProbeResponse> =>
        await session.send(await requestFor(operation, record, text, session))
      const responses = [
        await send(add, first),
        await send(list),
        await send(add, first),
        await send(list),
        await send(add, second),
      ]
      if (!remove) return responses
      return [...responses, await send(remove, first), await send(list)]
    },
  }
}

/** The id of a new record of the collection that has the records of a set. */
async function newMember(
  { add }: TextSet,
  { template }: NonNullable<TextSet['member']>,
  session: Session,
): Promise<string> {
  const record = await createAt(template, add, session)
  return decodeURIComponent(record.at(-1) ?? '')
}

async function requestFor(
  operation: Operation,
  record: RecordPath,
  text: string | number | undefined,
  session: Session,
): Promise<ProbeRequest> {
  const { method, path } = operation
  const { headers } = await session.inputs.of(operation)
  const words = segmentsOf(path).slice(record.length - 1)
  const rest = text === undefined ? words : [...words.slice(0, -1), encodeURIComponent(text)]
  const target = `/${[...record.slice(1), ...rest].join('/')}`
  return { operation, method, target, headers: [...headers], credentials: 'key', isValid: true }
}
