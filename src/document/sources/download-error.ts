/** Why a download failed, and what to do. */
export interface DownloadFailure {
  /** A clause without a full stop. */
  readonly reason: string
  /** A sentence. */
  readonly help: string
}

const NETWORK_HELP = 'Check the URL and your network connection.'

/** Explains the error of a connection: of the name, the port, the certificate or the time limit. */
export function connectionFailure(url: URL, error: unknown, seconds: number): DownloadFailure {
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
export interface SentRequest {
  readonly url: URL
  /** The request had the headers of the developer. */
  readonly hasHeaders: boolean
  /** There were headers, and a redirect to another origin dropped them. */
  readonly droppedHeaders: boolean
}

/** Explains a response that is not successful. */
export function statusFailure(status: number, sent: SentRequest): DownloadFailure {
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
