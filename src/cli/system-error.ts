import { readFile } from 'node:fs/promises'
import { UsageError, type UsageErrorDetails } from '../validation/usage-error.ts'

/** What a UsageError about a file or a program says besides its reason, which is that of the system. */
interface FailedTask extends Pick<UsageErrorDetails, 'code' | 'task' | 'help'> {
  /** The reasons of this task, by the codes of system errors. */
  readonly reasons?: Readonly<Record<string, string>>
}

/** The UsageError of a task that the system refuses. */
export function refusedBySystem(cause: unknown, { reasons, ...failed }: FailedTask): UsageError {
  return new UsageError({ ...failed, reason: describeSystemError(cause, reasons), cause })
}

/** The text of a file. Rejects with a UsageError when it cannot be read. */
export function readText(file: string, failed: FailedTask): Promise<string> {
  return readFile(file, 'utf8').catch((cause: unknown) => {
    throw refusedBySystem(cause, failed)
  })
}

/** The code of a system error, such as `ENOENT`; `unknown` for any other error. */
export function systemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}

/** Describes a system error in words, as the reason of a UsageError. `reasons` are those of one task. */
export function describeSystemError(
  error: unknown,
  reasons: Readonly<Record<string, string>> = {},
): string {
  const code = systemErrorCode(error)
  return reasons[code] ?? REASONS[code] ?? `the operating system reports ${code}`
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the disk quota of this user is exhausted',
  EEXIST: 'a part of the path is a file',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a cycle',
  EIO: 'the disk reports an error',
  ENOENT: 'the file does not exist',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
}
