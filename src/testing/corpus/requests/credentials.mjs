// Credentials in the form that a document describes, as the client of the API already has them.

const BASIC = `Basic ${Buffer.from('user:password').toString('base64')}`
/** The key, or the token, that requests send. */
export const KEY = 'test-key'

/**
 * What a request must have by the first alternative that can be sent: `{ headers, query, cookies }`; `undefined` when none can,
 * because a request has only one `Authorization` header.
 */
export function credentialsFor(security) {
  if (security.length === 0) return { headers: {}, query: [], cookies: [] }
  const schemes = security.find(
    (alternative) => new Set(alternative.flatMap((scheme) => authorization(scheme) ?? [])).size < 2,
  )
  if (!schemes) return undefined
  const found = { headers: {}, query: [], cookies: [] }
  for (const scheme of schemes) add(found, scheme)
  return found
}

/** Whether a parameter is the key of a security scheme, as some documents say a second time. */
export function isCredential({ security }, { name, in: place }) {
  return security.flat().some((scheme) => scheme.in === place && scheme.name === name)
}

/** Whether requests without credentials are refused: each alternative has a scheme that a request shows. */
export function requiresCredentials({ security }) {
  const isShown = ({ type }) => ['apiKey', 'http', 'oauth2', 'openIdConnect'].includes(type)
  return security.length > 0 && security.every((schemes) => schemes.some(isShown))
}

function add({ headers, query, cookies }, scheme) {
  const value = authorization(scheme)
  if (value) headers.authorization = value
  else if (scheme.in === 'header') headers[String(scheme.name).toLowerCase()] = KEY
  else if (scheme.in === 'query') query.push([scheme.name, KEY])
  else if (scheme.in === 'cookie') cookies.push(`${scheme.name}=${KEY}`)
}

/** The `Authorization` header of a scheme that uses it. */
function authorization({ type, scheme = '', in: place, name }) {
  if (type === 'mutualTLS') return undefined
  if (type === 'apiKey')
    return place === 'header' && /^authorization$/i.test(name) ? KEY : undefined
  if (type !== 'http' || /^bearer$/i.test(scheme)) return `Bearer ${KEY}`
  return /^basic$/i.test(scheme) ? BASIC : `${scheme} ${KEY}`
}
