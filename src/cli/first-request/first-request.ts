import type { AuthMode } from '../../access/security-scheme.ts'
import type { Operation } from '../../contract/contract.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Trial } from '../../sandbox/trial.ts'
import { buildRequest, type RequestContext } from './build-request.ts'
import { candidatesOf } from './candidates.ts'
import type { Sampler } from './parameter-texts.ts'
import { curlCommand, type SampleRequest, toWebRequest } from './sample-request.ts'

/** The first request that a developer can send. */
export interface FirstRequest {
  readonly curl: string
  /** The status of its response. */
  readonly status: number
}

/** How long operations are tried, in milliseconds. The start message waits for it. */
const TIME_LIMIT_MS = 150

/** Dates of the request count from this time, so that every start prints the same one. */
const REFERENCE_TIME = Date.parse('2026-01-01T00:00:00Z')

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
    recordId: (operation, parameter) => recordId(trial, operation, parameter),
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

/** `undefined` when the request cannot be sent with `fetch`, or has no response. */
async function statusOf(request: SampleRequest, trial: Trial): Promise<number | undefined> {
  try {
    const { status } = await trial.fetch(toWebRequest(request))
    return status
  } catch {
    return undefined
  }
}

async function recordId(
  trial: Trial,
  operation: Operation,
  parameter: string,
): Promise<string | undefined> {
  const binding = trial.binding(operation)
  if (binding.action === 'stateless' || binding.resource.idParameter !== parameter) return undefined
  const id = await trial.firstId(binding.resource)

  return id === undefined ? undefined : String(id)
}

/** Loads the generator when the first value is needed. Every value is the first one of its seed. */
function createSampler(): () => Promise<Sampler> {
  let loading: Promise<Sampler> | undefined
  return () => {
    loading ??= loadSampler()
    return loading
  }
}

async function loadSampler(): Promise<Sampler> {
  const [{ generateValue }, { withoutHints }] = await Promise.all([
    import('../../generate/generate-value.ts'),
    import('../../generate/hinted-values.ts'),
  ])
  return (schema) =>
    generateValue(
      { schema, seed: [1], now: REFERENCE_TIME },
      { makeHinted: withoutHints, isSmall: true },
    ).value
}
