import type { ForceRule } from '../forcing/force-rule.ts'
import type { Outcome } from '../forcing/outcomes.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import {
  applyStep,
  sendTraceRequest,
  TRACE_BASE_URL,
  type Trace,
  type TraceRequest,
  type TraceResponse,
  type TraceStep,
} from './replay.ts'
import { createSeededRandom, type SeededRandom } from './seeded-random.ts'
import { randomRequest } from './trace-request.ts'

const FORCED: readonly [Outcome, ...Outcome[]] = [
  'server-error',
  'rate-limited',
  'not-found',
  'unauthorized',
  'reset',
  'unavailable',
  'bad-request',
  'day-exhausted',
  'banned',
  'malformed',
  'slow',
]

const PAUSES = ['1s', '7s', '20s', '61s', '5m', '6h'] as const

/** The trace that every transport must answer with the same bytes. */
export function recordParityTrace(): Promise<Trace> {
  return recordTrace(3, 200)
}

/**
 * Records a trace with this number of requests, the same for the same seed: valid and invalid requests, forced outcomes, and
 * links that are followed from earlier responses, while the clock advances. A sandbox in process answers during the recording.
 */
export async function recordTrace(seed: number, requests: number): Promise<Trace> {
  const options: Trace['options'] = {
    plans: { free: { minute: 12, day: 60 } },
    ban: { refusals: 4 },
  }
  const sandbox = createSandbox(options)
  const random = createSeededRandom(seed)
  const knownPaths: string[] = []
  const steps: TraceStep[] = []
  const change = (step: Exclude<TraceStep, { readonly send: TraceRequest }>): void => {
    steps.push(step)
    applyStep(sandbox, step)
  }

  change({ set: '2027-03-01T12:00:00.250Z' })
  for (let count = 0; count < requests; count += 1) {
    if (count === Math.floor(requests * 0.8)) change({ set: '2030-12-04T23:59:58Z' })
    if (random.percent(20)) change({ advance: random.pick(PAUSES) })
    if (random.percent(8)) change({ force: random.pick(FORCED), rule: randomRule(random) })
    const send = randomRequest(random, knownPaths)
    steps.push({ send })
    knownPaths.push(...linkedPaths(await sendTraceRequest(send, sandbox.fetch)))
  }
  return { options, steps }
}

function randomRule(random: SeededRandom): ForceRule {
  const times = 1 + random.below(2)
  const latency = '0ms..2ms'
  if (random.percent(30)) return { times, latency, skip: random.below(3), method: 'GET' }

  return random.percent(40)
    ? { times, latency, probability: 0.3, path: '/pets/*' }
    : { times, latency }
}

/** The path of the next page or of a created record. */
function linkedPaths({ headers }: TraceResponse): string[] {
  const values = new Map(headers)
  const next = /<([^>]*)>; rel="next"/.exec(values.get('link') ?? '')?.[1]
  const address = next ?? values.get('location')

  return address?.startsWith(TRACE_BASE_URL) ? [address.slice(TRACE_BASE_URL.length)] : []
}
