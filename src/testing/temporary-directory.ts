import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

/** Creates a directory before each test of the file or block, and removes it afterwards. Returns its current path. */
export function useTemporaryDirectory(): () => string {
  let path = ''
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'pet-sandbox-'))
  })
  afterEach(() => rm(path, { recursive: true, force: true }))

  return () => path
}
