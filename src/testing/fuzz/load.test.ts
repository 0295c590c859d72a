import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSandbox, type Sandbox } from '../../index.ts'
import { isLongRun } from '../long-run.ts'
import { petOf } from '../responses.ts'
import { toRequest } from '../transports.ts'
import { anySequence } from './any-sequence.ts'
import { readApi } from './api.ts'
import { createFuzzSandbox, SEED } from './check-sequences.ts'
import {
  connectInProcess,
  connectToExpress,
  connectToServer,
  type FuzzConnection,
} from './connections.ts'
import { SequenceRun } from './sequence-run.ts'

const FACES: [string, (sandbox: Sandbox) => Promise<FuzzConnection>][] = [
  ['in process', connectInProcess],
  ['over HTTP', connectToServer],
  ['in an Express app', connectToExpress],
]

/** Creations in process, and stories in worlds, that are under way at once. */
const [CREATIONS, STORIES] = isLongRun ? [10_000, 20] : [2_000, 6]

interface Added {
  readonly status: number
  readonly id: number
  readonly name: string
}

async function add(
  { send }: FuzzConnection,
  name: string,
  key = 'sk_sandbox_enterprise',
): Promise<Added> {
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
  face: (sandbox: Sandbox) => Promise<FuzzConnection>,
): Promise<FuzzConnection> {
  const opened = await face(sandbox)
  onTestFinished(opened.close)
  return opened
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at + 1)
}

describe.each(FACES)('%s', (_name, face) => {
  it('five hundred creations at once get an id each, and none is lost', async () => {
    const sandbox = createSandbox({ records: 0 })
    const opened = await open(sandbox, face)

    const added = await Promise.all(upTo(500).map((at) => add(opened, `number ${at}`)))

    const kept = await sandbox.collection('pets').list()
    expect(added.map(({ id }) => id).sort((one, other) => one - other)).toEqual(upTo(500))
    expect(new Map(kept.map(({ id, name }) => [id, name]))).toEqual(
      new Map(added.map(({ id, name }) => [id, name])),
    )
  })

  it('each key passes as often as its plan says, whatever the others do meanwhile', async () => {
    const keys = { one: 'free', two: 'free', three: 'pro' } as const
    const plans = { pro: { minute: 100 } }
    const sandbox = createSandbox({ records: 0, ban: false, keys, plans })
    sandbox.clock.freeze()
    const opened = await open(sandbox, face)

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
  it('thousands of creations at once get an id each, and none is lost', async () => {
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

  it('a ban comes once, at the tenth refusal of those that came at once', async () => {
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

describe('worlds', () => {
  it('that are used at the same time keep to their stories, each to its own', async () => {
    const sandbox = createFuzzSandbox()
    const face = await open(sandbox, connectToServer)
    const api = readApi('openapi.yaml')
    const stories = fc.sample(anySequence(api, 20), { seed: SEED, numRuns: STORIES })

    const told = await Promise.all(
      stories.map((steps, at) => {
        const own = { ...api, basePath: `/worlds/w${at}/v1` }
        return SequenceRun.execute(own, sandbox.world(`w${at}`), face, steps)
      }),
    )

    expect(told.flat().length).toBeGreaterThan(STORIES * 5)
    expect(sandbox.worlds.list()).toHaveLength(STORIES + 1)
    expect(sandbox.journal.exchanges).toEqual([])
  })
})

describe('what is done to a whole world while it is under load leaves nothing mixed:', () => {
  /** Records are counted through, and each is one that it started with, or one that was acknowledged under its id. */
  async function expectNothingMixed(sandbox: Sandbox, added: readonly Added[]): Promise<void> {
    const { records } = (await sandbox.snapshot()).state
    const pets = await sandbox.collection('pets').list()
    expect(pets.map(({ id }) => id)).toEqual(upTo(pets.length))
    expect(records.pets?.ids).toBe(pets.length)
    const acknowledged = new Set(added.map(({ id, name }) => `${id} ${name}`))
    const own = pets.filter(({ name }) => String(name).startsWith('number'))
    expect(own.filter(({ id, name }) => !acknowledged.has(`${id} ${name}`))).toEqual([])
  }

  it.each(FACES)('snapshots, resets and restores, %s', async (_name, face) => {
    const sandbox = createSandbox({ records: 5, plans: { enterprise: { minute: 100_000 } } })
    const opened = await open(sandbox, face)
    const snapshots = [await sandbox.snapshot()]
    const added: Added[] = []

    for (const round of upTo(6)) {
      const adding = upTo(40).map((at) => add(opened, `number ${round}.${at}`))
      for (const one of adding.slice(0, 20)) added.push(await one)
      snapshots.push(await sandbox.snapshot())
      if (round % 3 === 0) sandbox.reset()
      if (round % 3 === 1) await sandbox.restore(snapshots[round % snapshots.length])
      added.push(...(await Promise.all(adding)))
      await expectNothingMixed(sandbox, added)
    }

    expect(added.filter(({ status }) => status !== 201)).toEqual([])
    for (const { state } of snapshots) {
      const { rows, ids } = state.records.pets ?? { rows: [], ids: 0 }
      expect(rows.map(({ id }) => id)).toEqual(upTo(rows.length))
      expect(ids).toBe(rows.length)
    }
  })
})
