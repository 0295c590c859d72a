/** What a `Prefer` header brings. */
export interface PreferredOutcome {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
}

function wish(
  applied: string,
  status: number,
  code: string,
  wait?: number,
): [string, PreferredOutcome] {
  const waiting = wait === undefined ? {} : { 'Retry-After': String(wait) }
  return [applied, { status, code, headers: { 'Preference-Applied': applied, ...waiting } }]
}

/** The outcomes that requests of the fuzz ask for, by their whole `Prefer` header. */
export const PREFERENCES: ReadonlyMap<string, PreferredOutcome> = new Map([
  wish('code=400', 400, 'invalid_request'),
  wish('code=401', 401, 'unauthorized'),
  wish('code=404', 404, 'not_found'),
  wish('code=429, retry-after=7', 429, 'rate_limit_exceeded', 7),
  wish('code=500', 500, 'internal_error'),
  wish('code=503', 503, 'service_unavailable', 30),
  wish('outcome=banned', 429, 'api_key_banned', 300),
  wish('outcome=server-error', 500, 'internal_error'),
])
