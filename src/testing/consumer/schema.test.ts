import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

test('the types of the consumer know all that the document has (else: npm run types:consumer)', async () => {
  const types = await readFile('src/testing/consumer/schema.d.ts', 'utf8')
  const { components, paths } = parse(await readFile('openapi.yaml', 'utf8'))
  const operations = Object.values<Record<string, { operationId?: string }>>(paths).flatMap(
    (path) => Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  )
  const words = [
    components.schemas,
    components.parameters,
    components.responses,
    components.headers,
  ]
    .flatMap((part: object) => Object.keys(part))
    .concat(operations)

  expect(words.filter((word) => !types.includes(word))).toEqual([])
  // Left out, a status is `available`: the type must not ask for it.
  expect(types).toContain('status?: components["schemas"]["PetStatus"]')
})
