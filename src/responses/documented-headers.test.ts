import { expect, test } from 'vitest'
import { createSandbox } from '../index.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'

const text = (minLength: number): object => ({
  required: true,
  schema: { type: 'string', minLength },
})

/** The headers that the sandbox sends of those that a document declares. */
async function sentOf(headers: Readonly<Record<string, object>>): Promise<string[]> {
  const responses = { 204: { description: 'Nothing.', headers } }
  const contract = await loadDocumentOf({ '/status': { get: { responses } } })
  const response = await createSandbox({ contract }).fetch(new Request('http://localhost/status'))

  return Object.keys(headers).filter((name) => response.headers.has(name))
}

test('a header with a longer text than clients accept is not sent', async () => {
  expect(await sentOf({ 'X-Short': text(200), 'X-Long': text(90_000) })).toEqual(['X-Short'])
})

test('headers that are together longer than clients accept are not all sent', async () => {
  const names = ['X-A', 'X-B', 'X-C', 'X-D', 'X-E', 'X-F']

  const sent = await sentOf(Object.fromEntries(names.map((name) => [name, text(1900)])))

  expect(sent).toEqual(['X-A', 'X-B', 'X-C'])
})
