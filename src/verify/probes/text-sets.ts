import type { Contract, Operation } from '../../contract/contract.ts'
import { chooseResponse } from '../../contract/documented-response.ts'
import { itemsOf } from '../../contract/schema.ts'
import {
  type CheckDefinition,
  failure,
  hasSuccessStatus,
  operationCheck,
  passIf,
} from '../checks/check.ts'
import { isSuccess, NotSent, type ProbeRequest, type ProbeResponse } from '../session/messages.ts'
import { PlainCreations } from '../session/own-records.ts'
import {
  hasWholeParameters,
  isParameter,
  isSameTemplate,
  pathOf,
  type RecordPath,
  recordTemplate,
  segmentsOf,
} from '../session/record-address.ts'
import type { Session } from '../session/session.ts'
import { createAt } from '../session/valid-request.ts'
import { typeOf } from '../test-data/values.ts'
import { ORDER, type Probe } from './probe.ts'
import { NOT_REACHED } from './steps.ts'

/** A set of texts of each record, such as its tags: PUT adds the one at the end of its path, and DELETE removes it. */
interface TextSet {
  readonly list: Operation
  readonly add: Operation
  readonly remove: Operation | undefined
  readonly template: readonly string[]
}

/** Texts that a record has, such as tags: each is listed once after it is added, and not after it is removed. */
export function textSetProbes(contract: Contract): Probe[] {
  return textSetsIn(contract).map(textSetProbe)
}

function textSetsIn(contract: Contract): readonly TextSet[] {
  const { operations } = contract
  const creations = new PlainCreations(contract)
  return operations.flatMap((add) => {
    const segments = segmentsOf(add.path)
    const collection = segments.slice(0, -1)
    const template = recordTemplate({ path: `/${collection.join('/')}` })
    const isMember = isParameter(segments.at(-1) ?? '') && template.length === collection.length - 1
    if (add.method !== 'PUT' || add.body || !isMember || !hasWholeParameters(add)) return []
    const at = (method: string, path: readonly string[]): Operation | undefined =>
      operations.find((one) => one.method === method && isSameTemplate(segmentsOf(one.path), path))
    const list = at('GET', collection)
    const items = list && itemsOf(chooseResponse(list).documented?.schema ?? {})
    if (!list || !items || typeOf(items) !== 'string' || !creations.at(template, add)) return []
    return [{ list, add, remove: at('DELETE', segments), template }]
  })
}

function countIn({ json }: ProbeResponse, text: string): number {
  return Array.isArray(json) ? json.filter((one) => one === text).length : 0
}

/** The text at the end of the path of a request. */
function textOf({ request: { target } }: ProbeResponse): string {
  return decodeURIComponent(pathOf(target).split('/').at(-1) ?? '')
}

function areDone(...responses: readonly (ProbeResponse | undefined)[]): boolean {
  return responses.every((one) => one !== undefined && isSuccess(one))
}

function additionChecks({ list, add }: TextSet): CheckDefinition[] {
  return [
    operationCheck(add, 'added', 'adds a text to a record', ([added]) =>
      added ? hasSuccessStatus(add, added) : NOT_REACHED,
    ),
    operationCheck(list, `after/${add.id}`, 'lists an added text', ([added, listed]) => {
      if (!added || !listed || !areDone(added, listed)) return NOT_REACHED
      const text = textOf(added)
      return passIf(countIn(listed, text) > 0, listed, `a list with ${text}`)
    }),
    operationCheck(list, `twice/${add.id}`, 'lists a text once that was added twice', (all) => {
      const [added, , again, listed] = all
      if (!added || !again || !listed || !areDone(added, again, listed)) return NOT_REACHED
      const times = countIn(listed, textOf(added))
      return times > 1 ? failure(listed, `${textOf(added)} once`, `${times} times`) : 'passed'
    }),
  ]
}

function removalChecks(list: Operation, remove: Operation): CheckDefinition[] {
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
      return passIf(countIn(listed, text) === 0, listed, `a list without ${text}`)
    }),
    operationCheck(remove, 'others', 'removes no other text', (all) => {
      const [other, removed, listed] = [all[OTHER], all[REMOVED], all[LISTED]]
      if (!other || !listed || !areDone(other, removed, listed)) return NOT_REACHED
      const text = textOf(other)
      return passIf(countIn(listed, text) > 0, listed, `a list with ${text}`)
    }),
  ]
}

function textSetProbe(set: TextSet): Probe {
  const { list, add, remove, template } = set
  const parameter = add.parameters.findLast((one) => one.in === 'path')
  return {
    order: ORDER.change + 0.76,
    maxRequests: 8,
    requires: 'writes',
    checks: [...additionChecks(set), ...(remove ? removalChecks(list, remove) : [])],
    send: async (session) => {
      const [first, second] = [0, 1].map(
        () => parameter && session.gate.ids.newId(parameter.schema, parameter.validate),
      )
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
