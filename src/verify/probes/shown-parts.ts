import type { Contract, Operation } from '../../contract/contract.ts'
import { chooseResponse, documentedResponse } from '../../contract/documented-response.ts'
import { itemsOf, propertiesOf, schemaAt } from '../../contract/schema.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import type { JsonObject } from '../../document/json-value.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import { getOwn, isObject } from '../../validation/objects.ts'
import { type CheckDefinition, operationCheck, passIf } from '../checks/check.ts'
import { sentRecord } from '../checks/shown-values.ts'
import {
  isGone,
  isSuccess,
  isUnauthorized,
  type ProbeRequest,
  type ProbeResponse,
} from '../messages.ts'
import {
  boundTo,
  concretePath,
  idForParameter,
  isOnItem,
  isParameter,
  isSameTemplate,
  itemTarget,
  plainName,
  type RecordPath,
  recordIn,
  recordTemplate,
  segmentsOf,
  valuesIn,
} from '../record-address.ts'
import type { BoundResource } from '../resource-operations.ts'
import { plainCreations } from '../session/own-records.ts'
import type { Session } from '../session/session.ts'
import { validRequest } from '../session/valid-request.ts'
import { fullValues, unusualValues, withValues } from '../test-data/full-body.ts'
import { isOnRecord, onAction } from './actions.ts'
import { ORDER, type Probe } from './probe.ts'
import { fullCreation, idOfCreated, NOT_REACHED, onCreated } from './steps.ts'

/** Objects that a record shows in a list, such as the tickets of an order, and an operation on one of them. */
interface Part {
  readonly create: ResourceBinding
  readonly read: ResourceBinding
  readonly actions: readonly ResourceBinding[]
  /** The property with the list. */
  readonly property: string
  readonly operation: Operation
}

/** The most actions after which a record is expected to show its parts. */
const MAX_ACTIONS = 2

/**
 * What a service makes itself with a record, such as the tickets of an order: no operation creates it, and others change it. A change is one
 * of this part only and keeps its values, an action is done once where the description says so, and none of them is for another key.
 */
export function shownPartProbes(
  { bindings: { create, read }, actions }: BoundResource,
  contract: Contract,
  texts: DocumentTexts,
  hasOtherKey: boolean,
): Probe[] {
  if (create?.operation.method !== 'POST' || !read || !isOnItem(create, read)) return []
  const { schema } = chooseResponse(read.operation).documented ?? {}
  const shown = propertiesOf((schema && schemaAt(schema, read.hints.record ?? '')) ?? {})
  const lists = [...shown].flatMap(([name, own]) => {
    const items = itemsOf(own)
    return items && propertiesOf(items).size > 0 ? [name] : []
  })
  const creations = plainCreations(contract)
  return lists.flatMap((property) => {
    const operations = contract.operations.filter(
      (one) => isOnPart(one, property, read) && !creations.at(recordTemplate(one), one),
    )
    const part = {
      create,
      read,
      property,
      actions: actions.filter((one) => isOnRecord(one, create)),
    }
    return operations.flatMap((operation) => {
      const own = { ...part, operation }
      const isAction = !isParameter(segmentsOf(operation.path).at(-1) ?? '')
      if (!isAction) return changeProbe(own, contract)
      return actionProbe(own, isDoneOnce(operation, texts), hasOtherKey)
    })
  })
}

/** Whether an operation changes one of the objects in a list: below their record, or at a path of their own. */
function isOnPart(
  { method, path, body }: Operation,
  property: string,
  read: ResourceBinding,
): boolean {
  const template = recordTemplate({ path })
  const rest = segmentsOf(path).slice(template.length)
  const above = template.slice(0, -2)
  const isBelow = isSameTemplate(above, segmentsOf(read.operation.path))
  const isCalled = plainName(template.at(-2) ?? '') === plainName(property)
  if (!isCalled || !(isBelow || above.length === 0)) return false
  return rest.length === 0 ? method === 'PATCH' : method === 'POST' && rest.length === 1 && !body
}

/** Whether an action is refused the second time, as its description says. */
function isDoneOnce(operation: Operation, texts: DocumentTexts): boolean {
  const says = /\b(once|already|a second time)\b/i.test(texts.operation(operation.id))
  return says && documentedResponse(operation, 409) !== undefined
}

/** The parts of a new record, and the path of each for an operation. */
interface ShownParts {
  readonly created: ProbeResponse
  readonly found: ProbeResponse
  readonly targets: readonly string[]
}

/** A new record that shows its parts: as it is created, or after actions. `undefined` when it shows none. */
async function recordWithParts(session: Session, part: Part): Promise<ShownParts | undefined> {
  const { create, read, actions } = part
  const step = fullCreation(create)
  const request = await step(session, [])
  if (!request) return undefined
  const first = await session.send(request)
  const again = isSuccess(first) ? undefined : await step.otherwise?.(session, [])
  const created = again ? await session.send(again) : first
  const reading = async (): Promise<ShownParts | undefined> => {
    const next = await onCreated(read, create, 0)(session, [created])
    const found = next && (await session.send(next))
    const targets = found ? targetsOf(found, created, part, session) : []
    return found && targets.length > 0 ? { created, found, targets } : undefined
  }
  let parts = await reading()
  for (const action of actions.slice(0, MAX_ACTIONS)) {
    if (parts) break
    const next = await onAction(action, create)(session, [created])
    if (next && isSuccess(await session.send(next))) parts = await reading()
  }
  return parts
}

