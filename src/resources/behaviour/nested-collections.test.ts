import { describe, expect, it } from 'vitest'
import { Transaction } from '../../records/transaction.ts'
import { exampleResource } from '../../testing/example-resource.ts'
import { StoredRecordsInMemory } from '../../testing/stored-records-in-memory.ts'
import type { Resource } from '../resource.ts'
import { createRecords, type OpenRecords, type Records } from '../store/records.ts'
import { createStore, Store } from '../store/store.ts'
import { createSharedStore } from '../store/transaction-collections.ts'

const ORGS: Resource = {
  ...exampleResource({ name: { type: 'string' } }),
  name: 'orgs',
  path: '/v2/orgs',
  idSchema: { type: 'string' },
}
const REPOS: Resource = {
  ...exampleResource({ name: { type: 'string' } }),
  name: 'repos',
  path: '/v2/orgs/{org}/repos',
  parents: ['org'],
}
const ISSUES: Resource = {
  ...REPOS,
  name: 'issues',
  path: '/v2/orgs/{org}/repos/{repo}/issues',
  parents: ['org', 'repo'],
}
const FLAGS: Resource = {
  ...REPOS,
  name: 'flags',
  path: '/v2/flags/{org}',
  within: [{ parameter: 'org', of: () => ORGS }],
}
const RULES: Resource = {
  ...FLAGS,
  name: 'rules',
  path: '/v2/flags/{org}/{flag}/rules',
  parents: ['org', 'flag'],
}
const ALL = [ORGS, REPOS, ISSUES, FLAGS, RULES]

/** Two records, whose names tell where they were created first. */
const openTwo: OpenRecords = async (resource, name, parameters) => {
  const records = createRecords(resource, 1, name)
  for (const at of [1, 2]) await records.create({ name: `${name} ${at}`, ...parameters })
  return records
}

async function namesIn(records: Records | undefined): Promise<unknown[]> {
  return ((await records?.page({}))?.records ?? []).map(({ name }) => name)
}

const PLACES: readonly [place: string, createStore: () => Store][] = [
  ['in memory', () => new Store(openTwo)],
  [
    'in a shared store',
    () =>
      createSharedStore(new Transaction(new StoredRecordsInMemory()), {
        first: openTwo,
        seed: 1,
        resources: () => ALL,
      }),
  ],
]

async function storeWithAcme(store: Store): Promise<{ store: Store; orgs: Records }> {
  const orgs = await store.open(ORGS)
  await orgs.create({ id: 'acme', name: 'Acme' })
  return { store, orgs }
}

const ACME = { org: 'acme' }

