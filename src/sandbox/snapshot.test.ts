import { describe, expect, it } from 'vitest'
import { Random } from '../generate/random.ts'
import { petOf, repeat } from '../testing/responses.ts'
import { toRequest } from '../testing/transports.ts'
import { UsageError } from '../validation/usage-error.ts'
import type { SandboxOptions } from './options.ts'
import { createSandbox, type ShippedSandbox } from './sandbox.ts'
import type { World } from './world.ts'

/** How many mutations of a snapshot are tried. */
const MUTATIONS = 400

function list({ fetch }: World, path = '/v1/pets?limit=100'): Promise<Response> {
  return fetch(toRequest('GET', `http://localhost${path}`))
}

function add({ fetch }: World, path = '/v1/pets'): Promise<Response> {
  const body = { name: 'Rex', categoryId: 1 }
  return fetch(toRequest('POST', `http://localhost${path}`, { body }))
}

const OPTIONS: SandboxOptions = {
  records: 2,
  plans: { free: { minute: 4 } },
  ban: { refusals: 2 },
}

/** Creates a sandbox whose snapshot has usage, bans, rules, moved clocks and several worlds. */
async function createUsed(): Promise<ShippedSandbox> {
  const sandbox = createSandbox({
    records: 2,
    plans: { free: { minute: 4 } },
    ban: { refusals: 2 },
  })
  sandbox.clock.set('2027-03-01T12:00:00Z')
  sandbox.force('not-found', { times: 1 })
  sandbox.force('unavailable', { probability: 0.5, skip: 4, operation: 'listPets', path: '/*' })
  sandbox.force('slow', { key: 'sk_sandbox_pro', latency: '0ms..1ms', method: 'GET' })
  await repeat(8, () => add(sandbox))
  sandbox.world('one').clock.set('2030-12-04T23:59:59Z')
  await add(sandbox.world('one'))
  sandbox.world('two').clock.advance('-61s')
  return sandbox
}

type Path = readonly (string | number)[]

function cloned(snapshot: unknown): unknown {
  return JSON.parse(JSON.stringify(snapshot))
}

/** A copy with another value at a path. `undefined` removes the member. */
function changed(original: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value
  const entries = Object.entries(Object(original)).map(([name, member]): [string, unknown] =>
    name === String(step) ? [name, changed(member, rest, value)] : [name, member],
  )
  if (!Object.hasOwn(Object(original), step)) entries.push([String(step), changed({}, rest, value)])
  const kept = entries.filter(([, member]) => member !== undefined)

  return Array.isArray(original) ? kept.map(([, member]) => member) : Object.fromEntries(kept)
}

/** The paths of all members of a value, at every depth. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const below = Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]))
  return path.length > 0 ? [path, ...below] : below
}

function at(value: unknown, path: Path): unknown {
  return path.reduce((parent, step) => Reflect.get(Object(parent), step), value)
}

/** Overwrites every member of a value, at every depth. */
function overwrite(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    overwrite(member)
    if (typeof member !== 'object') Reflect.set(value, name, 7)
  }
  if (Array.isArray(value)) value.length = 0
}

/** The statuses of a list, a read and a creation, in two worlds. */
async function statuses(sandbox: World): Promise<number[]> {
  const all: number[] = []
  for (const prefix of ['', '/worlds/one']) {
    all.push((await list(sandbox, `${prefix}/v1/pets?status=sold&limit=1`)).status)
    all.push((await list(sandbox, `${prefix}/v1/pets/1`)).status)
    all.push((await add(sandbox, `${prefix}/v1/pets`)).status)
  }
  return all
}

