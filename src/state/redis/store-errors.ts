import { StoreUnavailableError } from '../store-unavailable-error.ts'

/** Why a store does not serve, by the first word of its error. */
const REASONS: Readonly<Record<string, string>> = {
  OOM: 'The store is full (maxmemory). Give it more memory.',
  READONLY: 'The store is a replica, which cannot be written to.',
  LOADING: 'The store is still loading its data.',
  CLUSTERDOWN: 'The cluster of the store does not serve all keys.',
  MASTERDOWN: 'The replica has lost its connection to the store.',
  MOVED: 'The cluster of the store is moving keys.',
  TRYAGAIN: 'The cluster of the store is moving keys.',
  NOREPLICAS: 'The store has fewer replicas than it requires.',
  MISCONF: 'The store cannot save its data.',
  BUSY: 'The store is busy with a script.',
  NOAUTH: 'The store requires a password.',
  WRONGPASS: 'The store refuses the user name or the password.',
  NOPERM: 'The store does not allow the user what pet-sandbox needs.',
}

/**
 * The error of a command as one for the caller. The original one is not its cause: it has the arguments of the command, which may
 * be a password.
 */
export function storeError(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error
  const message = error instanceof Error ? error.message : ''
  const [word = '', key = ''] = message.replace(/^ReplyError: /, '').split(' ')
  if (word === 'CORRUPT') return corruptValue(key)
  const known = Object.hasOwn(REASONS, word) ? REASONS[word] : undefined
  if (known !== undefined) return new StoreUnavailableError(known)
  if (word === 'WRONGTYPE' || message.includes('user_script')) {
    return new StoreUnavailableError(
      `The store has a value that pet-sandbox did not write (${quoted(message)}).`,
    )
  }
  const isLate = message === 'Command timed out'
  return new StoreUnavailableError(
    isLate ? 'The store did not answer in time.' : 'The store cannot be reached.',
  )
}

/** A value in the store is not what pet-sandbox writes. */
export function corruptValue(key: string): StoreUnavailableError {
  return new StoreUnavailableError(
    `The store has a value that pet-sandbox did not write, at the key ${quoted(key)}.`,
  )
}

/** The request came too late to the store, which has written nothing. */
export function expired(): StoreUnavailableError {
  return new StoreUnavailableError('The store did not answer in time.')
}

function quoted(text: string): string {
  const printable = text.replace(/\p{Cc}/gu, ' ')
  return printable.length > 200 ? `${printable.slice(0, 200)}…` : printable
}