describe.each(PLACES)('a collection below a record %s', (_place, storeOf) => {
  it('has records of its own, with the ids of its parents', async () => {
    const store = storeOf()
    const [acme, other] = [await store.open(REPOS, ACME), await store.open(REPOS, { org: 'a/b' })]
    await acme.create({ name: 'new' })

    expect([acme.name, other.name]).toEqual(['v2/orgs/acme/repos', 'v2/orgs/a%2Fb/repos'])
    expect((await acme.get(1))?.org).toBe('acme')
    expect((await other.get(1))?.org).toBe('a/b')
    expect([await acme.count(), await other.count()]).toEqual([3, 2])
    expect(await store.open(REPOS, ACME)).toBe(acme)
  })

  it('is opened once, although two requests need it at once', async () => {
    const store = storeOf()

    const [one, other] = await Promise.all([store.open(REPOS, ACME), store.open(REPOS, ACME)])

    expect(one).toBe(other)
  })

  it('needs no record above it', async () => {
    const store = storeOf()

    expect(await store.isBelowRemoved(ISSUES, { org: 'any', repo: 7 })).toBe(false)
    expect(await (await store.open(ISSUES, { org: 'any', repo: 7 })).count()).toBe(2)
  })

  it('is gone when a record above it is removed, at any depth', async () => {
    const { store, orgs } = await storeWithAcme(storeOf())
    await (await store.open(ISSUES, { ...ACME, repo: 1 })).create({ name: 'old' })

    await orgs.remove('acme')

    expect(await store.isBelowRemoved(REPOS, ACME)).toBe(true)
    expect(await store.isBelowRemoved(ISSUES, { ...ACME, repo: 1 })).toBe(true)
    expect(await store.isBelowRemoved(REPOS, { org: 'other' })).toBe(false)
    expect((await store.opened()).map(({ name }) => name)).toEqual(['orgs'])
  })

  it('is gone with a record of another path that its path names, at any depth, and begins anew', async () => {
    const { store, orgs } = await storeWithAcme(storeOf())
    await (await store.open(FLAGS, ACME)).create({ name: 'old' })
    const rules = { ...ACME, flag: 1 }
    await (await store.open(RULES, rules)).create({ name: 'old' })

    await orgs.remove('acme')
    const gone = [await store.isBelowRemoved(FLAGS, ACME), await store.isBelowRemoved(RULES, rules)]
    const left = (await store.opened()).map(({ name }) => name)
    await orgs.create({ id: 'acme', name: 'Acme' })

    expect([gone, left]).toEqual([[true, true], ['orgs']])
    expect(await store.isBelowRemoved(FLAGS, ACME)).toBe(false)
    expect(await namesIn(await store.open(FLAGS, ACME))).not.toContain('old')
    expect(await namesIn(await store.open(RULES, rules))).not.toContain('old')
  })

  it('begins again with what is created below a removed record', async () => {
    const { store, orgs } = await storeWithAcme(storeOf())
    await store.open(REPOS, ACME)
    await orgs.remove('acme')

    const repos = await store.open(REPOS, ACME)
    const made = await repos.create({ name: 'again' })

    expect(made.id).toBe(3)
    expect(await repos.isRemoved(1)).toBe(true)
    expect(await store.isBelowRemoved(REPOS, ACME)).toBe(false)
    expect(await store.isBelowRemoved(ISSUES, { ...ACME, repo: 3 })).toBe(false)
    expect(await store.isBelowRemoved(ISSUES, { ...ACME, repo: 1 })).toBe(true)
  })

  it.each([
    { title: 'with a new id', values: {} },
    { title: 'with the id of a first record', values: { id: 1 } },
  ])('stays when what was created below a removed record $title is removed', async ({ values }) => {
    const { store, orgs } = await storeWithAcme(storeOf())
    await orgs.remove('acme')
    const repos = await store.open(REPOS, ACME)
    const { id } = await repos.create({ ...values, name: 'again' })

    await repos.remove(Number(id))

    expect(await store.isBelowRemoved(REPOS, ACME)).toBe(false)
    expect(await store.fork().isBelowRemoved(REPOS, ACME)).toBe(false)
    expect((await store.opened()).map(({ name }) => name)).toEqual(['orgs', 'v2/orgs/acme/repos'])
  })

  it('is gone while it is only opened, and when what was created in it is undone', async () => {
    const { store, orgs } = await storeWithAcme(storeOf())
    await orgs.remove('acme')
    const repos = await store.open(REPOS, ACME)
    const made = await repos.create({ name: 'again' })

    await repos.undo(Number(made.id), undefined, made)

    expect(await store.isBelowRemoved(REPOS, ACME)).toBe(true)
    expect((await store.opened()).map(({ name }) => name)).toEqual(['orgs'])
  })

  it('starts anew when the record above it is created again', async () => {
    const { store, orgs } = await storeWithAcme(storeOf())
    await (await store.open(REPOS, ACME)).create({ name: 'old' })
    await orgs.remove('acme')
    await orgs.create({ id: 'acme', name: 'Acme' })

    expect(await store.isBelowRemoved(REPOS, ACME)).toBe(false)
    expect(await namesIn(await store.open(REPOS, ACME))).toEqual([
      'v2/orgs/acme/repos 1',
      'v2/orgs/acme/repos 2',
    ])
  })

  it('is back when the removal is undone, although something was created below meanwhile', async () => {
    const { store, orgs } = await storeWithAcme(storeOf())
    const repos = await store.open(REPOS, ACME)
    const acme = await orgs.get('acme')
    await orgs.remove('acme')
    await (await store.open(REPOS, ACME)).create({ name: 'meanwhile' })

    await orgs.undo('acme', acme, undefined)

    expect(await store.isBelowRemoved(REPOS, ACME)).toBe(false)
    expect(await store.open(REPOS, ACME)).toBe(repos)
  })

  it('is gone again when the creation of the record above it is undone', async () => {
    const { store, orgs } = await storeWithAcme(storeOf())
    await orgs.remove('acme')
    const again = await orgs.create({ id: 'acme', name: 'Acme' })

    await orgs.undo('acme', undefined, again)

    expect(await store.isBelowRemoved(REPOS, ACME)).toBe(true)
    expect(await orgs.isRemoved('acme')).toBe(true)
  })
})

describe.each(PLACES)('a fork of a store %s', (_place, storeOf) => {
  it('has the collections below records, and its changes are its own', async () => {
    const { store, orgs } = await storeWithAcme(storeOf())
    await (await store.open(REPOS, ACME)).create({ name: 'first' })
    const fork = store.fork()

    await (await fork.open(REPOS, ACME)).create({ name: 'of the fork' })
    await orgs.remove('acme')

    expect(await (await fork.open(REPOS, ACME)).count()).toBe(4)
    expect(await fork.isBelowRemoved(REPOS, ACME)).toBe(false)
    expect(await store.isBelowRemoved(REPOS, ACME)).toBe(true)
  })
})

describe('a store', () => {
  it('for a world starts with the first records', async () => {
    const store = new Store(openTwo)
    const [one, other] = [store.createWorldStore(), store.createWorldStore()]

    await (await one.open(REPOS, ACME)).remove(1)

    expect(await (await other.open(REPOS, ACME)).count()).toBe(2)
    expect(await (await store.open(REPOS, ACME)).count()).toBe(2)
  })
})

describe.each(PLACES)('a snapshot of a store %s', (_place, storeOf) => {
  it('has the collections below records, and which ids were removed', async () => {
    const { store, orgs } = await storeWithAcme(storeOf())
    await (await store.open(ISSUES, { ...ACME, repo: 1 })).create({ name: 'kept' })
    await (await store.open(REPOS, ACME)).remove(2)
    await (await store.open(REPOS, { org: 'gone' })).create({ name: 'lost' })
    await orgs.create({ id: 'gone', name: 'Gone' })
    await orgs.remove('gone')
    const saved = new Map<string, Awaited<ReturnType<Records['snapshot']>>>()
    for (const records of await store.opened()) saved.set(records.name, await records.snapshot())

    const restored = await createStore(ALL, saved, 1, openTwo)

    expect([...saved.keys()].sort()).toEqual([
      'orgs',
      'v2/orgs/acme/repos',
      'v2/orgs/acme/repos/1/issues',
    ])
    expect(await namesIn(await restored.open(ISSUES, { ...ACME, repo: 1 }))).toContain('kept')
    expect(await (await restored.open(REPOS, ACME)).isRemoved(2)).toBe(true)
    expect(await restored.isBelowRemoved(REPOS, { org: 'gone' })).toBe(true)
    expect(await restored.isBelowRemoved(ISSUES, { ...ACME, repo: 2 })).toBe(true)
  })
})
