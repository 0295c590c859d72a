import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'

/** A security scheme for each kind of credential. */
export const SCHEMES = {
  token: { type: 'http', scheme: 'bearer' },
  password: { type: 'http', scheme: 'basic' },
  digest: { type: 'http', scheme: 'digest' },
  header: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  query: { type: 'apiKey', in: 'query', name: 'api_key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  raw: { type: 'apiKey', in: 'header', name: 'Authorization' },
  oauth: { type: 'oauth2', flows: {} },
  connect: { type: 'openIdConnect', openIdConnectUrl: 'https://id.test' },
  certificate: { type: 'mutualTLS' },
} as const

export type SchemeName = keyof typeof SCHEMES

/** The contract of a document with one operation, `GET /notes`, that requires these credentials. */
export async function loadNotes(
  names: readonly SchemeName[],
  security: readonly Partial<Record<SchemeName, []>>[] | undefined,
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, unknown>> = {},
): Promise<Contract> {
  const schema = { type: 'array', items: { type: 'string' } }
  const content = { 'application/json': { schema, example: ['one'] } }
  const responses = { 200: { description: 'The notes.', headers, content } }
  const securitySchemes = Object.fromEntries(names.map((name) => [name, SCHEMES[name]]))
  const document = {
    openapi: '3.1.0',
    info: { title: 'Notes', version: '1' },
    paths: { '/notes': { get: { operationId: 'listNotes', responses } } },
    components: { securitySchemes },
    ...(security && { security }),
    ...more,
  }
  const folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-notes-'))
  try {
    const file = join(folder, 'notes.json')
    await writeFile(file, JSON.stringify(document))
    return await loadContract(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}
