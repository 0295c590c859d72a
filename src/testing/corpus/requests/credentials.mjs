// Credentials in the form that a document describes, as the client of the API already has them.

const BASIC = `Basic ${Buffer.from('user:password').toString('base64')}`
/** The key, or the token, that requests send. */
export const KEY = 'test-key'

/** What a request must have for these schemes: `{ headers, query, cookies }`. */
export function credentialsFor(schemes) {
  const found = { headers: {}, query: [], cookies: [] }
  for (const scheme of schemes) add(found, scheme)
  return found
}

/** Whether requests without credentials are refused: each alternative has a scheme that a request shows. */
export function requiresCredentials({ security }) {
  const isShown = ({ type }) => ['apiKey', 'http', 'oauth2', 'openIdConnect'].includes(type)
  return security.length > 0 && security.every((schemes) => schemes.some(isShown))
}

function add({ headers, query, cookies }, scheme) {
  if (scheme.type === 'mutualTLS') return
  if (scheme.type !== 'apiKey') headers.authorization = authorization(scheme)
  else if (scheme.in === 'header') headers[String(scheme.name).toLowerCase()] = KEY
  else if (scheme.in === 'query') query.push([scheme.name, KEY])
  else cookies.push(`${scheme.name}=${KEY}`)
}

function authorization({ type, scheme = '' }) {
  if (type !== 'http' || /^bearer$/i.test(scheme)) return `Bearer ${KEY}`
  return /^basic$/i.test(scheme) ? BASIC : `${scheme} ${KEY}`
}
