import type { Operation, Schema } from '../../contract/contract.ts'
import { parseJsonText } from '../../contract/json.ts'
import { propertiesOf } from '../../contract/schema.ts'
import { isObject } from '../../validation/objects.ts'
import { isSuccess, type ProbeRequest, type ProbeResponse, withBody } from '../messages.ts'
import { concretePath, isAtOrBelow, pathOf, recordTemplate, segmentsOf } from '../record-address.ts'
import { typeOf } from '../test-data/values.ts'

/** Names of what somebody has to know to act on a record, such as the `pickupCode` of a parcel. */
const CODE =
  /(^|_|-)(code|pin|otp|token|secret|password|passcode|passphrase)$|[a-z](Code|Pin|Token|Secret|Otp)$/

/** The properties of the body of an action on a record that have a code. */
export function codesIn({ body, path, method }: Operation): readonly (readonly [string, Schema])[] {
  const isAction = /^(POST|PUT)$/.test(method) && recordTemplate({ path }).length > 0
  const isBelow = recordTemplate({ path }).length < segmentsOf(path).length
  const sent = isAction && isBelow && body ? [...propertiesOf(body.schema)] : []
  return sent.filter(([name, schema]) => CODE.test(name) && typeOf(schema) === 'string')
}

/** The request for an action with the codes that its record has, as the service has shown them under the same names. */
export function withOwnCodes(
  request: ProbeRequest,
  responses: readonly ProbeResponse[],
): ProbeRequest {
  const { operation, body, sample, target } = request
  const codes = operation?.body && body === sample ? codesIn(operation) : []
  const value = parseJsonText(body ?? '')
  if (!operation || codes.length === 0 || !isObject(value)) return request
  const path = concretePath(operation, target)?.slice(0, recordTemplate(operation).length + 1)
  const own = codes.flatMap(([name]) => {
    const code = path && Object.hasOwn(value, name) ? codeOf(path, name, responses) : undefined
    return code === undefined ? [] : [[name, code] as const]
  })
  const next = { ...value, ...Object.fromEntries(own) }
  return own.length > 0 && operation.body?.validate(next)
    ? withBody(request, JSON.stringify(next))
    : request
}

/** A code of a record, as it was shown last. */
function codeOf(
  path: readonly string[],
  name: string,
  responses: readonly ProbeResponse[],
): string | undefined {
  const id = decodeURIComponent(path.at(-1) ?? '')
  const isAbout = ({ request, json }: ProbeResponse): boolean => {
    const at = ['', ...segmentsOf(pathOf(request.target))]
    return (
      isAtOrBelow(at, ['', ...path.slice(1)]) ||
      (request.method === 'POST' && recordsIn(json).some((one) => String(one.id) === id))
    )
  }
  for (const response of responses.toReversed()) {
    if (!isSuccess(response) || response.request.credentials !== 'key' || !isAbout(response))
      continue
    const [code] = recordsIn(response.json).flatMap((one) => {
      const shown = one[name]
      return typeof shown === 'string' ? [shown] : []
    })
    if (code !== undefined) return code
  }
  return undefined
}

function recordsIn(json: unknown): readonly Readonly<Record<string, unknown>>[] {
  return isObject(json) ? [json, ...Object.values(json).filter(isObject)] : []
}
