import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** Where a file is, or would be: its folder must be there, and links are followed, also to what is not there yet. */
export async function targetOf(path: string): Promise<string> {
  const there = await realpath(path).catch(unlessMissing)
  if (there !== undefined) return there
  const folder = await realpath(dirname(resolve(path)))
  const link = await readlink(path).catch(() => undefined)

  return link === undefined ? join(folder, basename(path)) : targetOf(resolve(folder, link))
}

function unlessMissing(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT') throw error
}

/** What the system calls an error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

/** What a system's error says, in words. */
export function whyOf(error: unknown): string {
  return REASONS[codeOf(error)] ?? `the system says ${codeOf(error)}`
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EDQUOT: "the user's share of the disk is used up",
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  EIO: 'the disk fails',
  ENOENT: 'its folder is not there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'its folder is a file',
  EPERM: 'this user may not',
  EROFS: 'the disk is read-only',
}
