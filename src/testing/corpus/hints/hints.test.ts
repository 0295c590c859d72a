import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Contract } from '../../../contract/contract.ts'
import { createControl } from '../../../control.ts'
import { loadDocument } from '../../../document/load-document.ts'
import { createSandbox } from '../../../index.ts'
import { useTemporaryDirectory } from '../../temporary-directory.ts'

interface Difference {
  readonly kind: string
  readonly name: string
}

interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

type FindDifferences = (
  contracts: { readonly inferred: Contract; readonly hinted: Contract },
  requests: readonly SentRequest[],
  face: object,
) => Promise<readonly Difference[]>

const EXAMPLES = 'src/testing/guide/examples'
const REPOS = '/api/orgs/acme/repos'
const headers = { authorization: 'Bearer sk_sandbox_free', 'content-type': 'application/json' }

const folder = useTemporaryDirectory()
let findDifferences: FindDifferences

beforeAll(async () => {
  // The script runs without types, so TypeScript does not read it.
  const url = new URL('find-differences.mjs', import.meta.url)
  findDifferences = (await import(url.href)).findDifferences
})

/** The differences between a document and the same document with these hints instead of inference. */
async function differencesOf(
  file: string,
  requests: readonly SentRequest[],
  change: (hints: string) => string = (hints) => hints,
): Promise<readonly Difference[]> {
  const { contract: inferred, hints } = await loadDocument(file)
  const overlay = join(folder(), 'hints.yaml')
  await writeFile(overlay, change(hints()))
  const { contract: hinted } = await loadDocument(file, { overlays: [overlay], inference: false })

  return findDifferences({ inferred, hinted }, requests, { createSandbox, createControl })
}

describe('with the printed hints instead of inference', () => {
  it.each<[name: string, file: string, requests: readonly SentRequest[]]>([
    [
      'an API with nested resources',
      `${EXAMPLES}/code-hosting.yaml`,
      [
        { method: 'GET', path: `${REPOS}?per_page=2&page=2`, headers },
        { method: 'POST', path: REPOS, headers, body: '{"name":"tools"}' },
        { method: 'GET', path: `${REPOS}/tools`, headers },
        { method: 'POST', path: `${REPOS}/tools/issues`, headers, body: '{"title":"Crash"}' },
        { method: 'GET', path: `${REPOS}/tools/issues/1`, headers },
        { method: 'GET', path: `${REPOS}/none`, headers },
      ],
    ],
    [
      'a flat API',
      'src/testing/library.yaml',
      [
        { method: 'GET', path: '/api/books?limit=2', headers },
        { method: 'POST', path: '/api/books', headers, body: '{"title":"Emma"}' },
        { method: 'GET', path: '/api/books/1', headers },
        { method: 'DELETE', path: '/api/books/1', headers },
      ],
    ],
  ])('%s has the same bindings, first records and answers', async (_, file, requests) => {
    expect(await differencesOf(file, requests)).toEqual([])
  })

  it('another hint is found in bindings and answers', async () => {
    const withoutList = (hints: string): string =>
      hints.replace('action: list', 'action: stateless')

    const found = await differencesOf(
      'src/testing/library.yaml',
      [{ method: 'GET', path: '/api/books', headers }],
      withoutList,
    )

    expect(found.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['hints', 'binding', 'answer']),
    )
  })
})
