/** Why a store does not serve. */
export interface StoreRefusal {
  /** A clause without a full stop. */
  readonly reason: string
  /** What to do: a sentence, or empty. */
  readonly help: string
}

const AGAIN = 'Try again later.'
const CREDENTIALS = 'Give them in the address: redis://USER:PASSWORD@HOST:PORT.'
const ADDRESS = 'Check the address, and that the store is running.'

/** What the codes of error replies mean. The first word of such a reply is its code. */
const REPLIES: Readonly<Record<string, readonly [reason: string, help: string]>> = {
  OOM: ['it is full (maxmemory)', 'Give it more memory.'],
  READONLY: ['it is a replica, which cannot be written to', 'Use the address of its master.'],
  LOADING: ['it is still loading its data', AGAIN],
  CLUSTERDOWN: ['its cluster does not serve all keys', 'Check the nodes of the cluster.'],
  MASTERDOWN: ['it is a replica that has lost its master', 'Use the address of its master.'],
  MOVED: ['it is a node of a cluster', 'Use the address redis+cluster://HOST,HOST.'],
  CROSSSLOT: ['it is a node of a cluster', 'Use the address redis+cluster://HOST,HOST.'],
  TRYAGAIN: ['its cluster is moving keys', AGAIN],
  NOREPLICAS: ['it has fewer replicas than it requires', 'Check its replicas.'],
  MISCONF: ['it cannot save its data', 'Read its log.'],
  BUSY: ['it is busy with a script', AGAIN],
  NOAUTH: ['it requires a password', CREDENTIALS],
  WRONGPASS: ['it refuses the user name or the password', CREDENTIALS],
  NOPERM: ['it does not allow its user what pet-sandbox needs', 'Allow the user all commands.'],
  WRONGTYPE: ['it has a value that pet-sandbox did not write', 'Choose another prefix.'],
}

/** Errors of the network. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ENOTFOUND: 'the name of its host is unknown',
  EAI_AGAIN: 'the name of its host cannot be resolved',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ECONNRESET: 'it has closed the connection',
}

const REPLY = /^(?<code>[A-Z]+) ?(?<rest>.*)/s

/** Why a command failed, by the error of the client library. */
export function refusalIn(error: unknown): StoreRefusal {
  const network = NETWORK[fieldOf(error, 'code')]
  if (network !== undefined) return { reason: network, help: ADDRESS }
  if (TIMEOUTS.includes(fieldOf(error, 'message'))) {
    return { reason: 'it did not answer in time', help: AGAIN }
  }
  const { code, rest } = replyIn(error)
  if (code === 'CORRUPT') {
    return {
      reason: `the value of the key ${quoted(rest)} is not one that pet-sandbox writes`,
      help: 'Reset the world, or choose another prefix.',
    }
  }
  const [reason, help] = REPLIES[code] ?? UNKNOWN
  return { reason, help }
}

const TIMEOUTS = ['Command timed out', 'connect ETIMEDOUT']
const UNKNOWN = ['there is no connection', ADDRESS] as const

function fieldOf(error: unknown, name: string): string {
  const value: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
  return typeof value === 'string' ? value : ''
}

function quoted(text: string): string {
  const printable = text.replace(/\p{Cc}/gu, ' ').trim()
  return printable.length > 200 ? `${printable.slice(0, 200)}…` : printable
}

/** Whether a store does not know a script that it was to run. */
export function isUnknownScript(error: unknown): boolean {
  return replyIn(error).code === 'NOSCRIPT'
}

/** Whether a server refuses to write because it has become a replica. */
export function isReplica(error: unknown): boolean {
  return replyIn(error).code === 'READONLY'
}

/** The code that an error reply begins with, and what follows it. Redis has no other field for it. */
function replyIn(error: unknown): { readonly code: string; readonly rest: string } {
  const message = fieldOf(error, 'message')
  const groups = REPLY.exec(message)?.groups
  return { code: groups?.code ?? '', rest: groups?.rest ?? '' }
}
