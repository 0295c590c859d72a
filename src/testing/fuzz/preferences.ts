/** The expected response to a request with a `Prefer` header. */
export interface PreferredOutcome {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
}

function outcome(
  applied: string,
  status: number,
  code: string,
  wait?: number,
): [string, PreferredOutcome] {
  const retryAfter = wait === undefined ? {} : { 'Retry-After': String(wait) }
  return [applied, { status, code, headers: { 'Preference-Applied': applied, ...retryAfter } }]
}

/** The preferences of the fuzz tests, by the value of the `Prefer` header. */
export const PREFERENCES: ReadonlyMap<string, PreferredOutcome> = new Map([
  outcome('code=400', 400, 'invalid_request'),
  outcome('code=401', 401, 'unauthorized'),
  outcome('code=404', 404, 'not_found'),
  outcome('code=429, retry-after=7', 429, 'rate_limit_exceeded', 7),
  outcome('code=500', 500, 'internal_error'),
  outcome('code=503', 503, 'service_unavailable', 30),
  outcome('outcome=banned', 429, 'api_key_banned', 300),
  outcome('outcome=server-error', 500, 'internal_error'),
])
