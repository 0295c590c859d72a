import type { Contract, Operation } from '../../contract/contract.ts'
import { isCheckable } from '../../contract/credentials.ts'
import { encodeLiteral } from '../../contract/path-pattern.ts'
import type { DocumentTexts } from '../../document/document-texts.ts'
import { type CheckDefinition, type LeftOut, operationCheck, passIf } from '../checks/check.ts'
import { isSuccess, NotSent, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  boundTo,
  createdId,
  hasWholeParameters,
  itemTarget,
  recordTemplate,
  segmentsOf,
  withPath,
} from '../record-address.ts'
import type { Session } from '../session/session.ts'
import { roleOf } from '../session/stated-owners.ts'
import { validRequest } from '../session/valid-request.ts'
import { OTHER_ERROR } from './other-key.ts'
import { ORDER, type Probe } from './probe.ts'

/** The most operations of a role that are tried. */
const MAX_OPERATIONS = 12

const CLAUSE = { clause: 'OWASP API Security 2023, API5' }

const HAS_ROLE: LeftOut = { leftOut: 'no other operation for the role refuses the other key' }

/**
 * Operations that are for callers in a role, as in "For managers.": where one of them refuses the other key with a 403, so do the others,
 * also for what this key has created. A 401 would say that the service does not know the key.
 */
export function roleProbes(contract: Contract, texts: DocumentTexts): Probe[] {
  const byRole = new Map<string, Operation[]>()
  for (const one of contract.operations) {
    const role = isCheckable(one, contract) && hasWholeParameters(one) && roleOf(one, texts)
    if (role) byRole.set(role, [...(byRole.get(role) ?? []), one])
  }
  return [...byRole].flatMap(([role, all]) => (all.length > 1 ? [roleProbe(role, all)] : []))
}

function roleProbe(role: string, all: readonly Operation[]): Probe {
  const tried = all.slice(0, MAX_OPERATIONS)
  return {
    order: ORDER.otherKeyRemoval + 0.1,
    maxRequests: 2 * tried.length,
    creations: tried.length,
    requires: 'writes',
    checks: tried.map((one) => roleCheck(role, one, tried)),
    send: async (session) => {
      const responses: ProbeResponse[] = []
      for (const one of tried) {
        const done = await triedAsOther(one, all, session)
        const isHeld = one.method === 'DELETE' && done.at(-1)?.status === 409
        responses.push(...(isHeld ? await triedAsOther(one, all, session) : done))
      }
      return responses
    },
  }
}

function roleCheck(role: string, operation: Operation, all: readonly Operation[]): CheckDefinition {
  const name = `refuses a key that does not have the role ${role}`
  const others = all.filter((one) => one !== operation)
  return operationCheck(
    operation,
    'other-key-role',
    name,
    (responses) => {
      const to = (some: readonly Operation[]): readonly ProbeResponse[] =>
        responses.filter(({ request }) => request.operation && some.includes(request.operation))
      const response = to([operation]).at(-1)
      if (!response || to(others).every(({ status }) => status !== 403)) return HAS_ROLE
      const isAnswer = isSuccess(response) || [401, 403].includes(response.status)
      return isAnswer ? passIf(response.status === 403, response, '403') : OTHER_ERROR
    },
    CLAUSE,
  )
}

/** A request with the other key: for a record that it has created, where anybody may create one, else for one of the run. */
async function triedAsOther(
  operation: Operation,
  ofRole: readonly Operation[],
  session: Session,
): Promise<readonly ProbeResponse[]> {
  const responses: ProbeResponse[] = []
  try {
    const request = await validRequest(operation, session, 'other-key')
    const made = await createdByOther(operation, ofRole, session)
    if (made) responses.push(made)
    const target = made && isSuccess(made) ? targetOn(made, request, session) : request.target
    if (target !== undefined) responses.push(await session.send({ ...request, target }))
  } catch (error) {
    if (!(error instanceof NotSent)) throw error
  }
  return responses
}

async function createdByOther(
  operation: Operation,
  ofRole: readonly Operation[],
  session: Session,
): Promise<ProbeResponse | undefined> {
  const { creations } = session.gate
  const template = recordTemplate(operation)
  const creation =
    template.length === 0 || creations.has(operation)
      ? undefined
      : creations.at(template, operation)
  if (creation?.method !== 'POST' || ofRole.includes(creation)) return undefined
  return await session.send(await validRequest(creation, session, 'other-key'))
}

/** The target of a request for the record that another one has created. */
function targetOn(
  made: ProbeResponse,
  { operation, target }: ProbeRequest,
  { contract }: Session,
): string | undefined {
  const create = made.request.operation && boundTo(contract, made.request.operation)
  const id = create && isSuccess(made) ? createdId(made, create) : undefined
  if (!operation || id === undefined) return undefined
  const template = recordTemplate(operation)
  const item = itemTarget(made, { path: `/${template.join('/')}` }, id)
  const words = segmentsOf(operation.path).slice(template.length)
  return withPath(target, [item, ...words.map(encodeLiteral)].join('/'))
}
