import { withQuery } from '../../requests/outgoing-request.ts'
import type { ResourceBinding } from '../../resources/bind.ts'
import type { CheckDefinition, LeftOut } from '../checks/check.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse } from '../messages.ts'
import {
  collectionPath,
  collectionTarget,
  createdId,
  itemTarget,
  pathOf,
  withPath,
} from '../record-address.ts'
import { isInvalidInput } from '../session/accepted-bodies.ts'
import type { Session } from '../session/session.ts'
import { creationRequest, validRequest } from '../session/valid-request.ts'
import { fullValues, type GivenValues, withValues } from '../test-data/full-body.ts'
import { withOtherValues } from '../test-data/unguessable.ts'
import { longestPage } from '../test-data/values.ts'
import type { Probe } from './probe.ts'

/** The next request of a story, made from the responses to those before; `undefined` ends the story, `null` goes to the next step. */
export interface Step {
  (session: Session, before: readonly ProbeResponse[]): Promise<ProbeRequest | null | undefined>
  /** Whether it creates a record. */
  readonly isCreation?: true
  /** What is sent instead when the service refuses the request for a rule that only it knows. */
  readonly otherwise?: Step
}

/** A probe whose requests follow from each other. Its checks know the responses by their places. */
export function storyOf(
  order: number,
  steps: readonly Step[],
  checks: readonly CheckDefinition[],
): Probe {
  return {
    order,
    maxRequests: steps.length + steps.filter(({ otherwise }) => otherwise).length,
    creations: steps.filter(({ isCreation }) => isCreation).length,
    requires: 'writes',
    checks,
    send: async (session) => {
      const responses: ProbeResponse[] = []
      for (const step of steps) {
        const request = await step(session, responses)
        if (request === null) continue
        if (!request) break
        const response = await session.send(request)
        const next = isRefused(response) && (await step.otherwise?.(session, responses))
        responses.push(next ? await session.send(next) : response)
      }
      return responses
    },
  }
}

/** Whether a service refused a body for a rule, or for the state of a record. */
function isRefused(response: ProbeResponse): boolean {
  return isInvalidInput(response) || response.status === 409
}

/** Nothing was created, or the story ended earlier. */
export const NOT_REACHED: LeftOut = { leftOut: 'no record was created, or its id is not known' }

/** Creates a record. `change` makes the request another one; `beside` is the place of a creation in the same collection. */
export function creation(
  create: ResourceBinding,
  change: (
    request: ProbeRequest,
    before: readonly ProbeResponse[],
    session: Session,
  ) => ProbeRequest | undefined = (request) => request,
  beside?: number,
): Step {
  const step = async (
    session: Session,
    before: readonly ProbeResponse[],
  ): Promise<ProbeRequest | undefined> => {
    const request = await creationRequest(create.operation, session)
    const other = beside === undefined ? undefined : before[beside]
    const target = other ? withPath(request.target, pathBeside(request, other)) : request.target
    return change({ ...request, target, isValid: true }, before, session)
  }
  return Object.assign(step, { isCreation: true as const })
}

/** Creates a record with values for all its properties, as far as the service takes them. */
export function fullCreation(
  create: ResourceBinding,
  values: GivenValues = fullValues(create),
): Step {
  return Object.assign(
    creation(create, (request) => withValues(request, create, values)),
    { otherwise: creation(create) },
  )
}

/** The path of a new record in the collection in which another one was created. PUT has the path of the record. */
function pathBeside(request: ProbeRequest, other: ProbeResponse): string {
  const path = pathOf(other.request.target)
  if (request.method !== 'PUT') return path
  const collection = collectionPath({ method: 'PUT', path })
  return `${collection}/${pathOf(request.target).split('/').at(-1)}`
}

/** A request on the record that the response at a place created. */
export function onCreated(
  binding: ResourceBinding,
  create: ResourceBinding,
  at: number,
  change: (request: ProbeRequest) => ProbeRequest = (request) => request,
): Step {
  return async (session, before) => {
    const created = before[at]
    const id = created && idOfCreated(created, create)
    if (!created || id === undefined) return undefined
    const request = await validRequest(binding.operation, session)
    const target = withPath(request.target, itemTarget(created, binding.operation, id))
    return change({ ...request, target, isValid: true })
  }
}

/** A request for the list of the collection in which the response at a place created a record. */
export function listBeside(list: ResourceBinding, at: number): Step {
  return async (session, before) => {
    const created = before[at]
    if (!created || !isSuccess(created)) return undefined
    const request = await validRequest(list.operation, session)
    const target = withPath(request.target, collectionTarget(created, list.operation))
    return inLongestPage({ ...request, target }, list)
  }
}

/** A valid request for a list, with the most records of a page. */
export function inLongestPage(request: ProbeRequest, { operation }: ResourceBinding): ProbeRequest {
  const size = longestPage(operation)
  const isSize = (name: string): boolean => size.some(([own]) => own === name)
  return { ...request, target: withQuery(request.target, isSize, size), isValid: true }
}

/** The id of a created record, if it was created. */
export function idOfCreated(response: ProbeResponse, create: ResourceBinding): string | undefined {
  return isSuccess(response) ? createdId(response, create) : undefined
}

/** Two records in one collection. The second one has other values than the first one. */
export function twoRecords(create: ResourceBinding): readonly [Step, Step] {
  return [creation(create), creation(create, (one) => withOtherValues(one, create), 0)]
}

/** A request that refers to other records than another one does; `undefined` when that one refers to none. */
export async function withOtherReferences(
  session: Session,
  request: ProbeRequest,
  other: ProbeRequest,
): Promise<ProbeRequest | undefined> {
  return session.renewReferences(other) ? await session.references.inRequest(request) : undefined
}
