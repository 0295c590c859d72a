import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

test('the generated types of the consumer contain all names of the document (update: npm run types:consumer)', async () => {
  const types = await readFile('src/testing/consumer/schema.d.ts', 'utf8')
  const { components, paths } = parse(await readFile('openapi.yaml', 'utf8'))
  const operations = Object.values<Record<string, { operationId?: string }>>(paths).flatMap(
    (path) => Object.values(path).flatMap(({ operationId }) => operationId ?? []),
  )
  const names = [
    components.schemas,
    components.parameters,
    components.responses,
    components.headers,
  ]
    .flatMap((part: object) => Object.keys(part))
    .concat(operations)

  expect(names.filter((name) => !types.includes(name))).toEqual([])
  // The service sets a missing status to `available`, so the type must be optional.
  expect(types).toContain('status?: components["schemas"]["PetStatus"]')
})
