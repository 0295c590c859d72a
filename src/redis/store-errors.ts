import { StoreUnavailableError } from '../records/stored-records.ts'

/** The store has refused a command, or did not answer it. */
export class RedisUnavailableError extends StoreUnavailableError {
  readonly refusal: StoreRefusal

  /** The error of the client library is not the cause: it has the arguments of the command, which may be a password. */
  constructor(refusal: StoreRefusal) {
    const { reason, help } = refusal
    super(`The store cannot be used: ${reason}.${help && ` ${help}`}`)
    this.refusal = refusal
  }
}

/** The error of a command as one for the caller. */
export function storeError(error: unknown): StoreUnavailableError {
  return error instanceof StoreUnavailableError
    ? error
    : new RedisUnavailableError(refusalIn(error))
}

/** A value in the store is not what pet-sandbox writes. */
export function corruptValue(key: string): StoreUnavailableError {
  return storeError(new Error(`CORRUPT ${key}`))
}

/** The request came too late to the store, which has written nothing. */
export function expired(): StoreUnavailableError {
  return storeError(new Error('Command timed out'))
}

/** Why a store does not serve. */
export interface StoreRefusal {
  /** A clause without a full stop. */
  readonly reason: string
  /** What to do: a sentence, or empty. */
  readonly help: string
}

const AGAIN = 'Try again later.'
const CREDENTIALS = 'Give user and password in the address: redis://USER:PASSWORD@HOST:PORT.'
const VERSION = 'Use Redis 7 or later, or Valkey.'
const AUTHORITY = 'Set NODE_EXTRA_CA_CERTS to the file of its certificate authority.'
/** As in the guide. Another prefix of the store has other keys. */
const RIGHTS =
  'Allow what the guide names: ACL SETUSER NAME ~pet-sandbox:* +@read +@write +@connection +@scripting +info +time, with the prefix of the store.'
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
  WRONGTYPE: ['it has a value that pet-sandbox did not write', 'Choose another prefix.'],
}

/** What the code `ERR` means as the reply to a command. Other replies to commands do not have it, unless the server lacks something. */
const ERR_REPLIES: Readonly<Record<string, readonly [reason: string, help: string]>> = {
  select: ['it has no database of this number', 'Choose another one.'],
  cluster: ['it is not a cluster', 'Use the address redis://HOST:PORT.'],
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
  NOSENTINEL: 'no sentinel answers, or none knows a server of this name',
  EPROTO: 'it does not use TLS as expected',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not use TLS',
}

/** Errors of certificates. */
const CERTIFICATE: Readonly<Record<string, readonly [reason: string, help: string]>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is not trusted', AUTHORITY],
  SELF_SIGNED_CERT_IN_CHAIN: ['its certificate is not trusted', AUTHORITY],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['its certificate is not trusted', AUTHORITY],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['its certificate is not trusted', AUTHORITY],
  CERT_HAS_EXPIRED: ['its certificate has expired', 'Renew it.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for another name',
    'Use a name of the certificate in the address.',
  ],
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: [
    'it requires a certificate of its clients, which pet-sandbox does not have',
    'Set tls-auth-clients to no.',
  ],
}

/** No sentinel could be asked, or none knows the server. */
export const NO_SENTINEL: Error = Object.assign(new Error('No sentinel'), { code: 'NOSENTINEL' })

const REPLY = /^(?<code>[A-Z]+) ?(?<rest>.*)/s

/** Why a command failed, by the error of the client library. */
export function refusalIn(error: unknown): StoreRefusal {
  const errorCode = fieldOf(error, 'code')
  const network = NETWORK[errorCode]
  if (network !== undefined) return { reason: network, help: ADDRESS }
  const certificate = CERTIFICATE[errorCode]
  if (certificate) return { reason: certificate[0], help: certificate[1] }
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
  if (code === 'ERR') {
    const [reason, help] = ERR_REPLIES[commandOf(error)] ?? REFUSED
    return { reason, help }
  }
  if (code === 'NOPERM')
    return { reason: `it does not allow its user ${forbidden(rest)}`, help: RIGHTS }
  const reply = REPLIES[code]
  return reply ? { reason: reply[0], help: reply[1] } : UNKNOWN
}

/** What the reply to a command without permission names. */
function forbidden(reply: string): string {
  const command = /'(?<name>[\w|-]+)' command/.exec(reply)?.groups?.name
  if (command !== undefined) return `the command ${command.toUpperCase()}`
  return /\bkeys?\b/.test(reply) ? 'the keys of pet-sandbox' : 'what pet-sandbox needs'
}

const TIMEOUTS = ['Command timed out', 'connect ETIMEDOUT', 'timeout']
const REFUSED = ['it refuses a command that pet-sandbox needs', VERSION] as const

/** The refusal of an error that tells no reason. */
export const UNKNOWN: StoreRefusal = { reason: 'there is no connection', help: ADDRESS }

/** The name of the command that a reply refuses. */
function commandOf(error: unknown): string {
  const command: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, 'command') : undefined
  return fieldOf(command, 'name').toLowerCase()
}

/** Whether a server does not have the database that was selected. */
export function isUnknownDatabase(error: unknown): boolean {
  return replyIn(error).code === 'ERR' && commandOf(error) === 'select'
}

function fieldOf(error: unknown, name: string): string {
  const value: unknown =
    typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
  return typeof value === 'string' ? value : ''
}

function quoted(text: string): string {
  const printable = text.replace(/\p{Cc}/gu, ' ').trim()
  return printable.length > 200 ? `${printable.slice(0, 200)}…` : printable
}

/** Whether a server has replied with an error, so that it was understood. */
export function isReply(error: unknown): boolean {
  return fieldOf(error, 'name') === 'ReplyError'
}

/** Whether a store does not know a script that it was to run. */
export function isUnknownScript(error: unknown): boolean {
  return replyIn(error).code === 'NOSCRIPT'
}

/** Whether a server refuses to write because it has become a replica. */
export function isReplica(error: unknown): boolean {
  return replyIn(error).code === 'READONLY'
}

const UNAUTHENTICATED = [
  'ERR Protocol error: unauthenticated multibulk length',
  'ERR Protocol error: unauthenticated bulk length',
]

/** The code that an error reply begins with, and what follows it. Redis has no other field for it. */
function replyIn(error: unknown): { readonly code: string; readonly rest: string } {
  const message = fieldOf(error, 'message')
  // A command that is longer than AUTH ever is gets this reply, in place of NOAUTH.
  if (UNAUTHENTICATED.includes(message)) return { code: 'NOAUTH', rest: '' }
  const groups = REPLY.exec(message)?.groups
  return { code: groups?.code ?? '', rest: groups?.rest ?? '' }
}

// What is read from the store is checked like any input. `key` is named by the error.

export function textIn(value: unknown, key: string): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  throw corruptValue(key)
}

export function numberIn(value: unknown, key: string): number {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  if (typeof number === 'number' && Number.isFinite(number)) return number
  throw corruptValue(key)
}

export function listIn(value: unknown, key: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw corruptValue(key)
}

/** Texts of a list. */
export function textsIn(value: unknown, key: string): readonly string[] {
  return listIn(value, key).map((one) => textIn(one, key))
}

/** The pairs of a list of fields, each followed by its value. */
export function pairsIn(value: unknown, key: string): readonly (readonly [string, string])[] {
  const texts = textsIn(value, key)
  return texts.flatMap((field, at) =>
    at % 2 === 0 ? [[field, textIn(texts[at + 1], key)] as const] : [],
  )
}
