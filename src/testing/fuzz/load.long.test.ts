import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSandbox, type Sandbox } from '../../index.ts'
import { isLongRun } from '../long-run.ts'
import { petOf } from '../responses.ts'
import { toRequest } from '../transports.ts'
import { anySequence } from './any-sequence.ts'
import { readApi } from './api.ts'
import { fuzzOptions, SEED } from './check-sequences.ts'
import {
  connectInProcess,
  connectToExpress,
  connectToServer,
  type FuzzConnection,
} from './connections.ts'
import { SequenceRun } from './sequence-run.ts'

const TRANSPORTS: [string, (sandbox: Sandbox) => Promise<FuzzConnection>][] = [
  ['in process', connectInProcess],
  ['over HTTP', connectToServer],
  ['in an Express app', connectToExpress],
]

/** The numbers of concurrent creations in process, and of concurrent sequences in worlds. */
const [CREATIONS, SEQUENCES] = isLongRun ? [10_000, 20] : [2_000, 6]

interface Creation {
  readonly status: number
  readonly id: number
  readonly name: string
}

async function add(
  { send }: FuzzConnection,
  name: string,
  key = 'sk_sandbox_enterprise',
): Promise<Creation> {
  const { status, body } = await send({
    method: 'POST',
    target: '/v1/pets',
    headers: [
      ['authorization', `Bearer ${key}`],
      ['content-type', 'application/json'],
    ],
    body: Buffer.from(JSON.stringify({ name, categoryId: 1 })),
  })
  const { id } = JSON.parse(body)
  return { status, id, name }
}

async function open(
  sandbox: Sandbox,
  connect: (sandbox: Sandbox) => Promise<FuzzConnection>,
): Promise<FuzzConnection> {
  const opened = await connect(sandbox)
  onTestFinished(opened.close)
  return opened
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1)
}

describe.each(TRANSPORTS)('%s', (_name, connect) => {
  it('five hundred concurrent creations get unique ids, and no record is lost', async () => {
    const sandbox = createSandbox({ records: 0 })
    const opened = await open(sandbox, connect)

    const added = await Promise.all(upTo(500).map((at) => add(opened, `number ${at}`)))

    const kept = await sandbox.collection('pets').list()
    expect(added.map(({ id }) => id).sort((one, other) => one - other)).toEqual(upTo(500))
    expect(new Map(kept.map(({ id, name }) => [id, name]))).toEqual(
      new Map(added.map(({ id, name }) => [id, name])),
    )
  })

  it('concurrent requests of several keys are served up to the limit of each plan', async () => {
    const keys = { one: 'free', two: 'free', three: 'pro' } as const
    const plans = { pro: { minute: 100 } }
    const sandbox = createSandbox({ records: 0, ban: false, keys, plans })
    sandbox.clock.freeze()
    const opened = await open(sandbox, connect)

    const asked = upTo(200).flatMap(() => Object.keys(keys))
    const answers = await Promise.all(
      asked.map(async (key) => ({ key, status: (await add(opened, key, key)).status })),
    )

    const passed = (key: string): number =>
      answers.filter((answer) => answer.key === key && answer.status === 201).length
    expect([passed('one'), passed('two'), passed('three')]).toEqual([60, 60, 100])
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(600 - 220)
    expect(await sandbox.collection('pets').count()).toBe(220)
  })
})

describe('in process', () => {
  it('thousands of concurrent creations get unique ids, and no record is lost', async () => {
    const sandbox = createSandbox({ records: 0 })
    sandbox.clock.freeze()
    const options = { key: 'sk_sandbox_enterprise', body: { name: 'x', categoryId: 1 } }

    const pets = await Promise.all(
      upTo(CREATIONS).map(async () =>
        petOf(await sandbox.fetch(toRequest('POST', 'http://localhost/v1/pets', options))),
      ),
    )

    expect(new Set(pets.map(({ id }) => id)).size).toBe(CREATIONS)
    expect(await sandbox.collection('pets').list()).toHaveLength(CREATIONS)
  })

  it('a hundred concurrent requests cause one ban, at the tenth refusal', async () => {
    const sandbox = createSandbox({ records: 0, plans: { free: { minute: 5, day: 100 } } })
    sandbox.clock.freeze()
    const opened = await open(sandbox, connectInProcess)

    await Promise.all(upTo(100).map((at) => add(opened, `number ${at}`, 'sk_sandbox_free')))

    const codes = sandbox.journal.exchanges.map(({ refusal }) => refusal?.code ?? 'none')
    expect(codes.sort()).toEqual([
      ...Array<string>(85).fill('api_key_banned'),
      ...Array<string>(5).fill('none'),
      ...Array<string>(10).fill('rate_limit_exceeded'),
    ])
    expect((await sandbox.snapshot()).state.bans).toMatchObject([['sk_sandbox_free', { bans: 1 }]])
  })
})

describe('concurrent worlds', () => {
  it('each get the responses of their own model', async () => {
    const sandbox = createSandbox(fuzzOptions())
    const connection = await open(sandbox, connectToServer)
    const api = readApi('openapi.yaml')
    const sequences = fc.sample(anySequence(api, 20), { seed: SEED, numRuns: SEQUENCES })

    const outcomes = await Promise.all(
      sequences.map((steps, index) => {
        const own = { ...api, basePath: `/worlds/w${index}/v1` }
        return SequenceRun.execute(own, sandbox.world(`w${index}`), connection, steps)
      }),
    )

    expect(outcomes.flat().length).toBeGreaterThan(SEQUENCES * 3)
    expect(sandbox.worlds.list()).toHaveLength(SEQUENCES + 1)
    expect(sandbox.journal.exchanges).toEqual([])
  })
})

describe('a change of a whole world under load leaves a consistent state:', () => {
  /** Ids have no gaps, and each record is a first record or one whose creation was confirmed with its id. */
  async function expectConsistent(sandbox: Sandbox, added: readonly Creation[]): Promise<void> {
    const { records } = (await sandbox.snapshot()).state
    const pets = await sandbox.collection('pets').list()
    expect(pets.map(({ id }) => id)).toEqual(upTo(pets.length))
    expect(records.pets?.ids).toBe(pets.length)
    const acknowledged = new Set(added.map(({ id, name }) => `${id} ${name}`))
    const own = pets.filter(({ name }) => String(name).startsWith('number'))
    expect(own.filter(({ id, name }) => !acknowledged.has(`${id} ${name}`))).toEqual([])
  }

  it.each(TRANSPORTS)('snapshots, resets and restores, %s', async (_name, connect) => {
    const sandbox = createSandbox({ records: 5, plans: { enterprise: { minute: 100_000 } } })
    const opened = await open(sandbox, connect)
    const snapshots = [await sandbox.snapshot()]
    const added: Creation[] = []

    for (const round of upTo(6)) {
      const adding = upTo(40).map((at) => add(opened, `number ${round}.${at}`))
      for (const one of adding.slice(0, 20)) added.push(await one)
      snapshots.push(await sandbox.snapshot())
      if (round % 3 === 0) sandbox.reset()
      if (round % 3 === 1) await sandbox.restore(snapshots[round % snapshots.length])
      added.push(...(await Promise.all(adding)))
      await expectConsistent(sandbox, added)
    }

    expect(added.filter(({ status }) => status !== 201)).toEqual([])
    for (const { state } of snapshots) {
      const { rows, ids } = state.records.pets ?? { rows: [], ids: 0 }
      expect(rows.map(({ id }) => id)).toEqual(upTo(rows.length))
      expect(ids).toBe(rows.length)
    }
  })
})
