import type { Contract, Operation, Parameter } from '../../contract/contract.ts'
import { alternativesOf } from '../../contract/credentials.ts'
import { isJson } from '../../contract/is-json.ts'
import { CLIENT_HEADERS } from '../../contract/reading/read-parameters.ts'
import { serializeBody } from '../../sandbox/sample-request/serialize-body.ts'
import { isObject } from '../../validation/objects.ts'
import { rejectionChecks } from '../checks/rejection-checks.ts'
import { isSafeMethod } from '../requests/change-gate.ts'
import { NotSent, type ProbeRequest } from '../requests/probe-messages.ts'
import type { Session } from '../requests/session.ts'
import { ownValueOf, validRequest } from '../requests/valid-request.ts'
import { brokenValue } from '../test-data/broken-value.ts'
import { requiredParameters } from '../test-data/operation-input.ts'
import { ORDER } from './order.ts'
import type { Probe } from './probe.ts'

/** Requests that lack a required parameter, or have an invalid body: one of each kind for each operation. */
export function refusalProbes(operations: readonly Operation[], contract: Contract): Probe[] {
  return operations.flatMap((operation) => [
    ...missingParameterProbe(operation, contract),
    ...brokenBodyProbe(operation),
  ])
}

/** A request without the first parameter that is required, and is no credential. */
function missingParameterProbe(operation: Operation, contract: Contract): Probe[] {
  const parameter = requiredParameters(operation).find(
    ({ in: location, name }) =>
      location !== 'path' &&
      !(location === 'header' && CLIENT_HEADERS.test(name.toLowerCase())) &&
      !isDecisive(operation, name) &&
      !isCredential(operation, name, contract),
  )
  if (!parameter) return []
  const { name, in: location } = parameter
  const what = `a missing ${location.startsWith('query') ? 'parameter' : location} ${name}`

  return [
    refusalProbe(operation, what, 'query', async (session) =>
      withoutParameter(await validRequest(operation, session), parameter, session),
    ),
  ]
}

/** Without the parameter of a query condition, a request is for another operation. */
function isDecisive({ conditions = [] }: Operation, name: string): boolean {
  return conditions.some((condition) => condition.name === name)
}

function isCredential(operation: Operation, name: string, contract: Contract): boolean {
  const schemes = alternativesOf(operation, contract).flat()
  return schemes.some(
    (scheme) => 'parameter' in scheme && scheme.parameter.toLowerCase() === name.toLowerCase(),
  )
}

async function withoutParameter(
  request: ProbeRequest,
  { name, in: location }: Parameter,
  { inputs }: Session,
): Promise<ProbeRequest> {
  const { operation, target, headers = [], cookies = [] } = request
  if (location === 'header') {
    return { ...request, headers: headers.filter(([one]) => one !== name) }
  }
  if (location === 'cookie') {
    return { ...request, cookies: cookies.filter(([one]) => one !== name) }
  }
  const sent = operation && (await inputs.of(operation)).query.get(name)
  const names = new Set(sent?.map(([one]) => one))
  const [path = '', query = ''] = target.split('?')
  const kept = query
    .split('&')
    .filter((pair) => pair !== '' && !names.has(pair.split('=')[0] ?? ''))

  return { ...request, target: kept.length === 0 ? path : `${path}?${kept.join('&')}` }
}

/** A body that breaks its schema. In a format other than JSON, XML and forms, there is none. */
function brokenBodyProbe(operation: Operation): Probe[] {
  if (!operation.body) return []
  const what = 'a body that does not match the schema'

  return [
    refusalProbe(operation, what, 'body', async (session) => {
      const request = await validRequest(operation, session)
      const { body } = await session.inputs.of(operation)
      if (!body) throw new NotSent('the operation takes no body')
      const { media } = body
      const value = ownValueOf(operation, body.value, request.target, session.gate)
      const broken = brokenValue(media, value)
      const isWritten = broken !== undefined && (isJson(media.mediaType) || isObject(broken))
      const sent = isWritten ? serializeBody(media, broken) : undefined
      if (!sent) throw new NotSent('the schema of the body has no simple invalid value')
      // A form without fields is an empty body, which servers cannot tell from none.
      if (sent.text === '' && !operation.body?.required)
        throw new NotSent('the operation accepts a request without a body')

      return { ...request, body: sent.text, type: sent.type }
    }),
  ]
}

function refusalProbe(
  operation: Operation,
  what: string,
  location: 'query' | 'body',
  requestFor: (session: Session) => Promise<ProbeRequest>,
): Probe {
  return {
    order: ORDER.refusal,
    maxRequests: 1,
    ...(isSafeMethod(operation.method) ? {} : { requires: 'writes' as const }),
    checks: rejectionChecks(operation, location, what, what.replaceAll(' ', '-')),
    send: async (session) => [await session.send(await requestFor(session))],
  }
}
