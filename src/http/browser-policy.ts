import type { CoreResponse } from './message.ts'

/** A page of this policy has an origin of its own, runs no script, and loads nothing. */
export const CONTENT_SECURITY_POLICY: string =
  "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const POLICY: CoreResponse['headers'] = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
}

/** Some browsers show each part as a page, with the headers of the part. */
const MULTIPART_POLICY: CoreResponse['headers'] = {
  ...POLICY,
  'Content-Disposition': 'attachment',
}

/** Browsers show JSON as text. They take what follows a comma for another media type. */
const JSON_TYPE =
  /^(?:application|text)\/(?:[\w.-]+\+)?json(?: *; *[\w-]+=(?:[\w.-]+|"[^",\\]*"))*$/i

/**
 * A response that runs no script in a browser that opens it: its texts are those of a document or of a client, and it has the
 * origin of the control interface. JSON stays as it is.
 */
export function withBrowserPolicy(response: CoreResponse): CoreResponse {
  const { headers, body } = response
  const type = headers['Content-Type']
  if (type === 'application/json') return response
  if (type === undefined ? body.length === 0 : JSON_TYPE.test(type)) return response
  const policy = type !== undefined && /multipart/i.test(type) ? MULTIPART_POLICY : POLICY
  const decided = Object.keys(policy).map((name) => name.toLowerCase())
  const others = Object.entries(headers).filter(([name]) => !decided.includes(name.toLowerCase()))

  return { ...response, headers: { ...Object.fromEntries(others), ...policy } }
}
