import { UsageError } from '../validation/usage-error.ts'

/** The snapshot has a mistake, or the sandbox cannot use it. */
export function invalidSnapshot(reason: string, cause?: unknown): UsageError {
  return new UsageError({
    code: 'invalid_snapshot',
    task: 'restore the snapshot',
    reason,
    help: 'Give a snapshot that a sandbox of this contract took.',
    cause,
  })
}

/** The value is something else than a snapshot. */
export function notASnapshot(): UsageError {
  return new UsageError({
    code: 'invalid_snapshot',
    task: 'restore the snapshot',
    reason: 'it is not a snapshot of a sandbox',
    help: 'Make one with: pet-sandbox ctl snapshot FILE, or with sandbox.snapshot().',
  })
}
