import type { AuthMode } from '../../access/security-scheme.ts'
import { buildRequest, type RequestContext } from '../../sandbox/sample-request/build-request.ts'
import { recordId } from '../../sandbox/sample-request/record-id.ts'
import type { SampleRequest } from '../../sandbox/sample-request/sample-request.ts'
import { createSampler } from '../../sandbox/sample-request/sampler.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Trial } from '../../sandbox/trial.ts'
import { candidatesOf } from './candidates.ts'
import { curlCommand, toWebRequest } from './sample-request.ts'

/** The first request that a developer can send. */
export interface FirstRequest {
  readonly curl: string
  /** The status of its response. */
  readonly status: number
}

/** How long operations are tried, in milliseconds. The start message waits for it. */
const TIME_LIMIT_MS = 150

/** What a sandbox without keys is sent, as it accepts any credential. */
const ANY_KEY = 'sk_sandbox'

/**
 * A request that gets a 2xx response: the first of the candidates for which a throw-away copy of the sandbox gives one. When none
 * does, the first candidate; `undefined` when there is none. The credential is the first key of the sandbox.
 */
export async function findFirstRequest(
  sandbox: Sandbox,
  { origin, auth }: { readonly origin: string; readonly auth: AuthMode },
  timeLimit: number = TIME_LIMIT_MS,
): Promise<FirstRequest | undefined> {
  const { createTrial } = await import('../../sandbox/trial.ts')
  const { contract, keys } = sandbox
  const trial = createTrial(sandbox)
  const known = keys.find(({ always }) => always === undefined)?.key
  const context: RequestContext = {
    contract,
    origin,
    key: known ?? (auth === 'off' ? undefined : ANY_KEY),
    sampler: createSampler(),
    recordId: (...given) => recordId(trial, ...given),
  }
  const end = performance.now() + timeLimit
  let first: FirstRequest | undefined
  for (const operation of candidatesOf(contract.operations, trial.binding)) {
    const request = await buildRequest(operation, context)
    const status = request && (await statusOf(request, trial))
    if (request && status !== undefined) {
      const found = { curl: curlCommand(request), status }
      if (status >= 200 && status < 300) return found
      first ??= found
    }
    if (performance.now() > end) break
  }
  return first
}

/** `undefined` when the request cannot be sent with `fetch`, has no response, or has a body of several lines to paste. */
async function statusOf(request: SampleRequest, trial: Trial): Promise<number | undefined> {
  if (/[\r\n]/.test(request.body?.text ?? '')) return undefined
  try {
    const { status } = await trial.fetch(toWebRequest(request))
    return status
  } catch {
    return undefined
  }
}
