import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import { loadContract } from '../document/load-contract.ts'

/** The contract of a document with these paths. */
export async function loadDocumentOf(paths: object, root: object = {}): Promise<Contract> {
  const folder = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  const file = join(folder, 'api.json')
  const info = { title: 'API', version: '1' }
  await writeFile(file, JSON.stringify({ openapi: '3.1.0', info, paths, ...root }))
  try {
    return await loadContract(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}
