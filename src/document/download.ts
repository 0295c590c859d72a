import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { BodyTooLongError, MEBIBYTE, readBodyText } from '../http/body-limits.ts'
import type { Mistakes, ReadError } from './mistake.ts'

/** The size limit of a file, in bytes after decompression. */
export const MAX_BYTES: number = 64 * MEBIBYTE

/** The error of a file or of standard input with more bytes. */
export function tooLarge(readError: ReadError): Mistakes {
  return readError(`it is larger than ${MAX_BYTES / MEBIBYTE} MiB`, 'Name a smaller document.')
}

/** The time limit of a file with all its redirects. */
const TIMEOUT_SECONDS = 30

const MAX_REDIRECTS = 5

/** What a download may send and reach. */
interface DownloadOptions {
  /** The headers of the developer, and the only origin that gets them. */
  readonly credentials?: Credentials | undefined
  /** Whether redirects may lead to another origin. */
  readonly canLeaveOrigin: boolean
}

/** Headers for one origin. */
export interface Credentials {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
}

/** A downloaded text, and the URL from which it came after all redirects. */
interface Downloaded {
  readonly url: URL
  readonly text: string
}

/** Downloads a file of another server, with a limit of time and of size. */
export async function download(
  start: URL,
  options: DownloadOptions,
  readError: ReadError,
): Promise<Downloaded> {
  const signal = AbortSignal.timeout(TIMEOUT_SECONDS * 1000)
  let url = start
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const headers = headersFor(url, options)
      const response = await fetch(url, { signal, redirect: 'manual', headers })
      const location = redirectOf(response)
      if (location === undefined) {
        const sent = sentRequest(start, url, options)
        return { url, text: await textOf(response, sent, readError) }
      }
      await response.body?.cancel()
      url = await nextUrl(url, location, options, readError)
    }
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof DOMException)) throw error
    const { reason, help } = connectionFailure(url, error, TIMEOUT_SECONDS)
    throw readError(reason, help)
  }
  throw readError(`the server redirects more than ${MAX_REDIRECTS} times`, 'Check the URL.')
}

function headersFor(url: URL, { credentials }: DownloadOptions): Headers {
  const headers = new Headers(credentials?.origin === url.origin ? credentials.headers : {})
  if (!headers.has('accept')) headers.set('accept', 'application/json, application/yaml, */*;q=0.8')

  return headers
}

function sentRequest(start: URL, url: URL, { credentials }: DownloadOptions): SentRequest {
  const hasCredentials = credentials !== undefined && Object.keys(credentials.headers).length > 0

  return {
    url,
    hasHeaders: hasCredentials && url.origin === credentials.origin,
    droppedHeaders:
      hasCredentials && start.origin === credentials.origin && url.origin !== start.origin,
  }
}

function redirectOf({ status, headers }: Response): string | undefined {
  return [301, 302, 303, 307, 308].includes(status)
    ? (headers.get('location') ?? undefined)
    : undefined
}

async function nextUrl(
  from: URL,
  location: string,
  { canLeaveOrigin }: DownloadOptions,
  readError: ReadError,
): Promise<URL> {
  const url = URL.canParse(location, from) ? new URL(location, from) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw readError('the server redirects to a place that is not an http or https URL', CHECK)
  }
  // A server must not choose the credentials that another server gets.
  url.username = ''
  url.password = ''
  if (url.origin === from.origin) return url
  if (!canLeaveOrigin) {
    const reason = `the server redirects to another server, ${url.origin}`
    throw readError(reason, 'Allow other servers with --allow-remote-refs.')
  }
  if ((await isPrivateHost(url)) && !(await isPrivateHost(from))) {
    const reason = `the server redirects to ${url.origin}, which is this machine or a local network`
    throw readError(reason, 'If you trust that address, name its URL.')
  }

  return url
}

const CHECK = 'Check the URL.'

