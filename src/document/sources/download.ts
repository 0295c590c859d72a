import { BodyTooLongError, MEBIBYTE, readBodyText } from '../../http/body-limits.ts'
import type { Mistakes, ReadError } from '../mistake.ts'
import { connectionFailure, type SentRequest, statusFailure } from './download-error.ts'
import { isPrivateHost } from './private-address.ts'

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
export interface DownloadOptions {
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
export interface Downloaded {
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
