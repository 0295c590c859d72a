import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import { MAX_KEPT_BODY_LENGTH } from '../journal/exchange-facts.ts'
import type { AnsweringService } from '../responses/answering-service.ts'
import type { RefusedRequest } from './error-form/documented-error.ts'
import { problemResponse } from './problem-response.ts'

/** A response to a refused request, and the request's body for the journal. */
interface LateRefusal {
  readonly response: CoreResponse
  readonly body: Uint8Array | undefined
}

/** Reads the request's body, unless it is known, and makes the response, unless it is given. */
export async function refuseLater(
  problem: Problem,
  refused: RefusedRequest & {
    readonly request: CoreRequest
    readonly body?: Uint8Array | undefined
  },
  service: AnsweringService,
  given?: CoreResponse,
): Promise<LateRefusal> {
  const { request } = refused
  const isRead = refused.body || request.method === 'GET' || request.method === 'HEAD'
  const body = isRead ? refused.body : await readRefusedBody(request)

  return { response: given ?? (await problemResponse(problem, refused, service)), body }
}

/** How long a refusal waits for a body that only the journal needs, in milliseconds. */
const BODY_TIMEOUT = 20

/** Reads the body of a refused request, unless it is long or slow to arrive. */
async function readRefusedBody(request: CoreRequest): Promise<Uint8Array | undefined> {
  const body = await Promise.race([
    request.body(MAX_KEPT_BODY_LENGTH).catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, BODY_TIMEOUT)),
  ])
  return body?.length ? body : undefined
}