async function textOf(
  response: Response,
  sent: SentRequest,
  readError: ReadError,
): Promise<string> {
  if (!response.ok) {
    await response.body?.cancel()
    const { reason, help } = statusFailure(response.status, sent)
    throw readError(reason, help)
  }
  const text = await readBodyText(response, MAX_BYTES).catch((error: unknown) => {
    if (!(error instanceof BodyTooLongError)) throw error
    const reason = `the file is larger than ${MAX_BYTES / MEBIBYTE} MiB`
    throw readError(reason, 'Save the part that you need as a file.')
  })
  if (/^\uFEFF?\s*</.test(text)) {
    const help = 'Look for the link to the document on the page, such as openapi.json.'
    throw readError('it is a web page, not an OpenAPI document', help)
  }

  return text
}

/** Why a download failed, and what to do. */
interface DownloadFailure {
  /** A clause without a full stop. */
  readonly reason: string
  /** A sentence. */
  readonly help: string
}

const NETWORK_HELP = 'Check the URL and your network connection.'

/** Explains the error of a connection: of the name, the port, the certificate or the time limit. */
function connectionFailure(url: URL, error: unknown, seconds: number): DownloadFailure {
  const code = codeOf(error)
  if (error instanceof Error && error.name === 'TimeoutError') {
    const reason = `the server did not answer completely within ${seconds} seconds`
    return { reason, help: NETWORK_HELP }
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    const help = 'Check the name and your network connection.'
    return { reason: `the host ${url.hostname} was not found`, help }
  }
  if (code === 'ECONNREFUSED') {
    return { reason: `no server listens on ${url.host}`, help: 'Check the address and the port.' }
  }
  if (/SSL|EPROTO/.test(code)) {
    const help = 'Check whether the URL must start with http: or name another port.'
    return { reason: `${url.host} does not answer with TLS`, help }
  }
  if (/CERT|SIGNATURE|TLS|ISSUER/.test(code)) {
    const help = 'Set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority.'
    return { reason: `the certificate of ${url.host} is not trusted (${code})`, help }
  }

  return { reason: `no connection${code && ` (${code})`}`, help: NETWORK_HELP }
}

/** The error code of Node, or else the message: `fetch` wraps the error of the connection. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined
  if (typeof cause !== 'object') return ''
  const { code } = { code: undefined, ...cause }

  return typeof code === 'string' ? code : String(Reflect.get(cause, 'message') ?? '')
}

/** What a request of a document sent. */
interface SentRequest {
  readonly url: URL
  /** The request had the headers of the developer. */
  readonly hasHeaders: boolean
  /** There were headers, and a redirect to another origin dropped them. */
  readonly droppedHeaders: boolean
}

/** Explains a response that is not successful. */
function statusFailure(status: number, sent: SentRequest): DownloadFailure {
  const reason = `the server answers with status ${status}`
  if (status === 401 || status === 403) return { reason, ...credentialsAdvice(reason, sent) }
  if (status === 404 || status === 410) {
    return { reason, help: 'Check the path of the URL: it must be that of the document itself.' }
  }
  if (status === 429 || status >= 500) return { reason, help: 'Try again later.' }

  return { reason, help: 'Check the URL.' }
}

function credentialsAdvice(
  reason: string,
  { url, hasHeaders, droppedHeaders }: SentRequest,
): Pick<DownloadFailure, 'help'> & Partial<DownloadFailure> {
  if (droppedHeaders) {
    return {
      reason: `${reason} after a redirect to ${url.origin}, which does not get the headers`,
      help: 'If you trust that server, name its URL.',
    }
  }

  return hasHeaders
    ? { help: 'Check the credentials.' }
    : { help: `Send credentials with --header 'Authorization: Bearer …'.` }
}

/** The addresses of this machine and of local networks. */
const PRIVATE = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv4')
}
for (const [network, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  PRIVATE.addSubnet(network, prefix, 'ipv6')
}

/** Whether the host of a URL is this machine, or is in a local network. A host without an address is not. */
async function isPrivateHost({ hostname }: URL): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) > 0) return isPrivateAddress(host)
  if (/(^|\.)localhost\.?$/.test(host)) return true
  const addresses = await lookup(host, { all: true }).catch(() => [])

  return addresses.some(({ address }) => isPrivateAddress(address))
}

/** Whether an IP address belongs to this machine or to a local network. */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
