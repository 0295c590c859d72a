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
