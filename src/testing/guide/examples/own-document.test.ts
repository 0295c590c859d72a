import { join } from 'node:path'
import { createSandbox } from 'pet-sandbox'
import { loadContract } from 'pet-sandbox/load'
import { expect, test } from 'vitest'

test('a new book gets an id and the default genre', async () => {
  const contract = await loadContract(join(import.meta.dirname, 'books.yaml'))
  const sandbox = createSandbox({ contract })

  const response = await sandbox.fetch(
    new Request('http://localhost/v1/books', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ title: 'Middlemarch' }),
    }),
  )

  expect(response.status).toBe(201)
  expect(await response.json()).toEqual({ id: 21, title: 'Middlemarch', genre: 'novel' })
})
