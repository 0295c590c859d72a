import { decodeComponent } from '../contract/parse-text.ts'
import { isSuccess, linkOf, type ProbeRequest, type ProbeResponse } from './messages.ts'
import { isParameter, pathOf, segmentsOf } from './record-address.ts'
import type { RunStart } from './session/options.ts'

/** The requests that a run would send, as plain data. */
export interface Preview extends RunStart {
  /** In the order in which they would be sent. */
  readonly requests: readonly PlannedRequest[]
}

/** A request that a run would send. */
interface PlannedRequest {
  readonly method: string
  /** With the names of those parameters in braces whose values come from responses. */
  readonly url: string
  /** Which credentials it has. */
  readonly credentials: ProbeRequest['credentials']
  readonly body?: string
  /** What comes from the responses to earlier requests. */
  readonly fromResponses: readonly ResponsePart[]
}

/** A part of a request that a response decides. */
interface ResponsePart {
  /** The name of the path parameter, or `page` for the address of the next page. */
  readonly name: string
  /** The number of the request whose response has it. The first request has the number 1. */
  readonly request: number
}

/** The requests of a run that a service at `simulated` answered, for the server at `base`. */
export function plannedRequests(
  responses: readonly ProbeResponse[],
  simulated: string,
  base: string,
): PlannedRequest[] {
  return responses.map(({ request, url }, at) => {
    const { method, credentials, body } = request
    const { target, fromResponses } = withNames(request, responses.slice(0, at))
    const start = url.slice(0, url.length - request.target.length)
    const address = start.startsWith(simulated) ? base + start.slice(simulated.length) : start

    return {
      method,
      url: address + target,
      credentials,
      ...(body !== undefined && { body }),
      fromResponses,
    }
  })
}

/** The target with the names of the ids that earlier responses have. */
export function withNames(
  { operation, target, isInvalid }: ProbeRequest,
  earlier: readonly ProbeResponse[],
): { readonly target: string; readonly fromResponses: readonly ResponsePart[] } {
  const page = earlier.findIndex(({ headers }) => linkOf(headers, 'next')?.endsWith(target))
  if (page >= 0) return { target, fromResponses: [{ name: 'page', request: page + 1 }] }
  const template = operation && !isInvalid ? segmentsOf(operation.path) : []
  const sent = pathOf(target).split('/').slice(1)
  const fromResponses: ResponsePart[] = []
  const named = sent.map((segment, at) => {
    const parameter = template[at] ?? ''
    if (!isParameter(parameter)) return segment
    const collection = `/${sent.slice(0, at).join('/')}`
    const source = sourceOf(decodeComponent(segment), collection, earlier)
    if (source === undefined) return segment
    fromResponses.push({ name: parameter.slice(1, -1), request: source + 1 })
    return parameter
  })

  return { target: `/${named.join('/')}${target.slice(pathOf(target).length)}`, fromResponses }
}

/** The place of the last response about a collection that has an id. */
function sourceOf(
  id: string,
  collection: string,
  earlier: readonly ProbeResponse[],
): number | undefined {
  const at = earlier.findLastIndex(
    (response) =>
      isSuccess(response) &&
      pathOf(response.request.target).replace(/\/$/, '') === collection &&
      (response.text.includes(id) || (response.headers.get('Location') ?? '').includes(id)),
  )
  return at < 0 ? undefined : at
}
