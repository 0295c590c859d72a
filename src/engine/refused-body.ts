import type { CoreRequest } from '../http/message.ts'
import { MAX_KEPT_BODY_LENGTH } from '../journal/exchange-facts.ts'

/** How long a refusal waits for a body that only the journal needs, in milliseconds. */
const BODY_TIMEOUT = 20

/** Reads the body of a refused request, unless it is long or slow to arrive. */
export async function readRefusedBody(request: CoreRequest): Promise<Uint8Array | undefined> {
  const body = await Promise.race([
    request.body(MAX_KEPT_BODY_LENGTH).catch(() => undefined),
    new Promise<undefined>((resolve) => setTimeout(resolve, BODY_TIMEOUT)),
  ])
  return body?.length ? body : undefined
}