describe('a snapshot', () => {
  it('is plain JSON of all worlds, and later changes do not affect it', async () => {
    const sandbox = await createUsed()

    const snapshot = await sandbox.snapshot()
    const before = cloned(snapshot)
    await add(sandbox)
    sandbox.clock.advance('1d')
    sandbox.setPlan('free', { minute: 1 })
    await sandbox.collection('pets').update(1, { name: 'Ash' })
    await add(sandbox.world('one'))

    expect(snapshot).toEqual(before)
    expect(Object.keys(snapshot.worlds ?? {})).toEqual(['one', 'two'])
  })

  it('can be changed without any effect on the sandbox, after it was taken and after it was restored', async () => {
    const sandbox = await createUsed()
    const before = cloned(await sandbox.snapshot())

    const snapshot = await sandbox.snapshot()
    overwrite(snapshot)
    expect(await sandbox.snapshot()).toEqual(before)

    const kept = cloned(before)
    await sandbox.restore(kept)
    overwrite(kept)
    expect(await sandbox.snapshot()).toEqual(before)
  })

  it('of one world has only that world, and can be restored to any other', async () => {
    const sandbox = await createUsed()
    const own = await sandbox.world('default').collection('pets').list()

    const snapshot = await sandbox.world('one').snapshot()
    await sandbox.world('two').restore(snapshot)

    expect(snapshot.worlds).toBeUndefined()
    expect((await sandbox.world('two').snapshot()).state).toEqual(snapshot.state)
    expect(await sandbox.collection('pets').list()).toEqual(own)
  })

  it('continues the sequences of random numbers and of rule ids', async () => {
    const first = await createUsed()
    first.worlds.delete('two')
    const second = createSandbox(OPTIONS)
    await second.restore(await first.snapshot())

    for (const sandbox of [first, second]) {
      sandbox.unforce()
      sandbox.force('unavailable', { probability: 0.3 })
      sandbox.clock.advance('1h')
    }

    expect(second.forced()).toEqual(first.forced())
    expect(await repeat(3, () => statuses(second))).toEqual(await repeat(3, () => statuses(first)))
    expect(await second.snapshot()).toEqual(await first.snapshot())
  })

  it('restores the offset of a running clock, and the time of a frozen one', async () => {
    const sandbox = createSandbox()
    sandbox.clock.advance('2d')
    const running = await sandbox.snapshot()
    sandbox.clock.freeze()
    const frozen = await sandbox.snapshot()
    const moment = sandbox.clock.now()
    sandbox.reset()

    await sandbox.restore(running)
    expect(sandbox.clock.isFrozen).toBe(false)
    expect(sandbox.clock.now() - Date.now()).toBeGreaterThan(172_790_000)

    await sandbox.restore(frozen)
    expect(sandbox.clock.now()).toBe(moment)
  })

  it('keeps the order in which worlds were used, also where names are numbers', async () => {
    const sandbox = createSandbox({ worlds: 3, records: 1 })
    for (const name of ['b', '2', '1']) await list(sandbox.world(name))
    const snapshot = await sandbox.snapshot()
    const { order: _, ...early } = snapshot

    await sandbox.restore(cloned(snapshot))
    const names = sandbox.worlds.list().map(({ name }) => name)
    await list(sandbox.world('new'))
    await sandbox.restore(early)

    expect(names).toEqual(['default', 'b', '2', '1'])
    expect(sandbox.worlds.dropped).toEqual(['b'])
    expect(sandbox.worlds.list()).toHaveLength(4)
  })

  it('at the latest time is restored with its bans', async () => {
    const sandbox = createSandbox({ ban: { refusals: 1, seconds: 1e9, maxSeconds: 1e9 } })
    sandbox.clock.set('9999-12-31T23:59:59.999Z')
    sandbox.clock.resume()
    await repeat(62, () => list(sandbox))
    const snapshot = await sandbox.snapshot()

    await sandbox.restore(snapshot)

    expect(await sandbox.snapshot()).toEqual(snapshot)
    expect((await list(sandbox)).headers.get('Date')).toBe('Fri, 31 Dec 9999 23:59:59 GMT')
    expect(() => sandbox.clock.advanceToReset('sk_sandbox_free')).toThrow('+010000-01-01T00:00')
  })

  it('with rules for removed keys is restored', async () => {
    const sandbox = createSandbox({ keys: { sk_new: 'pro' } })
    sandbox.force('banned', { key: 'sk_new' })
    sandbox.removeKey('sk_new')
    const snapshot = await sandbox.snapshot()
    const forced = sandbox.forced()
    sandbox.reset()

    await sandbox.restore(snapshot)

    expect(sandbox.forced()).toEqual(forced)
  })

  it('with an id counter behind its records never repeats an id', async () => {
    const sandbox = createSandbox({ records: 3 })
    const snapshot = await sandbox.snapshot()

    await sandbox.restore(changed(snapshot, ['state', 'records', 'pets', 'ids'], -7))

    expect(await petOf(await add(sandbox))).toMatchObject({ id: 4 })
  })
})

