import { expect, test } from 'vitest'
import type { Contract } from '../contract/contract.ts'
import type { ExchangeSummary } from '../journal/exchange.ts'
import { createSandbox } from '../sandbox/sandbox.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { listOf, objectOf } from '../testing/operation-on.ts'
import { createFallbackFinder, describeFallback } from './request-log.ts'

const PET = objectOf(['id', 'name', 'status'])
const FOUND = objectOf({ results: listOf(PET) })

function get(shown: object, parameters: readonly object[] = []): object {
  const content = { 'application/json': { schema: shown } }
  return { get: { parameters, responses: { 200: { description: 'OK', content } } } }
}

function apiWith(search: object): Promise<Contract> {
  const id = { name: 'petId', in: 'path', required: true, schema: { type: 'string' } }
  const found = get(FOUND) as { readonly get: object }

  return loadDocumentOf({
    '/pets': get(listOf(PET)),
    '/pets/{petId}': get(PET, [id]),
    '/pets/lost/search': { post: { operationId: 'searchPets', ...found.get, ...search } },
    '/health': get(objectOf(['status'])),
  })
}

async function exchangesOf(contract: Contract): Promise<readonly ExchangeSummary[]> {
  const sandbox = createSandbox({ contract })
  for (const path of [
    '/pets',
    '/pets/lost/search',
    '/pets/lost/search',
    '/health',
    '/pets/x',
    '/pets/x',
  ]) {
    const method = path === '/pets/lost/search' ? 'POST' : 'GET'
    await sandbox.fetch(new Request(`http://localhost${path}`, { method }))
  }

  return sandbox.journal.exchanges
}

test('the log warns once for each operation that answers without stored records', async () => {
  const contract = await apiWith({})
  const find = createFallbackFinder(() => contract)

  const fallbacks = (await exchangesOf(contract)).flatMap((exchange) => find(exchange) ?? [])

  expect(fallbacks.map(describeFallback)).toEqual([
    'searchPets answers with a generated body: it searches, and what it finds is not known. To make it list the records of pets, add this hint to it: x-sandbox: { resource: pets, action: list, record: /results }',
    'GET /health answers with a generated body: its path and schemas tell no action on records.',
    'GET /pets/{petId} answers with a record that is made up: no record has this id. To make it a 404, start with --unknown-ids 404.',
  ])
})

test('the hint of the warning makes the operation list the records', async () => {
  const hints = { resource: 'pets', action: 'list', record: '/results' }
  const contract = await apiWith({ 'x-sandbox': hints })

  const [, search] = await exchangesOf(contract)

  expect(search).toMatchObject({ operation: 'searchPets', source: 'record' })
})

test('the log does not warn of what the document or the request asks for', async () => {
  const contract = await apiWith({ 'x-sandbox': { action: 'stateless' } })
  const find = createFallbackFinder(() => contract)
  const [, search] = await exchangesOf(contract)

  const found = search && [
    find(search),
    find({ ...search, operation: 'GET /health', sourceReason: 'the request prefers this example' }),
    find({ ...search, operation: 'GET /health', forced: '202' }),
  ]

  expect(found).toEqual([undefined, undefined, undefined])
})
