import { beforeAll, describe, expect, test } from 'vitest'
import { loadContract } from '../load.ts'
import { isLongRun } from '../testing/long-run.ts'
import {
  applyStep,
  sendTraceRequest,
  type Trace,
  type TraceResponse,
  type TraceStep,
} from '../testing/replay.ts'
import { recordTrace } from '../testing/trace.ts'
import { UsageError } from '../validation/usage-error.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'
import type { Snapshot } from './snapshot.ts'

/** The seeds of the traces, and the numbers of steps between two restores. `npm run fuzz` uses more of both. */
const [SEEDS, INTERVALS] = isLongRun
  ? [
      [1, 2, 3],
      [1, 7, 50],
    ]
  : [[1], [7]]
const REQUESTS = 240
/** The worlds to which the requests of a trace go in turn. */
const WORLDS = ['default', 'one', 'two'] as const

let traces: readonly Trace[] = []
/** The results of the traces in a sandbox that is never restored. */
let uninterrupted: readonly TraceResult[] = []

beforeAll(async () => {
  traces = await Promise.all(SEEDS.map((seed) => recordTrace(seed, REQUESTS)))
  uninterrupted = await Promise.all(traces.map((trace) => play(trace, 0)))
})

/** A new sandbox, restored from the JSON of a snapshot of this one. */
async function continued(sandbox: Sandbox, options: Trace['options']): Promise<Sandbox> {
  const text = JSON.stringify(await sandbox.snapshot())
  const fresh = createSandbox(options)
  await fresh.restore(JSON.parse(text))
  return fresh
}

async function playStep(
  sandbox: Sandbox,
  step: TraceStep,
  at: number,
): Promise<TraceResponse | undefined> {
  const world = sandbox.world(WORLDS[at % WORLDS.length] ?? 'default')
  if ('send' in step) return sendTraceRequest(step.send, (request) => world.fetch(request))
  for (const name of WORLDS) {
    const one = sandbox.world(name)
    if ('force' in step) one.force(step.force, { ...step.rule, probability: 0.6 })
    else applyStep({ ...sandbox, clock: one.clock } as Sandbox, step)
  }
  return undefined
}

interface TraceResult {
  readonly responses: readonly (TraceResponse | undefined)[]
  readonly end: Snapshot
}

/** Plays a trace. The sandbox is replaced by a restored one after each `interval` steps; 0 means never. */
async function play({ options, steps }: Trace, interval: number): Promise<TraceResult> {
  let sandbox: Sandbox = createSandbox(options)
  const responses: (TraceResponse | undefined)[] = []
  for (const [at, step] of steps.entries()) {
    if (interval > 0 && at % interval === interval - 1) sandbox = await continued(sandbox, options)
    responses.push(await playStep(sandbox, step, at))
  }
  return { responses, end: await sandbox.snapshot() }
}

describe('a sandbox that continues from a snapshot', () => {
  test.each(SEEDS.flatMap((_, at) => INTERVALS.map((interval) => [at + 1, interval] as const)))(
    'gives the responses of an uninterrupted one in trace %i, restored every %i steps',
    async (number, interval) => {
      const [trace, expected] = [traces[number - 1], uninterrupted[number - 1]]
      if (!trace || !expected) throw new Error(`There is no trace ${number}`)

      const result = await play(trace, interval)

      expect(result).toEqual(expected)
      const statuses = new Set(expected.responses.map((response) => response?.status))
      expect(statuses.size).toBeGreaterThan(7)
    },
  )

  test('gives a rule the next id, also when the latest rule is removed', async () => {
    const sandbox = createSandbox()
    sandbox.force('slow')
    const { id } = sandbox.force('banned')
    sandbox.unforce(id)

    const fresh = await continued(sandbox, {})

    expect(fresh.force('banned').id).toBe(sandbox.force('banned').id)
  })

  test('gives a record the next id, also when the latest record is removed', async () => {
    const contract = await loadContract('src/testing/library.yaml')
    const options = { contract, seed: 7 }
    const sandbox = createSandbox(options)
    for (const name of sandbox.collections) {
      const records = sandbox.collection(name)
      const latest = (await records.list()).at(-1) ?? {}
      await records.remove(Object.values(latest)[0] as string)
    }

    const fresh = await continued(sandbox, options)

    const created = await Promise.all([sandbox, fresh].map(createEach))
    expect(created[1]).toEqual(created[0])
  })
})

/** Creates a copy of the first record of each collection, and returns the new records as JSON. */
async function createEach(sandbox: Sandbox): Promise<readonly string[]> {
  const texts: string[] = []
  for (const name of sandbox.collections) {
    const [first = {}] = await sandbox.collection(name).list()
    const [, ...values] = Object.entries(first)
    texts.push(JSON.stringify(await sandbox.collection(name).create(Object.fromEntries(values))))
  }
  return texts
}

describe('an invalid snapshot', () => {
  test('throws a UsageError wherever it is damaged, and changes nothing', async () => {
    const sandbox = createSandbox({ records: 2, plans: { free: { minute: 1, day: 9 } } })
    sandbox.clock.freeze()
    sandbox.force('slow', { latency: 0, probability: 0.5, operation: 'listPets' })
    const request = (): Request =>
      new Request('http://localhost/v1/pets', {
        headers: { Authorization: 'Bearer sk_sandbox_free' },
      })
    for (let count = 0; count < 3; count += 1) await sandbox.fetch(request())
    await sandbox.world('other').ready
    const before = await sandbox.snapshot()

    const text = JSON.stringify(before)
    const failures: string[] = []
    for (const { what, value } of damages(before)) {
      const failure = await sandbox.restore(value).then(
        () => failureOf(sandbox, request()),
        async (error: unknown) => {
          if (!(error instanceof UsageError)) return error
          return JSON.stringify(await sandbox.snapshot()) === text
            ? undefined
            : 'it changes something'
        },
      )
      if (failure !== undefined) failures.push(`${what}: ${failure}`)
      await sandbox.restore(before)
    }

    expect(failures).toEqual([])
  })
})

/** The error of a sandbox that accepted a damaged snapshot; `undefined` when it behaves as usual. */
async function failureOf(sandbox: Sandbox, request: Request): Promise<unknown> {
  try {
    const { status, headers } = await sandbox.fetch(request)
    const remaining = Number(headers.get('X-RateLimit-Remaining'))
    expect(Date.parse(headers.get('Date') ?? '')).not.toBeNaN()
    expect(status).toBeGreaterThanOrEqual(200)
    expect(remaining).toBeGreaterThanOrEqual(0)
    await sandbox.restore(JSON.parse(JSON.stringify(await sandbox.snapshot())))
    return undefined
  } catch (error) {
    return error
  }
}

interface Damaged {
  readonly what: string
  readonly value: unknown
}

const JUNK = [null, -1, 1.5, 'x', [], {}, [['x']], true, 1e300, 9e15]

/** Copies of the value, each with one part removed or replaced by junk. */
function* damages(value: unknown, path = ''): Generator<Damaged, void> {
  for (const junk of JUNK) yield { what: `${path} is ${JSON.stringify(junk)}`, value: junk }
  if (Array.isArray(value)) {
    for (const [at, member] of value.slice(0, 3).entries()) {
      for (const { what, value: damaged } of damages(member, `${path}/${at}`)) {
        yield { what, value: value.with(at, damaged) }
      }
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...rest } = value as Record<string, unknown>
      yield { what: `${path}/${name} is removed`, value: rest }
      for (const { what, value: damaged } of damages(member, `${path}/${name}`)) {
        yield { what, value: { ...value, [name]: damaged } }
      }
    }
  }
}