const JUNK: readonly unknown[] = [
  ...[undefined, null, true, 0, -1, 1.5, 7, 2 ** 31, 2 ** 53, -(2 ** 53) + 1, 9e15, 1e308],
  ...['', 'x', '__proto__', 'constructor', '5', '2027-03-01T12:00:00Z', '\ud800', 'slow'],
  ...[
    [],
    [[]],
    {},
    [{}],
    { id: 1 },
    { toString: 1 },
    JSON.parse('{"__proto__":{"polluted":true},"constructor":1}'),
  ],
]

const KEYS: Path = ['state', 'keys', 'keys']

const USED = ['sk_sandbox_free', { minute: { window: 0, used: 0 }, day: { window: 0, used: 0 } }]

describe('an invalid snapshot', () => {
  it('is either restored to a working sandbox, or rejected without a change', async () => {
    const sandbox = await createUsed()
    const valid = cloned(await sandbox.snapshot())
    const paths = pathsIn(valid)
    const random = new Random(4)
    const pick = <T>(from: readonly T[]): T | undefined =>
      from[Math.floor(random.next() * from.length)]
    const counts = { restored: 0, refused: 0 }

    for (let mutation = 0; mutation < MUTATIONS; mutation += 1) {
      const path = pick(paths) ?? []
      const other = at(valid, pick(paths) ?? [])
      const value = random.next() < 0.2 ? other : pick(JUNK)
      const mutated = changed(valid, random.next() < 0.1 ? [...path, '__proto__'] : path, value)
      const description = `${path.join('.')} = ${JSON.stringify(value)}`

      const before = await sandbox.snapshot()
      const error = await sandbox.restore(mutated).catch((reason: unknown) => reason)
      if (error === undefined) {
        counts.restored += 1
        const found = await statuses(sandbox)
        expect(
          found.filter((status) => status === 500 || status === 400),
          description,
        ).toEqual([])
        await sandbox.restore(cloned(await sandbox.snapshot()))
      } else {
        counts.refused += 1
        expect(error, description).toBeInstanceOf(UsageError)
        expect(error, description).toMatchObject({ code: 'invalid_snapshot' })
        expect(await sandbox.snapshot(), description).toEqual(before)
      }
    }

    expect(Math.min(counts.restored, counts.refused)).toBeGreaterThan(MUTATIONS / 20)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it.each<[string, Path, unknown, string]>([
    ['of another version', ['version'], 2, 'restore the snapshot'],
    ['of a version that cannot be printed', ['version'], { toString: 1 }, 'restore the snapshot'],
    ['whose version is text', ['version'], '1', 'restore the snapshot'],
    ['with a key that no header can carry', [...KEYS, 0, 0], 'a b', 'restore the snapshot'],
    ['with a key on an unknown plan', [...KEYS, 0, 1, 'plan'], 'gone', 'restore the snapshot'],
    ['with a key with an unknown outcome', [...KEYS, 0, 1, 'always'], 'x', 'restore the snapshot'],
    ['with a key twice', [...KEYS, 1, 0], 'sk_sandbox_free', 'restore the snapshot'],
    ['without plans', ['state', 'keys', 'plans'], [], 'restore the snapshot'],
    ['with a plan twice', ['state', 'keys', 'plans', 1, 'name'], 'free', 'restore the snapshot'],
    ['with an account twice', ['state', 'limits', 1], USED, 'restore the snapshot'],
    ['with an endless ban', ['state', 'bans', 0, 1, 'until'], 9e15, 'restore the snapshot'],
    ['with an endless wait', ['state', 'bans', 0, 1, 'retryAt'], 9e15, 'restore the snapshot'],
    ['of another contract', ['contract', 'title'], 'Books', 'restore the snapshot'],
    ['without its state', ['state'], undefined, 'restore the snapshot'],
    [
      'with an invalid time of the clock',
      ['state', 'clock', 'frozenAt'],
      9e15,
      'restore the snapshot',
    ],
    [
      'with an invalid offset of the clock',
      ['state', 'clock', 'offset'],
      9e15,
      'restore the snapshot',
    ],
    [
      'with a plan without requests',
      ['state', 'keys', 'plans', 0, 'minute'],
      0,
      'restore the snapshot',
    ],
    [
      'with a negative number of used requests',
      ['state', 'limits', 0, 1, 'day', 'used'],
      -1,
      'restore the snapshot',
    ],
    [
      'with a rule for an unknown operation',
      ['state', 'rules', 'list', 0, 'operation'],
      'x',
      'restore the snapshot',
    ],
    [
      'with a rule with an unknown outcome',
      ['state', 'rules', 'list', 0, 'outcome'],
      'slwo',
      'restore the snapshot',
    ],
    [
      'with two records with the same id',
      ['state', 'records', 'pets', 'rows', 1, 'id'],
      1,
      'id 1 is taken',
    ],
    ['with an invalid record', ['state', 'records', 'pets', 'rows', 0, 'name'], 5, 'a record.name'],
    ['with an unknown collection', ['state', 'records', 'dogs'], { rows: [] }, 'be of pets'],
    ['with an invalid name of a world', ['worlds', '..'], {}, 'worlds...'],
    ['with the sandbox among the worlds', ['worlds', 'default'], {}, 'worlds.default'],
  ])('%s is rejected with the reason', async (_, path, value, why) => {
    const sandbox = await createUsed()
    const before = await sandbox.snapshot()

    const restoring = sandbox.restore(changed(before, path, value))

    await expect(restoring).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_snapshot', message: expect.stringContaining(why) }),
    )
    expect(await sandbox.snapshot()).toEqual(before)
  })

  it.each(['..', '', 'x'.repeat(201), 'default'])(
    'with a world named "%s" is rejected',
    async (name) => {
      const sandbox = await createUsed()
      const before = await sandbox.snapshot()

      const restoring = sandbox.restore(changed(before, ['worlds', name], before.state))

      await expect(restoring).rejects.toThrow('" cannot be the name of a world')
      expect(await sandbox.snapshot()).toEqual(before)
    },
  )

  it.each([undefined, null, 5, 'text', [], {}, () => 5, new Map(), 5n, new Proxy({}, {})])(
    'such as %o is rejected',
    async (given) => {
      await expect(createSandbox().restore(given)).rejects.toThrow(
        expect.objectContaining({ code: 'invalid_snapshot' }),
      )
    },
  )

  it('with a circular reference is rejected', async () => {
    const sandbox = createSandbox()
    const snapshot: Record<string, unknown> = { ...(await sandbox.snapshot()) }
    snapshot.itself = snapshot

    await expect(sandbox.restore(snapshot)).rejects.toThrow('it is not JSON data')
  })

  it('that is nested too deeply for JSON is rejected', async () => {
    let value: unknown = 1
    for (let level = 0; level < 100_000; level += 1) value = [value]

    await expect(createSandbox().restore(value)).rejects.toThrow('it is nested too deeply')
  })
})
