import type { Contract } from '../contract/contract.ts'
import { contentOf, documentedResponse } from '../contract/documented-response.ts'
import { expectedSuccess, isOnlyErrors, summarize } from './checks/check.ts'
import { hasDocumentedType } from './checks/response-checks.ts'
import { isUnauthorized, type ProbeResponse, retryAfter, type Target } from './messages.ts'

/** Why a server cannot be tested. */
export interface UnusableServer {
  readonly reason: string
  /** Whether the base address may be wrong. */
  readonly isAddressSuspect?: true
}

/** So many responses show that the address is wrong. */
const MIN_RESPONSES = 3
/** So many failures show that the whole server fails, not one operation only. */
const MIN_FAILURES = 8

/** Why further requests are pointless, by the first responses; `undefined` when they are not. */
export function findUnusable(
  responses: readonly ProbeResponse[],
  { operations }: Contract,
): UnusableServer | undefined {
  const withKey = responses.filter(
    ({ request: { credentials, isInvalid, operation } }) =>
      credentials === 'key' && !isInvalid && !(operation && isOnlyErrors(operation)),
  )
  const [first] = withKey
  if (!first) return undefined
  const { status } = first
  if (status >= 300 && status < 400 && !isDocumented(first))
    return { reason: describeRedirect(first) }
  // What is public says nothing about the key, unless all of it is.
  const isKeyless = operations.every(({ secured }) => !secured)
  const keyed = withKey.find(({ request: { operation } }) => isKeyless || operation?.secured)
  if (keyed && isUnauthorized(keyed)) {
    return {
      reason: `the server rejects the key with a ${keyed.status}; give a valid key with --key`,
    }
  }
  if (responses.length >= MIN_FAILURES && responses.every((one) => one.status >= 500)) {
    return { reason: `the server fails every request: ${summarize(first)}` }
  }
  const suspects = withKey.slice(0, MIN_RESPONSES).filter((one) => !isPlausible(one))
  return suspects.length < MIN_RESPONSES ? undefined : findWrongAddress(suspects, first)
}

/** When every request with the key got a 429, no check can be evaluated. */
export function findAlwaysLimited(responses: readonly ProbeResponse[]): UnusableServer | undefined {
  const withKey = responses.filter(({ request }) => request.credentials === 'key')
  const last = withKey.at(-1)
  if (!last || withKey.some(({ status }) => status !== 429)) return undefined
  const wait = retryAfter(last)
  const advice = wait === undefined ? '' : `; try again in ${Math.ceil(wait / 1000)} s`

  return { reason: `the server returns 429 for every request with the key${advice}` }
}

function describeRedirect({ status, headers, request }: ProbeResponse): string {
  const location = headers.get('Location') ?? 'an unknown address'
  const { target } = request
  const base = location.endsWith(target) ? location.slice(0, -target.length) : undefined
  return `the server redirects (${status}) to ${location}; use ${base ?? 'the address of the API'}`
}

function findWrongAddress(
  responses: readonly ProbeResponse[],
  first: ProbeResponse,
): UnusableServer | undefined {
  const suspect = (reason: string): UnusableServer => ({ reason, isAddressSuspect: true })
  if (responses.every(isHtml)) {
    return suspect(`the server returns ${first.status} with HTML instead of JSON`)
  }
  if (responses.every(({ status }) => status === 404)) {
    return suspect('the server returns 404 for every request')
  }
  return responses.every(({ json, status }) => json === undefined && status < 500)
    ? suspect(`the responses are not JSON: ${summarize(first)}`)
    : undefined
}

/** Whether a response shows that the address is right: it is documented, and no 404 that any address could return. */
function isPlausible(response: ProbeResponse): boolean {
  const { status, request } = response
  const hasId = request.operation?.path.includes('{') ?? false
  return isDocumented(response) && (status !== 404 || hasId) && hasDocumentedContent(response)
}

/** Whether the document has the status for the operation, by itself or as a range. */
function isDocumented({ status, request: { operation } }: ProbeResponse): boolean {
  if (!operation) return false
  return (
    documentedResponse(operation, status) !== undefined || expectedSuccess(operation).allows(status)
  )
}

/** Whether the media type is documented, other than JSON: a server that returns JSON is recognized by its body. */
function hasDocumentedContent(response: ProbeResponse): boolean {
  const { status, json, text, request } = response
  if (json !== undefined || text === '') return true
  const documented = request.operation && documentedResponse(request.operation, status)
  const content = documented ? contentOf(documented) : []

  return content.length > 0 && hasDocumentedType(response, content) === 'passed'
}

function isHtml({ text }: ProbeResponse): boolean {
  return /^\s*<(!doctype|html|\?xml|\w+[\s>])/i.test(text)
}

/** The number of addresses that are tried instead of a wrong one. */
const MAX_ALTERNATIVES = 3

/** Base addresses with the same origin that can be correct when `base` is wrong. */
export function alternatives({ base, contract }: Target): string[] {
  const { basePath, operations } = contract
  const { origin, pathname } = new URL(base)
  const path = pathname.replace(/\/+$/, '')
  const ends = operations.map((one) => one.path).filter((end) => path.endsWith(end))
  const paths = [
    ...ends.map((end) => path.slice(0, -end.length)),
    basePath,
    path + basePath,
    path.replace(/\/[^/]*$/, ''),
  ]
  const others = paths.filter((one) => one !== path).map((one) => origin + one)

  return [...new Set(others)].slice(0, MAX_ALTERNATIVES)
}
