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

/** Choices that look random, and are the same for the same seed. */
interface Dice {
  /** From 0 up to, and not with, `limit`. */
  readonly below: (limit: number) => number
  /** True so many times in a hundred. */
  readonly percent: (chance: number) => boolean
  readonly pick: <T>(list: readonly [T, ...T[]]) => T
}

/** What earlier answers gave away: addresses that a client would follow. */
interface Memory {
  readonly found: string[]
}

const KEYS = [
  'sk_sandbox_free',
  ...Array<string>(9).fill('sk_sandbox_free'),
  'sk_sandbox_pro',
  'sk_sandbox_enterprise',
  'sk_sandbox_rate_limited',
  'sk_sandbox_day_exhausted',
  'sk_sandbox_banned',
  'sk_wrong',
] as const

const PREFERENCES = [
  'code=400',
  'code=401',
  'code=404',
  'code=429, retry-after=1',
  'code=500',
  'code=418',
  'outcome=banned',
  'outcome=removed',
  'outcome=reset',
  'outcome=malformed',
  'outcome=unavailable, retry-after=2',
  'code=503',
  'outcome=lost',
  'respond-async',
] as const

const QUERIES = [
  '',
  '?limit=3',
  '?limit=100',
  '?status=sold&limit=5',
  '?status=pending',
  '?limit=7&page=2&%C3%BC=%F0%9F%90%BE',
  '?limit=0',
  '?limit=101',
  '?limit=0x10',
  '?limit=',
  '?limit=2&limit=3',
  '?status=lost',
  '?status=a%20b%00%zz',
  '?cursor=Zm9yZ2Vk',
  '?cursor=',
] as const

const PATHS = [
  '1',
  '7',
  '50',
  '51',
  '999',
  'abc',
  '01',
  '1e1',
  '%zz',
  '%F0%9F%90%BE',
  '9007199254740993',
  '-1',
] as const

const BODIES = [
  '{"name":"Fern","categoryId":1}',
  '{"name":"Olive","categoryId":2,"status":"pending"}',
  '{ "name" : "Łucja 🐾 \\u0000", "categoryId" : 3, "status" : "sold" }',
  '{"name":"Nox","categoryId":4,"id":7,"colour":"black","owner":{"name":"Ann"}}',
  '{"name":"","categoryId":1}',
  '{"name":"Fern"}',
  '{"name":7,"categoryId":"one","status":"lost"}',
  '{"name":"Fern","categoryId":9007199254740993}',
  '{"name":"Fern","name":"Ash","categoryId":1}',
  '{"name":"Fern",',
  '[]',
  'null',
  '',
] as const

const TYPES = ['application/json; charset=utf-8', 'text/plain', 'application/xml', ''] as const

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

/** The trace that every transport answers alike. With another seed, it is another one. */
export function recordParityTrace(): Promise<Trace> {
  return recordTrace(3, 200)
}

/**
 * Records a story of so many requests, the same for the same seed: valid and invalid ones, forced outcomes, and links
 * followed from answer to answer, with time moved in between. A sandbox in process answers while it is made up.
 */
export async function recordTrace(seed: number, requests: number): Promise<Trace> {
  const options: Trace['options'] = {
    plans: { free: { minute: 12, day: 60 } },
    ban: { refusals: 4 },
  }
  const sandbox = createSandbox(options)
  const dice = createDice(seed)
  const memory: Memory = { found: [] }
  const steps: TraceStep[] = []
  const take = (step: Exclude<TraceStep, { readonly send: TraceRequest }>): void => {
    steps.push(step)
    applyStep(sandbox, step)
  }

  take({ set: '2027-03-01T12:00:00.250Z' })
  for (let count = 0; count < requests; count += 1) {
    if (count === Math.floor(requests * 0.8)) take({ set: '2030-12-04T23:59:58Z' })
    if (dice.percent(20)) take({ advance: dice.pick(PAUSES) })
    if (dice.percent(8)) take({ force: dice.pick(FORCED), rule: rule(dice) })
    const send = request(dice, memory)
    steps.push({ send })
    remember(await sendTraceRequest(send, sandbox.fetch), memory)
  }
  return { options, steps }
}

function rule(dice: Dice): ForceRule {
  const times = 1 + dice.below(2)
  const latency = '0ms..2ms'
  if (dice.percent(30)) return { times, latency, skip: dice.below(3), method: 'GET' }

  return dice.percent(40)
    ? { times, latency, probability: 0.3, path: '/pets/*' }
    : { times, latency }
}

function request(dice: Dice, memory: Memory): TraceRequest {
  const headers: Record<string, string> = {}
  if (!dice.percent(5)) headers.Authorization = `Bearer ${dice.pick(KEYS)}`
  if (dice.percent(10)) headers.Prefer = dice.pick(PREFERENCES)
  const kind = dice.below(100)
  if (kind < 30) return create(dice, headers)
  if (kind < 45) return { method: 'GET', path: `/pets/${dice.pick(PATHS)}`, headers }
  if (kind < 55) return oddMethod(dice, headers)
  const followed = kind < 80 ? memory.found.at(-1) : undefined

  return { method: 'GET', path: followed ?? `/pets${dice.pick(QUERIES)}`, headers }
}

function create(dice: Dice, headers: Record<string, string>): TraceRequest {
  const type = dice.percent(80) ? 'application/json' : dice.pick(TYPES)
  if (type !== '') headers['Content-Type'] = type
  const kind = dice.below(30)
  if (kind === 0) return { method: 'POST', path: '/pets', headers }
  if (kind === 1) return { method: 'POST', path: '/pets', headers, body: '{"name":"\xff\xfe"}' }
  const large = `{"name":"${'x'.repeat(1024 * 1024)}","categoryId":1}`
  const body = kind === 2 ? large : utf8(dice.pick(BODIES))

  return { method: 'POST', path: '/pets', headers, body }
}

function oddMethod(dice: Dice, headers: Record<string, string>): TraceRequest {
  const method = dice.pick(['HEAD', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])
  const path = dice.pick(['/pets', '/pets', '/pets/1', '/pets/999', '/pets/', '/pets?limit=0'])

  return { method, path, headers }
}

/** Keeps the address of the next page and of a new record. */
function remember({ headers }: TraceResponse, { found }: Memory): void {
  const told = new Map(headers)
  const next = /<([^>]*)>; rel="next"/.exec(told.get('link') ?? '')?.[1]
  const address = next ?? told.get('location')
  if (address?.startsWith(TRACE_BASE_URL)) found.push(address.slice(TRACE_BASE_URL.length))
}

/** The text's bytes in UTF-8, one character for each. */
function utf8(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}

/** Mulberry32: small, and the same on every machine. */
function createDice(seed: number): Dice {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)

  return {
    below,
    percent: (chance) => below(100) < chance,
    pick: (list) => list[below(list.length)] ?? list[0],
  }
}
