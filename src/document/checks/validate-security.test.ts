import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Diagnostic } from '../load-document.ts'
import { loadDocument } from '../load-document.ts'

let folder = ''

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
})

afterEach(() => rm(folder, { recursive: true }))

async function diagnosticsOf(scheme: string, requirement: string): Promise<readonly Diagnostic[]> {
  const file = join(folder, 'books.yaml')
  await writeFile(
    file,
    `openapi: 3.1.1
info: { title: Books, version: '1' }
paths:
  /books:
    get:
      security: [${requirement}]
      responses: { '204': { description: None. } }
components:
  securitySchemes:
    token: ${scheme}
`,
  )
  return (await loadDocument(file)).diagnostics.list()
}

describe('the diagnostics of a document', () => {
  test('name a requirement of a security scheme that does not exist, with its location', async () => {
    const [diagnostic] = await diagnosticsOf('{ type: http, scheme: bearer }', '{ tokn: [] }')

    expect(diagnostic?.location).toMatch(/books\.yaml:6:\d+$/)
    expect(diagnostic).toMatchObject({ reason: expect.stringContaining('tokn') })
  })

  test('name a security scheme that is not an object, with its location', async () => {
    const [diagnostic] = await diagnosticsOf('text', '{ token: [] }')

    expect(diagnostic?.location).toMatch(/books\.yaml:10:\d+$/)
  })

  test('are none for security that is right', async () => {
    expect(await diagnosticsOf('{ type: http, scheme: bearer }', '{ token: [] }')).toEqual([])
  })
})
