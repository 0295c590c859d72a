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

/** `npm run fuzz` tells more stories, and interrupts them after every step, too. */
const [SEEDS, PAUSES] = isLongRun
  ? [
      [1, 2, 3],
      [1, 7, 50],
    ]
  : [[1], [7]]
const REQUESTS = 240
/** The worlds that the requests of a story go to in turn. */
const WORLDS = ['default', 'one', 'two'] as const

let traces: readonly Trace[] = []
/** What comes back of each story when the sandbox is never interrupted. */
let wholes: readonly Told[] = []

beforeAll(async () => {
  traces = await Promise.all(SEEDS.map((seed) => recordTrace(seed, REQUESTS)))
  wholes = await Promise.all(traces.map((trace) => tell(trace, 0)))
})

/** The same sandbox, by way of a file: a new one in the state that the JSON holds. */
async function reborn(sandbox: Sandbox, options: Trace['options']): Promise<Sandbox> {
  const text = JSON.stringify(await sandbox.snapshot())
  const fresh = createSandbox(options)
  await fresh.restore(JSON.parse(text))
  return fresh
}

async function take(
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

interface Told {
  readonly answers: readonly (TraceResponse | undefined)[]
  readonly end: Snapshot
}

/** What comes back of a story when the sandbox is a new one after every so many steps; 0 for never. */
async function tell({ options, steps }: Trace, every: number): Promise<Told> {
  let sandbox: Sandbox = createSandbox(options)
  const answers: (TraceResponse | undefined)[] = []
  for (const [at, step] of steps.entries()) {
    if (every > 0 && at % every === every - 1) sandbox = await reborn(sandbox, options)
    answers.push(await take(sandbox, step, at))
  }
  return { answers, end: await sandbox.snapshot() }
}

describe('a sandbox that continues from a snapshot', () => {
  test.each(SEEDS.flatMap((_, story) => PAUSES.map((every) => [story + 1, every] as const)))(
    'gives the responses of an uninterrupted one in story %i, restored every %i steps',
    async (story, every) => {
      const [trace, whole] = [traces[story - 1], wholes[story - 1]]
      if (!trace || !whole) throw new Error('There is no such story')

      const parts = await tell(trace, every)

      expect(parts).toEqual(whole)
      expect(new Set(whole.answers.map((answer) => answer?.status)).size).toBeGreaterThan(7)
    },
  )

  test('gives a rule the next id, also when the latest rule is removed', async () => {
    const sandbox = createSandbox()
    sandbox.force('slow')
    const { id } = sandbox.force('banned')
    sandbox.unforce(id)

    const fresh = await reborn(sandbox, {})

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

    const fresh = await reborn(sandbox, options)

    const made = await Promise.all([sandbox, fresh].map(createEach))
    expect(made[1]).toEqual(made[0])
  })
})

/** Posts to each collection what its first record is, as a new one. */
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
    const amiss: string[] = []
    for (const { what, value } of damages(before)) {
      const fault = await sandbox.restore(value).then(
        () => goOn(sandbox, request()),
        async (error: unknown) => {
          if (!(error instanceof UsageError)) return error
          return JSON.stringify(await sandbox.snapshot()) === text
            ? undefined
            : 'it changes something'
        },
      )
      if (fault !== undefined) amiss.push(`${what}: ${fault}`)
      await sandbox.restore(before)
    }

    expect(amiss).toEqual([])
  })
})

/** What goes wrong in a sandbox that took a damaged snapshot for one. */
async function goOn(sandbox: Sandbox, request: Request): Promise<unknown> {
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

/** The value with each of its parts left out, and each replaced by what does not belong there. */
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
      yield { what: `${path}/${name} is left out`, value: rest }
      for (const { what, value: damaged } of damages(member, `${path}/${name}`)) {
        yield { what, value: { ...value, [name]: damaged } }
      }
    }
  }
}
