import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { systemErrorCode } from '../system-error.ts'

/** The real path of a file that may not exist yet. Its folder must exist. Symbolic links are followed. */
export async function resolveTarget(path: string): Promise<string> {
  const existing = await realpath(path).catch(undefinedIfMissing)
  if (existing !== undefined) return existing
  const folder = await realpath(dirname(resolve(path)))
  const link = await readlink(path).catch(() => undefined)

  return link === undefined ? join(folder, basename(path)) : resolveTarget(resolve(folder, link))
}

function undefinedIfMissing(error: unknown): undefined {
  if (systemErrorCode(error) !== 'ENOENT') throw error
}
