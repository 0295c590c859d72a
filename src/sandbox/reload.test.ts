import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'
import { reloadSandbox } from './reload.ts'
import { createSandbox, type Sandbox } from './sandbox.ts'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
})

afterEach(() => rm(folder, { recursive: true }))

/** The contract of a document with these collections, whose records have a name of at most `length` characters. */
async function contractOf(collections: readonly string[], length = 99): Promise<Contract> {
  const properties = {
    id: { type: 'integer', readOnly: true },
    name: { type: 'string', maxLength: length },
  }
  const schema = { type: 'object', properties }
  const content = (of: object): object => ({ 'application/json': { schema: of } })
  const response = (of: object): object => ({ description: 'Done.', content: content(of) })
  const paths = collections.map((name) => [
    `/${name}`,
    {
      get: {
        operationId: `list_${name}`,
        responses: { 200: response({ type: 'array', items: schema }) },
      },
      post: { requestBody: { content: content(schema) }, responses: { 201: response(schema) } },
    },
  ])
  const file = join(folder, 'api.json')
  const info = { title: 'Shop', version: '1' }
  await writeFile(
    file,
    JSON.stringify({ openapi: '3.1.1', info, paths: Object.fromEntries(paths) }),
  )

  return loadContract(file)
}

async function sandboxOf(...collections: readonly string[]): Promise<Sandbox> {
  return createSandbox({ contract: await contractOf(collections), records: 0, auth: false })
}

async function namesIn(world: Pick<Sandbox, 'fetch'>, collection: string): Promise<unknown[]> {
  const response = await world.fetch(new Request(`http://localhost/${collection}`))
  const records: { name: string }[] = await response.json()

  return records.map(({ name }) => name)
}

describe('a sandbox with a changed contract', () => {
  test('serves the new operations, and keeps records, worlds, clock, rules and journal', async () => {
    const sandbox = await sandboxOf('books')
    const world = sandbox.world('one')
    await sandbox.collection('books').create({ name: 'own' })
    await world.collection('books').create({ name: 'other' })
    sandbox.clock.set('2030-01-01T00:00:00Z')
    sandbox.force('unavailable', { operation: 'list_books', skip: 9 })
    await namesIn(sandbox, 'books')

    const contract = await contractOf(['books', 'pens'])
    const notices = await reloadSandbox(sandbox, { contract, records: 0, auth: false })

    expect(notices).toEqual([])
    expect(sandbox.contract).toBe(contract)
    expect(await namesIn(sandbox, 'books')).toEqual(['own'])
    expect(await namesIn(world, 'books')).toEqual(['other'])
    expect(await namesIn(sandbox, 'pens')).toEqual([])
    expect(sandbox.clock.now()).toBe(Date.parse('2030-01-01T00:00:00Z'))
    expect(sandbox.forced()).toMatchObject([{ operation: 'list_books', matched: 2 }])
    expect(sandbox.journal.exchanges.map(({ operation }) => operation)).toEqual([
      'list_books',
      'list_books',
      'list_pens',
    ])
    expect(sandbox.journal.find({ operation: 'list_pens' })).toHaveLength(1)
  })

  test('removes what no longer fits, and says so', async () => {
    const sandbox = await sandboxOf('books', 'pens')
    await sandbox.collection('books').create({ name: 'long name' })
    await sandbox.collection('books').create({ name: 'a' })
    await sandbox.collection('pens').create({ name: 'a' })
    sandbox.force('unavailable', { operation: 'list_pens' })

    const contract = await contractOf(['books'], 4)
    const notices = await reloadSandbox(sandbox, { contract, records: 0, auth: false })

    expect(notices).toEqual([
      'The forced outcome unavailable was removed: the document has no operation list_pens.',
      '1 record of pens was removed: the document has no such collection.',
      '1 record of books was removed: it no longer matches the document.',
    ])
    expect(await namesIn(sandbox, 'books')).toEqual(['a'])
    expect(sandbox.collections).toEqual(['books'])
  })

  test('stays as it is when the options are invalid', async () => {
    const sandbox = await sandboxOf('books')
    const { contract } = sandbox

    await expect(
      (async () => reloadSandbox(sandbox, { contract: await contractOf([]), seed: 1.5 }))(),
    ).rejects.toThrow('seed')

    expect(sandbox.contract).toBe(contract)
  })
})