/** The paths of an operation for the parts. What only a record of the run shows below it belongs to the run. */
function targetsOf(
  found: ProbeResponse,
  created: ProbeResponse,
  { create, read, operation, property }: Part,
  session: Session,
): readonly string[] {
  const owner = idOfCreated(created, create)
  const template = recordTemplate(operation)
  const name = /^\{(.+)\}$/.exec(template.at(-1) ?? '')?.[1] ?? ''
  const rest = segmentsOf(operation.path).slice(template.length)
  if (owner === undefined) return []
  const isBelow = template.length > 2
  return partsIn(found, read, property).flatMap((part) => {
    // At a path of its own, it has to name its record.
    if (!isBelow && !Object.values(part).some((value) => String(value) === owner)) return []
    const id = idForParameter(part, name)
    if (id === undefined) return []
    const start = isBelow ? itemTarget(created, read.operation, owner) : ''
    const target = [start, template.at(-2), encodeURIComponent(id), ...rest].join('/')
    const path: RecordPath | undefined = concretePath(operation, target)
    if (!path) return []
    session.gate.own.lend(path.slice(0, template.length + 1))
    return [target]
  })
}

function partsIn(
  response: ProbeResponse,
  read: ResourceBinding,
  property: string,
): readonly JsonObject[] {
  const record = isSuccess(response) ? valuesIn(recordIn(response, read)) : undefined
  const parts = isObject(record) ? getOwn(record, property) : undefined
  return Array.isArray(parts) ? parts.filter(isObject) : []
}

async function readAgain(
  session: Session,
  { create, read }: Part,
  created: ProbeResponse,
): Promise<readonly ProbeResponse[]> {
  const next = await onCreated(read, create, 0)(session, [created])
  return next ? [await session.send(next)] : []
}

/** A change of the last part: it keeps what was sent, and the others are as they were. */
function changeProbe(part: Part, contract: Contract): Probe[] {
  const { operation, read, property } = part
  const binding = boundTo(contract, operation)
  if (!binding) return []
  const values = { ...fullValues(binding), ...unusualValues(binding) }
  const checks = [
    operationCheck(operation, 'part/kept', `keeps what it gets in ${property}`, (responses) => {
      const [, changed, found] = responses
      if (!changed || !found || !isSuccess(changed)) return NOT_REACHED
      const after = partsIn(found, read, property).at(-1)
      const sent = sentRecord(changed, binding)
      const known = Object.entries(isObject(sent) ? sent : {}).filter(
        ([name, value]) => after !== undefined && typeof value === typeof after[name],
      )
      if (known.length === 0) return NOT_REACHED
      const [lost, value] = known.find(([name, one]) => isOther(after?.[name], one)) ?? []
      const expected = `"${lost}": ${JSON.stringify(value)}, as it was sent`
      return passIf(lost === undefined, found, expected)
    }),
    operationCheck(operation, 'part/others', `changes no other of ${property}`, (responses) => {
      const [before, changed, found] = responses
      if (!before || !changed || !found || !isSuccess(changed)) return NOT_REACHED
      const [old, now] = [before, found].map((one) => partsIn(one, read, property).slice(0, -1))
      if (!old || !now || old.length === 0 || old.length !== now.length) return NOT_REACHED
      return passIf(JSON.stringify(old) === JSON.stringify(now), found, 'the others as before')
    }),
  ]
  return [
    partProbe(part, checks, async (session, { created, found, targets }) => {
      const request = await validRequest(operation, session, 'key', targets.at(-1))
      const changed = await session.send({
        ...withValues(request, binding, values),
        isValid: true,
      })
      return [found, changed, ...(await readAgain(session, part, created))]
    }),
  ]
}

function isOther(found: unknown, sent: unknown): boolean {
  return typeof sent !== 'object' && found !== sent
}

/** An action on the first part twice; before, with another key that cannot read the record. */
function actionProbe(part: Part, isOnce: boolean, hasOtherKey: boolean): Probe[] {
  const { operation } = part
  const twice = operationCheck(operation, 'part/twice', 'refuses the same action twice', (all) => {
    const [done, again] = all.slice(-2)
    if (!done || !again || !isSuccess(done)) return NOT_REACHED
    return passIf(!isSuccess(again), again, '409, as the description says')
  })
  const foreign = operationCheck(
    operation,
    'part/other-key',
    'does not let another key act on it',
    ([unread, tried]) =>
      unread && tried && isRefused(unread)
        ? passIf(!isSuccess(tried), tried, '404 or 403')
        : NOT_REACHED,
    { clause: 'OWASP API Security 2023, API1' },
  )
  const checks = [...(isOnce ? [twice] : []), ...(hasOtherKey ? [foreign] : [])]
  if (checks.length === 0) return []
  return [
    partProbe(part, checks, async (session, { found, targets: [target] }) => {
      const request: ProbeRequest = {
        ...(await validRequest(operation, session, 'key', target)),
        ...{ isValid: true, keepsRefusal: true },
      }
      const credentials = 'other-key'
      const others = hasOtherKey
        ? [
            await session.send({ ...found.request, credentials }),
            await session.send({ ...request, credentials }),
          ]
        : []
      return [...others, await session.send(request), await session.send(request)]
    }),
  ]
}

function isRefused(response: ProbeResponse): boolean {
  return isGone(response) || isUnauthorized(response)
}

function partProbe(
  part: Part,
  checks: readonly CheckDefinition[],
  send: (session: Session, parts: ShownParts) => Promise<readonly ProbeResponse[]>,
): Probe {
  return {
    order: ORDER.change + 0.78,
    maxRequests: 8,
    creations: 1,
    requires: 'writes',
    creates: part.create.operation,
    checks,
    send: async (session) => {
      const parts = await recordWithParts(session, part)
      return parts ? await send(session, parts) : []
    },
  }
}
