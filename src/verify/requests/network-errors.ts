/** What `fetch` errors mean, by the codes and names of the error and its causes. */
const REASONS: readonly [codes: RegExp, reason: string][] = [
  [/ECONNREFUSED/, 'no server listens at this address (connection refused)'],
  [/ENOTFOUND|EAI_AGAIN/, 'the host name cannot be resolved (DNS)'],
  [/^bad port$/, 'fetch and browsers block this port; start the server on another port'],
  [
    /EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT/,
    'the server cannot be reached (network)',
  ],
  [/CERT_HAS_EXPIRED/, 'the TLS certificate of the server has expired'],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, 'the TLS certificate of the server is for another host name'],
  [
    /SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|CERT_/,
    'the TLS certificate of the server is not trusted (set NODE_EXTRA_CA_CERTS=ca.pem to trust it)',
  ],
  [
    /ERR_SSL_\w+|EPROTO/,
    'the server does not use TLS at this port (use http:// instead of https://)',
  ],
  [
    /HPE_|ERR_HTTP_|HTTPParserError/,
    'the server does not use HTTP at this port (use https:// instead of http://)',
  ],
  [
    /ECONNRESET|EPIPE|UND_ERR_SOCKET|terminated|aborted/,
    'the server closed the connection before the response was complete',
  ],
]

/** Why a request failed. The message of `fetch` is always "fetch failed"; the reason is in its causes. */
export function describeNetworkError(error: unknown): string {
  const words = wordsOf(error)
  const known = REASONS.find(([codes]) => words.some((word) => codes.test(word)))
  return known?.[1] ?? `the request failed (${words.at(-1) ?? String(error)})`
}

function wordsOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const code = 'code' in error && typeof error.code === 'string' ? [error.code] : []
  const inner = error instanceof AggregateError ? error.errors.flatMap(wordsOf) : []

  // In Node 24, an error about invalid HTTP has a name instead of a code.
  return [...code, error.name, ...wordsOf(error.cause), ...inner, error.message]
}
