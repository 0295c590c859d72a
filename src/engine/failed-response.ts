import type { FailureHints } from '../contract/hints.ts'
import { filled, valueIn } from '../contract/templates.ts'
import type { CoreRequest, CoreResponse } from '../http/message.ts'
import type { Problem } from '../http/problem.ts'
import { isObject } from '../validation/objects.ts'
import { factsOf } from './error-facts.ts'

/** A request that failed. */
interface FailedRequest {
  readonly request?: CoreRequest | undefined
  readonly body?: Uint8Array | undefined
  readonly now: number
}

/** The response to a problem where the document has errors in usual responses, as its hints say (`failures`). */
export function failedResponse(
  problem: Problem,
  { status = 200, body }: FailureHints,
  { request, body: sent, now }: FailedRequest,
  ownCode: string | number | undefined,
): CoreResponse {
  const { code, message, items } = factsOf(problem, now, request)
  const [first] = items
  const field = first && [first.part, ...first.names].join('.')
  const error = { code: ownCode ?? code, message, status: problem.status, ...(field && { field }) }
  const values = { error, body: jsonIn(sent) }
  const filledBody = filled(body, (names) => valueIn(values, names))

  return {
    status,
    headers: { ...problem.headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(withoutAbsent(filledBody)),
  }
}

/** JSON has no word for what is absent, so such properties are left out. */
function withoutAbsent(value: unknown): unknown {
  if (!isObject(value)) return value
  const present = Object.entries(value).filter(([, one]) => one !== '{absent}')
  return Object.fromEntries(present.map(([name, one]) => [name, withoutAbsent(one)]))
}

function jsonIn(body: Uint8Array | undefined): unknown {
  try {
    return body && JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
